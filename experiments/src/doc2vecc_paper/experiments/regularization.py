"""Table 3: the words whose vectors are closest to zero, and how frequent they are."""

from __future__ import annotations

import statistics
from collections.abc import Mapping, Sequence
from functools import partial
from pathlib import Path
from typing import Any

from doc2vecc_paper.cells import Cell, CellKey, summarize
from doc2vecc_paper.claims import CLOSEST_TO_ZERO_DATA
from doc2vecc_paper.classification import cells_of, noting_warnings
from doc2vecc_paper.console import counted
from doc2vecc_paper.datasets import LabeledTexts
from doc2vecc_paper.documents import reviews
from doc2vecc_paper.drawing import METHOD_COLORS, panels, save
from doc2vecc_paper.experiment import Experiment, Picture, Scope, Section, Task
from doc2vecc_paper.methods import DOC2VECC, PV_DM, WORD2VEC, Method
from doc2vecc_paper.published import CLOSEST_TO_ZERO, CLOSEST_TO_ZERO_CAPTION, CLOSEST_TO_ZERO_PLACE, Name
from doc2vecc_paper.tables import Column, ResultTable, Row, decimals
from doc2vecc_paper.word_vectors import norms_by_frequency, smallest_norms

FAMILY = "word norms"
CUT_OFF = int(CLOSEST_TO_ZERO_DATA.values["min count"])
KEPT = 30  # words of each training that its cell stores
SHOWN = 13  # as many as the longest row of the paper's table
EARLY_EPOCHS = (1, 5)  # vectors of rare words start near zero and grow late: shorter trainings show it
_LINES = ("-", "--", ":")  # the usual training, then shorter ones
METHODS: Mapping[str, Method] = {
    name: method.changed(name, min_count=CUT_OFF)
    for name, method in ((Name.WORD2VEC, WORD2VEC), (Name.PARAGRAPH_VECTORS, PV_DM), (Name.DOC2VECC, DOC2VECC))
}


def tasks(data: Path, scope: Scope) -> list[Task]:
    """Return the trainings of each method and seed, on all reviews: the usual one, and shorter ones."""
    texts = reviews(data, scope)
    found = []
    for seed in scope.seeds:
        for method in METHODS.values():
            usual = method.scoped(scope)
            usual_epochs = usual.all_settings()["epochs"]
            for epochs in (*(early for early in EARLY_EPOCHS if early < usual_epochs), usual_epochs):
                trained = usual.changed(epochs=epochs)
                key = CellKey(FAMILY, method.name, trained.all_settings(), seed, (texts.fingerprint,))
                seconds = trained.learning_seconds(texts.fingerprint.text_bytes)
                found.append(Task(key, partial(_measure, trained, texts, seed), seconds))
    return found


def _measure(method: Method, texts: LabeledTexts, seed: int) -> Mapping[str, Any]:
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
    """Show the words closest to zero, how frequent they are, and the norms of all words."""
    rows = []
    for name in METHODS:
        published = statistics.median(word.occurrences for word in CLOSEST_TO_ZERO[name])
        for epochs, some in _by_epochs(cells, name).items():
            medians = [statistics.median(count for _, count, _ in _closest(cell)) for cell in some]
            correlations = [cell.result["correlation"] for cell in some]
            ours = summarize(medians), summarize(correlations)
            rows.append(Row.of(f"{name}, {counted(epochs, 'epoch')}", (published, None), ours))
    table = ResultTable(
        f"How frequent the words closest to 0 are, IMDB, cut-off {CUT_OFF} ({CLOSEST_TO_ZERO_PLACE})",
        (Column("median count of these words", decimals(0)), Column("rank correlation of norm and count")),
        tuple(rows),
        (
            f"Ours are the {SHOWN} words closest to 0; the paper lists 11 or 13. The length of a word's vector is "
            "its weight in a document. The correlation is Spearman's over all words: positive if frequent words "
            "have longer vectors. The paper does not give its number of epochs.",
        ),
    )
    picture = Picture(
        "norms",
        "Length of word vectors by the count of the word, first seed: median, middle half and middle nine tenths "
        "of the words; the points are the words closest to 0. Broken lines: the median after shorter trainings.",
        partial(_draw, cells),
    )
    return Section((table,), (picture,), tuple(_lists(cells)))


