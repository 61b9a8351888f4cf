"""Rows of tables: what training and embedding do with them alike."""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt

from doc2vecc.kernels.compile import Integer, inlined, prefetch_row

Table = npt.NDArray[np.float32]


@inlined
def add_rows_to(sums: Table, place: int, table: Table, rows: npt.NDArray[np.int32], start: int, stop: int) -> None:
    """sums[place] += the sum of table[rows[start:stop]], four rows in a pass."""
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
def fill(table: npt.NDArray[np.floating[Any]], row: int, value: float) -> None:
    """table[row] = value, as a plain loop: an assignment to a slice costs more than the row itself."""
    number = table.dtype.type(value)
    for column in range(table.shape[1]):
        table[row, column] = number


@inlined
def load_soon(table: Table, row: Integer) -> None:
    """Ask the cache for a row that is about to be used."""
    for line in range((table.shape[1] * table.itemsize + 63) // 64):
        prefetch_row(table, row, line)
