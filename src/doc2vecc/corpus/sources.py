"""Everything that can hold documents becomes a stream of Arrow record batches with one clean text column.

    read_texts(["a good film", "a bad film"]).texts()      -> pa.LargeStringArray, pa.LargeStringArray, ...
    read_files(["reviews.parquet"], keep_columns=True)      -> pa.RecordBatch(id, text, label), ...

What the later stages may trust: the text column is `large_string`, valid UTF-8, without nulls and with array
offset 0, so that `column.buffers()[1:]` are the int64 offsets (the first need not be 0) and the bytes. A
batch holds 1 to 16,384 documents, and at most 8 MB of text unless it is one document that is longer.
"""

import os
import reprlib
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager, contextmanager, nullcontext
from dataclasses import dataclass
from functools import partial
from itertools import chain, islice
from math import isnan
from pathlib import Path

import numpy as np
import pyarrow as pa

from doc2vecc.corpus.formats import (
    BLOCK_BYTES,
    COMPRESSIONS,
    KINDS,
    MAX_DOCUMENTS,
    TEXT_KINDS,
    InputError,
    InputFile,
    OpenTable,
    Reading,
    ReadReport,
    arrow_table,
    bytes_array,
    compression_of,
    in_batches,
    input_errors,
    is_text,
    kind_of,
    open_table,
    string_array,
)

__all__ = ["InputError", "ReadReport", "TextBatches", "read_files", "read_texts"]

PANDAS_MISSING = ("NAType", "NaTType")  # by name: pandas is not imported here
EMPTY_TEXT = bytes_array([b""])[0]
HOW_TO_NAME = "Name one with --text-column / text_column="


@dataclass
class _Input:
    """One file, or one thing in memory, before it is opened."""

    reading: Reading
    table: AbstractContextManager[OpenTable]
    text_column: str | None


class TextBatches:
    """A stream of documents that can be read once.

    Iterate it for record batches, or `texts()` for the text column alone.
    `text_column` is known as soon as the first batch is out, `report` is complete when the last one is.
    `total_bytes` is the size of the files; None for standard input and for what is in memory.
    """

    def __init__(
        self,
        inputs: Iterable[_Input],
        report: ReadReport,
        *,
        files: Sequence[InputFile] = (),
        total_bytes: int | None = None,
        keep_columns: bool = False,
    ) -> None:
        self.report = report
        self.text_column: str | None = None
        self.total_bytes = total_bytes
        self._inputs = inputs
        self._files = files
        self._keep_columns = keep_columns
        self._schema: pa.Schema | None = None
        self._is_read = False

    def __iter__(self) -> Iterator[pa.RecordBatch]:
        if self._is_read:
            raise RuntimeError("these documents have been read already; call read_texts or read_files again")
        self._is_read = True
        return self._batches()

    def texts(self) -> Iterator[pa.LargeStringArray]:
        """Give the text column of each batch."""
        for batch in self:
            yield batch.column(self.text_column)

    def bytes_read(self) -> int:
        """Return how many of the `total_bytes` have been read, for a progress bar."""
        return sum(file.position for file in self._files)

    def _batches(self) -> Iterator[pa.RecordBatch]:
        for source in self._inputs:
            with source.table as table:
                if not table.names and not table.is_nameless:  # an empty file: nothing to choose from
                    continue
                text = choose_text_column(table, source.text_column, source.reading.name)
                self.text_column = self.text_column or text
                if self._keep_columns and text != self.text_column:
                    raise InputError(
                        f"the text is in the column {text!r} of {source.reading.name}, but in "
                        f"{self.text_column!r} of the first input; read them one by one"
                    )
                for batch in table.batches(text, self._keep_columns):
                    yield from self._clean(batch, text, source.reading)

    def _clean(self, batch: pa.RecordBatch, text: str, reading: Reading) -> Iterator[pa.RecordBatch]:
        """Cut a batch into pieces of bounded size and put the clean text column into each."""
        for start in range(0, batch.num_rows, MAX_DOCUMENTS):
            piece = batch.slice(start, MAX_DOCUMENTS)
            texts = text_array(piece.column(text), reading)
            piece = self._with_columns(piece, text, texts, reading.name)
            for first, after in _cuts(texts):
                self.report.documents += after - first
                column = _slice_at_offset_zero(texts, first, after)
                yield piece.slice(first, after - first).set_column(
                    piece.schema.get_field_index(self.text_column),
                    piece.schema.field(self.text_column),
                    column,
                )

    def _with_columns(self, batch: pa.RecordBatch, text: str, texts: pa.Array, name: str) -> pa.RecordBatch:
        """Give the batch the clean texts, and the columns of the first batch of the stream."""
        if not self._keep_columns:
            return pa.RecordBatch.from_arrays([texts], [self.text_column])
        place = batch.schema.get_field_index(text)
        batch = batch.set_column(place, batch.schema.field(text).with_type(pa.large_string()), texts)
        if self._schema is None:
            self._schema = batch.schema
        if batch.schema.equals(self._schema):
            return batch
        return _with_schema(batch, self._schema, name)


