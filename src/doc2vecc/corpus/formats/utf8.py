"""The bytes of a file become blocks, or whole lines, of valid UTF-8 without a byte order mark."""

import codecs
from collections.abc import Iterator
from itertools import chain

import numpy as np
import pyarrow as pa

from doc2vecc.corpus.formats.decompression import raw_blocks
from doc2vecc.corpus.formats.reading import InputFile, Reading
from doc2vecc.errors import InputError

# How files begin that are no text, and what to do about them. PAR1 alone could begin a text: it is a gene.
NO_TEXT = {
    b"PAR1\x15": "a parquet file; name it .parquet, or say --input-format parquet / input_format=",
    b"ARROW1\0": "an Arrow file; name it .arrow, or say --input-format arrow / input_format=",
    b"PK\x03\x04": "a zip archive; unpack it first",
    b"%PDF-": "a PDF file; convert it to text first",
}


def utf8_blocks(file: InputFile) -> Iterator[bytes]:
    r"""Read a file as blocks of valid UTF-8: [b"caf\xc3", b"\xa9 \xff"] -> b"caf", b"\xc3\xa9 \xef\xbf\xbd".

    A block never ends inside a character: the bytes of an unfinished one wait for the next block.
    """
    offset = 0
    held = b""
    for block in chain(raw_blocks(file), [b""]):
        waiting = held + block
        if offset == 0:
            _refuse_no_text(waiting, file.name)
        valid, used = _decodable(waiting, offset, final=not block, reading=file)
        held = waiting[used:]
        if offset == 0:
            valid = valid.removeprefix(codecs.BOM_UTF8)
        offset += used
        if valid:
            yield valid


def utf8_lines(file: InputFile) -> Iterator[bytes]:
    r"""Read a file as pieces of whole lines: blocks b"a\nb", b"c\nd" -> b"a\n", b"bc\n", b"d"."""
    held: list[bytes] = []
    for block in utf8_blocks(file):
        cut = block.rfind(b"\n") + 1
        if cut:
            yield b"".join([*held, block[:cut]])
            held = []
        held.append(block[cut:])
    if rest := b"".join(held):
        yield rest


def _refuse_no_text(beginning: bytes, name: str) -> None:
    """Tell of a file that is none of the text formats, whatever its name says."""
    for signature, what in NO_TEXT.items():
        if beginning.startswith(signature):
            raise InputError(f"{name} is no text: it seems to be {what}")


def _decodable(data: bytes, offset: int, *, final: bool, reading: Reading) -> tuple[bytes, int]:
    """Return the valid form of `data` and how many bytes of it that is; `offset` is its place in the file."""
    # Arrow checks GBs a second, but takes no unfinished character: the codec sees to the last one, or to all.
    last = next((i for i in range(len(data) - 1, max(len(data) - 5, -1), -1) if data[i] & 0xC0 != 0x80), 0)
    start = last if _is_utf8(data, last) else 0
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


def _is_utf8(data: bytes, length: int) -> bool:
    """Tell whether the first `length` bytes are whole characters of UTF-8."""
    one_text = pa.LargeStringArray.from_buffers(
        1, pa.py_buffer(np.array([0, length], dtype=np.int64)), pa.py_buffer(data)
    )
    try:
        one_text.validate(full=True)
    except pa.ArrowInvalid:
        return False
    return True
