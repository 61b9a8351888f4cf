"""One small reader for each file format: a file becomes its column names and a stream of Arrow batches.

Every reader is a context manager that opens a file and gives an `OpenTable`; which column holds the text, and
what a clean text column looks like, is decided in `sources`, which is also the module to import from.

Text formats pass through `clean_blocks`: bytes in, valid UTF-8 without a byte order mark out, block by block.
"""

import codecs
import io
import json
import os
import re
import shutil
import sys
import tempfile
from collections.abc import Callable, Iterable, Iterator
from contextlib import AbstractContextManager, ExitStack, contextmanager
from dataclasses import dataclass, field, replace
from functools import partial
from itertools import chain
from pathlib import Path
from typing import NamedTuple, TypeVar

import numpy as np
import pyarrow as pa
import pyarrow.csv
import pyarrow.ipc
import pyarrow.parquet

BLOCK_BYTES = 8 << 20
MAX_DOCUMENTS = 16_384
MAX_CSV_ROW = 1 << 30
LINE_BREAK = 10
LONE_SURROGATE = re.compile("[\ud800-\udfff]")
# strict=False lets a raw tab or NUL stand inside a JSON string, as many writers leave them.
decode_json: Callable[[str], object] = json.JSONDecoder(strict=False).decode

Item = TypeVar("Item")


class InputError(ValueError):
    """A mistake in what the user handed in: one sentence with the value, the rule and the remedy."""


@dataclass
class ReadReport:
    """What happened to the documents; filled while they are read, complete when the last batch is out."""

    documents: int = 0
    undecodable: int = (
        0  # invalid byte sequences, replaced by U+FFFD; the count of bytes.decode(errors="replace")
    )
    skipped_lines: int = (
        0  # jsonl lines that are no object with a text; csv rows with a wrong number of cells
    )
    missing: int = 0  # null, NaN or absent texts, read as empty documents so that the rows stay aligned
    ignored_files: int = 0  # files of a folder that are not of the kind that is read
    late_columns: list[str] = field(default_factory=list)  # jsonl keys that appear only after the first batch

    def messages(self) -> list[str]:
        """Return one sentence for each trouble, e.g. ["2 malformed lines were skipped"]."""
        counted = [
            (self.undecodable, "undecodable byte sequence", "replaced by U+FFFD"),
            (self.skipped_lines, "malformed line", "skipped"),
            (
                self.missing,
                "missing text",
                "read as empty documents" if self.missing > 1 else "read as an empty document",
            ),
            (self.ignored_files, "file of another kind", "left out of the folder"),
        ]
        said = [_sentence(count, what, done) for count, what, done in counted if count]
        if self.late_columns:
            said.append(
                f"columns that appear only late in the input were left out: {', '.join(self.late_columns)}"
            )
        return said


def _sentence(count: int, what: str, done: str) -> str:
    """(2, "malformed line", "skipped") -> "2 malformed lines were skipped"."""
    noun, *rest = what.split(" of ")
    plural = " of ".join([noun + "s", *rest]) if count > 1 else what
    return f"{count:,} {plural} {'were' if count > 1 else 'was'} {done}"


@dataclass
class Reading:
    """What every reader needs to know: how to call the input in messages, and what to do about bad data."""

    name: str
    strict: bool
    report: ReadReport

    def undecodable(self, count: int, where: str) -> None:
        """Count `count` invalid sequences, or stop if strict; `where` is e.g. "byte 17"."""
        if self.strict:
            raise InputError(
                f"{self.name}: {where} is not valid UTF-8; convert it to UTF-8, or read it without strict "
                "to have it replaced by U+FFFD and counted"
            )
        self.report.undecodable += count

    def skip(self, where: str, why: str) -> None:
        """Count one line that cannot be read, or stop if strict; `where` is e.g. "line 17"."""
        if self.strict:
            raise InputError(f"{self.name}, {where}: {why}; repair it, or read it without strict to skip it")
        self.report.skipped_lines += 1


@dataclass
class InputFile(Reading):
    """One file on its way to become batches; `path` is None for standard input."""

    path: Path | None
    kind: str
    compression: str | None = None
    size: int = 0
    position: int = 0  # how many of the `size` bytes have been read, for a progress bar
    members: tuple[Path, ...] = ()  # of a folder of txt files


