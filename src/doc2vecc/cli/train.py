"""``doc2vecc train``: texts become a model."""

from __future__ import annotations

import os
import time
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from doc2vecc.advice import after_training
from doc2vecc.cli.checkpoints import CheckpointEvery, Resume, checkpoints_of, explain_interruption
from doc2vecc.cli.cluster import ExchangeEvery, Ray, RayWorkers, train_with_cluster
from doc2vecc.cli.options import (
    Force,
    Inputs,
    ReadingOptions,
    Tokenizer,
    UserError,
    Workers,
    with_reading_options,
    with_tokenizer_options,
    with_training_options,
)
from doc2vecc.cli.suggestions import after_training as next_commands
from doc2vecc.cli.suggestions import say_commands
from doc2vecc.config import TrainingConfig, available_cores, resolve_defaults
from doc2vecc.console import counted, notify_on_compile, progress_bar, say, say_notes
from doc2vecc.errors import ModelFolderError

if TYPE_CHECKING:
    from doc2vecc.corpus.sources import TextBatches
    from doc2vecc.corpus.vocabulary import Vocabulary
    from doc2vecc.model import Model
    from doc2vecc.training.checkpoint import Checkpoints


@with_training_options
@with_tokenizer_options
@with_reading_options
def train(
    context: typer.Context,
    inputs: Inputs,
    output: Annotated[
        Path, typer.Option("-o", "--output", metavar="MODEL", help="Folder to write.", show_default=False)
    ],
    reading: ReadingOptions,
    tokenizer: Tokenizer | None,
    start: Annotated[
        Path | None,
        typer.Option(
            metavar="MODEL",
            help="Continue training from this model: known words are trained further, new words are added; dimension, "
            "n-grams, --predict-ngrams and --binary stay the same. Or start from word vectors: a word2vec or GloVe "
            "file, or a folder of static embeddings.",
        ),
    ] = None,
    workdir: Annotated[
        Path | None,
        typer.Option(
            metavar="FOLDER",
            help="Keep the encoded texts in this folder, for another training on the same files with the same settings "
            "of tokens and vocabulary.",
        ),
    ] = None,
    checkpoint_every: CheckpointEvery = None,
    resume: Resume = False,
    ray: Ray = None,
    ray_workers: RayWorkers = None,
    exchange_every: ExchangeEvery = 5.0,
    force: Force = False,
    workers: Workers = None,
    **settings: Any,  # noqa: ANN401 - the training parameters
) -> None:
    """Learn vectors from your texts.

    Example: [bold]doc2vecc train reviews.csv -o reviews.d2v --epochs 10[/bold]
    Example: [bold]doc2vecc train reviews.csv --start reviews.d2v -o newer.d2v[/bold]
    Example: [bold]doc2vecc train reviews.csv -o large.d2v --checkpoint-every 10m --resume[/bold]
    Example: [bold]doc2vecc train reviews.csv -o stopped.d2v --stop-words english[/bold]
    Example: [bold]doc2vecc train reviews.csv -o again.d2v --workdir encoded --epochs 20[/bold]

    On a cluster: [bold]doc2vecc train 's3://bucket/reviews/*.parquet' -o large.d2v --ray auto --resume[/bold]
    """
    from doc2vecc.corpus.sources import read_files

    if ray is not None and (start is not None or workdir is not None):
        raise UserError("a cluster trains new models and keeps no texts; omit --start and --workdir, or --ray")
    if workdir is not None and start is not None:
        raise UserError("--workdir is for a new model, whose texts determine the vocabulary; omit it or --start")
    start_model = None if start is None else _load_start(start, tokenizer)
    if start_model is not None:
        settings |= _settings_of(start_model, {name: settings[name] for name in settings if _is_given(context, name)})
    config = TrainingConfig(**resolve_defaults(settings), workers=workers or available_cores())
    check_model_folder(output, force=force)
    checkpoints = checkpoints_of(output, checkpoint_every, resume=resume, force=force)
    own_tokenizer = None if start_model is not None else tokenizer  # else it is part of the model
    try:
        if ray is None:
            documents = read_files(inputs, **reading)
            documents.workdir = workdir
            _say_disk(documents, config)
            model = train_model(documents, output, config, start_model, checkpoints, own_tokenizer)
        else:
            from doc2vecc.cluster import Cluster

            cluster, started = Cluster(ray, ray_workers, exchange_every), time.perf_counter()
            model, notes = train_with_cluster(inputs, config, cluster, workers, reading, own_tokenizer, checkpoints)
            finish_training(model, notes, output, checkpoints, started)
        say_commands("try next:", next_commands(model, output, inputs, reading))
    except KeyboardInterrupt as interruption:
        explain_interruption(interruption, checkpoints)
        raise


def _say_disk(documents: TextBatches, config: TrainingConfig) -> None:
    """Say how much disk the encoded texts will need, unless they are there; an error if there is not enough."""
    from doc2vecc.corpus.workdir import WORTH_SAYING, check_disk, disk_needed, kept_corpus

    if kept_corpus(documents) is None:
        needed = disk_needed(documents, has_ngrams=config.ngram_range not in (None, (1, 1)))
        folder = check_disk(needed, documents.workdir)
        if needed >= WORTH_SAYING:
            say(f"encoding the texts needs up to {needed / 1e9:.1f} GB of disk in {folder}")


