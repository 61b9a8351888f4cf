"""Documents compared with each other: those that are nearly the same, and those that are like no other."""

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
import numpy.typing as npt
from scipy.sparse import coo_array
from scipy.sparse.csgraph import connected_components

from doc2vecc.config import require
from doc2vecc.console import ProgressListener, Silent
from doc2vecc.errors import ParameterError
from doc2vecc.similarity import Vectors, nearest, normalized

MOST_PAIRS = 5_000_000
REFERENCE_DOCUMENTS = 50_000  # among which neighbors are looked for
_ROUNDING = 1e-6  # by which the similarity of equal vectors may miss 1
_SCORES_AT_ONCE = 1 << 24
SILENT = Silent()


class Pair(NamedTuple):
    """Two rows, the earlier one first, and their cosine similarity."""

    first: int
    second: int
    similarity: float


def duplicate_pairs(vectors: npt.ArrayLike, above: float = 0.95, progress: ProgressListener = SILENT) -> list[Pair]:
    """Find all pairs of vectors with a similarity of at least ``above``, in order of their rows.

    Of equal vectors the first stands for all: the others are paired with it only. Zero vectors are left out. Every pair
    is compared, so the time grows with the square of the number of vectors.

    >>> duplicate_pairs([[1, 0], [0, 1], [1, 0.01], [2, 0]], 0.95)
    [Pair(first=0, second=2, similarity=0.99995...), Pair(first=0, second=3, similarity=1.0)]
    """
    require("above", above, low=-1, high=1)
    unit = normalized(np.ascontiguousarray(vectors, np.float32))
    there = np.flatnonzero(unit.any(axis=1))
    as_bytes = unit[there].view(np.dtype((np.void, 4 * unit.shape[1]))).ravel()
    _, firsts, copies = np.unique(as_bytes, return_index=True, return_inverse=True)
    first_of = there[firsts[copies.ravel()]]
    pairs = [Pair(int(first), int(row), 1.0) for first, row in zip(first_of, there, strict=True) if first != row]
    rows = np.sort(there[firsts])
    distinct = unit[rows]
    step = max(1, _SCORES_AT_ONCE // max(len(rows), 1))
    for start in range(0, len(rows), step):
        scores = distinct[start : start + step] @ distinct[start:].T
        left, right = np.nonzero(scores >= above - _ROUNDING)
        is_pair = right > left
        left, right = left[is_pair], right[is_pair]
        found = (rows[start + left].tolist(), rows[start + right].tolist(), scores[left, right].tolist())
        pairs += map(Pair, *found)
        if len(pairs) > MOST_PAIRS:
            raise ParameterError(f"more than {MOST_PAIRS:,} pairs have a similarity above {above:g}; raise --above")
        progress.working("comparing", min(1.0, (start + step) / len(rows)))
    return sorted(pairs)


def groups_of(pairs: Sequence[Pair]) -> list[list[int]]:
    """Join pairs that share a row into groups, each in order of rows, the largest group first.

    >>> groups_of([Pair(5, 6, 1.0), Pair(0, 2, 0.96), Pair(2, 4, 0.97)])
    [[0, 2, 4], [5, 6]]
    """
    rows = np.unique([row for pair in pairs for row in pair[:2]]).astype(np.int64)
    first, second = (np.searchsorted(rows, [pair[side] for pair in pairs]) for side in (0, 1))
    links = coo_array((np.ones(len(pairs)), (first, second)), shape=(len(rows), len(rows)))
    n_groups, labels = connected_components(links, directed=False) if len(rows) else (0, np.empty(0, np.int64))
    groups: list[list[int]] = [[] for _ in range(n_groups)]
    for row, label in zip(rows.tolist(), labels.tolist(), strict=True):
        groups[label].append(row)
    return sorted(groups, key=lambda group: (-len(group), group[0]))


def neighbor_similarity(vectors: npt.ArrayLike, neighbors: int = 10, progress: ProgressListener = SILENT) -> Vectors:
    """Return for every vector its mean similarity to its nearest neighbors: low for outliers, 0 for zero vectors.

    Among more than 50,000 vectors, neighbors are looked for in a random sample of so many.

    >>> neighbor_similarity([[1, 0], [1, 0], [0, 1]], 1).tolist()
    [1.0, 1.0, 0.0]
    """
    require("neighbors", neighbors, low=1, whole=True)
    unit = normalized(np.asarray(vectors, np.float32))
    rows = np.flatnonzero(unit.any(axis=1))
    if len(rows) > REFERENCE_DOCUMENTS:
        rows = np.sort(np.random.default_rng(0).choice(rows, REFERENCE_DOCUMENTS, replace=False))
    reference = unit[rows]
    scores = np.zeros(len(unit), np.float32)
    if len(rows) == 0:  # documents without a known word have no neighbors
        return scores
    step = max(256, _SCORES_AT_ONCE // max(len(rows), 1))
    for start in range(0, len(unit), step):
        block = np.arange(start, min(start + step, len(unit)))
        found = nearest(unit[block], reference, min(neighbors + 1, len(rows)))
        is_self = rows[found.indices] == block[:, None]
        is_self[~is_self.any(axis=1), -1:] = True  # not among the nearest: the last is one too many
        others = np.where(is_self, 0, found.similarities).sum(axis=1)
        scores[block] = others / max(found.indices.shape[1] - 1, 1)
        progress.working("comparing", min(1.0, (start + step) / len(unit)))
    return scores


def least_similar(vectors: Vectors, scores: Vectors, k: int) -> list[int]:
    """Return the rows of the ``k`` smallest scores, zero vectors left out.

    >>> least_similar(np.array([[1.0], [0.0], [1.0]]), np.array([0.5, 0.0, 0.25]), 2)
    [2, 0]
    """
    order = np.argsort(scores, kind="stable")
    found: list[int] = order[vectors[order].any(axis=1)][:k].tolist()
    return found
