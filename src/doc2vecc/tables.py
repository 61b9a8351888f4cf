"""Tables: aligned columns on stdout, and rows that change on stderr."""

from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager

from rich.console import Console, Group
from rich.live import Live
from rich.text import Text

from doc2vecc.console import is_quiet, messages_above, one_line, say
from doc2vecc.heartbeat import Heartbeat

NARROWEST = 8  # a column that gives room to the last one


def print_table(
    console: Console,
    headings: Sequence[str],
    rows: Iterable[Sequence[str | Text]],
    *,
    right: Sequence[str] = (),
    least: int = 0,
) -> None:
    """Print aligned columns; those named in ``right`` are aligned right, the last one is cut to the width.

    The last column keeps a width of ``least``: in a narrow terminal, the widest of the others are cut for it.

    A cell that is a `Text`, of one line, keeps its styles. Rich's own tables cut the columns before a long last one.
    """
    for line in _table_lines(console, headings, rows, right, least):
        console.print(line, no_wrap=True)


@contextmanager
def live_table(
    headings: Sequence[str], *, right: Sequence[str] = ()
) -> Iterator[Callable[[Iterable[Sequence[str]], str], None]]:
    """Give a function that draws rows and a line below them on stderr; without a terminal, it writes the line."""
    console = Console(stderr=True, highlight=False)
    if is_quiet():
        yield lambda _rows, _line: None
    elif not console.is_terminal:
        with Heartbeat(say) as heartbeat:
            yield lambda _rows, line: heartbeat.update("tuning", 0.0, line)
    else:
        with Live(console=console, transient=True, vertical_overflow="crop") as live, messages_above(live):
            yield lambda rows, line: live.update(
                Group(*_table_lines(console, headings, rows, right), Text(line)), refresh=True
            )


def _table_lines(
    console: Console,
    headings: Sequence[str],
    rows: Iterable[Sequence[str | Text]],
    right: Sequence[str],
    least: int = 0,
) -> list[Text]:
    cells = [[Text(heading, style="bold") for heading in headings]]
    cells += [[cell if isinstance(cell, Text) else Text(one_line(cell)) for cell in row] for row in rows]
    widths = [max(cell.cell_len for cell in column) for column in zip(*cells, strict=True)]
    *narrowed, _ = _fitted(widths, console.width, least) if least else widths
    lines = []
    for row in cells:
        for cell, width in zip(row, narrowed, strict=False):
            cell.truncate(width, overflow="ellipsis")
        for heading, cell, width in zip(headings, row, [*narrowed, widths[-1]], strict=True):
            cell.align("right" if heading in right else "left", width)
        line = Text("  ").join(row)
        line.rstrip()
        line.truncate(console.width, overflow="ellipsis")
        lines.append(line)
    return lines


def _fitted(widths: list[int], available: int, least: int) -> list[int]:
    """Make the widest columns narrower until the last one has its least width: [3, 40, 90] of 60 -> [3, 23, 90]."""
    *others, last = widths
    room = available - 2 * len(others) - min(last, least)
    while sum(others) > room and max(others) > NARROWEST:
        others[others.index(max(others))] -= 1
    return [*others, last]
