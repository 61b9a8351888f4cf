"""The real data sets have the sizes that the paper or their authors give."""

import os
from collections import Counter
from pathlib import Path

import numpy as np
import pytest

from doc2vecc_paper.claims import ANALOGY_DATA, IMDB_DATA, SICK_DATA
from doc2vecc_paper.datasets import load_imdb, load_novels, load_questions, load_sick, load_wikipedia100, open_enwiki
from doc2vecc_paper.experiments.analogy import SYNTACTIC
from doc2vecc_paper.published import ANALOGY_SECTIONS

FOLDER = os.environ.get("DOC2VECC_DATA")
pytestmark = [
    pytest.mark.slow,
    pytest.mark.skipif(not FOLDER, reason="DOC2VECC_DATA, the folder with the data of the paper, is not set"),
]


def folder_with(*names):
    """Return the folder if it has one of these files; a folder may hold some data sets and not others."""
    folder = Path(FOLDER)
    if not any((folder / name).exists() for name in names):
        pytest.skip(f"the folder that DOC2VECC_DATA names, {folder}, has no {' or '.join(names)}")
    return folder


def test_imdb():
    data = load_imdb(folder_with("imdb.parquet", "aclImdb", "aclImdb_v1.tar.gz"))
    counts = Counter(zip(data.split.tolist(), data.label.tolist(), strict=True))
    half = IMDB_DATA.values["train"] / 2
    assert counts == {
        ("train", 0): half,
        ("train", 1): half,
        ("test", 0): half,
        ("test", 1): half,
        ("unlabeled", -1): IMDB_DATA.values["reviews"] / 2,
    }
    small = data.subset(1000, seed=0)
    assert Counter(small.split.tolist()) == {"train": 250, "test": 250, "unlabeled": 500}


def test_wikipedia100():
    data = load_wikipedia100(folder_with("wikipedia100.parquet"))
    assert len(data.classes) == 100
    for split, count in [("train", 50), ("test", 93)]:
        assert np.bincount(data.label[data.split == split]).tolist() == [count] * 100
    assert set(data.label[data.split == "unlabeled"].tolist()) == {-1}


def test_enwiki_paragraphs():
    wiki = open_enwiki(folder_with("enwiki.parquet"))
    paragraphs = wiki.paragraphs(0.05)
    words = sum(len(text.split()) for chunk in paragraphs for text in chunk.to_pylist())
    assert paragraphs.pages == round(0.05 * wiki.pages)
    assert words / paragraphs.kept > 40
    assert 0.2 < paragraphs.skipped / (paragraphs.kept + paragraphs.skipped) < 0.5


def test_novels():
    data = load_novels(folder_with("novels.parquet"))
    assert len(data) > 100_000
    assert not any(text.startswith("\ufeff") for text in data.texts.to_pylist())


def test_sick():
    data = load_sick(folder_with("sick", "SICK_train.txt", "SICK.zip", "sick_train.zip"))
    assert Counter(data.split.tolist()) == {split: SICK_DATA.values[split] for split in ("train", "trial", "test")}
    assert len(data) == SICK_DATA.values["pairs"]
    assert (data.score.min(), data.score.max()) == (1, 5)


def test_questions():
    data = load_questions(folder_with("analogy", "questions-words.txt"))
    counts = {name: len(questions) for name, questions in data.sections.items()}
    syntactic = sum(count for name, count in counts.items() if name.startswith(SYNTACTIC))
    assert syntactic == ANALOGY_DATA.values["syntactic"]
    assert sum(counts.values()) - syntactic == ANALOGY_DATA.values["semantic"]
    assert list(data.sections) == list(ANALOGY_SECTIONS.rows)
