"""What an experiment is: measurements to make, and a section of the report made of them.

    tasks(data, scope)  --each run once, kept as a cell-->  section(cells)  -->  tables, pictures, notes

An experiment is a module's two functions and what a reader is told about it; the runner knows nothing else of it.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, NamedTuple

from doc2vecc_paper.cells import Cell, CellKey
from doc2vecc_paper.tables import Comparison


class Scope(NamedTuple):
    """How much of an experiment to run."""

    seeds: tuple[int, ...] = (0, 1, 2)
    workers: int = 2
    quick: bool = False  # a subset and few epochs, under a minute: to see that everything works
    full: bool = False  # also what takes very long


@dataclass(frozen=True)
class Task:
    """One measurement: what decides its figures, how to make it, and how long that takes on two cores."""

    key: CellKey
    run: Callable[[], Mapping[str, Any]]
    seconds: float
    missing: str = ""  # what has to be installed first; until then a finished cell is shown, and none is measured


@dataclass(frozen=True)
class Picture:
    """A figure of the report; ``draw`` writes the files ``<path>.png`` and ``<path>.svg`` (or ``<path>.html``)."""

    name: str
    caption: str
    draw: Callable[[Path], None]


@dataclass(frozen=True)
class Section:
    """What a reader sees of an experiment: tables, pictures, and what must be said about them."""

    comparisons: tuple[Comparison, ...] = ()
    pictures: tuple[Picture, ...] = ()
    notes: tuple[str, ...] = ()


@dataclass(frozen=True)
class Experiment:
    """One table or figure of the paper."""

    name: str
    title: str
    place: str  # in the paper
    tasks: Callable[[Path, Scope], Sequence[Task]]
    section: Callable[[Sequence[Cell]], Section]
    needs: tuple[str, ...] = field(default=())  # names of the data sets
