"""Rows of table 6 that need parses and GloVe vectors: mean vectors, LSTMs, networks over trees, hand-built features.

The networks share one head and its training (Tai et al. 2015); what differs is how words become a sentence.
"""

from __future__ import annotations

import tempfile
import time
from collections.abc import Iterable, Mapping, Sequence
from functools import lru_cache, partial
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt
from scipy.stats import spearmanr

from doc2vecc import Doc2VecC
from doc2vecc.evaluation import correlation
from doc2vecc_paper.cells import Cell, CellKey, Summary, summarize
from doc2vecc_paper.classification import cells_of
from doc2vecc_paper.datasets.parses import SPLITS, ParsedPairs, load_parses, missing_for_trees
from doc2vecc_paper.environment import is_installed, remedy
from doc2vecc_paper.experiment import Scope, Task
from doc2vecc_paper.methods import QUICK_EPOCHS, Method
from doc2vecc_paper.neural.hand_built import HandBuiltFeatures
from doc2vecc_paper.neural.related_sentences import SentenceRelatedness
from doc2vecc_paper.published import SICK, SICK_SOURCES, Name
from doc2vecc_paper.tables import Row

NAME = "relatedness"
SEEDS = 5  # a training takes a minute, and differs more by seed than those on reviews do
WAY = "mean"
MEAN_VECTORS = "Mean vectors, GloVe"
HAND_BUILT, WITHOUT_VECTORS = "Hand-built features", "Hand-built features without word vectors"

_TAI: Mapping[str, Any] = {"workers": 1}  # the defaults of the estimator are those of Tai et al. 2015


class Network(NamedTuple):
    """A row: the method, the name of its row in the paper, and the seconds of an epoch on one core."""

    method: Method
    published: str
    seconds_of_an_epoch: float


def _network(name: str, published: str, encoder: str, seconds: float, **settings: object) -> Network:
    return Network(Method(name, SentenceRelatedness, {**_TAI, "encoder": encoder, **settings}), published, seconds)


# Tai et al. do not give the epochs of the rows that they took over from others. Means and matrices that start near the
# identity still got better on the trial pairs after 10 epochs. The smaller steps of the latter are not a choice by the
# trial pairs: experiments/docs/paper.md has both rates.
NETWORKS = (
    _network(MEAN_VECTORS, Name.WORD2VEC_AVG, "mean", 0.5, epochs=30),
    _network("DT-RNN", "DT-RNN", "dt-rnn", 4, epochs=30, alpha=0.01),
    _network("SDT-RNN", "SDT-RNN", "sdt-rnn", 7, epochs=30, alpha=0.01),
    _network("LSTM", "LSTM", "lstm", 5),
    _network("Bidirectional LSTM", "Bidirectional LSTM", "bilstm", 7),
    _network("Dependency Tree-LSTM", "Dependency Tree-LSTM", "tree-lstm", 4),
)
FEATURES = (
    Method(WITHOUT_VECTORS, HandBuiltFeatures, {"alignment": False}),
    Method(HAND_BUILT, HandBuiltFeatures, {"alignment": True}),
)
_OWN = (
    "our own, in the manner of the systems of the competition: shared words, n-grams, tf-idf cosines, lengths, "
    "negation, words aligned by their GloVe vectors; support vector regression"
)
_INSTALL = f"needs torch: {remedy('neural')}"


@lru_cache(maxsize=1)
def parses(folder: Path) -> ParsedPairs:
    """Return the parsed pairs; cached, because reading takes some seconds."""
    return load_parses(folder)


