"""The progress of a run: a line for each finished measurement, and a bar if stderr is a terminal."""

from __future__ import annotations

import time
from collections.abc import Iterator
from contextlib import contextmanager

from rich.console import Console
from rich.progress import BarColumn, Progress, SpinnerColumn, TextColumn, TimeElapsedColumn
from rich.table import Column

from doc2vecc import DivergenceError
from doc2vecc_paper.cells import Cell
from doc2vecc_paper.console import say, say_notes
from doc2vecc_paper.experiment import Task
from doc2vecc_paper.running import Plan, label
from doc2vecc_paper.tables import duration

LONGEST_BAR = 40


def estimate(seconds: float) -> str:
    """Write an estimated time, in whole minutes from ten minutes on.

    >>> estimate(3), estimate(754)
    ('10s', '13m')
    """
    return duration(60 * round(seconds / 60) if seconds >= 600 else max(10, round(seconds)))


class LineWatcher:
    """Writes a line for each finished measurement."""

    def __init__(self, wanted: list[tuple[Plan, Task]]) -> None:
        self.n_finished = 0
        self._total = len(wanted)

    def starts(self, plan: Plan, task: Task) -> None:
        """Write nothing."""

    def ends(self, plan: Plan, task: Task, cell: Cell) -> None:
        """Write the line, and the warnings of the measurement."""
        self.n_finished += 1
        name = f"{plan.experiment.name}: {label(plan, task)}"
        say(f"{self.n_finished}/{self._total} {name}: {duration(cell.seconds)}")
        say_notes(cell.result.get("messages", ()))

    def fails(self, plan: Plan, task: Task, error: DivergenceError) -> None:
        """Write why there is no result."""
        say(f"note: {plan.experiment.name}: {label(plan, task)} is skipped: {error}")


class BarWatcher(LineWatcher):
    """Also moves a bar, by the estimated seconds of what is finished."""

    def __init__(self, wanted: list[tuple[Plan, Task]], bar: Progress) -> None:
        super().__init__(wanted)
        self._estimated = sum(task.seconds for _, task in wanted)
        self._bar = bar
        self._row = bar.add_task("", total=self._estimated, left=f"about {estimate(self._estimated)}")
        self._done = 0.0
        self._started = time.perf_counter()

    def starts(self, plan: Plan, task: Task) -> None:
        """Show the name of the measurement, and the time that is left at the pace so far."""
        pace = (time.perf_counter() - self._started) / self._done if self._done else 1.0
        left = f"about {estimate(pace * (self._estimated - self._done))} left"
        self._bar.update(self._row, description=f"{plan.experiment.name}: {label(plan, task)}", left=left)

    def ends(self, plan: Plan, task: Task, cell: Cell) -> None:
        """Write the line and move the bar."""
        super().ends(plan, task, cell)
        self._move(task)

    def fails(self, plan: Plan, task: Task, error: DivergenceError) -> None:
        """Write why there is no result, and move the bar."""
        super().fails(plan, task, error)
        self._move(task)

    def _move(self, task: Task) -> None:
        self._done += task.seconds
        self._bar.update(self._row, completed=self._done)


@contextmanager
def watching(wanted: list[tuple[Plan, Task]]) -> Iterator[LineWatcher]:
    """Return a watcher that draws a bar if stderr is a terminal."""
    console = Console(stderr=True)
    if not console.is_terminal:
        yield LineWatcher(wanted)
        return
    columns = (
        SpinnerColumn(),
        TextColumn("{task.description}"),
        BarColumn(bar_width=None, table_column=Column(max_width=LONGEST_BAR)),
        TextColumn("{task.fields[left]}"),
        TimeElapsedColumn(),
    )
    with Progress(*columns, console=console, transient=True) as bar:
        yield BarWatcher(wanted, bar)
