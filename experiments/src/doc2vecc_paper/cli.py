"""``doc2vecc paper``: the experiments of the paper, with its figures beside ours."""

from __future__ import annotations

import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from doc2vecc.cli.options import UserError
from doc2vecc.console import notify_on_compile, print_table, program, say, say_notes, stdout
from doc2vecc.errors import DivergenceError

if TYPE_CHECKING:
    from rich.progress import Progress

    from doc2vecc.errors import DivergenceError
    from doc2vecc_paper.cells import Cell, CellStore
    from doc2vecc_paper.experiment import Experiment, Scope, Task
    from doc2vecc_paper.report import Chapter, Drawn
    from doc2vecc_paper.running import Plan

CELLS = "cells"  # in the output folder
RESULTS, QUICK_RESULTS = "paper-results", "paper-results-quick"  # a quick look must not replace a real figure
SEEDS, QUICK_SEEDS = 3, 1


def paper(
    names: Annotated[
        list[str] | None,
        typer.Argument(metavar="NAME", help="Experiments to run; without any, all are listed.", show_default=False),
    ] = None,
    everything: Annotated[bool, typer.Option("--all", help="Run all experiments and write a report.")] = False,
    output: Annotated[
        Path | None,
        typer.Option(
            "-o",
            "--output",
            metavar="DIR",
            help="Where finished measurements, figures and report go.",
            show_default=f"{RESULTS}, with --quick {QUICK_RESULTS}",
        ),
    ] = None,
    data: Annotated[
        Path | None,
        typer.Option(metavar="DIR", help="Folder of the data sets.", show_default="what DOC2VECC_DATA names"),
    ] = None,
    quick: Annotated[bool, typer.Option("--quick", help="Small samples, under a minute each.")] = False,
    full: Annotated[bool, typer.Option("--full", help="Also what takes very long.")] = False,
    seeds: Annotated[
        int | None, typer.Option(metavar="N", min=1, help="Repetitions.", show_default="3, with --quick 1")
    ] = None,
    workers: Annotated[int, typer.Option("--workers", metavar="N", min=1, help="Threads.")] = 2,
    report_only: Annotated[
        bool, typer.Option("--report-only", help="Measure nothing; show what is finished.")
    ] = False,
) -> None:
    """Run the experiments of the paper on real data and show its figures beside ours; an interrupted run goes on.

    A report (report.md, report.json, figures) is written with --all, and with --report-only without names.

    Example: [bold]doc2vecc paper[/bold]
    """
    if quick and full:
        raise UserError("--quick and --full do not go together; leave one of them out")
    if names and everything:
        raise UserError("--all runs every experiment; leave it out, or the names")

    from doc2vecc_paper.catalogue import EXPERIMENTS
    from doc2vecc_paper.cells import CellStore
    from doc2vecc_paper.experiment import Scope

    scope = Scope(tuple(range(seeds or (QUICK_SEEDS if quick else SEEDS))), workers, quick, full)
    folder = output or Path(QUICK_RESULTS if quick else RESULTS)
    store = CellStore(folder / CELLS, say)
    if not (names or everything or report_only):
        _list(EXPERIMENTS, data, scope, store)
        return
    chosen = _chosen(names) if names else list(EXPERIMENTS)
    _run(chosen, data, scope, store, folder, is_report=not names, measures=not report_only)


def _chosen(names: list[str]) -> list[Experiment]:
    from doc2vecc_paper.catalogue import UnknownExperimentError, named

    try:
        return [named(name) for name in dict.fromkeys(names)]
    except UnknownExperimentError as error:
        raise UserError(str(error)) from error


def _list(experiments: tuple[Experiment, ...], data: Path | None, scope: Scope, store: CellStore) -> None:
    """Show every experiment with what it needs, how long it takes and how much of it is finished."""
    from doc2vecc_paper.datasets import DataError, data_folder
    from doc2vecc_paper.running import finished, plan

    rows, missing = [], []
    for experiment in experiments:
        try:
            planned = plan(experiment, data_folder(data), scope)
            state = f"{len(finished(planned, store))} of {len(planned.tasks)}"
            measurable = planned.measurable()
            seconds = _about(sum(task.seconds for task in measurable)) if measurable else ""
            missing += planned.missing()
        except DataError as error:
            state, seconds = "no data", ""
            missing.append(str(error))
        needs = ", ".join(experiment.needs)
        rows.append([experiment.name, seconds, state, experiment.title, needs, experiment.place])
    headings = ["name", "takes", "finished", "what", "data", "place in the paper"]
    print_table(stdout(), headings, rows, right=["takes", "finished"])
    say_notes(dict.fromkeys(missing))
    say(f"try: {program()} paper {experiments[0].name} --quick --data DIR")


def _run(
    experiments: list[Experiment],
    data: Path | None,
    scope: Scope,
    store: CellStore,
    output: Path,
    *,
    is_report: bool,
    measures: bool,
) -> None:
    from doc2vecc_paper import report
    from doc2vecc_paper.datasets import data_folder
    from doc2vecc_paper.running import plan

    folder = data_folder(data)
    plans = [plan(experiment, folder, scope) for experiment in experiments]
    if measures:
        _measure(plans, store)
    try:
        found = report.chapters(plans, store)
        for chapter in found:
            _print(chapter)
        if scope.quick:
            say("note: --quick is a small sample; it shows that everything works, and nothing about the methods")
        drawn = report.write(found, scope, output) if is_report else report.draw(found, output / report.FIGURES)
    except KeyboardInterrupt:
        raise KeyboardInterrupt(f"what is measured is kept in {store.folder}") from None
    _say_what_was_written(drawn, output / report.MARKDOWN if is_report else None)


