"""Settings for the relatedness of sentences, chosen without the test pairs: cross-validated on the training pairs.

    python -m benchmarks.relatedness Word2Vec "" "alpha=0.05"
    python -m benchmarks.relatedness Doc2VecC --further "alpha=0.2 document_only=0" "alpha=0.1"

prints one line per setting: Pearson's correlation and the mean squared error, means over three parts of the
training pairs, each rated by what was learned from the two others; C is chosen on the trial pairs. A method learns
from novels and sentences at once; with --further from the novels with its usual settings, and goes on with the
sentences and those named. Reads the folder named by DOC2VECC_DATA.
"""

from __future__ import annotations

import argparse
import copy
import json
import os
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import numpy as np
from sklearn.model_selection import KFold

from benchmarks.quality import changes_of
from doc2vecc.evaluation.relatedness import Pairs, relatedness
from doc2vecc.paper.datasets import SentencePairs, Texts, load_novels, load_sick
from doc2vecc.paper.methods import Method
from doc2vecc.paper.relatedness import (
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


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("method", choices=METHODS)
    parser.add_argument("settings", nargs="*", default=[""], help='e.g. "alpha=0.1 document_only=0.5"')
    parser.add_argument(
        "--further", action="store_true", help="learn from the novels, and go on with the sentences"
    )
    parser.add_argument("--workers", type=int, default=1)
    parser.add_argument("--seed", type=int, default=0)
    arguments = parser.parse_args()
    data = Path(os.environ["DOC2VECC_DATA"])
    novels, pairs = load_novels(data), load_sick(data)
    method = METHODS[arguments.method].changed(workers=arguments.workers)
    learned = (gone_on if arguments.further else learned_at_once)(method, arguments.seed, novels, pairs)
    for words in arguments.settings:
        clock = time.perf_counter()
        pearson, mse = cross_validated(learned(changes_of(words)), pairs)
        shown = {
            "method": arguments.method,
            "further": arguments.further,
            "settings": words,
            "pearson": round(pearson, 4),
            "mse": round(mse, 4),
            "seconds": round(time.perf_counter() - clock),
        }
        print(json.dumps(shown), flush=True)


def learned_at_once(
    method: Method, seed: int, novels: Texts, pairs: SentencePairs
) -> Callable[[dict[str, Any]], Any]:
    """Return how to learn from everything at once with some settings changed."""

    def learned(changes: dict[str, Any]) -> Any:  # noqa: ANN401 - a scikit-learn transformer
        estimator = method.changed(**changes).build(seed)
        learn(estimator, TOGETHER, novels, pairs)
        return estimator

    return learned


def gone_on(method: Method, seed: int, novels: Texts, pairs: SentencePairs) -> Callable[[dict[str, Any]], Any]:
    """Learn from the novels, and return how to go on from there with some settings changed."""
    of_novels = method.build(seed)
    learn(of_novels, ALONE, novels, pairs)

    def learned(changes: dict[str, Any]) -> Any:  # noqa: ANN401 - a scikit-learn transformer
        estimator = copy.deepcopy(of_novels)
        learn_further(estimator, pairs, {**FURTHER_SETTINGS, **changes})
        return estimator

    return learned


def cross_validated(estimator: Any, pairs: SentencePairs) -> tuple[float, float]:  # noqa: ANN401
    """Return Pearson's correlation and the mean squared error on training pairs that were not learned from."""
    first, second = sentence_vectors(estimator, pairs)

    def chosen(rows: Any) -> Pairs:  # noqa: ANN401 - an index of NumPy
        return Pairs(first[rows], second[rows], pairs.score[rows])

    def ratings() -> Iterator[tuple[float, float]]:
        training = np.flatnonzero(pairs.split == "train")
        for known, asked in KFold(PARTS, shuffle=True, random_state=0).split(training):
            found = relatedness(chosen(training[known]), chosen(pairs.split == "trial"), chosen(training[asked]))
            yield found.pearson, found.mse

    pearson, mse = np.mean(list(ratings()), axis=0)
    return float(pearson), float(mse)


if __name__ == "__main__":
    main()
