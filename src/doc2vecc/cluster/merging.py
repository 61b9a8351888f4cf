"""The merge rule: what several workers have learned of the same tables becomes one change of them.

Every worker trains its own copy of the tables for a while. Its change of a row, its delta, is what it has learned of a
word. The deltas of a row are added up, and the sum is multiplied by

    1 / (1 + caution * (|sum|² / sum of |delta|² - 1)),  at most 1

Deltas that have nothing to do with each other add up. Deltas in the same direction add up too if the word is rare: each
worker has learned from a few occurrences, and all of them count. They are averaged if it is frequent: then each worker
alone has gone most of the way, and taking it several times would lead too far (:func:`cautions_of`). It is the rule by
which a reproducible training merges its shares (``doc2vecc.training.rounds``).

A row that only one worker has changed takes its delta as it is.
"""

from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from typing import NamedTuple

import numpy as np

from doc2vecc.corpus.text_column import read_only
from doc2vecc.kernels.base.rows import Rates, Table
from doc2vecc.kernels.training.deltas import Delta, add_two, find_changes, room_for, scale_sums, take_changes


class Update(NamedTuple):
    """Changes of both tables."""

    inputs: Delta
    outputs: Delta

    @property
    def nbytes(self) -> int:
        """Bytes that are sent."""
        return self.inputs.nbytes + self.outputs.nbytes


class ExchangedTable:
    """The words of a table that a worker trains, and what they were at the last exchange.

    >>> table = np.zeros((3, 2), np.float32)
    >>> exchanged = ExchangedTable(table, 3, 2)
    >>> table[1] = 5
    >>> exchanged.changes().rows.tolist()
    [1]
    """

    def __init__(self, table: Table, words: int, dim: int) -> None:
        self.table = table  # may have more rows and columns
        self._dim = dim
        self._base = table[:words].copy()

    def changes(self) -> Delta:
        """Return what has changed since the last exchange."""
        found = room_for(len(self._base), self._dim)
        return found.first(find_changes(self.table, self._base, found))

    def receive(self, merged: Delta) -> None:
        """Take the merged changes of all workers in place of the own ones, which are part of them."""
        take_changes(_as_received(merged), self._base, self.table)


def apply(update: Update, inputs: Table, outputs: Table) -> None:
    """Change the tables of the driver."""
    for delta, table in zip(update, (inputs, outputs), strict=True):
        take_changes(_as_received(delta), table, table)


def merge(deltas: Sequence[Delta], cautions: Rates) -> Delta:
    """Merge the deltas of all workers; there is a caution for every row of the table.

    >>> one = Delta(np.array([0, 1]), np.array([[2.0, 0.0], [0.0, 1.0]], np.float32), np.array([4, 1], np.float32))
    >>> two = Delta(np.array([0, 2]), np.array([[2.0, 0.0], [0.0, 3.0]], np.float32), np.array([4, 9], np.float32))
    >>> merged = merge([one, two], np.ones(3, np.float32))
    >>> merged.rows.tolist(), merged.values.tolist()
    ([0, 1, 2], [[2.0, 0.0], [0.0, 1.0], [0.0, 3.0]])
    """
    waiting = list(deltas)
    while len(waiting) > 1:  # two neighbors at a time, in a tree
        pairs = zip(waiting[::2], waiting[1::2], strict=False)
        odd = waiting[len(waiting) - len(waiting) % 2 :]
        waiting = [_add(*pair) for pair in pairs] + odd
    if len(deltas) > 1:
        scale_sums(waiting[0], cautions)
    return waiting[0]


def merge_updates(updates: Sequence[Update], cautions: Rates) -> Update:
    """Merge the changes of both tables, at the same time: the workers wait."""
    with ThreadPoolExecutor(2) as pool:
        return Update(*pool.map(lambda deltas: merge(deltas, cautions), zip(*updates, strict=True)))


def load_kernels(dim: int) -> None:
    """Compile them, or load them, before workers wait for a merge."""
    table, cautions = np.zeros((1, dim), np.float32), np.zeros(1, np.float32)
    exchanged = ExchangedTable(table, 1, dim)
    exchanged.receive(merge([exchanged.changes(), exchanged.changes()], cautions))


def _add(first: Delta, second: Delta) -> Delta:
    total = room_for(len(first.rows) + len(second.rows), first.values.shape[1])
    return total.first(add_two(_as_received(first), _as_received(second), total))


def _as_received(delta: Delta) -> Delta:
    """Return it with arrays that cannot be written, as those of other processes; kernels are compiled for these."""
    return Delta(read_only(delta.rows), read_only(delta.values), read_only(delta.squares))
