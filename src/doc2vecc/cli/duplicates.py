"""``doc2vecc duplicates``: documents that are nearly the same."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, Annotated, Any

import typer

from doc2vecc.cli.options import (
    Inputs,
    ModelFolder,
    ReadingOptions,
    Tokenizer,
    Workers,
    with_reading_options,
    with_tokenizer_options,
)
from doc2vecc.cli.results import LONGEST_CELL, OutputFormat, check_kind, write_records
from doc2vecc.console import counted, notify_on_compile, one_line, progress_bar, say, say_notes, shortened, stdout
from doc2vecc.tables import print_table

if TYPE_CHECKING:
    from doc2vecc.search.comparing import Pair
    from doc2vecc.search.reading import ComparedDocuments

SHOWN_GROUPS = 20
SHOWN_MEMBERS = 5

IdColumn = Annotated[
    str | None, typer.Option(metavar="NAME", help="Column with document ids.", show_default="row numbers from 0")
]


@with_tokenizer_options
@with_reading_options
def duplicates(
    model: ModelFolder,
    tokenizer: Tokenizer | None,
    inputs: Inputs,
    reading: ReadingOptions,
    above: Annotated[float, typer.Option(min=0, max=1, help="Minimum similarity of duplicates.")] = 0.95,
    pairs: Annotated[bool, typer.Option("--pairs", help="Show pairs instead of groups.")] = False,
    id_column: IdColumn = None,
    output_format: OutputFormat = "table",
    workers: Workers = None,
) -> None:
    """Find documents with nearly the same words, in any order.

    Pairs that share a document form a group; the table shows the similarity to the first document of the group. If the
    input is a parquet file written by embed, its vectors are used.

    Example: [bold]doc2vecc duplicates reviews.d2v reviews.csv --above 0.98[/bold]
    Example: [bold]doc2vecc duplicates reviews.d2v reviews.csv --pairs --output-format csv[/bold]
    """
    check_kind(output_format)

    from doc2vecc.search.comparing import duplicate_pairs, groups_of
    from doc2vecc.search.reading import read_for_comparison
    from doc2vecc.storage import load

    with notify_on_compile(), progress_bar(True) as progress:
        documents = read_for_comparison(load(model, tokenizer), inputs, reading, id_column, workers, progress)
        found = duplicate_pairs(documents.vectors, above, progress)
    groups = groups_of(found)
    if output_format != "table":
        write_records(_pair_records(found, documents) if pairs else _group_records(groups, documents), output_format)
    elif pairs:
        _print_pairs(found, documents)
    else:
        _print_groups(groups, documents)
    n_copies = sum(len(group) - 1 for group in groups)
    say(
        f"{counted(len(groups), 'group')} of duplicates in {counted(len(documents.ids), 'document')}; "
        f"removing {n_copies:,} of them leaves no duplicates"
    )
    say_notes(documents.messages)


def _pair_records(found: list[Pair], documents: ComparedDocuments) -> Iterator[dict[str, Any]]:
    ids, texts = documents.ids, documents.texts
    for first, second, similarity in found:
        yield {
            "similarity": round(similarity, 6),
            "first": ids[first],
            "second": ids[second],
            "first_text": texts[first],
            "second_text": texts[second],
        }


def _group_records(groups: list[list[int]], documents: ComparedDocuments) -> Iterator[dict[str, Any]]:
    for number, group in enumerate(groups, start=1):
        for row, similarity in zip(group, documents.similarities(group), strict=True):
            yield {
                "group": number,
                "id": documents.ids[row],
                "similarity": round(similarity, 6),
                "text": documents.texts[row],
            }


def _print_pairs(found: list[Pair], documents: ComparedDocuments) -> None:
    shown = sorted(found, key=lambda pair: -pair.similarity)[: SHOWN_GROUPS * SHOWN_MEMBERS]
    rows = [
        [f"{similarity:.3f}", _cell(documents.ids[first]), _cell(documents.ids[second]), documents.texts[first]]
        for first, second, similarity in shown
    ]
    print_table(stdout(), ["similarity", "first", "second", "text of the first"], rows, right=["similarity"])
    if len(found) > len(shown):
        say(f"showing {len(shown)} of {len(found):,} pairs; --output-format jsonl or csv prints all")


def _print_groups(groups: list[list[int]], documents: ComparedDocuments) -> None:
    rows = []
    for number, group in enumerate(groups[:SHOWN_GROUPS], start=1):
        members = zip(group, documents.similarities(group[:SHOWN_MEMBERS]), strict=False)
        rows += [
            [str(number), str(len(group)), f"{one:.3f}", _cell(documents.ids[row]), documents.texts[row]]
            for row, one in members
        ]
    headings = ["group", "size", "similarity", "id", "text"]
    print_table(stdout(), headings, rows, right=headings[:3])
    if len(groups) > SHOWN_GROUPS or any(len(group) > SHOWN_MEMBERS for group in groups):
        say(
            f"showing at most {SHOWN_MEMBERS} documents each of {min(SHOWN_GROUPS, len(groups))} groups; "
            "--output-format jsonl or csv prints all"
        )


def _cell(value: object) -> str:
    return shortened(one_line(str(value)), LONGEST_CELL)
