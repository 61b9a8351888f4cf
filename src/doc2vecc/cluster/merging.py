"""The merge rule: what several workers have learned of the same tables becomes one change of them.

Every worker trains its own copy of the tables for a while. Its change of a row, its delta, is what it has learned of a
word. Two deltas of one row are added where they point into different directions, and averaged where they point into
the same one: then both workers have learned the same, and taking that step twice would lead too far. In between, each
is shortened by half of its part along the other (adaptive summation, Maleki et al. 2020):

    merged(a, b) = (1 - a.b / (2 a.a)) a + (1 - a.b / (2 b.b)) b

A row that only one worker has changed, such as that of a rare word, takes its delta as it is.
"""

from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from doc2vecc.corpus.text_column import read_only
from doc2vecc.kernels.training.deltas import Delta, merge_two

Matrix = npt.NDArray[np.float32]

_ROWS_AT_ONCE = 1 << 12  # some megabytes, which stay in the cache


class Update(NamedTuple):
    """Changes of both tables."""

    inputs: Delta
    outputs: Delta

    @property
    def nbytes(self) -> int:
        """Bytes that are sent."""
        return self.inputs.nbytes + self.outputs.nbytes


class ExchangedTable:
    """A table that a worker trains, and what it was at the last exchange.

    >>> table = np.zeros((3, 2), np.float32)
    >>> exchanged = ExchangedTable(table)
    >>> table[1] = 5
    >>> exchanged.changes().rows.tolist()
    [1]
    """

    def __init__(self, table: Matrix) -> None:
        self.table = table  # a view of what is trained
        self._base = table.copy()

    def changes(self) -> Delta:
        """Return what has changed since the last exchange."""
        rows, values = [np.empty(0, np.int64)], [self.table[:0]]
        for start in range(0, len(self.table), _ROWS_AT_ONCE):
            change = self.table[start : start + _ROWS_AT_ONCE] - self._base[start : start + _ROWS_AT_ONCE]
            changed = np.flatnonzero(np.einsum("ij,ij->i", change, change))
            rows.append(start + changed)
            values.append(change[changed])
        return Delta(np.concatenate(rows), np.concatenate(values))

    def receive(self, merged: Delta) -> None:
        """Take the merged changes of all workers in place of the own ones, which are part of them."""
        self._base[merged.rows] += merged.values
        self.table[merged.rows] = self._base[merged.rows]


def merge(deltas: Sequence[Delta]) -> Delta:
    """Merge the deltas of all workers, two neighbors at a time, in a tree; the order decides nothing but rounding.

    >>> one = Delta(np.array([0, 1]), np.array([[2.0, 0.0], [0.0, 1.0]], np.float32))
    >>> two = Delta(np.array([0, 2]), np.array([[2.0, 0.0], [0.0, 3.0]], np.float32))
    >>> merge([one, two]).rows.tolist(), merge([one, two]).values.tolist()
    ([0, 1, 2], [[2.0, 0.0], [0.0, 1.0], [0.0, 3.0]])
    """
    waiting = list(deltas)
    while len(waiting) > 1:
        pairs = zip(waiting[::2], waiting[1::2], strict=False)
        odd = waiting[len(waiting) - len(waiting) % 2 :]
        waiting = [_merge_two(*pair) for pair in pairs] + odd
    return waiting[0]


def load_kernels(dim: int) -> None:
    """Compile them, or load them, before workers wait for a merge."""
    nothing = Delta(np.empty(0, np.int64), np.empty((0, dim), np.float32))
    merge([nothing, nothing])


def merge_updates(updates: Sequence[Update]) -> Update:
    """Merge the changes of both tables, at the same time: the workers wait."""
    with ThreadPoolExecutor(2) as pool:
        return Update(*pool.map(merge, zip(*updates, strict=True)))


def _merge_two(first: Delta, second: Delta) -> Delta:
    most = len(first.rows) + len(second.rows)
    merged = Delta(np.empty(most, np.int64), np.empty((most, first.values.shape[1]), np.float32))
    one, other = (Delta(read_only(delta.rows), read_only(delta.values)) for delta in (first, second))
    count = merge_two(one, other, merged)
    return Delta(merged.rows[:count], merged.values[:count])
