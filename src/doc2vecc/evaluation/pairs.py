"""How related two sentences are: the protocol of Tai et al. 2015 and Kiros et al. 2015 for SICK.

A pair with the vectors a and b has the features |a - b| and a * b. A score from 1 to 5 becomes a distribution over
the five whole scores whose mean it is: 3.6 is 4 with probability 0.6 and 3 with 0.4. A multinomial logistic
regression learns the distributions; the mean of what it predicts is the predicted score. C is the one with the
largest Pearson correlation on the trial pairs.
"""

from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from doc2vecc.errors import EvaluationError
from doc2vecc.evaluation.checking import checked_vectors
from doc2vecc.evaluation.classification import MAX_ITERATIONS, choose_c, fitting

LOWEST, HIGHEST = 1, 5


class Pairs(NamedTuple):
    """The vectors of the first and of the second sentences, and the scores of the pairs."""

    first: npt.ArrayLike
    second: npt.ArrayLike
    scores: npt.ArrayLike


@dataclass(frozen=True)
class RelatednessResult:
    """Correlations and mean squared error on the test pairs, and the predicted scores.

    ``trial_pearson`` has the correlation on the trial pairs for each C that was tried, ``unconverged`` each C at
    which the solver stopped before it converged.
    """

    pearson: float
    spearman: float
    mse: float
    c: float
    trial_pearson: dict[float, float]
    predictions: npt.NDArray[np.float64]
    unconverged: tuple[float, ...] = ()


def relatedness(train: Pairs, trial: Pairs, test: Pairs) -> RelatednessResult:
    """Train on the training pairs, choose C on the trial pairs, evaluate on the test pairs."""
    from scipy.stats import rankdata
    from sklearn.linear_model import LogisticRegression

    splits = {"train": train, "trial": trial, "test": test}
    scores = {name: _checked_scores(pairs, name) for name, pairs in splits.items()}
    features = _features(splits)
    rows, labels, weights = soft_labels(scores["train"])
    train_features = features["train"][rows]
    unconverged: list[float] = []
    regressions = {}

    def trial_loss(c: float) -> float:
        with fitting(c, unconverged):
            regressions[c] = LogisticRegression(C=c, max_iter=MAX_ITERATIONS)
            regressions[c].fit(train_features, labels, sample_weight=weights)
        return -correlation(predicted(c, "trial"), scores["trial"])

    def predicted(c: float, split: str) -> npt.NDArray[np.float64]:
        """Return the mean of the predicted distribution for every pair."""
        return np.asarray(regressions[c].predict_proba(features[split]) @ regressions[c].classes_)

    c, losses = choose_c(trial_loss)
    predictions = predicted(c, "test")
    return RelatednessResult(
        pearson=correlation(predictions, scores["test"]),
        spearman=correlation(rankdata(predictions), rankdata(scores["test"])),
        mse=float(np.mean((predictions - scores["test"]) ** 2)),
        c=c,
        trial_pearson={tried: -loss for tried, loss in losses.items()},
        predictions=predictions,
        unconverged=tuple(sorted(unconverged)),
    )


def pair_features(first: npt.NDArray[np.floating], second: npt.NDArray[np.floating]) -> npt.NDArray[np.floating]:
    """Put the absolute differences and the products of two vectors side by side.

    >>> pair_features(np.array([[1.0, -2.0]]), np.array([[3.0, 1.0]])).tolist()
    [[2.0, 3.0, 3.0, -2.0]]
    """
    return np.concatenate([np.abs(first - second), first * second], axis=1)


def soft_labels(
    scores: npt.NDArray[np.float64],
) -> tuple[npt.NDArray[np.int64], npt.NDArray[np.int64], npt.NDArray[np.float64]]:
    """Split every score into the whole scores below and above it, weighted so that it is their mean.

    Returns arrays: pair ``pairs[i]`` is rated ``labels[i]`` with probability ``weights[i]``. Two weighted copies
    of a pair have the same loss as one pair with a distribution, because the cross-entropy is linear in it.

    >>> pairs, labels, weights = soft_labels(np.array([3.75, 5.0]))
    >>> pairs.tolist(), labels.tolist(), weights.tolist()
    ([0, 1, 0], [3, 5, 4], [0.25, 1.0, 0.75])
    """
    below = np.floor(scores)
    labels = np.concatenate([below, below + 1]).astype(np.int64)
    weights = np.concatenate([below - scores + 1, scores - below])
    pairs = np.tile(np.arange(len(scores)), 2)
    is_possible = weights > 0
    return pairs[is_possible], labels[is_possible], weights[is_possible]


def correlation(ours: npt.NDArray[np.float64], theirs: npt.NDArray[np.float64]) -> float:
    """Return Pearson's correlation; 0 if all values of one side are the same.

    >>> correlation(np.array([1.0, 2.0, 4.0]), np.array([2.0, 4.0, 8.0])), correlation(np.ones(3), np.arange(3.0))
    (1.0, 0.0)
    """
    if np.ptp(ours) == 0 or np.ptp(theirs) == 0:
        return 0.0
    return float(np.corrcoef(ours, theirs)[0, 1])


def _checked_scores(pairs: Pairs, name: str) -> npt.NDArray[np.float64]:
    scores = np.asarray(pairs.scores, np.float64)
    if scores.ndim != 1 or len(scores) == 0 or not ((scores >= LOWEST) & (scores <= HIGHEST)).all():
        raise EvaluationError(f"the scores of the {name} pairs must be numbers from {LOWEST} to {HIGHEST}, one a pair")
    return scores


def _features(splits: dict[str, Pairs]) -> dict[str, npt.NDArray[np.floating]]:
    """Return the features of all pairs, from vectors divided by the standard deviation of the training vectors.

    Without it the products of short vectors would be far smaller than the differences.
    """
    vectors = {
        name: [
            np.asarray(checked_vectors(side, len(np.asarray(pairs.scores)), f"the vectors of the {name} pairs"))
            for side in (pairs.first, pairs.second)
        ]
        for name, pairs in splits.items()
    }
    scale = float(np.concatenate(vectors["train"]).std()) or 1.0
    return {name: pair_features(first / scale, second / scale) for name, (first, second) in vectors.items()}