def _by_epochs(cells: Sequence[Cell], method: str) -> dict[int, list[Cell]]:
    """Return the cells of a method under their number of epochs, short trainings first."""
    some = cells_of(cells, method)
    numbers = sorted({cell.key.settings["epochs"] for cell in some})
    return {epochs: cells_of(some, method, epochs=epochs) for epochs in numbers}


def _closest(cell: Cell) -> list[tuple[str, int, float]]:
    """Return word, count and length of the vectors closest to zero."""
    return [(word, count, norm) for word, count, norm in cell.result["smallest"][:SHOWN]]


def _lists(cells: Sequence[Cell]) -> list[str]:
    """Write the words closest to zero as in the paper, its own and ours."""
    notes = [f"{CLOSEST_TO_ZERO_CAPTION}, counts in parentheses:"]
    for name in METHODS:
        published = " ".join(f"{one.word}({one.occurrences})" for one in CLOSEST_TO_ZERO[name])
        notes.append(f"{name}, paper: `{published}`")
        for epochs, some in _by_epochs(cells, name).items():
            found = " ".join(f"{word}({count})" for word, count, _ in _closest(some[0]))
            notes.append(f"{name}, ours ({counted(epochs, 'epoch')}, seed {some[0].key.seed}): `{found}`")
    return notes


def _draw(cells: Sequence[Cell], path: Path) -> None:
    figure, axes = panels(len(METHODS), width=3.4, height=3.2)
    for place, name in zip(axes, METHODS, strict=True):
        place.set_title(name)
        place.set_xscale("log")
        place.set_xlabel("occurrences of the word")
        trainings = [(epochs, some[0]) for epochs, some in _by_epochs(cells, name).items()]
        for number, (epochs, cell) in enumerate(reversed(trainings)):
            style = {"color": METHOD_COLORS[name], "linestyle": _LINES[number], "label": counted(epochs, "epoch")}
            quantiles = _quantiles(cell)
            place.plot(_counts(cell), quantiles[len(quantiles) // 2], **style)
            if number == 0:
                _draw_ranges(place, cell, METHOD_COLORS[name])
        if trainings:
            place.legend(fontsize=7, frameon=False)
        place.set_ylim(bottom=0)
    axes[0].set_ylabel("length of its vector")
    save(figure, path)


def _draw_ranges(axes: Any, cell: Cell, color: str) -> None:  # noqa: ANN401
    quantiles = _quantiles(cell)
    for inner in range(len(quantiles) // 2):
        ends = quantiles[inner], quantiles[-1 - inner]
        axes.fill_between(_counts(cell), *ends, color=color, alpha=0.25, linewidth=0)
    closest = _closest(cell)
    axes.plot([count for _, count, _ in closest], [norm for _, _, norm in closest], ".", color="#333333")


def _counts(cell: Cell) -> list[float]:
    """Return the middle of each bin of counts."""
    bins = cell.result["bins"]
    return [(low * high) ** 0.5 for low, high in zip(bins["low"], bins["high"], strict=True)]


def _quantiles(cell: Cell) -> list[tuple[float, ...]]:
    """Return the lengths at each quantile, one for each bin of counts."""
    return list(zip(*cell.result["bins"]["norms"], strict=True))


EXPERIMENT = Experiment(
    name="regularization",
    title="Words with vectors close to zero",
    place=CLOSEST_TO_ZERO_PLACE,
    tasks=tasks,
    section=section,
    needs=("imdb",),
)