class OpenTable(NamedTuple):
    """The columns of an opened input, and a way to read them once."""

    names: list[str]
    text_names: list[str]  # the columns that hold text
    batches: Callable[
        [str, bool], Iterator[pa.RecordBatch]
    ]  # (text column, keep the other columns) -> batches
    any_as_text: bool = False  # csv: every column is text when the user says so
    is_nameless: bool = (
        False  # txt, arrays: the texts have no name of their own and take the one that is asked for
    )


@contextmanager
def input_errors(name: str) -> Iterator[None]:
    """Turn what Arrow and the system raise for bad data into an `InputError` of one line with the name."""
    try:
        yield
    except (pa.ArrowException, OSError, EOFError, UnicodeError, OverflowError) as error:
        reason = getattr(error, "strerror", None) or str(error) or type(error).__name__
        line = " ".join(reason.split())
        raise InputError(f"cannot read {name}: {line if len(line) < 300 else line[:300] + '...'}") from error


def in_batches(items: Iterable[Item], size: Callable[[Item], int]) -> Iterator[list[Item]]:
    """Collect items until a list holds 16,384 of them or 8 MB of `size`."""
    batch: list[Item] = []
    held = 0
    for item in items:
        batch.append(item)
        held += size(item)
        if held >= BLOCK_BYTES or len(batch) == MAX_DOCUMENTS:
            yield batch
            batch, held = [], 0
    if batch:
        yield batch


# ---- bytes


def _raw_blocks(file: InputFile) -> Iterator[bytes]:
    """Read the decompressed bytes of a file or of standard input, 8 MB at a time."""
    with ExitStack() as stack:
        raw = stack.enter_context(file.path.open("rb")) if file.path else sys.stdin.buffer
        stream = raw
        if file.compression:
            stream = stack.enter_context(pa.input_stream(raw, compression=file.compression))
        while block := stream.read(BLOCK_BYTES):
            if file.size:
                file.position = raw.tell()
            yield block


def clean_blocks(file: InputFile) -> Iterator[bytes]:
    r"""Read a file as blocks of valid UTF-8: [b"caf\xc3", b"\xa9 \xff"] -> b"caf", b"\xc3\xa9 \xef\xbf\xbd".

    A block never ends inside a character: the bytes of an unfinished one wait for the next block.
    """
    offset = 0
    held = b""
    for block in chain(_raw_blocks(file), [b""]):
        waiting = held + block
        clean, used = _decodable(waiting, offset, final=not block, reading=file)
        held = waiting[used:]
        if offset == 0:
            clean = clean.removeprefix(codecs.BOM_UTF8)
        offset += used
        if clean:
            yield clean


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


def whole_lines(blocks: Iterable[bytes]) -> Iterator[bytes]:
    r"""Cut blocks at line ends: [b"a\nb", b"c\nd"] -> b"a\n", b"bc\n", b"d"."""
    held: list[bytes] = []
    for block in blocks:
        cut = block.rfind(b"\n") + 1
        if cut:
            yield b"".join([*held, block[:cut]])
            held = []
        held.append(block[cut:])
    rest = b"".join(held)
    if rest:
        yield rest


def lines_array(lines: bytes) -> pa.LargeStringArray:
    r"""Make each line a document, without a Python loop: b"a\r\n\nbc\n" -> ["a", "", "bc"]."""
    if b"\r" in lines:
        lines = lines.replace(b"\r\n", b"\n")
    if not lines.endswith(b"\n"):
        lines += b"\n"
    ends = np.flatnonzero(np.frombuffer(lines, dtype=np.uint8) == LINE_BREAK)
    # With the line breaks taken out, document k ends k places before its own line break.
    offsets = np.zeros(len(ends) + 1, dtype=np.int64)
    np.subtract(ends, np.arange(len(ends)), out=offsets[1:])
    return pa.LargeStringArray.from_buffers(
        len(ends), pa.py_buffer(offsets), pa.py_buffer(lines.replace(b"\n", b""))
    )


