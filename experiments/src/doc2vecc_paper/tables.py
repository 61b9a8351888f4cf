"""The paper's figures and ours, side by side: for the terminal, and as Markdown.

method     include test, paper   include test, ours   seeds
BOW                      12.53              not run
Doc2VecC                 10.48         10.49 ± 0.05       3
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import NamedTuple

from rich import box
from rich.table import Table
from rich.text import Text

from doc2vecc_paper.cells import Summary
from doc2vecc_paper.published import PublishedTable

NOT_RUN = "not run"
NOT_GIVEN = "–"  # the paper has no such figure


def decimals(places: int) -> Callable[[float], str]:
    """Return how to write numbers with so many places: with 2, 12.1 -> "12.10"."""
    return lambda value: f"{value:,.{places}f}"


def duration(seconds: float) -> str:
    """Write a time as the paper does.

    >>> duration(270), duration(7), duration(0.25), duration(7200)
    ('4m 30s', '7s', '0.25s', '2h')
    """
    if seconds < 10:
        return f"{seconds:.2g}s"
    whole = round(seconds)
    parts = ((whole // 3600, "h"), (whole // 60 % 60, "m"), (whole % 60, "s"))
    return " ".join(f"{number}{unit}" for number, unit in parts if number)


class Column(NamedTuple):
    """A measure: what it is called, and how its numbers are written."""

    heading: str
    write: Callable[[float], str] = decimals(2)


class Figure(NamedTuple):
    """The paper's number and ours; None is what the paper does not give, or what was not run."""

    paper: float | None
    ours: Summary | None


class Row(NamedTuple):
    """A method, a figure for each column, and what must be known about it: a footnote."""

    method: str
    figures: tuple[Figure, ...]
    note: str | None = None


@dataclass(frozen=True)
class Comparison:
    """A table of the paper with our figures beside it; ``notes`` are said of the whole table."""

    title: str
    columns: tuple[Column, ...]
    rows: tuple[Row, ...]
    notes: tuple[str, ...] = ()

    def __post_init__(self) -> None:
        for row in self.rows:
            if len(row.figures) != len(self.columns):
                raise ValueError(
                    f"the row {row.method!r} has {len(row.figures)} figures, but the table has "
                    f"{len(self.columns)} columns; give one for each"
                )


def published_row(
    table: PublishedTable, method: str, ours: Sequence[Summary | None], note: str | None = None
) -> Row:
    """Put our figures, one for each column of the paper's table, beside those of the paper."""
    figures = [
        Figure(table.figure(method, column), summary) for column, summary in zip(table.columns, ours, strict=True)
    ]
    return Row(method, tuple(figures), note)


class _Grid(NamedTuple):
    """A table as nothing but text."""

    headings: list[str]
    rows: list[list[str]]
    footnotes: list[str]


def rich_table(comparison: Comparison) -> Table:
    """Lay the table out for a terminal, with the footnotes below it; 80 columns hold four measures."""
    grid = _grid(comparison)
    table = Table(
        title=Text(comparison.title, style="bold"),
        caption=Text("\n".join(grid.footnotes)) if grid.footnotes else None,
        box=box.SIMPLE_HEAD,
        collapse_padding=True,
        pad_edge=False,
        show_edge=False,
        title_justify="left",
        caption_justify="left",
    )
    for number, heading in enumerate(grid.headings):
        table.add_column(Text(heading), justify="right" if number else "left", overflow="fold")
    for row in grid.rows:
        table.add_row(*map(Text, row))
    return table


def markdown(comparison: Comparison) -> str:
    """Write the table as Markdown, with the title as a heading and the footnotes below it."""
    grid = _grid(comparison)
    rule = ["---", *["---:"] * (len(grid.headings) - 1)]
    lines = [f"### {comparison.title}", ""]
    lines += ["| " + " | ".join(map(_escaped, row)) + " |" for row in (grid.headings, rule, *grid.rows)]
    for footnote in grid.footnotes:
        lines += ["", _escaped(footnote)]
    return "\n".join(lines) + "\n"


def _grid(comparison: Comparison) -> _Grid:
    """Write all cells; a column of which the paper has no figure at all is ours alone."""
    are_published = [
        any(row.figures[place].paper is not None for row in comparison.rows)
        for place in range(len(comparison.columns))
    ]
    headings = ["method"]
    for column, is_published in zip(comparison.columns, are_published, strict=True):
        owners = ("paper", "ours") if is_published else ("ours",) if any(are_published) else ("",)
        headings += [", ".join(filter(None, (column.heading, owner))) for owner in owners]
    numbers: dict[str, int] = {}  # of the footnotes: what is said of several rows is said once
    rows = []
    for row in comparison.rows:
        mark = f" ({numbers.setdefault(row.note, len(numbers) + 1)})" if row.note else ""
        cells = [row.method + mark]
        for column, figure, is_published in zip(comparison.columns, row.figures, are_published, strict=True):
            cells += [_paper(figure.paper, column)] if is_published else []
            cells.append(_ours(figure.ours, column))
        rows.append([*cells, _seeds(row)])
    footnotes = [f"({number}) {note}" for note, number in numbers.items()]
    return _Grid([*headings, "seeds"], rows, [*footnotes, *comparison.notes])


def _paper(value: float | None, column: Column) -> str:
    return NOT_GIVEN if value is None else column.write(value)


def _ours(summary: Summary | None, column: Column) -> str:
    if summary is None:
        return NOT_RUN
    spread = "" if summary.spread is None else f" ± {column.write(summary.spread)}"
    return column.write(summary.mean) + spread


def _seeds(row: Row) -> str:
    """Return over how many seeds our figures are: "3", or "1 to 3" where the columns differ."""
    counts = sorted({figure.ours.n for figure in row.figures if figure.ours is not None})
    return " to ".join(map(str, counts[:: max(len(counts) - 1, 1)]))


def _escaped(text: str) -> str:
    return text.replace("|", r"\|")
