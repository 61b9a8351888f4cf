"""A digest of what was read: values are comparable if the fingerprints of their data are equal."""

from __future__ import annotations

from collections.abc import Iterable
from hashlib import blake2b
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt
import pyarrow as pa

DIGEST_BYTES = 8  # enough to notice mistakes; this is no protection against attacks


class Fingerprint(NamedTuple):
    """The name of a data set, its size, and a digest of every value in its order."""

    name: str
    rows: int
    text_bytes: int
    digest: str


def fingerprint(name: str, *columns: Iterable[pa.LargeStringArray] | npt.NDArray[Any]) -> Fingerprint:
    """Take the fingerprint of columns, chunks of Arrow strings or NumPy arrays; the first one gives the rows.

    It does not depend on how the texts are divided into chunks.

    >>> whole = [pa.array(["ab", "c"], pa.large_string())]
    >>> pieces = [pa.array([text], pa.large_string()) for text in ("ab", "c")]
    >>> fingerprint("letters", whole) == fingerprint("letters", pieces)
    True
    >>> fingerprint("letters", whole, np.array([0, 1]))
    Fingerprint(name='letters', rows=2, text_bytes=3, digest='cacefec9652f9427')
    """
    whole = blake2b(digest_size=DIGEST_BYTES)
    text_bytes = 0
    lengths = []
    for column in columns:
        if isinstance(column, np.ndarray):
            whole.update(_digest_of_array(column))
            lengths.append(len(column))
        else:
            digest, rows, size = _digest_of_texts(column)
            whole.update(digest)
            lengths.append(rows)
            text_bytes += size
    return Fingerprint(name, lengths[0], text_bytes, whole.hexdigest())


def _digest_of_texts(chunks: Iterable[pa.LargeStringArray]) -> tuple[bytes, int, int]:
    """Return (digest, rows, bytes); lengths and bytes are hashed separately, so that chunks may end anywhere."""
    lengths, contents = blake2b(), blake2b()
    rows, size = 0, 0
    for chunk in chunks:
        text, offsets = _buffers(chunk)
        lengths.update(np.diff(offsets).astype("<i8").data)
        contents.update(text[offsets[0] : offsets[-1]].data)
        rows += len(chunk)
        size += int(offsets[-1] - offsets[0])
    return lengths.digest() + contents.digest(), rows, size


def _buffers(texts: pa.LargeStringArray) -> tuple[npt.NDArray[np.uint8], npt.NDArray[np.int64]]:
    """Return the bytes of all texts and where each begins, without copying."""
    _, offsets, data = texts.buffers()
    text = np.frombuffer(data, np.uint8) if data is not None and data.size else np.empty(0, np.uint8)
    if offsets is None or len(texts) == 0:
        return text, np.zeros(1, np.int64)
    return text, np.frombuffer(offsets, np.int64)[texts.offset : texts.offset + len(texts) + 1]


def _digest_of_array(array: npt.NDArray[Any]) -> bytes:
    """Hash numbers in a format that does not depend on the machine, and short strings as texts."""
    if array.dtype.kind == "U":
        digest, _, _ = _digest_of_texts([pa.array(array.ravel().tolist(), pa.large_string())])
        return digest
    portable = np.ascontiguousarray(array, "<f8" if array.dtype.kind == "f" else "<i8")
    return blake2b(portable.data).digest()


def content_order(texts: pa.LargeStringArray, kinds: npt.NDArray[np.int64]) -> npt.NDArray[np.int64]:
    """Return the rows in a pseudo-random order that depends on their content alone: by a digest of (kind, text).

    Files in a folder come sorted by split and label, which is bad for training: neighboring documents would be of
    one class.
    """
    text, offsets = _buffers(texts)
    data = text.data
    digests = bytearray()
    for kind, start, stop in zip(kinds.tolist(), offsets[:-1].tolist(), offsets[1:].tolist(), strict=True):
        digests += blake2b(data[start:stop], digest_size=8, salt=kind.to_bytes(8, "little", signed=True)).digest()
    return np.argsort(np.frombuffer(digests, "<u8"), kind="stable")
