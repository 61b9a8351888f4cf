import numpy as np

from doc2vecc.kernels.training.objective import SCORE_LIMIT, SIGMOID_ERROR, sigmoid


def test_sigmoid_stays_within_its_stated_error():
    scores = np.concatenate([np.linspace(-40, 40, 200_001), [0.0, 1e-6, -1e-6]]).astype(np.float32)
    exact = 1 / (1 + np.exp(-scores.astype(np.float64)))
    result = scores.copy()
    sigmoid(result[None], 0, len(result))
    assert np.abs(result - exact).max() < SIGMOID_ERROR
    assert np.all(np.diff(result[:-3]) >= -SIGMOID_ERROR)


def test_sigmoid_of_extreme_scores_is_finite():
    scores = np.array([-np.inf, -1e30, 1e30, np.inf], np.float32)
    sigmoid(scores[None], 0, 4)
    np.testing.assert_allclose(scores, [0, 0, 1, 1], atol=np.exp(-SCORE_LIMIT) * 2)


def test_only_the_asked_scores_are_touched():
    scores = np.array([0.0, 0.0, 7.0], np.float32)
    sigmoid(scores[None], 0, 2)
    assert scores.tolist() == [0.5, 0.5, 7.0]
