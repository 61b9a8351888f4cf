"""Cosine similarity, the k largest, exact search in blocks: used by everything that compares vectors or words."""

import difflib
import re
from collections.abc import Iterable
from itertools import islice
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from doc2vecc.config import require
from doc2vecc.errors import ParameterError, UnknownWordError

Vectors = npt.NDArray[np.float32]

_SCORES_AT_ONCE = 1 << 24  # similarities held in memory during a search
_QUERIES_AT_ONCE = 256  # at least, so that the corpus is normalized and multiplied in few passes
_CHUNK = 64  # scores of which only the largest is looked at first
_MAX_COMPARED_SPELLINGS = 20_000  # of words with the same first letter: a fraction of a second


SIGNS = {"+": 1, "-": -1}  # of the terms of a sum


class Similar(NamedTuple):
    """For every query the indices of the nearest vectors, nearest first, and their cosine similarities."""

    indices: npt.NDArray[np.int64]
    similarities: Vectors


class NearestRows:
    """The ``k`` nearest of all vectors that were added, for every query; ties in the order in which they came."""

    def __init__(self, queries: Vectors, k: int) -> None:
        self._queries = normalized(np.asarray(queries, np.float32))
        self._k = k
        self.n_rows = 0
        self.found = Similar(np.empty((len(queries), 0), np.int64), np.empty((len(queries), 0), np.float32))

    def add(self, vectors: Vectors, *, are_unit: bool = False) -> None:
        """Compare more vectors; their indices continue those of the vectors before. Unit vectors need no scaling."""
        step = max(1, _SCORES_AT_ONCE // max(len(self._queries), 1))
        for start in range(0, len(vectors), step):
            block = np.asarray(vectors[start : start + step], np.float32)
            block = block if are_unit else normalized(block)
            similarities = self._queries @ block.T
            best = top_k(similarities, min(self._k, len(block)))
            found = Similar(self.n_rows + best, np.take_along_axis(similarities, best, 1))
            if self.n_rows:
                indices = np.hstack([self.found.indices, found.indices])
                similarities = np.hstack([self.found.similarities, found.similarities])
                best = top_k(similarities, min(self._k, indices.shape[1]))
                found = Similar(np.take_along_axis(indices, best, 1), np.take_along_axis(similarities, best, 1))
            self.found = found
            self.n_rows += len(block)


def count_zero_rows(vectors: Iterable[Vectors]) -> int:
    """Return how many rows are zero, in all parts of a matrix: documents without a known word."""
    return sum(len(part) - int(np.count_nonzero(part.any(axis=1))) for part in vectors)


def nearest(query_vectors: Vectors, corpus_vectors: Vectors, k: int = 10) -> Similar:
    """Find the ``k`` vectors of largest cosine similarity for every query: exact, ties in order of index.

    >>> nearest(np.array([[1.0, 0.1]]), np.array([[0.0, 2.0], [3.0, 0.0], [0.0, 0.0]]), 2).indices.tolist()
    [[1, 0]]
    """
    require("k", k, whole=True, low=1)
    dim = query_vectors.shape[1]
    if corpus_vectors.ndim != 2 or corpus_vectors.shape[1] != dim:
        shape = corpus_vectors.shape
        raise ParameterError(f"corpus_vectors of shape {shape} do not fit; they must be (n, {dim})")
    k = min(k, len(corpus_vectors))
    found = Similar(np.empty((len(query_vectors), k), np.int64), np.empty((len(query_vectors), k), np.float32))
    step = max(_QUERIES_AT_ONCE, _SCORES_AT_ONCE // max(len(corpus_vectors), 1))
    for start in range(0, len(query_vectors), step):
        best = NearestRows(query_vectors[start : start + step], k)
        best.add(corpus_vectors)
        found.indices[start : start + step], found.similarities[start : start + step] = best.found
    return found


def normalized(vectors: Vectors) -> Vectors:
    """Scale rows to length one; a zero row stays zero.

    >>> normalized(np.array([[3.0, 4.0], [0.0, 0.0]])).tolist()
    [[0.6, 0.8], [0.0, 0.0]]
    """
    norms = np.linalg.norm(vectors, axis=1, keepdims=True)
    unit: Vectors = np.divide(vectors, norms, out=np.zeros_like(vectors), where=norms > 0)
    return unit


def top_k(scores: Vectors, k: int) -> npt.NDArray[np.int64]:
    """Return the columns of the ``k`` largest scores of every row, largest first, ties in order of column."""
    best = np.empty((len(scores), k), np.int64)
    n_chunks = scores.shape[1] // _CHUNK
    for number, row in enumerate(scores):
        # The k-th largest of the chunks' maxima is a lower bound of the k-th largest score, and found far sooner.
        few = row[: n_chunks * _CHUNK].reshape(_CHUNK, n_chunks).max(axis=0) if n_chunks >= k else row
        # Partitioning the columns would pick any of the scores that equal the last one taken.
        least = np.partition(few, -k)[-k] if k else np.inf
        candidates = np.flatnonzero(row >= least)
        best[number] = candidates[np.argsort(-row[candidates], kind="stable")[:k]]
    return best


def close_spellings(word: str, known: Iterable[str]) -> list[str]:
    """Find up to three words that are spelled alike and share the first letter; ``known`` is sorted by frequency.

    >>> close_spellings("actr", ["the", "actor", "actors", "act"])
    ['actor', 'act', 'actors']
    """
    candidates = (other for other in known if other[:1] == word[:1] and abs(len(other) - len(word)) <= 2)
    return difflib.get_close_matches(word, islice(candidates, _MAX_COMPARED_SPELLINGS), n=3)


def signed_terms(expression: str) -> list[tuple[int, str]]:
    """Read terms, of one or more words, joined by + and -, which stand apart.

    >>> signed_terms("king - man + woman"), signed_terms("not good"), signed_terms("film - -")
    ([(1, 'king'), (-1, 'man'), (1, 'woman')], [(1, 'not good')], [(1, 'film'), (-1, '-')])
    """
    parts = [" ".join(part.split()) for part in re.split(r"(?<!\S)([+-])(?!\S)", expression) if part.strip()]
    terms, sign, is_awaited = [], 1, True
    for part, following in zip(parts, [*parts[1:], "+"], strict=False):
        if part in SIGNS and not (is_awaited and following in SIGNS):  # else it is the token itself
            sign, is_awaited = SIGNS[part], True
        else:
            terms.append((sign, part))
            is_awaited = False
    if not terms:
        raise UnknownWordError(f"{expression!r} holds no word; give one, or several joined by + and -")
    return terms
