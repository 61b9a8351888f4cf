"""What several have learned of the same rows becomes one change of them: the merge rule, and the deltas of a cluster.

A delta is what a worker of a cluster has changed. It finds its changes (:func:`find_changes`), the driver adds up those
of all workers (:func:`add_two`) and scales the sums (:func:`scale_sums`), and everyone takes them
(:func:`take_changes`). ``copies.py`` uses the same rule for the shares of a reproducible training.
"""

from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from doc2vecc.kernels.base.compile import inlined, kernel
from doc2vecc.kernels.base.rows import Rates, Table


class Delta(NamedTuple):
    """Changes of some rows of a table; the rows are in order, each once."""

    rows: npt.NDArray[np.int64]
    values: Table
    squares: npt.NDArray[np.float32]  # the squared length of each change; of a sum of changes, the sum of theirs

    @property
    def nbytes(self) -> int:
        """Bytes that are sent."""
        return int(self.rows.nbytes + self.values.nbytes + self.squares.nbytes)

    def first(self, count: int) -> "Delta":
        """Return the changes of the first rows."""
        return Delta(self.rows[:count], self.values[:count], self.squares[:count])


def room_for(rows: int, dim: int) -> Delta:
    """Allocate a delta of so many rows."""
    return Delta(np.empty(rows, np.int64), np.empty((rows, dim), np.float32), np.empty(rows, np.float32))


@inlined
def change_scale(squares: float, square_of_sum: float, caution: float) -> float:
    """Return what the sum of changes is multiplied by: 1 is their sum; if they are alike, 1 / n is their mean.

    Changes that have nothing to do with each other add up: squares = square_of_sum. Those who have gone the same way,
    each by itself, have made about the same steps: squares = square_of_sum / n. The sum of them would overshoot if
    the row has been updated often; ``caution``, from 0 to 1, says how often.
    """
    excess = max(square_of_sum / max(squares, 1e-30) - 1.0, 0.0)
    return 1.0 / (1.0 + caution * excess)


@kernel
def find_changes(table: Table, base: Table, found: Delta) -> int:
    """Write the rows of a table that differ from ``base`` into a delta with room for all -> how many they are."""
    end = 0
    for row in range(base.shape[0]):
        square = base.dtype.type(0)
        for column in range(found.values.shape[1]):
            change = table[row, column] - base[row, column]
            found.values[end, column] = change
            square += change * change
        if square != 0:  # NaN is a change too
            found.rows[end] = row
            found.squares[end] = square
            end += 1
    return end


@inlined
def copy_change(delta: Delta, place: int, total: Delta, end: int) -> None:
    """Take the change of a row that only one of the two has changed."""
    total.rows[end] = delta.rows[place]
    total.squares[end] = delta.squares[place]
    for column in range(delta.values.shape[1]):
        total.values[end, column] = delta.values[place, column]


@kernel
def add_two(first: Delta, second: Delta, total: Delta) -> int:
    """Add the changes of two up, in a delta with room for the rows of both -> how many rows it has."""
    place = other = end = 0
    while place < first.rows.shape[0] and other < second.rows.shape[0]:
        if first.rows[place] < second.rows[other]:
            copy_change(first, place, total, end)
            place += 1
        elif second.rows[other] < first.rows[place]:
            copy_change(second, other, total, end)
            other += 1
        else:
            total.rows[end] = first.rows[place]
            total.squares[end] = first.squares[place] + second.squares[other]
            for column in range(total.values.shape[1]):
                total.values[end, column] = first.values[place, column] + second.values[other, column]
            place += 1
            other += 1
        end += 1
    while place < first.rows.shape[0]:
        copy_change(first, place, total, end)
        place += 1
        end += 1
    while other < second.rows.shape[0]:
        copy_change(second, other, total, end)
        other += 1
        end += 1
    return end


@kernel
def scale_sums(total: Delta, cautions: Rates) -> None:
    """Multiply the sum of the changes of each row by what the merge rule says; there is a caution for every row."""
    for place in range(total.rows.shape[0]):
        square = total.values.dtype.type(0)
        for column in range(total.values.shape[1]):
            square += total.values[place, column] * total.values[place, column]
        scale = total.values.dtype.type(change_scale(total.squares[place], float(square), cautions[total.rows[place]]))
        for column in range(total.values.shape[1]):
            total.values[place, column] *= scale


@kernel
def take_changes(merged: Delta, base: Table, table: Table) -> None:
    """base += the merged changes; the rows that have changed become those of ``base``."""
    for place in range(merged.rows.shape[0]):
        row = merged.rows[place]
        for column in range(merged.values.shape[1]):
            value = base[row, column] + merged.values[place, column]
            base[row, column] = value
            table[row, column] = value
