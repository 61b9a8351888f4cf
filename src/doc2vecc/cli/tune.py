"""``doc2vecc tune``: try settings on documents, and train with the best."""

from __future__ import annotations

import math
import shlex
import time
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from doc2vecc.advice import before_tuning, chance_of
from doc2vecc.cli.options import (
    TOKEN_OPTIONS,
    Force,
    Inputs,
    ReadingOptions,
    Tokenizer,
    UserError,
    Workers,
    as_options,
    given_rules,
    with_reading_options,
    with_tokenizer_options,
)
from doc2vecc.cli.suggestions import after_training as next_commands
from doc2vecc.cli.suggestions import say_commands
from doc2vecc.cli.terminal import program
from doc2vecc.cli.train import check_model_folder, train_model
from doc2vecc.config import TrainingConfig, available_cores, resolve_defaults
from doc2vecc.console import counted, notify_on_compile, progress_bar, say, say_notes, stdout
from doc2vecc.heartbeat import clock
from doc2vecc.tables import live_table, print_table

if TYPE_CHECKING:
    import numpy.typing as npt

    from doc2vecc.corpus.sources import TextBatches
    from doc2vecc.tuning import Round, Tried

FEWEST_DOCUMENTS = 20
MOST_TRIALS = 90  # there are few more different settings, without labels fewer
NUMBERS = ["documents", "score", "accuracy %", "seconds"]


@with_tokenizer_options
@with_reading_options
def tune(
    context: typer.Context,
    inputs: Inputs,
    output: Annotated[
        Path, typer.Option("-o", "--output", metavar="MODEL", help="Folder to write.", show_default=False)
    ],
    reading: ReadingOptions,
    tokenizer: Tokenizer | None,
    label_column: Annotated[
        str | None,
        typer.Option(
            metavar="NAME",
            help="Column with the class of each document: choose by the accuracy of a linear classifier. Without it, "
            "choose by how well the halves of documents find each other.",
        ),
    ] = None,
    unlabeled: Annotated[
        list[str] | None,
        typer.Option(metavar="VALUE", help="A value that means no label, such as -1; may be repeated."),
    ] = None,
    trials: Annotated[
        int, typer.Option(min=1, max=MOST_TRIALS, help="Number of settings to try; the first are the defaults.")
    ] = 16,
    max_time: Annotated[
        float | None,
        typer.Option(metavar="SECONDS", min=0, help="Start no trial after this time; the final training is extra."),
    ] = None,
    max_documents: Annotated[
        int, typer.Option(min=FEWEST_DOCUMENTS, help="Try settings on at most this many documents, drawn at random.")
    ] = 20_000,
    seed: Annotated[int, typer.Option(min=0, help="Seed of the random numbers.")] = 0,
    force: Force = False,
    workers: Workers = None,
) -> None:
    """Try settings on some of your texts, then train on all of them with the best.

    Example: [bold]doc2vecc tune reviews.csv -o tuned.d2v --label-column label --trials 2[/bold]
    """
    if "-" in inputs:
        raise UserError("- can be read only once, but tune reads its input twice; write it to a file first")
    check_model_folder(output, force=force)

    from doc2vecc.corpus.sources import read_files
    from doc2vecc.tuning import DEFAULTS, TEST_SHARE, best, candidates, rounds, search

    batches = read_files(inputs, **reading, keep_columns=label_column is not None)
    texts, labels, others = _read(batches, label_column, unlabeled or [], max_documents, seed)
    tokens = sum(len(text.split()) for text in (*texts, *others))
    n_documents = len(texts) + len(others)
    settings = candidates(trials, seed, has_labels=labels is not None, tokens=tokens, documents=n_documents)
    plan = rounds(len(settings), len(texts))
    say("trying " + ", then ".join(f"{one.settings:,} settings on {one.documents:,} documents" for one in plan))
    advice = before_tuning(len(texts), tokens, TEST_SHARE, has_labels=labels is not None)
    say_notes([advice] if advice else [])
    value = "score" if labels is None else "accuracy %"
    headings = ["documents", value, "seconds", "settings"]
    shown: list[Tried] = []
    started = time.monotonic()
    with notify_on_compile(), live_table(headings, right=NUMBERS) as show:

        def on_trial(one: Tried) -> None:
            shown.append(one)
            show(_rows(shown, labels is not None), _how_far(shown, plan, time.monotonic() - started))

        tried = search(
            texts,
            labels,
            settings,
            fixed={"random_state": seed, "workers": workers, "tokenizer": tokenizer},
            unlabeled=others,
            max_seconds=max_time or math.inf,
            on_trial=on_trial,
        )
    chosen = best(tried, plan, chance=0.0 if labels is None else chance_of(len(texts), TEST_SHARE))
    ranked = sorted(tried, key=lambda one: (-one.documents, math.isnan(one.score), -one.score))
    print_table(stdout(), headings, _rows(ranked, labels is not None), right=NUMBERS)
    planned = sum(one.settings for one in plan)
    if len(tried) < planned:
        say_notes([f"--max-time {max_time:g} ended the search after {len(tried):,} of {planned:,} trials"])
    resolved = resolve_defaults(DEFAULTS | chosen.settings | {"seed": seed})
    config = TrainingConfig(**resolved, workers=workers or available_cores())
    model = train_model(read_files(inputs, **reading), output, config, tokenizer=tokenizer)
    rule = {name: context.params[name] for name in TOKEN_OPTIONS if context.params.get(name) is not None}
    given = given_rules(reading) | rule | chosen.settings | {"seed": seed}
    command = shlex.join(["train", *inputs, "-o", str(output), *as_options(given), "--force"])
    say_commands("try next:", next_commands(model, output, inputs, reading))
    say(f"best of {len(settings):,} settings{'' if chosen.settings else ', the defaults'}: {program()} {command}")


