"""``doc2vecc evaluate``: how well a linear classifier separates the classes of documents, compared with tf-idf."""

from __future__ import annotations

import json
import math
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from doc2vecc.cli.options import Force, InputFormat, Strict, TextColumn, UserError, Workers
from doc2vecc.config import available_cores
from doc2vecc.console import (
    notify_on_compile,
    one_line,
    print_table,
    progress_bar,
    say_notes,
    stdout,
    zero_vectors_message,
)
from doc2vecc.files import atomic_write, check_target

if TYPE_CHECKING:
    from collections.abc import Callable

    import numpy.typing as npt
    from rich.console import Console

    from doc2vecc.evaluation import ProbeResult
    from doc2vecc.evaluation.comparison import TfidfComparison
    from doc2vecc.evaluation.labeled import LabeledDocuments

    VectorsOf = Callable[[LabeledDocuments, int], npt.NDArray[Any]]  # documents, rows of the input -> vectors

TEST_SHARE = 0.25
MAX_CLASSES = 12  # a table of more would not fit on a screen
SHOWN = 10  # of many classes or confusions


def evaluate(
    model: Annotated[
        Path,
        typer.Argument(
            metavar="MODEL",
            help="Folder made by doc2vecc train; or a .npy file of any vectors, one for every row of FILE.",
            show_default=False,
        ),
    ],
    source: Annotated[
        str, typer.Argument(metavar="FILE", help="File or folder of documents with labels.", show_default=False)
    ],
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
            help="Without a split column: share of every class to evaluate on.",
            show_default=str(TEST_SHARE),
        ),
    ] = None,
    seed: Annotated[int, typer.Option(min=0, help="Seed of the random split.")] = 0,
    json_output: Annotated[
        str | None,
        typer.Option("--json", metavar="OUT", help="Write all values to a file; - is stdout, without the tables."),
    ] = None,
    text_column: TextColumn = None,
    input_format: InputFormat = None,
    strict: Strict = False,
    force: Force = False,
    workers: Workers = None,
) -> None:
    """Classify documents by their vectors with a linear SVM, and by tf-idf for comparison.

    Example: [bold]doc2vecc evaluate reviews.d2v reviews.csv --label-column label --test-share 0.3[/bold]
    """
    target = None if json_output in (None, "-") else Path(str(json_output))
    _check_options(split_column, test_share, target, force=force)

    from doc2vecc.corpus.sources import read_files
    from doc2vecc.evaluation import split_labeled
    from doc2vecc.evaluation.comparison import compare_with_tfidf
    from doc2vecc.evaluation.labeled import read_labeled, split_by_value

    n_workers = workers or available_cores()
    batches = read_files([source], text_column=text_column, strict=strict, input_format=input_format, keep_columns=True)
    vectors_of = _load_vectors(model) if model.suffix == ".npy" else _load_model(model, n_workers)
    with notify_on_compile(), progress_bar(True, batches) as progress:
        documents = read_labeled(
            batches, label_column, split_column=split_column, unlabeled=unlabeled or (), on_batch=progress.reading
        )
        if documents.splits is not None:
            split = split_by_value(documents.splits, train_value, test_value)
        else:
            split = split_labeled(documents.labels, test_share=test_share or TEST_SHARE, seed=seed)
        vectors = vectors_of(documents, batches.report.documents)
        comparison = compare_with_tfidf(vectors, documents, split, seed=seed, workers=n_workers)
    if json_output is not None:
        settings = {"model": str(model), "file": source, "label_column": label_column, "seed": seed}
        with atomic_write(target) as file:
            file.write((json.dumps({**settings, **comparison.as_json()}, ensure_ascii=False) + "\n").encode())
    if json_output != "-":
        _print_comparison(stdout(), comparison, model.name if model.suffix == ".npy" else "Doc2VecC")
    zero = zero_vectors_message(int((~vectors.any(axis=1)).sum()), len(vectors))
    say_notes(batches.report.messages() + comparison.messages() + zero)


def _check_options(split_column: str | None, test_share: float | None, target: Path | None, *, force: bool) -> None:
    """Raise for options that cannot be used together, before anything is read."""
    if split_column is not None and test_share is not None:
        raise UserError("--test-share is for files without a split; leave it out, or --split-column")
    if test_share is not None and not 0.001 <= test_share <= 0.999:
        raise UserError(
            f"--test-share {test_share:g} does not fit; it must be from 0.001 to 0.999, such as {TEST_SHARE}"
        )
    if target is not None:
        check_target(target, force=force)


