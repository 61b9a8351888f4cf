"""Table 2: time of training, and of embedding unseen documents."""

from __future__ import annotations

import time
from collections.abc import Mapping, Sequence
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import Any

from doc2vecc.baselines import ParagraphVectors
from doc2vecc_paper.cells import Cell, CellKey, Summary, summarize
from doc2vecc_paper.claims import TRAINING_SPEED
from doc2vecc_paper.classification import WITHOUT_TEST, cells_of, noting_warnings, speed
from doc2vecc_paper.console import counted
from doc2vecc_paper.datasets import LabeledTexts
from doc2vecc_paper.documents import reviews
from doc2vecc_paper.experiment import Experiment, Scope, Section, Task
from doc2vecc_paper.experiments import language_models, skip_thoughts
from doc2vecc_paper.methods import BOW, DEA, DOC2VECC, PV_DBOW, PV_DM, WORD2VEC, Method
from doc2vecc_paper.published import IMDB_TIME, Name
from doc2vecc_paper.tables import Column, ResultTable, Row, duration

FAMILY = "time"
WORKERS = (2, 1)
WEIGHTED = replace(WORD2VEC.changed(Name.WORD2VEC_IDF, weighting="idf"), ways=("idf",))
COUNTED = replace(BOW.changed(weighting="binary"), ways=("binary",))
METHODS = (COUNTED, DEA, WEIGHTED, PV_DM, PV_DBOW, DOC2VECC)
# Their names in the paper, where it has a time for them.
PUBLISHED = {
    DEA.name: Name.DEA,
    WEIGHTED.name: Name.WORD2VEC_IDF,
    PV_DM.name: Name.PARAGRAPH_VECTORS,
    PV_DBOW.name: Name.PARAGRAPH_VECTORS,
    DOC2VECC.name: Name.DOC2VECC,
}
WARM_UP = 200  # documents of a training before the clock starts, so that compilation does not count

_MACHINE = (
    "The paper's times are from a desktop with an Intel i7 of 2.2 GHz; it does not give the number of threads, "
    "epochs and training documents."
)
_ALONE = (
    "learned from the 25,000 labeled reviews with one thread in both tables, in the run of `sentiment`; generation is "
    "the likelihood of the test reviews under both classes"
)
_PRETRAINED = (
    "learned from the novels, one thread; as in the paper, the learning time is that of representing the 25,000 "
    "training reviews with the finished encoder"
)


def tasks(data: Path, scope: Scope) -> list[Task]:
    """Return a round for each seed, in which the methods take turns with two workers and with one."""
    texts = reviews(data, scope)
    found = [
        _task(method.scoped(scope._replace(workers=workers)), texts, seed)
        for seed in scope.seeds
        for workers in WORKERS
        for method in METHODS
    ]
    found += [language_models.task(texts, seed, scope) for seed in scope.seeds]
    return found + skip_thoughts.sentiment_task(data, texts, scope)


def _task(method: Method, texts: LabeledTexts, seed: int) -> Task:
    settings = {**method.all_settings(), "learn from": "+".join(WITHOUT_TEST)}
    key = CellKey(FAMILY, method.name, settings, seed, (texts.fingerprint,))
    seconds = method.learning_seconds(int(0.75 * texts.fingerprint.text_bytes))
    generation = seconds / 3 if method.estimator is ParagraphVectors else 2.0
    return Task(key, partial(_measure, method, texts, seed), seconds + generation)


def _measure(method: Method, texts: LabeledTexts, seed: int) -> Mapping[str, Any]:
    learned_from, unseen = texts.only(*WITHOUT_TEST).texts, texts.only("test").texts
    with noting_warnings() as messages:
        warm = method.changed(min_count=1).build(seed).fit(learned_from[:WARM_UP])
        warm.transform(unseen[:WARM_UP])
        estimator = method.build(seed)
        started = time.perf_counter()
        estimator.fit(learned_from)
        learned = time.perf_counter()
        estimator.transform(unseen)
        generated = time.perf_counter()
    return {
        "learning_seconds": learned - started,
        "generation_seconds": generated - learned,
        "documents": {"learning": len(learned_from), "generation": len(unseen)},
        **speed(estimator),
        "messages": messages,
    }


def section(cells: Sequence[Cell]) -> Section:
    """Show the times as in the paper, once for two workers and once for one."""
    return Section(
        tuple(_table(cells, workers) for workers in WORKERS), notes=(_MACHINE, *_amounts(cells), *_speeds(cells))
    )


def _table(cells: Sequence[Cell], workers: int) -> ResultTable:
    rows = []
    for method in METHODS:
        some = cells_of(cells, method.name, workers=workers)
        rows.append(
            _row(method.name, PUBLISHED.get(method.name, ""), _seconds(some, "learning"), _seconds(some, "generation"))
        )
    recurrent = cells_of(cells, Name.RNN_LM)
    rows.insert(
        1, _row(Name.RNN_LM, "", _seconds(recurrent, "learning"), _seconds(recurrent, "generation"), note=_ALONE)
    )
    thoughts = [_seconds(cells_of(cells, Name.SKIP_THOUGHT), f"{split}_generation") for split in ("train", "test")]
    rows.insert(-1, _row(Name.SKIP_THOUGHT, Name.SKIP_THOUGHT, *thoughts, note=_PRETRAINED))
    return ResultTable(
        f"{IMDB_TIME.caption}, {counted(workers, 'worker')} ({IMDB_TIME.place})",
        (Column("learning", duration), Column("generation", duration)),
        tuple(rows),
    )


def _row(name: str, published: str, *ours: Summary | None, note: str | None = None) -> Row:
    paper = [IMDB_TIME.value(published, column) for column in IMDB_TIME.columns]
    return Row.of(name, paper, ours, note)


def _seconds(cells: Sequence[Cell], stage: str) -> Summary | None:
    return summarize(cell.result[f"{stage}_seconds"] for cell in cells)


def _amounts(cells: Sequence[Cell]) -> tuple[str, ...]:
    """Say how many documents are trained on, and how many embedded."""
    for cell in cells_of(cells, Name.DOC2VECC)[:1]:
        documents = cell.result["documents"]
        return (
            f"Ours: {cell.key.settings['epochs']} epochs over the {documents['learning']:,} reviews outside the "
            f"test split, and generation for the {documents['generation']:,} test reviews, both from raw text. The "
            "methods take turns, so that other load on the machine affects all of them.",
        )
    return ()


def _speeds(cells: Sequence[Cell]) -> tuple[str, ...]:
    """Give the words per hour, which is a claim of the abstract."""
    some = cells_of(cells, Name.DOC2VECC, workers=max(WORKERS))
    found = summarize(cell.result["words_per_second"] for cell in some)
    if found is None:
        return ()
    return (
        f"The paper ({TRAINING_SPEED.place}): {TRAINING_SPEED.says}. Here Doc2VecC trains on "
        f"{found.mean / 1e6:.1f} million words per second with two workers, {found.mean * 3600 / 1e9:.1f} billion "
        "per hour.",
    )


EXPERIMENT = Experiment(
    name="time",
    title="Time of training and of embedding new documents",
    place=IMDB_TIME.place,
    tasks=tasks,
    section=section,
    needs=("imdb",),
)
