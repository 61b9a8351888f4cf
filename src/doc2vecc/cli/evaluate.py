"""``doc2vecc evaluate``: how well a linear classifier separates the classes of documents, compared with tf-idf."""

from __future__ import annotations

import json
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from doc2vecc.advice import after_evaluation
from doc2vecc.cli.options import (
    Force,
    ReadingOptions,
    Tokenizer,
    UserError,
    Workers,
    with_reading_options,
    with_tokenizer_options,
)
from doc2vecc.config import available_cores, require
from doc2vecc.console import (
    ProgressListener,
    notify_on_compile,
    progress_bar,
    say,
    say_notes,
    stdout,
    zero_vectors_message,
)
from doc2vecc.files import atomic_write, check_target
from doc2vecc.tables import print_table

if TYPE_CHECKING:
    import numpy.typing as npt

    from doc2vecc.evaluation import ProbeResult
    from doc2vecc.evaluation.comparison import LabeledDocuments, TfidfComparison
    from doc2vecc.model import Model

TEST_SHARE = 0.25
SHOWN = 12  # of many classes or confusions


@with_tokenizer_options
@with_reading_options
def evaluate(
    model: Annotated[
        Path,
        typer.Argument(
            metavar="MODEL",
            help="Folder made by doc2vecc train, or a .npy file with any vectors, one for every row of FILE.",
            show_default=False,
        ),
    ],
    source: Annotated[
        str, typer.Argument(metavar="FILE", help="File or folder of documents with labels.", show_default=False)
    ],
    reading: ReadingOptions,
    tokenizer: Tokenizer | None,
    label_column: Annotated[
        str, typer.Option(metavar="NAME", help="Column with the class of each document.")
    ] = "label",
    unlabeled: Annotated[
        list[str] | None,
        typer.Option(metavar="VALUE", help="A value that means no label, such as -1; may be repeated."),
    ] = None,
    split_column: Annotated[
        str | None, typer.Option(metavar="NAME", help="Column with the split of each document, such as train or test.")
    ] = None,
    train_value: Annotated[
        str, typer.Option(metavar="VALUE", help="Value of the split column for training documents.")
    ] = "train",
    test_value: Annotated[
        str, typer.Option(metavar="VALUE", help="Value of the split column for test documents.")
    ] = "test",
    test_share: Annotated[
        float | None,
        typer.Option(
            metavar="SHARE",
            help="Share of each class to evaluate on, without a split column.",
            show_default=str(TEST_SHARE),
        ),
    ] = None,
    seed: Annotated[int, typer.Option(min=0, help="Seed of the random split.")] = 0,
    json_output: Annotated[
        str | None,
        typer.Option("--json", metavar="OUT", help="Write all values to a file; - is stdout, without the tables."),
    ] = None,
    force: Force = False,
    workers: Workers = None,
) -> None:
    """Classify documents with a linear SVM on their vectors, and on tf-idf for comparison.

    Example: [bold]doc2vecc evaluate reviews.d2v reviews.csv --label-column label --test-share 0.3[/bold]
    """
    target = None if json_output in (None, "-") else Path(str(json_output))
    if split_column is not None and test_share is not None:
        raise UserError("--test-share is for files without a split; omit it or --split-column")
    share = TEST_SHARE if test_share is None else test_share
    require("test_share", share, low=0.001, high=0.999)
    if target is not None:
        check_target(target, force=force)

    from doc2vecc.baselines import BagOfWords
    from doc2vecc.corpus.sources import read_files
    from doc2vecc.evaluation import split_labeled
    from doc2vecc.evaluation.comparison import TFIDF_MIN_COUNT, compare_with_tfidf, read_labeled, split_by_value
    from doc2vecc.model import Model
    from doc2vecc.storage import load

    n_workers = workers or available_cores()
    batches = read_files([source], **reading, keep_columns=True)
    loaded = _load_vectors(model) if model.suffix == ".npy" else load(model, tokenizer)
    with notify_on_compile(), progress_bar(True, batches) as progress:
        documents = read_labeled(
            batches, label_column, split_column=split_column, unlabeled=unlabeled or (), on_batch=progress.reading
        )
        if documents.splits is not None:
            split = split_by_value(documents.splits, train_value, test_value)
        else:
            split = split_labeled(documents.labels, test_share=share, seed=seed)
        vectors = _vectors(loaded, documents, model.name, batches.report.documents, n_workers, progress)
        rule = loaded.tokenizer if isinstance(loaded, Model) else None
        bags = BagOfWords("tfidf", min_count=TFIDF_MIN_COUNT, tokenizer=rule, workers=n_workers)
        comparison = compare_with_tfidf(vectors, documents, split, bags, seed=seed, report=progress.working)
    if json_output is not None:
        given = {"model": str(model), "file": source, "label_column": label_column, "seed": seed}
        with atomic_write(target) as file:
            file.write((json.dumps({**given, **comparison.as_json()}, ensure_ascii=False) + "\n").encode())
    if json_output != "-":
        _print_comparison(comparison, model.name if model.suffix == ".npy" else "Doc2VecC")
    zero = zero_vectors_message(int((~vectors.any(axis=1)).sum()), len(vectors))
    say_notes(batches.report.messages() + comparison.messages() + zero)
    if isinstance(loaded, Model):
        probed, n_documents = comparison.vectors, loaded.record.report.get("documents", 0)
        longest = loaded.vocabulary.longest_ngram
        if advice := after_evaluation(loaded.dim, longest, n_documents, len(probed.labels), probed.error):
            say(f"advice: {advice}")


