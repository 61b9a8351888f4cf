"""Everything that can hold documents becomes a stream of Arrow record batches with one clean text column.

    read_texts(["a good film", "a bad film"]).texts()      -> pa.LargeStringArray, pa.LargeStringArray, ...
    read_files(["reviews.parquet"], keep_columns=True)      -> pa.RecordBatch(id, text, label), ...

What can be read, which column is the text and what happens to bad data: docs/input.md. A bare str or bytes is refused,
since it could mean a text or a path; so is a mapping.

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
from pathlib import Path

import numpy as np
import numpy.typing as npt
import pyarrow as pa

from doc2vecc.config import require
from doc2vecc.corpus import text_column as columns
from doc2vecc.corpus.formats.columnar import open_arrow_object
from doc2vecc.corpus.formats.files import find_files, open_file
from doc2vecc.corpus.formats.reading import InputFile
from doc2vecc.corpus.report import Reading, ReadingRules, ReadReport, Selection
from doc2vecc.corpus.sampling import Sample
from doc2vecc.corpus.text_column import Keep, OpenTable, Texts
from doc2vecc.errors import InputError

__all__ = ["InputError", "ReadReport", "ReadingRules", "Selection", "TextBatches", "read_files", "read_texts"]

DEFAULT_RULES = ReadingRules()
ALL = Selection()
PANDAS_MISSING = ("NAType", "NaTType")  # by name: pandas is not imported here


def read_texts(
    source: object,
    *,
    text_column: str | Sequence[str] | None = None,
    rules: ReadingRules = DEFAULT_RULES,
    keep_columns: Keep = False,
    only: Selection = ALL,
) -> TextBatches:
    """Read documents from any Python object: iterable of str, Series, Arrow data, table, or pathlib.Path.

    ["a film", None] -> one batch of ["a film", ""], with report.documents == 2 and report.missing == 1
    """
    if isinstance(source, TextBatches):
        return source
    if isinstance(source, os.PathLike):
        return read_files([source], text_column=text_column, rules=rules, keep_columns=keep_columns, only=only)
    reading = Reading("the texts", rules, ReadReport())
    source = _as_table(source)
    if _has_arrow_interface(source):
        table = open_arrow_object(source, reading)
    else:
        items = _iterate(source)
        first = list(islice(items, 1))
        if first and isinstance(first[0], os.PathLike):
            paths = [*_checked_paths(chain(first, items))]
            return read_files(paths, text_column=text_column, rules=rules, keep_columns=keep_columns, only=only)
        table = _open_iterable(chain(first, items), reading)
    one = [(reading, table)]
    return TextBatches(one, reading.report, text_column=text_column, keep_columns=keep_columns, only=only)


def read_files(
    paths: str | os.PathLike[str] | Sequence[str | os.PathLike[str]],
    *,
    text_column: str | Sequence[str] | None = None,
    rules: ReadingRules = DEFAULT_RULES,
    input_format: str | None = None,
    keep_columns: Keep = False,
    only: Selection = ALL,
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
    return TextBatches(inputs, report, text_column=text_column, keep_columns=keep_columns, only=only)


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
        text_column: str | Sequence[str] | None = None,
        keep_columns: Keep = False,
        only: Selection = ALL,
    ) -> None:
        for name in ("limit", "sample"):
            if getattr(only, name) is not None:
                require(name, getattr(only, name), low=1, whole=True)
        self.report = report
        self.text_column: str | None = None
        self.text_columns: columns.Texts = ()  # those that are joined in it
        self.default_columns: Callable[[OpenTable, str], Texts | None] = lambda *_: None  # where none are wanted
        self.input_columns: list[str] = []  # of the first input, also those that are not kept
        self._inputs = inputs
        self.files = [reading for reading, _ in inputs if isinstance(reading, InputFile)]
        is_size_known = bool(self.files) and all(file.path is not None for file in self.files)
        self.total_bytes = sum(file.size for file in self.files) if is_size_known else None
        self.rows: npt.NDArray[np.int64] | None = None  # of a sample: where its documents stand in the input
        self.wanted_columns = text_column
        self.only = only
        self._keep_columns = keep_columns
        self._schema: pa.Schema | None = None  # of the first batch, which the later ones follow
        self.workdir: Path | None = None  # where the encoded documents are kept
        self._is_read = False

    def __iter__(self) -> Iterator[pa.RecordBatch]:
        if self._is_read:
            raise RuntimeError("these documents have been read already; call read_texts or read_files again")
        self._is_read = True
        return self._batches() if self.only.sample is None else self._sampled(self.only.sample)

    def texts(self, on_batch: Callable[[int], None] | None = None) -> Iterator[pa.LargeStringArray]:
        """Return the text column of each batch; `on_batch` is called with the number of its documents."""
        for batch in self:
            if on_batch is not None:
                on_batch(batch.num_rows)
            yield batch.column(self.text_column)

    def bytes_read(self) -> int:
        """Return how many of the `total_bytes` have been read, for a progress bar."""
        return sum(file.position for file in self.files)

    def _batches(self) -> Iterator[pa.RecordBatch]:
        for reading, opened in self._inputs:
            with opened as table:
                if table.names or table.is_nameless:  # otherwise there is nothing to choose from
                    yield from self._read(table, reading)
                reading.check_malformed()
            if self._is_enough():
                return

    def _sampled(self, size: int) -> Iterator[pa.RecordBatch]:
        """Read everything, and return some documents of it."""
        sample = Sample(size, self.only.seed)
        for batch in self._batches():
            sample.add(batch)
        self.rows = sample.rows()
        self.report.documents = len(self.rows)
        self.report.sampled_from = sample.n_rows if sample.n_rows > size else 0
        if self.text_column is not None:
            yield from sample.batches(self.text_column)

    def _read(self, table: OpenTable, reading: Reading) -> Iterator[pa.RecordBatch]:
        """Read one input."""
        wanted = self.default_columns(table, reading.name) if self.wanted_columns is None else self.wanted_columns
        texts = columns.choose_text_columns(table, wanted, reading.name)
        self.input_columns = self.input_columns or table.names
        text = columns.joined_name(texts)
        self.text_column, self.text_columns = self.text_column or text, self.text_columns or texts
        if self._keep_columns and text != self.text_column:
            raise InputError(
                f"the text is in the column {text!r} of {reading.name}, but in "
                f"{self.text_column!r} of the first input; read them one by one"
            )
        for batch in table.batches(texts, self._keep_columns):
            if not table.is_utf8:  # read by Arrow as others wrote it
                columns.check_batch(batch, texts)
            if self.only.limit is not None:
                batch = batch.slice(0, self.only.limit - self.report.documents)
            yield from self._cleaned(batch, texts, reading, table.is_utf8)
            if self._is_enough():
                return

    def _is_enough(self) -> bool:
        return self.only.limit is not None and self.report.documents >= self.only.limit

    def _cleaned(
        self, batch: pa.RecordBatch, names: Texts, reading: Reading, is_utf8: bool
    ) -> Iterator[pa.RecordBatch]:
        """Cut a batch into pieces of bounded size and put the clean text column into each."""
        text = columns.joined_name(names)
        for start in range(0, batch.num_rows, columns.MAX_DOCUMENTS):
            piece = batch.slice(start, columns.MAX_DOCUMENTS)
            parts = [columns.decoded_texts(piece.column(name), reading, is_utf8=is_utf8) for name in names]
            clean = columns.without_nulls(columns.joined_texts(parts), reading)
            for name, part in [*zip(names, parts, strict=True), (text, clean)]:
                piece = columns.with_column(piece, name, part)
            if not isinstance(self._keep_columns, bool):
                kept = [name for name in piece.schema.names if name == text or name in self._keep_columns]
                piece = piece.select(kept)
            reading.check_size(int(np.diff(columns.text_buffers(clean)[1]).max()))
            for first, texts in columns.bounded_slices(clean):
                self.report.documents += len(texts)
                reading.documents += len(texts)
                if not self._keep_columns:
                    yield pa.RecordBatch.from_arrays([texts], [self.text_column])
                    continue
                rows = columns.with_column(piece.slice(first, len(texts)), text, texts)
                self._schema = self._schema or rows.schema
                yield columns.with_schema(rows, self._schema, reading.name)


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

    def batches(names: Texts, _keep: Keep) -> Iterator[pa.RecordBatch]:
        for texts in columns.in_batches(_checked_texts(items), size=lambda item: len(item or "")):
            yield pa.RecordBatch.from_arrays([columns.string_array(texts, reading)], names)

    yield OpenTable([], [], batches, is_nameless=True, is_utf8=True)


def _checked_texts(items: Iterable[object]) -> Iterator[str | None]:
    """Pass strings on, and what stands for a missing one as None: ["a", nan] -> "a", None."""
    for position, item in enumerate(items):
        if isinstance(item, str):
            yield item
        elif isinstance(item, list | tuple) and all(isinstance(token, str) for token in item):
            yield " ".join(item)
        elif item is None or (isinstance(item, float) and isnan(item)) or type(item).__name__ in PANDAS_MISSING:
            yield None
        else:
            rule = "every text must be a str, or a list of str, its tokens"
            if hasattr(item, "words"):  # gensim's TaggedDocument
                rule += "; give [d.words for d in documents]"
            raise InputError(f"texts[{position}] is {reprlib.repr(item)} of type {type(item).__name__}; {rule}")
