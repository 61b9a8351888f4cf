"""What is drawn for a target: survivors, windows, subsampled documents."""

import numpy as np
import pytest

from doc2vecc.kernels.base.random import seed_state
from doc2vecc.kernels.training.contexts import (
    Rows,
    corruption_weight,
    draw_survivors,
    draw_window,
    row_of,
    subsample_document,
)
from doc2vecc.kernels.training.start import gap_table
from doc2vecc.reference import corrupt

SHARED_ROWS = Rows(0, 0)


@pytest.fixture
def state():
    state = np.zeros(2, np.uint64)
    seed_state(state, np.uint64(4), 0, 0)
    return state


def test_the_mean_of_corrupted_sums_is_the_document_mean(state):
    words = np.random.default_rng(0).integers(30, size=40).astype(np.int32)
    vectors = np.random.default_rng(1).normal(size=(30, 3))
    keep, repeats = 0.2, 20_000
    gaps, survivors = gap_table(keep), np.empty(40, np.int32)
    total, squares = np.zeros(3), np.zeros(3)
    for _ in range(repeats):
        count = draw_survivors(state, gaps, words, SHARED_ROWS, survivors)
        corrupted = corruption_weight(keep, 40) * vectors[survivors[:count]].sum(axis=0)
        total += corrupted
        squares += corrupted**2
    mean = total / repeats
    spread = np.sqrt((squares / repeats - mean**2) / repeats)
    assert np.all(np.abs(mean - vectors[words].mean(axis=0)) < 5 * spread)


def test_every_word_survives_independently_with_probability_keep(state):
    words = np.arange(50, dtype=np.int32)
    gaps, survivors = gap_table(0.1), np.empty(50, np.int32)
    survived = np.zeros((8_000, 50))
    for repeat in range(len(survived)):
        count = draw_survivors(state, gaps, words, SHARED_ROWS, survivors)
        survived[repeat, survivors[:count]] = 1
    assert np.all(np.abs(survived.mean(axis=0) - 0.1) < 5 * np.sqrt(0.09 / len(survived)))
    correlation = np.corrcoef(survived.T) - np.eye(50)
    assert np.abs(correlation).max() < 6 / np.sqrt(len(survived))


def test_occurrences_survive_as_in_the_plain_statement(state):
    """Of a word that occurs 8 times some occurrences survive, not all or none: both have the same distribution."""
    words, keep, repeats = np.array([3] * 8 + [5] * 2, np.int32), 0.3, 5_000
    gaps, survivors = gap_table(keep), np.empty(10, np.int32)
    generator = np.random.default_rng(0)
    ours, plain = np.zeros(9), np.zeros(9)
    for _ in range(repeats):
        count = draw_survivors(state, gaps, words, SHARED_ROWS, survivors)
        ours[np.count_nonzero(survivors[:count] == 3)] += 1 / repeats
        plain[corrupt(generator, words.tolist(), keep).count(3)] += 1 / repeats
    np.testing.assert_allclose(ours, plain, atol=0.035)  # five standard errors of a difference
    assert plain[1:8].sum() > 0.9


def test_all_words_survive_when_keep_is_one(state):
    words = np.array([4, 4, 2], np.int32)
    survivors = np.empty(3, np.int32)
    assert draw_survivors(state, gap_table(1.0), words, SHARED_ROWS, survivors) == 3
    assert survivors.tolist() == [4, 4, 2]


def test_a_million_words_are_not_cut(state):
    words = np.zeros(1_000_000, np.int32)
    survivors = np.empty(len(words), np.int32)
    count = draw_survivors(state, gap_table(0.1), words, SHARED_ROWS, survivors)
    assert abs(count - 100_000) < 5 * np.sqrt(90_000)


def test_survivors_are_private_rows_of_frequent_words(state):
    survivors = np.empty(4, np.int32)
    draw_survivors(state, gap_table(1.0), np.array([0, 4, 5, 99], np.int32), Rows(hot=5, private=1000), survivors)
    assert survivors.tolist() == [1000, 1004, 5, 99]
    assert [row_of(word, Rows(hot=5, private=1000)) for word in (4, 5)] == [1004, 5]


def test_a_window_has_both_sides_and_stays_inside(state):
    assert {draw_window(state, 10, 100, 3) for _ in range(200)} == {(10, 9, 12), (10, 8, 13), (10, 7, 14)}
    assert {draw_window(state, 0, 2, 5) for _ in range(50)} == {(0, 0, 2)}


def test_subsampling_drops_frequent_words_only_and_moves_the_bounds(state):
    words = np.tile(np.array([0, 1], np.int32), 5_000)
    stay = np.array([0.25, 1.0], np.float32)
    subsampled = np.empty(len(words), np.int32)
    length, first, last = subsample_document(state, words, stay, 0, len(words), subsampled)
    assert np.count_nonzero(subsampled[:length] == 1) == 5_000
    assert abs(np.count_nonzero(subsampled[:length] == 0) - 1_250) < 5 * np.sqrt(5_000 * 0.25 * 0.75)
    assert (first, last) == (0, length)
    length, first, last = subsample_document(state, words, np.ones(2, np.float32), 40, 100, subsampled)
    assert (length, first, last) == (10_000, 40, 100)
