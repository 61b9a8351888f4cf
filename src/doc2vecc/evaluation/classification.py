"""How well classes are separated by the vectors: the linear probe, and the vote of the nearest documents.

A probe is a linear classifier: the vectors stay as they are, so it measures what is in them. All are treated alike:

1. Dense vectors are divided by the standard deviation of all values of the training vectors, so that C means the
   same for vectors of any scale. (Standardizing each dimension is no better on IMDB and worse with 100 classes of
   Wikipedia pages: 57.7 instead of 56.2 % error.) Sparse vectors are not scaled.
2. C is chosen on a fifth of the training split, the same share of every class, or by cross-validation.
3. The classifier learns from the whole training split and is evaluated on the test split.
"""

import warnings
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt
from scipy import sparse

from doc2vecc.config import require
from doc2vecc.errors import EvaluationError
from doc2vecc.evaluation.checking import Matrix, checked_splits
from doc2vecc.similarity import nearest

Labels = Sequence[Any] | npt.NDArray[Any]
Indices = npt.NDArray[np.int64]

C_GRID = (0.001, 0.01, 0.1, 1.0, 10.0)
VALIDATION_SHARE = 0.2
MAX_ITERATIONS = 2_000
_PATIENCE = 2  # one worse value may be chance


@dataclass(frozen=True)
class ProbeResult:
    """The result of a probe; errors are shares from 0 to 1."""

    error: float  # share of the test documents that are put into a wrong class
    c: float
    validation_errors: dict[float, float]  # of each C that was tried; empty if C was given
    dimensions: int
    labels: npt.NDArray[Any]  # the classes of both splits, in order; the order of f1 and of confusion
    f1: npt.NDArray[np.float64]  # of every class; NaN for one that is neither in the test split nor predicted
    confusion: npt.NDArray[np.int64]  # how many test documents of a class (row) were put into a class (column)
    predictions: npt.NDArray[Any]  # the predicted class of each test document
    unconverged: tuple[float, ...] = ()  # each C at which the solver stopped too early; its score could be better

    @property
    def macro_f1(self) -> float:
        """The mean over the classes that have an F1."""
        return float(np.nanmean(self.f1))


@dataclass(frozen=True)
class NeighborsResult:
    """Share of the test documents that the vote puts into a wrong class, and the predicted class of each."""

    error: float
    predictions: npt.NDArray[Any]


class Split(NamedTuple):
    """The row numbers of the training and of the test documents, in ascending order."""

    train: Indices
    test: Indices


# ---- classifiers


def linear_probe(
    train_vectors: Matrix,
    train_labels: Labels,
    test_vectors: Matrix,
    test_labels: Labels,
    *,
    seed: int = 0,
    folds: int = 1,
    report: Callable[[float], None] | None = None,
) -> ProbeResult:
    """Train a linear SVM on the training split and evaluate it on the test split; ``report`` gets the share done.

    With two ``folds`` and more C is chosen by cross-validation: a fifth of a few thousand documents is too few.

    >>> result = linear_probe([[-9.0], [-8.0], [8.0], [9.0]], ["a", "a", "b", "b"], [[-2.0], [2.0]], ["a", "b"])
    >>> result.error, result.predictions.tolist()
    (0.0, ['a', 'b'])
    """
    from sklearn.svm import LinearSVC

    # Both solve the same problem: the primal is faster for few dimensions, the dual for the many of tf-idf.
    svm = LinearSVC(dual=sparse.issparse(train_vectors), max_iter=MAX_ITERATIONS, random_state=seed)
    require("folds", folds, whole=True, low=1)
    train, test = (train_vectors, train_labels), (test_vectors, test_labels)
    return _probe(svm, train, test, seed, folds=folds, report=report)