def bytes_array(texts: list[bytes], is_there: list[bool] | None = None) -> pa.LargeStringArray:
    r"""Make an array of texts that are UTF-8 already: [b"a", b""], [True, False] -> ["a", null].

    Like pa.array, which would import pandas wherever that is installed.
    """
    offsets = np.zeros(len(texts) + 1, dtype=np.int64)
    np.cumsum(np.fromiter(map(len, texts), dtype=np.int64, count=len(texts)), out=offsets[1:])
    bitmap = None if is_there is None else pa.py_buffer(np.packbits(is_there, bitorder="little"))
    return pa.LargeStringArray.from_buffers(
        len(texts), pa.py_buffer(offsets), pa.py_buffer(b"".join(texts)), bitmap
    )


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


# ---- txt


@contextmanager
def _open_txt(file: InputFile) -> Iterator[OpenTable]:
    """One document a line."""

    def batches(text: str, _keep: bool) -> Iterator[pa.RecordBatch]:
        for lines in whole_lines(clean_blocks(file)):
            yield pa.RecordBatch.from_arrays([lines_array(lines)], [text])

    yield OpenTable([], [], batches, is_nameless=True)


@contextmanager
def _open_folder(folder: InputFile) -> Iterator[OpenTable]:
    """One document a file, and its name below the folder."""

    def documents() -> Iterator[tuple[bytes, bytes]]:
        for path in folder.members:
            member = replace(folder, name=str(path), path=path, compression=compression_of(path), position=0)
            with input_errors(member.name):
                content = b"".join(clean_blocks(member))
            folder.position += member.position
            below = os.fsencode(path.relative_to(str(folder.path)).as_posix())
            yield below.decode(errors="replace").encode(), content

    def batches(text: str, _keep: bool) -> Iterator[pa.RecordBatch]:
        for group in in_batches(documents(), size=lambda document: len(document[1])):
            columns = [bytes_array(list(column)) for column in zip(*group, strict=True)]
            yield pa.RecordBatch.from_arrays(columns, ["file", text])

    yield OpenTable(["file"], [], batches, is_nameless=True)


# ---- jsonl


class JsonRow(NamedTuple):
    """One line of a jsonl file that holds an object."""

    line: int
    size: int
    values: dict[str, object]


def _json_rows(file: InputFile) -> Iterator[JsonRow]:
    """Read the objects of a jsonl file; blank lines hold nothing and are passed over."""
    number = 0
    for lines in whole_lines(clean_blocks(file)):
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
                yield JsonRow(number, len(line), value)
            else:
                file.skip(f"line {number}", f"a JSON {type(value).__name__}, not an object with columns")


@contextmanager
def _open_jsonl(file: InputFile) -> Iterator[OpenTable]:
    """One object a line; the columns are the keys of the first batch."""
    groups = in_batches(_json_rows(file), size=lambda row: row.size)
    first = next(groups, [])
    names = list(dict.fromkeys(key for row in first for key in row.values))

    def batches(text: str, keep: bool) -> Iterator[pa.RecordBatch]:
        known = {text: pa.large_string()}
        expected = set(names)
        for group in chain([first], groups):
            rows = [row for row in group if _has_readable_text(row, text, file)]
            if keep:
                late = {key: None for row in rows for key in row.values if key not in expected}
                file.report.late_columns += [key for key in late if key not in file.report.late_columns]
            columns = {}
            for name in names if keep else [text]:
                columns[name] = _json_column(
                    name, [row.values.get(name) for row in rows], known.get(name), file
                )
                known[name] = columns[name].type
            yield pa.RecordBatch.from_pydict(columns)

    yield OpenTable(names, [name for name in names if _mostly_text(first, name)], batches)


def _mostly_text(rows: list[JsonRow], name: str) -> bool:
    """Tell whether a key holds more strings than other values: one odd line does not hide a text column."""
    values = [row.values.get(name) for row in rows]
    strings = sum(isinstance(value, str) for value in values)
    return strings > len(values) - values.count(None) - strings


def _has_readable_text(row: JsonRow, text: str, file: InputFile) -> bool:
    """Accept a string, null or nothing; a number is no text, so that line is skipped and counted."""
    value = row.values.get(text)
    if value is None or isinstance(value, str):
        return True
    file.skip(f"line {row.line}", f"the text {text!r} is of type {type(value).__name__}, not a string")
    return False


