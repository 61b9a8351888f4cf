"""Machine instructions that Python lacks: vectors of eight values, prefetching, loading eight bytes at once.

Each function below is the plain Python form. It says what the instruction does, and it runs where kernels are not
compiled (``NUMBA_DISABLE_JIT=1``). :mod:`doc2vecc.kernels.base.emission` emits the instruction itself.

Lanes are eight neighboring values of a row in one vector register. A loop over single columns leaves it to the
compiler to find out, for every row anew, whether tables overlap and how many columns are left over. That took more
instructions than the arithmetic. A loop over lanes says what is meant:

    for column in range(0, table.shape[1], LANES):
        put_lanes(table, row, column, lanes_at(table, row, column) + step * lanes_at(other, place, column))

Rows that are read in lanes have a multiple of ``LANES`` columns.

Loads and stores are checked here, and in kernels that are compiled with ``NUMBA_BOUNDSCHECK=1``: an index outside of
its array is an IndexError. Other compiled kernels check nothing.
"""

from typing import Any

import numpy as np
import numpy.typing as npt

Integer = int | np.integer[Any]  # what kernels pass as a count or an index
Values = npt.NDArray[np.floating[Any]]

LANES = 8
WORD = 8  # bytes


def lanes_at(table: Values, row: Integer, column: int) -> Values:
    """Load the values of ``table[row]`` from ``column`` on."""
    _check_inside(table, row, column)
    return table[row, column : column + LANES].copy()


def put_lanes(table: Values, row: Integer, column: int, lanes: Values) -> None:
    """Store the values of ``table[row]`` from ``column`` on."""
    _check_inside(table, row, column)
    table[row, column : column + LANES] = lanes


def no_lanes(table: Values) -> Values:
    """Return zeros of the type of a table, to start a sum with."""
    return np.zeros(LANES, table.dtype)


def sum_of_lanes(lanes: Values) -> Any:  # noqa: ANN401 - a scalar of their type
    """Add the values up."""
    return lanes.sum()


def prefetch_row(table: npt.NDArray[Any], row: Integer, byte: Integer) -> None:
    """Prefetch the cache line with byte number ``byte`` of ``table[row]`` into all levels; never faults."""


def prefetch_row_to_l2(table: npt.NDArray[Any], row: Integer, byte: Integer) -> None:
    """The same past the first level of the cache, which is too small for many rows."""


def load_word(text: npt.NDArray[np.uint8], position: Integer) -> np.uint64:
    """Load the eight bytes of ``text`` from ``position`` on, the first one lowest; all must be inside.

    >>> hex(load_word(np.arange(1, 10, dtype=np.uint8), 1))
    '0x908070605040302'
    """
    if not 0 <= position <= len(text) - WORD:
        raise IndexError(f"no eight bytes at {position} of {len(text)}")
    return np.uint64(int.from_bytes(text[position : position + WORD].tobytes(), "little"))


def trailing_zeros(word: np.uint64) -> Integer:
    """Count the zero bits below the lowest set bit of 64; 64 if none is set.

    >>> int(trailing_zeros(np.uint64(40))), int(trailing_zeros(np.uint64(0)))
    (3, 64)
    """
    bits = int(word)
    return np.int64((bits & -bits).bit_length() - 1 if bits else 64)


def _check_inside(table: Values, row: Integer, column: int) -> None:
    if not (0 <= row < table.shape[0] and 0 <= column <= table.shape[1] - LANES):
        raise IndexError(f"no lanes at row {row}, column {column} of {table.shape}")
