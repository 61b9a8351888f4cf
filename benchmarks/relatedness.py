"""What makes sentences comparable, measured without the test pairs: cross-validated on the training pairs.

    python -m benchmarks.relatedness Word2Vec "Word2Vec alpha=0.05" "Doc2VecC document_only=0.5" --seeds 3
    python -m benchmarks.relatedness Doc2VecC "Doc2VecC alpha=0.1" --further

prints one line per method and its changed settings, means over the seeds: Pearson's correlation and the mean
squared error of the predicted scores, over three parts of the training pairs, each rated by what was learned from
the two others; C is chosen on the trial pairs. "agreement" is the correlation of the predicted scores with those of
the first line and another seed: if it is as high as that of the first line with itself, the two tell the same. The
rest are rank correlations of word similarities with human ratings, and seconds of training. A method learns from
novels and sentences at once; with --further from the novels with its usual settings, and goes on with the sentences
and those named. Reads the folder named by DOC2VECC_DATA.
"""

from __future__ import annotations

import argparse
import copy
import json
import os
from collections.abc import Callable
from pathlib import Path
from statistics import mean
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt
from sklearn.model_selection import KFold

from benchmarks.quality import RATINGS, changes_of
from doc2vecc.evaluation import Pairs, Rating, correlation, read_ratings, relatedness, word_similarity
from doc2vecc_paper.datasets import SentencePairs, Texts, load_novels, load_sick
from doc2vecc_paper.methods import Method
from doc2vecc_paper.relatedness import (
    ALONE,
    COURSES,
    FURTHER_SETTINGS,
    TOGETHER,
    learn,
    learn_further,
    sentence_vectors,
)

PARTS = 3
METHODS = {course.method.name: course.method for course in COURSES if course.learn_from == TOGETHER}


class Measured(NamedTuple):
    """What one training gives: the figures of its line, and the predicted scores of the training pairs."""

    figures: dict[str, float]
    predictions: npt.NDArray[np.float64]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("lines", nargs="+", metavar="LINE", help='e.g. "Doc2VecC alpha=0.1 document_only=0.5"')
    parser.add_argument(
        "--further", action="store_true", help="learn from the novels, and go on with the sentences"
    )
    parser.add_argument("--workers", type=int, default=1)
    parser.add_argument("--seeds", type=int, default=1)
    arguments = parser.parse_args()
    methods = [method_of(line, further=arguments.further) for line in arguments.lines]
    data = Path(os.environ["DOC2VECC_DATA"])
    novels, pairs = load_novels(data), load_sick(data)
    ratings = {name: read_ratings(data / "wordsim" / f"EN-{name}.txt") for name in RATINGS}
    learned = gone_on(novels, pairs) if arguments.further else learned_at_once(novels, pairs)
    first: list[Measured] = []
    for line, (method, changes) in zip(arguments.lines, methods, strict=True):
        method = method.changed(workers=arguments.workers)
        measured = [measure(learned(method, seed, changes), pairs, ratings) for seed in range(arguments.seeds)]
        first = first or measured
        shown = {
            "further": arguments.further,
            "settings": line,
            **{name: round(mean([one.figures[name] for one in measured]), 4) for name in measured[0].figures},
            "agreement": agreement(measured, first),
            "pearsons": [round(one.figures["pearson"], 4) for one in measured],
        }
        print(json.dumps(shown), flush=True)


def method_of(line: str, *, further: bool) -> tuple[Method, dict[str, Any]]:
    """Read a line: "Doc2VecC alpha=0.1" -> the method, {"alpha": 0.1}; only some methods can go on learning."""
    settings = [word for word in line.split() if "=" in word]
    name = " ".join(word for word in line.split() if "=" not in word)
    choices = [name for name, method in METHODS.items() if not further or hasattr(method.estimator, "partial_fit")]
    if name not in choices:
        raise SystemExit(f"{name!r} does not fit; a line begins with one of {', '.join(map(repr, choices))}")
    return METHODS[name], changes_of(" ".join(settings))


def agreement(measured: list[Measured], first: list[Measured]) -> float | None:
    """Return how the predictions of each seed correlate with the first line's of the next seed, if there is one."""
    if len(measured) == 1:
        return None
    others = first[1:] + first[:1]
    pairs = zip(measured, others, strict=True)
    return round(mean([correlation(one.predictions, other.predictions) for one, other in pairs]), 4)


def learned_at_once(novels: Texts, pairs: SentencePairs) -> Callable[[Method, int, dict[str, Any]], Any]:
    """Return how a method learns from everything at once with some settings changed."""

    def learned(method: Method, seed: int, changes: dict[str, Any]) -> Any:  # noqa: ANN401 - a transformer
        estimator = method.changed(**changes).build(seed)
        learn(estimator, TOGETHER, novels, pairs)
        return estimator

    return learned


def gone_on(novels: Texts, pairs: SentencePairs) -> Callable[[Method, int, dict[str, Any]], Any]:
    """Return how a method learns from the novels, once for every seed, and goes on with some settings changed."""
    of_novels: dict[tuple[str, int], Any] = {}

    def learned(method: Method, seed: int, changes: dict[str, Any]) -> Any:  # noqa: ANN401 - a transformer
        if (method.name, seed) not in of_novels:
            of_novels[method.name, seed] = method.build(seed)
            learn(of_novels[method.name, seed], ALONE, novels, pairs)
        estimator = copy.deepcopy(of_novels[method.name, seed])
        learn_further(estimator, pairs, {**FURTHER_SETTINGS, **changes})
        return estimator

    return learned


def measure(estimator: Any, pairs: SentencePairs, ratings: dict[str, list[Rating]]) -> Measured:  # noqa: ANN401
    """Rate each part of the training pairs by what the others teach, and compare words."""
    first, second = sentence_vectors(estimator, pairs)

    def chosen(rows: Any) -> Pairs:  # noqa: ANN401 - an index of NumPy
        return Pairs(first[rows], second[rows], pairs.score[rows])

    training = np.flatnonzero(pairs.split == "train")
    predictions = np.zeros(len(training))
    found = []
    for known, asked in KFold(PARTS, shuffle=True, random_state=0).split(training):
        rated = relatedness(chosen(training[known]), chosen(pairs.split == "trial"), chosen(training[asked]))
        predictions[asked] = rated.predictions
        found.append(rated)
    words, vectors = estimator.vocabulary_.words, estimator.word_vectors_
    figures = {
        "pearson": mean([rated.pearson for rated in found]),
        "mse": mean([rated.mse for rated in found]),
        **{name: word_similarity(words, vectors, some).spearman for name, some in ratings.items()},
        "seconds": sum(epoch.seconds for epoch in estimator.history_),
    }
    return Measured(figures, predictions)


if __name__ == "__main__":
    main()
