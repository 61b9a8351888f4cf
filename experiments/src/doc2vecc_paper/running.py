"""Run the measurements of experiments one after the other; finished ones are read, not measured again.

experiments  --plan-->  Plan: the tasks of each  --run_all-->  a folder of cells  --finished-->  the cells of a plan
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import NamedTuple, Protocol

from doc2vecc import DivergenceError
from doc2vecc_paper.cells import Cell, CellStore
from doc2vecc_paper.experiment import Experiment, Scope, Task


class Plan(NamedTuple):
    """An experiment and the measurements that it needs within a scope."""

    experiment: Experiment
    tasks: tuple[Task, ...]

    def measurable(self) -> list[Task]:
        """Return the tasks whose libraries are installed."""
        return [task for task in self.tasks if not task.missing]

    def missing(self) -> list[str]:
        """Say which methods need a library that is not installed; if all do, say it once for the experiment."""
        name = self.experiment.name
        if len({task.missing for task in self.tasks}) == 1:
            return [f"{name} {task.missing}" for task in self.tasks[:1] if task.missing]
        return list(dict.fromkeys(f"{name}: {task.key.method} {task.missing}" for task in self.tasks if task.missing))


class Watcher(Protocol):
    """Is notified of the progress of a run."""

    def starts(self, plan: Plan, task: Task) -> None:
        """A measurement starts."""

    def ends(self, plan: Plan, task: Task, cell: Cell) -> None:
        """It is finished and stored."""

    def fails(self, plan: Plan, task: Task, error: DivergenceError) -> None:
        """Its training diverged; there is no cell."""


def plan(experiment: Experiment, data: Path, scope: Scope) -> Plan:
    """Read the data of an experiment and list its measurements; missing data are an error before any work."""
    return Plan(experiment, tuple(experiment.tasks(data, scope)))


def finished(planned: Plan, store: CellStore) -> list[Cell]:
    """Return the finished cells of a plan, in its order."""
    return [cell for task in planned.tasks if (cell := store.get(task.key)) is not None]


def unfinished(plans: Sequence[Plan], store: CellStore) -> list[tuple[Plan, Task]]:
    """Return what can be measured and is not finished; a cell that experiments share is listed for the first."""
    wanted: dict[str, tuple[Plan, Task]] = {}
    for one in plans:
        for task in one.measurable():
            name = task.key.file_name()
            if name not in wanted and store.get(task.key) is None:
                wanted[name] = (one, task)
    return list(wanted.values())


def run_all(wanted: Iterable[tuple[Plan, Task]], store: CellStore, watcher: Watcher) -> None:
    """Measure one after the other and store each; an interruption loses only the one that is running.

    A training that diverges is reported and skipped.
    """
    for planned, task in wanted:
        watcher.starts(planned, task)
        try:
            cell = store.get_or_run(task.key, task.run)
        except DivergenceError as error:
            watcher.fails(planned, task, error)
        else:
            watcher.ends(planned, task, cell)


def label(planned: Plan, task: Task) -> str:
    """Name a measurement by what differs within its method: "DEA, learn from train+test, seed 0"."""
    of_method = [other.key for other in planned.tasks if other.key.method == task.key.method]
    parts = [task.key.method]
    if any(other.data != task.key.data for other in of_method):
        parts += [fingerprint.name for fingerprint in task.key.data]
    for name, value in task.key.settings.items():
        if any(other.settings.get(name) != value for other in of_method):
            parts.append(f"{name} {value}")
    if any(other.seed != task.key.seed for other in of_method):
        parts.append(f"seed {task.key.seed}")
    return ", ".join(parts)
