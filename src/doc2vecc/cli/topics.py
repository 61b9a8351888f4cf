"""``doc2vecc topics``: clusters of documents, their words and typical documents."""

from pathlib import Path
from typing import Annotated

import typer

from doc2vecc.cli.options import (
    Force,
    Inputs,
    ModelFolder,
    ReadingOptions,
    Seed,
    Tokenizer,
    Workers,
    with_reading_options,
    with_tokenizer_options,
)
from doc2vecc.config import available_cores
from doc2vecc.console import counted, notify_on_compile, progress_bar, say, say_notes, stdout
from doc2vecc.tables import print_table


@with_tokenizer_options
@with_reading_options
def topics(
    model: ModelFolder,
    tokenizer: Tokenizer | None,
    inputs: Inputs,
    output: Annotated[
        Path | None,
        typer.Option(
            "-o",
            "--output",
            metavar="OUT",
            help="File to write: .html (page), .json or .csv (topics), .parquet (documents with their topics). "
            "A table is printed in any case.",
            show_default=False,
        ),
    ] = None,
    *,
    reading: ReadingOptions,
    n_topics: Annotated[
        int | None,
        typer.Option(
            "--topics",
            metavar="N",
            min=2,
            help="Number of topics.",
            show_default="a quarter of sqrt(documents), 5 to 100",
        ),
    ] = None,
    method: Annotated[
        str, typer.Option(metavar="METHOD", help="kmeans, or hdbscan, which leaves some documents out.")
    ] = "kmeans",
    date_column: Annotated[
        str | None, typer.Option("--date-column", metavar="NAME", help="Column with dates, for sizes over time.")
    ] = None,
    title: Annotated[str, typer.Option(metavar="TEXT", help="Heading of the page.")] = "Topics",
    seed: Seed = 0,
    force: Force = False,
    workers: Workers = None,
) -> None:
    """Find topics: clusters of similar documents, named by the words that set them apart.

    Example: [bold]doc2vecc topics reviews.d2v reviews.csv --topics 3[/bold]

    Example: [bold]doc2vecc topics reviews.d2v reviews.csv -o topics.html[/bold]
    """
    from doc2vecc.files import check_target
    from doc2vecc.map.topics import Topics, check_choices

    check_choices(output, method, n_topics)
    if output is not None:
        check_target(output, force=force)

    from doc2vecc.corpus.sources import read_files
    from doc2vecc.map.documents import read_documents
    from doc2vecc.storage import load

    batches = read_files(inputs, **reading, keep_columns=True)
    loaded, n_workers = load(model, tokenizer), workers or available_cores()
    with notify_on_compile(), progress_bar(True, batches) as progress:
        documents = read_documents(loaded, batches, workers=n_workers, on_batch=progress.reading)
        found = Topics.of(
            documents, n_topics=n_topics, method=method, date_column=date_column, seed=seed, report=progress.working
        )
    rows = [[str(one.number), f"{one.size:,}", ", ".join(one.words)] for one in found.topics]
    print_table(stdout(), ["topic", "documents", "words"], rows, right=["topic", "documents"])
    if output is not None:
        found.save(output, title=title)
        number = counted(len(found.topics), "topic")
        say(f"{number} of {counted(len(documents), 'document')} written to {output}")
    say_notes(documents.notes)
