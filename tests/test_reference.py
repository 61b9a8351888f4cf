"""The plain statement of the method: its step is the gradient of its loss, and it learns."""

import numpy as np
import pytest

from doc2vecc.reference import (
    Block,
    Method,
    block_loss,
    block_step,
    corrupt,
    corruption_weight,
    document_vector,
    draw_local_words,
    stable_alpha,
    train_epoch,
)

BLOCK = Block([(5, [3, 7]), (4, []), (5, [2, 2, 6]), (1, [])], negatives=[1, 6, 5], survivors=[3, 5, 3], weight=0.4)


@pytest.fixture
def tables():
    return list(np.random.default_rng(0).normal(size=(2, 8, 3)))


@pytest.mark.parametrize("number", [0, 1], ids=["inputs", "outputs"])
def test_the_step_is_the_gradient_of_the_loss(tables, number):
    moved = [table.copy() for table in tables]
    block_step(*moved, BLOCK, alpha=1.0)
    gradient = np.zeros_like(tables[number])
    for place in np.ndindex(gradient.shape):
        ahead, behind = ([table.copy() for table in tables] for _ in range(2))
        ahead[number][place] += 1e-5
        behind[number][place] -= 1e-5
        gradient[place] = (block_loss(*ahead, BLOCK) - block_loss(*behind, BLOCK)) / 2e-5
    assert np.abs(gradient).max() > 0.1
    np.testing.assert_allclose(moved[number] - tables[number], -gradient, atol=1e-8)


def test_a_document_is_the_mean_of_its_words_and_of_its_corrupted_copies():
    inputs = np.random.default_rng(1).normal(size=(9, 4))
    words = [0, 3, 3, 8, 1, 5]
    np.testing.assert_allclose(document_vector(inputs, words), inputs[words].mean(axis=0))
    assert document_vector(inputs, []).tolist() == [0, 0, 0, 0]
    generator = np.random.default_rng(2)
    copies = [corruption_weight(0.3, 6) * inputs[corrupt(generator, words, 0.3)].sum(axis=0) for _ in range(4_000)]
    spread = np.std(copies, axis=0) / np.sqrt(len(copies))
    assert np.all(np.abs(np.mean(copies, axis=0) - document_vector(inputs, words)) < 5 * spread)


def test_local_words_stand_around_the_target():
    method, generator = Method(2, 5, 0.1, 0.25, 8, 0.05), np.random.default_rng(0)
    drawn = [tuple(draw_local_words(generator, range(10), 4, method)) for _ in range(2_000)]
    assert set(drawn) == {(), (3, 5), (2, 3, 5, 6)}
    assert drawn.count(()) == pytest.approx(500, abs=100)


def test_clipped_steps_do_not_diverge(tables):
    """Steps so long that every error grows: clipped, they still lower the loss."""

    def last_loss(rates):
        moved = [3 * table for table in tables]
        for _ in range(40):
            block_step(*moved, BLOCK, 2.0, rates)
        return block_loss(*moved, BLOCK)

    first = block_loss(*(3 * table for table in tables), BLOCK)
    assert last_loss(np.ones(8)) < first / 10 < first / 2 < last_loss(None)


def test_the_learning_rate_is_lower_for_documents_of_few_words():
    assert stable_alpha(0.1, BLOCK._replace(survivors=[1] * 23, weight=1 / 23)) == 0.1
    assert stable_alpha(0.25, BLOCK._replace(survivors=[1], weight=2.0)) == pytest.approx(0.025)


def test_training_tells_two_topics_apart():
    """Words 0 to 5 occur in documents of one topic, 6 to 11 in those of the other, 12 in all."""
    generator = np.random.default_rng(0)
    documents = [[12, *(generator.integers(6, size=14) + 6 * (number % 2)).tolist()] for number in range(40)]
    tables = (generator.uniform(-0.05, 0.05, size=(13, 10)), np.zeros((13, 10)))
    method = Method(window=3, negative=5, keep=0.3, document_only=0.5, shared_targets=8, alpha=0.1)
    probabilities = np.bincount(np.concatenate(documents), minlength=13) ** 0.75
    probabilities /= probabilities.sum()
    losses = [train_epoch(tables, documents, probabilities, method, generator) for _ in range(8)]
    assert losses[-1] < 0.9 * losses[0]
    vectors = np.array([document_vector(tables[0], words) for words in documents])
    vectors -= vectors.mean(axis=0)
    agree = (vectors @ vectors.T > 0) == (np.add.outer(range(40), range(40)) % 2 == 0)
    assert agree.mean() > 0.95
