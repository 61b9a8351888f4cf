"""The paper's values and ours, side by side: for the terminal, and as Markdown.

method     include test, paper   include test, ours   seeds
BOW                      12.53              not run
Doc2VecC                 10.48         10.49 ± 0.05       3
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from typing import NamedTuple

from rich import box
from rich.table import Table
from rich.text import Text

from doc2vecc_paper.cells import Summary
from doc2vecc_paper.published import PublishedTable

NOT_RUN = "not run"
NOT_GIVEN = "–"  # the paper has no such value


def decimals(places: int) -> Callable[[float], str]:
    """Return a function that writes numbers with so many decimal places: with 2, 12.1 -> "12.10"."""
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
    """A measure: its heading, and how its values are written."""

    heading: str
    write: Callable[[float], str] = decimals(2)


class Value(NamedTuple):
    """The paper's value and ours; None if the paper does not give it, or if it was not run."""

    paper: float | None
    ours: Summary | None
    is_planned: bool = True


class Row(NamedTuple):
    """A method, a value for each column, and a footnote."""

    method: str
    values: tuple[Value, ...]
    note: str | None = None

    @classmethod
    def of(
        cls, method: str, paper: Iterable[float | None], ours: Iterable[Summary | None], note: str | None = None
    ) -> Row:
        """Put our values, one for each column, beside those of the paper."""
        return cls(method, tuple(Value(*pair) for pair in zip(paper, ours, strict=True)), note)

    def without(self, *places: int) -> Row:
        """Mark values that the experiment does not measure: without a value they are no gap."""
        marked = (value._replace(is_planned=place not in places) for place, value in enumerate(self.values))
        return self._replace(values=tuple(marked))


@dataclass(frozen=True)
class ResultTable:
    """A table of the paper with our values beside it; ``notes`` are about the whole table."""

    title: str
    columns: tuple[Column, ...]
    rows: tuple[Row, ...]
    notes: tuple[str, ...] = ()

    def __post_init__(self) -> None:
        for row in self.rows:
            if len(row.values) != len(self.columns):
                raise ValueError(
                    f"the row {row.method!r} has {len(row.values)} values, but the table has "
                    f"{len(self.columns)} columns; give one for each"
                )


def published_row(table: PublishedTable, method: str, ours: Sequence[Summary | None], note: str | None = None) -> Row:
    """Put our values beside the row of the paper's table."""
    return Row.of(method, [table.value(method, column) for column in table.columns], ours, note)


class _Grid(NamedTuple):
    """The text of every cell of a table."""

    headings: list[str]
    rows: list[list[str]]
    footnotes: list[str]


def rich_table(result: ResultTable) -> Table:
    """Lay the table out for a terminal, with the footnotes below it; 80 columns hold four measures."""
    grid = _grid(result)
    table = Table(
        title=Text(result.title, style="bold"),
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


def markdown(table: ResultTable) -> str:
    """Write the table as Markdown, with the title as a heading and the footnotes below it."""
    grid = _grid(table)
    rule = ["---", *["---:"] * (len(grid.headings) - 1)]
    lines = [f"### {table.title}", ""]
    lines += ["| " + " | ".join(map(_escaped, row)) + " |" for row in (grid.headings, rule, *grid.rows)]
    for footnote in grid.footnotes:
        lines += ["", _escaped(footnote)]
    return "\n".join(lines) + "\n"


def _grid(table: ResultTable) -> _Grid:
    """Write all cells; a column without any value of the paper has only ours."""
    are_published = [
        any(row.values[place].paper is not None for row in table.rows) for place in range(len(table.columns))
    ]
    headings = ["method"]
    for column, is_published in zip(table.columns, are_published, strict=True):
        owners = ("paper", "ours") if is_published else ("ours",) if any(are_published) else ("",)
        headings += [", ".join(filter(None, (column.heading, owner))) for owner in owners]
    numbers: dict[str, int] = {}  # of the footnotes; rows with the same note share one
    rows = []
    for row in table.rows:
        sign = f" ({numbers.setdefault(row.note, len(numbers) + 1)})" if row.note else ""
        cells = [row.method + sign]
        for column, value, is_published in zip(table.columns, row.values, are_published, strict=True):
            cells += [_paper(value.paper, column)] if is_published else []
            cells.append(_ours(value, column))
        rows.append([*cells, _seeds(row)])
    footnotes = [f"({number}) {note}" for note, number in numbers.items()]
    return _Grid([*headings, "seeds"], rows, [*footnotes, *table.notes])


def _paper(value: float | None, column: Column) -> str:
    return NOT_GIVEN if value is None else column.write(value)


def _ours(value: Value, column: Column) -> str:
    summary = value.ours
    if summary is None:
        return NOT_RUN if value.is_planned else NOT_GIVEN
    spread = "" if summary.spread is None else f" ± {column.write(summary.spread)}"
    return column.write(summary.mean) + spread


def _seeds(row: Row) -> str:
    """Return the number of seeds of our values: "3", or "1 to 3" where the columns differ."""
    counts = sorted({value.ours.n for value in row.values if value.ours is not None})
    return " to ".join(map(str, counts[:: max(len(counts) - 1, 1)]))


def _escaped(text: str) -> str:
    return text.replace("|", r"\|")