def _measure(plans: list[Plan], store: CellStore) -> None:
    """Run what is left, and say before how long it will take; Ctrl-C leaves what is finished."""
    from doc2vecc_paper.running import finished, run_all, unfinished

    wanted = unfinished(plans, store)
    total = len({task.key.file_name() for plan in plans for task in plan.measurable()})
    missing = [line for plan in plans for line in plan.missing()]
    if missing and not wanted and not any(finished(plan, store) for plan in plans):
        raise UserError("; ".join(missing))
    say_notes(missing)
    if not wanted:
        say(f"nothing is left to measure; what is finished is read from {store.folder}")
        return
    seconds = sum(task.seconds for _, task in wanted)
    say(f"{len(wanted)} of {total} measurements are left; they take about {_about(seconds)} on two cores")
    with notify_on_compile(), _watching(wanted) as watcher:
        try:
            run_all(wanted, store, watcher)
        except KeyboardInterrupt:
            kept = f"{total - len(wanted) + watcher.n_finished} of {total} measurements are kept in {store.folder}"
            raise KeyboardInterrupt(f"{kept}; the same command goes on from there") from None


def _print(chapter: Chapter) -> None:
    """Print the tables of an experiment and what must be said about them."""
    from doc2vecc_paper.tables import rich_table

    console = stdout()
    for comparison in chapter.section.comparisons:
        console.print(rich_table(comparison))
        console.print()
    for note in chapter.section.notes:
        console.print(f"- {note}")
    if not chapter.is_complete():
        name, done = chapter.plan.experiment.name, len(chapter.cells)
        say(f"note: {name}: {done} of {len(chapter.plan.tasks)} measurements are finished")


def _say_what_was_written(drawn: Drawn, written: Path | None) -> None:
    say_notes(drawn.messages)
    files = [file for some in drawn.files.values() for file in some]
    if files:
        say(f"{len(files)} figures are in {files[0].parent}")
    if written is not None:
        say(f"the report is {written}")


def _about(seconds: float) -> str:
    """Write an estimate: whole minutes from ten minutes on."""
    from doc2vecc_paper.tables import duration

    return duration(60 * round(seconds / 60) if seconds >= 600 else max(10, round(seconds)))


class _Watcher:
    """Writes a line for each finished cell."""

    def __init__(self, wanted: list[tuple[Plan, Task]]) -> None:
        self.n_finished = 0
        self._total = len(wanted)

    def begins(self, plan: Plan, task: Task) -> None:
        """Show what is being measured."""

    def ends(self, plan: Plan, task: Task, cell: Cell) -> None:
        """Write the line of a finished cell, and what its measurement warned of."""
        from doc2vecc_paper.running import label
        from doc2vecc_paper.tables import duration

        self.n_finished += 1
        say(
            f"{self.n_finished}/{self._total} {plan.experiment.name}: {label(plan, task)}: {duration(cell.seconds)}"
        )
        say_notes(cell.result.get("messages", ()))

    def fails(self, plan: Plan, task: Task, error: DivergenceError) -> None:
        """Write why there is no such cell."""
        from doc2vecc_paper.running import label

        say(f"note: {plan.experiment.name}: {label(plan, task)} is left out: {error}")


class _BarWatcher(_Watcher):
    """Moves a bar as well, by the estimated seconds of what is finished."""

    def __init__(self, wanted: list[tuple[Plan, Task]], bar: Progress) -> None:
        super().__init__(wanted)
        self._estimated = sum(task.seconds for _, task in wanted)
        self._bar = bar
        self._row = bar.add_task("", total=self._estimated, left=f"about {_about(self._estimated)}")
        self._done = 0.0
        self._started = time.perf_counter()

    def begins(self, plan: Plan, task: Task) -> None:
        """Show what is being measured, and how long the rest takes at the pace so far."""
        from doc2vecc_paper.running import label

        pace = (time.perf_counter() - self._started) / self._done if self._done else 1.0
        left = f"about {_about(pace * (self._estimated - self._done))} left"
        self._bar.update(self._row, description=f"{plan.experiment.name}: {label(plan, task)}", left=left)

    def ends(self, plan: Plan, task: Task, cell: Cell) -> None:
        """Write the line of a finished cell and move on."""
        super().ends(plan, task, cell)
        self._move_on(task)

    def fails(self, plan: Plan, task: Task, error: DivergenceError) -> None:
        """Write why there is no such cell and move on."""
        super().fails(plan, task, error)
        self._move_on(task)

    def _move_on(self, task: Task) -> None:
        self._done += task.seconds
        self._bar.update(self._row, completed=self._done)


@contextmanager
def _watching(wanted: list[tuple[Plan, Task]]) -> Iterator[_Watcher]:
    """Give a watcher that draws a bar if stderr is a terminal."""
    from rich.console import Console
    from rich.progress import BarColumn, Progress, SpinnerColumn, TextColumn, TimeElapsedColumn
    from rich.table import Column

    from doc2vecc.console import LONGEST_BAR, messages_above

    console = Console(stderr=True)
    if not console.is_terminal:
        yield _Watcher(wanted)
        return
    columns = (
        SpinnerColumn(),
        TextColumn("{task.description}"),
        BarColumn(bar_width=None, table_column=Column(max_width=LONGEST_BAR)),
        TextColumn("{task.fields[left]}"),
        TimeElapsedColumn(),
    )
    with Progress(*columns, console=console, transient=True) as bar, messages_above(console):
        yield _BarWatcher(wanted, bar)
