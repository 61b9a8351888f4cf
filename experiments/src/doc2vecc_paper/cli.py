"""``doc2vecc-paper``: the experiments of the paper, with its values beside ours."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Annotated

import typer

from doc2vecc import ParameterError
from doc2vecc_paper import catalog, report
from doc2vecc_paper.cells import CellStore
from doc2vecc_paper.console import print_list, run, say, say_notes, stdout
from doc2vecc_paper.datasets import DataError, data_folder
from doc2vecc_paper.experiment import Experiment, Scope
from doc2vecc_paper.progress import estimate, watching
from doc2vecc_paper.running import Plan, finished, plan, run_all, unfinished
from doc2vecc_paper.tables import rich_table

PROGRAM = "doc2vecc-paper"
CELLS = "cells"  # in the output folder
RESULTS, QUICK_RESULTS = "paper-results", "paper-results-quick"  # a quick run must not replace real results
SEEDS, QUICK_SEEDS = 3, 1

app = typer.Typer(
    add_completion=False, rich_markup_mode="rich", context_settings={"help_option_names": ["-h", "--help"]}
)


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the command -> exit code."""
    return run(app, PROGRAM, sys.argv[1:] if arguments is None else arguments)


@app.command()
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
            help="Folder of finished measurements, figures and report.",
            show_default=f"{RESULTS}, with --quick {QUICK_RESULTS}",
        ),
    ] = None,
    data: Annotated[
        Path | None,
        typer.Option(metavar="DIR", help="Folder of the data sets.", show_default="the value of DOC2VECC_DATA"),
    ] = None,
    quick: Annotated[bool, typer.Option("--quick", help="Small samples, under a minute each.")] = False,
    full: Annotated[bool, typer.Option("--full", help="Also what takes very long.")] = False,
    seeds: Annotated[
        int | None, typer.Option(metavar="N", min=1, help="Number of seeds.", show_default="3, with --quick 1")
    ] = None,
    workers: Annotated[int, typer.Option("--workers", metavar="N", min=1, help="Threads.")] = 2,
    report_only: Annotated[bool, typer.Option("--report-only", help="Measure nothing; show what is finished.")] = False,
) -> None:
    """Run the experiments of the paper on real data and show its values beside ours.

    An interrupted run continues where it stopped. A report (report.md, report.json, figures) is written with --all,
    and with --report-only without names.

    Example: [bold]doc2vecc-paper sentiment --quick --data DIR[/bold]
    """
    if quick and full:
        raise ParameterError("--quick and --full exclude each other; leave one of them out")
    if names and everything:
        raise ParameterError("--all runs every experiment; leave out either --all or the names")
    scope = Scope(tuple(range(seeds or (QUICK_SEEDS if quick else SEEDS))), workers, quick, full)
    folder = output or Path(QUICK_RESULTS if quick else RESULTS)
    store = CellStore(folder / CELLS, say)
    if not (names or everything or report_only):
        _list(data, scope, store)
        return
    chosen = [catalog.named(name) for name in dict.fromkeys(names)] if names else list(catalog.EXPERIMENTS)
    plans = _plans(chosen, data, scope)
    if not report_only:
        _measure(plans, store)
    _show(plans, scope, store, folder, with_report=not names)


def _list(data: Path | None, scope: Scope, store: CellStore) -> None:
    """Show every experiment with its data, its estimated time and how much of it is finished."""
    rows, missing = [], []
    for experiment in catalog.EXPERIMENTS:
        try:
            (planned,) = _plans([experiment], data, scope)
            state = f"{len(finished(planned, store))} of {len(planned.tasks)}"
            measurable = planned.measurable()
            seconds = estimate(sum(task.seconds for task in measurable)) if measurable else ""
            missing += planned.missing()
        except DataError as error:
            state, seconds = "no data", ""
            missing.append(str(error))
        needs = ", ".join(experiment.needs)
        rows.append([experiment.name, seconds, state, experiment.title, needs, experiment.place])
    headings = ["name", "takes", "finished", "title", "data", "place in the paper"]
    print_list(headings, rows, right=["takes", "finished"])
    say_notes(dict.fromkeys(missing))
    say(f"try: {PROGRAM} {catalog.EXPERIMENTS[0].name} --quick --data DIR")


def _plans(experiments: list[Experiment], data: Path | None, scope: Scope) -> list[Plan]:
    folder = data_folder(data)
    return [plan(experiment, folder, scope) for experiment in experiments]


def _measure(plans: list[Plan], store: CellStore) -> None:
    """Say how long the unfinished measurements take, and run them; Ctrl-C keeps what is finished."""
    wanted = unfinished(plans, store)
    total = len({task.key.file_name() for planned in plans for task in planned.measurable()})
    missing = [line for planned in plans for line in planned.missing()]
    if missing and not wanted and not any(finished(planned, store) for planned in plans):
        raise ParameterError("; ".join(missing))
    say_notes(missing)
    if not wanted:
        say(f"all measurements are finished; they are read from {store.folder}")
        return
    seconds = sum(task.seconds for _, task in wanted)
    left = f"{len(wanted)} of {total} measurements are left; they take about {estimate(seconds)} on two cores"
    say(f"{left}, and a minute more if doc2vecc has not been compiled on this machine")
    with watching(wanted) as watcher:
        try:
            run_all(wanted, store, watcher)
        except KeyboardInterrupt:
            kept = f"{total - len(wanted) + watcher.n_finished} of {total} measurements are in {store.folder}"
            raise KeyboardInterrupt(f"{kept}; the same command continues from there") from None


def _show(plans: list[Plan], scope: Scope, store: CellStore, output: Path, *, with_report: bool) -> None:
    """Print the tables of what is finished, and draw the figures; with a report, write that too."""
    try:
        chapters = report.chapters(plans, store)
        for chapter in chapters:
            _print(chapter)
        if scope.quick:
            say("note: --quick takes small samples; it tests the program and says nothing about the methods")
        drawn = report.write(chapters, scope, output) if with_report else report.draw(chapters, output / report.FIGURES)
    except KeyboardInterrupt:
        raise KeyboardInterrupt(f"finished measurements are in {store.folder}") from None
    say_notes(drawn.messages)
    files = [file for some in drawn.files.values() for file in some]
    if files:
        say(f"{len(files)} figures are in {files[0].parent}")
    if with_report:
        say(f"the report is {output / report.MARKDOWN}")


def _print(chapter: report.Chapter) -> None:
    """Print the tables and notes of an experiment."""
    console = stdout()
    for table in chapter.section.tables:
        console.print(rich_table(table))
        console.print()
    for note in chapter.section.notes:
        console.print(f"- {note}")
    if not chapter.is_complete():
        name, done = chapter.plan.experiment.name, len(chapter.cells)
        say(f"note: {name}: {done} of {len(chapter.plan.tasks)} measurements are finished")


if __name__ == "__main__":
    sys.exit(main())
