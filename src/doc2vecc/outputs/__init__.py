"""Document vectors become a file: parquet, arrow, npy, jsonl or csv, batch by batch.

    read_files(["reviews.csv"], keep_columns=True) -> write_vectors(...) -> reviews.parquet: id, text, label, vector

A file is written under a temporary name beside its place and renamed when it is complete; whatever goes wrong
before, nothing is left behind. Standard output, pipes and devices are written to directly.
"""

from __future__ import annotations

import os
import shutil
import sys
import tempfile
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import BinaryIO

import numpy as np
import pyarrow as pa

from doc2vecc.corpus.sources import TextBatches
from doc2vecc.errors import OutputError
from doc2vecc.model import Model
from doc2vecc.outputs.formats import WRITERS, vector_columns

KINDS = {
    "parquet": "parquet",
    "arrow": "arrow",
    "feather": "arrow",
    "npy": "npy",
    "jsonl": "jsonl",
    "ndjson": "jsonl",
    "csv": "csv",
}
BINARY_KINDS = ("parquet", "arrow", "npy")
_NEEDS_A_FILE = ("parquet", "npy")  # not written from start to end


@dataclass
class WriteReport:
    """What was written."""

    documents: int = 0
    zero_vectors: int = 0

    def messages(self) -> list[str]:
        """Say in plain sentences what a user should know."""
        if not self.zero_vectors:
            return []
        return [
            f"{self.zero_vectors:,} of {self.documents:,} documents have no known word: zero vectors",
        ]


def output_kind(target: str, wanted: str | None = None) -> str:
    """Return how to write a file: by the wish of the user, else by the extension; "-" is jsonl.

    >>> output_kind("a.feather"), output_kind("-"), output_kind("vectors", "npy")
    ('arrow', 'jsonl', 'npy')
    """
    extension = wanted or ("jsonl" if target == "-" else Path(target).suffix.removeprefix("."))
    try:
        return KINDS[extension.lower()]
    except KeyError:
        known = ", ".join(KINDS)
        if wanted is not None:
            raise OutputError(f"unknown output format {wanted!r}; it must be one of: {known}") from None
        raise OutputError(
            f"the extension of {target!r} does not say how to write it; known are {known}. "
            "Rename it, or say it with --output-format"
        ) from None


def check_target(target: Path, *, force: bool = False) -> None:
    """Refuse a place that cannot be written to, before any work is done."""
    if target.is_dir():
        raise OutputError(f"{target} is a folder; name a file to write to")
    if _is_stream(target):
        return
    if target.is_file() and not force:
        raise OutputError(f"{target} exists; choose another name, or replace it with --force")
    if not target.parent.is_dir():
        raise OutputError(f"there is no folder {str(target.parent)!r} to write {target.name} into; make it first")
    if not os.access(target.parent, os.W_OK | os.X_OK):
        raise OutputError(f"the folder {str(target.parent)!r} cannot be written to; choose another one")


def write_vectors(
    model: Model,
    batches: TextBatches,
    target: Path | None,
    kind: str,
    *,
    drop_text: bool = False,
    workers: int = 1,
    on_batch: Callable[[int], None] | None = None,
) -> WriteReport:
    """Embed a stream of documents and write the vectors beside the other columns; None is standard output."""
    report = WriteReport()
    with open_target(target, kind) as file, WRITERS[kind](file, _is_stream(target)) as write:
        is_first = True
        for batch in batches:
            embedding = model.embed(batch.column(batches.text_column), workers)
            others = [name for name in batch.schema.names if name != batches.text_column]
            kept = batch.select(others) if drop_text else batch
            if is_first:
                _check_names(kept.schema.names, kind, model.dim)
                is_first = False
            write(kept, np.ascontiguousarray(embedding.vectors))
            report.documents += batch.num_rows
            report.zero_vectors += int(np.count_nonzero(embedding.known_words == 0))
            if on_batch is not None:
                on_batch(batch.num_rows)
        if is_first:  # no document: a file of no rows, so that what comes after finds one
            write(pa.RecordBatch.from_arrays([], []), np.empty((0, model.dim), np.float32))
    return report


def _check_names(names: list[str], kind: str, dim: int) -> None:
    """Refuse an input that has a column of the name that the vectors will get."""
    clash = set(names).intersection(vector_columns(kind, dim))
    if clash:
        raise OutputError(
            f"the input already has a column {min(clash)!r}, where the vectors would go; "
            "rename it, or write .npy, which holds the vectors alone"
        )


# ---- the place


def _is_stream(target: Path | None) -> bool:
    """Tell whether this is standard output, a pipe or a device, where there is nothing to rename."""
    return target is None or (target.exists() and not target.is_file())


@contextmanager
def open_target(target: Path | None, kind: str) -> Iterator[BinaryIO]:
    """Open a file that appears complete or not at all, or a stream."""
    as_stream = _spooled if kind in _NEEDS_A_FILE else _flushed
    if target is None:
        with as_stream(sys.stdout.buffer) as file:
            yield file
    elif _is_stream(target):
        with target.open("wb") as stream, as_stream(stream) as file:
            yield file
    else:
        # Not tempfile: that gives the file to its owner alone, and so it would stay after the renaming.
        scratch = target.with_name(f".{target.name}.{os.getpid()}.partial")
        try:
            with _opened(scratch, target) as file:
                yield file
            scratch.replace(target)
        finally:
            scratch.unlink(missing_ok=True)


def _opened(scratch: Path, target: Path) -> BinaryIO:
    """Open the file of the temporary name, and speak of the one that the user knows if that fails."""
    try:
        return scratch.open("wb")
    except OSError as error:
        raise OutputError(f"cannot write {target}: {error.strerror}; choose another place") from error


@contextmanager
def _flushed(stream: BinaryIO) -> Iterator[BinaryIO]:
    """Write to a stream directly."""
    yield stream
    stream.flush()


@contextmanager
def _spooled(stream: BinaryIO) -> Iterator[BinaryIO]:
    """Collect in a temporary file what cannot be written from start to end, then copy it."""
    with tempfile.TemporaryFile(prefix="doc2vecc-") as file:
        yield file
        file.seek(0)
        shutil.copyfileobj(file, stream)
        stream.flush()
