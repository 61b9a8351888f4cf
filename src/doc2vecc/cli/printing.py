"""How the commands print: results to stdout, messages to stderr."""

from __future__ import annotations

import os
import sys
from collections.abc import Iterable, Sequence

import typer
from rich.cells import cell_len
from rich.console import Console
from rich.table import Table
from rich.text import Text

WIDTH_OF_A_PIPE = 120
WIDEST_NAME = 48


def say(message: str) -> None:
    """Write one line to stderr."""
    typer.echo(message, err=True)


def say_notes(messages: Iterable[str]) -> None:
    """Write what should not pass in silence, a line each."""
    for message in messages:
        say(f"note: {message}")


def stdout() -> Console:
    """Return a console for results; where nobody looks, lines are long and without colour."""
    width = None if sys.stdout.isatty() or "COLUMNS" in os.environ else WIDTH_OF_A_PIPE
    return Console(width=width, highlight=False, emoji=False, markup=False)


def one_line(text: str) -> str:
    r"""Put a text of any kind on one line, without what could move the cursor: "a\n\x1b[2Jb" -> "a [2Jb"."""
    return "".join(character if character.isprintable() else " " for character in " ".join(text.split()))


def table(headings: Sequence[str], rows: Iterable[Sequence[str]], *, right: Sequence[str] = ()) -> Table:
    """Make a plain table; the columns named in ``right`` are aligned right, the last one is cut to the width."""
    cells = [[one_line(cell) for cell in row] for row in rows]
    made = Table(box=None, pad_edge=False, header_style="bold")
    for number, heading in enumerate(headings):
        widest = max(cell_len(text) for text in [heading, *(row[number] for row in cells)])
        # Without a least width, Rich would shorten names in favour of a long text.
        made.add_column(
            heading,
            justify="right" if heading in right else "left",
            no_wrap=True,
            min_width=min(widest, WIDEST_NAME) if number < len(headings) - 1 else None,
        )
    for row in cells:
        made.add_row(*map(Text, row))
    return made
