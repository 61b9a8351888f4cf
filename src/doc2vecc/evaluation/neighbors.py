"""The vote of the nearest documents: whether documents of one class are close together."""

from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from doc2vecc.config import require
from doc2vecc.evaluation.checking import Matrix, checked_splits
from doc2vecc.evaluation.classification import Labels
from doc2vecc.similarity import nearest


@dataclass(frozen=True)
class NeighborsResult:
    """Share of the test documents that the vote puts into a wrong class, and the predicted class of each."""

    error: float
    predictions: npt.NDArray[Any]


def nearest_neighbors(
    train_vectors: Matrix, train_labels: Labels, test_vectors: Matrix, test_labels: Labels, *, k: int = 10
) -> NeighborsResult:
    """Let the ``k`` training documents of largest cosine similarity vote on the class of each test document.

    A tie goes to the class whose nearest document is nearer. Dense vectors only.

    >>> nearest_neighbors([[1.0, 0.0], [0.0, 1.0]], ["a", "b"], [[0.9, 0.1]], ["a"], k=1).predictions.tolist()
    ['a']
    """
    require("k", k, whole=True, low=1, high=len(train_labels))
    train, test = checked_splits(train_vectors, len(train_labels), test_vectors, len(test_labels))
    labels, classes = np.unique(np.asarray(train_labels), return_inverse=True)
    found = nearest(np.asarray(test, np.float32), np.asarray(train, np.float32), k)
    predicted = labels[majority(classes[found.indices])]
    return NeighborsResult(float(np.mean(predicted != np.asarray(test_labels))), predicted)


def majority(votes: npt.NDArray[np.int64]) -> npt.NDArray[np.int64]:
    """Return the most frequent class of every row; of equally frequent ones, the one that comes first.

    >>> majority(np.array([[2, 1, 1], [3, 0, 2]])).tolist()
    [1, 3]
    """
    agreeing = np.stack([(votes == votes[:, [place]]).sum(axis=1) for place in range(votes.shape[1])], axis=1)
    return np.asarray(votes[np.arange(len(votes)), agreeing.argmax(axis=1)])