def logistic_probe(
    train_vectors: Matrix,
    train_labels: Labels,
    test_vectors: Matrix,
    test_labels: Labels,
    *,
    seed: int = 0,
    c: float | None = None,
) -> ProbeResult:
    """Train a (multinomial) logistic regression on the training split and evaluate it on the test split.

    Give ``c`` where it cannot be chosen, for example with a single training document of each class.
    """
    from sklearn.linear_model import LogisticRegression

    classifier = LogisticRegression(max_iter=MAX_ITERATIONS)
    return _probe(classifier, (train_vectors, train_labels), (test_vectors, test_labels), seed, c)


def _probe(
    classifier: Any,  # noqa: ANN401 - of scikit-learn, with a parameter C
    train: tuple[Matrix, Labels],
    test: tuple[Matrix, Labels],
    seed: int,
    c: float | None = None,
    folds: int = 1,
    report: Callable[[float], None] | None = None,
) -> ProbeResult:
    from sklearn.metrics import confusion_matrix, f1_score

    labels, train_classes, test_classes = _class_numbers(train[1], test[1])
    train_matrix, test_matrix = checked_splits(train[0], len(train_classes), test[0], len(test_classes))
    scale = 1.0 if sparse.issparse(train_matrix) else float(train_matrix.std()) or 1.0
    train_matrix, test_matrix = train_matrix / scale, test_matrix / scale
    unconverged: list[float] = []
    grid = C_GRID if folds == 1 else (C_GRID[0] / 10, *C_GRID)

    def predicted(c: float, rows: Indices | slice, vectors: Matrix) -> Indices:
        with fitting(c, unconverged):
            classifier.set_params(C=c).fit(train_matrix[rows], train_classes[rows])
        if report is not None and c in grid:
            report((1 + grid.index(c)) / (1 + len(grid)))  # the whole training split comes after all of them
        return np.asarray(classifier.predict(vectors))

    validation_errors: dict[float, float] = {}
    if c is None:
        splits = _validation_splits(train_classes, folds, seed)

        def validation_error(c: float) -> float:
            wrong = [
                predicted(c, split.train, train_matrix[split.test]) != train_classes[split.test] for split in splits
            ]
            return float(np.mean(np.concatenate(wrong)))

        c, validation_errors = choose_c(validation_error, grid)
    predictions = predicted(c, slice(None), test_matrix)
    classes = np.arange(len(labels))
    return ProbeResult(
        error=float(np.mean(predictions != test_classes)),
        c=c,
        validation_errors=validation_errors,
        dimensions=train_matrix.shape[1],
        labels=labels,
        f1=f1_score(test_classes, predictions, labels=classes, average=None, zero_division=np.nan),
        confusion=confusion_matrix(test_classes, predictions, labels=classes),
        predictions=labels[predictions],
        unconverged=tuple(sorted(unconverged)),
    )


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


def majority_error(train_labels: Labels, test_labels: Labels) -> float:
    """Return the error of always predicting the most frequent class of the training split.

    >>> majority_error(["a", "a", "b"], ["a", "b", "b", "c"])
    0.75
    """
    labels, train_classes, test_classes = _class_numbers(train_labels, test_labels)
    most_frequent = np.bincount(train_classes, minlength=len(labels)).argmax()
    return float(np.mean(test_classes != most_frequent))


def _class_numbers(train_labels: Labels, test_labels: Labels) -> tuple[npt.NDArray[Any], Indices, Indices]:
    """Number the classes of both splits -> (labels, class numbers for training, class numbers for testing)."""
    train, test = np.asarray(train_labels), np.asarray(test_labels)
    for name, split in (("train_labels", train), ("test_labels", test)):
        if split.ndim != 1 or len(split) == 0:
            raise EvaluationError(f"{name} of shape {split.shape} do not fit; there must be a label for every vector")
    if (train.dtype.kind in "US") != (test.dtype.kind in "US") and "O" not in (train.dtype.kind, test.dtype.kind):
        raise EvaluationError(f"train_labels are {train.dtype} and test_labels {test.dtype}; use the same type in both")
    labels, classes = np.unique(np.concatenate([train, test]), return_inverse=True)
    train_classes, test_classes = classes[: len(train)], classes[len(train) :]
    if train_classes.min() == train_classes.max():
        raise EvaluationError(
            f"the training split has the single class {str(train[0])!r}; there must be at least two classes"
        )
    return labels, train_classes, test_classes


