"""Rows of tables: added, scaled, moved."""

import numpy as np
import pytest

from doc2vecc.kernels.base.instructions import LANES
from doc2vecc.kernels.base.rows import (
    add_padded_rows_to,
    add_rows_to,
    clear_padded_row,
    clear_row,
    move_rows,
    scale_row,
    square_of_row,
)


@pytest.mark.parametrize(
    ("add", "columns"), [(add_rows_to, 7), (add_rows_to, 100), (add_padded_rows_to, LANES), (add_padded_rows_to, 104)]
)
def test_rows_are_added(add, columns):
    """Four rows in a pass: with none, one, three left over, and rows that come twice."""
    generator = np.random.default_rng(columns)
    table = generator.normal(size=(9, columns)).astype(np.float32)
    for count in (0, 1, 3, 4, 5, 11):
        rows = generator.integers(9, size=count + 2).astype(np.int32)
        sums = np.ones((2, columns), np.float32)
        add(sums, 1, table, rows, 1, count + 1)
        np.testing.assert_allclose(sums[1], 1 + table[rows[1:-1]].sum(axis=0), atol=1e-5)
        assert np.all(sums[0] == 1)


@pytest.mark.parametrize("rows", [[], [2], [2, 2], [0, 2, 2], [1, 0, 1, 2, 1]])
def test_a_row_that_comes_several_times_moves_several_times(rows):
    table = np.zeros((3, 2 * LANES), np.float32)
    steps = np.arange(2 * LANES, dtype=np.float32)[None]
    rates = np.array([1, 0.5, 2], np.float32)
    move_rows(table, np.array(rows, np.int32), 0, len(rows), steps, 0, rates)
    for row in range(3):
        np.testing.assert_array_equal(table[row], rows.count(row) * rates[row] * steps[0])


def test_one_row_is_changed_and_no_other():
    table = np.ones((3, LANES))
    scale_row(table, 1, 0.25)
    np.testing.assert_array_equal(table, [[1] * LANES, [0.25] * LANES, [1] * LANES])
    assert square_of_row(table, 1) == LANES / 16
    for clear in (clear_row, clear_padded_row):
        table[:] = 1
        clear(table, 1)
        np.testing.assert_array_equal(table, [[1] * LANES, [0] * LANES, [1] * LANES])
