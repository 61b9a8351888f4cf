"""The command line: parsing and printing; the work is done by the modules that the commands call.

Results go to stdout, messages to stderr. A user's mistake is one line and exit code 2, never a traceback.
"""

from __future__ import annotations

import errno
import os
import sys
import tempfile
from collections.abc import Sequence

import typer

from doc2vecc.cli.app import app
from doc2vecc.cli.options import UserError
from doc2vecc.cli.printing import say

__all__ = ["main"]

MISTAKE = 2
INTERRUPTED = 130
BROKEN_PIPE = 1

# What parsing raises; newer versions of Typer bring their own copy of click, so it is not click's to import.
_UsageError = next(kind for kind in typer.BadParameter.__mro__ if kind.__name__ == "UsageError")


def main(arguments: Sequence[str] | None = None) -> int:
    """Run one command -> exit code. Every mistake of a user is turned into its line here, and only here."""
    command = typer.main.get_command(app)
    try:
        if hasattr(sys.stdout, "reconfigure"):
            sys.stdout.reconfigure(errors="replace")  # a terminal that cannot show a letter is no reason to stop
        with command.make_context("doc2vecc", list(sys.argv[1:] if arguments is None else arguments)) as context:
            command.invoke(context)
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
        message = _mistake(error)
        if message is None:
            raise
        say("error: " + " ".join(message.split()))
        return MISTAKE
    return 0


def _mistake(error: Exception) -> str | None:
    """Return what to tell a user about an error that is a mistake of theirs, or None for one of ours."""
    if isinstance(error, UserError):
        return str(error)
    if isinstance(error, _UsageError):
        path = error.ctx.command_path if error.ctx is not None else "doc2vecc"  # type: ignore[attr-defined]
        return f"{error.format_message().rstrip('.')}; see {path} --help"  # type: ignore[attr-defined]
    if isinstance(error, OSError):
        where = f" {error.filename}" if error.filename else ""
        hint = (
            f"; temporary files go to {tempfile.gettempdir()}, or to TMPDIR" if error.errno == errno.ENOSPC else ""
        )
        return f"cannot write{where}: {error.strerror or error}{hint}"
    return str(error) if isinstance(error, ValueError) and _is_told_by_library(error) else None


def _is_told_by_library(error: ValueError) -> bool:
    """Tell whether an error was written for the user to read; another ValueError is a defect, and shows as one."""
    from doc2vecc.corpus.sources import InputError
    from doc2vecc.corpus.vocabulary import EmptyVocabularyError
    from doc2vecc.outputs import OutputError
    from doc2vecc.search import UnknownQueryError
    from doc2vecc.storage import ModelFolderError
    from doc2vecc.training.trainer import DivergenceError

    told = (DivergenceError, EmptyVocabularyError, InputError, ModelFolderError, OutputError, UnknownQueryError)
    return isinstance(error, told)


def _close_stdout() -> None:
    """Let what is still buffered for a pipe that nobody reads go nowhere; Python would complain at its end."""
    nowhere = os.open(os.devnull, os.O_WRONLY)
    os.dup2(nowhere, sys.stdout.fileno())
    os.close(nowhere)
