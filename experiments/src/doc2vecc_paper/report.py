"""The report of a run: report.md to read, report.json with every cell, and a folder of figures.

plans, store  --chapters-->  Chapter: section and cells  --write-->  report.md, report.json, figures/
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Sequence
from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, NamedTuple

from doc2vecc_paper.cells import Cell, CellStore, Summary
from doc2vecc_paper.console import counted
from doc2vecc_paper.environment import machine, remedy, versions
from doc2vecc_paper.experiment import Picture, Scope, Section
from doc2vecc_paper.files import atomic_write
from doc2vecc_paper.running import Plan, finished
from doc2vecc_paper.tables import ResultTable, duration, markdown

PAPER = "M. Chen, Efficient Vector Representation for Documents through Corruption, ICLR 2017"
MARKDOWN, JSON, FIGURES = "report.md", "report.json", "figures"
SUFFIXES = (".png", ".svg", ".html")
EXTRA = "figures"  # the optional dependencies that draw

# What holds for all experiments; the notes of an experiment have what holds for it alone.
DIFFERENCES = (
    "Local context: 1 to `window` words to either side, and only for a tenth of the targets (`document_only=0.9`) "
    "unless a table says otherwise; the author's program has a one-sided window that leaves four targets in ten "
    "without any neighbor.",
    "4 neighboring targets or more share one set of negative samples and one corruption (`shared_targets`).",
    "The hidden vector is the mean of the local words and the document, as in the author's program; the paper's "
    "formula adds them.",
    "Negative samples are drawn in proportion to count ** 0.75, as in the author's program; the paper says uniformly.",
    "Documents are never truncated, and all words that survive the corruption are used. Every occurrence of a word "
    "survives independently, as in the author's program; in the paper's formula all occurrences survive or none.",
    "Frequent words are subsampled (`sample=1e-4`) for Word2Vec and PV-DM, and for no other method unless a table "
    "says so; the paper subsamples for all. Documents are never subsampled when they are embedded.",
    "The learning rate of Doc2VecC is 0.1; that of the published script is 0.05. Word2Vec (CBOW) has 0.025 on the "
    "reviews and 0.1 elsewhere; the paper gives no rate. The rate is lowered where corrupted documents of few "
    "words would make the training diverge (docs/algorithm.md), as with the sentences of SICK.",
    "DEA is the training loop of Doc2VecC without neighbors: a linear encoder, and the logistic loss of negative "
    "sampling for every occurrence of a word; the paper's DEA has an affine encoder and the Kullback-Leibler "
    "divergence.",
    "All trained baselines are those of doc2vecc: tokens, vocabulary and negative samples are the same for all. "
    "The paper does not say which programs and settings it used.",
    "The methods were not tuned equally. The defaults of Doc2VecC come from about forty runs judged by the IMDB "
    "test error (docs/algorithm.md), the settings of the baselines from far fewer, mostly judged on training "
    "reviews (experiments/docs/baselines.md, methods.py): on IMDB the comparison may favor Doc2VecC.",
    "RNN-LM: the classes share one vocabulary, of words that occur twice; a review starts with an empty state; "
    "back-propagation stops at blocks of 10 words; 17 million n-gram weights, in the script of Mesnil et al. 2014 200 "
    "million, and a fixed schedule of the learning rate in place of one by validation.",
    "DT-RNN and SDT-RNN: all matrices start near the identity, with a tenth of the noise that is usual. Skip-thought: "
    "far fewer words, dimensions and hours than published, a sampled softmax, and a document is the mean of its "
    "sentences.",
    "C of the linear SVM is chosen on a fifth of the training split; the paper also uses a validation set, but "
    "does not say how large it is.",
)


class Chapter(NamedTuple):
    """An experiment with its finished cells and its section."""

    plan: Plan
    cells: list[Cell]
    section: Section

    def is_complete(self) -> bool:
        """Tell whether nothing is left to measure."""
        return len(self.cells) == len(self.plan.tasks)


class Drawn(NamedTuple):
    """The files of each picture by its name, and messages about those that could not be drawn."""

    files: dict[str, list[Path]]
    messages: list[str]


def chapters(plans: Sequence[Plan], store: CellStore) -> list[Chapter]:
    """Make a section of the finished cells; without any, the section is empty."""
    found = []
    for plan in plans:
        cells = finished(plan, store)
        section = plan.experiment.section(cells) if cells else Section()
        found.append(Chapter(plan, cells, replace(section, notes=(*section.notes, *noted(cells)))))
    return found


def noted(cells: Iterable[Cell]) -> list[str]:
    """Return the warnings of the measurements, each once, with the methods that it concerns."""
    methods: dict[str, list[str]] = {}
    for cell in cells:
        for message in cell.result.get("messages", ()):
            concerned = methods.setdefault(message, [])
            concerned.extend([cell.key.method] if cell.key.method not in concerned else [])
    return [f"{', '.join(concerned)}: {message}." for message, concerned in methods.items()]


def draw(some: Sequence[Chapter], folder: Path) -> Drawn:
    """Draw the pictures of the chapters; skip those whose library is missing, and say which."""
    drawn = Drawn({}, [])
    for picture in (picture for chapter in some for picture in chapter.section.pictures):
        folder.mkdir(parents=True, exist_ok=True)
        try:
            picture.draw(folder / picture.name)
        except ModuleNotFoundError as error:
            message = f"figures are skipped, because {error.name} is not installed; {remedy(EXTRA)}"
            drawn.messages.extend([message] if message not in drawn.messages else [])
            continue
        files = [folder / f"{picture.name}{suffix}" for suffix in SUFFIXES]
        drawn.files[picture.name] = [file for file in files if file.exists()]
    return drawn


def write(some: Sequence[Chapter], scope: Scope, folder: Path) -> Drawn:
    """Write the report of the chapters and their figures into a folder."""
    folder.mkdir(parents=True, exist_ok=True)
    drawn = draw(some, folder / FIGURES)
    content = json.dumps(as_json(some, scope), ensure_ascii=False, allow_nan=False, indent=1)
    for name, text in ((MARKDOWN, as_markdown(some, scope, drawn.files)), (JSON, f"{content}\n")):
        with atomic_write(folder / name) as file:
            file.write(text.encode())
    return drawn


# ---- to read


def as_markdown(some: Sequence[Chapter], scope: Scope, files: dict[str, list[Path]]) -> str:
    """Write the chapters as Markdown, the paper's values beside ours."""
    lines = ["# The experiments of the paper, run again", "", f"{PAPER}.", "", *_how(some, scope)]
    for chapter in some:
        lines += ["", f"## {chapter.plan.experiment.title}", "", _state(chapter), ""]
        lines += [markdown(table) for table in chapter.section.tables]
        lines += [line for picture in chapter.section.pictures for line in _picture(picture, files)]
        lines += [f"- {note}" for note in chapter.section.notes]
    lines += ["", "## What differs from the paper", "", *(f"- {difference}" for difference in DIFFERENCES)]
    return "\n".join(lines).rstrip("\n") + "\n"


