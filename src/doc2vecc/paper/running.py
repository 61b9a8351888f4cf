"""Run the measurements of experiments one after the other; what is finished already is read, not measured again.

experiments  --plan-->  Plan: the tasks of each  --run-->  a folder of cells  --finished-->  the cells of a plan
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import NamedTuple, Protocol

from doc2vecc.paper.cells import Cell, CellStore
from doc2vecc.paper.experiment import Experiment, Scope, Task


class Plan(NamedTuple):
    """An experiment and the measurements that it needs within a scope."""

    experiment: Experiment
    tasks: tuple[Task, ...]


class Watcher(Protocol):
    """Is told how the run goes on."""

    def begins(self, plan: Plan, task: Task) -> None:
        """A measurement begins."""

    def ends(self, plan: Plan, task: Task, cell: Cell) -> None:
        """It is finished, and kept."""


def plan_all(experiments: Iterable[Experiment], data: Path, scope: Scope) -> list[Plan]:
    """Read the data of the experiments and plan what to measure; what is missing is an error before any work."""
    return [Plan(experiment, tuple(experiment.tasks(data, scope))) for experiment in experiments]


def finished(plan: Plan, store: CellStore) -> list[Cell]:
    """Return the cells of a plan that are there, in its order."""
    return [cell for task in plan.tasks if (cell := store.get(task.key)) is not None]


def unfinished(plans: Sequence[Plan], store: CellStore) -> list[tuple[Plan, Task]]:
    """Return what is still to be measured; a cell that several experiments share is named once, for the first."""
    wanted: dict[str, tuple[Plan, Task]] = {}
    for plan in plans:
        for task in plan.tasks:
            name = task.key.file_name()
            if name not in wanted and store.get(task.key) is None:
                wanted[name] = (plan, task)
    return list(wanted.values())


def run(wanted: Iterable[tuple[Plan, Task]], store: CellStore, watcher: Watcher) -> None:
    """Measure one after the other and keep each; an interruption loses only the one that is running."""
    for plan, task in wanted:
        watcher.begins(plan, task)
        watcher.ends(plan, task, store.get_or_run(task.key, task.run))


def label(plan: Plan, task: Task) -> str:
    """Name a measurement by what tells it from the others of its method: "DEA, learn from train+test, seed 0"."""
    of_method = [other.key for other in plan.tasks if other.key.method == task.key.method]
    parts = [task.key.method]
    for name, value in task.key.settings.items():
        if any(other.settings.get(name) != value for other in of_method):
            parts.append(f"{name} {value}")
    if any(other.seed != task.key.seed for other in of_method):
        parts.append(f"seed {task.key.seed}")
    return ", ".join(parts)
