"""The production update, gradient-checked in float64 and compared with the plain statement of the method."""

import numpy as np
import pytest

from doc2vecc.kernels.base.instructions import LANES
from doc2vecc.kernels.base.rows import Tables
from doc2vecc.kernels.training.settings import Learning
from doc2vecc.kernels.training.start import workspace
from doc2vecc.kernels.training.update import document_step_gain, move_survivors, sum_survivors, update_block
from doc2vecc.kernels.training.workspace import BLOCK, add_local_word, add_target, open_context
from doc2vecc.reference import Block, block_loss, block_step

WORDS = 14
DIM = LANES  # rows are whole multiples of that
EVERYTHING = Learning(np.ones(40, np.float32), has_document=True, moves_words=True)
DAMPED = Learning(np.linspace(0.5, 16, 40).astype(np.float32), clips_steps=True)

# Ids differ from positions. Word 3 is in a window and survives; word 5 is target twice; a local context is empty,
# one holds a word twice; negative sample 9 is the target of one prediction and must not count there, but it counts
# for the two others that are made from the document alone.
BLOCK_OF_ALL_KINDS = Block(
    [(5, [3, 7]), (9, []), (5, [2, 2, 11, 8]), (12, [5]), (4, []), (0, [13, 1, 3, 10, 4]), (4, [])],
    negatives=[9, 6, 1],
    survivors=[3, 8, 5, 3],
    weight=0.4,
)


@pytest.fixture
def tables():
    generator = np.random.default_rng(0)
    return generator.normal(size=(WORDS, DIM)), generator.normal(size=(WORDS, DIM))


def filled_workspace(inputs, block):
    """Return the workspace of a block and its number of contexts."""
    work = workspace(inputs, negative=len(block.negatives), window=5, longest=50)
    work.survivors[: len(block.survivors)] = block.survivors
    work.negative_rows[:] = block.negatives
    open_context(work, 0)
    n_contexts = 1
    for target, local in block.predictions:
        context = 0
        if local:
            context = n_contexts
            n_contexts += 1
            open_context(work, context)
        add_target(work, context, target)
        for word in local:
            add_local_word(work, context, word)
    return work, n_contexts


def step(inputs, outputs, block=BLOCK_OF_ALL_KINDS, alpha=1.0, learning=EVERYTHING, update=update_block):
    work, n_contexts = filled_workspace(inputs, block)
    n_survivors = len(block.survivors)
    sum_survivors(inputs, work, n_survivors, block.weight)
    gain = document_step_gain(work, n_survivors, block.weight, learning.rates)
    loss = update(Tables(inputs, outputs), work, n_contexts, alpha, gain, learning)
    move_survivors(inputs, work, n_survivors, block.weight, learning.rates)
    return loss


def numerical_gradient(tables, table_number, epsilon=1e-5):
    gradient = np.zeros_like(tables[table_number])
    for place in np.ndindex(gradient.shape):
        losses = []
        for sign in (1, -1):
            moved = [table.copy() for table in tables]
            moved[table_number][place] += sign * epsilon
            losses.append(block_loss(*moved, BLOCK_OF_ALL_KINDS))
        gradient[place] = (losses[0] - losses[1]) / (2 * epsilon)
    return gradient


def test_step_is_the_gradient_of_the_loss(tables):
    moved = [table.copy() for table in tables]
    loss = step(*moved)
    assert loss == pytest.approx(block_loss(*tables, BLOCK_OF_ALL_KINDS), rel=1e-5)
    for number in (0, 1):
        expected = -numerical_gradient(tables, number)
        assert np.abs(expected).max() > 0.1
        np.testing.assert_allclose(moved[number] - tables[number], expected, atol=2e-5)


@pytest.mark.parametrize(
    "wrong", [{"negatives": [9, 6]}, {"survivors": [3, 8, 5]}, {"weight": 0.44}], ids=lambda wrong: next(iter(wrong))
)
def test_the_gradient_check_can_fail(tables, wrong):
    moved = [table.copy() for table in tables]
    step(*moved, BLOCK_OF_ALL_KINDS._replace(**wrong))
    assert np.abs(moved[0] - tables[0] + numerical_gradient(tables, 0)).max() > 1e-3


@pytest.mark.parametrize("negative", [1, 2, 5, 7, 12])
@pytest.mark.parametrize("members", [1, 3, BLOCK])
def test_any_number_of_negative_samples_and_predictions(negative, members):
    generator = np.random.default_rng(negative * 10 + members)
    inputs, outputs = generator.normal(size=(2, 40, 3 * LANES)) * 0.3
    predictions = [
        (int(generator.integers(40)), generator.integers(40, size=generator.integers(6)).tolist())
        for _ in range(members)
    ]
    negatives = generator.choice(40, negative, replace=False).tolist()
    block = Block(predictions, negatives, generator.integers(40, size=9).tolist(), 0.4)
    expected = [inputs.copy(), outputs.copy()]
    block_step(*expected, block, 0.3)
    step(inputs, outputs, block, alpha=0.3)
    np.testing.assert_allclose(inputs, expected[0], atol=2e-5)
    np.testing.assert_allclose(outputs, expected[1], atol=2e-5)