def _json_column(name: str, values: list[object], known: pa.DataType | None, file: InputFile) -> pa.Array:
    """Make an Arrow column; its first batch decides the type, which is `known` in the later ones.

    Values that have no common Arrow type become JSON text: [1, "a", {"b": 2}] -> ['1', 'a', '{"b": 2}'].
    """
    if known is not None and pa.types.is_large_string(known):
        return string_array([_json_text(value) for value in values], file)
    try:
        inferred = pa.array(values)
    except (pa.ArrowException, UnicodeError, OverflowError):
        inferred = None
    if known is None:
        if inferred is None or pa.types.is_null(inferred.type) or pa.types.is_string(inferred.type):
            return string_array([_json_text(value) for value in values], file)
        return inferred
    if inferred is None or not _fits(inferred.type, known):
        found = "values of several types" if inferred is None else inferred.type
        raise InputError(
            f"{file.name}: the column {name!r} begins as {known} and later holds {found}; "
            "give it values of one type, or leave it out"
        )
    return pa.array(values, known)


def _json_text(value: object) -> str | None:
    """Write a value as text: "a" -> "a", 1 -> "1", {"b": 2} -> '{"b": 2}', None -> None."""
    return value if value is None or isinstance(value, str) else json.dumps(value, ensure_ascii=False)


def _fits(new: pa.DataType, known: pa.DataType) -> bool:
    """Tell whether one type can hold another without loss: {a} fits {a, b}, {a, b} does not fit {a}."""
    if new == known or pa.types.is_null(new):
        return True
    if pa.types.is_struct(new) and pa.types.is_struct(known):
        inside = {child.name: child.type for child in known}
        return all(child.name in inside and _fits(child.type, inside[child.name]) for child in new)
    if pa.types.is_list(new) and pa.types.is_list(known):
        return _fits(new.value_type, known.value_type)
    return bool(pa.types.is_integer(new) and pa.types.is_floating(known))


# ---- csv, tsv


def _row_pattern(delimiter: str) -> str:
    """Return the pattern of one row with its line end; a quote that is left open makes no row.

    As for Arrow, a quote opens a cell only at its start: 5" nail is an ordinary cell.
    """
    plain = rf"[^{delimiter}\r\n]*+"
    cell = rf'(?:"[^"]*+(?:""[^"]*+)*+"{plain}|(?!"){plain})'
    return rf"(?:{cell}(?:{delimiter}{cell})*+(?:\r?\n|\r(?=[^\n])))"


def whole_rows(file: InputFile, delimiter: str) -> Iterator[bytes]:
    r"""Cut a csv file at row ends: [b'a\n"b\n', b'c"\nd'] -> b'a\n', b'"b\nc"\n', b'd'.

    Arrow can stream a csv file, but reads 32 blocks ahead and gives up on a row longer than a block.
    """
    rows = re.compile(f"{_row_pattern(delimiter)}*+".encode())
    held: list[bytes] = []
    size = enough = 0
    for block in clean_blocks(file):
        held.append(block)
        size += len(block)
        if size < enough:
            continue
        waiting = b"".join(held)
        found = rows.match(waiting) if b'"' in waiting else None
        cut = found.end() if found else waiting.rfind(b"\n") + 1
        if cut:
            yield waiting[:cut]
        elif size > MAX_CSV_ROW:
            raise InputError(f"{file.name}: a row is longer than 1 GB; a quote may be left open")
        # A long row is looked at again only when twice as much of it is there.
        enough = 0 if cut else 2 * size
        held, size = [waiting[cut:]], len(waiting) - cut
    rest = b"".join(held)
    if rest:
        yield rest


