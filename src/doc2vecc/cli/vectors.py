"""``doc2vecc embed`` and ``doc2vecc similar``: documents become vectors, in a file or for a search."""

from __future__ import annotations

import sys
import time
from pathlib import Path
from typing import Annotated

import typer

from doc2vecc.cli.compiling import notify_on_compile
from doc2vecc.cli.options import (
    Force,
    InputFormat,
    Inputs,
    ModelFolder,
    Nearest,
    Strict,
    TextColumn,
    UserError,
    Workers,
)
from doc2vecc.console import one_line, print_table, say, say_notes, stdout
from doc2vecc.parameters import available_cores


def embed(
    model: ModelFolder,
    inputs: Inputs,
    output: Annotated[
        str,
        typer.Option(
            "-o",
            "--output",
            metavar="OUT",
            help="File to write: .parquet, .arrow, .feather, .npy, .jsonl or .csv; - is stdout (jsonl).",
            show_default=False,
        ),
    ],
    output_format: Annotated[
        str | None,
        typer.Option(metavar="KIND", help="Write parquet, arrow, npy, jsonl or csv, whatever the name is."),
    ] = None,
    drop_text: Annotated[bool, typer.Option("--drop-text", help="Leave the texts out of the output.")] = False,
    text_column: TextColumn = None,
    input_format: InputFormat = None,
    strict: Strict = False,
    force: Force = False,
    workers: Workers = None,
) -> None:
    """Compute a vector for every document; the other columns of the input come along.

    Example: [bold]doc2vecc embed reviews.d2v reviews.csv -o reviews.parquet[/bold]
    """
    from doc2vecc.outputs import BINARY_KINDS, check_target, output_kind, write_vectors

    kind = output_kind(output, output_format)
    target = None if output == "-" else Path(output)
    if target is not None:
        check_target(target, force=force)
    elif kind in BINARY_KINDS and sys.stdout.isatty():
        raise UserError(f"{kind} is not for reading on a terminal; redirect it, or name a file with -o")

    from doc2vecc.console import counted, progress_bar
    from doc2vecc.corpus.sources import read_files, read_texts
    from doc2vecc.storage import load

    batches = read_files(
        inputs, text_column=text_column, strict=strict, input_format=input_format, keep_columns=kind != "npy"
    )
    loaded = load(model)
    try:
        with notify_on_compile(), progress_bar(True, batches) as progress:
            for texts in read_texts(["loads the kernels, which is no part of the speed"]).texts():
                loaded.embed(texts)
            started = time.perf_counter()
            report = write_vectors(
                loaded,
                batches,
                target,
                kind,
                drop_text=drop_text,
                workers=workers or available_cores(),
                on_batch=progress.reading,
            )
    except KeyboardInterrupt:
        if target is not None:
            raise
        raise KeyboardInterrupt("the output is not complete") from None
    seconds = time.perf_counter() - started
    say(
        f"embedded {counted(report.documents, 'document')} in {seconds:.1f} s, "
        f"{report.documents / seconds:,.0f} a second" + (f"; written to {target}" if target is not None else "")
    )
    say_notes(batches.report.messages() + report.messages())


def similar(
    model: ModelFolder,
    source: Annotated[
        str,
        typer.Argument(metavar="INPUT", help="File or folder to search in, as for embed.", show_default=False),
    ],
    query: Annotated[
        list[str],
        typer.Option(
            "--query", "-q", metavar="TEXT", help="What to look for; may be repeated.", show_default=False
        ),
    ],
    k: Nearest = 10,
    text_column: TextColumn = None,
    input_format: InputFormat = None,
    strict: Strict = False,
    workers: Workers = None,
) -> None:
    """Find the documents nearest to a query, by meaning.

    Example: [bold]doc2vecc similar reviews.d2v reviews.csv --query "a moving story" -k 5[/bold]
    """
    from doc2vecc.console import progress_bar
    from doc2vecc.corpus.sources import read_files
    from doc2vecc.search import nearest_documents
    from doc2vecc.storage import load

    # The names of the files in a folder are a column; those of a single file are not needed.
    batches = read_files(
        [source],
        text_column=text_column,
        strict=strict,
        input_format=input_format,
        keep_columns=source != "-" and Path(source).is_dir(),
    )
    loaded = load(model)
    with notify_on_compile(), progress_bar(True, batches) as progress:
        found = nearest_documents(
            loaded, batches, query, k, workers=workers or available_cores(), on_batch=progress.reading
        )
    if batches.report.documents == 0:
        raise UserError(f"there are no documents in {source}; name a file that holds some")
    console = stdout()
    for text, hits in zip(query, found, strict=True):
        is_folder = any(hit.file is not None for hit in hits)
        place = "file" if is_folder else "row (from 0)"
        rows = [[f"{hit.similarity:.3f}", hit.file or str(hit.row), hit.text] for hit in hits]
        console.print(one_line(text), style="bold")
        print_table(console, ["similarity", place, "text"], rows, right=["similarity", "row (from 0)"])
        console.print()
    say_notes(batches.report.messages())
