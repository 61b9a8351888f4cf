"""Documents that are in memory: iterables of texts, and objects with Arrow's C interface."""

import os
import reprlib
from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager
from math import isnan

import numpy as np
import pyarrow as pa

from doc2vecc.corpus.formats.columnar import arrow_table
from doc2vecc.corpus.formats.reading import input_errors
from doc2vecc.corpus.text_column import OpenTable, Reading, in_batches, is_text, string_array
from doc2vecc.errors import InputError

PANDAS_MISSING = ("NAType", "NaTType")  # by name: pandas is not imported here


# ---- iterables


def iterate(source: object) -> Iterator[object]:
    """Return an iterator over the source, or refuse it with the remedy."""
    if isinstance(source, str | bytes | bytearray):
        raise InputError(
            f"a bare {type(source).__name__} was given: {reprlib.repr(source)}; "
            "pass a list of texts, or pathlib.Path(...) for a file"
        )
    if isinstance(source, Iterable) and not isinstance(source, Mapping):
        try:
            return iter(source)
        except TypeError:  # an array of no dimension looks iterable, but is not
            pass
    raise InputError(
        f"texts cannot be read from an object of type {type(source).__name__}; "
        "pass a list of texts, a Series, Arrow data, or pathlib.Path(...) for a file"
    )


def checked_paths(items: Iterable[object]) -> list[os.PathLike[str]]:
    """Refuse a text in a list that began with a path."""
    paths = []
    for item in items:
        if not isinstance(item, os.PathLike):
            raise InputError(
                f"{reprlib.repr(item)} is in a list of paths, but is no pathlib.Path; pass paths or texts, not both"
            )
        paths.append(item)
    return paths


@contextmanager
def open_iterable(items: Iterable[object], reading: Reading) -> Iterator[OpenTable]:
    """Collect texts into batches, without ever holding all of them.

    Errors of the iterable itself pass unchanged: it is the user's own code.
    """

    def batches(text: str, _keep: bool) -> Iterator[pa.RecordBatch]:
        for texts in in_batches(_checked_texts(items), size=lambda item: len(item or "")):
            yield pa.RecordBatch.from_arrays([string_array(texts, reading)], [text])

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


# ---- Arrow's C interface


def has_arrow_interface(source: object) -> bool:
    """Return whether Arrow can read an object without iterating it: pyarrow, polars, pandas, ..."""
    # A column of Python objects may hold anything; iterating it finds the one that is no text.
    dtype = getattr(source, "dtype", None)
    if isinstance(dtype, np.dtype) and dtype.hasobject:
        return False
    return hasattr(source, "__arrow_c_stream__") or hasattr(source, "__arrow_c_array__")


@contextmanager
def open_arrow_object(source: object, reading: Reading) -> Iterator[OpenTable]:
    """Take a table by its text column, an array as it is."""
    with input_errors(reading.name):
        yield _arrow_object(source)


def _arrow_object(source: object) -> OpenTable:
    """Open a table or an array, given as a stream of chunks or in one piece."""
    if not hasattr(source, "__arrow_c_stream__"):
        array = pa.array(source)
        if not pa.types.is_struct(array.type):
            return _column(pa.chunked_array([array]))
        source = pa.Table.from_struct_array(array)
    try:
        reader = pa.RecordBatchReader.from_stream(source)
    except pa.ArrowInvalid:  # not a table
        return _column(pa.chunked_array(source))
    return arrow_table(reader.schema, lambda text, _keep: (batch.select([text]) for batch in reader))


def _column(column: pa.ChunkedArray) -> OpenTable:
    """Read the only column there is; one of nulls alone holds missing texts."""
    if not is_text(column.type) and not pa.types.is_null(column.type):
        raise InputError(f"an array of type {column.type} was given; the texts must be strings")

    def batches(text: str, _keep: bool) -> Iterator[pa.RecordBatch]:
        return (pa.RecordBatch.from_arrays([chunk], [text]) for chunk in column.iterchunks())

    return OpenTable([], [], batches, is_nameless=True)
