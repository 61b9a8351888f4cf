"""The claim of section 4.2 that the corruption rate hardly affects the error, but does affect the time."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import partial
from pathlib import Path

from doc2vecc_paper.cells import Cell, Summary, summarize
from doc2vecc_paper.claims import CORRUPTION_RATE
from doc2vecc_paper.classification import EVERYTHING, cells_of, classification_task, error
from doc2vecc_paper.documents import reviews
from doc2vecc_paper.drawing import METHOD_COLORS, panels, save
from doc2vecc_paper.experiment import Experiment, Picture, Scope, Section, Task
from doc2vecc_paper.methods import DEA, DOC2VECC, Method
from doc2vecc_paper.published import IMDB_ERROR, Name
from doc2vecc_paper.tables import Column, ResultTable, Row, duration

# keep = 1 - q, written out so that the keys of cells have no rounding errors.
RATES = {0.0: 1.0, 0.5: 0.5, 0.8: 0.2, 0.9: 0.1, 0.95: 0.05, 0.99: 0.01}
METHODS = (DOC2VECC, DEA)
_COLORS: Mapping[str, str] = {Name.DOC2VECC: METHOD_COLORS[Name.DOC2VECC], Name.DEA: "#b5651d"}


def tasks(data: Path, scope: Scope) -> list[Task]:
    """Return a training for each method, seed and rate."""
    texts = reviews(data, scope)
    return [
        classification_task(method.changed(keep=keep), texts, EVERYTHING, seed, scope)
        for method in METHODS
        for seed in scope.seeds
        for keep in RATES.values()
    ]


def section(cells: Sequence[Cell]) -> Section:
    """Show error and training time by rate."""
    picture = Picture(
        "corruption",
        "Error and training time by the share of words that survive the corruption, keep = 1 - q; the bars are the "
        "standard deviation over the seeds",
        partial(_draw, cells),
    )
    notes = (
        f"The paper says that {CORRUPTION_RATE.says}.",
        "Here more targets share a corruption with many surviving words (a third as many targets as words), so the "
        "time does not grow in proportion to the survivors.",
    )
    return Section(tuple(_table(cells, method) for method in METHODS), (picture,), notes)


def _table(cells: Sequence[Cell], method: Method) -> ResultTable:
    rows = []
    for rate, keep in RATES.items():
        some = cells_of(cells, method.name, keep=keep)
        published = IMDB_ERROR.value(method.name, "include test") if rate == CORRUPTION_RATE.values["q"] else None
        rows.append(Row.of(f"q = {rate:g}", (published, None), (error(some, "mean"), learning_time(some))))
    columns = (Column("error %"), Column("training time", duration))
    return ResultTable(
        f"{method.name}: error and training time by corruption rate, IMDB ({CORRUPTION_RATE.place})",
        columns,
        tuple(rows),
        ("Vectors are learned from all reviews. The time includes reading the texts.",),
    )


def learning_time(cells: Sequence[Cell]) -> Summary | None:
    """Return the seconds of training over the seeds."""
    return summarize(cell.result["learning_seconds"] for cell in cells)


def _draw(cells: Sequence[Cell], path: Path) -> None:
    figure, (errors, times) = panels(2, width=4.2, height=3.2)
    for method in METHODS:
        curves = {keep: cells_of(cells, method.name, keep=keep) for keep in sorted(RATES.values())}
        for axes, measure in ((errors, lambda some: error(some, "mean")), (times, learning_time)):
            points = {keep: found for keep, some in curves.items() if (found := measure(some)) is not None}
            axes.errorbar(
                list(points),
                [point.mean for point in points.values()],
                [point.spread or 0.0 for point in points.values()],
                marker="o",
                capsize=3,
                color=_COLORS[method.name],
                label=method.name,
            )
    for axes, label in ((errors, "error %"), (times, "training time, s")):
        axes.set_xscale("log")
        axes.set_xticks(sorted(RATES.values()), [f"{keep:g}" for keep in sorted(RATES.values())])
        axes.set_xticks([], minor=True)
        axes.set_xlabel("keep = 1 - q")
        axes.set_ylabel(label)
    times.set_ylim(bottom=0)
    errors.legend(frameon=False)
    save(figure, path)


EXPERIMENT = Experiment(
    name="corruption",
    title="Error and time by corruption rate",
    place=CORRUPTION_RATE.place,
    tasks=tasks,
    section=section,
    needs=("imdb",),
)
