"""The paper's values and ours in one table, with what was not run and why."""

import io
from collections import Counter

import pytest
from rich.console import Console

from doc2vecc_paper.cells import Summary
from doc2vecc_paper.published import IMDB_ERROR, WIKIPEDIA_ERROR
from doc2vecc_paper.tables import (
    Column,
    ResultTable,
    Row,
    Value,
    decimals,
    duration,
    markdown,
    published_row,
    rich_table,
)

GENERIC = "needs a model that is not published any more"
TABLE = ResultTable(
    "IMDB: error in %",
    (Column("include test"), Column("exclude test", decimals(1))),
    (
        published_row(IMDB_ERROR, "BOW", [Summary(12.5, None, 1), Summary(12.6, 0.04, 3)]),
        published_row(IMDB_ERROR, "RNN-LM", [None, None], GENERIC),
        published_row(IMDB_ERROR, "Skip-thought Vectors", [None, None], GENERIC),
        Row("ours | bigrams", (Value(None, Summary(8.041, 0.1, 2)), Value(None, None)), "not in the paper"),
    ),
    ("[bold] seeds are 0, 1, 2",),
)


def test_markdown():
    assert (
        markdown(TABLE)
        == r"""### IMDB: error in %

| method | include test, paper | include test, ours | exclude test, paper | exclude test, ours | seeds |
| --- | ---: | ---: | ---: | ---: | ---: |
| BOW | 12.53 | 12.50 | 12.6 | 12.6 ± 0.0 | 1 to 3 |
| RNN-LM (1) | 13.59 | not run | 13.6 | not run |  |
| Skip-thought Vectors (1) | – | not run | 17.4 | not run |  |
| ours \| bigrams (2) | – | 8.04 ± 0.10 | – | not run | 2 |

(1) needs a model that is not published any more

(2) not in the paper

[bold] seeds are 0, 1, 2
"""
    )


def printed(table, width=120):
    output = io.StringIO()
    Console(file=output, width=width).print(rich_table(table))
    return output.getvalue()


def test_the_terminal_shows_the_same():
    text = printed(TABLE)
    lines = [line.split() for line in text.splitlines()]
    assert ["BOW", "12.53", "12.50", "12.6", "12.6", "±", "0.0", "1", "to", "3"] in lines
    assert ["RNN-LM", "(1)", "13.59", "not", "run", "13.6", "not", "run"] in lines
    assert ["(1)", *GENERIC.split()] in lines
    assert "[bold] seeds are 0, 1, 2" in text
    assert text.count(GENERIC) == 1


def test_a_narrow_terminal_truncates_no_value():
    table = ResultTable("t", (Column(""),), (Row("a method of many words", (Value(12.34, Summary(56.78, 0.12, 3)),)),))
    text = printed(table, width=40)
    assert "12.34" in text
    assert "56.78 ± 0.12" in text


def test_the_widest_table_of_the_paper_fits_a_terminal():
    measured = [Summary(31.23, 0.12, 3)] * 4
    rows = tuple(published_row(WIKIPEDIA_ERROR, method, measured) for method in WIKIPEDIA_ERROR.rows)
    table = ResultTable("Wikipedia", tuple(map(Column, WIKIPEDIA_ERROR.columns)), rows)
    words = Counter(printed(table, width=80).split())
    assert words["31.23"] == words["0.12"] == 4 * 6
    assert words["3"] == 6
    assert words["36.03"] == 4
    assert words["paper"] == words["ours"] == 4
    assert words["seeds"] == 1


def test_brackets_are_no_markup():
    table = ResultTable("t [red]", (Column("[bold]"),), (Row("m [dim]", (Value(1, None),), "see [link]"),))
    text = printed(table)
    assert all(word in text for word in ("t [red]", "[bold], paper", "m [dim] (1)", "see [link]"))


def test_a_single_measure_needs_no_name():
    table = ResultTable("t", (Column(""),), (Row("m", (Value(1, None),)),))
    assert markdown(table).splitlines()[2] == "| method | paper | ours | seeds |"
    assert "()" not in printed(table)


def test_what_the_paper_does_not_measure_has_no_column_of_it():
    measured = Summary(2, None, 1)
    some = ResultTable("t", (Column("a"), Column("b")), (Row("m", (Value(1, measured), Value(None, measured))),))
    assert markdown(some).splitlines()[2] == "| method | a, paper | a, ours | b, ours | seeds |"
    assert markdown(some).splitlines()[4] == "| m | 1.00 | 2.00 | 2.00 | 1 |"
    none = ResultTable("t", (Column("a"), Column("b")), (Row("m", (Value(None, measured), Value(None, None))),))
    assert markdown(none).splitlines()[2] == "| method | a | b | seeds |"
    assert markdown(none).splitlines()[4] == "| m | 2.00 | not run | 1 |"


def test_a_row_with_too_few_values():
    with pytest.raises(ValueError, match="the row 'm' has 1 values, but the table has 2 columns; give one for each"):
        ResultTable("t", (Column("a"), Column("b")), (Row("m", (Value(1, None),)),))
    with pytest.raises(ValueError, match="argument 2 is shorter"):
        published_row(IMDB_ERROR, "BOW", [None])


def test_durations():
    written = {
        0: "0s",
        0.0123: "0.012s",
        7: "7s",
        2.5: "2.5s",
        9.96: "10s",
        59.7: "1m",
        203: "3m 23s",
        7261: "2h 1m 1s",
    }
    assert {seconds: duration(seconds) for seconds in written} == written


def test_what_is_not_planned_is_no_gap():
    row = Row.of("m", [None, None], [None, None]).without(1)
    lines = markdown(ResultTable("t", (Column("a"), Column("b")), (row,))).splitlines()
    assert lines[4] == "| m | not run | – |  |"
    measured = Row.of("m", [None, None], [None, Summary(2.0, None, 1)]).without(1)
    assert markdown(ResultTable("t", (Column("a"), Column("b")), (measured,))).splitlines()[4] == (
        "| m | not run | 2.00 | 1 |"
    )
