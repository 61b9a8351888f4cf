"""The bytes of a file or of standard input, decompressed: how they begin tells how, whatever the name says."""

import re
import sys
from collections.abc import Iterator
from contextlib import AbstractContextManager, ExitStack, nullcontext
from pathlib import Path
from typing import IO

import pyarrow as pa

from doc2vecc.corpus.formats import batching
from doc2vecc.corpus.formats.reading import InputFile
from doc2vecc.errors import InputError

# More than the two or three famous bytes, so that a text may begin with "BZh".
MAGIC = {
    "gzip": re.compile(rb"\x1f\x8b\x08"),
    "bz2": re.compile(rb"BZh[1-9](1AY&SY|\x17rE8P\x90)"),  # the latter: empty
    "zstd": re.compile(rb"\x28\xb5\x2f\xfd|[\x50-\x5f]\x2a\x4d\x18"),  # the latter: a frame to be skipped
}
LONGEST_MAGIC = 10


def raw_blocks(file: InputFile) -> Iterator[bytes]:
    """Read the decompressed bytes of a file, 8 MB at a time."""
    with ExitStack() as stack:
        raw = stack.enter_context(_open(file.path))
        head = raw.read(LONGEST_MAGIC)
        compression = next((name for name, magic in MAGIC.items() if magic.match(head)), None)
        if file.compression and head and not compression:
            raise InputError(
                f"cannot read {file.name}: its name says {file.compression}, but it is not compressed; rename it"
            )
        stream = _Rejoined(head, raw)
        if compression:
            stream = stack.enter_context(pa.input_stream(stream, compression=compression))
        while block := stream.read(batching.BLOCK_BYTES):
            if file.size:  # a pipe has none, and cannot tell its position
                file.position = raw.tell()
            yield block


def _open(path: Path | None) -> AbstractContextManager[IO[bytes]]:
    """Open a file, or standard input, which stays open afterwards."""
    return path.open("rb") if path else nullcontext(sys.stdin.buffer)


class _Rejoined:
    """A stream whose first bytes have been read, from its beginning again; a pipe cannot go back."""

    closed = False  # Arrow asks

    def __init__(self, head: bytes, rest: IO[bytes]) -> None:
        self._head = head
        self._rest = rest

    def read(self, size: int) -> bytes:
        head, self._head = self._head[:size], self._head[size:]
        return head + self._rest.read(size - len(head))

    def close(self) -> None:
        """Leave the rest to who opened it."""
