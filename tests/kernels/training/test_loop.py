"""The whole loop, against the plain statement of the method with the same draws."""

import numpy as np
import pytest

from doc2vecc.kernels.base.rows import Tables
from doc2vecc.kernels.training.contexts import Rows
from doc2vecc.kernels.training.loop import (
    MAX_DOCUMENT_STEP,
    Chunk,
    Documents,
    merge_private_rows,
    stable_alpha,
    train_chunk,
)
from doc2vecc.kernels.training.settings import CBOW, CORRUPTED, SKIPGRAM, Learning, Samplers, Settings
from doc2vecc.kernels.training.spans import span_length
from doc2vecc.kernels.training.start import alias_table, gap_table
from doc2vecc.reference import Block, block_loss, block_step
from doc2vecc.training.start import workspace
from tests.kernels.replay import train_documents

NEGATIVE = 4
SHARED_ROWS = Rows(0, 0)
WHOLE = Chunk(0, 41, 0, 2, 5, 0.25, 0.01)


def settings(**changes):
    base = Settings(
        CBOW, CORRUPTED, Learning(np.ones(1_000, np.float32)), 1_000, 1_000, 3, 0.4, 0.3, 8, 0.2, 0.01, np.uint64(7)
    )
    return base._replace(**changes)


def samplers(n_words, keep):
    return Samplers(alias_table(np.arange(n_words, 0, -1.0)), gap_table(keep), np.empty(0, np.float32))


def corpus(n_words=15, lengths=(9, 1, 0, 23, 8)):
    generator = np.random.default_rng(1)
    texts = [generator.integers(n_words, size=length).tolist() for length in lengths]
    ids = np.array([word for words in texts for word in words], np.int32)
    return texts, Documents(ids, np.cumsum([0, *lengths]))


def run(tables, documents, draw, setting, chunk=WHOLE, rows=SHARED_ROWS, negative=NEGATIVE):
    work = workspace(tables[0], negative=negative, window=setting.window, longest=len(documents.ids))
    return train_chunk(Tables(*tables), documents, draw, setting, chunk, rows, work)


def first_tables():
    return np.random.default_rng(3).normal(size=(2, 15, 8)) * 0.5


@pytest.mark.parametrize("document_only", [0.4, 1.0])
@pytest.mark.parametrize("shared_targets", [1, 3, 8])
def test_ngrams_that_are_not_predicted_only_stand_for_the_document(shared_targets, document_only):
    setting = settings(shared_targets=shared_targets, n_predicted=9, document_only=document_only)
    texts, documents = corpus()
    draw = samplers(9, setting.keep)
    tables, before, expected = first_tables(), first_tables(), first_tables()
    expected_loss = train_documents(*expected, texts, draw, setting, NEGATIVE, WHOLE)
    loss, targets = run(tables, documents, draw, setting)
    assert targets == np.count_nonzero(documents.ids < 9) < len(documents.ids)
    assert loss == pytest.approx(expected_loss)
    np.testing.assert_allclose(tables, expected)
    np.testing.assert_array_equal(tables[1, 9:], before[1, 9:])
    assert not np.array_equal(tables[0, 9:], before[0, 9:])


@pytest.mark.parametrize("clips_steps", [False, True])
@pytest.mark.parametrize("shared_targets", [1, 3, 8])
def test_a_whole_chunk_equals_the_plain_statement_with_the_same_draws(shared_targets, clips_steps):
    rates = np.linspace(0.5, 16, 15).astype(np.float32) if clips_steps else np.ones(15, np.float32)
    setting = settings(shared_targets=shared_targets, learning=Learning(rates, clips_steps))
    texts, documents = corpus()
    draw = samplers(15, setting.keep)
    tables, expected = first_tables(), first_tables()
    expected_loss = train_documents(*expected, texts, draw, setting, NEGATIVE, WHOLE)
    loss, targets = run(tables, documents, draw, setting)
    assert targets == len(documents.ids)
    # The loss of the compiled loop takes scores beyond 16 for 16, and rows at 16 times the rate get that far.
    assert loss == pytest.approx(expected_loss, rel=0.01 if clips_steps else 1e-5)
    np.testing.assert_allclose(tables, expected, atol=1e-4)
    assert np.abs(tables - first_tables()).max() > 0.01


def test_the_learning_rate_is_lower_only_for_documents_of_few_words():
    assert stable_alpha(0.1, 23, 1 / 23) == 0.1
    assert stable_alpha(0.25, 1, 2.0) == pytest.approx(MAX_DOCUMENT_STEP / 4)
    assert stable_alpha(0.25, 0, 2.0) == 0.25


def test_long_documents_share_a_corruption_for_longer():
    assert span_length(settings(keep=0.1), 230) == 8
    assert span_length(settings(keep=0.1), 2_400) == 80
    assert span_length(settings(shared_targets=1), 10**6) == 1


@pytest.mark.parametrize("architecture", [CBOW, SKIPGRAM])
def test_chunks_of_one_document_cover_it_once(architecture):
    _, documents = corpus(lengths=(100,))
    tables = np.zeros((2, 15, 8))
    setting = settings(architecture=architecture)
    chunks = [Chunk(start, min(start + 30, 100), 0, 0, start, 0.0, 0.0) for start in (0, 30, 60, 90)]
    targets = [run(tables, documents, samplers(15, 0.3), setting, chunk)[1] for chunk in chunks]
    assert targets == [30, 30, 30, 10]


def test_skipgram_predicts_from_one_word_and_the_document():
    """Two words and no corruption: by hand, each predicts the other, from (input of the other + mean) / 2."""
    setting = settings(architecture=SKIPGRAM, keep=1.0, document_only=0.0, window=1, final_alpha=0.2)
    draw = Samplers(alias_table(np.array([0.0, 0.0, 1.0])), gap_table(1.0), np.empty(0, np.float32))
    tables = np.random.default_rng(5).normal(size=(2, 3, 8))
    expected = tables.copy()
    block = Block([(0, [1]), (1, [0])], negatives=[2], survivors=[0, 1], weight=0.5)
    expected_loss = block_loss(*expected, block)
    block_step(*expected, block, 0.2)
    documents = Documents(np.array([0, 1], np.int32), np.array([0, 2]))
    loss, _ = run(tables, documents, draw, setting, WHOLE._replace(stop=2), negative=1)
    assert loss == pytest.approx(expected_loss, rel=1e-5)
    np.testing.assert_allclose(tables, expected, atol=1e-5)


def test_private_rows_give_the_same_step_as_shared_ones():
    _, documents = corpus()
    draw, setting = samplers(15, 0.3), settings()
    shared = first_tables()
    run(shared, documents, draw, setting)
    rows = Rows(hot=6, private=15)
    private = np.concatenate([first_tables(), np.zeros((2, 6, 8))], axis=1)
    snapshots = np.zeros((2, 6, 8))
    for table, snapshot in zip(private, snapshots, strict=True):
        merge_private_rows(table, snapshot, rows, rows.hot)
    run(private, documents, draw, setting, rows=rows)
    np.testing.assert_array_equal(private[:, :6], first_tables()[:, :6])  # nothing shared moves before the merge
    for table, snapshot in zip(private, snapshots, strict=True):
        merge_private_rows(table, snapshot, rows, rows.hot)
    np.testing.assert_allclose(private[:, :15], shared, atol=1e-5)
