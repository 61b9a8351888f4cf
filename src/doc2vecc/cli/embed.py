"""``doc2vecc embed``: documents become vectors, in a file."""

from __future__ import annotations

import sys
import time
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from doc2vecc.cli.cluster import Ray, RayWorkers, embed_with_cluster, reading_plan
from doc2vecc.cli.options import (
    Force,
    Inputs,
    ModelFolder,
    ReadingOptions,
    Tokenizer,
    UserError,
    Workers,
    with_reading_options,
    with_tokenizer_options,
)
from doc2vecc.config import available_cores
from doc2vecc.console import counted, notify_on_compile, progress_bar, say, say_notes, zero_vectors_message

if TYPE_CHECKING:
    from doc2vecc.corpus.shards import Shard
    from doc2vecc.corpus.sources import TextBatches
    from doc2vecc.model import Model


@with_tokenizer_options
@with_reading_options
def embed(
    model: ModelFolder,
    tokenizer: Tokenizer | None,
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
    reading: ReadingOptions,
    output_format: Annotated[
        str | None, typer.Option(metavar="KIND", help="Output format: parquet, arrow, npy, jsonl or csv.")
    ] = None,
    drop_text: Annotated[bool, typer.Option("--drop-text", help="Omit the texts from the output.")] = False,
    shard: Annotated[
        str | None,
        typer.Option(
            metavar="I/N",
            help="Embed only documents I, I + N, I + 2N, ... of the input, I from 0 to N-1: one of N jobs.",
        ),
    ] = None,
    ray: Ray = None,
    ray_workers: RayWorkers = None,
    force: Force = False,
    workers: Workers = None,
) -> None:
    """Compute a vector for every document; other columns of the input are copied.

    Example: [bold]doc2vecc embed reviews.d2v reviews.csv -o reviews.parquet[/bold]
    Example: [bold]doc2vecc embed reviews.d2v reviews.csv -o some.npy --text-column label,text --limit 100[/bold]

    As one of four jobs: [bold]doc2vecc embed reviews.d2v reviews.csv -o part-0.parquet --shard 0/4[/bold]. A job whose
    output exists exits immediately.

    On a cluster: [bold]doc2vecc embed reviews.d2v '/shared/*.parquet' -o vectors --ray auto[/bold] writes parquet files
    into the folder vectors. If you run it again, it embeds only what is missing.
    """
    if ray is not None:
        from doc2vecc.cluster import Cluster
        from doc2vecc.cluster.embedding import Output, clear_folder

        if shard is not None:
            raise UserError(f"--shard is {shard}, but a cluster distributes the work itself; omit it or --ray")
        if output_format not in (None, "parquet"):
            raise UserError(f"--output-format is {output_format}, but a cluster writes parquet; omit it or --ray")
        options = {"threads": workers, "plan": reading_plan(reading)}
        if force:
            clear_folder(output)
        embed_with_cluster(model, tokenizer, inputs, Output(output, drop_text), Cluster(ray, ray_workers), options)
        return
    from doc2vecc.corpus.shards import Shard
    from doc2vecc.files import check_target
    from doc2vecc.outputs import BINARY_KINDS, output_kind

    kind = output_kind(output, output_format)
    target = None if output == "-" else Path(output)
    share = None if shard is None else Shard.parse(shard)
    if share is not None and target is not None and target.exists() and not force:
        say(f"{target} exists: shard {shard} is done; --force embeds it again")
        return
    if target is not None:
        check_target(target, force=force)
    elif kind in BINARY_KINDS and sys.stdout.isatty():
        raise UserError(f"{kind} is binary and stdout is a terminal; redirect it, or name a file with -o")

    from doc2vecc.corpus.sources import read_files
    from doc2vecc.storage import load

    batches = read_files(inputs, **reading, keep_columns=kind != "npy")
    loaded = load(model, tokenizer)
    _embed_into(loaded, batches, share, target, kind, drop_text=drop_text, workers=workers or available_cores())


def _embed_into(
    model: Model,
    batches: TextBatches,
    share: Shard | None,
    target: Path | None,
    kind: str,
    *,
    drop_text: bool,
    workers: int,
) -> None:
    """Write the vectors of documents, or of a share of them, to a file (None: stdout), and say what was written."""
    from doc2vecc.corpus.shards import ShardedBatches
    from doc2vecc.corpus.sources import read_texts
    from doc2vecc.outputs import write_vectors

    chosen = batches if share is None else ShardedBatches(batches, share)
    documents = 0
    try:
        with notify_on_compile(), progress_bar(True, batches, "embedding") as progress:
            for texts in read_texts(["loads the kernels, which does not count for the speed"]).texts():
                model.embed(texts)

            def embedded(count: int) -> None:
                nonlocal documents
                documents += count
                progress.reading(count)

            started = time.perf_counter()
            zero = write_vectors(model, chosen, target, kind, drop_text=drop_text, workers=workers, on_batch=embedded)
    except KeyboardInterrupt as interruption:
        if target is None:
            interruption.args = ("the output is not complete",)
        raise
    seconds = time.perf_counter() - started
    say(
        f"embedded {counted(documents, 'document')} in {seconds:.1f} s, "
        f"{documents / seconds:,.0f} per second" + (f"; written to {target}" if target is not None else "")
    )
    say_notes(batches.report.messages() + zero_vectors_message(zero, documents))
