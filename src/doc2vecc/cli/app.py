"""The application: its commands, and how an error becomes one line on stderr and an exit code."""

import errno
import io
import os
import sys
import tempfile
from collections.abc import Sequence
from pathlib import Path
from typing import Annotated, Self

import typer

from doc2vecc import __version__
from doc2vecc.cli.compile import compile_
from doc2vecc.cli.demo import demo
from doc2vecc.cli.duplicates import duplicates
from doc2vecc.cli.embed import embed
from doc2vecc.cli.evaluate import evaluate
from doc2vecc.cli.explain import explain
from doc2vecc.cli.export import export
from doc2vecc.cli.index import index
from doc2vecc.cli.inspect import inspect
from doc2vecc.cli.map import map_
from doc2vecc.cli.options import with_quiet_option
from doc2vecc.cli.outliers import outliers
from doc2vecc.cli.search import search
from doc2vecc.cli.serve import serve
from doc2vecc.cli.similar import similar
from doc2vecc.cli.topics import topics
from doc2vecc.cli.train import train
from doc2vecc.cli.tune import tune
from doc2vecc.cli.update import update
from doc2vecc.cli.words import words
from doc2vecc.console import one_line, say, say_notes, shortened
from doc2vecc.errors import Doc2VecCError

MISTAKE = 2
BROKEN_PIPE = 1
LEARNING = ("train", "tune", "demo")

# What parsing raises; newer versions of Typer bring their own copy of click, so it is not imported from click.
_UsageError = next(kind for kind in typer.BadParameter.__mro__ if kind.__name__ == "UsageError")

app = typer.Typer(
    name="doc2vecc",
    epilog="Start with [bold]doc2vecc demo[/bold], or with [bold]doc2vecc train reviews.csv -o reviews.d2v[/bold]",
    rich_markup_mode="rich",
    context_settings={"help_option_names": ["-h", "--help"]},
)


@app.callback(invoke_without_command=True)
def _start(
    context: typer.Context, version: Annotated[bool, typer.Option("--version", help="Show the version.")] = False
) -> None:
    """Document vectors learned from your own text."""
    if version:
        typer.echo(f"doc2vecc {__version__}")
        raise typer.Exit
    if context.invoked_subcommand is None:
        typer.echo(context.get_help())


_COMMANDS = (
    *(train, tune, embed, similar, index, search, update, duplicates, outliers),
    *(words, explain, map_, topics, evaluate, inspect, export, serve, compile_, demo),
)
for _command in _COMMANDS:
    app.command(_command.__name__.removesuffix("_"))(with_quiet_option(_command))


class _Closed(io.TextIOBase):
    """Standard output where there is none: a command that writes nothing to it works, any other fails in one line."""

    @property
    def buffer(self) -> Self:
        """The same for bytes."""
        return self

    def write(self, _data: object) -> int:
        raise OSError(errno.EBADF, "standard output is closed; redirect it to a file, or to /dev/null")


def run(arguments: Sequence[str]) -> int:
    """Run one command -> exit code. Errors become messages here and nowhere else."""
    command = typer.main.get_command(app)
    if "_DOC2VECC_COMPLETE" in os.environ:  # the shell asks what could be typed next
        command(prog_name="doc2vecc")
    if sys.stdout is None:
        sys.stdout = _Closed()
    try:
        if hasattr(sys.stdout, "reconfigure"):
            sys.stdout.reconfigure(errors="replace")  # a terminal may lack a letter
        with command.make_context("doc2vecc", list(arguments)) as context:
            command.invoke(context)
        sys.stdout.flush()
        if cache := sys.modules.get("doc2vecc.kernels.base.cache"):  # kernels were used
            say_notes(cache.notes())
    except typer.Exit as request:
        return request.exit_code
    except BrokenPipeError:
        _close_stdout()
        return BROKEN_PIPE
    except Exception as error:
        message = _mistake(error, is_learning=next(iter(arguments), None) in LEARNING)
        if message is None:
            raise
        say(shortened("error: " + one_line(message)))
        try:
            sys.stdout.flush()
        except OSError:
            _close_stdout()
        return MISTAKE
    return 0


def _mistake(error: Exception, *, is_learning: bool) -> str | None:
    """Return the message for an error that the user can mend; None for a defect of the program."""
    if isinstance(error, Doc2VecCError):
        return str(error)
    if isinstance(error, _UsageError):
        path = error.ctx.command_path if error.ctx is not None else "doc2vecc"  # type: ignore[attr-defined]
        return f"{error.format_message().rstrip('.')}; see {path} --help"  # type: ignore[attr-defined]
    if isinstance(error, MemoryError):
        needed = getattr(error, "_total_size", None)  # of NumPy's
        more = f": {needed / 1e9:,.1f} GB more were needed" if needed else ""
        lower = "--vector-size, --window, --negative, --workers, --max-final-vocab or --max-ngrams"
        return f"there is not enough memory{more}; " + (f"lower {lower}" if is_learning else "pass less at once")
    if isinstance(error, OSError):
        where = f" {error.filename}" if error.filename else ""
        message = f"cannot write{where}: {error.strerror or error}"
        if error.errno == errno.ENOSPC:  # of a temporary file perhaps: the error of a write does not name its file
            folder = tempfile.gettempdir()
            place = Path(os.fsdecode(error.filename)).absolute() if error.filename else None
            if is_learning if place is None else Path(folder) in place.parents:
                message += f"; temporary files go to {folder}, or to TMPDIR"
        return message
    return None


def _close_stdout() -> None:
    """Discard what is still buffered for stdout; otherwise Python reports an error when it exits."""
    with Path(os.devnull).open("wb") as nowhere:
        os.dup2(nowhere.fileno(), sys.stdout.fileno())
