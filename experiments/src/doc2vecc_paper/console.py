"""What a person sees: results on stdout, messages on stderr, and a mistake as one line with exit code 2."""

from __future__ import annotations

import os
import sys
from collections.abc import Iterable, Sequence
from typing import Any

import typer
from rich.console import Console
from rich.table import Table
from rich.text import Text

from doc2vecc import Doc2VecCError

MISTAKE, INTERRUPTED, BROKEN_PIPE = 2, 130, 1
WIDTH_OF_A_PIPE = 120

# What parsing raises; newer versions of Typer bring their own copy of click, so it cannot be imported from click.
_UsageError: Any = next(kind for kind in typer.BadParameter.__mro__ if kind.__name__ == "UsageError")


def say(message: str) -> None:
    """Write one line to stderr. Rich prints it above the progress bar if there is one."""
    sys.stderr.write("".join(letter if letter.isprintable() else " " for letter in message) + "\n")


def say_notes(messages: Iterable[str]) -> None:
    """Write what the user should know, a line each."""
    for message in messages:
        say(f"note: {message}")


def stdout() -> Console:
    """Return a console for results; in a pipe lines are long and without color."""
    width = None if sys.stdout.isatty() or "COLUMNS" in os.environ else WIDTH_OF_A_PIPE
    return Console(width=width, highlight=False, emoji=False, markup=False)


def print_list(headings: Sequence[str], rows: Iterable[Sequence[str]], *, right: Sequence[str] = ()) -> None:
    """Print aligned columns; those named in ``right`` are aligned right."""
    table = Table(box=None, pad_edge=False, padding=(0, 2, 0, 0))
    for heading in headings:
        table.add_column(Text(heading), justify="right" if heading in right else "left")
    for row in rows:
        table.add_row(*map(Text, row))
    stdout().print(table)


def counted(number: int, noun: str) -> str:
    """Put a number before its noun.

    >>> counted(1, "seed"), counted(2000, "word")
    ('1 seed', '2,000 words')
    """
    return f"{number:,} {noun}" + ("" if number == 1 else "s")


def run(app: typer.Typer, name: str, arguments: Sequence[str]) -> int:
    """Run a command -> exit code. The user's mistakes become one line here; other errors keep their traceback."""
    command = typer.main.get_command(app)
    try:
        with command.make_context(name, list(arguments)) as context:
            command.invoke(context)
        sys.stdout.flush()
    except typer.Exit as request:
        return request.exit_code
    except KeyboardInterrupt as interruption:
        say(f"interrupted; {str(interruption) or 'nothing was written'}")
        return INTERRUPTED
    except BrokenPipeError:
        # What is still buffered has no reader; without this, Python would report it at its end.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return BROKEN_PIPE
    except Doc2VecCError as error:
        say(f"error: {error}")
        return MISTAKE
    except _UsageError as error:
        say(f"error: {error.format_message().rstrip('.')}; see {name} --help")
        return MISTAKE
    except OSError as error:
        where = f" {error.filename}" if error.filename else ""
        say(f"error: cannot write{where}: {error.strerror or error}; choose another folder")
        return MISTAKE
    return 0
