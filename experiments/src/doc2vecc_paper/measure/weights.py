"""Documents as weighted means of the vectors of their words and n-grams, in place of the plain mean.

One training, several representations: only the weights of the rows differ.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

import numpy as np
import numpy.typing as npt
import pyarrow as pa
from scipy import sparse
from sklearn.feature_extraction.text import TfidfTransformer
from sklearn.preprocessing import normalize

from doc2vecc import ParameterError
from doc2vecc.baselines import BagOfWords

Weights = npt.NDArray[np.float64]
Counts = Any  # (n_documents, n_rows), a scipy sparse matrix

UNIT_LENGTH, PRESENCE, IDF = "unit-length", "presence", "idf"

# The weight of every row, from its count and whether it is an n-gram.
OF_ROWS: Mapping[str, Callable[[Weights, npt.NDArray[np.bool_]], Weights]] = {
    "ngrams-twice": lambda _counts, is_ngram: np.where(is_ngram, 2.0, 1.0),
    "ngrams-half": lambda _counts, is_ngram: np.where(is_ngram, 0.5, 1.0),
    "ngrams-alone": lambda _counts, is_ngram: np.where(is_ngram, 1.0, 0.0),
    "words-alone": lambda _counts, is_ngram: np.where(is_ngram, 0.0, 1.0),
    "count^-0.1": lambda counts, _is_ngram: counts**-0.1,
    "count^-0.3": lambda counts, _is_ngram: counts**-0.3,
}
REPRESENTATIONS = (UNIT_LENGTH, PRESENCE, IDF, *OF_ROWS)


def weighted_vectors(
    estimator: Any,  # noqa: ANN401 - a fitted Doc2VecC
    learned: pa.LargeStringArray,
    texts: Mapping[str, pa.LargeStringArray],
    way: str,
) -> dict[str, Any]:
    """Embed the texts of each split; ``learned`` are the texts of the training, "train" gives the frequencies."""
    if way == UNIT_LENGTH:
        return {split: normalize(estimator.transform(some)) for split, some in texts.items()}
    bags = _bags(estimator, learned)
    counts = {split: bags.transform(some) for split, some in texts.items()}
    vocabulary = estimator.vocabulary_
    weights = np.ones(len(vocabulary))
    if way == IDF:
        weights = np.asarray(TfidfTransformer().fit(counts["train"]).idf_)
    elif way in OF_ROWS:
        is_ngram = np.array([" " in word for word in vocabulary.words])
        weights = OF_ROWS[way](vocabulary.counts.astype(np.float64), is_ngram)
    if way == PRESENCE or estimator.binary:
        counts = {split: some > 0 for split, some in counts.items()}
    return {split: mean_vectors(some, weights, estimator.word_vectors_) for split, some in counts.items()}


def _bags(estimator: Any, learned: pa.LargeStringArray) -> BagOfWords:  # noqa: ANN401
    """Fit a bag of words whose columns are the rows of the word vectors."""
    shared = {name: getattr(estimator, name) for name in ("min_count", "ngram_range", "ngram_min_count", "workers")}
    bags = BagOfWords("counts", **shared).fit(learned)
    if bags.vocabulary_.words != estimator.vocabulary_.words:
        raise ParameterError("max_ngrams and max_final_vocab do not go with --represent; leave them out")
    return bags


def mean_vectors(counts: Counts, weights: Weights, vectors: npt.NDArray[np.float32]) -> npt.NDArray[np.float32]:
    """Return the mean vector of the words of every row, each with its count times its weight.

    >>> counts = sparse.csr_array([[2.0, 1.0], [0.0, 0.0]])
    >>> mean_vectors(counts, np.array([1.0, 2.0]), np.array([[4.0], [8.0]], np.float32)).tolist()
    [[6.0], [0.0]]
    """
    weighted = counts @ sparse.diags_array(weights)
    sums, totals = weighted @ vectors, weighted.sum(axis=1)[:, None]
    return np.asarray(np.divide(sums, totals, out=np.zeros_like(sums), where=totals > 0), np.float32)
