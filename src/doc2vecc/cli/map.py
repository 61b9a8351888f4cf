"""``doc2vecc map``: documents as a map, in a page, a picture or a table."""

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
from doc2vecc.console import counted, notify_on_compile, progress_bar, say, say_notes


@with_tokenizer_options
@with_reading_options
def map_(
    model: ModelFolder,
    tokenizer: Tokenizer | None,
    inputs: Inputs,
    output: Annotated[
        Path,
        typer.Option(
            "-o",
            "--output",
            metavar="OUT",
            help="File to write: .html (page), .png or .svg (picture), .parquet (x, y, neighbors).",
            show_default=False,
        ),
    ],
    reading: ReadingOptions,
    color: Annotated[
        list[str] | None,
        typer.Option("--color", metavar="NAME", help="Column to color by; may be repeated.", show_default="the areas"),
    ] = None,
    show: Annotated[
        list[str] | None,
        typer.Option("--show", metavar="NAME", help="Column to show with each document; may be repeated."),
    ] = None,
    layout: Annotated[str, typer.Option(metavar="METHOD", help="tsne, or umap if it is installed.")] = "tsne",
    text_length: Annotated[
        int, typer.Option(metavar="N", min=0, help="Characters of each text that the page contains and searches.")
    ] = 200,
    title: Annotated[str, typer.Option(metavar="TEXT", help="Title of the map.")] = "Map of documents",
    seed: Seed = 0,
    force: Force = False,
    workers: Workers = None,
) -> None:
    """Draw a map: similar documents are close together, and areas are labeled with words.

    The page works offline and contains the beginning of each text. The command needs the extra map (openTSNE).

    Example: [bold]doc2vecc map reviews.d2v reviews.csv -o map.html --color label[/bold]

    Example: [bold]doc2vecc map reviews.d2v reviews.csv -o map.png --sample 300[/bold]
    """
    from doc2vecc.files import check_target
    from doc2vecc.map.maps import Map, check_choices

    check_choices(output, layout)
    check_target(output, force=force)

    from doc2vecc.corpus.sources import read_files
    from doc2vecc.map.documents import read_documents
    from doc2vecc.storage import load

    batches = read_files(inputs, **reading, keep_columns=True)
    loaded, n_workers = load(model, tokenizer), workers or available_cores()
    with notify_on_compile(), progress_bar(True, batches) as progress:
        documents = read_documents(loaded, batches, workers=n_workers, on_batch=progress.reading)
        documents.check_columns([*(color or ()), *(show or ())])
        made = Map.of(documents, layout=layout, seed=seed, report=progress.working)
        made.save(output, color=color or (), show=show or (), text_length=text_length, title=title)
    say(f"map of {counted(len(documents), 'document')} written to {output}{made.how_to_open(output)}")
    say_notes(documents.notes)