def _with_schema(batch: pa.RecordBatch, schema: pa.Schema, name: str) -> pa.RecordBatch:
    """Put the columns of a later file into the order and types of the first one."""
    if sorted(batch.schema.names) != sorted(schema.names):
        raise InputError(
            f"{name} has the columns {', '.join(batch.schema.names)}, but the first input has "
            f"{', '.join(schema.names)}; read files with different columns one by one"
        )
    arrays = []
    for wanted in schema:
        column = batch.column(wanted.name)
        try:
            arrays.append(column.cast(wanted.type))
        except pa.ArrowException as error:
            raise InputError(
                f"the column {wanted.name!r} of {name} is {column.type}, in the first input {wanted.type}; "
                "give all files the same column types, or read them one by one"
            ) from error
    return pa.RecordBatch.from_arrays(arrays, schema=schema)


# ---- the text column


def choose_text_column(table: OpenTable, wanted: str | None, where: str) -> str:
    """Choose the wanted column, else the only one that holds text, else the one that is called "text"."""
    columns = ", ".join(table.names)
    if table.is_nameless:
        chosen = wanted or "text"
    elif wanted is not None:
        if wanted not in table.names:
            raise InputError(f"no column {wanted!r} in {where}; it has: {columns}. {HOW_TO_NAME}")
        if wanted not in table.text_names and not table.any_as_text:
            found = ", ".join(table.text_names) or "none"
            raise InputError(
                f"the column {wanted!r} of {where} holds no text; those that do: {found}. {HOW_TO_NAME}"
            )
        chosen = wanted
    elif "text" in table.text_names:
        chosen = "text"
    elif len(table.text_names) == 1:
        chosen = table.text_names[0]
    elif table.text_names:
        raise InputError(f"several text columns in {where}: {', '.join(table.text_names)}. {HOW_TO_NAME}")
    else:
        raise InputError(f"no text column in {where}; it has: {columns}. One of them must hold strings")
    if table.names.count(chosen) > (not table.is_nameless):
        raise InputError(
            f"{where} would have several columns {chosen!r}; name another one, or rename one of them"
        )
    return chosen


def text_array(column: pa.Array, reading: Reading) -> pa.LargeStringArray:
    """Make any string column clean: large_string, valid UTF-8, nulls as empty texts."""
    if pa.types.is_dictionary(column.type):
        # take checks the indices, which come from a file; casting the dictionary would trust them
        column = column.dictionary.cast(pa.large_string()).take(column.indices)
    try:
        column.validate(full=True)
    except pa.ArrowInvalid:
        texts = _repaired(column.cast(pa.large_binary()), reading)
    else:
        # without a need, cast would import pyarrow.compute, which takes 0.1 s
        texts = column if pa.types.is_large_string(column.type) else column.cast(pa.large_string())
    if texts.null_count:
        reading.report.missing += texts.null_count
        texts = texts.fill_null(EMPTY_TEXT)
    return texts


def _repaired(raw: pa.LargeBinaryArray, reading: Reading) -> pa.LargeStringArray:
    """Replace what is not UTF-8 by U+FFFD, in a column that a careless writer declared to be text."""
    raw.validate(full=True)  # the bytes are wrong, but the offsets must be right
    texts: list[str | None] = []
    for row, value in enumerate(raw.to_pylist()):
        text = None if value is None else value.decode(errors="replace")
        if text and (count := text.count("\ufffd") - value.count("\ufffd".encode())):
            reading.undecodable(count, f"document {reading.report.documents + row} (counted from 0)")
        texts.append(text)
    return string_array(texts, reading)


def _cuts(texts: pa.LargeStringArray) -> Iterator[tuple[int, int]]:
    """Cut an array into (first, after) ranges of at most 8 MB of text, one document at least."""
    offsets = np.frombuffer(texts.buffers()[1], dtype=np.int64)[texts.offset : texts.offset + len(texts) + 1]
    first = 0
    while first < len(texts):
        within = int(np.searchsorted(offsets, offsets[first] + BLOCK_BYTES, side="right")) - 1
        after = min(max(within, first + 1), len(texts))
        yield first, after
        first = after


def _slice_at_offset_zero(texts: pa.LargeStringArray, first: int, after: int) -> pa.LargeStringArray:
    """Slice by moving the offsets' buffer, so that who reads the buffers need not think of `array.offset`."""
    _, offsets, data = texts.buffers()
    moved = offsets.slice(8 * (texts.offset + first), 8 * (after - first + 1))
    return pa.LargeStringArray.from_buffers(after - first, moved, data)