@dataclass
class _CsvParser:
    """Arrow's parser for pieces of whole rows; counts the rows, which messages name."""

    file: InputFile
    delimiter: str
    names: list[str]
    rows_before: int = 1  # the header

    def parse(self, rows: bytes, convert: pa.csv.ConvertOptions) -> pa.Table:
        """Parse rows; those with too many or too few cells are skipped and counted, or an error if strict."""
        bad: list[pa.csv.InvalidRow] = []

        def skip(row: pa.csv.InvalidRow) -> str:
            bad.append(row)
            return "skip"

        options = pa.csv.ParseOptions(
            delimiter=self.delimiter,
            newlines_in_values=True,
            ignore_empty_lines=len(self.names) > 1,  # in a file of one column it is an empty document
            invalid_row_handler=skip,
        )
        read = pa.csv.ReadOptions(block_size=len(rows) + 1, use_threads=False, column_names=self.names)
        try:
            table = pa.csv.read_csv(pa.BufferReader(rows), read, options, convert)
        except pa.ArrowInvalid as error:
            if "conversion error" not in str(error):
                raise
            what = re.sub(r"Row #\d+: ", "", str(error))
            raise InputError(
                f"{self.file.name}: {what}; the first {BLOCK_BYTES >> 20} MB decide the type of a column: "
                "write the file as parquet, or leave that column out"
            ) from error
        for row in bad:
            why = f"{row.actual_columns} cells where the header has {row.expected_columns}"
            self.file.skip(f"row {self.rows_before + row.number}", why)
        self.rows_before += table.num_rows + len(bad)
        return table


@contextmanager
def _open_csv(file: InputFile, delimiter: str) -> Iterator[OpenTable]:
    """Read a header line, then one document a row; cells in quotes may hold delimiters and line breaks."""
    pieces = whole_rows(file, delimiter)
    first = next(pieces, b"").lstrip(b"\r\n")
    header = re.match(_row_pattern(delimiter).encode(), first)
    if header is None and b"\n" in first:
        raise InputError(f"{file.name}: a quote in the header is left open; close it")
    end = header.end() if header else len(first)
    parser = _CsvParser(file, delimiter, _csv_names(first[:end], delimiter))
    rest = (piece for piece in chain([first[end:]], pieces) if piece)
    rows, schema = _first_rows(parser, rest)

    def batches(text: str, keep: bool) -> Iterator[pa.RecordBatch]:
        # A column without a value so far would refuse the values that come later.
        types = {f.name: pa.string() if pa.types.is_null(f.type) else f.type for f in schema}
        convert = pa.csv.ConvertOptions(
            include_columns=None if keep else [text], column_types=types | {text: pa.large_string()}
        )
        for piece in chain([rows], rest):
            yield from parser.parse(piece, convert).to_batches()

    names = list(schema.names)
    text_names = [f.name for f in schema if pa.types.is_string(f.type) or f.name == "text" or len(names) == 1]
    yield OpenTable(names, text_names, batches, any_as_text=True)


def _csv_names(header: bytes, delimiter: str) -> list[str]:
    """Read the header line: b'id,"a, b"' -> ["id", "a, b"]; b"" -> []."""
    if not header:
        return []
    line = header.rstrip(b"\r\n") + b"\n"
    read = pa.csv.ReadOptions(block_size=len(line) + 1)
    options = pa.csv.ParseOptions(delimiter=delimiter, newlines_in_values=True)
    return list(pa.csv.read_csv(pa.BufferReader(line), read, options).column_names)


def _first_rows(parser: _CsvParser, pieces: Iterator[bytes]) -> tuple[bytes, pa.Schema]:
    """Find the first piece that holds a document, and the types of its columns."""
    for piece in pieces:
        rows_before, skipped = parser.rows_before, parser.file.report.skipped_lines
        table = parser.parse(piece, pa.csv.ConvertOptions())
        if table.num_rows:
            # This piece will be parsed again when it is known which column is the text.
            parser.rows_before, parser.file.report.skipped_lines = rows_before, skipped
            return piece, table.schema
    return b"", pa.schema([])


# ---- parquet, arrow


def is_text(kind: pa.DataType) -> bool:
    """Tell whether an Arrow type is a string: string, large_string, string_view or a dictionary of them."""
    if pa.types.is_dictionary(kind):
        return is_text(kind.value_type)
    return bool(pa.types.is_string(kind) or pa.types.is_large_string(kind) or pa.types.is_string_view(kind))


def arrow_table(schema: pa.Schema, batches: Callable[[str, bool], Iterator[pa.RecordBatch]]) -> OpenTable:
    """Describe anything that has an Arrow schema."""
    return OpenTable(list(schema.names), [f.name for f in schema if is_text(f.type)], batches)


