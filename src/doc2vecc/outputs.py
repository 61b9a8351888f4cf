"""Document vectors become a file: parquet, arrow, npy, jsonl or csv, batch by batch.

    read_files(["reviews.csv"], keep_columns=True) -> write_vectors(...) -> reviews.parquet: id, text, label, vector

There is a small writer for each format: a context manager that takes an open file and gives a function that writes a
batch of columns and vectors.
"""

import base64
import json
import math
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, ExitStack, contextmanager
from pathlib import Path
from typing import Any, BinaryIO

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.csv
import pyarrow.ipc
import pyarrow.parquet

from doc2vecc.console import one_line, shortened
from doc2vecc.corpus.shards import ShardedBatches
from doc2vecc.corpus.sources import TextBatches
from doc2vecc.errors import OutputError
from doc2vecc.files import atomic_write, is_stream
from doc2vecc.model import Model
from doc2vecc.similarity import Vectors

BINARY_KINDS = ("parquet", "arrow", "npy")
SEEKABLE_KINDS = ("parquet", "npy")  # not written from start to end
VECTOR_COLUMN = "vector"
ROW_GROUP_BYTES = 32 << 20  # small batches are joined: a parquet file of tiny row groups is slow to read
VALUES_AT_ONCE = 1 << 22

WriteBatch = Callable[[pa.RecordBatch, Vectors], None]
Writer = Callable[[BinaryIO, bool], AbstractContextManager[WriteBatch]]


def output_kind(target: str, wanted: str | None = None) -> str:
    """Return the format of a file: the one that is wanted, else by the extension; "-" is jsonl.

    >>> output_kind("a.feather"), output_kind("-"), output_kind("vectors", "npy")
    ('arrow', 'jsonl', 'npy')
    """
    extension = wanted or ("jsonl" if target == "-" else Path(target).suffix.removeprefix("."))
    if extension.lower() in KINDS:
        return KINDS[extension.lower()]
    known = ", ".join(KINDS)
    if wanted is not None:
        raise OutputError(f"unknown output format {wanted!r}; it must be one of: {known}")
    raise OutputError(
        f"the extension of {target!r} is not a known format; known are {known}. "
        "Rename it, or name the format with --output-format"
    )


def write_vectors(
    model: Model,
    batches: TextBatches | ShardedBatches,
    target: Path | None,
    kind: str,
    *,
    drop_text: bool = False,
    workers: int = 1,
    on_batch: Callable[[int], None] | None = None,
) -> int:
    """Embed documents, write their vectors and other columns to a file (None: stdout) -> number of zero vectors."""
    n_zero = 0
    is_written = False
    with atomic_write(target, seekable=kind in SEEKABLE_KINDS) as file, WRITERS[kind](file, is_stream(target)) as write:
        for batch in batches:
            embedding = model.embed(batch.column(batches.text_column), workers)
            others = [name for name in batch.schema.names if name != batches.text_column]
            kept = batch.select(others) if drop_text else batch
            if clash := set(vector_columns(kind, model.dim)).intersection(kept.schema.names):
                raise OutputError(
                    f"the input already has a column {min(clash)!r}, which would hold the vectors; "
                    "rename it, or write .npy, which holds the vectors alone"
                )
            write(kept, np.ascontiguousarray(embedding.vectors))
            is_written = True
            n_zero += int(np.count_nonzero(embedding.known_words == 0))
            if on_batch is not None:
                on_batch(batch.num_rows)
        if not is_written:  # a file of no rows, so that the next program finds one
            write(pa.RecordBatch.from_arrays([], []), np.empty((0, model.dim), np.float32))
    return n_zero


# ---- writers


def vector_columns(kind: str, dim: int) -> list[str]:
    """Return the names of the columns that hold the vectors: ("csv", 2) -> ["v0", "v1"]; ("npy", 2) -> []."""
    if kind == "csv":
        return [f"v{number}" for number in range(dim)]
    return [] if kind == "npy" else [VECTOR_COLUMN]


