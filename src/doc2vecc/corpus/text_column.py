"""The text column: which column it is, and how it becomes clean.

Every reader gives back an `OpenTable`. Its text column ends as `large_string`, valid UTF-8 and without nulls: two
buffers, the bytes of all texts and the offset of each text, which the kernels read without a copy.
"""

import re
from collections.abc import Callable, Collection, Iterable, Iterator, Sequence
from contextlib import suppress
from functools import reduce
from typing import Any, NamedTuple, TypeVar

import numpy as np
import numpy.typing as npt
import pyarrow as pa
import pyarrow.compute as pc

from doc2vecc.corpus.report import Reading
from doc2vecc.errors import InputError

# How much is held at once. Read them as text_column.BLOCK_BYTES, not by a `from` import: the tests make them small.
BLOCK_BYTES = 8 << 20
MAX_DOCUMENTS = 16_384

HOW_TO_NAME = "Name one with --text-column, in Python with the parameter text_column"
LINE_BREAK = ord("\n")
LONE_SURROGATE = re.compile("[\ud800-\udfff]")

Item = TypeVar("Item")


# ---- which column

Texts = tuple[str, ...]  # the names of the columns whose texts are joined, of one as a rule
Keep = bool | Sequence[str]  # all other columns, none, or those of these names that there are; a reader may keep more


class OpenTable(NamedTuple):
    """The columns of an opened input, and a way to read them once."""

    names: list[str]
    text_names: list[str]  # the columns that hold text
    batches: Callable[[Texts, "Keep"], Iterator[pa.RecordBatch]]  # (text columns, others to keep) -> batches
    text_on_demand: Sequence[str] = ()  # only if named by the user: any csv column, jsonl keys with some string
    is_nameless: bool = False  # txt, arrays: the texts have no name of their own and take the one the user gives
    is_utf8: bool = False  # the texts are known to be valid UTF-8


def is_text(kind: pa.DataType) -> bool:
    """Return whether an Arrow type is a string: string, large_string, string_view or a dictionary of them."""
    if pa.types.is_dictionary(kind):
        return is_text(kind.value_type)
    return bool(pa.types.is_string(kind) or pa.types.is_large_string(kind) or pa.types.is_string_view(kind))


def choose_text_columns(table: OpenTable, wanted: str | Sequence[str] | None, where: str) -> tuple[str, ...]:
    """Choose the wanted columns, in a list or with commas between; else "text", else the only one that holds text."""
    if isinstance(wanted, str) and "," in wanted and not table.is_nameless and wanted not in table.names:
        wanted = [name.strip() for name in wanted.split(",")]
    if wanted is None or isinstance(wanted, str):
        return (_choose_text_column(table, wanted, where),)
    chosen = tuple(_choose_text_column(table, name, where) for name in wanted)
    if not chosen or len(set(chosen)) < len(chosen):
        raise InputError(f"the text columns are {', '.join(chosen) or 'none'}; name one or more, each once")
    if len(chosen) > 1 and (table.is_nameless or joined_name(chosen) in table.names):
        reason = "has texts without columns" if table.is_nameless else f"has a column {joined_name(chosen)!r} already"
        raise InputError(f"{where} {reason}, so {' and '.join(chosen)} cannot be joined. {HOW_TO_NAME}")
    return chosen


def joined_name(texts: Sequence[str]) -> str:
    """Return the name of the column with the texts of some columns: ("title", "body") -> "title_body"."""
    return "_".join(texts)


def _choose_text_column(table: OpenTable, wanted: str | None, where: str) -> str:
    names, text_names = ", ".join(table.names), ", ".join(table.text_names)
    if (table.is_nameless and not wanted) or (wanted is None and "text" in table.text_names):
        wanted = "text"
    if wanted is None:
        if not table.text_names:
            raise InputError(f"no text column in {where}; it has: {names}. One of them must hold strings")
        if len(table.text_names) > 1:
            raise InputError(f"several text columns in {where}: {text_names}. {HOW_TO_NAME}")
        wanted = table.text_names[0]
    elif not table.is_nameless:
        if wanted not in table.names:
            raise InputError(f"no column {wanted!r} in {where}; it has: {names}. {HOW_TO_NAME}")
        if wanted not in [*table.text_names, *table.text_on_demand]:
            found = text_names or "none"
            raise InputError(f"the column {wanted!r} of {where} holds no text; those that do: {found}. {HOW_TO_NAME}")
    if table.names.count(wanted) > (0 if table.is_nameless else 1):
        raise InputError(f"{where} would have several columns {wanted!r}; name another one, or rename one of them")
    return wanted


# ---- Python texts to Arrow


