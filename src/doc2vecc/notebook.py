"""What a notebook shows: tables, words colored by their share in a similarity, the progress of the work."""

import builtins
import time
from collections.abc import Iterable
from datetime import timedelta
from html import escape

_GREEN, _RED = "46, 160, 67", "218, 54, 51"
_REDRAW_EVERY = 0.25  # seconds; each drawing is a message to the browser


def table_html(rows: Iterable[tuple[str, str]]) -> str:
    """Make a table of two columns.

    >>> table_html([("words", "<2>")])
    '<table><tr><th style="text-align:left">words</th><td style="text-align:left">&lt;2&gt;</td></tr></table>'
    """
    cell = 'style="text-align:left"'
    lines = (f"<tr><th {cell}>{escape(name)}</th><td {cell}>{escape(value)}</td></tr>" for name, value in rows)
    return f"<table>{''.join(lines)}</table>"


def colored_words_html(words: Iterable[tuple[str, float]], largest: float) -> str:
    """Color words by their share, of which ``largest`` has the full color: green what adds, red what takes away.

    >>> colored_words_html([("dull", 0.4)], 0.4)
    '<span title="+0.400" style="background:rgba(46, 160, 67, 0.60)">dull</span>'
    """
    spans = []
    for word, share in words:
        strength = 0.6 * abs(share) / largest if largest else 0.0
        color = f"rgba({_GREEN if share > 0 else _RED}, {strength:.2f})"
        spans.append(f'<span title="{share:+.3f}" style="background:{color}">{escape(word)}</span>')
    return " ".join(spans)


def is_notebook() -> bool:
    """Tell whether cells show what is displayed: in Jupyter, VS Code or Colab, not in IPython at a terminal."""
    shell = getattr(builtins, "get_ipython", lambda: None)()
    return shell is not None and hasattr(shell, "kernel")


class NotebookBar:
    """One progress bar in the output of a cell, drawn again in its place; it is used like Rich's, by one thread.

    Rich's own bar needs ipywidgets, which many notebooks do not have.
    """

    def __init__(self) -> None:
        from IPython.display import display

        self._stage, self._detail = "", ""
        self._total: float | None = None
        self._completed = 0.0
        self._started_at = self._begun_at = self._drawn_at = time.monotonic()
        self._shown = display({"text/plain": "", "text/html": ""}, raw=True, display_id=True)

    def add_task(self, stage: str, total: float | None, detail: str) -> int:
        """Begin a stage of the work; there is one at a time."""
        self._stage, self._total, self._detail, self._completed = stage, total, detail, 0.0
        self._begun_at = time.monotonic()
        self._draw()
        return 0

    def remove_task(self, _task: int) -> None:
        """The stage is over; the next one takes its place."""

    def update(self, _task: int, completed: float | None = None, detail: str | None = None) -> None:
        """Note how far the stage is."""
        self._completed = self._completed if completed is None else completed
        self._detail = self._detail if detail is None else detail
        if time.monotonic() - self._drawn_at >= _REDRAW_EVERY:
            self._draw()

    def finish(self) -> None:
        """Leave what the last stage came to."""
        self._draw()

    def _draw(self) -> None:
        self._drawn_at = now = time.monotonic()
        share = min(self._completed / self._total, 1.0) if self._total else None
        words = [self._stage, self._detail, f"{_seconds(now - self._started_at)} elapsed"]
        if share and share < 1:
            words.append(f"{_seconds((now - self._begun_at) * (1 - share) / share)} left")
        line = ", ".join(filter(None, words))
        value = "" if share is None else f' value="{share:.3f}"'
        html = f'<progress{value} style="width:12em;vertical-align:middle"></progress> <code>{escape(line)}</code>'
        percent = "" if share is None else f"{share:.0%} "
        self._shown.update({"text/plain": percent + line, "text/html": html}, raw=True)


def _seconds(seconds: float) -> str:
    """Write a time: 75.4 -> "0:01:15"."""
    return str(timedelta(seconds=round(seconds)))
