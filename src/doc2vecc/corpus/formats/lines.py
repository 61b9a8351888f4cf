"""txt: one document a line. A folder of txt files: one document a file. jsonl: one JSON object a line."""

import io
import json
import os
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager, suppress
from itertools import chain
from pathlib import Path
from typing import NamedTuple

import pyarrow as pa

from doc2vecc.corpus.formats.reading import InputFile, input_errors, utf8_blocks, whole_lines
from doc2vecc.corpus.text_column import Keep, OpenTable, Texts, bytes_array, in_batches, lines_array, string_array
from doc2vecc.errors import InputError

# strict=False accepts a raw tab or NUL inside a JSON string, which many writers leave there.
decode_json: Callable[[str], object] = json.JSONDecoder(strict=False).decode


@contextmanager
def open_txt(file: InputFile) -> Iterator[OpenTable]:
    """Read one document a line; an empty line is an empty document."""

    def batches(texts: Texts, _keep: Keep) -> Iterator[pa.RecordBatch]:
        for lines in whole_lines(file, utf8_blocks(file)):
            yield pa.RecordBatch.from_arrays([lines_array(lines)], texts)

    yield OpenTable([], [], batches, is_nameless=True, is_utf8=True)


@contextmanager
def open_folder(folder: InputFile) -> Iterator[OpenTable]:
    """Read one document a file, and beside it the name of the file below the folder."""

    def batches(texts: Texts, _keep: Keep) -> Iterator[pa.RecordBatch]:
        for group in in_batches(_documents(folder), size=lambda document: len(document[1])):
            columns = [bytes_array(list(column)) for column in zip(*group, strict=True)]
            yield pa.RecordBatch.from_arrays(columns, ["file", *texts])

    yield OpenTable(["file"], [], batches, is_nameless=True, is_utf8=True)


def _documents(folder: InputFile) -> Iterator[tuple[bytes, bytes]]:
    """Read the files of a folder: a/b.txt -> (b"a/b.txt", its content)."""
    for member in folder.members:
        blocks, size = [], 0
        with input_errors(member.name):
            for block in utf8_blocks(member):
                blocks.append(block)
                size += len(block)
                member.check_size(size)
        folder.position += member.position
        below = os.fsencode(Path(member.name).relative_to(folder.name).as_posix())
        yield below.decode(errors="replace").encode(), b"".join(blocks)


# ---- jsonl


class JsonRow(NamedTuple):
    """One object, and where it stands: "line 17"."""

    place: str
    size: int
    values: dict[str, object]


@contextmanager
def open_jsonl(file: InputFile) -> Iterator[OpenTable]:
    """Read one object a line (jsonl, also called ndjson); the columns are the keys of the first batch."""
    yield json_table(json_rows(file, utf8_blocks(file)), file)


def json_table(rows: Iterable[JsonRow], file: InputFile) -> OpenTable:
    """Make a table of objects; the columns are the keys of the first batch."""
    groups = in_batches(rows, size=lambda row: row.size)
    first = next(groups, [])
    names = list(dict.fromkeys(key for row in first for key in row.values))

    def batches(texts: Texts, keep: Keep) -> Iterator[pa.RecordBatch]:
        types: dict[str, pa.DataType] = dict.fromkeys(texts, pa.large_string())
        for group in chain([first], groups):
            rows = [row for row in group if _has_readable_texts(row, texts, file)]
            if keep:
                known = {*names, *file.report.late_columns}
                keys = (key for row in rows for key in row.values if key not in known)
                file.report.late_columns += dict.fromkeys(keys)  # each once, in the order of the file
            columns = {}
            for name in names if keep else texts:
                values = [row.values.get(name) for row in rows]
                columns[name] = _column(name, values, types.get(name), file)
                types[name] = columns[name].type
            yield pa.RecordBatch.from_pydict(columns)

    some_text = [name for name in names if any(isinstance(row.values.get(name), str) for row in first)]
    likely = [name for name in names if name == "text" or _mostly_text(first, name)]
    return OpenTable(names, likely or some_text, batches, text_on_demand=some_text, is_utf8=True)


def json_rows(file: InputFile, blocks: Iterable[bytes]) -> Iterator[JsonRow]:
    """Read the objects of a file; blank lines are passed over."""
    number = 0
    for lines in whole_lines(file, blocks):
        for line in io.BytesIO(lines):
            number += 1
            if line.isspace():
                continue
            try:
                value = decode_json(line.decode())
            except (ValueError, RecursionError):
                file.skip(f"line {number}", "not valid JSON")
                continue
            if isinstance(value, dict):
                yield JsonRow(f"line {number}", len(line), value)
            else:
                file.skip(f"line {number}", f"a JSON {type(value).__name__}, not an object with columns")


def _mostly_text(rows: list[JsonRow], name: str) -> bool:
    """Return whether a key holds more strings than other values: one odd line does not hide a text column."""
    is_string = [isinstance(value, str) for row in rows if (value := row.values.get(name)) is not None]
    return 2 * sum(is_string) > len(is_string)


def _has_readable_texts(row: JsonRow, texts: Texts, file: InputFile) -> bool:
    """Accept a string, null or nothing; a number is no text, so that line is skipped and counted."""
    for text in texts:
        value = row.values.get(text)
        if value is not None and not isinstance(value, str):
            file.skip(row.place, f"the text {text!r} is of type {type(value).__name__}, not a string")
            return False
    return True


def _column(name: str, values: list[object], known: pa.DataType | None, file: InputFile) -> pa.Array:
    """Make an Arrow column; its first batch decides the type, which is `known` in the later ones.

    Values that have no common Arrow type become JSON text: [1, "a", {"b": 2}] -> ['1', 'a', '{"b": 2}'].
    """
    found: pa.DataType | None = None
    if known != pa.large_string():
        with suppress(pa.ArrowException, UnicodeError, OverflowError):  # [1, "a"] has no type
            found = pa.array(values).type
    if known is None and found not in (None, pa.null(), pa.string()):
        known = found
    if known in (None, pa.large_string()):
        texts = (one if one is None or isinstance(one, str) else json.dumps(one, ensure_ascii=False) for one in values)
        return string_array(list(texts), file)
    if not _fits(found, known):
        raise InputError(
            f"{file.name}: the column {name!r} begins as {known} and later holds "
            f"{'values of several types' if found is None else found}; give it values of one type, or leave it out"
        )
    return pa.array(values, known)


def _fits(new: pa.DataType | None, known: pa.DataType) -> bool:
    """Return whether one type can hold another without loss: {a} fits {a, b}, {a, b} does not fit {a}."""
    try:
        schemas = [pa.schema({"": one}) for one in (known, new)]
        return bool(pa.unify_schemas(schemas, promote_options="permissive") == schemas[0])
    except (pa.ArrowException, TypeError):  # no type holds both
        return False
