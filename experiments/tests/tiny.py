"""Tiny made-up texts in the files that the experiments read, and a way to run an experiment on them."""

import random
from pathlib import Path

from experiments.tests.material import QUESTIONS, SICK_HEADER, write_parquet

from doc2vecc_paper.cells import CellStore
from doc2vecc_paper.experiment import Experiment, Scope, Section

QUICK = Scope(seeds=(0,), workers=1, quick=True)
COMMON = ["the", "and", "a", "of", "in", *(f"word{number}" for number in range(60))]
KINDS = {
    "moth": "wing larva flies night",
    "river": "water flows bank mouth",
    "album": "track record label band",
    "politician": "party vote elected minister",
    "ship": "sea hull crew captain",
}


def text(draw: random.Random, telling: str, length: int = 24) -> str:
    return " ".join(draw.choices(COMMON, k=length) + draw.choices(telling.split(), k=8))


def write_pages(folder: Path, count: int = 480, *, titles: bool = True) -> None:
    """Write wikipedia100.parquet: pages of five classes, half of them labeled, the text telling the class."""
    draw = random.Random(0)
    columns: dict[str, list] = {"split": [], "label": [], "text": [], "title": []}
    for number in range(count):
        split = ("train", "test", "unlabeled", "unlabeled")[number % 4]
        kind = list(KINDS)[number // 4 % len(KINDS)]
        columns["split"].append(split)
        columns["label"].append(None if split == "unlabeled" else kind)
        columns["text"].append(text(draw, KINDS[kind]))
        columns["title"].append(f"A {kind} <{number}> & more")
    if not titles:
        del columns["title"]
    write_parquet(folder / "wikipedia100.parquet", columns)


def write_reviews(folder: Path, count: int = 480) -> None:
    """Write imdb.parquet: reviews that tell what they think in plain words."""
    draw = random.Random(1)
    columns: dict[str, list] = {"split": [], "label": [], "text": []}
    for number in range(count):
        split = ("train", "test", "unlabeled", "unlabeled")[number % 4]
        label = number // 4 % 2
        columns["split"].append(split)
        columns["label"].append(-1 if split == "unlabeled" else label)
        columns["text"].append(text(draw, ("bad dull awful worst", "good great lovely best")[label]))
    write_parquet(folder / "imdb.parquet", columns)


def write_wiki_and_questions(folder: Path, pages: int = 200) -> None:
    """Write enwiki.parquet, with section titles, and questions of which some words never occur."""
    draw = random.Random(2)
    words = "athens greece baghdad iraq boy girl brother sister bird birds dog dogs"
    texts = ["\n".join(["A title", *(text(draw, words) for _ in range(40))]) for _ in range(pages)]
    write_parquet(folder / "enwiki.parquet", {"text": texts})
    (folder / "questions-words.txt").write_text(QUESTIONS)


def write_novels_and_sick(folder: Path) -> None:
    """Write novels.parquet, of two fields, and pairs of sentences, related as they share words, so a field."""
    draw = random.Random(3)
    of_nature, of_people = (
        " ".join(KINDS[kind] for kind in kinds) for kinds in (("moth", "river"), ("album", "politician", "ship"))
    )
    paragraphs = [text(draw, (of_nature, of_people)[number % 2], 16) for number in range(300)]
    write_parquet(folder / "novels.parquet", {"text": paragraphs})
    for name, count in [("SICK_train.txt", 120), ("SICK_trial.txt", 40), ("SICK_test_annotated.txt", 60)]:
        lines = [SICK_HEADER]
        for number in range(count):
            first = draw.sample(of_nature.split(), 6)
            shared = number % 5
            second = first[:shared] + draw.sample(of_people.split(), 6 - shared)
            lines.append(f"{number}\t{' '.join(first)} unseen\t{' '.join(second)}\t{1 + shared}\tNEUTRAL")
        (folder / name).write_text("\n".join(lines) + "\n")


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
