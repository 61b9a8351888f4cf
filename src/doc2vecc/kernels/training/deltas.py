"""Merging what two workers of a cluster have learned; ``doc2vecc.cluster.merging`` has the formula and the reason."""

from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from doc2vecc.kernels.base.compile import inlined, kernel


class Delta(NamedTuple):
    """Changes of some rows of a table; the rows are in order, each once."""

    rows: npt.NDArray[np.int64]
    values: npt.NDArray[np.float32]

    @property
    def nbytes(self) -> int:
        """Bytes that are sent."""
        return int(self.rows.nbytes + self.values.nbytes)


@inlined
def copy_change(delta: Delta, place: int, merged: Delta, end: int) -> None:
    """Take the change of a row that only one of two workers has changed."""
    merged.rows[end] = delta.rows[place]
    for column in range(delta.values.shape[1]):
        merged.values[end, column] = delta.values[place, column]


@inlined
def add_adaptively(first: Delta, place: int, second: Delta, other: int, merged: Delta, end: int) -> None:
    """Add two changes of a row: each is shortened by half of its part along the other."""
    own = second_own = common = first.values.dtype.type(0)
    for column in range(first.values.shape[1]):
        value, other_value = first.values[place, column], second.values[other, column]
        own += value * value
        second_own += other_value * other_value
        common += value * other_value
    scale = 1 - common / (2 * own) if own > 0 else 1.0
    other_scale = 1 - common / (2 * second_own) if second_own > 0 else 1.0
    merged.rows[end] = first.rows[place]
    for column in range(first.values.shape[1]):
        merged.values[end, column] = scale * first.values[place, column] + other_scale * second.values[other, column]


@kernel
def merge_two(first: Delta, second: Delta, merged: Delta) -> int:
    """Merge the deltas of two workers into one that has room for the rows of both -> how many rows it has."""
    place = other = end = 0
    while place < first.rows.shape[0] and other < second.rows.shape[0]:
        if first.rows[place] < second.rows[other]:
            copy_change(first, place, merged, end)
            place += 1
        elif second.rows[other] < first.rows[place]:
            copy_change(second, other, merged, end)
            other += 1
        else:
            add_adaptively(first, place, second, other, merged, end)
            place += 1
            other += 1
        end += 1
    while place < first.rows.shape[0]:
        copy_change(first, place, merged, end)
        place += 1
        end += 1
    while other < second.rows.shape[0]:
        copy_change(second, other, merged, end)
        other += 1
        end += 1
    return end
