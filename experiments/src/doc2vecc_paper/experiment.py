"""What an experiment is: the measurements to make, and a section of the report made from their results.

    tasks(data, scope)  --each run once, stored as a cell-->  section(cells)  -->  tables, pictures, notes

An experiment consists of two functions of a module, a title and its place in the paper.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, NamedTuple

from doc2vecc_paper.cells import Cell, CellKey
from doc2vecc_paper.tables import ResultTable


class Scope(NamedTuple):
    """How much of an experiment to run."""

    seeds: tuple[int, ...] = (0, 1, 2)
    workers: int = 2
    quick: bool = False  # a sample and few epochs, under a minute: a test of the program
    full: bool = False  # also what takes very long


@dataclass(frozen=True)
class Task:
    """One measurement: its key, the function that makes it, and the seconds that takes on two cores."""

    key: CellKey
    run: Callable[[], Mapping[str, Any]]
    seconds: float
    missing: str = ""  # what must be installed to measure it; a finished cell is shown without it


@dataclass(frozen=True)
class Picture:
    """A figure of the report; ``draw`` writes the files ``<path>.png`` and ``<path>.svg`` (or ``<path>.html``)."""

    name: str
    caption: str
    draw: Callable[[Path], None]


@dataclass(frozen=True)
class Section:
    """The section of an experiment in the report: tables, pictures and notes."""

    tables: tuple[ResultTable, ...] = ()
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