# ---- where the vectors come from


def _load_model(folder: Path, workers: int) -> VectorsOf:
    import numpy as np

    from doc2vecc.storage import load

    loaded = load(folder)
    return lambda documents, _n_rows: np.concatenate(
        [loaded.embed(texts, workers).vectors for texts in documents.texts]
    )


def _load_vectors(path: Path) -> VectorsOf:
    import numpy as np

    try:
        vectors = np.load(path, mmap_mode="r", allow_pickle=False)
    except (OSError, ValueError, EOFError) as error:
        raise UserError(f"cannot read vectors from {path}: {error}; numpy.save writes such files") from error

    def chosen(documents: LabeledDocuments, n_rows: int) -> npt.NDArray[Any]:
        if vectors.ndim != 2 or len(vectors) != n_rows:
            raise UserError(
                f"{path} has the shape {vectors.shape}, but the file has {n_rows:,} documents; "
                "there must be a row for each of them"
            )
        return np.asarray(vectors[documents.rows])

    return chosen


# ---- tables


def _print_comparison(console: Console, comparison: TfidfComparison, name: str) -> None:
    train, test = comparison.split
    labels = comparison.vectors.labels
    console.print(f"learned from {len(train):,} documents, evaluated on {len(test):,}; {len(labels):,} classes\n")
    rows = [_summary(f"{name}, {comparison.dimensions:,} dimensions", comparison.vectors)]
    if comparison.tfidf is not None:
        rows.append(_summary(f"tf-idf, {comparison.tfidf_words:,} words", comparison.tfidf))
    rows.append(["most frequent class", f"{100 * comparison.majority_error:.2f}", "", ""])
    headings = ["linear SVM on", "error %", "mean F1 %", "C"]
    print_table(console, headings, rows, right=headings[1:])
    console.print()
    _print_classes(console, comparison, name)
    console.print()
    if len(labels) <= MAX_CLASSES:
        _print_matrix(console, comparison.vectors, name)
    else:
        _print_confusions(console, comparison.vectors, name)


def _summary(name: str, result: ProbeResult) -> list[str]:
    return [name, f"{100 * result.error:.2f}", f"{100 * result.macro_f1:.2f}", f"{result.c:g}"]


def _print_classes(console: Console, comparison: TfidfComparison, name: str) -> None:
    """Print the F1 of every class; of many classes, those with the lowest F1 of the vectors."""
    vectors = comparison.vectors
    n_documents = vectors.confusion.sum(axis=1)
    results = {name: vectors} if comparison.tfidf is None else {name: vectors, "tf-idf": comparison.tfidf}
    headings = ["class", "test documents", *(f"F1 % {one}" for one in results)]
    shown = list(range(len(vectors.labels)))
    if len(shown) > MAX_CLASSES:
        shown = sorted((i for i in shown if n_documents[i]), key=lambda i: float(vectors.f1[i]))[:SHOWN]
        headings[0] = "weakest classes"
    rows = [
        [str(vectors.labels[i]), f"{n_documents[i]:,}", *(_percent(float(one.f1[i])) for one in results.values())]
        for i in shown
    ]
    print_table(console, headings, rows, right=headings[1:])


def _print_matrix(console: Console, result: ProbeResult, name: str) -> None:
    """Print how many documents of each class were put into each class."""
    names = [one_line(str(label)) for label in result.labels]
    rows = [[label, *(f"{n:,}" for n in row)] for label, row in zip(names, result.confusion.tolist(), strict=True)]
    print_table(console, [f"put by {name} into ->", *names], rows, right=names)


def _print_confusions(console: Console, result: ProbeResult, name: str) -> None:
    """Print the most frequent confusions."""
    counts = result.confusion.copy()
    n_documents = counts.sum(axis=1)
    counts[range(len(counts)), range(len(counts))] = 0
    largest = (-counts).argsort(axis=None, kind="stable")[:SHOWN].tolist()
    rows = []
    for truth, predicted in (divmod(place, len(counts)) for place in largest):
        if n := int(counts[truth, predicted]):
            share = f"{100 * n / n_documents[truth]:.0f} %"
            rows.append([str(result.labels[truth]), str(result.labels[predicted]), f"{n:,}", share])
    headings = ["class", f"put by {name} into", "documents", "of the class"]
    print_table(console, headings, rows, right=headings[2:])


def _percent(share: float) -> str:
    return "-" if math.isnan(share) else f"{100 * share:.2f}"