def _read(
    batches: TextBatches, label_column: str | None, unlabeled: list[str], max_documents: int, seed: int
) -> tuple[list[str], npt.NDArray[Any] | None, list[str]]:
    """Read the documents and draw those to try settings on -> (texts, labels or None, texts without a label)."""
    import numpy as np
    import pyarrow as pa

    from doc2vecc.evaluation.comparison import read_labeled

    labels: npt.NDArray[Any] | None = None
    others = pa.chunked_array([], pa.large_string())
    with progress_bar(True, batches) as progress:
        if label_column is None:
            texts = pa.chunked_array(list(batches.texts(progress.reading)), pa.large_string())
        else:
            documents = read_labeled(
                batches, label_column, unlabeled=unlabeled, keep_unlabeled=True, on_batch=progress.reading
            )
            texts, labels, others = documents.texts, documents.labels, documents.unlabeled_texts
            if documents.unlabeled:
                say_notes(
                    [f"every trial learns from the {counted(documents.unlabeled, 'document')} without a label, too"]
                )
    if len(texts) < FEWEST_DOCUMENTS:
        raise UserError(
            f"{len(texts):,} documents are too few to compare settings; at least {FEWEST_DOCUMENTS} are needed. "
            "Use doc2vecc train"
        )
    random = np.random.default_rng(seed)
    rows = np.sort(random.permutation(len(texts))[:max_documents])
    drawn = random.permutation(len(others))[: max_documents - len(rows)]
    return (
        texts.take(pa.array(rows)).to_pylist(),
        None if labels is None else labels[rows],
        others.take(pa.array(drawn)).to_pylist(),
    )


def _how_far(tried: list[Tried], plan: list[Round], seconds: float) -> str:
    """Say how many trials are done, and how long the others will take; a trial takes as long as its documents.

    >>> from doc2vecc.tuning import Round, Tried
    >>> _how_far([Tried({}, 500, 0.9, 1.0)], [Round(3, 500), Round(1, 1500)], 10.0)
    '1 of 4 trials done, about 0:50 left'
    """
    done, total = sum(one.documents for one in tried), sum(one.settings * one.documents for one in plan)
    trials = f"{len(tried):,} of {counted(sum(one.settings for one in plan), 'trial')} done"
    return f"{trials}, about {clock(seconds * (total - done) / done)} left"


def _rows(tried: list[Tried], is_accuracy: bool) -> list[list[str]]:
    return [
        [
            f"{one.documents:,}",
            "failed" if math.isnan(one.score) else f"{100 * one.score:.2f}" if is_accuracy else f"{one.score:.4f}",
            f"{one.seconds:.1f}",
            shlex.join(as_options(one.settings)) or "the defaults",
        ]
        for one in tried
    ]
