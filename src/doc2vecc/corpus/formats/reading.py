"""The bytes of a file: decompressed, decoded, and cut into blocks or lines of valid UTF-8."""

import codecs
import re
import sys
from collections.abc import Callable, Iterable, Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from itertools import chain
from pathlib import Path
from typing import IO, Any, cast

import numpy as np
import pyarrow as pa

from doc2vecc.console import shortened
from doc2vecc.corpus import text_column
from doc2vecc.corpus.report import Reading
from doc2vecc.errors import InputError

LONGEST_REASON = 300  # characters of an error of Arrow's, some of which quote the data

# The first bytes tell the compression. More than the usual two or three, so that a text may begin with "BZh".
MAGIC = {
    "gzip": re.compile(rb"\x1f\x8b\x08"),
    "bz2": re.compile(rb"BZh[1-9](1AY&SY|\x17rE8P\x90)"),  # the latter: empty
    "zstd": re.compile(rb"\x28\xb5\x2f\xfd|[\x50-\x5f]\x2a\x4d\x18"),  # the latter: a frame to be skipped
}
LONGEST_MAGIC = 10

# The first bytes of files that are no text, and what to do about them. PAR1 alone could begin a text: it is a gene.
NO_TEXT = {
    b"PAR1\x15": "a parquet file; name it .parquet, or set --input-format parquet / input_format=",
    b"ARROW1\0": "an Arrow file; name it .arrow, or set --input-format arrow / input_format=",
    b"PK\x03\x04": "a zip archive; unpack it first",
    b"%PDF-": "a PDF file; convert it to text first",
}


@dataclass
class InputFile(Reading):
    """One file, or a folder of txt files."""

    path: Path | None  # None is standard input
    kind: str
    compression: str | None = None
    size: int = 0
    position: int = 0  # how many of the `size` bytes have been read, for a progress bar
    members: tuple["InputFile", ...] = ()  # the txt files of a folder


@contextmanager
def input_errors(name: str) -> Iterator[None]:
    """Turn what Arrow and the system raise for bad data into an `InputError` of one line with the name."""
    try:
        yield
    except (pa.ArrowException, OSError, EOFError, UnicodeError, OverflowError) as error:
        reason = getattr(error, "strerror", None) or str(error) or type(error).__name__
        raise InputError(f"cannot read {name}: {shortened(' '.join(reason.split()), LONGEST_REASON)}") from error


# ---- bytes


def raw_blocks(file: InputFile) -> Iterator[bytes]:
    """Read the decompressed bytes of a file, 8 MB at a time; the content tells how, whatever the name says."""
    with ExitStack() as stack:
        raw = stack.enter_context(file.path.open("rb")) if file.path else standard_input()  # which stays open
        head = raw.read(LONGEST_MAGIC)
        compression = next((name for name, magic in MAGIC.items() if magic.match(head)), None)
        if file.compression and head and not compression:
            raise InputError(
                f"cannot read {file.name}: its name says {file.compression}, but it is not compressed; rename it"
            )
        stream = _Rejoined(head, raw)
        if compression:
            stream = stack.enter_context(pa.input_stream(stream, compression=compression))
        while block := _next_block(stream):
            if file.size:  # a pipe has none, and cannot tell its position
                file.position = raw.tell()
            yield block


def _next_block(stream: Any) -> bytes:  # noqa: ANN401 - PyArrow has no types
    """Read 8 MB of a stream, or what is left."""
    if isinstance(stream, pa.NativeFile):  # whose `read` never frees its memory if the data are damaged
        return cast(bytes, stream.read_buffer(text_column.BLOCK_BYTES).to_pybytes())
    return cast(bytes, stream.read(text_column.BLOCK_BYTES))


def standard_input() -> IO[bytes]:
    """Return the bytes of standard input; Python has none if it was closed."""
    if sys.stdin is None:
        raise InputError("standard input is closed; give it a file or a pipe, or name a file")
    return sys.stdin.buffer


class _Rejoined:
    """A stream whose first bytes have been read, from its beginning again; a pipe cannot seek."""

    closed = False  # Arrow reads it

    def __init__(self, head: bytes, rest: IO[bytes]) -> None:
        self._head = head
        self._rest = rest

    def read(self, size: int) -> bytes:
        head, self._head = self._head[:size], self._head[size:]
        return head + self._rest.read(size - len(head))

    def close(self) -> None:
        """Do nothing: `raw_blocks` closes the file."""


# ---- text


def utf8_blocks(file: InputFile) -> Iterator[bytes]:
    r"""Read a file as blocks of valid UTF-8: [b"caf\xc3", b"\xa9 \xff"] -> b"caf", b"\xc3\xa9 \xef\xbf\xbd".

    A block never ends inside a character: the bytes of an unfinished one wait for the next block.
    """
    offset = 0
    held = b""
    for block in chain(raw_blocks(file), [b""]):
        waiting = held + block
        for signature in filter(waiting.startswith, NO_TEXT if offset == 0 else ()):
            raise InputError(f"{file.name} is no text: it seems to be {NO_TEXT[signature]}")
        valid, used = _decodable(waiting, offset, final=not block, reading=file)
        held = waiting[used:]
        if offset == 0:
            valid = valid.removeprefix(codecs.BOM_UTF8)
        offset += used
        if valid:
            yield valid


def whole_lines(
    file: InputFile, blocks: Iterable[bytes], end_of: Callable[[bytes], int] = lambda text: text.rfind(b"\n") + 1
) -> Iterator[bytes]:
    r"""Cut blocks of a file into pieces of whole lines: b"a\nb", b"c\nd" -> b"a\n", b"bc\n", b"d".

    `end_of` returns where the last whole line, or row, of a text ends, 0 for none.
    """
    held: list[bytes] = []
    size = enough = 0
    for block in blocks:
        held.append(block)
        size += len(block)
        if size >= enough and (b"\n" in block or b"\r" in block):
            waiting = b"".join(held)
            cut = end_of(waiting)
            if cut:
                yield waiting[:cut]
            held, size = [waiting[cut:]], len(waiting) - cut
            # A long row is scanned again only when twice as much of it is there, or more than a document may have.
            enough = 0 if cut else min(2 * size, file.rules.max_document_mb * 1_000_000 + 1)
        file.check_size(size, " (a line without an end, or a quote that is left open)")
    rest = b"".join(held)
    held.clear()  # of a huge document there is one copy from here on
    if rest:
        yield rest


def _decodable(data: bytes, offset: int, *, final: bool, reading: Reading) -> tuple[bytes, int]:
    """Return the valid form of `data` and how many bytes of it that is; `offset` is its place in the file."""
    # Arrow checks GBs a second, but rejects an unfinished character: the codec checks the last one, or everything.
    last = next((i for i in range(len(data) - 1, max(len(data) - 5, -1), -1) if data[i] & 0xC0 != 0x80), 0)
    start, ends = last, pa.py_buffer(np.array([0, last], dtype=np.int64))
    try:
        pa.LargeStringArray.from_buffers(1, ends, pa.py_buffer(data)).validate(full=True)
    except pa.ArrowInvalid:
        start = 0
    unsure = data[start:]
    try:
        _, used = codecs.utf_8_decode(unsure, "strict", final)
    except UnicodeDecodeError as error:
        text, used = codecs.utf_8_decode(unsure, "replace", final)
        # Those that were there before are no errors; their three bytes cannot be part of an invalid sequence.
        count = text.count("\ufffd") - unsure.count("\ufffd".encode())
        reading.undecodable(count, f"byte {offset + start + error.start}")
        return data[:start] + text.encode(), start + used
    return data[: start + used], start + used
