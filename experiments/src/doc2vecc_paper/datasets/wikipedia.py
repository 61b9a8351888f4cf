"""Two sets from English Wikipedia: labeled second paragraphs, and running text for word analogies.

Both stand in for data of the paper that are not published: its 100 Wikipedia categories, and WMT news.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.parquet

from doc2vecc_paper.datasets.fingerprints import Fingerprint, fingerprint
from doc2vecc_paper.datasets.places import DataError, data_errors, read_columns, require_columns, text_column
from doc2vecc_paper.datasets.texts import SPLITS, LabeledTexts

LABELED_PAGES = "wikipedia100.parquet"
PAGES = "enwiki.parquet"
SITE = "dumps.wikimedia.org/enwiki"

WORDS_OF_A_PARAGRAPH = 10
PAGES_AT_ONCE = 1024  # some 6,000 paragraphs, 1.5 MB


def load_wikipedia100(folder: Path) -> LabeledTexts:
    """Read the second paragraphs of Wikipedia pages in 100 classes, and of pages without a class."""
    path = folder / LABELED_PAGES
    if not path.is_file():
        raise DataError(
            f"{folder} has no {LABELED_PAGES}; make it from English Wikipedia ({SITE}) with `python -m "
            "doc2vecc_paper.building wikipedia`, and put it there: a row for each page with split (train, test, "
            "unlabeled), label (null if unlabeled) and text (second paragraph)"
        )
    table = read_columns(path, ["split", "label", "text"])
    splits, labels = table["split"].to_pylist(), table["label"].to_pylist()
    for row, (split, label) in enumerate(zip(splits, labels, strict=True)):
        if split not in SPLITS or (label is None) != (split == "unlabeled"):
            raise DataError(
                f"{path}, row {row} (counted from 0) has split {split!r} and label {label!r}; rows of train and "
                "test must have a label, those of unlabeled none"
            )
    absent = [split for split in SPLITS[:2] if split not in splits]
    if absent:
        raise DataError(f"{path} has no rows of {' and '.join(absent)}; there must be rows of both")
    classes = tuple(sorted({label for label in labels if label is not None}))
    numbers = {label: number for number, label in enumerate(classes)} | {None: -1}
    label = np.array([numbers[label] for label in labels], np.int64)
    return LabeledTexts.of("wikipedia100", text_column(table, path), np.array(splits), label, classes)


def open_enwiki(folder: Path) -> WikipediaPages:
    """Open the Wikipedia pages; reads them once, for the fingerprint, and keeps none in memory."""
    path = folder / PAGES
    if not path.is_file():
        raise DataError(
            f"{folder} has no {PAGES}; make it from English Wikipedia ({SITE}) with `python -m "
            "doc2vecc_paper.building wikipedia`, and put it there: a row for each page, with text (its paragraphs "
            "and section titles, a line each)"
        )
    with data_errors(path):
        require_columns(path, ["text"])
        pages = pa.parquet.read_metadata(path).num_rows
    return WikipediaPages(path, pages, fingerprint("enwiki", _page_texts(path, pages)))


@dataclass(frozen=True)
class WikipediaPages:
    """Pages in a file, read paragraph by paragraph. The fingerprint is of all pages."""

    path: Path
    pages: int
    fingerprint: Fingerprint

    def paragraphs(self, share: float = 1.0) -> Paragraphs:
        """Return the paragraphs of the first pages: a share of 0.25 is the beginning of a share of 0.5."""
        if not 0 < share <= 1:
            raise ValueError(f"share={share!r} is not a share; it must be above 0 and at most 1")
        return Paragraphs(self.path, max(1, round(share * self.pages)))


class Paragraphs:
    """A stream of paragraphs, each a document, in Arrow arrays.

    A line of fewer than ten words is skipped, because it is a document without much context: a section title, an
    item of a list, "may refer to:". These are 35 % of the lines, but 2.5 % of the words. ``kept`` and ``skipped``
    count the lines, and are complete once the stream has been read.
    """

    def __init__(self, path: Path, pages: int) -> None:
        self.pages = pages
        self.kept = 0
        self.skipped = 0
        self._path = path

    def __iter__(self) -> Iterator[pa.LargeStringArray]:
        self.kept = self.skipped = 0
        for texts in _page_texts(self._path, self.pages):
            lines = pc.list_flatten(pc.split_pattern(texts, "\n"))
            is_long = pc.greater_equal(pc.count_substring(lines, " "), WORDS_OF_A_PARAGRAPH - 1)
            paragraphs = lines.filter(is_long)
            self.kept += len(paragraphs)
            self.skipped += len(lines) - len(paragraphs)
            if len(paragraphs):
                yield paragraphs


def _page_texts(path: Path, pages: int) -> Iterator[pa.LargeStringArray]:
    """Read the texts of the first pages, in batches."""
    left = pages
    with data_errors(path), pa.parquet.ParquetFile(path) as file:
        for batch in file.iter_batches(PAGES_AT_ONCE, columns=["text"]):
            batch.validate(full=True)
            texts = text_column(pa.table(batch.slice(0, left)), path)
            left -= len(texts)
            if len(texts):
                yield texts
            if left == 0:
                return
