"""Everything that can hold documents becomes a stream of Arrow record batches with one clean text column.

    read_texts(["a good film", "a bad film"]).texts()      -> pa.LargeStringArray, pa.LargeStringArray, ...
    read_files(["reviews.parquet"], keep_columns=True)      -> pa.RecordBatch(id, text, label), ...

What `read_texts` takes:
    an iterable of str          list, tuple, generator, NumPy array, Series; None, NaN, NA and NaT are missing texts
    an Arrow array of strings   pyarrow, polars, pandas: string, large_string, string_view, dictionaries of them
    an Arrow table              pyarrow, polars, pandas, Hugging Face; any object with Arrow's C interface
    pathlib.Path                one, or an iterable of them: as `read_files`
    TextBatches                 returned as it is
  A bare str or bytes is refused, since it could mean a text or a path; so is a mapping.

What `read_files` takes, by extension (any case) or by `input_format`:
    .txt                        one document a line; an empty line is an empty document
    .jsonl .ndjson              one JSON object a line; blank lines are passed over
    .csv .tsv                   a header line, then one document a row; quoted cells may hold line breaks; of csv
                                the delimiter is found, or given by the rules
    .parquet                    any row groups, any compression inside
    .arrow .feather .ipc        Arrow IPC, file or stream format
    .gz .bz2 .zst               after any of these, e.g. reviews.csv.gz; text is also decompressed without the
                                extension, parquet and Arrow are decompressed to a temporary file
    a folder                    searched with all its subfolders, hidden ones apart, in the order of the names:
                                its txt files are one document each, and a column "file" names them;
                                without txt files, its files of one other kind are read one after the other
    -                           standard input, txt unless `input_format` names another format
    a named pipe                as a file, e.g. <(command) with `input_format`
  Text formats are UTF-8, with or without a byte order mark; lines end with LF or CRLF.

Which column is the text: the one that `text_column` names, else the one with the name "text", else the only one
that holds strings. txt files and arrays have no columns; their texts get the name `text_column`, or "text".

What happens to bad data: invalid UTF-8 is replaced by U+FFFD; a line that is no JSON object with a text, or a row
with too few or too many cells, is skipped; a missing text is an empty document, so that rows stay aligned.
`ReadReport` counts all of it. A file of which more than 1 % of the lines would be skipped is an `InputError`, and so is
a document above the limit; `ReadingRules` has these limits, and `strict`, which stops at the first bad byte or line.

What the later stages rely on: the text column is `large_string`, valid UTF-8, without nulls and with array
offset 0, so that `column.buffers()[1:]` are the int64 offsets (the first need not be 0) and the bytes. A
batch holds 1 to 16,384 documents, and at most 8 MB of text unless it is one document that is longer.
"""

from __future__ import annotations

import os
import reprlib
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager, contextmanager, suppress
from itertools import chain, islice
from math import isnan

import numpy as np
import pyarrow as pa

from doc2vecc.corpus import text_column as columns
from doc2vecc.corpus.formats.columnar import open_arrow_object
from doc2vecc.corpus.formats.files import find_files, open_file
from doc2vecc.corpus.formats.reading import InputFile
from doc2vecc.corpus.report import Reading, ReadingRules, ReadReport
from doc2vecc.corpus.text_column import Keep, OpenTable
from doc2vecc.errors import InputError

__all__ = ["InputError", "ReadReport", "ReadingRules", "TextBatches", "read_files", "read_texts"]

DEFAULT_RULES = ReadingRules()
PANDAS_MISSING = ("NAType", "NaTType")  # by name: pandas is not imported here


def read_texts(
    source: object, *, text_column: str | None = None, rules: ReadingRules = DEFAULT_RULES, keep_columns: Keep = False
) -> TextBatches:
    """Read documents from any Python object: iterable of str, Series, Arrow data, table, or pathlib.Path.

    ["a film", None] -> one batch of ["a film", ""], with report.documents == 2 and report.missing == 1
    """
    if isinstance(source, TextBatches):
        return source
    if isinstance(source, os.PathLike):
        return read_files([source], text_column=text_column, rules=rules, keep_columns=keep_columns)
    reading = Reading("the texts", rules, ReadReport())
    source = _as_table(source)
    if _has_arrow_interface(source):
        table = open_arrow_object(source, reading)
    else:
        items = _iterate(source)
        first = list(islice(items, 1))
        if first and isinstance(first[0], os.PathLike):
            paths = [*_checked_paths(chain(first, items))]
            return read_files(paths, text_column=text_column, rules=rules, keep_columns=keep_columns)
        table = _open_iterable(chain(first, items), reading)
    return TextBatches([(reading, table)], reading.report, text_column=text_column, keep_columns=keep_columns)


