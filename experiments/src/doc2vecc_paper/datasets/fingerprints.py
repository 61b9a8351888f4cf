"""What was read, in a few characters: figures are comparable if their fingerprints are equal."""

from __future__ import annotations

from collections.abc import Iterable
from hashlib import blake2b
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt
import pyarrow as pa

from doc2vecc.corpus.text_column import text_buffers

DIGEST_BYTES = 8  # mistakes are to be noticed, not attacks

Column = Iterable[pa.LargeStringArray] | npt.NDArray[Any]


class Fingerprint(NamedTuple):
    """The name of a data set, its size, and a digest of every value in its order."""

    name: str
    rows: int
    text_bytes: int
    digest: str


def fingerprint(name: str, *columns: Column) -> Fingerprint:
    """Take the fingerprint of columns, chunks of Arrow strings or NumPy arrays; the first one tells the rows.

    How the texts are cut into chunks leaves no trace; where one text ends and the next begins does.

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
    """Return (digest, rows, bytes); lengths and bytes are hashed apart, so that chunks may end anywhere."""
    lengths, contents = blake2b(), blake2b()
    rows, size = 0, 0
    for chunk in chunks:
        text, offsets = text_buffers(chunk)
        lengths.update(np.diff(offsets).astype("<i8").data)
        contents.update(text[offsets[0] : offsets[-1]].data)
        rows += len(chunk)
        size += int(offsets[-1] - offsets[0])
    return lengths.digest() + contents.digest(), rows, size


def _digest_of_array(array: npt.NDArray[Any]) -> bytes:
    """Hash numbers in a form that does not depend on the machine, and short strings as texts."""
    if array.dtype.kind == "U":
        digest, _, _ = _digest_of_texts([pa.array(array.ravel().tolist(), pa.large_string())])
        return digest
    portable = np.ascontiguousarray(array, "<f8" if array.dtype.kind == "f" else "<i8")
    return blake2b(portable.data).digest()


def content_order(texts: pa.LargeStringArray, kinds: npt.NDArray[np.int64]) -> npt.NDArray[np.int64]:
    """Return the rows in an order that depends on their content alone, and is as good as random.

    Files in folders have no order worth keeping. Sorted by split and label they would make a poor training,
    which takes neighboring documents together; so they are sorted by a digest of (kind, text).
    """
    text, offsets = text_buffers(texts)
    data = text.data
    digests = bytearray()
    for kind, start, stop in zip(kinds.tolist(), offsets[:-1].tolist(), offsets[1:].tolist(), strict=True):
        digests += blake2b(data[start:stop], digest_size=8, salt=kind.to_bytes(8, "little", signed=True)).digest()
    return np.argsort(np.frombuffer(digests, "<u8"), kind="stable")
