"""The merge rule, against a plain statement of it, and what it promises."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from doc2vecc.cluster.merging import ExchangedTable, Update, apply, merge, merge_updates
from doc2vecc.kernels.training.deltas import Delta
from doc2vecc.training.rounds import cautions_of

FREQUENT, RARE = np.ones(20, np.float32), np.zeros(20, np.float32)


def delta(rows, values):
    """A delta as a worker finds it."""
    values = np.asarray(values, np.float32)
    return Delta(np.asarray(rows, np.int64), values, np.einsum("ij,ij->i", values, values))


def delta_of(changes, dim=3):
    """{row: value} -> a delta whose rows have that value everywhere."""
    rows = sorted(changes)
    return delta(rows, np.array([[changes[row]] * dim for row in rows]).reshape(-1, dim))


def merge_rows(*rows, cautions=FREQUENT):
    """Merge deltas of a single row."""
    return merge([delta([7], [row]) for row in rows], cautions).values[0]


def plain_merge(deltas, cautions):
    """Row by row, as the docstring of the module says."""
    found = {}
    for row in sorted({int(row) for one in deltas for row in one.rows}):
        changes = [one.values[list(one.rows).index(row)].astype(float) for one in deltas if row in one.rows]
        total = sum(changes)
        excess = total @ total / sum(change @ change for change in changes) - 1
        found[row] = total / max(1 + cautions[row] * excess, 1)
    return found


@pytest.mark.parametrize(
    ("counts", "dim"), [((9, 9), 4), ((20, 1), 1), ((1, 20), 9), ((0, 5), 3), ((5, 0), 3), ((9, 12, 0, 15, 7), 4)]
)
def test_deltas_are_merged_row_by_row(counts, dim):
    generator = np.random.default_rng(0)
    chosen = [np.sort(generator.choice(20, count, replace=False)) for count in counts]
    deltas = [delta(rows, generator.normal(size=(len(rows), dim)) + 0.5) for rows in chosen]
    cautions = generator.random(20).astype(np.float32)
    merged, expected = merge(deltas, cautions), plain_merge(deltas, cautions)
    assert merged.rows.tolist() == list(expected)
    np.testing.assert_allclose(merged.values, [*expected.values()], rtol=1e-4, atol=1e-5)


@given(st.integers(1, 9))
def test_of_a_frequent_word_what_all_have_learned_alike_counts_once_of_a_rare_one_all_of_it(workers):
    deltas = [delta_of({0: 2.0, 1 + number: 5.0}) for number in range(workers)]
    for cautions, alike in ((FREQUENT, 2.0), (RARE, 2.0 * workers)):
        merged = merge(deltas, cautions)
        assert merged.rows.tolist() == list(range(workers + 1))
        np.testing.assert_allclose(merged.values[0], alike, rtol=1e-5)
        np.testing.assert_allclose(merged.values[1:], 5.0, rtol=1e-6)  # what one alone has learned


def test_a_word_is_the_more_frequent_the_longer_a_round_is_and_the_shorter_documents_are():
    counts = np.array([5000, 500, 0])
    np.testing.assert_allclose(cautions_of(counts, 550, 1000), [500 / 900, 50 / 450, 0], rtol=1e-6)
    np.testing.assert_allclose(cautions_of(counts, 550, 25), [500 / 550, 50 / 100, 0], rtol=1e-6)
    assert (cautions_of(counts, 5500, 1000)[:2] > cautions_of(counts, 550, 1000)[:2]).all()
    assert cautions_of(np.zeros(3, np.int64), 10, 0).tolist() == [0, 0, 0]


def test_different_directions_add_up_and_opposite_ones_cancel():
    axes = np.eye(4, dtype=np.float32)
    np.testing.assert_allclose(merge_rows(*axes), [1, 1, 1, 1])
    np.testing.assert_allclose(merge_rows([3.0, 1.0], [-3.0, -1.0]), [0, 0], atol=1e-6)


def test_a_row_that_moved_nowhere_is_no_division_by_zero():
    np.testing.assert_array_equal(merge_rows([0.0, 0.0], [1.0, 2.0]), [1, 2])
    np.testing.assert_array_equal(merge_rows([0.0, 0.0], [0.0, 0.0]), [0, 0])


@pytest.mark.parametrize("value", [np.nan, np.inf])
def test_what_is_not_finite_is_a_change_that_shows(value):
    table = np.zeros((5, 8), np.float32)
    exchanged = ExchangedTable(table, 5, 3)
    table[2, 1] = value
    changes = exchanged.changes()
    assert changes.rows.tolist() == [2]
    assert not np.isfinite(merge([changes, changes], FREQUENT).squares).all()


def test_workers_and_driver_agree_bit_by_bit_after_an_exchange():
    generator = np.random.default_rng(1)
    driver = generator.normal(size=(50, 8)).astype(np.float32)
    other, cautions = driver.copy(), generator.random(50).astype(np.float32)
    padded = [np.zeros((60, 16), np.float32) for _ in range(3)]  # a worker has more rows and columns than are sent
    for table in padded:
        table[:50, :8] = driver
    workers = [ExchangedTable(table, 50, 8) for table in padded]
    for _ in range(4):
        for worker in workers:
            rows = generator.choice(50, 20, replace=False)
            worker.table[rows, :8] += generator.normal(size=(20, 8)).astype(np.float32)
        deltas = [worker.changes() for worker in workers]
        assert [len(one.rows) for one in deltas] == [20] * 3
        update = merge_updates([Update(one, one) for one in deltas], cautions)
        apply(update, driver, other)
        merged = update.outputs
        for worker, table in zip(workers, padded, strict=True):
            worker.receive(merged)
            np.testing.assert_array_equal(table[:50, :8], driver)
            assert len(worker.changes().rows) == 0
    assert not any(table[50:].any() or table[:, 8:].any() for table in padded)


def test_the_bytes_that_are_sent_are_those_of_changed_rows():
    table = ExchangedTable(np.zeros((1000, 4), np.float32), 1000, 4)
    table.table[[3, 500]] = 1
    assert table.changes().nbytes == 2 * (8 + 4 * 4 + 4)