def read_files(
    paths: str | os.PathLike[str] | Sequence[str | os.PathLike[str]],
    *,
    text_column: str | None = None,
    rules: ReadingRules = DEFAULT_RULES,
    input_format: str | None = None,
    keep_columns: Keep = False,
) -> TextBatches:
    """Read files and folders one after the other; "-" is standard input.

    `input_format` (txt, jsonl, csv, tsv, parquet, arrow) replaces the extension. With `keep_columns` the batches have
    the other columns too, all or those that it names, as far as there are any; without it they are not read. A path
    that does not exist or has an unknown extension is refused before anything is read.
    """
    paths = [paths] if isinstance(paths, str | os.PathLike) else list(paths)
    if not paths:
        raise InputError("no input was given; name at least one file or folder, or - for standard input")
    if paths.count("-") > 1:
        raise InputError("- was given twice, but standard input can be read once; name it once")
    report = ReadReport()
    files = [file for path in paths for file in find_files(path, input_format, rules=rules, report=report)]
    inputs = [(file, open_file(file)) for file in files]
    return TextBatches(inputs, report, text_column=text_column, keep_columns=keep_columns)


class TextBatches:
    """A stream of documents that can be read once.

    Iterate it for record batches, or `texts()` for the text column alone.
    `text_column` is known after the first batch, `report` is complete after the last one.
    `total_bytes` is the size of the files; None for standard input and for what is in memory.
    """

    def __init__(
        self,
        inputs: Sequence[tuple[Reading, AbstractContextManager[OpenTable]]],
        report: ReadReport,
        *,
        text_column: str | None = None,
        keep_columns: Keep = False,
    ) -> None:
        self.report = report
        self.text_column: str | None = None
        self._inputs = inputs
        self._files = [reading for reading, _ in inputs if isinstance(reading, InputFile)]
        is_size_known = bool(self._files) and all(file.path is not None for file in self._files)
        self.total_bytes = sum(file.size for file in self._files) if is_size_known else None
        self._wanted_column = text_column
        self._keep_columns = keep_columns
        self._schema: pa.Schema | None = None  # of the first batch, which the later ones follow
        self._is_read = False

    def __iter__(self) -> Iterator[pa.RecordBatch]:
        if self._is_read:
            raise RuntimeError("these documents have been read already; call read_texts or read_files again")
        self._is_read = True
        return self._batches()

    def texts(self, on_batch: Callable[[int], None] | None = None) -> Iterator[pa.LargeStringArray]:
        """Return the text column of each batch; `on_batch` is called with the number of its documents."""
        for batch in self:
            if on_batch is not None:
                on_batch(batch.num_rows)
            yield batch.column(self.text_column)

    def bytes_read(self) -> int:
        """Return how many of the `total_bytes` have been read, for a progress bar."""
        return sum(file.position for file in self._files)

    def _batches(self) -> Iterator[pa.RecordBatch]:
        for reading, opened in self._inputs:
            with opened as table:
                if table.names or table.is_nameless:  # otherwise there is nothing to choose from
                    yield from self._read(table, reading)
                reading.check_malformed()

    def _read(self, table: OpenTable, reading: Reading) -> Iterator[pa.RecordBatch]:
        """Read one input."""
        text = columns.choose_text_column(table, self._wanted_column, reading.name)
        self.text_column = self.text_column or text
        if self._keep_columns and text != self.text_column:
            raise InputError(
                f"the text is in the column {text!r} of {reading.name}, but in "
                f"{self.text_column!r} of the first input; read them one by one"
            )
        for batch in table.batches(text, self._keep_columns):
            if not table.is_utf8:  # read by Arrow as others wrote it
                columns.check_batch(batch, text)
            if not isinstance(self._keep_columns, bool):
                batch = batch.select(
                    [name for name in batch.schema.names if name == text or name in self._keep_columns]
                )
            yield from self._cleaned(batch, text, reading, table.is_utf8)

    def _cleaned(self, batch: pa.RecordBatch, text: str, reading: Reading, is_utf8: bool) -> Iterator[pa.RecordBatch]:
        """Cut a batch into pieces of bounded size and put the clean text column into each."""
        for start in range(0, batch.num_rows, columns.MAX_DOCUMENTS):
            piece = batch.slice(start, columns.MAX_DOCUMENTS)
            clean = columns.clean_texts(piece.column(text), reading, is_utf8=is_utf8)
            reading.check_size(int(np.diff(columns.text_buffers(clean)[1]).max()))
            for first, texts in columns.bounded_slices(clean):
                self.report.documents += len(texts)
                reading.documents += len(texts)
                if not self._keep_columns:
                    yield pa.RecordBatch.from_arrays([texts], [self.text_column])
                    continue
                rows = piece.slice(first, len(texts))
                place = rows.schema.get_field_index(text)
                rows = rows.set_column(place, rows.schema.field(place).with_type(texts.type), texts)
                self._schema = self._schema or rows.schema
                yield _with_schema(rows, self._schema, reading.name)


