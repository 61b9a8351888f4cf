"""``doc2vecc outliers``: documents that are like no other."""

from typing import Annotated

import typer

from doc2vecc.cli.duplicates import IdColumn
from doc2vecc.cli.options import (
    Inputs,
    ModelFolder,
    Nearest,
    ReadingOptions,
    Tokenizer,
    Workers,
    with_reading_options,
    with_tokenizer_options,
)
from doc2vecc.cli.results import LONGEST_CELL, OutputFormat, check_kind, write_records
from doc2vecc.console import notify_on_compile, one_line, progress_bar, say_notes, shortened, stdout
from doc2vecc.tables import print_table


@with_tokenizer_options
@with_reading_options
def outliers(
    model: ModelFolder,
    tokenizer: Tokenizer | None,
    inputs: Inputs,
    reading: ReadingOptions,
    k: Nearest = 20,
    neighbors: Annotated[int, typer.Option(metavar="N", min=1, help="Number of neighbors to compare with.")] = 10,
    id_column: IdColumn = None,
    output_format: OutputFormat = "table",
    workers: Workers = None,
) -> None:
    """Find documents unlike all others: those least similar to their nearest neighbors.

    Documents without a known word have no vector and are only counted. If the input is a parquet file written by
    embed, its vectors are used.

    Example: [bold]doc2vecc outliers reviews.d2v reviews.csv -k 5[/bold]
    """
    check_kind(output_format)

    from doc2vecc.search.comparing import least_similar, neighbor_similarity
    from doc2vecc.search.reading import read_for_comparison
    from doc2vecc.storage import load

    with notify_on_compile(), progress_bar(True) as progress:
        documents = read_for_comparison(load(model, tokenizer), inputs, reading, id_column, workers, progress)
        scores = neighbor_similarity(documents.vectors, neighbors, progress)
    shown = least_similar(documents.vectors, scores, k)
    if output_format == "table":
        rows = [
            [f"{scores[row]:.3f}", shortened(one_line(str(documents.ids[row])), LONGEST_CELL), documents.texts[row]]
            for row in shown
        ]
        print_table(stdout(), ["similarity", "id", "text"], rows, right=["similarity"])
    else:
        records = (
            {"id": documents.ids[row], "similarity": round(float(scores[row]), 6), "text": documents.texts[row]}
            for row in shown
        )
        write_records(records, output_format)
    say_notes(documents.messages)
