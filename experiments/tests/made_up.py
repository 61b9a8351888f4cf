"""Made-up experiments, and made-up reviews and pages in the files that the real experiments read."""

import random
from collections import Counter
from pathlib import Path

from experiments.tests.material import write_parquet

from doc2vecc.errors import DivergenceError
from doc2vecc_paper.cells import Cell, CellKey, CellStore, summarize
from doc2vecc_paper.datasets import DataError, Fingerprint
from doc2vecc_paper.experiment import Experiment, Picture, Scope, Section, Task
from doc2vecc_paper.tables import Column, ResultTable, Value, Row

COMMON = ["the", "and", "a", "of", "film", *(f"word{number}" for number in range(100))]
COMMON_WEIGHTS = [20] * 5 + [1] * 100
TELLING = {
    "negative": ["bad", "dull", "boring", "awful", "worst", "waste"],
    "positive": ["good", "great", "moving", "lovely", "best", "wonderful"],
}
DATA = (Fingerprint("made-up", 3, 9, "0" * 16),)


class MadeUp:
    """An experiment of two methods that notes what it is asked to measure."""

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
            key,
            measure,
            60.0,
            missing="needs a library: pip install it" if method in self.is_without.split() else "",
        )

    def section(self, cells: list[Cell]) -> Section:
        rows = []
        for method in ("BOW", "Doc2VecC"):
            ours = summarize(cell.result["error"] for cell in cells if cell.key.method == method)
            rows.append(Row(method, (Value(12.5, ours),)))
        table = ResultTable("Table 0", (Column("error %"),), tuple(rows))
        return Section((table,), self.pictures, ("all of it is made up",))


class Noting:
    """Watches a run."""

    def __init__(self) -> None:
        self.begun: list[str] = []
        self.ended: list[str] = []
        self.failed: list[str] = []

    def begins(self, plan, task) -> None:
        self.begun.append(f"{plan.experiment.name} {task.key.method} {task.key.seed}")

    def fails(self, plan, task, error) -> None:
        self.failed.append(f"{task.key.method} {task.key.seed}: {error}")

    def ends(self, plan, task, cell) -> None:
        assert cell.key == task.key
        self.ended.append(f"{plan.experiment.name} {task.key.method} {task.key.seed}")


def a_store(folder: Path) -> CellStore:
    return CellStore(folder / "cells", print)


def _text(draw: random.Random, telling: list[str]) -> str:
    return " ".join(draw.choices(COMMON, COMMON_WEIGHTS, k=80) + draw.choices(telling, k=20))


def write_reviews(folder: Path, count: int = 240) -> None:
    """Write so many reviews, a quarter to train, a quarter to test, half without a label."""
    draw = random.Random(0)
    rows = []
    for number in range(count):
        split = ("train", "test", "unlabeled", "unlabeled")[number % 4]
        label = number // 4 % 2
        text = _text(draw, list(TELLING.values())[label])
        rows.append((split, -1 if split == "unlabeled" else label, text))
    split, label, text = zip(*rows, strict=True)
    write_parquet(folder / "imdb.parquet", {"split": list(split), "label": list(label), "text": list(text)})


def write_pages(folder: Path, count: int = 320) -> None:
    """Write pages of four classes."""
    draw = random.Random(1)
    kinds = {
        "painter": "oil canvas brush",
        "river": "water flows bank",
        "poet": "verse rhyme ode",
        "ship": "sea hull",
    }
    rows = []
    for number in range(count):
        split = ("train", "test", "unlabeled", "unlabeled")[number % 4]
        kind = list(kinds)[number // 4 % 4]
        rows.append((split, None if split == "unlabeled" else kind, _text(draw, kinds[kind].split()), kind))
    split, label, text, title = zip(*rows, strict=True)
    columns = {"split": list(split), "label": list(label), "text": list(text), "title": list(title)}
    write_parquet(folder / "wikipedia100.parquet", columns)
