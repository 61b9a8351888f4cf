"""``doc2vecc search``: the documents of an index that are nearest to a query."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer
from rich.text import Text

from doc2vecc.cli.options import Nearest, Tokenizer, UserError, with_tokenizer_options
from doc2vecc.cli.results import LONGEST_CELL, check_kind, write_records
from doc2vecc.console import notify_on_compile, one_line, say_notes, shortened, stdout
from doc2vecc.errors import UnknownWordError
from doc2vecc.tables import print_table

if TYPE_CHECKING:
    from doc2vecc.search import Hits

LONGEST_COLUMN = 60  # characters of an id or a title
LEAST_TEXT = 30  # characters of the passage, also in a narrow terminal
MOST_NAMED = 10  # words that are not in the vocabulary

IndexFolder = Annotated[
    Path, typer.Argument(metavar="INDEX", help="Folder made by doc2vecc index.", show_default=False)
]


@with_tokenizer_options
def search(
    index: IndexFolder,
    tokenizer: Tokenizer | None,
    query: Annotated[
        list[str] | None, typer.Argument(metavar="[TEXT]...", help="Texts to search for.", show_default=False)
    ] = None,
    queries: Annotated[
        str | None,
        typer.Option(metavar="FILE", help="File of texts to search for, one per line of a txt file; - is stdin."),
    ] = None,
    k: Nearest = 10,
    output_format: Annotated[
        str, typer.Option("--format", "--output-format", metavar="KIND", help="Print a table, jsonl or csv.")
    ] = "table",
    exact: Annotated[bool, typer.Option("--exact", help="Compare with all documents, even in a large index.")] = False,
) -> None:
    """Find documents by meaning; show the words and the passage that contribute most.

    Each word has a share of the score; the shares of all words of a document add up to it.

    Each TEXT is a query of its own; put one of several words in quotes.

    Example: [bold]doc2vecc search reviews.index "a moving story" -k 5[/bold]
    Example: [bold]doc2vecc search reviews.index --queries reviews.txt -k 1 --format jsonl[/bold]
    """
    check_kind(output_format)
    texts = [*(query or []), *(_read_queries(queries) if queries is not None else [])]
    if not texts:
        raise UserError("there is no text to search for; give one, or a file of them with --queries")

    from doc2vecc.search import SearchIndex

    loaded = SearchIndex.load(index, tokenizer=tokenizer)
    with notify_on_compile():
        found = loaded.search(texts, k, exact=exact)
    unknown = [hits.query for hits in found if hits.known_words == 0]
    if len(unknown) == len(found):
        raise UnknownWordError(f"no word of the query {unknown[0]!r} is in the vocabulary; try other words")
    if output_format == "table":
        _print_hits(found, loaded.columns)
    else:
        write_records(_records(found), output_format)
    say_notes(f"no word of the query {one!r} is in the vocabulary: no hits" for one in unknown)
    partly = dict.fromkeys(
        word for hits in found if hits.known_words for word in loaded.model.unknown_words(hits.query)
    )
    if partly:
        say_notes([f"not in the vocabulary: {_listed(list(partly))}"])
    if query is not None and len(query) > 1 and not any(" " in one.strip() for one in query):
        say_notes([f"{len(query)} queries; for one query of several words, put it in quotes"])


def _listed(words: list[str]) -> str:
    """Name the first words: "qqq, zzz and 12 more"."""
    more = f" and {len(words) - MOST_NAMED:,} more" if len(words) > MOST_NAMED else ""
    return ", ".join(shortened(word, LONGEST_CELL) for word in words[:MOST_NAMED]) + more


def _read_queries(file: str) -> list[str]:
    from doc2vecc.corpus.sources import read_files

    texts = [text for batch in read_files([file]).texts() for text in batch.to_pylist()]
    return [text for text in texts if text.strip()]


def _records(found: list[Hits]) -> Iterator[dict[str, Any]]:
    """Return one record a hit; the shares are rounded, since they are to be read."""
    for hits in found:
        for rank, hit in enumerate(hits, start=1):
            yield {
                "query": hits.query,
                "rank": rank,
                "score": round(hit.score, 6),
                "id": hit.id,
                **{name if name not in OWN_FIELDS else f"column_{name}": one for name, one in hit.columns.items()},
                "words": {word: round(share, 6) for word, share in hit.words},
                "snippet": hit.snippet.text,
            }


OWN_FIELDS = ("query", "rank", "score", "id", "words", "snippet")  # a column of such a name is written as column_NAME


def _print_hits(found: list[Hits], columns: list[str]) -> None:
    from doc2vecc.search.results import shown_words

    console = stdout()
    headings = ["score", "id", *columns, "words and their shares", "text"]
    for hits in found:
        rows: list[list[str | Text]] = []
        for hit in hits:
            text = Text(hit.snippet.text)
            for mark in hit.snippet.marks:
                text.stylize("bold green", *mark)
            cells = [Text(one_line(str(value))) for value in (hit.id, *hit.columns.values())]
            for cell in cells:
                cell.truncate(LONGEST_COLUMN, overflow="ellipsis")
            rows.append([f"{hit.score:.3f}", *cells, shown_words(hit), text])
        console.print(one_line(hits.query), style="bold")
        print_table(console, headings, rows, right=["score"], least=LEAST_TEXT)
        console.print()
