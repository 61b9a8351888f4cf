"""The two tables of vectors, and what training and embedding do with their rows.

Tables that are trained have rows padded to a multiple of ``LANES``; a model that was loaded may not.
"""

from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from doc2vecc.kernels.base.compile import inlined
from doc2vecc.kernels.base.instructions import (
    LANES,
    Integer,
    lanes_at,
    no_lanes,
    prefetch_row,
    prefetch_row_to_l2,
    put_lanes,
    sum_of_lanes,
)

Table = npt.NDArray[np.float32]
Rates = npt.NDArray[np.float32]

ROW_NUMBER = np.uint32  # without a sign: Numba spends three instructions on every index that could be negative
RowNumbers = npt.NDArray[np.uint32]

CACHE_LINE = 64


class Tables(NamedTuple):
    """The vectors that are learned: row i of both belongs to the word with id i."""

    inputs: Table  # what contexts and documents are made of; the product of training
    outputs: Table  # what a word is predicted by


@inlined
def add_rows_to(sums: Table, place: int, table: Table, rows: npt.NDArray[np.int32], start: int, stop: int) -> None:
    """sums[place] += the sum of table[rows[start:stop]], four rows in a pass.

    For rows of any length: column by column, so that a sum does not depend on whether its row is padded.
    """
    position = start
    while position + 4 <= stop:
        first, second, third, fourth = rows[position], rows[position + 1], rows[position + 2], rows[position + 3]
        for column in range(table.shape[1]):
            sums[place, column] += (table[first, column] + table[second, column]) + (
                table[third, column] + table[fourth, column]
            )
        position += 4
    while position < stop:
        first = rows[position]
        for column in range(table.shape[1]):
            sums[place, column] += table[first, column]
        position += 1


@inlined
def add_padded_rows_to(sums: Table, place: int, table: Table, rows: RowNumbers, start: int, stop: int) -> None:
    """The same for padded rows."""
    position = start
    while position + 4 <= stop:
        first, second, third, fourth = rows[position], rows[position + 1], rows[position + 2], rows[position + 3]
        for column in range(0, table.shape[1], LANES):
            pair = lanes_at(table, first, column) + lanes_at(table, second, column)
            other = lanes_at(table, third, column) + lanes_at(table, fourth, column)
            put_lanes(sums, place, column, lanes_at(sums, place, column) + (pair + other))
        position += 4
    while position < stop:
        first = rows[position]
        for column in range(0, table.shape[1], LANES):
            put_lanes(sums, place, column, lanes_at(sums, place, column) + lanes_at(table, first, column))
        position += 1


@inlined
def clear_row(table: npt.NDArray[np.floating[Any]], row: int) -> None:
    """table[row] = 0, as a plain loop: an assignment to a slice costs more than the row itself."""
    zero = table.dtype.type(0)
    for column in range(table.shape[1]):
        table[row, column] = zero


@inlined
def clear_padded_row(table: Table, row: int) -> None:
    """The same for a padded row."""
    for column in range(0, table.shape[1], LANES):
        put_lanes(table, row, column, no_lanes(table))


@inlined
def scale_row(table: Table, row: int, factor: float) -> None:
    """table[row] *= factor, for a padded row."""
    for column in range(0, table.shape[1], LANES):
        put_lanes(table, row, column, factor * lanes_at(table, row, column))


@inlined
def square_of_row(table: Table, row: Integer) -> float:
    """Return the squared length of a padded row."""
    square = no_lanes(table)
    for column in range(0, table.shape[1], LANES):
        value = lanes_at(table, row, column)
        square = square + value * value
    return float(sum_of_lanes(square))


@inlined
def move_rows(table: Table, rows: RowNumbers, start: int, stop: int, steps: Table, place: int, rates: Rates) -> None:
    """table[row] += rates[row] * steps[place] for every padded row of rows[start:stop], two rows in a pass.

    A row may come twice.
    """
    position = start
    while position + 2 <= stop:
        first, second = rows[position], rows[position + 1]
        rate_first, rate_second = rates[first], rates[second]  # read once: a loop that writes would read them anew
        for column in range(0, table.shape[1], LANES):
            step = lanes_at(steps, place, column)
            put_lanes(table, first, column, lanes_at(table, first, column) + rate_first * step)
            put_lanes(table, second, column, lanes_at(table, second, column) + rate_second * step)
        position += 2
    if position < stop:
        first = rows[position]
        rate_first = rates[first]
        for column in range(0, table.shape[1], LANES):
            step = rate_first * lanes_at(steps, place, column)
            put_lanes(table, first, column, lanes_at(table, first, column) + step)


@inlined
def prefetch_vector(table: Table, row: Integer) -> None:
    """Prefetch a row that is about to be used; all of it if the table begins at a cache line.

    Two lines in a step, of which the last may be one too many.
    """
    for byte in range(0, table.shape[1] * table.itemsize, 2 * CACHE_LINE):
        prefetch_row(table, row, byte)
        prefetch_row(table, row, byte + CACHE_LINE)


@inlined
def prefetch_vector_to_l2(table: Table, row: Integer) -> None:
    """Prefetch a row that is used after many others, too many for the first level of the cache."""
    row_bytes = table.shape[1] * table.itemsize
    for byte in range(0, row_bytes, CACHE_LINE):
        prefetch_row_to_l2(table, row, byte)
    prefetch_row_to_l2(table, row, row_bytes - 1)  # a row may begin in the middle of a line: one more then