def in_batches(items: Iterable[Item], size: Callable[[Item], int]) -> Iterator[list[Item]]:
    """Collect items until a list holds 16,384 of them or 8 MB of `size`."""
    batch: list[Item] = []
    held = 0
    for item in items:
        batch.append(item)
        held += size(item)
        if held >= BLOCK_BYTES or len(batch) == MAX_DOCUMENTS:
            yield batch
            batch, held = [], 0
    if batch:
        yield batch


def lines_array(lines: bytes) -> pa.LargeStringArray:
    r"""Make each line a document, without a Python loop: b"a\r\n\nbc\n" -> ["a", "", "bc"]."""
    lines = lines.replace(b"\r\n", b"\n") if b"\r" in lines else lines
    end = lines.find(b"\n")
    if end in (-1, len(lines) - 1):  # one document may be huge, and is not copied
        return _array(np.array([len(lines) if end < 0 else end]), lines)
    lines = lines if lines.endswith(b"\n") else lines + b"\n"
    breaks = np.flatnonzero(np.frombuffer(lines, dtype=np.uint8) == LINE_BREAK)
    # With the line breaks taken out, document k ends k places before its own line break.
    return _array(breaks - np.arange(len(breaks)), lines.replace(b"\n", b""))


def bytes_array(texts: list[bytes], is_there: list[bool] | None = None) -> pa.LargeStringArray:
    r"""Make an array of texts that are UTF-8 already: [b"a", b""], [True, False] -> ["a", null].

    Like pa.array, which would import pandas if it is installed.
    """
    sizes = np.fromiter(map(len, texts), dtype=np.int64, count=len(texts))
    return _array(np.cumsum(sizes), b"".join(texts), is_there)


def string_array(values: list[str | None], reading: Reading) -> pa.LargeStringArray:
    r"""Make an Arrow array of strings: ["a", "\ud800", None] -> ["a", "\ufffd", null], one undecodable."""
    try:
        texts = [value.encode() if value else b"" for value in values]
    except UnicodeEncodeError as error:
        repaired = [LONE_SURROGATE.subn("\ufffd", value or "") for value in values]
        found = error.object[error.start]
        reading.undecodable(sum(count for _, count in repaired), f"the lone surrogate {found!a}")
        texts = [text.encode() for text, _ in repaired]
    return bytes_array(texts, [value is not None for value in values] if None in values else None)


def _array(ends: npt.NDArray[np.int64], data: bytes, is_there: list[bool] | None = None) -> pa.LargeStringArray:
    """Make an array of the texts in `data` that end at `ends`: [2, 2, 3], b"abc" -> ["ab", "", "c"]."""
    offsets = np.append(np.zeros(1, dtype=np.int64), ends)
    bitmap = None if is_there is None else pa.py_buffer(np.packbits(is_there, bitorder="little"))
    return pa.LargeStringArray.from_buffers(len(ends), pa.py_buffer(offsets), pa.py_buffer(data), bitmap)


# ---- clean texts


def decoded_texts(column: pa.Array, reading: Reading, *, is_utf8: bool = False) -> pa.LargeStringArray:
    """Make any string column large_string of valid UTF-8; nulls stay."""
    texts = column if is_utf8 else _decoded(column, reading)
    return texts if pa.types.is_large_string(texts.type) else texts.cast(pa.large_string())


def joined_texts(parts: Sequence[pa.LargeStringArray]) -> pa.LargeStringArray:
    r"""Join columns by line breaks: ["a", "b", null], ["c", null, null] -> ["a\nc", "b", null]."""
    if len(parts) == 1:
        return parts[0]
    line_break, empty, missing = (pa.scalar(one, pa.large_string()) for one in ("\n", "", None))
    is_missing = reduce(pc.and_, (part.is_null() for part in parts))
    first = pc.if_else(is_missing, empty, parts[0])  # Arrow would lose a row of which nothing is left
    joined = pc.binary_join_element_wise(first, *parts[1:], line_break, null_handling="skip")
    return pc.if_else(is_missing, missing, joined)


def without_nulls(texts: pa.LargeStringArray, reading: Reading) -> pa.LargeStringArray:
    """Make missing texts empty ones, and count them."""
    if texts.null_count:
        reading.report.missing += texts.null_count
        texts = texts.fill_null(bytes_array([b""])[0])
    return texts


