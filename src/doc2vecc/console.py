"""What a person sees: messages and progress on stderr, results as tables on stdout; numbers with their nouns."""

from __future__ import annotations

import os
import shlex
import shutil
import sys
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Protocol

from rich.console import Console
from rich.progress import BarColumn, Progress, ProgressColumn, SpinnerColumn, Task, TaskID, TextColumn
from rich.table import Column
from rich.text import Text

LONGEST_BAR = 40
WIDTH_OF_A_PIPE = 120
LONGEST_ERROR = 500

_drawn_on: list[Console] = []  # the console of the bar that is being drawn, if there is one


class Readable(Protocol):
    """Documents that are being read, and how much of them has been."""

    total_bytes: int | None

    def bytes_read(self) -> int:
        """Return how many of the ``total_bytes`` have been read."""


class ProgressListener(Protocol):
    """Is told how the work goes on."""

    def reading(self, documents: int) -> None:
        """So many more documents have been read."""

    def training(self, share: float, epoch: int, epochs: int, words_per_second: float, loss: float) -> None:
        """This share of the training is done."""


class Silent:
    """Says nothing."""

    def reading(self, documents: int) -> None:
        """So many more documents have been read."""

    def training(self, share: float, epoch: int, epochs: int, words_per_second: float, loss: float) -> None:
        """This share of the training is done."""


class ProgressBar:
    """Draws a bar on stderr."""

    def __init__(self, bar: Progress, documents: Readable | None = None) -> None:
        self._bar = bar
        self._documents = documents
        self._n_documents = 0
        self._total = None if documents is None else documents.total_bytes or None
        self._stage = "reading"
        self._task: TaskID = bar.add_task(self._stage, total=self._total, detail="")

    def reading(self, documents: int) -> None:
        """So many more documents have been read."""
        self._n_documents += documents
        completed = None
        if self._documents is not None and self._total is not None:
            completed = self._documents.bytes_read()
            if completed >= self._total:  # nobody knows how long the rest takes: the last documents, or compiling
                self._begin("working", None)
        self._bar.update(self._task, completed=completed, detail=counted(self._n_documents, "document"))

    def training(self, share: float, epoch: int, epochs: int, words_per_second: float, loss: float) -> None:
        """This share of the training is done."""
        self._begin("training", 1.0)
        detail = f"epoch {epoch}/{epochs}  {words_per_second / 1e6:.2f} M words/s  loss {loss:.3f}"
        self._bar.update(self._task, completed=share, detail=detail)

    def _begin(self, stage: str, total: float | None) -> None:
        """Draw the bar of this stage, unless it is drawn already."""
        if stage != self._stage:
            self._stage = stage
            self._bar.remove_task(self._task)
            self._task = self._bar.add_task(stage, total=total, detail="")


class TimesColumn(ProgressColumn):
    """The time that has passed and, if it can be known, the time that is left."""

    def render(self, task: Task) -> Text:
        """Show the times with their names: "elapsed 0:01  left 0:09"."""
        shown = f"elapsed {clock(task.elapsed or 0)}"
        left = task.time_remaining
        return Text(shown if left is None else f"{shown}  left {clock(left)}", style="progress.elapsed")


@contextmanager
def progress_bar(show: bool, documents: Readable | None = None) -> Iterator[ProgressListener]:
    """Give a listener that draws on stderr if ``show`` and stderr is a terminal, otherwise a silent one.

    With the documents that are to be read it knows how much of them is left.
    """
    console = Console(stderr=True)
    if not (show and console.is_terminal):
        yield Silent()
        return
    columns = (
        SpinnerColumn(),
        TextColumn("{task.description}"),
        BarColumn(bar_width=None, table_column=Column(max_width=LONGEST_BAR)),  # what the others leave of the line
        TextColumn("{task.fields[detail]}"),
        TimesColumn(table_column=Column(no_wrap=True)),
    )
    with Progress(*columns, console=console, transient=True) as bar, messages_above(console):
        yield ProgressBar(bar, documents)


@contextmanager
def messages_above(console: Console) -> Iterator[None]:
    """Let messages go through the console that draws a bar, so that they come above it."""
    _drawn_on.append(console)
    try:
        yield
    finally:
        _drawn_on.remove(console)


def message_console() -> Console:
    """Return a console for messages on stderr; while a bar is drawn, the one that puts them above it."""
    return _drawn_on[-1] if _drawn_on else Console(stderr=True)


def counted(number: int, noun: str) -> str:
    """Put a number before its noun: 1 -> "1 word", 2000 -> "2,000 words"."""
    return f"{number:,} {noun}" + ("" if number == 1 else "s")


def clock(seconds: float) -> str:
    """Write a time as on a clock: 9 -> "0:09", 3661 -> "1:01:01"."""
    minutes, rest = divmod(int(seconds), 60)
    hours, minutes = divmod(minutes, 60)
    return f"{hours}:{minutes:02}:{rest:02}" if hours else f"{minutes}:{rest:02}"


def say(message: str) -> None:
    """Write one line to stderr, above the progress bar if there is one."""
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
