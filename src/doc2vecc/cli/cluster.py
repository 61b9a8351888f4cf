"""The options of a Ray cluster, and what ``train`` and ``embed`` do with them."""

from __future__ import annotations

import time
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from doc2vecc.cli.options import ReadingOptions, Tokenizer, UserError
from doc2vecc.console import counted, progress_bar, say, say_notes, zero_vectors_message

if TYPE_CHECKING:
    from doc2vecc.cluster.crew import Cluster
    from doc2vecc.cluster.embedding import Output
    from doc2vecc.cluster.inputs import ReadingPlan
    from doc2vecc.config import TrainingConfig
    from doc2vecc.model import Model
    from doc2vecc.training.checkpoint import Checkpoints

_PANEL = "Cluster"

Ray = Annotated[
    str | None,
    typer.Option(
        "--ray",
        metavar="ADDRESS",
        help="Run on a Ray cluster: the address of its head node, auto for one on this machine, or local to start one. "
        "Inputs are paths that every node can read, or URIs such as s3://bucket/*.parquet.",
        rich_help_panel=_PANEL,
    ),
]
RayWorkers = Annotated[
    int | None,
    typer.Option(
        "--ray-workers",
        metavar="N",
        min=1,
        help="Number of processes; --workers is the number of threads in each.",
        show_default="one per node",
        rich_help_panel=_PANEL,
    ),
]
ExchangeEvery = Annotated[
    float,
    typer.Option(
        "--exchange-every",
        metavar="SECONDS",
        min=0.01,
        help="How often the workers exchange what they have learned.",
        rich_help_panel=_PANEL,
    ),
]


def reading_plan(reading: ReadingOptions) -> ReadingPlan:
    """Return how a cluster reads; what it cannot do is refused."""
    from doc2vecc.cluster.inputs import ReadingPlan

    only = reading["only"]
    for name, value in (("--limit", only.limit), ("--sample-documents", only.sample)):
        if value is not None:
            raise UserError(f"{name} is {value}, but a cluster reads everything; omit it or --ray")
    return ReadingPlan(reading["text_column"], reading["rules"], reading["input_format"])


def train_with_cluster(
    inputs: list[str],
    config: TrainingConfig,
    cluster: Cluster,
    threads: int | None,
    reading: ReadingOptions,
    tokenizer: Tokenizer | None,
    checkpoints: Checkpoints | None,
) -> tuple[Model, list[str]]:
    """Train on a cluster, and say how the time was spent -> (model, messages)."""
    from doc2vecc.cluster.driver import learn_on_cluster

    options: dict[str, Any] = {"threads": threads, "plan": reading_plan(reading), "tokenizer": tokenizer}
    with progress_bar(True) as progress:
        learned = learn_on_cluster(inputs, config, cluster, **options, progress=progress, checkpoints=checkpoints)
    seconds = learned.seconds
    phases = ", ".join(f"{name} {seconds[name]:.1f} s" for name in ("count", "encode", "start", "train"))
    say(
        f"{phases}; {counted(learned.exchanges, 'exchange')} took {seconds['exchange']:.1f} s of the training, "
        f"with {learned.bytes_sent / 1e6:,.0f} MB from the workers and {learned.bytes_received / 1e6:,.0f} MB to each"
    )
    return learned.model, learned.messages


def embed_with_cluster(
    model: Path,
    tokenizer: Tokenizer | None,
    inputs: list[str],
    output: Output,
    cluster: Cluster,
    options: dict[str, Any],
) -> None:
    """Embed on a cluster, into parquet files of a folder; what is there already stays."""
    from doc2vecc.cluster.embedding import embed_on_cluster
    from doc2vecc.storage import load

    loaded = load(model, tokenizer)
    started = time.perf_counter()
    try:
        with progress_bar(True) as progress:
            found = embed_on_cluster(loaded, inputs, output, cluster, progress=progress, **options)
    except KeyboardInterrupt as interruption:
        interruption.args = (f"what is embedded stays in {output.folder}; the same command embeds the rest",)
        raise
    before = f"{found.done_before:,} of {counted(found.pieces, 'piece')} already done; " if found.done_before else ""
    seconds = time.perf_counter() - started
    say(f"{before}{counted(found.documents, 'document')} in {output.folder}, one row each, after {seconds:.1f} s")
    say_notes(found.reading.messages() + zero_vectors_message(found.zero, found.documents))
