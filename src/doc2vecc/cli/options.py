"""The options that several commands share, and the error for a mistake among them."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from doc2vecc.errors import Doc2VecCError


class UserError(Doc2VecCError):
    """A mistake on the command line itself: one sentence with the value, the rule and the remedy."""


ModelFolder = Annotated[
    Path, typer.Argument(metavar="MODEL", help="Folder made by doc2vecc train.", show_default=False)
]
Inputs = Annotated[
    list[str],
    typer.Argument(
        metavar="INPUT",
        help="Files or folders: txt (one document a line; in a folder: a file), jsonl, csv, tsv, parquet, arrow; "
        "text also as .gz .bz2 .zst. - is stdin.",
        show_default=False,
    ),
]
TextColumn = Annotated[
    str | None,
    typer.Option("--text-column", metavar="NAME", help="Column with the texts; needed if there are several."),
]
InputFormat = Annotated[
    str | None,
    typer.Option(
        "--format",
        "--input-format",
        metavar="KIND",
        help="Read the input as txt, jsonl, csv, tsv, parquet or arrow, whatever its name is.",
    ),
]
Strict = Annotated[
    bool, typer.Option("--strict", help="Stop at undecodable bytes and malformed lines instead of counting them.")
]
Force = Annotated[bool, typer.Option("--force", help="Replace the output if it exists.")]
Workers = Annotated[
    int | None, typer.Option("--workers", metavar="N", min=1, help="Threads.", show_default="all cores")
]
Nearest = Annotated[int, typer.Option("-k", metavar="N", min=1, help="How many to show.")]