# ---- files


def read_files(
    paths: Sequence[str | os.PathLike[str]],
    *,
    text_column: str | None = None,
    strict: bool = False,
    input_format: str | None = None,
    keep_columns: bool = False,
) -> TextBatches:
    """Read files and folders one after the other; "-" is standard input.

    txt has one document a line, a folder of txt files one document a file. `input_format` (txt, jsonl, csv,
    tsv, parquet, arrow) stands in for the extension. With `strict`, what would be replaced or skipped is an
    error. With `keep_columns` the other columns come along, otherwise they are not even read.
    """
    paths = [paths] if isinstance(paths, str | os.PathLike) else list(paths)
    if not paths:
        raise InputError("no input was given; name at least one file or folder, or - for standard input")
    if paths.count("-") > 1:
        raise InputError("- was given twice, but standard input can be read once; name it once")
    if input_format is not None and input_format not in KINDS:
        raise InputError(f"unknown input format {input_format!r}; it must be one of: {', '.join(KINDS)}")
    report = ReadReport()
    kind = KINDS[input_format] if input_format else None
    files = [file for path in paths for file in _files_of(path, kind, Reading(str(path), strict, report))]
    return TextBatches(
        (_Input(file, open_table(file), text_column) for file in files),
        report,
        files=files,
        total_bytes=sum(file.size for file in files) if "-" not in paths else None,
        keep_columns=keep_columns,
    )


def _files_of(path: str | os.PathLike[str], kind: str | None, reading: Reading) -> list[InputFile]:
    """Find the file, or the files of a folder, that a path on the command line means."""
    if path == "-":
        return [InputFile("standard input", reading.strict, reading.report, path=None, kind=kind or "txt")]
    path = Path(path)
    with input_errors(str(path)):
        if not path.exists():
            raise InputError(f"no file or folder {str(path)!r}; check the path")
        return _folder(path, kind, reading) if path.is_dir() else [_file(path, kind, reading)]


def _file(path: Path, kind: str | None, reading: Reading) -> InputFile:
    """Describe one file; its extension says how to read it, unless the user did."""
    kind, compression = kind or kind_of(path), compression_of(path)
    if kind is None:
        known = " ".join(f".{extension}" for extension in KINDS)
        raise InputError(
            f"the extension of {str(path)!r} is not known; known are {known}, the text formats also with "
            f"{' '.join(COMPRESSIONS)}. Rename it, or say what it is with --input-format / input_format="
        )
    if compression and kind not in TEXT_KINDS:
        raise InputError(
            f"{path} is a compressed {kind} file, which cannot be read in pieces; decompress it first"
        )
    size = path.stat().st_size
    return InputFile(str(path), reading.strict, reading.report, path, kind, compression, size)


def _folder(folder: Path, wanted: str | None, reading: Reading) -> list[InputFile]:
    """Describe a folder: its txt files are documents, files of one other kind are read as if named singly."""
    found: dict[str | None, list[Path]] = {}
    for path in sorted(_visible_files(folder)):
        found.setdefault(kind_of(path), []).append(path)
    kinds = [kind for kind in found if kind is not None]
    if wanted or "txt" in kinds or len(kinds) == 1:
        kind = wanted or ("txt" if "txt" in kinds else kinds[0])
    elif kinds:
        raise InputError(
            f"the folder {str(folder)!r} holds files of several kinds: {', '.join(sorted(kinds))}; "
            "name the files, or one kind with --input-format / input_format="
        )
    else:
        kind = "txt"
    members = found.pop(kind, [])
    if not members:
        raise InputError(
            f"the folder {str(folder)!r} holds no .{kind} file; name a folder with files to read"
        )
    reading.report.ignored_files += sum(map(len, found.values()))
    if kind != "txt":
        return [_file(path, kind, reading) for path in members]
    size = sum(path.stat().st_size for path in members)
    return [
        InputFile(
            str(folder), reading.strict, reading.report, folder, "folder", None, size, members=tuple(members)
        )
    ]


def _visible_files(folder: Path) -> Iterator[Path]:
    """Walk through a folder; what begins with a dot is hidden, links to folders are not followed."""

    def fail(error: OSError) -> None:  # pathlib's rglob would leave out a folder it may not read
        raise InputError(f"cannot read the folder {str(error.filename)!r}: {error.strerror}") from error

    for parent, folders, names in os.walk(folder, onerror=fail):
        folders[:] = [name for name in folders if not name.startswith(".")]
        yield from (Path(parent, name) for name in names if not name.startswith("."))


# ---- what is in memory


