"""What a person sees: messages and progress on stderr, results on stdout, counts with their nouns."""

import os
import sys
import warnings
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any, Protocol

from doc2vecc.errors import CorpusWarning
from doc2vecc.heartbeat import Heartbeat, training_detail
from doc2vecc.notebook import NotebookBar, is_notebook

if TYPE_CHECKING:  # imported where something is drawn
    from rich.console import Console
    from rich.live import Live
    from rich.progress import Progress

LONGEST_BAR = 40
WIDTH_OF_A_PIPE = 120
LONGEST_ERROR = 500
COMPILING = "compiling what this step needs, once on this machine; some seconds"

_drawn: "list[Progress | Live]" = []  # the progress bar or table, while there is one
_told: list[str] = []  # what is said once in a process
_quiet: list[bool] = []  # not empty: only results, notes and errors are written


class Readable(Protocol):
    """Documents that are being read, and how many of their bytes have been."""

    total_bytes: int | None

    def bytes_read(self) -> int:
        """Return how many of the ``total_bytes`` have been read."""


class ProgressListener:
    """Receives the progress of the work."""

    def reading(self, documents: int) -> None:
        """So many more documents have been read."""

    def training(self, share: float, epoch: int, epochs: int, words_per_second: float, loss: float) -> None:
        """This share of the training is done."""

    def working(self, stage: str, share: float) -> None:
        """This share of another stage is done."""


class Silent(ProgressListener):
    """Shows no progress."""


class ProgressBar(ProgressListener):
    """Draws a bar, on stderr or in a notebook."""

    def __init__(
        self, bar: "Progress | NotebookBar", documents: Readable | None = None, stage: str = "reading"
    ) -> None:
        self._bar: Any = bar
        self._documents, self._n_documents, self._stage = documents, 0, stage
        self._total = None if documents is None else documents.total_bytes or None
        self._task: Any = self._bar.add_task(self._stage, total=self._total, detail="")

    def reading(self, documents: int) -> None:
        """So many more documents have been read."""
        self._n_documents += documents
        completed = None
        if self._documents is not None and self._total is not None:
            completed = self._documents.bytes_read()
            if completed >= self._total:  # the rest takes an unknown time: the last documents, or compiling
                self._begin("working", None)
        self._bar.update(self._task, completed=completed, detail=counted(self._n_documents, "document"))

    def training(self, share: float, epoch: int, epochs: int, words_per_second: float, loss: float) -> None:
        """This share of the training is done."""
        self._begin("training", 1.0)
        self._bar.update(self._task, completed=share, detail=training_detail(epoch, epochs, words_per_second, loss))

    def working(self, stage: str, share: float) -> None:
        """This share of another stage is done."""
        self._begin(stage, 1.0)
        self._bar.update(self._task, completed=share)

    def _begin(self, stage: str, total: float | None) -> None:
        """Start the bar of this stage, unless it is shown already."""
        if stage != self._stage:
            self._stage = stage
            self._bar.remove_task(self._task)
            self._task = self._bar.add_task(stage, total=total, detail="")


class ProgressLines(ProgressListener):
    """Writes a line on stderr from time to time."""

    def __init__(self, heartbeat: Heartbeat, documents: Readable | None = None, stage: str = "reading") -> None:
        self._heartbeat, self._documents, self._n_documents, self._stage = heartbeat, documents, 0, stage

    def reading(self, documents: int) -> None:
        """So many more documents have been read."""
        self._n_documents += documents
        total = self._documents.total_bytes if self._documents is not None else None
        share = self._documents.bytes_read() / total if self._documents is not None and total else 0.0
        # What comes after the last byte takes an unknown time.
        stage, share = (self._stage, share) if share < 1 else ("working", 0.0)
        self._heartbeat.update(stage, share, counted(self._n_documents, "document"))

    def training(self, share: float, epoch: int, epochs: int, words_per_second: float, loss: float) -> None:
        """This share of the training is done."""
        self._heartbeat.update("training", share, training_detail(epoch, epochs, words_per_second, loss))

    def working(self, stage: str, share: float) -> None:
        """This share of another stage is done."""
        self._heartbeat.update(stage, share)


