import numpy as np
import pytest

from doc2vecc.kernels.base.random import seed_state
from doc2vecc.kernels.base.sampling import alias_table, gap_table
from doc2vecc.kernels.training.contexts import (
    Rows,
    corruption_weight,
    draw_survivors,
    draw_window,
    subsample_document,
)
from doc2vecc.kernels.training.loop import MAX_DOCUMENT_STEP, Chunk, merge_private_rows, stable_alpha, train_chunk
from doc2vecc.kernels.training.spans import CBOW, CORRUPTED, SKIPGRAM, Samplers, Settings, span_length
from doc2vecc.kernels.training.workspace import Learning, workspace
from doc2vecc.reference import train_corpus

SHARED_ROWS = Rows(0, 0)


def settings(**changes):
    base = Settings(
        CBOW, CORRUPTED, Learning(np.ones(1_000, np.float32)), 1_000, 1_000, 3, 0.4, 0.3, 8, 0.2, 0.01, np.uint64(7)
    )
    return base._replace(**changes)


def test_the_rate_is_lower_only_where_a_document_would_run_away():
    assert stable_alpha(0.1, 23, 1 / 23) == 0.1
    assert stable_alpha(0.25, 1, 2.0) == pytest.approx(MAX_DOCUMENT_STEP / 4)
    assert stable_alpha(0.25, 0, 2.0) == 0.25


def samplers(n_words, keep, stay=None):
    weights = np.arange(n_words, 0, -1.0)
    return Samplers(alias_table(weights), gap_table(keep), np.empty(0, np.float32) if stay is None else stay)


def random_state(name=0):
    state = np.zeros(2, np.uint64)
    seed_state(state, np.uint64(name), 0, 0)
    return state


def corpus(n_words=15, lengths=(9, 1, 0, 23, 8), seed=1):
    generator = np.random.default_rng(seed)
    documents = [generator.integers(n_words, size=length).tolist() for length in lengths]
    ids = np.array([word for document in documents for word in document], np.int32)
    return documents, ids, np.cumsum([0, *lengths])


def run(inputs, outputs, ids, offsets, draw, setting, chunk=None, rows=SHARED_ROWS, negative=4):
    subsampling = draw.stay.shape[0] > 0
    work = workspace(inputs, negative=negative, window=setting.window, longest=len(ids), subsampling=subsampling)
    chunk = chunk or Chunk(0, len(ids), 0, 2, 5, 0.25, 0.01)
    return train_chunk(inputs, outputs, ids, offsets, draw, setting, chunk, rows, work)


@pytest.mark.parametrize("document_only", [0.4, 1.0])
@pytest.mark.parametrize("shared_targets", [1, 3, 8])
def test_features_that_are_not_predicted_only_stand_for_the_document(shared_targets, document_only):
    setting = settings(shared_targets=shared_targets, n_predicted=9, document_only=document_only)
    documents, ids, offsets = corpus()
    draw = samplers(9, setting.keep)
    generator = np.random.default_rng(3)
    inputs, outputs = generator.normal(size=(2, 15, 8)) * 0.5
    before, expected = (inputs.copy(), outputs.copy()), [inputs.copy(), outputs.copy()]
    chunk = Chunk(0, len(ids), 0, 2, 5, 0.25, 0.01)
    expected_loss = train_corpus(*expected, documents, draw, setting, 4, chunk)
    loss, targets = run(inputs, outputs, ids, offsets, draw, setting, chunk)
    assert targets == np.count_nonzero(ids < 9) < len(ids)
    assert loss == pytest.approx(expected_loss)
    np.testing.assert_allclose(inputs, expected[0])
    np.testing.assert_allclose(outputs, expected[1])
    np.testing.assert_array_equal(outputs[9:], before[1][9:])
    assert not np.array_equal(inputs[9:], before[0][9:])


@pytest.mark.parametrize("is_damped", [False, True])
@pytest.mark.parametrize("shared_targets", [1, 3, 8])
def test_a_whole_chunk_equals_the_plain_statement_with_the_same_draws(shared_targets, is_damped):
    learning = Learning(np.linspace(0.5, 16, 15).astype(np.float32) if is_damped else np.ones(15), is_damped)
    setting = settings(shared_targets=shared_targets, learning=learning)
    documents, ids, offsets = corpus()
    draw = samplers(15, setting.keep)
    generator = np.random.default_rng(3)
    inputs, outputs = generator.normal(size=(2, 15, 8)) * 0.5
    expected = [inputs.copy(), outputs.copy()]
    chunk = Chunk(0, len(ids), 0, 2, 5, 0.25, 0.01)
    expected_loss = train_corpus(*expected, documents, draw, setting, 4, chunk)
    loss, targets = run(inputs, outputs, ids, offsets, draw, setting, chunk)
    assert targets == len(ids)
    # The loss of the compiled loop takes scores beyond 16 for 16, and rows of 16 times the rate go as far as that.
    assert loss == pytest.approx(expected_loss, rel=0.01 if is_damped else 1e-5)
    np.testing.assert_allclose(inputs, expected[0], atol=1e-4)
    np.testing.assert_allclose(outputs, expected[1], atol=1e-4)
    assert np.abs(inputs - np.random.default_rng(3).normal(size=(2, 15, 8))[0] * 0.5).max() > 0.01


def test_the_mean_of_corrupted_sums_is_the_document_mean():
    words = np.random.default_rng(0).integers(30, size=40).astype(np.int32)
    vectors = np.random.default_rng(1).normal(size=(30, 3))
    state, keep, repeats = random_state(), 0.2, 20_000
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