@contextmanager
def _open_parquet(file: InputFile) -> Iterator[OpenTable]:
    """Read a parquet file some thousand rows at a time, whatever its row groups are."""
    # So Arrow reads a column piecewise; by default, the whole column of a row group at once.
    with pa.parquet.ParquetFile(file.path, buffer_size=1 << 20, pre_buffer=False) as source:
        meta = source.metadata
        total_bytes = sum(meta.row_group(i).total_byte_size for i in range(meta.num_row_groups))
        batch_size = min(4096, max(64, BLOCK_BYTES * meta.num_rows // max(total_bytes, 1)))

        def batches(text: str, keep: bool) -> Iterator[pa.RecordBatch]:
            rows = 0
            for batch in source.iter_batches(batch_size, columns=None if keep else [text]):
                rows += batch.num_rows
                file.position = file.size * rows // meta.num_rows
                yield batch

        yield arrow_table(source.schema_arrow, batches)


@contextmanager
def _open_arrow(file: InputFile) -> Iterator[OpenTable]:
    """Read an Arrow file (also called feather) or stream; mapped, so that a large batch costs no memory."""
    with pa.memory_map(str(file.path)) as source:
        is_file_format = source.read(6) == b"ARROW1"
        source.seek(0)
        reader = pa.ipc.open_file(source) if is_file_format else pa.ipc.open_stream(source)

        def batches(text: str, keep: bool) -> Iterator[pa.RecordBatch]:
            stored = map(reader.get_batch, range(reader.num_record_batches)) if is_file_format else reader
            for done, batch in enumerate(stored, start=1):
                # A file is read at random places, so its position is told by the batches.
                whole_file = is_file_format and file.size * done // reader.num_record_batches
                file.position = whole_file or min(source.tell(), file.size)
                yield batch if keep else batch.select([text])

        yield arrow_table(reader.schema, batches)


# ---- which reader

READERS: dict[str, Callable[[InputFile], AbstractContextManager[OpenTable]]] = {
    "txt": _open_txt,
    "jsonl": _open_jsonl,
    "csv": partial(_open_csv, delimiter=","),
    "tsv": partial(_open_csv, delimiter="\t"),
    "parquet": _open_parquet,
    "arrow": _open_arrow,
    "folder": _open_folder,
}
TEXT_KINDS = ("txt", "jsonl", "csv", "tsv")  # read from start to end, also compressed or from a pipe
KINDS = {
    "txt": "txt",
    "jsonl": "jsonl",
    "ndjson": "jsonl",
    "csv": "csv",
    "tsv": "tsv",
    "parquet": "parquet",
    "arrow": "arrow",
    "feather": "arrow",
    "ipc": "arrow",
}
COMPRESSIONS = {".gz": "gzip", ".bz2": "bz2", ".zst": "zstd"}


def compression_of(path: Path) -> str | None:
    """Path("a.csv.gz") -> "gzip"; Path("a.csv") -> None."""
    return COMPRESSIONS.get(path.suffix.lower())


def kind_of(path: Path) -> str | None:
    """Path("a.csv.gz") -> "csv"; Path("a.feather") -> "arrow"; Path("a.doc") -> None."""
    inner = Path(path.stem) if compression_of(path) else path
    return KINDS.get(inner.suffix.lower().removeprefix("."))


@contextmanager
def open_table(file: InputFile) -> Iterator[OpenTable]:
    """Open a file with the reader of its kind; whatever goes wrong inside comes out as an `InputError`."""
    with input_errors(file.name), ExitStack() as stack:
        is_pipe = file.path is None or not (file.path.is_file() or file.path.is_dir())
        is_spooled = is_pipe and file.kind not in TEXT_KINDS
        source = stack.enter_context(_spooled(file)) if is_spooled else file
        yield stack.enter_context(READERS[file.kind](source))
        file.position = file.size


@contextmanager
def _spooled(file: InputFile) -> Iterator[InputFile]:
    """Keep a pipe in a temporary file, for formats that are not read from start to end; deleted then."""
    with tempfile.TemporaryDirectory(prefix="doc2vecc-") as folder:
        path = Path(folder) / "spooled"
        with path.open("wb") as target, ExitStack() as stack:
            shutil.copyfileobj(
                stack.enter_context(file.path.open("rb")) if file.path else sys.stdin.buffer, target
            )
        yield replace(file, path=path)
