"""``doc2vecc train``: texts become a model."""

from __future__ import annotations

import os
import shlex
import time
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from doc2vecc.cli.options import Force, InputFormat, Inputs, Strict, TextColumn, UserError, Workers
from doc2vecc.console import notify_on_compile, program, say, say_notes
from doc2vecc.parameters import (
    NGRAM_DEFAULTS,
    WORD_DEFAULTS,
    Architecture,
    TrainingConfig,
    available_cores,
    resolve_defaults,
)

if TYPE_CHECKING:
    from doc2vecc.corpus.vocabulary import Vocabulary
    from doc2vecc.model import Model

DEFAULTS = TrainingConfig()
VECTORS = "The vectors"
LEARNING = "How they are learned"


def _suited(name: str, text: str) -> Any:  # noqa: ANN401 - what Typer gives and takes
    shown = f"{WORD_DEFAULTS[name]}, with n-grams {NGRAM_DEFAULTS[name]}"
    return typer.Option(help=text, rich_help_panel=LEARNING, show_default=shown)


def _setting(text: str, panel: str = LEARNING) -> Any:  # noqa: ANN401 - what Typer gives and takes
    return typer.Option(help=text, rich_help_panel=panel)


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
            help="Go on from this model: its words keep learning, new words join them; its size, n-grams, what "
            "they are for (--predict-ngrams) and way of counting (--binary) stay.",
        ),
    ] = None,
    strict: Strict = False,
    force: Force = False,
    workers: Workers = None,
    vector_size: Annotated[int, _setting("Length of the vectors.", VECTORS)] = DEFAULTS.vector_size,
    min_count: Annotated[int, _setting("Leave out words that occur less often.", VECTORS)] = DEFAULTS.min_count,
    max_final_vocab: Annotated[
        int | None, _setting("Keep this many of the most frequent words.", VECTORS)
    ] = DEFAULTS.max_final_vocab,
    ngram_range: Annotated[
        tuple[int, int], _setting("1 2 adds n-grams of two words, 1 3 of three as well.", VECTORS)
    ] = DEFAULTS.ngram_range,
    ngram_min_count: Annotated[
        int, _setting("Leave out n-grams that occur less often.", VECTORS)
    ] = DEFAULTS.ngram_min_count,
    max_ngrams: Annotated[
        int | None, _setting("Keep this many of the most frequent n-grams.", VECTORS)
    ] = DEFAULTS.max_ngrams,
    predict_ngrams: Annotated[
        bool, _setting("Predict n-grams, as words are; for opinions, not for topics.", VECTORS)
    ] = DEFAULTS.predict_ngrams,
    binary: Annotated[
        bool, _setting("Count each word and n-gram of a document once; for opinions, not for topics.", VECTORS)
    ] = DEFAULTS.binary,
    epochs: Annotated[int, _setting("Passes over the texts.")] = DEFAULTS.epochs,
    alpha: Annotated[float | None, _suited("alpha", "Learning rate at the start.")] = None,
    frequency_damping: Annotated[
        float | None, _suited("frequency_damping", "Words learn slower by their count to this power.")
    ] = None,
    architecture: Annotated[
        Architecture, _setting("Predict a word from all its neighbors at once, or from each in turn.")
    ] = DEFAULTS.architecture,
    window: Annotated[int, _setting("Neighbors to either side, at most.")] = DEFAULTS.window,
    document_only: Annotated[
        float, _setting("Share of words predicted from the document alone, without neighbors.")
    ] = DEFAULTS.document_only,
    keep: Annotated[float, _setting("Share of the document that survives the corruption.")] = DEFAULTS.keep,
    negative: Annotated[int, _setting("Negative samples per target.")] = DEFAULTS.negative,
    ns_exponent: Annotated[
        float, _setting("Noise is drawn by count to this power; 0 is uniform.")
    ] = DEFAULTS.ns_exponent,
    sample: Annotated[
        float, _setting("Thin words more frequent than this while learning; 0 keeps all.")
    ] = DEFAULTS.sample,
    shared_targets: Annotated[
        int, _setting("Neighboring targets that share one corrupted document and its noise.")
    ] = DEFAULTS.shared_targets,
    seed: Annotated[int, _setting("With one worker, the same seed gives the same model.")] = DEFAULTS.seed,
) -> None:
    """Learn vectors from your texts.

    Example: [bold]doc2vecc train reviews.csv -o reviews.d2v --epochs 10[/bold]
    Example: [bold]doc2vecc train reviews.csv --start reviews.d2v -o newer.d2v[/bold]
    """
    from doc2vecc import storage

    started = time.perf_counter()
    start_model = None if start is None else storage.load(start)
    if start_model is not None:  # what it is made of stays
        vector_size, ngram_range = start_model.dim, (1, start_model.vocabulary.longest_ngram)
        binary, predict_ngrams = start_model.binary, start_model.record.settings.get("predict_ngrams", True)
    config = _checked_config(
        vector_size=vector_size, min_count=min_count, max_final_vocab=max_final_vocab, ngram_range=ngram_range,
        ngram_min_count=ngram_min_count, max_ngrams=max_ngrams, predict_ngrams=predict_ngrams, binary=binary,
        epochs=epochs, alpha=alpha, frequency_damping=frequency_damping,
        architecture=architecture, window=window, document_only=document_only, keep=keep, negative=negative,
        ns_exponent=ns_exponent, sample=sample, shared_targets=shared_targets, seed=seed,
        workers=workers or available_cores(),
    )  # fmt: skip
    check_model_folder(output, force=force)

    from doc2vecc.console import progress_bar
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


