"""Table 2: how long it takes to learn, and to represent documents that were not learned from."""

from __future__ import annotations

import time
from collections.abc import Mapping, Sequence
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import Any

from doc2vecc.baselines import ParagraphVectors
from doc2vecc_paper.cells import Cell, CellKey, Summary, summarize
from doc2vecc_paper.classification import WITHOUT_TEST, cells_of, noting_warnings, speed
from doc2vecc_paper.datasets import LabeledTexts
from doc2vecc_paper.documents import reviews
from doc2vecc_paper.experiment import Experiment, Scope, Section, Task
from doc2vecc_paper.methods import BAG, BAG_OF_WORDS, CORRUPTED, DENOISING, MEMORY, NEIGHBORS, Method
from doc2vecc_paper.published import (
    DEA,
    DOC2VECC,
    IMDB_TIME,
    PARAGRAPH_VECTORS,
    SKIP_THOUGHT,
    TRAINING_SPEED,
    WORD2VEC_IDF,
)
from doc2vecc_paper.tables import Column, Comparison, Figure, Row, duration

FAMILY = "time"
WORKERS = (2, 1)
WEIGHTED = replace(NEIGHBORS.changed(WORD2VEC_IDF, weighting="idf"), ways=("idf",))
COUNTED = replace(BAG_OF_WORDS.changed(weighting="binary"), ways=("binary",))
METHODS = (COUNTED, DENOISING, WEIGHTED, MEMORY, BAG, CORRUPTED)
# What the paper calls them, where it has a time for them.
PUBLISHED = {
    DENOISING.name: DEA,
    WEIGHTED.name: WORD2VEC_IDF,
    MEMORY.name: PARAGRAPH_VECTORS,
    BAG.name: PARAGRAPH_VECTORS,
    CORRUPTED.name: DOC2VECC,
}
WARM_UP = 200  # documents to learn from before the clock starts, so that nothing is compiled under it

_MACHINE = (
    "The paper's times are from a desktop with an Intel i7 of 2.2 GHz; it does not say how many threads, epochs or "
    "documents to learn from."
)


def tasks(data: Path, scope: Scope) -> list[Task]:
    """Return rounds, one for each seed, in which the methods take turns with two workers and with one."""
    texts = reviews(data, scope)
    return [
        _task(method.scoped(scope._replace(workers=workers)), texts, seed)
        for seed in scope.seeds
        for workers in WORKERS
        for method in METHODS
    ]


def _task(method: Method, texts: LabeledTexts, seed: int) -> Task:
    settings = {**method.all_settings(), "learn from": "+".join(WITHOUT_TEST)}
    key = CellKey(FAMILY, method.name, settings, seed, (texts.fingerprint,))
    seconds = method.learning_seconds(int(0.75 * texts.fingerprint.text_bytes))
    generation = seconds / 3 if method.estimator is ParagraphVectors else 2.0
    return Task(key, partial(_measure, method, texts, seed), seconds + generation)


def _measure(method: Method, texts: LabeledTexts, seed: int) -> Mapping[str, Any]:
    learned_from, unseen = texts.part(*WITHOUT_TEST).texts, texts.part("test").texts
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
    """Lay the times out as the paper does, once for two workers and once for one."""
    return Section(
        tuple(_table(cells, workers) for workers in WORKERS), notes=(_MACHINE, *_amounts(cells), *_speeds(cells))
    )


def _table(cells: Sequence[Cell], workers: int) -> Comparison:
    rows = []
    for method in METHODS:
        some = cells_of(cells, method.name, workers=workers)
        rows.append(
            _row(
                method.name,
                PUBLISHED.get(method.name, ""),
                _seconds(some, "learning"),
                _seconds(some, "generation"),
            )
        )
    rows.insert(-1, _row(SKIP_THOUGHT, SKIP_THOUGHT, None, None))
    return Comparison(
        f"{IMDB_TIME.caption}, {workers} {'worker' if workers == 1 else 'workers'} ({IMDB_TIME.place})",
        (Column("learning", duration), Column("generation", duration)),
        tuple(rows),
    )


def _row(name: str, published: str, *ours: Summary | None) -> Row:
    paper = [IMDB_TIME.figure(published, column) for column in IMDB_TIME.columns]
    return Row(name, tuple(Figure(*pair) for pair in zip(paper, ours, strict=True)))


def _seconds(cells: Sequence[Cell], stage: str) -> Summary | None:
    return summarize(cell.result[f"{stage}_seconds"] for cell in cells)


def _amounts(cells: Sequence[Cell]) -> tuple[str, ...]:
    """Say how much is learned from, and how much generated."""
    for cell in cells_of(cells, DOC2VECC)[:1]:
        documents = cell.result["documents"]
        return (
            f"Ours: {cell.key.settings['epochs']} epochs over the {documents['learning']:,} reviews that are not "
            f"of the test part, and generation for the {documents['generation']:,} that are, both from raw text; "
            "the methods take turns, so that all see the machine in the same state.",
        )
    return ()


def _speeds(cells: Sequence[Cell]) -> tuple[str, ...]:
    """Say how many words an hour has, which is a claim of the abstract."""
    found = summarize(cell.result["words_per_second"] for cell in cells_of(cells, DOC2VECC, workers=max(WORKERS)))
    if found is None:
        return ()
    return (
        f"The paper ({TRAINING_SPEED.place}): {TRAINING_SPEED.says}. Here Doc2VecC learns {found.mean / 1e6:.1f} "
        f"million words a second with two workers, {found.mean * 3600 / 1e9:.1f} billion an hour.",
    )


EXPERIMENT = Experiment(
    name="time",
    title="Time to learn, and to represent new documents",
    place=IMDB_TIME.place,
    tasks=tasks,
    section=section,
    needs=("imdb",),
)
