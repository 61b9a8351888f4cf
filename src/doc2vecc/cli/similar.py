"""``doc2vecc similar``: the documents nearest to a query."""

from pathlib import Path
from typing import Annotated

import typer

from doc2vecc.cli.options import (
    ModelFolder,
    Nearest,
    ReadingOptions,
    Tokenizer,
    UserError,
    Workers,
    with_reading_options,
    with_tokenizer_options,
)
from doc2vecc.config import available_cores
from doc2vecc.console import notify_on_compile, one_line, progress_bar, say_notes, stdout
from doc2vecc.tables import print_table


@with_tokenizer_options
@with_reading_options
def similar(
    model: ModelFolder,
    tokenizer: Tokenizer | None,
    source: Annotated[
        str, typer.Argument(metavar="INPUT", help="File or folder to search in, as for embed.", show_default=False)
    ],
    query: Annotated[
        list[str],
        typer.Option("--query", "-q", metavar="TEXT", help="Text to search for; may be repeated.", show_default=False),
    ],
    reading: ReadingOptions,
    k: Nearest = 10,
    workers: Workers = None,
) -> None:
    """Find the documents nearest to a query, by meaning, without an index.

    If the input is a parquet file written by embed, its vectors are used.

    Example: [bold]doc2vecc similar reviews.d2v reviews.csv --query "a moving story" -k 5[/bold]
    """
    from doc2vecc.corpus.sources import read_files
    from doc2vecc.outputs import VECTOR_COLUMN
    from doc2vecc.search import nearest_documents
    from doc2vecc.search.stored import COLUMNAR
    from doc2vecc.storage import load

    # The names of the files in a folder are a column; vectors that are there already need not be made again.
    keep = ["file"] if source != "-" and Path(source).is_dir() else []
    keep += [VECTOR_COLUMN] if Path(source).suffix.lower() in COLUMNAR else []
    batches = read_files([source], **reading, keep_columns=keep)
    loaded, n_workers = load(model, tokenizer), workers or available_cores()
    with notify_on_compile(), progress_bar(True, batches) as progress:
        found = nearest_documents(loaded, batches, query, k, workers=n_workers, on_batch=progress.reading)
    if batches.report.documents == 0:
        raise UserError(f"there are no documents in {source}; name a file that holds some")
    console = stdout()
    for text, hits in zip(query, found, strict=True):
        place = "file" if any(hit.file is not None for hit in hits) else "row (from 0)"
        rows = [[f"{hit.similarity:.3f}", hit.file or str(hit.row), hit.text] for hit in hits]
        console.print(one_line(text), style="bold")
        print_table(console, ["similarity", place, "text"], rows, right=["similarity", "row (from 0)"])
        console.print()
    say_notes(batches.report.messages())
