"""Document vectors become a file: parquet, arrow, npy, jsonl or csv, batch by batch.

    read_files(["reviews.csv"], keep_columns=True) -> write_vectors(...) -> reviews.parquet: id, text, label, vector

A file is written under a temporary name beside its place and renamed when it is complete; whatever goes wrong
before, nothing is left behind. Standard output, pipes and devices are written to directly.
"""

from __future__ import annotations

import base64
import json
import math
import os
import shutil
import sys
import tempfile
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, ExitStack, contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any, BinaryIO

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.csv
import pyarrow.ipc
import pyarrow.parquet

from doc2vecc.corpus.sources import TextBatches
from doc2vecc.model import Model, Vectors

VECTOR_COLUMN = "vector"
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
_ROW_GROUP_BYTES = 32 << 20  # small batches are put together: a parquet file of tiny groups is slow to read

WriteBatch = Callable[[pa.RecordBatch, Vectors], None]


class OutputError(ValueError):
    """Vectors cannot be written as the user asked: one sentence with the value, the rule and the remedy."""


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
    with _open_target(target, kind) as file, WRITERS[kind](file, _is_stream(target)) as write:
        is_first = True
        for batch in batches:
            embedding = model.embed(batch.column(batches.text_column), workers)
            kept = batch.drop_columns([batches.text_column]) if drop_text else batch
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
    if kind == "npy":
        return
    clash = set(names).intersection(_csv_names(dim) if kind == "csv" else [VECTOR_COLUMN])
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
def _open_target(target: Path | None, kind: str) -> Iterator[BinaryIO]:
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
            with scratch.open("wb") as file:
                yield file
            scratch.replace(target)
        finally:
            scratch.unlink(missing_ok=True)


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


# ---- one writer for each format; each is a context manager that gives a function to write a batch with


def with_vectors(batch: pa.RecordBatch, vectors: Vectors) -> pa.RecordBatch:
    """Add the column of vectors, fixed_size_list<float32>[dim]."""
    field = pa.field(VECTOR_COLUMN, pa.list_(pa.float32(), vectors.shape[1]))
    # Only what pandas left there survives; other notes describe the columns as they were before.
    notes = {key: value for key, value in (batch.schema.metadata or {}).items() if key == b"pandas"}
    return pa.RecordBatch.from_arrays(
        [*batch.columns, pa.FixedSizeListArray.from_arrays(_float_array(vectors), vectors.shape[1])],
        schema=pa.schema([*batch.schema, field], metadata=notes or None),
    )


def _float_array(values: Vectors) -> pa.FloatArray:
    """Make an Arrow array of the memory itself."""
    return pa.FloatArray.from_buffers(pa.float32(), values.size, [None, pa.py_buffer(values)])


@contextmanager
def _parquet(file: BinaryIO, _is_stream: bool) -> Iterator[WriteBatch]:
    """Write row groups of some megabytes."""
    held: list[pa.RecordBatch] = []
    with ExitStack() as stack:
        writer: pa.parquet.ParquetWriter | None = None

        def flush() -> None:
            nonlocal writer
            if not held:
                return
            if writer is None:
                schema = held[0].schema
                # Vectors never repeat, so a dictionary of them would be built for nothing.
                repeating = [name for name in schema.names if name != VECTOR_COLUMN]
                writer = stack.enter_context(pa.parquet.ParquetWriter(file, schema, use_dictionary=repeating))
            writer.write_table(pa.Table.from_batches(held), row_group_size=1 << 20)
            held.clear()

        def write(batch: pa.RecordBatch, vectors: Vectors) -> None:
            held.append(with_vectors(batch, vectors))
            if sum(one.nbytes for one in held) >= _ROW_GROUP_BYTES:
                flush()

        yield write
        flush()


@contextmanager
def _arrow(file: BinaryIO, is_stream: bool) -> Iterator[WriteBatch]:
    """Write the Arrow file format, also called feather; to a pipe the format for streams."""
    opened = pa.ipc.new_stream if is_stream else pa.ipc.new_file
    with ExitStack() as stack:
        writer: pa.RecordBatchWriter | None = None

        def write(batch: pa.RecordBatch, vectors: Vectors) -> None:
            nonlocal writer
            whole = with_vectors(batch, vectors)
            if writer is None:
                writer = stack.enter_context(opened(file, whole.schema))
            writer.write_batch(whole)

        yield write