def read_texts(source: object, *, text_column: str | None = None, strict: bool = False) -> TextBatches:
    """Read documents from any Python object: iterable of str, Series, Arrow data, table, or pathlib.Path.

    ["a film", None] -> one batch of ["a film", ""], with report.documents == 2 and report.missing == 1
    """
    if isinstance(source, str | bytes | bytearray):
        raise InputError(
            f"a bare {type(source).__name__} was given: {reprlib.repr(source)}; "
            "pass a list of texts, or pathlib.Path(...) for a file"
        )
    if isinstance(source, TextBatches):
        return source
    if isinstance(source, os.PathLike):
        return read_files([source], text_column=text_column, strict=strict)
    reading = Reading("the texts", strict, ReadReport())
    # An object column may hold anything; iterating it names the culprit, where Arrow gives up on the whole.
    dtype = getattr(source, "dtype", None)
    is_object = isinstance(dtype, np.dtype) and dtype.hasobject
    if not is_object and (hasattr(source, "__arrow_c_stream__") or hasattr(source, "__arrow_c_array__")):
        return TextBatches([_Input(reading, _open_arrow_object(source), text_column)], reading.report)
    items = _iterator(source)
    first = list(islice(items, 1))
    items = chain(first, items)
    if first and isinstance(first[0], os.PathLike):
        return read_files([_checked_path(path) for path in items], text_column=text_column, strict=strict)
    table = OpenTable([], [], partial(_text_batches, items, reading), is_nameless=True)
    return TextBatches([_Input(reading, nullcontext(table), text_column)], reading.report)


def _iterator(source: object) -> Iterator[object]:
    """Give an iterator over the source, or say what can be read instead."""
    if isinstance(source, Iterable) and not isinstance(source, Mapping):
        try:
            return iter(source)
        except TypeError:  # an array of no dimension looks iterable, but is not
            pass
    raise InputError(
        f"texts cannot be read from an object of type {type(source).__name__}; "
        "pass a list of texts, a Series, Arrow data, or pathlib.Path(...) for a file"
    )


def _checked_path(path: object) -> os.PathLike[str]:
    """Refuse a text in a list that began with a path."""
    if isinstance(path, os.PathLike):
        return path
    raise InputError(
        f"{reprlib.repr(path)} is in a list of paths, but is no pathlib.Path; pass paths or texts, not both"
    )


def _checked_texts(items: Iterable[object]) -> Iterator[str | None]:
    """Pass strings on, and what stands for a missing one as None: ["a", nan] -> "a", None."""
    for position, item in enumerate(items):
        if isinstance(item, str):
            yield item
        elif (
            item is None or (isinstance(item, float) and isnan(item)) or type(item).__name__ in PANDAS_MISSING
        ):
            yield None
        else:
            raise InputError(
                f"texts[{position}] is {reprlib.repr(item)} of type {type(item).__name__}; "
                "every text must be a str"
            )


def _text_batches(
    items: Iterable[object], reading: Reading, text: str, _keep: bool
) -> Iterator[pa.RecordBatch]:
    """Collect an iterable of texts into batches, without ever holding all of it."""
    for texts in in_batches(_checked_texts(items), size=lambda item: len(item or "")):
        yield pa.RecordBatch.from_arrays([string_array(texts, reading)], [text])


@contextmanager
def _open_arrow_object(source: object) -> Iterator[OpenTable]:
    """Open what speaks Arrow's C interface."""
    with input_errors("the texts"):
        yield _arrow_object(source)


def _arrow_object(source: object) -> OpenTable:
    """Take a table by its text column, an array as it is."""
    if hasattr(source, "__arrow_c_stream__"):
        try:
            return _arrow_reader(pa.RecordBatchReader.from_stream(source))
        except pa.ArrowInvalid:  # not a table
            return _arrow_column(pa.chunked_array(source))
    array = pa.array(source)
    if pa.types.is_struct(array.type):
        batch = pa.RecordBatch.from_struct_array(array)
        return _arrow_reader(pa.RecordBatchReader.from_batches(batch.schema, [batch]))
    return _arrow_column(pa.chunked_array([array]))


def _arrow_reader(reader: pa.RecordBatchReader) -> OpenTable:
    """Read a whole table."""
    return arrow_table(reader.schema, lambda text, _keep: (batch.select([text]) for batch in reader))


def _arrow_column(column: pa.ChunkedArray) -> OpenTable:
    """Read an array."""
    if not is_text(column.type) and not pa.types.is_null(column.type):
        raise InputError(f"an array of type {column.type} was given; the texts must be strings")
    return OpenTable(
        [],
        [],
        lambda text, _keep: (pa.RecordBatch.from_arrays([chunk], [text]) for chunk in column.iterchunks()),
        is_nameless=True,
    )
