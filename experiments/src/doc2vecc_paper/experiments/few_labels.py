"""The error of one method by the number of labeled documents; all methods get the same documents.

texts  --learn without the test split-->  vectors  --logistic regression, more and more labels-->  errors, speed
"""

from __future__ import annotations

import time
from collections.abc import Mapping
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt
import pyarrow as pa

from doc2vecc.evaluation import ProbeResult, logistic_probe
from doc2vecc_paper.classification import WITHOUT_TEST, not_converged, noting_warnings
from doc2vecc_paper.datasets import LabeledTexts
from doc2vecc_paper.datasets.texts import stratified_rows
from doc2vecc_paper.methods import Method

C_WITHOUT_CHOICE = 1.0

Matrix = Any  # document vectors: a NumPy array or a scipy sparse matrix


class Sizes(NamedTuple):
    """How many documents: labeled ones and how often they are drawn, those to draw from, and test documents."""

    draws_by_labels: Mapping[int, int]
    pool: int
    test: int

    def for_classes(self, count: int) -> Sizes:
        """Leave out numbers of labeled documents that are too few for one of each class.

        >>> Sizes({100: 5, 500: 2}, pool=5_000, test=5_000).for_classes(120).draws_by_labels
        {500: 2}
        """
        return self._replace(
            draws_by_labels={labels: draws for labels, draws in self.draws_by_labels.items() if labels >= count}
        )


def measure(
    method: Method, texts: LabeledTexts, sizes: Sizes, seed: int, *, with_all: bool, repeats: int
) -> Mapping[str, Any]:
    """Learn without the test split, embed, and classify the same test documents with more and more labels.

    The test documents are embedded ``repeats`` times to measure the speed.
    """
    estimator = method.build(seed)
    train = texts.take(sample_rows(texts, "train", None if with_all else sizes.pool))
    test = texts.take(sample_rows(texts, "test", sizes.test))
    with noting_warnings() as messages:
        clock = time.perf_counter()
        estimator.fit(texts.only(*WITHOUT_TEST).texts)
        learning_seconds = time.perf_counter() - clock
        train_vectors = estimator.transform(train.texts)
        test_vectors, speed = timed(estimator, test.texts, repeats)

    unconverged: set[float] = set()

    def error(rows: npt.NDArray[np.int64]) -> float:
        probed = probe(train_vectors[rows], train.label[rows], test_vectors, test.label)
        unconverged.update(probed.unconverged)
        return probed.error

    errors = {
        str(count): [error(rows) for rows in draws(train.label, count, times, sizes.pool)]
        for count, times in sizes.draws_by_labels.items()
    }
    if len(train) == np.count_nonzero(texts.split == "train"):
        errors["all"] = [error(np.arange(len(train)))]
    return {
        "errors": errors,
        "all": int(np.count_nonzero(texts.split == "train")),
        "test_documents": len(test),
        "dimensions": int(test_vectors.shape[1]),
        "documents_per_second": speed,
        "learning_seconds": learning_seconds,
        **getattr(estimator, "pretraining_", {}),
        "messages": messages + not_converged(unconverged),
    }


def sample_rows(texts: LabeledTexts, split: str, count: int | None) -> npt.NDArray[np.int64]:
    """Return the rows of a split, or a sample with the same share of every class; the same for all methods."""
    rows = np.flatnonzero(texts.split == split)
    return rows if count is None else rows[stratified_rows(texts.label[rows], count, seed=0)]


def draws(labels: npt.NDArray[np.int64], count: int, times: int, pool: int) -> list[npt.NDArray[np.int64]]:
    """Draw ``count`` rows ``times`` times from a pool, which is the same if only the pool is given."""
    drawn_from = stratified_rows(labels, pool, seed=0)
    return [drawn_from[stratified_rows(labels[drawn_from], count, seed)] for seed in range(times)]


def timed(estimator: Any, texts: pa.LargeStringArray, repeats: int) -> tuple[Matrix, float]:  # noqa: ANN401
    """Embed texts -> (vectors, documents per second of the fastest repeat)."""
    fastest = float("inf")
    for _ in range(repeats):
        clock = time.perf_counter()
        vectors = estimator.transform(texts)
        fastest = min(fastest, time.perf_counter() - clock)
    return vectors, len(texts) / fastest


def probe(
    train: Matrix, train_labels: npt.NDArray[np.int64], test: Matrix, test_labels: npt.NDArray[np.int64]
) -> ProbeResult:
    """Evaluate with a logistic regression; if every class has a single document, C cannot be chosen and is 1."""
    has_choice = np.bincount(train_labels).max() > 1
    return logistic_probe(train, train_labels, test, test_labels, c=None if has_choice else C_WITHOUT_CHOICE)