def train_model(
    documents: TextBatches,
    output: Path,
    config: TrainingConfig,
    start: Model | None = None,
    checkpoints: Checkpoints | None = None,
    tokenizer: Tokenizer | None = None,
) -> Model:
    """Train with settings that are checked, save the model, and say what was learned."""
    from doc2vecc.corpus.workdir import kept_corpus
    from doc2vecc.training.learning import learn

    started = time.perf_counter()
    kept = kept_corpus(documents)

    def on_vocabulary(vocabulary: Vocabulary, table_bytes: int) -> None:
        if kept is not None:
            say(f"used the encoded texts in {kept}; the files were not read again")
        say_sizes(vocabulary, table_bytes)

    with notify_on_compile(), progress_bar(True, documents) as progress:
        learned = learn(documents, config, progress, tokenizer, start, on_vocabulary, checkpoints)
    finish_training(learned.model, learned.messages, output, checkpoints, started, start)
    return learned.model


def finish_training(
    model: Model,
    messages: list[str],
    output: Path,
    checkpoints: Checkpoints | None,
    started: float,
    start: Model | None = None,
) -> None:
    """Save a model, and say what was learned."""
    from doc2vecc import storage

    storage.save(model, output)
    if checkpoints is not None:
        checkpoints.remove()
    n_earlier = 0 if start is None else len(start.record.history)
    say_what_was_learned(model, time.perf_counter() - started, n_earlier)
    say_notes(messages)
    say(f"saved to {output}")
    record = model.record
    advice = after_training(record.settings, record.history[-1].words, record.report["documents"])
    if start is None and advice:
        say(f"advice: {advice}")


def _load_start(path: Path, tokenizer: Tokenizer | None) -> Model:
    """Read a model, or the word vectors of another program; either has its own rule of what a token is."""
    from doc2vecc import exports, storage
    from doc2vecc.corpus.token_rules import stop_words_of

    if stop_words_of(tokenizer):
        raise UserError("--stop-words is for a new model; the model to start from has its own, so omit the option")
    is_model = not path.exists() or ((path / storage.CONFIG_FILE).exists() and storage.is_model_folder(path))
    if is_model:
        return storage.load(path, tokenizer)
    if tokenizer is not None:
        raise UserError("training from word vectors uses the built-in rule; omit --tokenizer or --token-pattern")
    return exports.read_word_vectors(path)


def _is_given(context: typer.Context, name: str) -> bool:
    """Return whether the user gave an option; its value may be that of the default."""
    source = context.get_parameter_source(name)
    return source is not None and source.name == "COMMANDLINE"


def _settings_of(model: Model, given: dict[str, Any]) -> dict[str, Any]:
    """Return the settings that a model decides; the user may not give others."""
    decided = {
        "vector_size": model.dim,
        "ngram_range": model.record.settings.get("ngram_range"),
        "binary": model.binary,
        "predict_ngrams": model.record.settings.get("predict_ngrams", True),
    }
    for name in decided.keys() & given.keys():
        if given[name] != decided[name]:
            raise UserError(
                f"--{name.replace('_', '-')} is {given[name]}, but the model to start from has {decided[name]}; "
                "omit it, or train a new model"
            )
    return decided


def check_model_folder(folder: Path, *, force: bool) -> None:
    """Refuse a place where a model cannot be saved, before any work is done."""
    from doc2vecc.files import remove_leftovers
    from doc2vecc.storage import is_model_folder

    if folder.exists():
        if not is_model_folder(folder):
            raise ModelFolderError(f"{folder} exists and is not a doc2vecc model; choose another name or remove it")
        if not force:
            raise ModelFolderError(f"{folder} exists; choose another name, or replace it with --force")
    parent = next(place for place in folder.absolute().parents if place.exists())
    if not parent.is_dir():
        raise ModelFolderError(f"{folder} cannot be created, because {parent} is not a folder; choose another name")
    if not os.access(parent, os.W_OK | os.X_OK):
        raise ModelFolderError(f"the folder {parent} cannot be written to; choose another one")
    remove_leftovers(parent)


def say_sizes(vocabulary: Vocabulary, table_bytes: int) -> None:
    """Write to stderr what is going to be learned, where n-grams make that large."""
    if len(vocabulary.ngrams):
        say(f"learning {_words_and_ngrams(vocabulary)}: {table_bytes / 1e6:,.0f} MB for their vectors")


def say_what_was_learned(model: Model, seconds: float, n_earlier_epochs: int = 0) -> None:
    """Write the numbers of a training to stderr."""
    from doc2vecc.overview import words_of_epochs

    report, history = model.record.report, model.record.history
    if report["unspaced_tokens"] and len(model.vocabulary.ngrams) and model.record.settings["ngram_range"] is None:
        say(
            f"{counted(report['unspaced_tokens'], 'token')} of {report['tokens']:,} are characters of scripts without "
            "spaces, so runs of them are n-grams; --ngram-range 1 1 turns this off"
        )
    epochs = counted(len(history) - n_earlier_epochs, "epoch")
    if model.record.settings["epochs"] == "auto":
        epochs += f" (--epochs auto, for {counted(words_of_epochs(model), 'word')} of text)"
    say(
        f"learned {_words_and_ngrams(model.vocabulary)} from {counted(report['documents'], 'document')} "
        f"with {counted(report['tokens'], 'token')} in {seconds:.1f} s; "
        f"loss {history[-1].loss:.3f} in the last of {epochs}"
    )


def _words_and_ngrams(vocabulary: Vocabulary) -> str:
    words = counted(vocabulary.n_words, "word")
    return f"{words} and {counted(len(vocabulary.ngrams), 'n-gram')}" if len(vocabulary.ngrams) else words
