"""One training, then the error of a linear SVM on the vectors: the cell of several experiments.

    (method, texts, splits to learn from, seed)  -->  Task  --run-->  errors, C, seconds, words

Experiments that need the same training use the same key, so it is measured once for all of them.
"""

from __future__ import annotations

import time
import warnings
from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager
from typing import Any, NamedTuple

import numpy as np

from doc2vecc import CorpusWarning
from doc2vecc.baselines import ParagraphVectors
from doc2vecc.evaluation import linear_probe
from doc2vecc_paper.cells import Cell, CellKey, Summary, summarize
from doc2vecc_paper.datasets import LabeledTexts
from doc2vecc_paper.experiment import Scope, Task
from doc2vecc_paper.methods import Method

FAMILY = "classification"  # the name in the keys, for all experiments that show such a cell
EVERYTHING = ("train", "test", "unlabeled")
WITHOUT_TEST = ("train", "unlabeled")

LEARNED, INFERRED = "learned", "inferred"
_SECONDS_OF_A_PROBE = 12.0  # 25,000 documents, 100 dimensions, two classes


class Represented(NamedTuple):
    """The vectors of the labeled documents, and the name of the representation."""

    way: str
    train: Any
    test: Any


def classification_task(
    method: Method, data: LabeledTexts, learn_from: tuple[str, ...], seed: int, scope: Scope
) -> Task:
    """Return the measurement: learn from some splits of the data, classify the test split."""
    scoped = method.scoped(scope)
    settings = {**scoped.all_settings(), "learn from": "+".join(learn_from)}
    key = CellKey(FAMILY, method.name, settings, seed, (data.fingerprint,))
    share = np.isin(data.split, learn_from).mean()
    seconds = scoped.learning_seconds(int(share * data.fingerprint.text_bytes))
    seconds += len(scoped.ways) * _probe_seconds(data, settings.get("vector_size", 100))
    return Task(key, lambda: _measure(scoped, data, learn_from, seed), seconds)


def _measure(method: Method, data: LabeledTexts, learn_from: tuple[str, ...], seed: int) -> Mapping[str, Any]:
    learned_from = data.only(*learn_from)
    estimator = method.build(seed)
    with noting_warnings() as messages:
        clock = time.perf_counter()
        estimator.fit(learned_from.texts)
        learning_seconds = time.perf_counter() - clock
        errors, chosen, unconverged = {}, {}, {}
        representing: dict[str, float] = {}
        for way, train, test in _representations(estimator, method.ways, learned_from, data, representing):
            probed = linear_probe(train, data.label[data.split == "train"], test, data.label[data.split == "test"])
            errors[way], chosen[way], unconverged[way] = probed.error, probed.c, list(probed.unconverged)
    return {
        "errors": errors,
        "c": chosen,
        "unconverged": {way: some for way, some in unconverged.items() if some},
        "learning_seconds": learning_seconds,
        **representing,
        "vocabulary": len(estimator.vocabulary_),
        **speed(estimator),
        "messages": messages + not_converged(c for some in unconverged.values() for c in some),
    }


def _representations(
    estimator: Any,  # noqa: ANN401
    ways: tuple[str, ...],
    learned_from: LabeledTexts,
    data: LabeledTexts,
    seconds: dict[str, float],
) -> Iterator[Represented]:
    """Yield the vectors of the training and the test documents for each representation of the method.

    The seconds of both are written into ``seconds``.
    """
    train, test = data.only("train").texts, data.only("test").texts
    if isinstance(estimator, ParagraphVectors):
        yield from _paragraph_vectors(estimator, learned_from, data)
        return
    for way in ways:
        if len(ways) > 1:
            estimator.set_params(weighting=way)
        vectors = []
        for split, texts in (("train", train), ("test", test)):
            clock = time.perf_counter()
            vectors.append(estimator.transform(texts))
            seconds[f"{split}_generation_seconds"] = time.perf_counter() - clock
        yield Represented(way, *vectors)


def _paragraph_vectors(
    estimator: ParagraphVectors, learned_from: LabeledTexts, data: LabeledTexts
) -> Iterator[Represented]:
    """Yield the vectors learned in training; those of unseen documents are inferred, as in the paper.

    Learned and inferred vectors differ a little, so the training documents are also inferred.
    """
    learned = estimator.document_vectors_
    train = learned[learned_from.split == "train"]
    if "test" in learned_from.split:
        yield Represented(LEARNED, train, learned[learned_from.split == "test"])
        return
    test = estimator.transform(data.only("test").texts)
    yield Represented(LEARNED, train, test)
    yield Represented(INFERRED, estimator.transform(data.only("train").texts), test)


def speed(estimator: Any) -> dict[str, float]:  # noqa: ANN401
    """Return words of an epoch, words per second and last loss, or what was learned before these texts were seen."""
    if hasattr(estimator, "pretraining_"):
        return dict(estimator.pretraining_)
    if not hasattr(estimator, "history_"):
        return {}
    words, seconds = (sum(getattr(epoch, name) for epoch in estimator.history_) for name in ("words", "seconds"))
    return {
        "words_of_an_epoch": words // len(estimator.history_),
        "words_per_second": words / seconds,
        "loss": estimator.history_[-1].loss,
    }


def not_converged(values: Iterable[float]) -> list[str]:
    """Say at which C a classifier did not converge; nothing if it always did.

    >>> not_converged([10.0, 1.0, 10.0])
    ['the classifier did not converge at C = 1, 10; its error could be lower']
    """
    at = ", ".join(f"{c:g}" for c in sorted(set(values)))
    return [f"the classifier did not converge at C = {at}; its error could be lower"] if at else []


@contextmanager
def noting_warnings() -> Iterator[list[str]]:
    """Collect the warnings about the texts, to be stored with the result; complete at the end of the block."""
    messages: list[str] = []
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always", CorpusWarning)
        yield messages
    for one in caught:
        if not issubclass(one.category, CorpusWarning):
            warnings.warn_explicit(one.message, one.category, one.filename, one.lineno)
        elif str(one.message) not in messages:
            messages.append(str(one.message))


def _probe_seconds(data: LabeledTexts, vector_size: int) -> float:
    """Estimate the time of a probe: proportional to documents, classes and dimensions."""
    size = np.count_nonzero(data.split == "train") / 25_000 * max(1.0, len(data.classes) / 10)
    return _SECONDS_OF_A_PROBE * float(size) * max(1.0, vector_size / 100)


def cells_of(cells: Iterable[Cell], method: str, **settings: object) -> list[Cell]:
    """Return the cells of a method whose settings have these values."""
    return [
        cell
        for cell in cells
        if cell.key.method == method and all(cell.key.settings.get(name) == value for name, value in settings.items())
    ]


def error(cells: Iterable[Cell], way: str) -> Summary | None:
    """Return the error in percent over the seeds, None if there is no such cell."""
    return summarize(100 * cell.result["errors"][way] for cell in cells if way in cell.result["errors"])
