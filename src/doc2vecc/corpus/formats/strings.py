"""Lines, bytes and Python strings become Arrow arrays of texts."""

import re

import numpy as np
import numpy.typing as npt
import pyarrow as pa

from doc2vecc.corpus.formats.reading import Reading

LINE_BREAK = ord("\n")
LONE_SURROGATE = re.compile("[\ud800-\udfff]")


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

    Like pa.array, which would import pandas wherever that is installed.
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
