"""How the commands print: results to stdout, messages to stderr."""

from __future__ import annotations

import os
import sys
from collections.abc import Iterable, Sequence

import typer
from rich.console import Console
from rich.text import Text

WIDTH_OF_A_PIPE = 120


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


def print_table(
    console: Console, headings: Sequence[str], rows: Iterable[Sequence[str]], *, right: Sequence[str] = ()
) -> None:
    """Print aligned columns; those named in ``right`` are aligned right, the last one is cut to the width.

    Rich's own tables shorten, or leave out, the columns before a long last one.
    """
    cells = [[Text(heading, style="bold") for heading in headings]]
    cells += [[Text(one_line(cell)) for cell in row] for row in rows]
    widths = [max(cell.cell_len for cell in column) for column in zip(*cells, strict=True)]
    for row in cells:
        line = Text()
        for heading, cell, width in zip(headings, row, widths, strict=True):
            line.append_text(Text("  " if line else ""))
            cell.align("right" if heading in right else "left", width)
            line.append_text(cell)
        line.rstrip()
        line.truncate(console.width, overflow="ellipsis")
        console.print(line, no_wrap=True)
