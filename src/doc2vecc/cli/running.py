"""Run one command: what goes wrong becomes one line on stderr and an exit code."""

from __future__ import annotations

import errno
import os
import sys
import tempfile
from collections.abc import Sequence
from pathlib import Path

import typer

from doc2vecc.cli.app import app
from doc2vecc.console import one_line, say, shortened
from doc2vecc.errors import Doc2VecCError

MISTAKE = 2
INTERRUPTED = 130
BROKEN_PIPE = 1
LEARNING = ("train", "demo")

# What parsing raises; newer versions of Typer bring their own copy of click, so it is not click's to import.
_UsageError = next(kind for kind in typer.BadParameter.__mro__ if kind.__name__ == "UsageError")


def run(arguments: Sequence[str]) -> int:
    """Run one command -> exit code. Every mistake of a user is turned into its line here, and only here."""
    command = typer.main.get_command(app)
    subcommand: str | None = None
    try:
        if hasattr(sys.stdout, "reconfigure"):
            sys.stdout.reconfigure(errors="replace")  # a terminal that cannot show a letter is no reason to stop
        with command.make_context("doc2vecc", list(arguments)) as context:
            try:
                command.invoke(context)
            finally:
                subcommand = context.invoked_subcommand
        sys.stdout.flush()
    except typer.Exit as request:
        return request.exit_code
    except KeyboardInterrupt as interruption:
        say(f"interrupted; {str(interruption) or 'nothing was written'}")
        return INTERRUPTED
    except BrokenPipeError:
        _close_stdout()
        return BROKEN_PIPE
    except Exception as error:
        message = _mistake(error, is_learning=subcommand in LEARNING)
        if message is None:
            raise
        say(shortened("error: " + one_line(message)))
        _give_up_stdout()
        return MISTAKE
    return 0


def _mistake(error: Exception, *, is_learning: bool) -> str | None:
    """Return what to tell a user about an error that is a mistake of theirs, or None for one of ours."""
    if isinstance(error, Doc2VecCError):
        return str(error)
    if isinstance(error, _UsageError):
        path = error.ctx.command_path if error.ctx is not None else "doc2vecc"  # type: ignore[attr-defined]
        return f"{error.format_message().rstrip('.')}; see {path} --help"  # type: ignore[attr-defined]
    if isinstance(error, OSError):
        where = f" {error.filename}" if error.filename else ""
        return f"cannot write{where}: {error.strerror or error}{_hint(error, is_learning=is_learning)}"
    return None


def _hint(error: OSError, *, is_learning: bool) -> str:
    """Say where temporary files go if they are what does not fit, or may be: a write does not name its file."""
    if error.errno != errno.ENOSPC:
        return ""
    folder = tempfile.gettempdir()
    name = error.filename
    may_be_temporary = Path(folder) in Path(os.fsdecode(name)).absolute().parents if name else is_learning
    return f"; temporary files go to {folder}, or to TMPDIR" if may_be_temporary else ""


def _give_up_stdout() -> None:
    """Write what is still buffered or, where that cannot be done, forget it."""
    try:
        sys.stdout.flush()
    except OSError:
        _close_stdout()


def _close_stdout() -> None:
    """Let what is still buffered for a pipe that nobody reads go nowhere; Python would complain at its end."""
    nowhere = os.open(os.devnull, os.O_WRONLY)
    os.dup2(nowhere, sys.stdout.fileno())
    os.close(nowhere)
