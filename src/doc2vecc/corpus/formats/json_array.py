"""json: an array of objects or of strings, one document each. What begins otherwise is read as jsonl."""

import json
import re
from collections.abc import Iterator
from contextlib import contextmanager
from itertools import chain

from doc2vecc.corpus.formats.lines import JsonRow, json_rows, json_table
from doc2vecc.corpus.formats.reading import InputFile, utf8_blocks
from doc2vecc.corpus.text_column import OpenTable
from doc2vecc.errors import InputError

_decoder = json.JSONDecoder(strict=False)  # accepts a raw tab inside a string, as for jsonl
_SPACE = re.compile(r"[ \t\r\n]*")


@contextmanager
def open_json(file: InputFile) -> Iterator[OpenTable]:
    """Read an array, whose text is held in memory; its documents are made one after the other."""
    blocks = utf8_blocks(file)
    start = b""
    for block in blocks:  # the first may be blank
        start += block
        if not start.isspace():
            break
    is_array = start.lstrip(b" \t\r\n").startswith(b"[")
    yield json_table(
        _elements(file, chain([start], blocks)) if is_array else json_rows(file, chain([start], blocks)), file
    )


def _elements(file: InputFile, blocks: Iterator[bytes]) -> Iterator[JsonRow]:
    """Go through the elements of an array; a string is the value of a key "text"."""
    content = b"".join(blocks).decode()
    place = _after_space(content, _after_space(content, 0) + 1)
    number = 0
    while not content.startswith("]", place):
        number += 1
        try:
            value, end = _decoder.raw_decode(content, place)
        except (ValueError, RecursionError) as error:
            raise _broken(file, number) from error
        if isinstance(value, dict):
            yield JsonRow(f"element {number}", end - place, value)
        elif value is None or isinstance(value, str):
            yield JsonRow(f"element {number}", end - place, {"text": value})
        else:
            file.skip(f"element {number}", f"a JSON {type(value).__name__}, not an object or a string")
        place = _after_space(content, end)
        if content.startswith(",", place):
            place = _after_space(content, place + 1)
            if content.startswith("]", place):
                raise _broken(file, number + 1)
        elif not content.startswith("]", place):
            raise _broken(file, number)
    if _after_space(content, place + 1) < len(content):
        raise InputError(f"{file.name}: something follows the end of the array; remove it")


def _broken(file: InputFile, number: int) -> InputError:
    return InputError(
        f"{file.name}: element {number:,} of the array is not valid JSON, or the array has no end; repair it"
    )


def _after_space(content: str, place: int) -> int:
    found = _SPACE.match(content, place)
    return found.end() if found else place