def _load_vectors(path: Path) -> npt.NDArray[Any]:
    from doc2vecc.storage import mapped_array

    try:
        return mapped_array(path)
    except (OSError, ValueError) as error:
        raise UserError(f"cannot read vectors from {path}: {error}; numpy.save writes such files") from error


def _vectors(
    loaded: Model | npt.NDArray[Any],
    documents: LabeledDocuments,
    name: str,
    n_rows: int,
    workers: int,
    progress: ProgressListener,
) -> npt.NDArray[Any]:
    """Return the vectors of labeled documents: by a model, or their rows of a matrix."""
    import numpy as np

    if not isinstance(loaded, np.ndarray):
        chunks, parts = documents.texts.chunks, []
        for number, texts in enumerate(chunks, start=1):
            parts.append(loaded.embed(texts, workers).vectors)
            progress.working("embedding", number / len(chunks))
        return np.concatenate(parts)
    if loaded.ndim != 2 or len(loaded) != n_rows:
        raise UserError(
            f"{name} has the shape {loaded.shape}, but the file has {n_rows:,} documents; "
            "there must be one row per document"
        )
    return np.asarray(loaded[documents.rows])


def _print_comparison(comparison: TfidfComparison, name: str) -> None:
    console = stdout()
    train, test = comparison.split
    vectors, tfidf = comparison.vectors, comparison.tfidf
    n_classes = len(vectors.labels)
    console.print(f"trained on {len(train):,} documents, evaluated on {len(test):,}; {n_classes:,} classes\n")
    results = {name: vectors} if tfidf is None else {name: vectors, "tf-idf": tfidf}
    rows = [
        [
            f"{one}, {result.dimensions:,} {'words' if result is tfidf else 'dimensions'}",
            f"{100 * result.error:.2f}",
            f"{100 * result.macro_f1:.2f}",
            f"{result.c:g}",
        ]
        for one, result in results.items()
    ]
    rows.append(["most frequent class", f"{100 * comparison.majority_error:.2f}", "", ""])
    headings = ["linear SVM on", "error %", "mean F1 %", "C"]
    print_table(console, headings, rows, right=headings[1:])
    console.print()
    _print_classes(results)
    console.print()
    _print_confusions(vectors, name)


def _print_classes(results: dict[str, ProbeResult]) -> None:
    """Print the F1 of the classes of the test split, those with the lowest F1 of the first result."""
    first = next(iter(results.values()))
    n_documents = first.confusion.sum(axis=1)
    weakest = [i for i in first.f1.argsort(kind="stable").tolist() if n_documents[i]]
    title = "class" if len(weakest) <= SHOWN else "weakest classes"
    headings = [title, "test documents", *(f"F1 % {name}" for name in results)]
    rows = [
        [str(first.labels[i]), f"{n_documents[i]:,}", *(f"{100 * one.f1[i]:.2f}" for one in results.values())]
        for i in weakest[:SHOWN]
    ]
    print_table(stdout(), headings, rows, right=headings[1:])


def _print_confusions(result: ProbeResult, name: str) -> None:
    """Print the most frequent confusions."""
    counts, n_documents = result.confusion.copy(), result.confusion.sum(axis=1)
    counts[range(len(counts)), range(len(counts))] = 0
    rows = []
    for place in (-counts).argsort(axis=None, kind="stable")[:SHOWN].tolist():
        truth, predicted = divmod(place, len(counts))
        if n := int(counts[truth, predicted]):
            share = f"{100 * n / n_documents[truth]:.0f} %"
            rows.append([str(result.labels[truth]), str(result.labels[predicted]), f"{n:,}", share])
    headings = ["class", f"predicted by {name}", "documents", "of the class"]
    print_table(stdout(), headings, rows, right=headings[2:])
