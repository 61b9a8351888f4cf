"""Paragraphs of 100 English novels: a stand-in for the book corpus of the paper, which is no longer published."""

from __future__ import annotations

from pathlib import Path

import pyarrow.compute as pc

from doc2vecc_paper.datasets.places import DataError, read_columns, text_column
from doc2vecc_paper.datasets.texts import Texts

PARQUET = "novels.parquet"
SITE = "github.com/computationalstylistics/100_english_novels"
BYTE_ORDER_MARK = "\ufeff"


def load_novels(folder: Path) -> Texts:
    """Read the paragraphs, a document each, in the order of the books, without the byte order mark of a file."""
    path = folder / PARQUET
    if not path.is_file():
        raise DataError(
            f"{folder} has no {PARQUET}; make it from the novels at {SITE} with `python -m doc2vecc_paper.building "
            "novels`, and put it there: a row for each paragraph, with text"
        )
    texts = text_column(read_columns(path, ["text"]), path)
    return Texts.of("novels", pc.utf8_ltrim(texts, BYTE_ORDER_MARK))
