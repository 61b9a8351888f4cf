"""Text files of novels -> novels.parquet: a row for each paragraph, in the order of the books."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet

from doc2vecc import InputError
from doc2vecc_paper.files import atomic_write

_BLANK_LINE = re.compile(r"\n\s*\n")


def paragraphs_of(text: str) -> Iterator[str]:
    r"""Divide a book at blank lines, and join the lines of a paragraph.

    >>> list(paragraphs_of("One\nand two.\n\n\nThree."))
    ['One and two.', 'Three.']
    """
    for part in _BLANK_LINE.split(text.removeprefix("\ufeff")):
        paragraph = " ".join(part.split())
        if paragraph:
            yield paragraph


def write_novels(folder: Path, target: Path) -> int:
    """Write the paragraphs of all text files of a folder, sorted by name -> their number."""
    files = sorted(folder.glob("*.txt"))
    if not files:
        raise InputError(f"{folder} has no text files; name the folder with the .txt files of the novels")
    books: list[str] = []
    texts: list[str] = []
    for file in files:
        try:
            content = file.read_text("utf-8")
        except UnicodeDecodeError as error:
            raise InputError(f"{file} is not UTF-8 ({error.reason}); convert it") from error
        found = list(paragraphs_of(content))
        books += [file.stem] * len(found)
        texts += found
    table = pa.table({"book": books, "text": pa.array(texts, pa.large_string())})
    with atomic_write(target) as output:
        pa.parquet.write_table(table, output, compression="zstd")
    return len(texts)
