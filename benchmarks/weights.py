"""What a document could be besides the plain mean of its words and n-grams; for benchmarks.quality.

One training, several representations: the rows are those of the model, only their weights in the mean differ.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

import numpy as np
import numpy.typing as npt
from scipy import sparse
from sklearn.feature_extraction.text import TfidfTransformer
from sklearn.preprocessing import normalize

from doc2vecc.baselines.bag_of_words import presence, word_counts
from doc2vecc.baselines.word_vectors import weighted_means
from doc2vecc.corpus.encoding import encode_known
from doc2vecc.corpus.vocabulary import Vocabulary
from doc2vecc.evaluation import Matrix
from doc2vecc.model import Model

Weights = npt.NDArray[np.float64]

MEAN, PRESENCE, UNIT_LENGTH, IDF = "mean", "presence", "unit-length", "idf"

# Ways that weight the rows: the weight of every row of a vocabulary.
OF_ROWS: Mapping[str, Callable[[Vocabulary], Weights]] = {
    "n-grams-twice": lambda vocabulary: words_and_ngrams(vocabulary, 1.0, 2.0),
    "n-grams-half": lambda vocabulary: words_and_ngrams(vocabulary, 1.0, 0.5),
    "n-grams-alone": lambda vocabulary: words_and_ngrams(vocabulary, 0.0, 1.0),
    "words-alone": lambda vocabulary: words_and_ngrams(vocabulary, 1.0, 0.0),
    "count^-0.1": lambda vocabulary: vocabulary.counts**-0.1,
    "count^-0.3": lambda vocabulary: vocabulary.counts**-0.3,
}
REPRESENTATIONS = (MEAN, UNIT_LENGTH, PRESENCE, IDF, *OF_ROWS)


def represented(model: Model, texts: Mapping[str, Any], representation: str) -> dict[str, Matrix]:
    """Embed the texts of each part; document frequencies are those of the part "train"."""
    if representation == MEAN:
        return {name: model.embed(part, 2).vectors for name, part in texts.items()}
    if representation == UNIT_LENGTH:
        return {name: normalize(vectors) for name, vectors in represented(model, texts, MEAN).items()}
    counts = {name: word_counts(encode_known([part], model.vocabulary)) for name, part in texts.items()}
    weights = weights_of(model.vocabulary, counts["train"], representation)
    if representation == PRESENCE or model.binary:
        counts = {name: presence(part) for name, part in counts.items()}
    return {name: weighted_means(part, weights, model.word_vectors) for name, part in counts.items()}


def weights_of(vocabulary: Vocabulary, counts: sparse.csr_array, representation: str) -> Weights:
    """Return the weight of every row of the vocabulary."""
    if representation == IDF:
        return np.asarray(TfidfTransformer().fit(counts).idf_)
    return OF_ROWS[representation](vocabulary) if representation in OF_ROWS else np.ones(len(vocabulary))


def words_and_ngrams(vocabulary: Vocabulary, of_words: float, of_ngrams: float) -> Weights:
    """Return one weight for words and another for n-grams."""
    return np.where(np.arange(len(vocabulary)) < vocabulary.n_words, of_words, of_ngrams)
