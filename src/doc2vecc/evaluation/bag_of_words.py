"""tf-idf vectors: what is in a document without any learning, hence what learned vectors have to beat."""

from __future__ import annotations

from collections.abc import Callable
from itertools import chain
from typing import Any, NamedTuple

import numpy as np
from scipy import sparse

from doc2vecc.corpus.encoded import encode
from doc2vecc.corpus.sources import read_texts
from doc2vecc.evaluation.checking import EvaluationError

MIN_DOCUMENTS = 2  # a word of a single document tells nothing about another one


class BagsOfWords(NamedTuple):
    """Sparse vectors of length one of the training and of the test documents, a column for every word."""

    train: sparse.csr_array
    test: sparse.csr_array


def tfidf_vectors(
    train_texts: Any,  # noqa: ANN401
    test_texts: Any,  # noqa: ANN401
    *,
    tokenizer: Callable[[str], list[str]] | None = None,
    workers: int = 1,
) -> BagsOfWords:
    """Count words and weigh them by their inverse document frequency, both by what the training texts have.

    Texts are whatever :func:`doc2vecc.corpus.sources.read_texts` reads, tokens those of the built-in rule or of
    ``tokenizer``. Words that are in fewer than two training texts are left out.

    >>> bags = tfidf_vectors(["a good film", "a good plot", "a dull plot"], ["a good old film"])
    >>> bags.train.shape, bags.test.nnz  # a, good, plot
    ((3, 3), 2)
    """
    from sklearn.feature_extraction.text import TfidfTransformer

    train, test = read_texts(train_texts), read_texts(test_texts)
    corpus = encode(chain(train.texts(), test.texts()), tokenizer=tokenizer, workers=workers)
    ones = np.ones(len(corpus.ids), np.float32)
    shape = (len(corpus), len(corpus.vocabulary))
    counts = sparse.csr_array((ones, corpus.ids, corpus.offsets), shape=shape, copy=True)
    counts.sum_duplicates()
    n_train = train.report.documents
    documents = np.bincount(counts[:n_train].indices, minlength=shape[1])
    is_known = documents >= MIN_DOCUMENTS
    if not is_known.any():
        raise EvaluationError(
            f"no word is in {MIN_DOCUMENTS} of the {n_train:,} training documents; tf-idf needs more or longer ones"
        )
    known = counts[:, np.flatnonzero(is_known)]
    weights = TfidfTransformer().fit(known[:n_train])
    return BagsOfWords(*(sparse.csr_array(weights.transform(part)) for part in (known[:n_train], known[n_train:])))
