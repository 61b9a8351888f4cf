"""``doc2vecc evaluate``: how well vectors tell the classes of documents apart, beside tf-idf."""

from __future__ import annotations

import json
import math
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from doc2vecc.cli.compiling import notify_on_compile
from doc2vecc.cli.options import Force, InputFormat, Strict, TextColumn, UserError, Workers
from doc2vecc.console import one_line, print_table, say_notes, stdout
from doc2vecc.parameters import available_cores

if TYPE_CHECKING:
    from collections.abc import Callable

    import numpy.typing as npt
    from rich.console import Console

    from doc2vecc.evaluation.classification import ProbeResult, Split
    from doc2vecc.evaluation.comparison import Comparison
    from doc2vecc.evaluation.labeled import LabeledDocuments

    VectorsOf = Callable[[LabeledDocuments, int], npt.NDArray[Any]]  # documents, rows of the input -> vectors

TEST_SHARE = 0.25
MOST_CLASSES = 12  # with more, a table of them all would not fit on a screen
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
        str,
        typer.Argument(metavar="FILE", help="File or folder of documents with labels.", show_default=False),
    ],
    label_column: Annotated[
        str, typer.Option(metavar="NAME", help="Column with the class of each document.")
    ] = "label",
    unlabeled: Annotated[
        list[str] | None,
        typer.Option(metavar="VALUE", help="A label that means none, as an empty one does; may be repeated."),
    ] = None,
    split_column: Annotated[
        str | None,
        typer.Option(metavar="NAME", help="Column that says what to learn from and what to ask about."),
    ] = None,
    train_value: Annotated[
        str, typer.Option(metavar="VALUE", help="In the split column: learn from it.")
    ] = "train",
    test_value: Annotated[str, typer.Option(metavar="VALUE", help="In the split column: ask about it.")] = "test",
    test_share: Annotated[
        float | None,
        typer.Option(
            metavar="SHARE", help="Without a split column: share of every class to ask about.", show_default="0.25"
        ),
    ] = None,
    seed: Annotated[int, typer.Option(min=0, help="Names the random split.")] = 0,
    json_output: Annotated[
        str | None,
        typer.Option("--json", metavar="OUT", help="Write all figures to a file; - is stdout, without the tables."),
    ] = None,
    text_column: TextColumn = None,
    input_format: InputFormat = None,
    strict: Strict = False,
    force: Force = False,
    workers: Workers = None,
) -> None:
    """Tell the classes of documents apart by their vectors, with a linear SVM, and by tf-idf for comparison.

    Example: [bold]doc2vecc evaluate reviews.d2v reviews.csv --label-column label --test-share 0.3[/bold]
    """
    target = None if json_output in (None, "-") else Path(str(json_output))
    _check_options(split_column, test_share, target, force=force)

    from doc2vecc.console import progress_bar
    from doc2vecc.corpus.sources import read_files
    from doc2vecc.evaluation.comparison import compare_with_tfidf
    from doc2vecc.evaluation.labeled import read_labeled
    from doc2vecc.outputs import open_target

    n_workers = workers or available_cores()
    batches = read_files(
        [source], text_column=text_column, strict=strict, input_format=input_format, keep_columns=True
    )
    vectors_of = _loaded_vectors(model) if model.suffix == ".npy" else _loaded_model(model, n_workers)
    with notify_on_compile(), progress_bar(True, batches) as progress:
        documents = read_labeled(
            batches,
            label_column,
            split_column=split_column,
            unlabeled=unlabeled or (),
            on_batch=progress.reading,
        )
        split = _split(documents, train_value, test_value, TEST_SHARE if test_share is None else test_share, seed)
        vectors = vectors_of(documents, batches.report.documents)
        comparison = compare_with_tfidf(vectors, documents, split, seed=seed, workers=n_workers)
    settings = {"model": str(model), "file": source, "label_column": label_column, "seed": seed}
    everything = json.dumps({**settings, **comparison.as_json()}, ensure_ascii=False) + "\n"
    if json_output is not None:
        with open_target(target, "json") as file:
            file.write(everything.encode())
    if json_output != "-":
        name = model.name if model.suffix == ".npy" else "Doc2VecC"
        _print_comparison(stdout(), comparison, name)
    n_zero = int((~vectors.any(axis=1)).sum())
    zero = [f"{n_zero:,} of {len(vectors):,} vectors are zero, as those of documents without a known word"]
    say_notes(batches.report.messages() + comparison.messages() + (zero if n_zero else []))


