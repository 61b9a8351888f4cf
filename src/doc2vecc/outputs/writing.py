"""Embed a stream of documents and write the vectors, with the other columns of the input."""

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import pyarrow as pa

from doc2vecc.console import zero_vectors_message
from doc2vecc.corpus.sources import TextBatches
from doc2vecc.errors import OutputError
from doc2vecc.files import atomic_write, is_stream
from doc2vecc.model import Model
from doc2vecc.outputs.formats import WRITERS, vector_columns

KINDS = {**{kind: kind for kind in WRITERS}, "feather": "arrow", "ndjson": "jsonl"}  # by extension
BINARY_KINDS = ("parquet", "arrow", "npy")
_SEEKABLE_KINDS = ("parquet", "npy")  # not written from start to end


@dataclass
class WriteReport:
    """What was written."""

    documents: int = 0
    zero_vectors: int = 0

    def messages(self) -> list[str]:
        """Return what a user should know, a sentence each."""
        return zero_vectors_message(self.zero_vectors, self.documents)


def output_kind(target: str, wanted: str | None = None) -> str:
    """Return the format of a file: the one that is wanted, else by the extension; "-" is jsonl.

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
            f"the extension of {target!r} is not a known format; known are {known}. "
            "Rename it, or name the format with --output-format"
        ) from None


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
    """Embed the documents and write their vectors and other columns to a file; None is standard output."""
    report = WriteReport()
    with (
        atomic_write(target, seekable=kind in _SEEKABLE_KINDS) as file,
        WRITERS[kind](file, is_stream(target)) as write,
    ):
        for batch in batches:
            embedding = model.embed(batch.column(batches.text_column), workers)
            others = [name for name in batch.schema.names if name != batches.text_column]
            kept = batch.select(others) if drop_text else batch
            if report.documents == 0:
                _check_names(kept.schema.names, kind, model.dim)
            write(kept, np.ascontiguousarray(embedding.vectors))
            report.documents += batch.num_rows
            report.zero_vectors += int(np.count_nonzero(embedding.known_words == 0))
            if on_batch is not None:
                on_batch(batch.num_rows)
        if report.documents == 0:  # a file of no rows, so that the next program finds one
            write(pa.RecordBatch.from_arrays([], []), np.empty((0, model.dim), np.float32))
    return report


def _check_names(names: list[str], kind: str, dim: int) -> None:
    """Raise an OutputError if the input has a column of the name that the vectors will get."""
    clash = set(names).intersection(vector_columns(kind, dim))
    if clash:
        raise OutputError(
            f"the input already has a column {min(clash)!r}, which would hold the vectors; "
            "rename it, or write .npy, which holds the vectors alone"
        )
