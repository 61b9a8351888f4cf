"""``doc2vecc update``: documents come into a search index, or leave it."""

from pathlib import Path
from typing import Annotated

import typer

from doc2vecc.cli.index import say_recall
from doc2vecc.cli.options import (
    ReadingOptions,
    Tokenizer,
    UserError,
    Workers,
    with_reading_options,
    with_tokenizer_options,
)
from doc2vecc.cli.search import IndexFolder
from doc2vecc.console import counted, notify_on_compile, progress_bar, say, say_notes, shortened, zero_vectors_message


@with_tokenizer_options
@with_reading_options
def update(
    index: IndexFolder,
    tokenizer: Tokenizer | None,
    reading: ReadingOptions,
    inputs: Annotated[
        list[str] | None,
        typer.Argument(
            metavar="[INPUT]...", help="Documents to add: files or folders, as for index.", show_default=False
        ),
    ] = None,
    delete: Annotated[
        list[str] | None,
        typer.Option(metavar="ID", help="Delete the document with this id; may be repeated.", show_default=False),
    ] = None,
    delete_from: Annotated[
        Path | None, typer.Option(metavar="FILE", help="Delete the documents with the ids in this file, one per line.")
    ] = None,
    workers: Workers = None,
) -> None:
    """Add documents to a search index, or delete documents by id.

    The model stored in the index is used. Documents are deleted first: to replace documents, delete their ids and add
    them again.

    Example: [bold]doc2vecc update reviews.index reviews.csv[/bold]
    Example: [bold]doc2vecc update reviews.index --delete 17 --delete 42[/bold]
    """
    from doc2vecc.corpus.sources import read_files
    from doc2vecc.search import SearchIndex
    from doc2vecc.similarity import count_zero_rows

    ids = list(delete or [])
    if delete_from is not None:
        ids += [one.as_py() for texts in read_files([delete_from], input_format="txt").texts() for one in texts]
    ids = [one for one in ids if one.strip()]
    if not ids and not inputs:
        raise UserError("nothing to do; name files to add, or ids with --delete or --delete-from")
    loaded = SearchIndex.load(index, tokenizer=tokenizer)
    known = set(map(str, loaded.ids))
    for one in ids:
        if "," in one and one not in known:
            several = " ".join(f"--delete {part.strip()}" for part in one.split(",") if part.strip())
            raise UserError(f"there is no document with the id {shortened(one)!r}; for several ids, say {several}")
    batches = read_files(inputs, **reading, keep_columns=loaded.needed_columns) if inputs else None
    notes: list[str] = []
    with notify_on_compile(), progress_bar(True, batches) as progress:
        if ids:
            say(f"deleted {counted(loaded.delete(ids, progress=progress), 'document')}")
        if batches is not None:
            added = loaded.add(batches, workers=workers, progress=progress)
            say(f"added {counted(added, 'document')}")
            notes = batches.report.messages() + zero_vectors_message(count_zero_rows(loaded.vectors()[-1:]), added)
    say(f"{index} has {counted(len(loaded), 'document')}")
    say_recall(loaded.recall)
    say_notes(notes)
