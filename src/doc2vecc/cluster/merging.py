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

Matrix = npt.NDArray[np.float32]

_ROWS_AT_ONCE = 1 << 12  # some megabytes, which stay in the cache


class Delta(NamedTuple):
    """Changes of some rows of a table; the rows are in order, each once."""

    rows: npt.NDArray[np.int64]
    values: Matrix

    @property
    def nbytes(self) -> int:
        """Bytes that are sent."""
        return int(self.rows.nbytes + self.values.nbytes)


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


def merge_updates(updates: Sequence[Update]) -> Update:
    """Merge the changes of both tables, at the same time: the workers wait."""
    with ThreadPoolExecutor(2) as pool:
        return Update(*pool.map(merge, zip(*updates, strict=True)))


def _merge_two(first: Delta, second: Delta) -> Delta:
    rows = np.union1d(first.rows, second.rows)
    values = np.zeros((len(rows), first.values.shape[1]), np.float32)
    in_first, in_second = (np.isin(rows, delta.rows, assume_unique=True) for delta in (first, second))
    places, others = np.cumsum(in_first) - 1, np.cumsum(in_second) - 1  # of a row among those of each
    for start in range(0, len(rows), _ROWS_AT_ONCE):
        some = slice(start, start + _ROWS_AT_ONCE)
        both = in_first[some] & in_second[some]
        for is_own, delta, numbers in ((in_first[some], first, places[some]), (in_second[some], second, others[some])):
            values[some][is_own & ~both] = delta.values[numbers[is_own & ~both]]
        values[some][both] = adaptive_sum(first.values[places[some][both]], second.values[others[some][both]])
    return Delta(rows, values)


def adaptive_sum(first: Matrix, second: Matrix) -> Matrix:
    """Add rows that are orthogonal, average rows that are equal.

    >>> right, up = np.array([[2, 0]], np.float32), np.array([[0, 2]], np.float32)
    >>> adaptive_sum(right, up).tolist(), adaptive_sum(right, right).tolist()
    ([[2.0, 2.0]], [[2.0, 0.0]])
    """
    common = np.einsum("ij,ij->i", first, second)
    return _shortened(first, common) + _shortened(second, common)


def _shortened(values: Matrix, common: npt.NDArray[np.float32]) -> Matrix:
    """Take half of the part along another delta from each row; ``common`` is the product with that delta."""
    squares = np.einsum("ij,ij->i", values, values)
    halves = np.divide(common, 2 * squares, out=np.zeros_like(common), where=squares > 0)
    return np.asarray((1 - halves)[:, None] * values, np.float32)