def check_batch(batch: pa.RecordBatch, texts: Collection[str]) -> None:
    """Raise an ArrowInvalid unless the buffers of a batch that others wrote are sound.

    Only after this a batch may be cut, cast or written: Arrow itself trusts offsets, indices and views, and would read
    outside of its memory. The texts alone may have bytes that are no UTF-8, which are replaced later.
    """
    for name, column in zip(batch.schema.names, batch.columns, strict=True):
        try:
            if name in texts and pa.types.is_dictionary(column.type):
                column.indices.validate(full=True)
                values = _as_binary(column.dictionary)
                values.validate(full=True)
                column = pa.DictionaryArray.from_arrays(column.indices, values, safe=False)
            elif name in texts:
                column = _as_binary(column)
            column.validate(full=True)
        except pa.ArrowException as error:
            raise pa.ArrowInvalid(f"the column {name!r} is damaged: {error}") from error


def _as_binary(column: pa.Array) -> pa.Array:
    """Return an array of strings as one of bytes, without a copy; other types as they are."""
    kinds = {pa.string(): pa.binary(), pa.large_string(): pa.large_binary(), pa.string_view(): pa.binary_view()}
    return column.view(kinds[column.type]) if column.type in kinds else column


def _without_hidden_views(column: pa.Array) -> pa.Array:
    """Clear the views of nulls in an array of views: Arrow does not check them, but follows them in a cast."""
    if not (pa.types.is_binary_view(column.type) and column.null_count):
        return column
    is_null = column.is_null().to_numpy(zero_copy_only=False)
    _, views, *data = column.buffers()
    rows = np.frombuffer(views, np.uint8, 16 * len(column), 16 * column.offset).reshape(-1, 16).copy()  # 16 bytes each
    rows[is_null] = 0
    bitmap = pa.py_buffer(np.packbits(~is_null, bitorder="little"))
    return pa.Array.from_buffers(column.type, len(column), [bitmap, pa.py_buffer(rows), *data])


def _decoded(column: pa.Array, reading: Reading) -> pa.Array:
    """Return the texts of a checked column; what is not UTF-8 is replaced by U+FFFD."""
    is_dictionary = pa.types.is_dictionary(column.type)
    raw = _without_hidden_views(_as_binary(column.dictionary if is_dictionary else column)).cast(pa.large_binary())
    raw = raw.take(column.indices) if is_dictionary else raw
    with suppress(pa.ArrowInvalid):
        return raw.cast(pa.large_string())
    texts: list[str | None] = []
    for row, value in enumerate(raw.to_pylist()):
        text = None if value is None else value.decode(errors="replace")
        if text and (count := text.count("\ufffd") - value.count("\ufffd".encode())):
            reading.undecodable(count, f"document {reading.report.documents + row} (counted from 0)")
        texts.append(text)
    return string_array(texts, reading)


def bounded_slices(texts: pa.LargeStringArray) -> Iterator[tuple[int, pa.LargeStringArray]]:
    """Cut an array into (first row, slice): at most 8 MB of text in each, one document at least.

    A slice has array offset 0, so that code that reads its buffers can ignore `array.offset`.
    """
    _, offsets = text_buffers(texts)
    _, offsets_buffer, data = texts.buffers()
    first = 0
    while first < len(texts):
        within = int(np.searchsorted(offsets, offsets[first] + BLOCK_BYTES, side="right")) - 1
        after = min(max(within, first + 1), len(texts))
        moved = offsets_buffer.slice(8 * (texts.offset + first), 8 * (after - first + 1))
        yield first, pa.LargeStringArray.from_buffers(after - first, moved, data)
        first = after


def read_only(array: npt.NDArray[Any]) -> npt.NDArray[Any]:
    """Return a view that cannot be written, so that kernels are compiled for one kind of array only."""
    view = array.view()
    view.flags.writeable = False
    return view


def text_buffers(texts: Any) -> tuple[npt.NDArray[np.uint8], npt.NDArray[np.int64]]:  # noqa: ANN401
    """Return (bytes, offsets) of a ``pa.LargeStringArray`` without nulls, without copying.

    >>> text_buffers(pa.array(["ab", "", "c"], pa.large_string()))[1].tolist()
    [0, 2, 2, 3]
    """
    _, offsets, data = texts.buffers()
    text = np.frombuffer(data, np.uint8) if data is not None and data.size else np.empty(0, np.uint8)
    if offsets is None or len(texts) == 0:
        return read_only(text), read_only(np.zeros(1, np.int64))
    starts = np.frombuffer(offsets, np.int64)[texts.offset : texts.offset + len(texts) + 1]
    return read_only(text), read_only(starts)


def with_column(batch: pa.RecordBatch, name: str, column: pa.Array) -> pa.RecordBatch:
    """Put a column in the place of the one with its name, or behind the others."""
    place = batch.schema.get_field_index(name)
    if place < 0:
        return batch.append_column(name, column)
    return batch.set_column(place, batch.schema.field(place).with_type(column.type), column)


def with_schema(batch: pa.RecordBatch, schema: pa.Schema, name: str) -> pa.RecordBatch:
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
