"""Progress on stderr: a bar with words/s, loss and the time that is left; silent when nobody is looking."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING, Protocol

from rich.console import Console
from rich.progress import BarColumn, Progress, ProgressColumn, SpinnerColumn, Task, TaskID, TextColumn
from rich.table import Column
from rich.text import Text

if TYPE_CHECKING:
    from doc2vecc.corpus.sources import TextBatches

LONGEST_BAR = 40

_drawn_on: list[Console] = []  # the console of the bar that is being drawn, if there is one


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

    def __init__(self, bar: Progress, documents: TextBatches | None = None) -> None:
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
def progress_bar(show: bool, documents: TextBatches | None = None) -> Iterator[ProgressListener]:
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
