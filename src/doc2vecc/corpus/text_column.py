"""The text column: which column it is, and how it becomes clean.

Every reader gives back an `OpenTable`. Its text column ends as `large_string`, valid UTF-8 and without nulls: two
buffers, the bytes of all texts and the offset of each text, which the kernels read without a copy.
"""

import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import suppress
from typing import Any, NamedTuple, TypeVar

import numpy as np
import numpy.typing as npt
import pyarrow as pa

from doc2vecc.corpus.report import Reading
from doc2vecc.errors import InputError

# How much is held at once. Read them as text_column.BLOCK_BYTES, not by a `from` import: the tests make them small.
BLOCK_BYTES = 8 << 20
MAX_DOCUMENTS = 16_384

HOW_TO_NAME = "Name one with --text-column / text_column="
LINE_BREAK = ord("\n")
LONE_SURROGATE = re.compile("[\ud800-\udfff]")

Item = TypeVar("Item")


# ---- which column

Keep = bool | Sequence[str]  # all other columns, none, or those of these names that there are; a reader may keep more


class OpenTable(NamedTuple):
    """The columns of an opened input, and a way to read them once."""

    names: list[str]
    text_names: list[str]  # the columns that hold text
    batches: Callable[[str, "Keep"], Iterator[pa.RecordBatch]]  # (text column, other columns to keep) -> batches
    text_on_demand: Sequence[str] = ()  # only if named by the user: any csv column, jsonl keys with some string
    is_nameless: bool = False  # txt, arrays: the texts have no name of their own and take the one the user gives
    is_utf8: bool = False  # the texts are known to be valid UTF-8


def is_text(kind: pa.DataType) -> bool:
    """Return whether an Arrow type is a string: string, large_string, string_view or a dictionary of them."""
    if pa.types.is_dictionary(kind):
        return is_text(kind.value_type)
    return bool(pa.types.is_string(kind) or pa.types.is_large_string(kind) or pa.types.is_string_view(kind))


def choose_text_column(table: OpenTable, wanted: str | None, where: str) -> str:
    """Choose the wanted column, else the one with the name "text", else the only one that holds text."""
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
    if b"\r" in lines:
        lines = lines.replace(b"\r\n", b"\n")
    if not lines.endswith(b"\n"):
        lines += b"\n"
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
    offsets = np.zeros(len(ends) + 1, dtype=np.int64)
    offsets[1:] = ends
    bitmap = None if is_there is None else pa.py_buffer(np.packbits(is_there, bitorder="little"))
    return pa.LargeStringArray.from_buffers(len(ends), pa.py_buffer(offsets), pa.py_buffer(data), bitmap)


# ---- clean texts


def clean_texts(column: pa.Array, reading: Reading, *, is_utf8: bool = False) -> pa.LargeStringArray:
    """Make any string column clean: large_string, valid UTF-8, nulls as empty texts."""
    texts = column if is_utf8 else _decoded(column, reading)
    if not pa.types.is_large_string(texts.type):
        texts = texts.cast(pa.large_string())
    if texts.null_count:
        reading.report.missing += texts.null_count
        texts = texts.fill_null(bytes_array([b""])[0])
    return texts


def check_batch(batch: pa.RecordBatch, text: str) -> None:
    """Raise an ArrowInvalid unless the buffers of a batch that others wrote are sound.

    Only after this a batch may be cut, cast or written: Arrow itself trusts offsets, indices and views, and would read
    outside of its memory. The texts alone may have bytes that are no UTF-8, which are replaced later.
    """
    for name, column in zip(batch.schema.names, batch.columns, strict=True):
        try:
            if name == text and pa.types.is_dictionary(column.type):
                column.indices.validate(full=True)
                values = _as_binary(column.dictionary)
                values.validate(full=True)
                column = pa.DictionaryArray.from_arrays(column.indices, values, safe=False)
            elif name == text:
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
    size = 16  # bytes of a view
    rows = np.frombuffer(views, np.uint8, len(column) * size, column.offset * size).reshape(-1, size).copy()
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
