"""How the commands print: results to stdout, messages to stderr."""

from __future__ import annotations

import os
import shlex
import shutil
import sys
from collections.abc import Iterable, Sequence
from pathlib import Path

from rich.console import Console
from rich.text import Text

WIDTH_OF_A_PIPE = 120
LONGEST_ERROR = 500


def say(message: str) -> None:
    """Write one line to stderr, above the progress bar if there is one."""
    from doc2vecc.training.progress import message_console

    message_console().print(Text(_printable(message)), soft_wrap=True)


def say_notes(messages: Iterable[str]) -> None:
    """Write what should not pass in silence, a line each."""
    for message in messages:
        say(f"note: {message}")


def stdout() -> Console:
    """Return a console for results; where nobody looks, lines are long and without color."""
    width = None if sys.stdout.isatty() or "COLUMNS" in os.environ else WIDTH_OF_A_PIPE
    return Console(width=width, highlight=False, emoji=False, markup=False)


def one_line(text: str) -> str:
    r"""Put a text of any kind on one line, without what could move the cursor: "a\n\x1b[2Jb" -> "a [2Jb"."""
    return _printable(" ".join(text.split()))


def _printable(text: str) -> str:
    return "".join(character if character.isprintable() else " " for character in text)


def shortened(text: str, length: int = LONGEST_ERROR) -> str:
    """Cut out of the middle what is too much; an error names its place at the start, the remedy at the end."""
    half = (length - len(" ... ")) // 2
    return text if len(text) <= length else f"{text[:half]} ... {text[-half:]}"


def program() -> str:
    """Return how to call this program again: its name, or its path if the shell would not find it by name."""
    started = Path(sys.argv[0])
    if started.name == "doc2vecc":
        return _to_call(started)
    if started.parts[-2:] == ("doc2vecc", "__main__.py"):
        return f"{_to_call(Path(sys.executable))} -m doc2vecc"
    return "doc2vecc"


def _to_call(path: Path) -> str:
    found = shutil.which(path.name)
    path = path.absolute()
    if found is not None and Path(found).absolute() == path:
        return path.name
    if path.parent == Path.cwd():
        return shlex.quote(f"./{path.name}")
    return shlex.quote(str(path.relative_to(Path.cwd()) if path.is_relative_to(Path.cwd()) else path))


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
