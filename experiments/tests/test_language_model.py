"""The recurrent language model: gradients of the kernel, probabilities, learning by heart, determinism."""

import numpy as np
import pytest

from doc2vecc_paper.neural.language_model import RnnLanguageModel, partition_by_frequency, scratch_for
from doc2vecc_paper.neural.language_model_kernel import Weights, run_text

WORDS = np.array([3, 1, 6, 2, 3, 1, 0], np.int32)  # the end has the id 0
PARTITION = partition_by_frequency(np.array([40, 30, 8, 6, 3, 2, 1]), 3)
ORDER = 3
TEXTS = [
    "a good film", "a great film, good", "good and great", "so good", "great great fun",
    "a bad film", "an awful film, bad", "bad and awful", "so bad", "awful awful bore",
]  # fmt: skip
LABELS = np.repeat([1, 0], 5)


def random_weights(seed=0, hidden=4):
    draw = np.random.default_rng(seed)
    rows = (7, hidden, len(PARTITION.starts) - 1, 7)
    return Weights(*(draw.normal(size=(count, hidden)) for count in rows), draw.normal(size=64) * 0.3)


def loss(weights, words=WORDS, block=10, alpha=0.0, max_gradient=1e9):
    scratch = scratch_for(weights, PARTITION, block, ORDER, max_gradient)
    return run_text(words, weights, PARTITION, scratch, np.float64(alpha), 0)


@pytest.mark.parametrize("name", Weights._fields)
def test_a_step_follows_the_gradient(name):
    """A tiny step divided by the learning rate is the gradient, by central differences of the same kernel."""
    alpha, width = 1e-7, 1e-5
    before, after = random_weights(), random_weights()
    loss(after, alpha=alpha)
    stepped = (getattr(before, name) - getattr(after, name)) / alpha
    expected = np.zeros_like(stepped)
    for place in np.ndindex(*stepped.shape):
        values = []
        for sign in (1, -1):
            weights = random_weights()
            getattr(weights, name)[place] += sign * width
            values.append(loss(weights))
        expected[place] = (values[0] - values[1]) / (2 * width)
    assert np.abs(expected).max() > 0.01
    np.testing.assert_allclose(stepped, expected, atol=2e-5)


def test_back_propagation_stops_at_the_block():
    """With blocks of one step the state before counts as given, so recurrent weights get another step."""
    steps = []
    for block in (10, 1):
        weights = random_weights()
        loss(weights, block=block, alpha=1e-7)
        steps.append((random_weights().recurrent - weights.recurrent) / 1e-7)
    assert not np.allclose(*steps, atol=1e-3)
    assert loss(random_weights(), block=1) == pytest.approx(loss(random_weights(), block=10)), "the same likelihood"


def test_gradients_that_explode_are_clipped():
    """The states stay at a half, where the slope of a sigmoid is 1/4: a step back multiplies the gradient by ten."""
    steps = []
    for max_gradient in (1e9, 15.0):
        weights = random_weights()
        weights.recurrent[:] = 40 * np.eye(4)
        weights.inputs[:] = -20
        weights.inputs[0] = 0  # the end comes before the first word, with an empty state
        before = weights.recurrent.copy()
        loss(weights, WORDS, alpha=0.1, max_gradient=max_gradient)
        steps.append(np.abs(weights.recurrent - before).max())
    assert steps[0] > 100
    assert steps[1] <= 0.1 * 15 / 4 * len(WORDS), "a state is at most 1"


def test_probabilities_add_up_to_one():
    weights = random_weights()
    begin = loss(weights, WORDS[:3])
    following = [np.exp(begin - loss(weights, np.append(WORDS[:3], word).astype(np.int32))) for word in range(7)]
    assert sum(following) == pytest.approx(1)
    assert max(following) < 0.99


def test_order_of_words_matters_up_to_the_order_of_ngrams():
    weights = random_weights()
    for table in weights[:4]:
        table[:] = 0  # n-grams alone
    ends = [np.array(words, np.int32) for words in ([1, 2, 3, 4], [5, 2, 3, 4], [5, 6, 3, 4])]
    last = [loss(weights, words) - loss(weights, words[:3]) for words in ends]
    assert last[0] == pytest.approx(last[1]), "the third word back is too far"
    assert last[1] != pytest.approx(last[2])


def test_classes_of_words_are_ranges():
    partition = partition_by_frequency(np.array([900, 100, 9, 4, 4, 1, 1, 1]), 4)
    assert partition.starts[0] == 0
    assert partition.starts[-1] == 8
    assert (np.diff(partition.starts) > 0).all()
    for number, (start, stop) in enumerate(zip(partition.starts[:-1], partition.starts[1:], strict=True)):
        assert (partition.of_word[start:stop] == number).all()


def small(**settings):
    defaults = {"vector_size": 8, "word_classes": 4, "table_bits": 12, "min_count": 1, "random_state": 0}
    return RnnLanguageModel(**{**defaults, **settings})


def test_learns_ten_texts_by_heart():
    model = small(alpha=0.1, full_epochs=3).fit(TEXTS, LABELS)
    assert model.predict(TEXTS).tolist() == LABELS.tolist()
    for history in model.histories_:
        assert history[-1].loss < history[0].loss
        assert [epoch.alpha for epoch in history][:5] == pytest.approx([0.1, 0.1, 0.1, 0.05, 0.025])
    assert model.classes_.tolist() == [0, 1]


def test_a_batch_equals_its_single_texts_and_workers_do_not_matter():
    model = small(workers=2).fit(TEXTS, LABELS)
    texts = ["a good bore", "", "unknown words"]
    together = model.log_likelihood(texts)
    assert together.shape == (3, 2)
    np.testing.assert_array_equal(together, np.concatenate([model.log_likelihood([text]) for text in texts]))
    np.testing.assert_array_equal(together, small(workers=1).fit(TEXTS, LABELS).log_likelihood(texts))
    assert not np.array_equal(together, small(random_state=1).fit(TEXTS, LABELS).log_likelihood(texts))