def tasks(data: Path, scope: Scope, quick_pairs: int) -> list[Task]:
    """Return a training for each network and seed; none if parses or word vectors are not there."""
    if missing_for_trees(data):
        return []
    pairs = parses(data).subset(quick_pairs, seed=0) if scope.quick else parses(data)
    seeds = tuple(range(SEEDS)) if scope.seeds == Scope().seeds else scope.seeds  # unless a number was asked for
    found = [_task(method, pairs, scope.seeds[0], 60.0, "") for method in FEATURES]
    missing = "" if is_installed("torch") else _INSTALL
    for seed in seeds:
        for network in NETWORKS:
            method = network.method
            epochs = method.all_settings()["epochs"]
            if scope.quick:
                epochs = QUICK_EPOCHS
                method = method.changed(epochs=epochs)
            seconds = 5 + epochs * network.seconds_of_an_epoch * len(pairs) / 9_927
            found.append(_task(method, pairs, seed, seconds, missing))
    return found


def _task(method: Method, pairs: ParsedPairs, seed: int, seconds: float, missing: str) -> Task:
    key = CellKey(NAME, method.name, method.all_settings(), seed, (pairs.fingerprint(),))
    return Task(key, partial(_measure, method, pairs, seed), seconds, missing)


def _measure(method: Method, pairs: ParsedPairs, seed: int) -> Mapping[str, Any]:
    test = pairs.only("test")
    estimator = method.build(seed)
    clock = time.perf_counter()
    estimator.fit(pairs)
    learned = time.perf_counter()
    predicted = estimator.predict(test)
    seconds = time.perf_counter() - learned
    history = getattr(estimator, "history_", [])
    return {
        "ways": {WAY: ratings(predicted, test.score)},
        "pairs": {split: int(np.count_nonzero(pairs.split == split)) for split in SPLITS},
        "learning_seconds": learned - clock,
        "generation_seconds": seconds,
        "trial Pearson by epoch": [epoch.trial_pearson for epoch in history],
        "loss by epoch": [epoch.loss for epoch in history],
        "messages": [],
    }


def ratings(predicted: npt.NDArray[np.float64], scores: npt.NDArray[np.float64]) -> dict[str, float]:
    """Return the three measures of the paper."""
    return {
        "Pearson": correlation(predicted, scores),
        "Spearman": float(spearmanr(predicted, scores).statistic),
        "MSE": float(np.mean((predicted - scores) ** 2)),
    }


def from_glove(pairs: ParsedPairs, parameters: Mapping[str, Any]) -> Doc2VecC:
    """Start Doc2VecC from the GloVe vectors of the words of SICK."""
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "glove.txt"
        rows = zip(pairs.words, pairs.vectors, strict=True)
        path.write_text("".join(f"{word} {' '.join(map(str, row.tolist()))}\n" for word, row in rows), "utf-8")
        return Doc2VecC.from_word_vectors(path, **{**parameters, "vector_size": pairs.vectors.shape[1]})


def rating(cells: Iterable[Cell], way: str, measure: str) -> Summary | None:
    """Return a measure over the seeds."""
    return summarize(cell.result["ways"][way][measure] for cell in cells if way in cell.result["ways"])


def rows(cells: Sequence[Cell]) -> list[Row]:
    """Return the rows of hand-built features and of the networks."""
    named = [(method.name, "", _OWN) for method in FEATURES]
    named += [(one.method.name, one.published, f"the paper's value: {SICK_SOURCES[one.published]}") for one in NETWORKS]
    return [
        Row.of(
            name,
            [SICK.value(published, column) for column in SICK.columns],
            [rating(cells_of(cells, name), WAY, column) for column in SICK.columns],
            note,
        )
        for name, published, note in named
    ]


def times(cells: Sequence[Cell]) -> tuple[str, ...]:
    """Give the seconds of learning and of rating the test pairs, each network's mean over the seeds."""
    said = []
    for name in (*(method.name for method in FEATURES), *(network.method.name for network in NETWORKS)):
        some = cells_of(cells, name)
        if some:
            learning, rating = (
                sum(cell.result[f"{stage}_seconds"] for cell in some) / len(some)
                for stage in ("learning", "generation")
            )
            said.append(f"{name} {learning:,.0f} and {rating:,.1f}")
    return (f"Seconds of learning and of rating the test pairs, one thread: {'; '.join(said)}.",) if said else ()