def split_labeled(labels: Labels, *, test_share: float = 0.25, seed: int = 0) -> Split:
    """Split documents at random into training and test documents, with the same share of every class.

    Every class of two documents or more is in both splits. The only document of a class is for training: a class
    that is never learned cannot be evaluated on.

    >>> split_labeled(["a", "a", "b", "b", "b", "b", "c"], test_share=0.5).test.tolist()
    [0, 2, 4]
    """
    require("test_share", test_share, low=0.001, high=0.999)
    random = np.random.default_rng(seed)
    _, classes = np.unique(np.asarray(labels), return_inverse=True)
    is_test = np.zeros(len(classes), np.bool_)
    by_class = np.split(np.argsort(classes, kind="stable"), np.cumsum(np.bincount(classes))[:-1])
    for rows in by_class:
        wanted = min(max(1, round(test_share * len(rows))), len(rows) - 1)
        is_test[random.permutation(rows)[:wanted]] = True
    if not is_test.any():
        raise EvaluationError(
            f"none of {len(classes):,} labeled documents shares its class with another; "
            "at least one class needs two documents"
        )
    return Split(np.flatnonzero(~is_test), np.flatnonzero(is_test))


# ---- the choice of C


def _validation_splits(classes: Indices, folds: int, seed: int) -> list[Split]:
    """Return what C is chosen on: a fifth of the documents, or each of some folds of equal shares of the classes."""
    if folds == 1:
        return [split_labeled(classes, test_share=VALIDATION_SHARE, seed=seed)]
    order = np.lexsort((np.random.default_rng(seed).random(len(classes)), classes))  # class by class
    return [Split(np.sort(np.delete(order, np.s_[n::folds])), np.sort(order[n::folds])) for n in range(folds)]


def choose_c(loss_at: Callable[[float], float], grid: Sequence[float] = C_GRID) -> tuple[float, dict[float, float]]:
    """Try one C after the other, from the strongest regularization on, until two in a row are worse than the best.

    Returns the C of the smallest loss, of several the smallest C, and the loss of each C that was tried. The loss falls
    and then rises with C, and each C takes longer than the one before: with many classes, those that are left out
    would take most of the time.

    >>> choose_c({0.001: 3.0, 0.01: 1.0, 0.1: 2.0, 1.0: 1.5}.__getitem__)
    (0.01, {0.001: 3.0, 0.01: 1.0, 0.1: 2.0, 1.0: 1.5})
    """
    losses: dict[float, float] = {}
    for c in grid:
        losses[c] = loss_at(c)
        if min(list(losses.values())[-_PATIENCE:]) > min(losses.values()):
            break
    return min(losses, key=losses.__getitem__), losses


@contextmanager
def fitting(c: float, unconverged: list[float]) -> Iterator[None]:
    """Run a solver; ``c`` is added to the list if it stops before it has converged.

    BLAS uses one thread, because the solvers call it many times for little at a time. Several threads gain nothing,
    and wait for each other where they share cores: measured on SICK, 29 s instead of 2.
    """
    from sklearn.exceptions import ConvergenceWarning
    from threadpoolctl import threadpool_limits

    with threadpool_limits(1, user_api="blas"), warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always", ConvergenceWarning)
        # Few documents of many classes are no mistake here: the labels are known to be classes.
        warnings.filterwarnings("ignore", "The number of unique classes is greater than 50%", UserWarning)
        yield
    for one in caught:
        if not issubclass(one.category, ConvergenceWarning):
            warnings.warn_explicit(one.message, one.category, one.filename, one.lineno)
        elif c not in unconverged:
            unconverged.append(c)