def _check_options(split_column: str | None, test_share: float | None, target: Path | None, *, force: bool) -> None:
    """Refuse what does not go together, before anything is read."""
    from doc2vecc.outputs import check_target

    if split_column is not None and test_share is not None:
        raise UserError("--test-share is for files without a split; leave it out, or --split-column")
    if test_share is not None and not 0.001 <= test_share <= 0.999:
        raise UserError(
            f"--test-share {test_share:g} does not fit; it must be from 0.001 to 0.999, such as {TEST_SHARE}"
        )
    if target is not None:
        check_target(target, force=force)


def _split(documents: LabeledDocuments, train_value: str, test_value: str, test_share: float, seed: int) -> Split:
    from doc2vecc.evaluation.classification import split_labeled
    from doc2vecc.evaluation.labeled import split_by_value

    if documents.parts is None:
        return split_labeled(documents.labels, test_share=test_share, seed=seed)
    return split_by_value(documents.parts, train_value, test_value)


# ---- where the vectors come from


def _loaded_model(folder: Path, workers: int) -> VectorsOf:
    import numpy as np

    from doc2vecc.storage import load

    loaded = load(folder)

    def embedded(documents: LabeledDocuments, _n_rows: int) -> npt.NDArray[Any]:
        return np.concatenate([loaded.embed(texts, workers).vectors for texts in documents.texts])

    return embedded


def _loaded_vectors(path: Path) -> VectorsOf:
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


# ---- what is shown


def _print_comparison(console: Console, comparison: Comparison, name: str) -> None:
    train, test = comparison.split
    labels = comparison.vectors.labels
    console.print(f"learned from {len(train):,} documents, asked about {len(test):,}; {len(labels):,} classes\n")
    rows = [_summary(f"{name}, {comparison.dimensions:,} numbers", comparison.vectors)]
    if comparison.tfidf is not None:
        rows.append(_summary(f"tf-idf, {comparison.tfidf_words:,} words", comparison.tfidf))
    rows.append(["most frequent class", f"{100 * comparison.majority_error:.2f}", "", ""])
    headings = ["linear SVM on", "error %", "mean F1 %", "C"]
    print_table(console, headings, rows, right=headings[1:])
    console.print()
    _print_classes(console, comparison, name)
    console.print()
    if len(labels) <= MOST_CLASSES:
        _print_matrix(console, comparison.vectors, name)
    else:
        _print_confusions(console, comparison.vectors, name)


def _summary(name: str, result: ProbeResult) -> list[str]:
    return [name, f"{100 * result.error:.2f}", f"{100 * result.macro_f1:.2f}", f"{result.c:g}"]


def _print_classes(console: Console, comparison: Comparison, name: str) -> None:
    """Print the F1 of every class or, of many, of those that the vectors tell worst."""
    ours, theirs = comparison.vectors, comparison.tfidf
    asked = ours.confusion.sum(axis=1)
    shown = {name: ours} if theirs is None else {name: ours, "tf-idf": theirs}
    headings = ["class", "asked about", *(f"F1 % {one}" for one in shown)]
    numbers = range(len(ours.labels))
    if len(numbers) > MOST_CLASSES:
        numbers = sorted((i for i in numbers if asked[i]), key=lambda i: float(ours.f1[i]))[:SHOWN]  # type: ignore[assignment]
        headings[0] = "weakest classes"
    rows = [
        [str(ours.labels[i]), f"{asked[i]:,}", *(_percent(float(result.f1[i])) for result in shown.values())]
        for i in numbers
    ]
    print_table(console, headings, rows, right=headings[1:])


def _print_matrix(console: Console, result: ProbeResult, name: str) -> None:
    """Print how many documents of each class went where."""
    names = [one_line(str(label)) for label in result.labels]
    headings = [f"put by {name} into ->", *names]
    rows = [[label, *(f"{n:,}" for n in row)] for label, row in zip(names, result.confusion.tolist(), strict=True)]
    print_table(console, headings, rows, right=names)


def _print_confusions(console: Console, result: ProbeResult, name: str) -> None:
    """Print the most frequent confusions."""
    counts = result.confusion.copy()
    asked = counts.sum(axis=1)
    counts[range(len(counts)), range(len(counts))] = 0
    largest = (-counts).argsort(axis=None, kind="stable")[:SHOWN].tolist()
    rows = []
    for truth, predicted in (divmod(place, len(counts)) for place in largest):
        if n := int(counts[truth, predicted]):
            share = f"{100 * n / asked[truth]:.0f} %"
            rows.append([str(result.labels[truth]), str(result.labels[predicted]), f"{n:,}", share])
    headings = ["class", f"put by {name} into", "documents", "of the class"]
    print_table(console, headings, rows, right=headings[2:])


def _percent(share: float) -> str:
    return "-" if math.isnan(share) else f"{100 * share:.2f}"