def with_vectors(batch: pa.RecordBatch, vectors: Vectors) -> pa.RecordBatch:
    """Add the column of vectors, fixed_size_list<float32>[dim]."""
    # The metadata of pandas still holds; other metadata may describe the columns as they were before.
    metadata = {key: value for key, value in (batch.schema.metadata or {}).items() if key == b"pandas"}
    column = pa.FixedSizeListArray.from_arrays(pa.array(vectors.ravel()), vectors.shape[1])
    return batch.append_column(VECTOR_COLUMN, column).replace_schema_metadata(metadata or None)


@contextmanager
def _opened_at_first(open_writer: Callable[[pa.Schema], Any]) -> Iterator[Callable[[Any], None]]:
    """Give a function that writes tables or batches; Arrow's writer is opened with the schema of the first."""
    with ExitStack() as stack:
        writer: Any = None

        def write(rows: pa.Table | pa.RecordBatch) -> None:
            nonlocal writer
            try:
                if writer is None:
                    writer = stack.enter_context(open_writer(rows.schema))
                writer.write(rows)
            except (pa.ArrowNotImplementedError, pa.ArrowInvalid, pa.ArrowTypeError, OSError) as error:
                if getattr(error, "errno", None) is not None:  # of the disk; Arrow has its own without a number
                    raise
                raise _unfit_column(error) from error

        yield write


def _unfit_column(error: Exception) -> OutputError:
    """Make the error for a column that a format cannot hold: none holds all types and values of Arrow."""
    reason = shortened(one_line(str(error)), 200)
    return OutputError(
        f"a column of the input cannot be written to this format ({reason}); leave it out, or write .npy, which holds "
        "the vectors alone"
    )


def python_values(column: pa.Array | pa.ChunkedArray) -> list[Any]:
    """Return the values of a column as Python's; dates and times that Python does not know as their text."""
    try:
        return column.to_pylist()  # type: ignore[no-any-return]
    except (ArithmeticError, ValueError, TypeError, pa.ArrowException) as error:
        if _has_text(column.type):
            return _texts(column).to_pylist()  # type: ignore[no-any-return]
        raise _unfit_column(error) from error


def _texts(column: pa.Array | pa.ChunkedArray) -> pa.Array | pa.ChunkedArray:
    """Write dates and times as text; Arrow keeps the nanoseconds, which Python's datetime does not have."""
    try:
        return pc.cast(column, pa.string())
    except pa.ArrowException as error:  # such as a time zone that does not exist
        raise _unfit_column(error) from error


def _has_text(kind: pa.DataType) -> bool:
    """Tell whether a type is one of dates and times that Arrow can write as text."""
    return bool(pa.types.is_temporal(kind) and not (pa.types.is_duration(kind) or pa.types.is_interval(kind)))


@contextmanager
def _parquet(file: BinaryIO, _is_stream: bool) -> Iterator[WriteBatch]:
    """Write row groups of some megabytes."""
    held: list[pa.RecordBatch] = []

    def open_writer(schema: pa.Schema) -> pa.parquet.ParquetWriter:
        # Vectors never repeat, so a dictionary of them would be built for nothing.
        repeating = [name for name in schema.names if name != VECTOR_COLUMN]
        return pa.parquet.ParquetWriter(file, schema, use_dictionary=repeating)

    with _opened_at_first(open_writer) as write_group:

        def write(batch: pa.RecordBatch, vectors: Vectors) -> None:
            held.append(with_vectors(batch, vectors))
            if sum(one.nbytes for one in held) >= ROW_GROUP_BYTES:
                write_group(pa.Table.from_batches(held))
                held.clear()

        yield write
        if held:
            write_group(pa.Table.from_batches(held))


@contextmanager
def _arrow(file: BinaryIO, is_stream: bool) -> Iterator[WriteBatch]:
    """Write the Arrow file format, also called feather; to a pipe the format for streams."""
    open_writer = pa.ipc.new_stream if is_stream else pa.ipc.new_file
    with _opened_at_first(lambda schema: open_writer(file, schema)) as write_rows:
        yield lambda batch, vectors: write_rows(with_vectors(batch, vectors))


