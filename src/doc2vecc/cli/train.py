"""``doc2vecc train``: texts become a model."""

from __future__ import annotations

import os
import shlex
import time
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from doc2vecc.cli.options import Force, InputFormat, Inputs, Strict, TextColumn, Workers, with_training_options
from doc2vecc.config import TrainingConfig, available_cores, resolve_defaults
from doc2vecc.console import counted, notify_on_compile, program, progress_bar, say, say_notes
from doc2vecc.errors import ModelFolderError

if TYPE_CHECKING:
    from doc2vecc.corpus.vocabulary import Vocabulary
    from doc2vecc.model import Model


@with_training_options
def train(
    inputs: Inputs,
    output: Annotated[
        Path, typer.Option("-o", "--output", metavar="MODEL", help="Folder to write.", show_default=False)
    ],
    text_column: TextColumn = None,
    input_format: InputFormat = None,
    start: Annotated[
        Path | None,
        typer.Option(
            metavar="MODEL",
            help="Continue training from this model: its words keep learning, new words join them; its dimension, "
            "n-grams, --predict-ngrams and --binary stay.",
        ),
    ] = None,
    strict: Strict = False,
    force: Force = False,
    workers: Workers = None,
    **settings: Any,  # noqa: ANN401 - the training parameters
) -> None:
    """Learn vectors from your texts.

    Example: [bold]doc2vecc train reviews.csv -o reviews.d2v --epochs 10[/bold]
    Example: [bold]doc2vecc train reviews.csv --start reviews.d2v -o newer.d2v[/bold]
    """
    from doc2vecc import storage

    started = time.perf_counter()
    start_model = None if start is None else storage.load(start)
    if start_model is not None:
        settings |= {
            "vector_size": start_model.dim,
            "ngram_range": (1, start_model.vocabulary.longest_ngram),
            "binary": start_model.binary,
            "predict_ngrams": start_model.record.settings.get("predict_ngrams", True),
        }
    config = TrainingConfig(**resolve_defaults(settings), workers=workers or available_cores())
    check_model_folder(output, force=force)

    from doc2vecc.corpus.sources import read_files
    from doc2vecc.training.learning import learn

    documents = read_files(inputs, text_column=text_column, strict=strict, input_format=input_format)
    with notify_on_compile(), progress_bar(True, documents) as progress:
        learned = learn(documents, config, progress, start=start_model, on_vocabulary=say_sizes)
    storage.save(learned.model, output)
    say_what_was_learned(learned.model, time.perf_counter() - started)
    say_notes(learned.messages)
    say(f"saved to {output}")
    word = suggest_query(learned.model)
    if word is not None:
        say(f"try: {program()} words {shlex.quote(str(output))} {shlex.quote(word)}")


def check_model_folder(folder: Path, *, force: bool) -> None:
    """Refuse a place where a model cannot be saved, before any work is done."""
    from doc2vecc.storage import is_model_folder

    if folder.exists():
        if not is_model_folder(folder):
            raise ModelFolderError(f"{folder} exists and is not a doc2vecc model; choose another name or remove it")
        if not force:
            raise ModelFolderError(f"{folder} exists; choose another name, or replace it with --force")
    parent = next(place for place in folder.absolute().parents if place.exists())
    if not parent.is_dir():
        raise ModelFolderError(f"{folder} cannot be made, because {parent} is not a folder; choose another name")
    if not os.access(parent, os.W_OK | os.X_OK):
        raise ModelFolderError(f"the folder {parent} cannot be written to; choose another one")


def say_sizes(vocabulary: Vocabulary, table_bytes: int) -> None:
    """Write to stderr what is going to be learned, where n-grams make that large."""
    if len(vocabulary.ngrams):
        say(f"learning {_words_and_ngrams(vocabulary)}: {table_bytes / 1e6:,.0f} MB for their vectors")


def say_what_was_learned(model: Model, seconds: float) -> None:
    """Write the numbers of a training to stderr."""
    report, history = model.record.report, model.record.history
    say(
        f"learned {_words_and_ngrams(model.vocabulary)} from {counted(report['documents'], 'document')} "
        f"with {counted(report['tokens'], 'token')} in {seconds:.1f} s; "
        f"loss {history[-1].loss:.3f} in the last of {counted(len(history), 'epoch')}"
    )


def _words_and_ngrams(vocabulary: Vocabulary) -> str:
    words = counted(vocabulary.n_words, "word")
    return f"{words} and {counted(len(vocabulary.ngrams), 'n-gram')}" if len(vocabulary.ngrams) else words


def suggest_query(model: Model) -> str | None:
    """Choose a word to try, with letters: if possible a longer one, and not one of the most frequent."""
    longer = [word for word in model.vocabulary.words[:1000] if word.isalpha() and len(word) > 4]
    with_letters = (word for word in model.vocabulary.words if word.isalnum() and not word.isnumeric())
    return longer[len(longer) // 4] if longer else next(with_letters, None)
