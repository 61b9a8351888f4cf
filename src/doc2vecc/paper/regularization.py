"""Table 3: the words whose vectors are closest to zero, rare ones or those that say nothing about a document."""

from __future__ import annotations

import statistics
from collections.abc import Mapping, Sequence
from functools import partial
from pathlib import Path
from typing import Any

from doc2vecc.evaluation.word_norms import QUANTILES, norms_by_frequency, smallest_norms
from doc2vecc.paper.cells import Cell, CellKey, summarize
from doc2vecc.paper.classification import cells_of, noting_warnings
from doc2vecc.paper.datasets import LabelledTexts
from doc2vecc.paper.drawing import METHOD_COLOURS, panels, save
from doc2vecc.paper.experiment import Experiment, Picture, Scope, Section, Task
from doc2vecc.paper.methods import CORRUPTED, MEMORY, NEIGHBOURS, Method
from doc2vecc.paper.published import (
    CLOSEST_TO_ZERO,
    CLOSEST_TO_ZERO_CAPTION,
    CLOSEST_TO_ZERO_DATA,
    CLOSEST_TO_ZERO_PLACE,
    DOC2VECC,
    PARAGRAPH_VECTORS,
    WORD2VEC,
)
from doc2vecc.paper.reviews import reviews
from doc2vecc.paper.tables import Column, Comparison, Figure, Row, decimals

FAMILY = "word norms"
CUT_OFF = int(CLOSEST_TO_ZERO_DATA.figures["min count"])
KEPT = 30  # words of each training in its cell
SHOWN = 13  # as many as the longest row of the paper's table
METHODS: Mapping[str, Method] = {
    name: method.changed(name, min_count=CUT_OFF)
    for name, method in ((WORD2VEC, NEIGHBOURS), (PARAGRAPH_VECTORS, MEMORY), (DOC2VECC, CORRUPTED))
}


def tasks(data: Path, scope: Scope) -> list[Task]:
    """Return a training for each method and seed, on all reviews."""
    texts = reviews(data, scope)
    found = []
    for seed in scope.seeds:
        for method in METHODS.values():
            scoped = method.scoped(scope)
            key = CellKey(FAMILY, method.name, scoped.all_settings(), seed, (texts.fingerprint,))
            seconds = scoped.learning_seconds(texts.fingerprint.text_bytes)
            found.append(Task(key, partial(_measure, scoped, texts, seed), seconds))
    return found


def _measure(method: Method, texts: LabelledTexts, seed: int) -> Mapping[str, Any]:
    with noting_warnings() as messages:
        estimator = method.build(seed).fit(texts.texts)
    words, counts, vectors = estimator.vocabulary_.words, estimator.vocabulary_.counts, estimator.word_vectors_
    by_frequency = norms_by_frequency(counts, vectors)
    return {
        "smallest": [[one.word, one.count, one.norm] for one in smallest_norms(words, counts, vectors, k=KEPT)],
        "correlation": by_frequency.correlation,
        "bins": {
            "low": by_frequency.low.tolist(),
            "high": by_frequency.high.tolist(),
            "words": by_frequency.words.tolist(),
            "norms": by_frequency.norms.tolist(),
        },
        "vocabulary": len(words),
        "messages": messages,
    }


def section(cells: Sequence[Cell]) -> Section:
    """Show how frequent the words closest to zero are, the words themselves, and the norms of all words."""
    rows = []
    for name in METHODS:
        published = [word.occurrences for word in CLOSEST_TO_ZERO[name]]
        some = cells_of(cells, name)
        medians = [statistics.median(count for _, count, _ in cell.result["smallest"][:SHOWN]) for cell in some]
        correlations = [cell.result["correlation"] for cell in some]
        rows.append(
            Row(
                name,
                (
                    Figure(statistics.median(published), summarize(medians)),
                    Figure(None, summarize(correlations)),
                ),
            )
        )
    table = Comparison(
        f"How frequent the words closest to 0 are, IMDB, cut-off {CUT_OFF} ({CLOSEST_TO_ZERO_PLACE})",
        (Column(f"median count of the {SHOWN} words", decimals(0)), Column("rank correlation of norm and count")),
        tuple(rows),
        (
            "A word's vector is its weight in a document. The correlation is Spearman's over all words: positive "
            "if frequent words have the longer vectors.",
        ),
    )
    picture = Picture(
        "norms",
        "Length of word vectors by how often the word occurs, first seed: median, and the range of the middle half "
        "and of nine in ten words; the points are the words closest to 0",
        partial(_draw, cells),
    )
    return Section((table,), (picture,), tuple(_lists(cells)))


def _lists(cells: Sequence[Cell]) -> list[str]:
    """Write the words closest to zero as the paper does, its own and ours."""
    notes = [f"{CLOSEST_TO_ZERO_CAPTION}, counts in parentheses:"]
    for name in METHODS:
        published = " ".join(f"{one.word}({one.occurrences})" for one in CLOSEST_TO_ZERO[name])
        notes.append(f"{name}, paper: `{published}`")
        for cell in cells_of(cells, name)[:1]:
            found = " ".join(f"{word}({count})" for word, count, _ in cell.result["smallest"][:SHOWN])
            notes.append(f"{name}, ours (seed {cell.key.seed}): `{found}`")
    return notes


def _draw(cells: Sequence[Cell], path: Path) -> None:
    figure, axes = panels(len(METHODS), width=3.4, height=3.2)
    for place, name in zip(axes, METHODS, strict=True):
        place.set_title(name)
        place.set_xscale("log")
        place.set_xlabel("occurrences of the word")
        for cell in cells_of(cells, name)[:1]:
            _draw_norms(place, cell.result, METHOD_COLOURS[name])
    axes[0].set_ylabel("length of its vector")
    save(figure, path)


def _draw_norms(axes: Any, result: Mapping[str, Any], colour: str) -> None:  # noqa: ANN401
    bins = result["bins"]
    counts = [(low * high) ** 0.5 for low, high in zip(bins["low"], bins["high"], strict=True)]
    quantiles = list(zip(*bins["norms"], strict=True))
    half = len(QUANTILES) // 2
    for inner in range(half):
        axes.fill_between(counts, quantiles[inner], quantiles[-1 - inner], color=colour, alpha=0.25, linewidth=0)
    axes.plot(counts, quantiles[half], color=colour)
    smallest = result["smallest"][:SHOWN]
    axes.plot([count for _, count, _ in smallest], [norm for _, _, norm in smallest], ".", color="#333333")
    axes.set_ylim(bottom=0)


EXPERIMENT = Experiment(
    name="regularization",
    title="Which words have vectors close to zero",
    place=CLOSEST_TO_ZERO_PLACE,
    tasks=tasks,
    section=section,
    needs=("imdb",),
)