@contextmanager
def _npy(file: BinaryIO, _is_stream: bool) -> Iterator[WriteBatch]:
    """Write a matrix; the number of rows goes into the header at the end, for which NumPy leaves room."""
    rows = 0
    dim: int | None = None  # until the first batch, which may be without rows

    def header() -> None:
        np.lib.format.write_array_header_1_0(file, {"descr": "<f4", "fortran_order": False, "shape": (rows, dim)})

    def write(_batch: pa.RecordBatch, vectors: Vectors) -> None:
        nonlocal rows, dim
        if dim is None:
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
        for number, vector in enumerate(_value_lists(vectors)):
            cells = [key + column[number] for key, column in zip(keys, columns, strict=True)]
            lines.append("{" + ", ".join([*cells, f'"{VECTOR_COLUMN}": [{vector}]']) + "}\n")
        file.write("".join(lines).encode())

    yield write


def _value_lists(vectors: Vectors) -> Iterator[str]:
    """[[0.5, 2.0]] -> "0.5, 2": the shortest digits that give the same float32 again, formatted by Arrow."""
    dim = vectors.shape[1]
    step = max(1, VALUES_AT_ONCE // dim)  # Arrow joins strings of 2 GB at most
    for start in range(0, len(vectors), step):
        block = vectors[start : start + step]
        digits = pc.cast(pa.array(block.ravel()), pa.string())
        lists = pa.ListArray.from_arrays(np.arange(len(block) + 1, dtype=np.int32) * np.int32(dim), digits)
        yield from pc.binary_join(lists, ", ").to_pylist()


def json_values(column: pa.Array) -> list[str]:
    """Write every value of a column as JSON: [1, None, nan] -> ["1", "null", "null"]."""
    if _has_text(column.type):
        column = _texts(column)
    return [json.dumps(json_value(value), ensure_ascii=False) for value in python_values(column)]


def json_value(value: object) -> object:
    """Replace what JSON cannot hold: NaN -> null, bytes -> base64, a date -> its text."""
    if isinstance(value, float):
        return value if math.isfinite(value) else None
    if value is None or isinstance(value, str | int):
        return value
    if isinstance(value, bytes):
        return base64.b64encode(value).decode()
    if isinstance(value, dict):
        return {str(key): json_value(inner) for key, inner in value.items()}
    if isinstance(value, list | tuple):
        return [json_value(inner) for inner in value]
    return str(value)


@contextmanager
def _csv(file: BinaryIO, _is_stream: bool) -> Iterator[WriteBatch]:
    """Write one row a document, with a column for each dimension of the vector."""
    with _opened_at_first(lambda schema: pa.csv.CSVWriter(file, schema)) as write_rows:

        def write(batch: pa.RecordBatch, vectors: Vectors) -> None:
            dimensions = [pa.array(column) for column in vectors.T]
            cells = [_csv_cells(column) for column in batch.columns]
            names = [*batch.schema.names, *vector_columns("csv", vectors.shape[1])]
            write_rows(pa.RecordBatch.from_arrays([*cells, *dimensions], names))

        yield write


def _csv_cells(column: pa.Array) -> pa.Array:
    """Return a column of values that fit into cells: what is nested or binary becomes JSON."""
    kind, types = column.type, pa.types
    if types.is_dictionary(kind):
        return _csv_cells(column.dictionary_decode())
    is_simple = types.is_primitive(kind) and not types.is_duration(kind) and not types.is_interval(kind)
    if is_simple or types.is_string(kind) or types.is_large_string(kind):
        return column
    values = (json_value(value) for value in python_values(column))
    cells = [one if isinstance(one, str | None) else json.dumps(one, ensure_ascii=False) for one in values]
    return pa.array(cells, pa.large_string())


WRITERS: dict[str, Writer] = {"parquet": _parquet, "arrow": _arrow, "npy": _npy, "jsonl": _jsonl, "csv": _csv}
KINDS = {kind: kind for kind in WRITERS} | {"feather": "arrow", "ndjson": "jsonl"}  # by extension
