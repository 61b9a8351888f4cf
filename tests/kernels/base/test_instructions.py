"""Instructions: compiled, they do what their Python says."""

import numba
import numpy as np
import pytest

from doc2vecc.kernels.base import instructions
from doc2vecc.kernels.base.compile import kernel
from doc2vecc.kernels.base.instructions import LANES, lanes_at, no_lanes, put_lanes, sum_of_lanes

CHECKS_BOUNDS = bool(numba.config.DISABLE_JIT or numba.config.BOUNDSCHECK)


@kernel
def scaled_dot_product(table, first, second, factor):
    total = no_lanes(table)
    for column in range(0, table.shape[1], LANES):
        total = total + lanes_at(table, first, column) * lanes_at(table, second, column)
        put_lanes(table, first, column, factor * lanes_at(table, first, column))
    return sum_of_lanes(total)


@kernel
def load_lanes(table, row, column):
    return sum_of_lanes(lanes_at(table, row, column))


@kernel
def clear_lanes(table, row, column):
    put_lanes(table, row, column, no_lanes(table))


@kernel
def load_word(text, position):
    return instructions.load_word(text, position)


@kernel
def trailing_zeros(word):
    return instructions.trailing_zeros(word)


@kernel
def prefetch(table, row):
    instructions.prefetch_row(table, row, 0)
    instructions.prefetch_row_to_l2(table, row, 64)


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_lanes(dtype):
    compiled = np.random.default_rng(0).normal(size=(4, 3 * LANES)).astype(dtype)
    interpreted = compiled.copy()
    expected = compiled[1] @ compiled[3]
    moved = compiled.copy()
    moved[1] *= dtype(0.3)
    plain = getattr(scaled_dot_product, "py_func", scaled_dot_product)
    assert scaled_dot_product(compiled, 1, 3, 0.3) == pytest.approx(expected, rel=1e-5)
    assert plain(interpreted, 1, 3, 0.3) == pytest.approx(expected, rel=1e-5)
    np.testing.assert_allclose(compiled, moved, rtol=1e-6)
    np.testing.assert_allclose(interpreted, moved, rtol=1e-6)


def test_eight_bytes_are_loaded_from_any_position():
    text = np.random.default_rng(0).integers(256, size=20).astype(np.uint8)
    for position in range(12):
        expected = instructions.load_word(text, position)
        assert load_word(text, position) == expected == int.from_bytes(bytes(text[position : position + 8]), "little")


def test_loads_and_stores_outside_of_an_array_are_errors_where_bounds_are_checked():
    table, text = np.zeros((4, 2 * LANES), np.float32), np.zeros(20, np.uint8)
    places = ((4, 0), (-1, 0), (0, LANES + 1), (0, -1), (3, 2 * LANES))
    calls = [lambda place=place: instructions.lanes_at(table, *place) for place in places]
    calls += [lambda place=place: instructions.put_lanes(table, *place, np.zeros(LANES)) for place in places]
    calls += [lambda position=position: instructions.load_word(text, position) for position in (13, -1, 20)]
    if CHECKS_BOUNDS:
        calls += [lambda place=place: load_lanes(table, *place) for place in places]
        calls += [lambda place=place: clear_lanes(table, *place) for place in places]
        calls += [lambda position=position: load_word(text, position) for position in (13, -1, 20)]
    for call in calls:
        with pytest.raises(IndexError):
            call()
    assert load_lanes(table, 3, LANES) == 0
    assert load_word(text, 12) == 0


def test_trailing_zeros():
    for bit in range(64):
        word = np.uint64(1 << bit | 1 << 63)
        assert trailing_zeros(word) == instructions.trailing_zeros(word) == bit
    assert trailing_zeros(np.uint64(0)) == instructions.trailing_zeros(np.uint64(0)) == 64


def test_prefetching_outside_of_a_table_is_harmless():
    table = np.arange(6.0).reshape(2, 3)
    for row in (0, 1, 2, -1, 1 << 40):
        prefetch(table, row)
        assert instructions.prefetch_row(table, row, 0) is instructions.prefetch_row_to_l2(table, row, 0) is None
    np.testing.assert_array_equal(table, np.arange(6.0).reshape(2, 3))
