"""Results on stdout: as a table for a person, as json lines or csv for a program."""

import csv
import io
import json
from collections.abc import Iterable, Mapping
from typing import Annotated, Any

import typer

from doc2vecc.cli.options import UserError
from doc2vecc.files import atomic_write

KINDS = ("table", "jsonl", "csv")
LONGEST_CELL = 30  # characters of a column in a table; the last column may be longer

OutputFormat = Annotated[str, typer.Option("--output-format", metavar="KIND", help="Print a table, jsonl or csv.")]


def check_kind(kind: str) -> None:
    """Refuse an unknown output format."""
    if kind not in KINDS:
        raise UserError(f"unknown output format {kind!r}; it must be one of: {', '.join(KINDS)}")


def write_records(records: Iterable[Mapping[str, Any]], kind: str) -> None:
    """Write records to stdout, one a line; csv has the names of the first one above, and JSON for what is nested."""
    from doc2vecc.outputs import json_value

    with atomic_write(None) as file:
        heading = True
        for record in records:
            values = {name: json_value(value) for name, value in record.items()}
            if kind == "jsonl":
                file.write((json.dumps(values, ensure_ascii=False) + "\n").encode(errors="replace"))
                continue
            line = io.StringIO()
            writer = csv.writer(line, lineterminator="\n")
            if heading:
                writer.writerow(values)
                heading = False
            nested = (dict, list)
            writer.writerow(
                json.dumps(value, ensure_ascii=False) if isinstance(value, nested) else value
                for value in values.values()
            )
            file.write(line.getvalue().encode(errors="replace"))
