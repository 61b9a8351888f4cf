"""The vote of the nearest documents."""

import numpy as np
import pytest
from sklearn.neighbors import KNeighborsClassifier

from doc2vecc.errors import EvaluationError
from doc2vecc.evaluation.classification import majority, nearest_neighbors


@pytest.mark.parametrize("k", [1, 5])
def test_agrees_with_scikit_learn(k):
    draw = np.random.default_rng(0)
    train, test = draw.normal(size=(80, 6)), draw.normal(size=(33, 6))
    labels, truth = draw.integers(0, 2, 80), draw.integers(0, 2, 33)
    result = nearest_neighbors(train, labels, test, truth, k=k)
    reference = KNeighborsClassifier(k, metric="cosine").fit(train, labels)
    np.testing.assert_array_equal(result.predictions, reference.predict(test))
    assert result.error == pytest.approx(1 - reference.score(test, truth))


def test_the_direction_counts_and_not_the_length():
    result = nearest_neighbors([[100.0, 10.0], [0.0, 0.1]], ["a", "b"], [[0.1, 0.2]], ["b"], k=1)
    assert result.predictions.tolist() == ["b"]


def test_a_tie_goes_to_the_nearest():
    assert majority(np.array([[1, 0], [4, 3], [2, 0], [0, 2]])).tolist() == [1, 4, 2, 0]
    result = nearest_neighbors([[1.0, 0.1], [1.0, 0.0], [0.0, 1.0]], ["b", "a", "a"], [[1.0, 0.2]], ["b"], k=2)
    assert (result.predictions.tolist(), result.error) == (["b"], 0)
    assert majority(np.array([[5, 1, 1, 5, 7], [5, 1, 1, 0, 7]])).tolist() == [5, 1]


def test_what_does_not_fit():
    with pytest.raises(ValueError, match="k=3 does not fit; it must be a whole number from 1 to 2"):
        nearest_neighbors([[1.0], [2.0]], [0, 1], [[1.0]], [0], k=3)
    with pytest.raises(EvaluationError, match="train_vectors have 1 dimensions and test_vectors 2"):
        nearest_neighbors([[1.0], [2.0]], [0, 1], [[1.0, 2.0]], [0], k=1)