def _how(some: Sequence[Chapter], scope: Scope) -> list[str]:
    """Say what the values were measured with, by the records of all cells: they may come from different runs."""
    cells = [cell for chapter in some for cell in chapter.cells]
    lines = []
    if scope.quick:
        lines += ["**A quick run on small samples: it tests the program and says nothing about the methods.**", ""]
    lines.append(
        f"{counted(len(scope.seeds), 'seed')}, {counted(scope.workers, 'worker')}; ± is the standard deviation "
        "over the seeds."
    )
    processors = sorted({f"{cell.machine['processor']}, {cell.machine['cores']} cores" for cell in cells})
    libraries = sorted({_libraries(cell) for cell in cells})
    lines += [f"Measured on: {'; '.join(processors)}.", f"Versions: {'; or '.join(libraries)}."] if cells else []
    return lines


def _libraries(cell: Cell) -> str:
    return ", ".join(f"{name} {version}" for name, version in cell.versions.items())


def _state(chapter: Chapter) -> str:
    seconds = sum(cell.seconds for cell in chapter.cells)
    took = f" in {duration(seconds)}" if chapter.cells else ""
    command = f"`doc2vecc-paper {chapter.plan.experiment.name}`"
    count = f"{len(chapter.cells)} of {len(chapter.plan.tasks)}"
    return f"{chapter.plan.experiment.place}. {command}: {count} measurements finished{took}."


def _picture(picture: Picture, files: dict[str, list[Path]]) -> list[str]:
    """Show a picture, or link to a page; a picture that was not drawn is left out."""
    lines = []
    for file in files.get(picture.name, []):
        place = f"{FIGURES}/{file.name}"
        if file.suffix == ".png":
            lines += [f"![{picture.caption}]({place})", "", f"*{picture.caption}*", ""]
        elif file.suffix == ".html":
            lines += [f"[{picture.caption} (interactive)]({place})", ""]
    return lines


# ---- for programs


def as_json(some: Sequence[Chapter], scope: Scope) -> dict[str, Any]:
    """Return all results with settings, seeds, seconds, fingerprints, versions and machine."""
    return {
        "paper": PAPER,
        "written": datetime.now(UTC).isoformat(timespec="seconds"),
        "versions": versions(),
        "machine": machine(),
        "scope": {**scope._asdict(), "seeds": list(scope.seeds)},
        "differences": list(DIFFERENCES),
        "experiments": [_experiment(chapter) for chapter in some],
    }


def _experiment(chapter: Chapter) -> dict[str, Any]:
    experiment = chapter.plan.experiment
    return {
        "name": experiment.name,
        "title": experiment.title,
        "place": experiment.place,
        "needs": list(experiment.needs),
        "tasks": len(chapter.plan.tasks),
        "tables": [_table(table) for table in chapter.section.tables],
        "pictures": [{"name": one.name, "caption": one.caption} for one in chapter.section.pictures],
        "notes": list(chapter.section.notes),
        "cells": [cell.as_json() for cell in chapter.cells],
    }


def _table(table: ResultTable) -> dict[str, Any]:
    return {
        "title": table.title,
        "columns": [column.heading for column in table.columns],
        "rows": [
            {
                "method": row.method,
                "values": [{"paper": value.paper, "ours": _summary(value.ours)} for value in row.values],
                "note": row.note,
            }
            for row in table.rows
        ],
        "notes": list(table.notes),
    }


def _summary(summary: Summary | None) -> dict[str, Any] | None:
    return None if summary is None else summary._asdict()
