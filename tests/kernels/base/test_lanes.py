"""Lanes: compiled, they do what their Python says."""

import numpy as np
import pytest

from doc2vecc.kernels.base.compile import kernel
from doc2vecc.kernels.base.lanes import LANES, lanes_at, no_lanes, put_lanes, sum_of_lanes
from doc2vecc.kernels.base.rows import add_padded_rows_to, add_rows_to, move_rows, scale_row


@kernel
def scaled_dot_product(table, first, second, factor):
    total = no_lanes(table)
    for column in range(0, table.shape[1], LANES):
        total = total + lanes_at(table, first, column) * lanes_at(table, second, column)
        put_lanes(table, first, column, factor * lanes_at(table, first, column))
    return sum_of_lanes(total)


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_compiled_lanes_do_what_their_python_says(dtype):
    compiled = np.random.default_rng(0).normal(size=(4, 3 * LANES)).astype(dtype)
    interpreted = compiled.copy()
    expected = compiled[1] @ compiled[3]
    moved = compiled.copy()
    moved[1] *= dtype(0.3)
    assert scaled_dot_product(compiled, 1, 3, 0.3) == pytest.approx(expected, rel=1e-5)
    assert scaled_dot_product.py_func(interpreted, 1, 3, 0.3) == pytest.approx(expected, rel=1e-5)
    np.testing.assert_allclose(compiled, moved, rtol=1e-6)
    np.testing.assert_allclose(interpreted, moved, rtol=1e-6)


@pytest.mark.parametrize(
    ("add", "columns"),
    [
        *((add_rows_to, columns) for columns in (1, 7, 13, 100)),
        *((add_padded_rows_to, n * LANES) for n in (1, 2, 13)),
    ],
)
@pytest.mark.parametrize("count", [0, 1, 3, 4, 5, 11])
def test_rows_are_added(add, columns, count):
    generator = np.random.default_rng(columns)
    table = generator.normal(size=(9, columns)).astype(np.float32)
    rows = generator.integers(9, size=count).astype(np.int32)
    embedding_scratch = np.ones((2, columns), np.float32)
    add(embedding_scratch, 1, table, rows, 0, count)
    np.testing.assert_allclose(embedding_scratch[1], 1 + table[rows].sum(axis=0), atol=1e-5)
    assert np.all(embedding_scratch[0] == 1)


@pytest.mark.parametrize("rows", [[], [2], [2, 2], [0, 2, 2], [1, 0, 1, 2, 1]])
def test_a_row_that_comes_several_times_moves_several_times(rows):
    table = np.zeros((3, 2 * LANES), np.float32)
    moves = np.arange(2 * LANES, dtype=np.float32)[None]
    rates = np.array([1, 0.5, 2], np.float32)
    move_rows(table, np.array(rows, np.int32), 0, len(rows), moves, 0, rates)
    for row in range(3):
        np.testing.assert_array_equal(table[row], rows.count(row) * rates[row] * moves[0])


def test_a_row_is_scaled_and_no_other():
    table = np.ones((3, LANES))
    scale_row(table, 1, 0.25)
    np.testing.assert_array_equal(table, [[1] * LANES, [0.25] * LANES, [1] * LANES])
