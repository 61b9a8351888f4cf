"""Relatedness of sentences by settings of a method, cross-validated on the training pairs of SICK."""

from __future__ import annotations

import copy
from collections.abc import Callable, Iterator, Mapping, Sequence
from pathlib import Path
from statistics import mean
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt
from sklearn.model_selection import KFold

from doc2vecc.evaluation import Pairs, relatedness
from doc2vecc_paper.classification import noting_warnings
from doc2vecc_paper.console import say_notes
from doc2vecc_paper.datasets import SentencePairs, Texts, load_novels, load_ratings, load_sick
from doc2vecc_paper.experiments.relatedness import (
    ALONE,
    COURSES,
    FURTHER_SETTINGS,
    TOGETHER,
    continue_training,
    learn,
    sentence_vectors,
)
from doc2vecc_paper.measure.lines import Line, similarities
from doc2vecc_paper.word_vectors import Rating

FOLDS = 3
METHODS = tuple(course.method for course in COURSES if course.learn_from == TOGETHER)

Learn = Callable[[Line, int, int], Any]  # line, seed, workers -> a fitted transformer


class Measured(NamedTuple):
    """The values of one training, and the predicted scores of the training pairs."""

    values: dict[str, float]
    predictions: npt.NDArray[np.float64]


def measure(
    lines: Sequence[tuple[str, Line]], data: Path, *, further: bool, seeds: int, workers: int
) -> Iterator[dict[str, Any]]:
    """Yield a result for each line, means over the seeds.

    "agreement" is the correlation of the predicted scores with those of the first line and another seed. If it is
    as high as that of the first line with itself, the two methods predict the same.
    """
    novels, pairs, ratings = load_novels(data), load_sick(data), load_ratings(data)
    learned = learned_further(novels, pairs) if further else learned_at_once(novels, pairs)
    first: list[Measured] = []
    for text, line in lines:
        found = []
        for seed in range(seeds):
            with noting_warnings() as messages:
                found.append(evaluate(learned(line, seed, workers), pairs, ratings))
            say_notes(messages)
        first = first or found
        yield {
            "further": further,
            "settings": text,
            **{name: round(mean([one.values[name] for one in found]), 4) for name in found[0].values},
            "agreement": agreement(found, first),
            "pearsons": [round(one.values["pearson"], 4) for one in found],
        }


def agreement(found: Sequence[Measured], first: Sequence[Measured]) -> float | None:
    """Return the correlation of each seed's predictions with the first line's of the next seed."""
    if len(found) == 1:
        return None
    others = [*first[1:], first[0]]
    pairs = zip(found, others, strict=True)
    correlations = [float(np.corrcoef(one.predictions, other.predictions)[0, 1]) for one, other in pairs]
    return round(mean(correlations), 4)


def learned_at_once(novels: Texts, pairs: SentencePairs) -> Learn:
    """Return a function that learns from novels and sentences at once."""

    def learned(line: Line, seed: int, workers: int) -> Any:  # noqa: ANN401
        estimator = line.changed.changed(workers=workers).build(seed)
        learn(estimator, TOGETHER, novels, pairs)
        return estimator

    return learned


def learned_further(novels: Texts, pairs: SentencePairs) -> Learn:
    """Return a function that learns from the novels, once for every seed, and continues with changed settings."""
    of_novels: dict[tuple[str, int], Any] = {}

    def learned(line: Line, seed: int, workers: int) -> Any:  # noqa: ANN401
        key = (line.method.name, seed)
        if key not in of_novels:
            of_novels[key] = line.method.changed(workers=workers).build(seed)
            learn(of_novels[key], ALONE, novels, pairs)
        estimator = copy.deepcopy(of_novels[key])
        continue_training(estimator, pairs, {**FURTHER_SETTINGS, **line.changes})
        return estimator

    return learned


def evaluate(estimator: Any, pairs: SentencePairs, ratings: Mapping[str, list[Rating]]) -> Measured:  # noqa: ANN401
    """Rate each fold of the training pairs by a regression on the others, with C chosen on the trial pairs."""
    first, second = sentence_vectors(estimator, pairs)

    def chosen(rows: Any) -> Pairs:  # noqa: ANN401 - an index of NumPy
        return Pairs(first[rows], second[rows], pairs.score[rows])

    training = np.flatnonzero(pairs.split == "train")
    predictions = np.zeros(len(training))
    found = []
    for known, unseen in KFold(FOLDS, shuffle=True, random_state=0).split(training):
        rated = relatedness(chosen(training[known]), chosen(pairs.split == "trial"), chosen(training[unseen]))
        predictions[unseen] = rated.predictions
        found.append(rated)
    values = {
        "pearson": mean([rated.pearson for rated in found]),
        "mse": mean([rated.mse for rated in found]),
        **similarities(estimator, ratings),
        "seconds": sum(epoch.seconds for epoch in estimator.history_),
    }
    return Measured(values, predictions)