@contextmanager
def progress_bar(show: bool, documents: Readable | None = None, stage: str = "reading") -> Iterator[ProgressListener]:
    """Give a listener that draws in a notebook or on stderr; if that is no terminal, it writes a line every 30 seconds.

    With ``documents``, it shows how many of them are left; ``stage`` names what is done while they are read.
    """
    if show and not _quiet and is_notebook():
        shown = NotebookBar()
        yield ProgressBar(shown, documents, stage)
        shown.finish()
        return
    if not show or _quiet:
        yield Silent()
        return
    from rich import progress as bars
    from rich.console import Console
    from rich.table import Column

    console = Console(stderr=True)
    if not console.is_terminal:
        with Heartbeat(say) as heartbeat:
            yield ProgressLines(heartbeat, documents, stage)
        return
    columns = (
        bars.SpinnerColumn(),
        bars.TextColumn("{task.description}"),
        bars.BarColumn(bar_width=None, table_column=Column(max_width=LONGEST_BAR)),  # what the others leave of the line
        bars.TextColumn("{task.fields[detail]}  elapsed"),
        bars.TimeElapsedColumn(table_column=Column(no_wrap=True)),
        bars.TextColumn("left"),
        bars.TimeRemainingColumn(table_column=Column(no_wrap=True)),
    )
    with bars.Progress(*columns, console=console, transient=True) as bar, messages_above(bar):
        yield ProgressBar(bar, documents, stage)


@contextmanager
def messages_above(drawn: "Progress | Live") -> Iterator[None]:
    """Print messages through the console that draws, so that they appear above what it draws."""
    _drawn.append(drawn)
    try:
        yield
    finally:
        _drawn.remove(drawn)


def counted(number: int, noun: str) -> str:
    """Put a number before its noun: 1 -> "1 word", 2000 -> "2,000 words"."""
    return f"{number:,} {noun}" + ("" if number == 1 else "s")


def zero_vectors_message(zero: int, documents: int) -> list[str]:
    """Return a message if some of the documents have zero vectors: (2, 5) -> ["2 of 5 documents have ..."]."""
    remedy = " (are these the texts that you mean?)" if zero == documents else ""
    return [f"{zero:,} of {documents:,} documents have no known word: zero vectors{remedy}"] if zero else []


@contextmanager
def quietly(quiet: bool = True) -> Iterator[None]:
    """Write neither messages nor progress meanwhile; notes and errors are written."""
    _quiet[:] = [True] if quiet else []
    try:
        yield
    finally:
        _quiet.clear()


def is_quiet() -> bool:
    """Return whether only results, notes and errors are written."""
    return bool(_quiet)


def say(message: str) -> None:
    """Write one line to stderr, above the progress bar or table if there is one."""
    if not _quiet:
        _write(message)


def _write(message: str) -> None:
    from rich.console import Console
    from rich.text import Text

    console = _drawn[-1].console if _drawn else Console(stderr=True)
    console.print(Text(_printable(message)), soft_wrap=True)


def say_notes(messages: Iterable[str]) -> None:
    """Write notes to stderr, a line each."""
    for message in messages:
        _write(f"note: {message}")


@contextmanager
def paused() -> Iterator[None]:
    """Stop drawing meanwhile, to ask something."""
    for one in _drawn[-1:]:
        one.stop()
    yield
    for one in _drawn[-1:]:
        one.start()


def warn(messages: list[str]) -> None:
    """Issue one warning with all messages, at the line of the user's own code."""
    if not messages:
        return
    level, frame = 1, sys._getframe()
    while frame.f_back and frame.f_globals.get("__name__", "").partition(".")[0] in {"doc2vecc", "sklearn"}:
        level, frame = level + 1, frame.f_back
    warnings.warn("; ".join(messages), CorpusWarning, stacklevel=level)


@contextmanager
def notify_on_compile() -> Iterator[None]:
    """Write once why the first run is slow, if Numba compiles a kernel; kernels from the cache are silent."""
    from numba.core import event

    class Notifier(event.Listener):  # type: ignore[misc]
        def on_start(self, _event: event.Event) -> None:
            if not _told:
                _told.append(COMPILING)
                say(COMPILING)

        def on_end(self, _event: event.Event) -> None:
            pass

    with event.install_listener("numba:compile", Notifier()):
        yield


def stdout() -> "Console":
    """Return a console for results; in a file or pipe, lines are long and without color."""
    from rich.console import Console

    width = None if sys.stdout.isatty() or "COLUMNS" in os.environ else WIDTH_OF_A_PIPE
    return Console(width=width, highlight=False, emoji=False, markup=False)


def one_line(text: str) -> str:
    r"""Put a text on one line, without control characters: "a\n\x1b[2Jb" -> "a [2Jb"."""
    return _printable(" ".join(text.split()))


def _printable(text: str) -> str:
    return "".join(character if character.isprintable() else " " for character in text)


def shortened(text: str, length: int = LONGEST_ERROR) -> str:
    """Cut out the middle of a long text; an error has the value at the start and the remedy at the end."""
    half = (length - len(" ... ")) // 2
    return text if len(text) <= length else f"{text[:half]} ... {text[-half:]}"
