"""Heartbeat: a line about long work every 30 seconds, for logs, pipes and other places without a progress bar."""

import threading
import time
from collections.abc import Callable
from typing import Self

SECONDS = 30.0  # between two lines


class Heartbeat:
    """Says from time to time what is being done and how long it will take; short work says nothing.

    A thread of its own speaks, because some stages report nothing while they last.
    """

    def __init__(self, say: Callable[[str], None], seconds: float = SECONDS) -> None:
        self._say, self._seconds = say, seconds
        self._stage, self._share, self._detail, self._began = "", 0.0, "", time.monotonic()
        self._is_over = threading.Event()
        self._thread = threading.Thread(target=self._run, name="heartbeat", daemon=True)

    def __enter__(self) -> Self:
        self._thread.start()
        return self

    def __exit__(self, *_: object) -> None:
        self._is_over.set()
        self._thread.join()

    def update(self, stage: str, share: float, detail: str = "") -> None:
        """This share of a stage is done; 0 if that is not known."""
        if stage != self._stage:
            self._stage, self._began = stage, time.monotonic()
        self._share, self._detail = share, detail

    def _run(self) -> None:
        while not self._is_over.wait(self._seconds):
            self._say(line(self._stage, self._share, self._detail, time.monotonic() - self._began))


def line(stage: str, share: float, detail: str, seconds: float) -> str:
    """Write a line about a stage that began so many seconds ago.

    >>> line("training", 0.25, "epoch 2/8", 60.0)
    'training: 25 %, epoch 2/8, 1:00 elapsed, about 3:00 left'
    >>> line("naming areas", 0.0, "", 30.0)
    'naming areas: 0:30 elapsed'
    """
    parts = [f"{share:.0%}".replace("%", " %")] if share > 0 else []
    parts += [detail] if detail else []
    parts.append(f"{clock(seconds)} elapsed")
    parts += [f"about {clock(seconds * (1 - share) / share)} left"] if share > 0 else []
    return f"{stage or 'working'}: {', '.join(parts)}"


def training_detail(epoch: int, epochs: int, words_per_second: float, loss: float) -> str:
    """Say where a training stands: "epoch 2/8, 1.20 M words/s, loss 2.345"."""
    return f"epoch {epoch}/{epochs}, {words_per_second / 1e6:.2f} M words/s, loss {loss:.3f}"


def clock(seconds: float) -> str:
    """Write a time span as a clock does.

    >>> clock(75), clock(3725)
    ('1:15', '1:02:05')
    """
    minutes, rest = divmod(round(seconds), 60)
    hours, minutes = divmod(minutes, 60)
    return f"{hours}:{minutes:02}:{rest:02}" if hours else f"{minutes}:{rest:02}"