def test_every_word_survives_independently_with_probability_keep():
    words = np.arange(50, dtype=np.int32)
    state, gaps, survivors = random_state(4), gap_table(0.1), np.empty(50, np.int32)
    survived = np.zeros((8_000, 50))
    for repeat in range(len(survived)):
        count = draw_survivors(state, gaps, words, SHARED_ROWS, survivors)
        survived[repeat, survivors[:count]] = 1
    assert np.all(np.abs(survived.mean(axis=0) - 0.1) < 5 * np.sqrt(0.09 / len(survived)))
    correlation = np.corrcoef(survived.T) - np.eye(50)
    assert np.abs(correlation).max() < 6 / np.sqrt(len(survived))


def test_all_words_survive_when_keep_is_one():
    words = np.array([4, 4, 2], np.int32)
    survivors = np.empty(3, np.int32)
    assert draw_survivors(random_state(), gap_table(1.0), words, SHARED_ROWS, survivors) == 3
    assert survivors.tolist() == [4, 4, 2]


def test_a_million_words_are_not_cut():
    words = np.zeros(1_000_000, np.int32)
    survivors = np.empty(len(words), np.int32)
    count = draw_survivors(random_state(), gap_table(0.1), words, SHARED_ROWS, survivors)
    assert abs(count - 100_000) < 5 * np.sqrt(90_000)


def test_window_reaches_both_sides_and_stays_inside():
    state = random_state()
    reaches = {draw_window(state, 10, 100, 3) for _ in range(200)}
    assert reaches == {(9, 12), (8, 13), (7, 14)}
    assert {draw_window(state, 0, 2, 5) for _ in range(50)} == {(0, 2)}


def test_long_documents_share_a_corruption_for_longer():
    assert span_length(settings(keep=0.1), 230) == 8
    assert span_length(settings(keep=0.1), 2_400) == 80
    assert span_length(settings(shared_targets=1), 10**6) == 1


def test_thinning_drops_frequent_words_only_and_moves_the_bounds():
    words = np.tile(np.array([0, 1], np.int32), 5_000)
    stay = np.array([0.25, 1.0], np.float32)
    subsampled = np.empty(len(words), np.int32)
    length, first, last = subsample_document(random_state(), words, stay, 0, len(words), subsampled)
    assert np.count_nonzero(subsampled[:length] == 1) == 5_000
    assert abs(np.count_nonzero(subsampled[:length] == 0) - 1_250) < 5 * np.sqrt(5_000 * 0.25 * 0.75)
    assert (first, last) == (0, length)
    length, first, last = subsample_document(random_state(), words, np.ones(2, np.float32), 40, 100, subsampled)
    assert (length, first, last) == (10_000, 40, 100)


@pytest.mark.parametrize("architecture", [CBOW, SKIPGRAM])
def test_chunks_of_one_document_cover_it_once(architecture):
    _, ids, offsets = corpus(lengths=(100,))
    inputs, outputs = np.zeros((2, 15, 8), np.float32)
    setting = settings(architecture=architecture)
    parts = [Chunk(start, start + 30 if start < 90 else 100, 0, 0, start, 0.0, 0.0) for start in (0, 30, 60, 90)]
    targets = [run(inputs, outputs, ids, offsets, samplers(15, 0.3), setting, chunk)[1] for chunk in parts]
    assert targets == [30, 30, 30, 10]


def test_skipgram_predicts_from_one_word_and_the_document():
    """Two words and no corruption: by hand, each predicts the other, (u_other + mean) / 2."""
    ids, offsets = np.array([0, 1], np.int32), np.array([0, 2])
    setting = settings(architecture=SKIPGRAM, keep=1.0, document_only=0.0, window=1, final_alpha=0.2)
    draw = Samplers(alias_table(np.array([0.0, 0.0, 1.0])), gap_table(1.0), np.empty(0, np.float32))
    generator = np.random.default_rng(5)
    inputs, outputs = generator.normal(size=(2, 3, 8))
    from doc2vecc.reference import block_loss, block_step

    expected = [inputs.copy(), outputs.copy()]
    block = [(0, [1]), (1, [0])], [2], [0, 1], 0.5
    expected_loss = block_loss(*expected, *block)
    block_step(*expected, *block, 0.2)
    loss, _ = run(inputs, outputs, ids, offsets, draw, setting, negative=1)
    assert loss == pytest.approx(expected_loss, rel=1e-5)
    np.testing.assert_allclose(inputs, expected[0], atol=1e-5)
    np.testing.assert_allclose(outputs, expected[1], atol=1e-5)


def test_private_rows_give_the_same_step_as_shared_ones():
    _, ids, offsets = corpus()
    draw, setting = samplers(15, 0.3), settings()
    first = np.random.default_rng(0).normal(size=(2, 15, 8)).astype(np.float32)
    shared = first.copy()
    run(*shared, ids, offsets, draw, setting)
    rows = Rows(hot=6, private=15)
    private = np.concatenate([first, np.zeros((2, 6, 8), np.float32)], axis=1)
    snapshots = np.zeros((2, 6, 8), np.float32)
    for table, snapshot in zip(private, snapshots, strict=True):
        merge_private_rows(table, snapshot, rows, rows.hot)
    run(*private, ids, offsets, draw, setting, rows=rows)
    np.testing.assert_array_equal(private[:, :6], first[:, :6])  # nothing shared moves before the merge
    for table, snapshot in zip(private, snapshots, strict=True):
        merge_private_rows(table, snapshot, rows, rows.hot)
    np.testing.assert_allclose(private[:, :15], shared, atol=1e-5)