def _with_schema(batch: pa.RecordBatch, schema: pa.Schema, name: str) -> pa.RecordBatch:
    """Put the columns of a later file into the order and types of the first one."""
    if batch.schema.equals(schema):
        return batch
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


# ---- objects in memory


def _as_table(source: object) -> object:
    """Return the table that a polars LazyFrame or a Hugging Face dataset stands for; other objects as they are."""
    kind = type(source)
    if kind.__name__ == "LazyFrame" and kind.__module__.startswith("polars."):
        return source.collect()  # type: ignore[attr-defined]
    if kind.__name__ == "Dataset" and kind.__module__.startswith("datasets."):
        return source.with_format("arrow")[:]  # type: ignore[attr-defined]
    return source


def _has_arrow_interface(source: object) -> bool:
    """Return whether Arrow can read an object without iterating it: pyarrow, polars, pandas, ..."""
    # A column of Python objects may hold anything; iterating it finds the one that is no text.
    dtype = getattr(source, "dtype", None)
    is_of_objects = isinstance(dtype, np.dtype) and dtype.hasobject
    return not is_of_objects and (hasattr(source, "__arrow_c_stream__") or hasattr(source, "__arrow_c_array__"))


def _iterate(source: object) -> Iterator[object]:
    """Return an iterator over the source, or refuse it with the remedy."""
    if isinstance(source, str | bytes | bytearray):
        raise InputError(
            f"a bare {type(source).__name__} was given: {reprlib.repr(source)}; "
            "pass a list of texts, or pathlib.Path(...) for a file"
        )
    if isinstance(source, Iterable) and not isinstance(source, Mapping):
        with suppress(TypeError):  # an array of no dimension looks iterable, but is not
            return iter(source)
    raise InputError(
        f"texts cannot be read from an object of type {type(source).__name__}; "
        "pass a list of texts, a Series, Arrow data, or pathlib.Path(...) for a file"
    )


def _checked_paths(items: Iterable[object]) -> Iterator[os.PathLike[str]]:
    """Refuse a text in a list that began with a path."""
    for item in items:
        if not isinstance(item, os.PathLike):
            raise InputError(
                f"{reprlib.repr(item)} is in a list of paths, but is no pathlib.Path; pass paths or texts, not both"
            )
        yield item


@contextmanager
def _open_iterable(items: Iterable[object], reading: Reading) -> Iterator[OpenTable]:
    """Collect texts into batches, without ever holding all of them.

    Errors of the iterable itself pass unchanged: it is the user's own code.
    """

    def batches(text: str, _keep: Keep) -> Iterator[pa.RecordBatch]:
        for texts in columns.in_batches(_checked_texts(items), size=lambda item: len(item or "")):
            yield pa.RecordBatch.from_arrays([columns.string_array(texts, reading)], [text])

    yield OpenTable([], [], batches, is_nameless=True, is_utf8=True)


def _checked_texts(items: Iterable[object]) -> Iterator[str | None]:
    """Pass strings on, and what stands for a missing one as None: ["a", nan] -> "a", None."""
    for position, item in enumerate(items):
        if isinstance(item, str):
            yield item
        elif item is None or (isinstance(item, float) and isnan(item)) or type(item).__name__ in PANDAS_MISSING:
            yield None
        else:
            raise InputError(
                f"texts[{position}] is {reprlib.repr(item)} of type {type(item).__name__}; every text must be a str"
            )
