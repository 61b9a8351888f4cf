"""Made-up experiments, and a way to run real ones on tiny data."""

from collections import Counter
from pathlib import Path

from doc2vecc import DivergenceError
from doc2vecc_paper.cells import Cell, CellKey, CellStore, summarize
from doc2vecc_paper.datasets import DataError, Fingerprint
from doc2vecc_paper.experiment import Experiment, Picture, Scope, Section, Task
from doc2vecc_paper.tables import Column, ResultTable, Row, Value

QUICK = Scope(seeds=(0,), workers=1, quick=True)
DATA = (Fingerprint("made-up", 3, 9, "0" * 16),)


class MadeUp:
    """An experiment of two methods that records what it measures."""

    def __init__(self, name: str = "made-up", family: str = "made-up", pictures: tuple[Picture, ...] = ()) -> None:
        self.runs: Counter[str] = Counter()
        self.family = family
        self.pictures = pictures
        self.interrupts_at = ""
        self.diverges_at = ""
        self.is_without = ""  # methods whose library is missing
        self.messages: list[str] = []  # that every measurement warns of
        self.experiment = Experiment(name, "A made-up table", "Table 0", self.tasks, self.section, ("made-up",))

    def tasks(self, data: Path, scope: Scope) -> list[Task]:
        if not (data / "made-up").exists():
            raise DataError(f"{data} has no made-up data; make some")
        return [self.task(method, seed) for method in ("BOW", "Doc2VecC") for seed in scope.seeds]

    def task(self, method: str, seed: int) -> Task:
        def measure() -> dict[str, float | list[str]]:
            self.runs[f"{method} {seed}"] += 1
            if self.interrupts_at == f"{method} {seed}":
                raise KeyboardInterrupt
            if self.diverges_at == f"{method} {seed}":
                raise DivergenceError(0.1)
            return {"error": 10.0 + seed, "messages": self.messages}

        key = CellKey(self.family, method, {"dim": 100}, seed, DATA)
        return Task(
            key, measure, 60.0, missing="needs a library: pip install it" if method in self.is_without.split() else ""
        )

    def section(self, cells: list[Cell]) -> Section:
        rows = []
        for method in ("BOW", "Doc2VecC"):
            ours = summarize(cell.result["error"] for cell in cells if cell.key.method == method)
            rows.append(Row(method, (Value(12.5, ours),)))
        table = ResultTable("Table 0", (Column("error %"),), tuple(rows))
        return Section((table,), self.pictures, ("all of it is made up",))


class Noting:
    """Records the progress of a run."""

    def __init__(self) -> None:
        self.started: list[str] = []
        self.ended: list[str] = []
        self.failed: list[str] = []

    def starts(self, plan, task) -> None:
        self.started.append(f"{plan.experiment.name} {task.key.method} {task.key.seed}")

    def fails(self, plan, task, error) -> None:
        self.failed.append(f"{task.key.method} {task.key.seed}: {error}")

    def ends(self, plan, task, cell) -> None:
        assert cell.key == task.key
        self.ended.append(f"{plan.experiment.name} {task.key.method} {task.key.seed}")


def a_store(folder: Path) -> CellStore:
    return CellStore(folder / "cells", print)


def measured(experiment: Experiment, data: Path, scope: Scope = QUICK) -> Section:
    """Run all tasks of an experiment, through files as the runner does, and return its section."""
    store = CellStore(data / "cells", print)
    tasks = experiment.tasks(data, scope)
    assert len({task.key.file_name() for task in tasks}) == len(tasks)
    assert all(0 < task.seconds < 600 for task in tasks)
    return experiment.section([store.get_or_run(task.key, task.run) for task in tasks if not task.missing])


def draw_all(section: Section, folder: Path) -> set[str]:
    """Draw all pictures; returns the names of the files that are there."""
    for picture in section.pictures:
        picture.draw(folder / picture.name)
    assert all(file.stat().st_size > 2_000 for file in folder.iterdir() if file.is_file())
    return {file.name for file in folder.iterdir()}
