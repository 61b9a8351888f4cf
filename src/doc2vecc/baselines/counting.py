"""Encoded documents as a sparse matrix of counts, and how rare each word is among documents."""

import numpy as np
from scipy import sparse

from doc2vecc.corpus.encoded import EncodedCorpus


def word_counts(corpus: EncodedCorpus) -> sparse.csr_array:
    """Count the words of every document -> (n_documents, n_words) float32.

    >>> from doc2vecc.corpus.vocabulary import Vocabulary
    >>> corpus = EncodedCorpus.of([[1, 0, 1], []], Vocabulary.from_words(["a", "b"], [1, 2]))
    >>> word_counts(corpus).toarray().tolist()
    [[1.0, 2.0], [0.0, 0.0]]
    """
    # The ids are the columns and the offsets the rows already; a copy, because adding up moves them. Most of
    # scikit-learn takes 32-bit offsets only.
    occurrences = np.ones(len(corpus.ids), np.float32)
    offsets = corpus.offsets.astype(sparse.get_index_dtype(maxval=len(corpus.ids)))
    shape = (len(corpus), len(corpus.vocabulary))
    counts = sparse.csr_array((occurrences, corpus.ids, offsets), shape=shape, copy=True)
    counts.sum_duplicates()
    return counts


def presence(counts: sparse.csr_array) -> sparse.csr_array:
    """Return 1 where a word occurs in a document, however often."""
    return sparse.csr_array((np.ones_like(counts.data), counts.indices, counts.indptr), shape=counts.shape)
