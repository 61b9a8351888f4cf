"""Progress on stderr: a bar with words/s, loss and the time that is left; silent when nobody is looking."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Protocol

from rich.console import Console
from rich.progress import (
    BarColumn,
    Progress,
    SpinnerColumn,
    TaskID,
    TextColumn,
    TimeElapsedColumn,
    TimeRemainingColumn,
)


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

    def __init__(self, bar: Progress) -> None:
        self._bar = bar
        self._documents = 0
        self._task: TaskID = bar.add_task("reading", total=None, detail="")
        self._is_training = False

    def reading(self, documents: int) -> None:
        """So many more documents have been read."""
        self._documents += documents
        self._bar.update(self._task, detail=f"{self._documents:,} documents")

    def training(self, share: float, epoch: int, epochs: int, words_per_second: float, loss: float) -> None:
        """This share of the training is done."""
        if not self._is_training:
            self._is_training = True
            self._bar.remove_task(self._task)
            self._task = self._bar.add_task("training", total=1.0, detail="")
        detail = f"epoch {epoch}/{epochs}  {words_per_second / 1e6:.2f} M words/s  loss {loss:.3f}"
        self._bar.update(self._task, completed=share, detail=detail)


@contextmanager
def progress_bar(show: bool) -> Iterator[ProgressListener]:
    """Give a listener that draws on stderr if ``show`` and stderr is a terminal, otherwise a silent one."""
    console = Console(file=sys.stderr)
    if not (show and console.is_terminal):
        yield Silent()
        return
    with Progress(
        SpinnerColumn(),
        TextColumn("{task.description}"),
        BarColumn(),
        TextColumn("{task.fields[detail]}"),
        TimeElapsedColumn(),
        TimeRemainingColumn(),
        console=console,
        transient=True,
    ) as bar:
        yield ProgressBar(bar)
