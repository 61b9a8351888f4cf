"""json: an array of objects or of strings, one document each. What begins otherwise is read as jsonl."""

import json
import re
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from itertools import chain

from doc2vecc.corpus.formats.lines import JsonRow, json_rows, json_table
from doc2vecc.corpus.formats.reading import InputFile, utf8_blocks
from doc2vecc.corpus.text_column import OpenTable
from doc2vecc.errors import InputError

_decoder = json.JSONDecoder(strict=False)  # accepts a raw tab inside a string, as for jsonl
_AFTER_ELEMENT = (*", ]\t\r\n",)
_SPACE = re.compile(r"[ \t\r\n]*")


@contextmanager
def open_json(file: InputFile) -> Iterator[OpenTable]:
    """Read an array, or lines, element by element; of the file no more is held than a block and one element."""
    blocks = utf8_blocks(file)
    start = next((block for block in blocks if not block.isspace()), b"")
    is_array = start.lstrip(b" \t\r\n").startswith(b"[")
    rest = chain([start], blocks)
    yield json_table(_elements(file, _Window(file, rest)) if is_array else json_rows(file, rest), file)


class _Window:
    """The text of a file from a place on that moves forward; more of it is read when that is needed."""

    def __init__(self, file: InputFile, blocks: Iterator[bytes]) -> None:
        self._file = file
        self._blocks = blocks
        self.text = ""
        self.place = 0

    def read_more(self) -> bool:
        """Read as much again as there is left, a block at least, so that little is read twice -> False at the end."""
        held = [self.text[self.place :]]
        self._file.check_size(len(held[0]), " (an element without an end)")
        self.text, wanted = "", 2 * len(held[0])
        while (block := next(self._blocks, None)) is not None:
            held.append(block.decode())
            if sum(map(len, held)) >= wanted:
                break
        self.text, self.place = "".join(held), 0
        return len(held) > 1

    def next_sign(self, *, after: int = 0) -> str:
        """Go on by some characters and to what is no blank -> that character, empty at the end of the file."""
        self.place += after
        while True:
            self.place = _after_space(self.text, self.place)
            if self.place < len(self.text) or not self.read_more():
                return self.text[self.place : self.place + 1]

    def element(self) -> tuple[object, int] | None:
        """Decode what stands here -> the value and its size; None if it is not valid. What follows it is next."""
        while True:
            with suppress(ValueError, RecursionError):
                value, end = _decoder.raw_decode(self.text, self.place)
                if self.text[end : end + 1] in _AFTER_ELEMENT:  # else a number may go on
                    size, self.place = end - self.place, end
                    return value, size
            if not self.read_more():
                return None


def _elements(file: InputFile, window: _Window) -> Iterator[JsonRow]:
    """Go through the elements of an array; a string is the value of a key "text"."""
    window.next_sign()
    sign = window.next_sign(after=1)
    number = 0
    while sign != "]":
        number += 1
        found = window.element()
        if found is None:
            raise _broken(file, number)
        value, size = found
        if isinstance(value, dict):
            yield JsonRow(f"element {number}", size, value)
        elif value is None or isinstance(value, str):
            yield JsonRow(f"element {number}", size, {"text": value})
        else:
            file.skip(f"element {number}", f"a JSON {type(value).__name__}, not an object or a string")
        sign = window.next_sign()
        if sign == ",":
            sign = window.next_sign(after=1)
            if sign == "]":
                raise _broken(file, number + 1)
        elif sign != "]":
            raise _broken(file, number)
    if window.next_sign(after=1):
        raise InputError(f"{file.name}: something follows the end of the array; remove it")


def _broken(file: InputFile, number: int) -> InputError:
    return InputError(
        f"{file.name}: element {number:,} of the array is not valid JSON, or the array has no end; repair it"
    )


def _after_space(content: str, place: int) -> int:
    found = _SPACE.match(content, place)
    return found.end() if found else place
