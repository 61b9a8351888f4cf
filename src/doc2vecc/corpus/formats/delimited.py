"""csv and tsv: a header line, then one document a row; cells in quotes may hold delimiters and line breaks.

Arrow can stream a csv file, but reads 32 blocks ahead and gives up on a row longer than a block. So the file
is cut at row ends here, and Arrow parses one piece of whole rows at a time.
"""

import re
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from itertools import chain, islice

import pyarrow as pa
import pyarrow.csv

from doc2vecc.console import counted
from doc2vecc.corpus import text_column
from doc2vecc.corpus.formats.reading import InputFile, utf8_blocks, whole_lines
from doc2vecc.corpus.text_column import Keep, OpenTable, Texts
from doc2vecc.errors import InputError

ROWS_AT_ONCE = 1000
DELIMITERS = (",", ";", "\t", "|")  # that are looked for, the likely one first
SNIFFED_ROWS = 200
SNIFFED_BYTES = 1 << 20


@contextmanager
def open_delimited(file: InputFile, delimiter: str | None = None) -> Iterator[OpenTable]:
    """Read the header; the first rows decide the types of the columns, and the delimiter if nobody names it."""
    blocks = utf8_blocks(file)
    start = next(blocks, b"")
    delimiter = file.rules.delimiter or delimiter or sniff_delimiter(start)
    pieces = _whole_rows(file, chain([start], blocks), delimiter)
    column_names, first = _split_header(pieces, file, delimiter)
    parser = _Parser(file, delimiter, column_names, rows_before=0 if file.rules.no_header else 1)
    rest = (piece for piece in chain([first], pieces) if piece)
    for rows in rest:  # up to the first ones that hold a document, with the types that Arrow guesses
        first_table = parser.parse(rows, pa.csv.ConvertOptions())
        if first_table.num_rows:
            break
    else:
        first_table = pa.table({})
    schema = first_table.schema

    def batches(texts: Texts, keep: Keep) -> Iterator[pa.RecordBatch]:
        # A column without a value so far would refuse the values that come later.
        types = {f.name: pa.string() if pa.types.is_null(f.type) else f.type for f in schema}
        convert = pa.csv.ConvertOptions(
            include_columns=None if keep else list(texts), column_types=types | dict.fromkeys(texts, pa.large_string())
        )
        # The first rows are parsed again only if their guessed types changed cells: "007" is not the text 7.
        has_empty_column = any(pa.types.is_null(f.type) for f in schema)
        has_no_text = any(not pa.types.is_string(schema.field(text).type) for text in texts)
        if has_no_text or (keep and has_empty_column):
            yield from parser.parse(rows, convert, again=True).to_batches()
        else:
            yield from (first_table if keep else first_table.select(list(texts))).to_batches()
        for piece in rest:
            yield from parser.parse(piece, convert).to_batches()

    names = list(schema.names)
    text_names = [f.name for f in schema if pa.types.is_string(f.type) or f.name == "text" or len(names) == 1]
    yield OpenTable(names, text_names, batches, text_on_demand=names, is_utf8=True)


# ---- where a row ends


def _row_pattern(delimiter: str) -> str:
    """Return the pattern of one row with its line end; a quote that is left open makes no row.

    As for Arrow, a quote opens a cell only at its start: 5" nail is an ordinary cell. The pattern avoids ``*+``
    after a group with alternatives, which Python 3.11 before 3.11.5 matches wrongly.
    """
    delimiter = re.escape(delimiter)
    plain = rf"[^{delimiter}\r\n]*+"
    cell = rf'(?:"[^"]*+(?:""[^"]*+)*+"{plain}|(?!"){plain})'
    return rf"(?:{cell}(?:{delimiter}{cell})*(?:\r?\n|\r(?=[^\n])))"