@contextmanager
def _npy(file: BinaryIO, _is_stream: bool) -> Iterator[WriteBatch]:
    """Write a matrix; how many rows it has is put into the header at the end, for which NumPy leaves room."""
    rows = dim = 0

    def header() -> None:
        shape = {"descr": "<f4", "fortran_order": False, "shape": (rows, dim)}
        np.lib.format.write_array_header_1_0(file, shape)

    def write(_batch: pa.RecordBatch, vectors: Vectors) -> None:
        nonlocal rows, dim
        if rows == 0:
            file.seek(0)
            dim = vectors.shape[1]
            header()
        file.write(vectors.astype("<f4", copy=False).data)
        rows += len(vectors)

    yield write
    file.seek(0)
    header()


@contextmanager
def _jsonl(file: BinaryIO, _is_stream: bool) -> Iterator[WriteBatch]:
    """Write one object a line."""

    def write(batch: pa.RecordBatch, vectors: Vectors) -> None:
        columns = [json_values(batch.column(name)) for name in batch.schema.names]
        keys = [json.dumps(name, ensure_ascii=False) + ": " for name in batch.schema.names]
        lines = []
        for number, vector in enumerate(_number_lists(vectors)):
            cells = [key + column[number] for key, column in zip(keys, columns, strict=True)]
            lines.append("{" + ", ".join([*cells, f'"{VECTOR_COLUMN}": [{vector}]']) + "}\n")
        file.write("".join(lines).encode())

    yield write


def _number_lists(vectors: Vectors) -> list[str]:
    """[[0.5, 2.0]] -> ["0.5, 2"]: the shortest digits that give the same float32 again, formatted by Arrow."""
    digits = pc.cast(_float_array(vectors), pa.string())
    rows = pa.FixedSizeListArray.from_arrays(digits, vectors.shape[1])
    joined: list[str] = pc.binary_join(rows, ", ").to_pylist()
    return joined


def json_values(column: pa.Array) -> list[str]:
    """Write every value of a column as JSON: [1, None, nan] -> ["1", "null", "null"]."""
    if pa.types.is_temporal(column.type) and not pa.types.is_duration(column.type):
        column = pc.cast(column, pa.string())  # nanoseconds and all; Python's datetime ends at microseconds
    return [json.dumps(_json_value(value), ensure_ascii=False) for value in column.to_pylist()]


def _json_value(value: object) -> object:
    """Turn what JSON does not know into what comes nearest: NaN -> null, bytes -> base64, a date -> its text."""
    if isinstance(value, float):
        return value if math.isfinite(value) else None
    if value is None or isinstance(value, str | int):
        return value
    if isinstance(value, bytes):
        return base64.b64encode(value).decode()
    if isinstance(value, dict):
        return {str(key): _json_value(inner) for key, inner in value.items()}
    if isinstance(value, list | tuple):
        return [_json_value(inner) for inner in value]
    return str(value)


def _csv_names(dim: int) -> list[str]:
    return [f"v{number}" for number in range(dim)]


@contextmanager
def _csv(file: BinaryIO, _is_stream: bool) -> Iterator[WriteBatch]:
    """Write one row a document, each number of the vector in a column of its own."""
    with ExitStack() as stack:
        writer: pa.csv.CSVWriter | None = None

        def write(batch: pa.RecordBatch, vectors: Vectors) -> None:
            nonlocal writer
            numbers = [_float_array(np.ascontiguousarray(column)) for column in vectors.T]
            cells = [_csv_cells(column) for column in batch.columns]
            whole = pa.RecordBatch.from_arrays(
                [*cells, *numbers], [*batch.schema.names, *_csv_names(vectors.shape[1])]
            )
            if writer is None:
                writer = stack.enter_context(pa.csv.CSVWriter(file, whole.schema))
            writer.write_batch(whole)

        yield write


def _csv_cells(column: pa.Array) -> pa.Array:
    """Give a column that fits into cells: what is nested or binary becomes JSON."""
    kind = column.type
    if pa.types.is_dictionary(kind):
        return _csv_cells(column.dictionary_decode())
    is_simple = (
        pa.types.is_boolean(kind)
        or pa.types.is_integer(kind)
        or pa.types.is_floating(kind)
        or pa.types.is_string(kind)
        or pa.types.is_large_string(kind)
        or (pa.types.is_temporal(kind) and not pa.types.is_duration(kind))
    )
    if is_simple:
        return column
    values: list[Any] = [_json_value(value) for value in column.to_pylist()]
    return pa.array(
        [
            value if value is None or isinstance(value, str) else json.dumps(value, ensure_ascii=False)
            for value in values
        ],
        pa.large_string(),
    )


WRITERS: dict[str, Callable[[BinaryIO, bool], AbstractContextManager[WriteBatch]]] = {
    "parquet": _parquet,
    "arrow": _arrow,
    "npy": _npy,
    "jsonl": _jsonl,
    "csv": _csv,
}