@pytest.mark.parametrize("learning", [EVERYTHING, DAMPED])
def test_compiled_equals_interpreted(tables, learning):
    compiled, interpreted = [table.copy() for table in tables], [table.copy() for table in tables]
    loss = step(*compiled, learning=learning)
    assert step(
        *interpreted, update=getattr(update_block, "py_func", update_block), learning=learning
    ) == pytest.approx(loss, rel=1e-12)
    for number in (0, 1):
        np.testing.assert_allclose(compiled[number], interpreted[number], atol=1e-12)


@pytest.mark.parametrize("learning", [EVERYTHING, DAMPED])
def test_float32_agrees_with_float64(tables, learning):
    double, single = [table.copy() for table in tables], [table.astype(np.float32) for table in tables]
    assert step(*single, learning=learning) == pytest.approx(step(*double, learning=learning), rel=1e-4)
    for number in (0, 1):
        np.testing.assert_allclose(single[number], double[number], atol=1e-4)


def test_without_survivors_and_local_words_nothing_moves():
    inputs, outputs = np.ones((2, 6, LANES))
    loss = step(inputs, outputs, Block([(2, [])], [3, 4], [], 0.4))
    assert loss == pytest.approx(3 * np.log(2), rel=1e-5)
    assert np.all(inputs == 1)
    assert np.all(outputs == 1)


def test_without_a_document_the_context_is_the_mean_of_the_local_words():
    """Word2Vec: with one local word for every target, CBOW and the plain statement of skip-gram agree."""
    inputs, outputs = np.random.default_rng(5).normal(size=(2, WORDS, DIM))
    moved = [inputs.copy(), outputs.copy()]
    block = Block([(5, [3, 7, 7]), (9, [1]), (2, [8, 4])], [9, 6, 1], [], 0.4)
    loss = step(*moved, block, learning=EVERYTHING._replace(has_document=False))
    expected = [inputs.copy(), outputs.copy()]
    expected_loss = word2vec_step(*expected, block.predictions, block.negatives)
    assert loss == pytest.approx(expected_loss, rel=1e-5)
    for number in (0, 1):
        np.testing.assert_allclose(moved[number], expected[number], atol=2e-5)


def word2vec_step(inputs, outputs, predictions, negatives):
    """One step on the mean of the local words alone, all gradients taken before anything moves."""
    loss, moves = 0.0, []
    for target, local in predictions:
        hidden = inputs[local].mean(axis=0)
        for word, label in [(target, 1.0), *((word, 0.0) for word in negatives if word != target)]:
            probability = 1 / (1 + np.exp(-outputs[word] @ hidden))
            loss -= np.log(probability if label else 1 - probability)
            step_size = label - probability
            moves += [(inputs, place, step_size * outputs[word] / len(local)) for place in local]
            moves.append((outputs, word, step_size * hidden))
    for table, row, move in [(table, row, move.copy()) for table, row, move in moves]:
        table[row] += move
    return loss


def test_frozen_words_stay_and_the_document_moves(tables):
    moved = [table.copy() for table in tables]
    frozen = EVERYTHING._replace(moves_words=False)
    document_row = 13
    block = Block([(5, [3, 7]), (9, [])], [9, 6, 1], [document_row], 0.4)
    step(*moved, block, learning=frozen)
    learned = [table.copy() for table in tables]
    step(*learned, block)
    np.testing.assert_array_equal(moved[1], tables[1])
    np.testing.assert_array_equal(moved[0][:document_row], tables[0][:document_row])
    np.testing.assert_allclose(moved[0][document_row], learned[0][document_row], atol=1e-12)
    assert np.abs(moved[0][document_row] - tables[0][document_row]).max() > 0.01


@pytest.mark.parametrize("length", [0.1, 1, 10])
def test_rates_and_clipping_equal_the_plain_statement(tables, length):
    """In every context, with no, some and all steps clipped."""
    inputs, outputs = length * tables[0], tables[1]
    rates = DAMPED.rates[:WORDS].astype(np.float64)
    expected, moved = [inputs.copy(), outputs.copy()], [inputs.copy(), outputs.copy()]
    block_step(*expected, BLOCK_OF_ALL_KINDS, 0.3, rates)
    step(*moved, alpha=0.3, learning=DAMPED)
    for number in (0, 1):
        np.testing.assert_allclose(moved[number], expected[number], atol=1e-4)


def test_clipped_steps_do_not_diverge(tables):
    def last_loss(clips_steps):
        moved = [3 * table for table in tables]
        for _ in range(40):
            loss = step(*moved, alpha=1.0, learning=EVERYTHING._replace(clips_steps=clips_steps))
        return loss

    first = block_loss(*(3 * table for table in tables), BLOCK_OF_ALL_KINDS)
    assert last_loss(clips_steps=True) < first / 10
    assert last_loss(clips_steps=False) > first / 2


def test_every_row_moves_at_its_own_rate(tables):
    rates = np.linspace(0.5, 2, WORDS).astype(np.float32)
    alike, moved = [table.copy() for table in tables], [table.copy() for table in tables]
    step(*alike, alpha=0.01)
    step(*moved, alpha=0.01, learning=DAMPED._replace(rates=rates))
    for number in (0, 1):
        expected = tables[number] + rates[:, None].astype(np.float64) * (alike[number] - tables[number])
        np.testing.assert_allclose(moved[number], expected, atol=1e-12)
