"""The merge rule, against a plain statement of it, and what it promises."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from doc2vecc.cluster.merging import Delta, ExchangedTable, Update, merge, merge_updates


def delta_of(changes, dim=3):
    """{row: value} -> a delta whose rows have that value everywhere."""
    rows = np.array(sorted(changes), np.int64)
    return Delta(rows, np.array([[changes[row]] * dim for row in rows], np.float32).reshape(-1, dim))


def merge_rows(*rows):
    """Merge deltas of a single row."""
    return merge([Delta(np.array([7]), np.array([row], np.float32)) for row in rows]).values[0]


def plain_merge(first, second):
    """Row by row, as the docstring of the module says."""
    found = {}
    a, b = (dict(zip(*one, strict=True)) for one in (first, second))
    for row in sorted(a.keys() | b.keys()):
        if row in a and row in b:
            dot, square_a, square_b = a[row] @ b[row], a[row] @ a[row], b[row] @ b[row]
            found[row] = (1 - dot / (2 * square_a)) * a[row] + (1 - dot / (2 * square_b)) * b[row]
        else:
            found[row] = a.get(row, b.get(row))
    return found


@pytest.mark.parametrize(("counts", "dim"), [((9, 9), 4), ((20, 1), 1), ((1, 20), 9), ((0, 5), 3), ((5, 0), 3)])
def test_two_deltas_are_merged_row_by_row(counts, dim):
    generator = np.random.default_rng(0)
    chosen = [np.sort(generator.choice(20, count, replace=False)) for count in counts]
    deltas = [Delta(rows, generator.normal(size=(len(rows), dim)).astype(np.float32)) for rows in chosen]
    merged, expected = merge(deltas), plain_merge(*deltas)
    assert merged.rows.tolist() == list(expected)
    np.testing.assert_allclose(merged.values, [*expected.values()], rtol=1e-4, atol=1e-5)


@given(st.integers(1, 9))
def test_what_all_have_learned_alike_is_learned_once_and_what_one_has_learned_is_kept(workers):
    deltas = [delta_of({0: 2.0, 1 + number: 5.0}) for number in range(workers)]
    merged = merge(deltas)
    assert merged.rows.tolist() == list(range(workers + 1))
    np.testing.assert_allclose(merged.values[0], 2.0, rtol=1e-5)
    np.testing.assert_array_equal(merged.values[1:], 5.0)


def test_different_directions_add_up_and_opposite_ones_cancel():
    axes = np.eye(4, dtype=np.float32)
    merged = merge([Delta(np.array([7]), axes[number : number + 1]) for number in range(4)])
    np.testing.assert_allclose(merged.values, [[1, 1, 1, 1]])
    np.testing.assert_allclose(merge_rows([3.0, 1.0], [-3.0, -1.0]), [0, 0], atol=1e-6)


def test_a_row_that_moved_nowhere_is_no_division_by_zero():
    np.testing.assert_array_equal(merge_rows([0.0, 0.0], [1.0, 2.0]), [1, 2])
    np.testing.assert_array_equal(merge_rows([1.0, 2.0], [0.0, 0.0]), [1, 2])


def test_workers_and_driver_agree_bit_by_bit_after_an_exchange():
    generator = np.random.default_rng(1)
    driver = generator.normal(size=(50, 8)).astype(np.float32)
    padded = [np.zeros((60, 16), np.float32) for _ in range(3)]  # a worker has more rows and columns than are sent
    for table in padded:
        table[:50, :8] = driver
    workers = [ExchangedTable(table[:50, :8]) for table in padded]
    for _ in range(4):
        for worker in workers:
            rows = generator.choice(50, 20, replace=False)
            worker.table[rows] += generator.normal(size=(20, 8)).astype(np.float32)
        deltas = [worker.changes() for worker in workers]
        assert [len(delta.rows) for delta in deltas] == [20] * 3
        merged = merge_updates([Update(delta, delta) for delta in deltas]).outputs
        driver[merged.rows] += merged.values
        for worker, table in zip(workers, padded, strict=True):
            worker.receive(merged)
            np.testing.assert_array_equal(table[:50, :8], driver)
            assert len(worker.changes().rows) == 0
    assert not any(table[50:].any() or table[:, 8:].any() for table in padded)


def test_the_bytes_that_are_sent_are_those_of_changed_rows():
    table = ExchangedTable(np.zeros((1000, 4), np.float32))
    table.table[[3, 500]] = 1
    assert table.changes().nbytes == 2 * (8 + 4 * 4)