def _checked_config(**settings: Any) -> TrainingConfig:  # noqa: ANN401 - the settings themselves are typed
    try:
        return TrainingConfig(**resolve_defaults(settings))
    except ValueError as error:
        raise UserError(str(error)) from error


def check_model_folder(folder: Path, *, force: bool) -> None:
    """Refuse a place where a model cannot be saved, before any work is done."""
    from doc2vecc.storage import is_model_folder

    if folder.exists():
        if not is_model_folder(folder):
            raise UserError(f"{folder} exists and is not a doc2vecc model; choose another name or remove it")
        if not force:
            raise UserError(f"{folder} exists; choose another name, or replace it with --force")
    parent = next(place for place in folder.absolute().parents if place.exists())
    if not parent.is_dir():
        raise UserError(f"{folder} cannot be made, because {parent} is not a folder; choose another name")
    if not os.access(parent, os.W_OK | os.X_OK):
        raise UserError(f"the folder {parent} cannot be written to; choose another one")


def say_sizes(vocabulary: Vocabulary, table_bytes: int) -> None:
    """Write to stderr what is going to be learned, where n-grams make that large."""
    from doc2vecc.console import counted

    if len(vocabulary.ngrams):
        say(
            f"learning {counted(vocabulary.n_words, 'word')} and {counted(len(vocabulary.ngrams), 'n-gram')}: "
            f"{table_bytes / 1e6:,.0f} MB for their vectors"
        )


def say_what_was_learned(model: Model, seconds: float) -> None:
    """Write the numbers of a training to stderr."""
    from doc2vecc.console import counted

    report, history = model.record.report, model.record.history
    say(
        f"learned {_words_and_ngrams(model.vocabulary)} from {counted(report['documents'], 'document')} "
        f"with {counted(report['tokens'], 'token')} in {seconds:.1f} s; "
        f"loss {history[-1].loss:.3f} in the last of {counted(len(history), 'epoch')}"
    )


def _words_and_ngrams(vocabulary: Vocabulary) -> str:
    from doc2vecc.console import counted

    words = counted(vocabulary.n_words, "word")
    return f"{words} and {counted(len(vocabulary.ngrams), 'n-gram')}" if len(vocabulary.ngrams) else words


def suggest_query(model: Model) -> str | None:
    """Choose a word to try, with letters: if possible a longer one, and not one of the most frequent."""
    longer = [word for word in model.vocabulary.words[:1000] if word.isalpha() and len(word) > 4]
    with_letters = (word for word in model.vocabulary.words if word.isalnum() and not word.isnumeric())
    return longer[len(longer) // 4] if longer else next(with_letters, None)
