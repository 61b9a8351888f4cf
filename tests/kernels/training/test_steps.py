import numpy as np

from doc2vecc.kernels.training.steps import SCORE_LIMIT, SIGMOID_ERROR, sigmoid


def test_sigmoid_stays_within_its_stated_error():
    scores = np.concatenate([np.linspace(-40, 40, 200_001), [0.0, 1e-6, -1e-6]]).astype(np.float32)
    exact = 1 / (1 + np.exp(-scores.astype(np.float64)))
    probabilities = np.empty_like(scores)
    sigmoid(scores, probabilities, len(scores))
    assert np.abs(probabilities - exact).max() < SIGMOID_ERROR
    assert np.all(np.diff(probabilities[:-3]) >= -SIGMOID_ERROR)


def test_sigmoid_of_extreme_scores_is_finite():
    scores = np.array([-np.inf, -1e30, 1e30, np.inf], np.float32)
    probabilities = np.empty_like(scores)
    sigmoid(scores, probabilities, 4)
    np.testing.assert_allclose(probabilities, [0, 0, 1, 1], atol=np.exp(-SCORE_LIMIT) * 2)


def test_only_the_first_probabilities_are_written():
    scores, probabilities = np.zeros(3, np.float32), np.full(3, 7, np.float32)
    sigmoid(scores, probabilities, 2)
    assert probabilities.tolist() == [0.5, 0.5, 7.0]
