"""``doc2vecc index``: documents become a search index, in a folder."""

import time
from pathlib import Path
from typing import Annotated

import typer

from doc2vecc.cli.options import (
    Force,
    Inputs,
    ModelFolder,
    ReadingOptions,
    Tokenizer,
    Workers,
    with_reading_options,
    with_tokenizer_options,
)
from doc2vecc.cli.suggestions import after_indexing, say_commands
from doc2vecc.config import available_cores
from doc2vecc.console import counted, notify_on_compile, progress_bar, say, say_notes, zero_vectors_message
from doc2vecc.errors import SearchIndexError


@with_tokenizer_options
@with_reading_options
def index(
    model: ModelFolder,
    tokenizer: Tokenizer | None,
    inputs: Inputs,
    output: Annotated[
        Path, typer.Option("-o", "--output", metavar="INDEX", help="Folder to write.", show_default=False)
    ],
    reading: ReadingOptions,
    columns: Annotated[
        str | None, typer.Option(metavar="NAMES", help="Columns to store with the text, such as a,b; shown with hits.")
    ] = None,
    id_column: Annotated[
        str | None,
        typer.Option(metavar="NAME", help="Column with the ids, integers or strings.", show_default="numbers from 0"),
    ] = None,
    force: Force = False,
    workers: Workers = None,
) -> None:
    """Embed documents once and store them, for doc2vecc search and serve.

    The folder holds the texts, the vectors, the chosen columns and a copy of the model.

    Example: [bold]doc2vecc index reviews.d2v reviews.csv -o reviews.index --columns label[/bold]
    Example: [bold]doc2vecc index reviews.d2v reviews.csv -o ids.index --text-column text --id-column id[/bold]
    """
    from doc2vecc.search.folder import check_place

    check_place(output)
    if output.exists() and not force:
        raise SearchIndexError(f"{output} exists; choose another name, or replace it with --force")

    from doc2vecc.corpus.sources import read_files
    from doc2vecc.search import SearchIndex
    from doc2vecc.similarity import count_zero_rows
    from doc2vecc.storage import load

    started = time.perf_counter()
    names = [name.strip() for name in (columns or "").split(",") if name.strip()]
    batches = read_files(inputs, **reading, keep_columns=[*names, *([id_column] if id_column is not None else [])])
    with notify_on_compile(), progress_bar(True, batches) as progress:
        built = SearchIndex.build(
            load(model, tokenizer),
            batches,
            output,
            columns=names,
            id_column=id_column,
            workers=workers or available_cores(),
            progress=progress,
        )
    say(f"indexed {counted(len(built), 'document')} in {time.perf_counter() - started:.1f} s; written to {output}")
    say_recall(built.recall)
    say_notes(batches.report.messages() + zero_vectors_message(count_zero_rows(built.vectors()), len(built)))
    say_commands("try next:", after_indexing(built.model, model, output))


def say_recall(recall: float | None) -> None:
    """Say how good the approximate search of a large index is."""
    if recall is not None:
        say(f"search is approximate: it finds {recall:.1%} of the 10 nearest documents, measured with 200 queries")
