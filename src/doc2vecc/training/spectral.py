"""The spectral start: word vectors from latent semantic analysis.

A document of latent semantic analysis is a weighted mean of word vectors, as a document of Doc2VecC is. So its solution
is a point of the model: word vector = idf * right singular vector of the tf-idf matrix. Training from there needs fewer
epochs. The singular vectors come from subspace iteration over the encoded corpus; the matrix is never made.
"""

from concurrent.futures import ThreadPoolExecutor
from itertools import pairwise

import numpy as np
import numpy.typing as npt

from doc2vecc.corpus.encoded import EncodedCorpus
from doc2vecc.kernels.base.rows import Table
from doc2vecc.kernels.training.loop import Documents
from doc2vecc.kernels.training.spectral import SpectralScratch, add_products, count_documents

ITERATIONS = 4
LENGTH = 1.0  # mean length of the vectors of words
_LEAST = 1e-6  # share of the largest eigenvalue: directions below it are noise


def set_spectral_start(inputs: Table, corpus: EncodedCorpus, dim: int, workers: int = 1) -> None:
    """Replace the random vectors of the first rows of a table, one per word of the corpus, by spectral ones.

    Where documents span fewer than ``dim`` directions, the other dimensions keep their random values.
    """
    documents = Documents(corpus.ids, corpus.offsets)
    shares = _shares(corpus, workers)
    idf = _idf(documents, shares, len(corpus.vocabulary))
    words = inputs[: len(corpus.vocabulary)]
    vectors = words.copy()
    n_directions = 0
    for _ in range(ITERATIONS):
        vectors, n_directions = _orthonormal(_products(documents, shares, idf, vectors), dim)
    vectors *= idf[:, None]
    length = np.linalg.norm(vectors, axis=1).mean(dtype=np.float64)
    if n_directions and length > 0:
        words[:, :n_directions] = vectors[:, :n_directions] * np.float32(LENGTH / length)


def _shares(corpus: EncodedCorpus, workers: int) -> list[tuple[int, int]]:
    """Cut the documents into one share per worker, of about equally many words."""
    wanted = np.linspace(0, int(corpus.offsets[-1]), workers + 1)[1:-1]
    bounds = [0, *np.searchsorted(corpus.offsets, wanted).tolist(), len(corpus)]
    return list(pairwise(bounds))


def _scratch(documents: Documents, n_words: int, columns: int) -> SpectralScratch:
    longest = int(np.diff(documents.offsets).max())
    return SpectralScratch(
        np.zeros(n_words, np.int32), np.empty(longest, np.uint32), np.zeros((1, columns), np.float32)
    )


def _idf(documents: Documents, shares: list[tuple[int, int]], n_words: int) -> npt.NDArray[np.float32]:
    """Return the inverse document frequency of every word: ln((1 + documents) / (1 + documents with the word)) + 1."""
    frequencies = np.zeros(n_words, np.int64)
    scratch = _scratch(documents, n_words, 8)
    for first, last in shares:
        count_documents(documents, first, last, frequencies, scratch)
    n_documents = len(documents.offsets) - 1
    return (np.log((1 + n_documents) / (1 + frequencies)) + 1).astype(np.float32)


def _products(
    documents: Documents, shares: list[tuple[int, int]], idf: npt.NDArray[np.float32], vectors: Table
) -> Table:
    """Return A' A vectors; each worker sums over its share, and the sums are added in order."""

    def work(share: tuple[int, int]) -> Table:
        products = np.zeros_like(vectors)
        add_products(documents, *share, idf, vectors, products, _scratch(documents, len(idf), vectors.shape[1]))
        return products

    work((0, 0))  # compiles here: a pool cannot be interrupted at it
    if len(shares) == 1:
        return work(shares[0])
    with ThreadPoolExecutor(len(shares)) as pool:
        first, *others = pool.map(work, shares)
    for other in others:
        first += other
    return first


def _orthonormal(vectors: Table, dim: int) -> tuple[Table, int]:
    """Make the columns orthonormal, those of large eigenvalues first -> vectors, and how many directions there are."""
    inside = vectors[:, :dim].astype(np.float64)
    values, rotation = np.linalg.eigh(inside.T @ inside)
    order = np.argsort(values)[::-1]
    values, rotation = values[order], rotation[:, order]
    n_directions = int(np.count_nonzero(values > _LEAST**2 * max(values[0], 1e-300)))
    result = np.zeros_like(vectors)
    scales = rotation[:, :n_directions] / np.sqrt(values[:n_directions])
    result[:, :n_directions] = inside @ scales
    return result, n_directions
