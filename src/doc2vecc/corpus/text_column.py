"""Which column holds the text, and how it becomes a column that the later stages may trust."""

from collections.abc import Iterator

import numpy as np
import pyarrow as pa

from doc2vecc.corpus.buffers import text_buffers
from doc2vecc.corpus.formats import batching
from doc2vecc.corpus.formats.reading import OpenTable, Reading
from doc2vecc.corpus.formats.strings import bytes_array, string_array
from doc2vecc.errors import InputError

HOW_TO_NAME = "Name one with --text-column / text_column="
EMPTY_TEXT = bytes_array([b""])[0]


def choose_text_column(table: OpenTable, wanted: str | None, where: str) -> str:
    """Choose the wanted column, else the one that is called "text", else the only one that holds text."""
    if table.is_nameless:
        chosen = wanted or "text"
    elif wanted is None:
        chosen = _only_text_column(table, where)
    else:
        chosen = wanted
        if wanted not in table.names:
            raise InputError(f"no column {wanted!r} in {where}; it has: {', '.join(table.names)}. {HOW_TO_NAME}")
        if wanted not in [*table.text_names, *table.text_on_demand]:
            found = ", ".join(table.text_names) or "none"
            raise InputError(
                f"the column {wanted!r} of {where} holds no text; those that do: {found}. {HOW_TO_NAME}"
            )
    others = table.names.count(chosen) - (0 if table.is_nameless else 1)
    if others:
        raise InputError(f"{where} would have several columns {chosen!r}; name another one, or rename one of them")
    return chosen


def _only_text_column(table: OpenTable, where: str) -> str:
    """Choose a column that the user need not name."""
    if "text" in table.text_names:
        return "text"
    if not table.text_names:
        raise InputError(
            f"no text column in {where}; it has: {', '.join(table.names)}. One of them must hold strings"
        )
    if len(table.text_names) > 1:
        raise InputError(f"several text columns in {where}: {', '.join(table.text_names)}. {HOW_TO_NAME}")
    return table.text_names[0]


def clean_texts(column: pa.Array, reading: Reading) -> pa.LargeStringArray:
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


def bounded_slices(texts: pa.LargeStringArray) -> Iterator[tuple[int, pa.LargeStringArray]]:
    """Cut an array into (first row, slice): at most 8 MB of text in each, one document at least.

    A slice has array offset 0, so that who reads its buffers need not think of `array.offset`.
    """
    _, offsets = text_buffers(texts)
    _, offsets_buffer, data = texts.buffers()
    first = 0
    while first < len(texts):
        within = int(np.searchsorted(offsets, offsets[first] + batching.BLOCK_BYTES, side="right")) - 1
        after = min(max(within, first + 1), len(texts))
        moved = offsets_buffer.slice(8 * (texts.offset + first), 8 * (after - first + 1))
        yield first, pa.LargeStringArray.from_buffers(after - first, moved, data)
        first = after