def sniff_delimiter(text: bytes) -> str:
    r"""Find the delimiter that cuts most rows of a text into as many cells as the header: b"a;b\n1;x, y\n" -> ";"."""

    def fit(delimiter: str) -> tuple[bool, float]:
        quoted = re.compile(rf'(?:^|(?<={re.escape(delimiter)}))"[^"]*+(?:""[^"]*+)*+"'.encode())
        rows = re.finditer(_row_pattern(delimiter).encode(), text[:SNIFFED_BYTES] + b"\n")
        plain = (quoted.sub(b"", row[0]) for row in islice(rows, SNIFFED_ROWS))
        cells = [row.count(delimiter.encode()) + 1 for row in plain if row.strip()]
        return bool(cells) and cells[0] > 1, cells.count(cells[0]) / len(cells) if cells else 0.0

    return max(DELIMITERS, key=fit)


def _whole_rows(file: InputFile, blocks: Iterable[bytes], delimiter: str) -> Iterator[bytes]:
    r"""Cut a file at row ends: blocks b'a\n"b\n', b'c"\nd' -> b'a\n', b'"b\nc"\n', b'd'."""
    # Some rows at a time, because a match takes memory for each of them.
    rows = re.compile(f"{_row_pattern(delimiter)}{{0,{ROWS_AT_ONCE}}}".encode())

    def end_of_rows(text: bytes) -> int:
        end = 0 if b'"' in text else text.rfind(b"\n") + 1
        while b'"' in text and (found := rows.match(text, end)) and found.end() > end:
            end = found.end()
        return end

    return whole_lines(file, blocks, end_of_rows)


def _split_header(pieces: Iterator[bytes], file: InputFile, delimiter: str) -> tuple[list[str], bytes]:
    r"""Read the first line that is not empty: b'\nid,"a, b"\n1,a\n' -> ["id", "a, b"], b"1,a\n"; b"" -> [], b"".

    Without a header the columns have numbers, and the first line is a row: -> ["1", "2"], b'id,"a, b"\n1,a\n'.
    """
    rows = next(filter(None, (piece.lstrip(b"\r\n") for piece in pieces)), b"")
    if not rows:
        return [], b""
    header = re.match(_row_pattern(delimiter).encode(), rows)
    if header is None and b"\n" in rows:
        raise InputError(f"{file.name}: a quote in the header is left open; close it")
    end = header.end() if header else len(rows)
    line = rows[:end].rstrip(b"\r\n") + b"\n"
    read = pa.csv.ReadOptions(block_size=len(line) + 1)
    options = pa.csv.ParseOptions(delimiter=delimiter, newlines_in_values=True)
    names = list(pa.csv.read_csv(pa.BufferReader(line), read, options).column_names)
    return (names, rows[end:]) if not file.rules.no_header else ([str(n + 1) for n in range(len(names))], rows)


# ---- what is in a row


@dataclass
class _Parser:
    """Arrow's parser for pieces of whole rows; counts the rows, which messages name."""

    file: InputFile
    delimiter: str
    names: list[str]
    rows_before: int  # the header, if there is one

    def parse(self, rows: bytes, convert: pa.csv.ConvertOptions, *, again: bool = False) -> pa.Table:
        """Parse rows; one with too many or too few cells is skipped and counted, or an error if strict."""
        bad_rows: list[pa.csv.InvalidRow] = []

        def skip(row: pa.csv.InvalidRow) -> str:
            bad_rows.append(row)
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
            what, megabytes = re.sub(r"Row #\d+: ", "", str(error)), text_column.BLOCK_BYTES >> 20
            raise InputError(
                f"{self.file.name}: {what}; the first {megabytes} MB decide the type of a column: write the file "
                "as parquet, or leave that column out"
            ) from error
        if not again:
            what = "the first row" if self.file.rules.no_header else "the header"
            for row in bad_rows:
                why = f"{counted(row.actual_columns, 'cell')} where {what} has {row.expected_columns}"
                self.file.skip(f"row {self.rows_before + row.number}", why)
            self.rows_before += table.num_rows + len(bad_rows)
        return table
