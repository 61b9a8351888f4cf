"""Documents with their classes from a file, and vectors beside tf-idf on them: the same split, the same probe."""

import math
import warnings
from collections import Counter
from collections.abc import Callable, Sequence
from contextlib import suppress
from dataclasses import dataclass
from functools import partial
from typing import Any

import numpy as np
import numpy.typing as npt
import pyarrow as pa

from doc2vecc.console import counted
from doc2vecc.corpus.sources import TextBatches
from doc2vecc.errors import CorpusWarning, EmptyVocabularyError, EvaluationError
from doc2vecc.evaluation.checking import Matrix
from doc2vecc.evaluation.classification import ProbeResult, Split, linear_probe, majority_error

TFIDF_MIN_COUNT = 2  # a word that occurs once says nothing about another document
SMALL_SPLIT, FOLDS = 5_000, 3  # below so many training documents C is chosen by cross-validation: a fifth is too few
_FEW_TO_TEST = 50  # documents
_NAMED_CLASSES = 5
_SHOWN_VALUES = 10


@dataclass(frozen=True)
class LabeledDocuments:
    """The documents that have a label."""

    texts: pa.ChunkedArray  # of large_string
    labels: npt.NDArray[Any]  # whole numbers if the column holds such, otherwise strings
    rows: npt.NDArray[np.int64]  # where each document is in the input, counted from 0
    splits: npt.NDArray[np.str_] | None  # the values of the split column, if there is one
    unlabeled: int  # documents without a label, which were left out
    unlabeled_texts: pa.ChunkedArray  # theirs, if they are kept


def read_labeled(
    batches: TextBatches,
    label_column: str,
    *,
    split_column: str | None = None,
    unlabeled: Sequence[str] = (),
    keep_unlabeled: bool = False,
    on_batch: Callable[[int], None] | None = None,
) -> LabeledDocuments:
    """Read documents whose other columns are kept; those without a label are counted, and left out or kept apart.

    A label is missing if it is null, NaN, empty, or written like one of ``unlabeled``.
    """
    texts, unlabeled_texts, labels, rows, splits = [], [], [], [], []
    n_read = 0
    for batch in batches:
        found = [as_label(value) for value in _column(batch, label_column, "--label-column").to_pylist()]
        chosen = [place for place, label in enumerate(found) if label is not None and str(label) not in unlabeled]
        labels += [found[place] for place in chosen]
        rows += [n_read + place for place in chosen]
        places = pa.array(chosen, pa.int64())
        texts.append(batch.column(batches.text_column).take(places))
        if keep_unlabeled:
            others = np.setdiff1d(np.arange(batch.num_rows), places)
            unlabeled_texts.append(batch.column(batches.text_column).take(pa.array(others)))
        if split_column is not None:
            splits += _column(batch, split_column, "--split-column").take(places).to_pylist()
        n_read += batch.num_rows
        if on_batch is not None:
            on_batch(batch.num_rows)
    _check_classes(labels, label_column, n_read)
    return LabeledDocuments(
        pa.chunked_array(texts, pa.large_string()),
        np.array(labels),
        np.array(rows, np.int64),
        None if split_column is None else np.array(["" if value is None else str(value) for value in splits]),
        n_read - len(labels),
        pa.chunked_array(unlabeled_texts, pa.large_string()),
    )


def split_by_value(splits: npt.NDArray[np.str_], train_value: str, test_value: str) -> Split:
    """Return the rows of the value ``train_value`` and those of ``test_value``.

    >>> split_by_value(np.array(["train", "test", "dev", "train"]), "train", "test")
    Split(train=array([0, 3]), test=array([1]))
    """
    if train_value == test_value:
        raise EvaluationError(f"both splits are {train_value!r}; give --train-value and --test-value different values")
    for value, option in ((train_value, "--train-value"), (test_value, "--test-value")):
        if value not in splits:
            counts = Counter(splits.tolist()).most_common(_SHOWN_VALUES)
            found = ", ".join(f"{name!r} ({count:,})" for name, count in counts)
            raise EvaluationError(
                f"no labeled document is in the split {value!r}; the splits are {found}. Name one with {option}"
            )
    return Split(np.flatnonzero(splits == train_value), np.flatnonzero(splits == test_value))


def as_label(value: object) -> int | str | None:
    """Return the class that a value names: 1.0 -> 1, True -> "True", NaN and "" -> None.

    >>> [as_label(value) for value in (1.0, 2.5, "pos", "", None, float("nan"))]
    [1, '2.5', 'pos', None, None, None]
    """
    if value is None or value == "" or value != value:  # NaN is the value that differs from itself
        return None
    if isinstance(value, float) and value.is_integer():
        return int(value)
    return value if isinstance(value, int) and not isinstance(value, bool) else str(value)


def _column(batch: pa.RecordBatch, name: str, option: str) -> pa.Array:
    names = batch.schema.names
    if name not in names:
        raise EvaluationError(f"no column {name!r} in the input; it has: {', '.join(names)}. Name one with {option}")
    if (count := names.count(name)) > 1:
        raise EvaluationError(f"{count} columns of the input are called {name!r}; rename one, or name another")
    column = batch.column(name)
    if pa.types.is_nested(column.type):
        raise EvaluationError(
            f"the column {name!r} holds {column.type}; a document must have one value in it. Name another {option}"
        )
    return column


def _check_classes(labels: list[Any], label_column: str, n_read: int) -> None:
    """Raise unless this is a column of classes; a classifier could work on any other for hours."""
    distinct = len(set(labels))
    if n_read == 0:
        raise EvaluationError("there are no documents in the input; name a file that holds some")
    if distinct == 0:
        raise EvaluationError(
            f"none of {n_read:,} documents has a label in the column {label_column!r}; name another --label-column"
        )
    if distinct == 1:
        raise EvaluationError(
            f"all {len(labels):,} labeled documents have the class {str(labels[0])!r}; "
            "there must be at least two classes"
        )
    if distinct > len(labels) / 2:
        raise EvaluationError(
            f"the column {label_column!r} has {distinct:,} different values in {len(labels):,} labeled documents; "
            "there must be at least two documents a class. Name another --label-column"
        )


@dataclass(frozen=True)
class TfidfComparison:
    """The probe on the vectors and on tf-idf, and the error of the most frequent class."""

    vectors: ProbeResult
    tfidf: ProbeResult | None  # None where no word occurs twice in the training texts
    majority_error: float
    documents: LabeledDocuments
    split: Split

    def messages(self) -> list[str]:
        """Return what a user should know about the documents and the probes, a sentence each."""
        labels, (train, test) = self.documents.labels, self.split
        messages = []
        if self.documents.unlabeled:
            messages.append(f"{self.documents.unlabeled:,} documents without a label were left out")
        if others := len(labels) - len(train) - len(test):
            messages.append(f"{others:,} labeled documents are in neither split and were left out")
        if len(test) < _FEW_TO_TEST:
            messages.append(f"evaluated on {counted(len(test), 'document')} only, which says little about others")
        train_classes, test_classes = set(labels[train].tolist()), set(labels[test].tolist())
        for classes, where in (
            (train_classes - test_classes, "training split only, and not evaluated on"),
            (test_classes - train_classes, "test split only, always an error"),
        ):
            if classes:
                number = "1 class is" if len(classes) == 1 else f"{len(classes):,} classes are"
                named = [str(label) for label in sorted(classes)[:_NAMED_CLASSES]]
                more = ["..."] if len(classes) > _NAMED_CLASSES else []
                messages.append(f"{number} in the {where}: {', '.join(named + more)}")
        if self.tfidf is None:
            messages.append(
                f"tf-idf is left out: no word occurs {TFIDF_MIN_COUNT} times in the {len(train):,} training texts"
            )
        for name, result in (("the vectors", self.vectors), ("tf-idf", self.tfidf)):
            if result is not None and result.unconverged:
                at = ", ".join(f"{c:g}" for c in result.unconverged)
                messages.append(f"the SVM on {name} did not converge at C = {at}; its error could be lower")
        return messages

    def as_json(self) -> dict[str, Any]:
        """Return all values as JSON can hold them; rows are those of the input, counted from 0."""
        rows, (train, test) = self.documents.rows, self.split
        return {
            "train_documents": len(train),
            "test_documents": len(test),
            "unlabeled_documents": self.documents.unlabeled,
            "labels": self.vectors.labels.tolist(),
            "majority_error": self.majority_error,
            "vectors": _as_json(self.vectors),
            "tfidf": None if self.tfidf is None else _as_json(self.tfidf),
            "train_rows": rows[train].tolist(),
            "test_rows": rows[test].tolist(),
            "test_labels": self.documents.labels[test].tolist(),
        }


def compare_with_tfidf(
    vectors: Matrix,
    documents: LabeledDocuments,
    split: Split,
    bags: Any,  # noqa: ANN401 - a transformer of scikit-learn
    *,
    seed: int = 0,
    report: Callable[[str, float], None] = lambda _stage, _share: None,
) -> TfidfComparison:
    """Run the probe on the vectors of the documents, and on the tf-idf vectors that ``bags`` makes of their texts.

    ``report`` is told the stage and the share of it that is done.
    """
    train_labels, test_labels = (documents.labels[rows] for rows in split)
    probe = partial(linear_probe, seed=seed, folds=FOLDS if len(split.train) < SMALL_SPLIT else 1)
    train_vectors, test_vectors = (vectors[rows] for rows in split)
    probed = probe(train_vectors, train_labels, test_vectors, test_labels, report=partial(report, "SVM on the vectors"))
    train_texts, test_texts = (documents.texts.take(rows) for rows in split)
    tfidf = None
    report("tf-idf", 0.0)
    with warnings.catch_warnings(), suppress(EmptyVocabularyError):
        # Warnings about documents without known words are about tf-idf here, not about the vectors.
        warnings.simplefilter("ignore", CorpusWarning)
        train_bags, test_bags = bags.fit_transform(train_texts), bags.transform(test_texts)
        tfidf = probe(train_bags, train_labels, test_bags, test_labels, report=partial(report, "SVM on tf-idf"))
    return TfidfComparison(probed, tfidf, majority_error(train_labels, test_labels), documents, split)


def _as_json(result: ProbeResult) -> dict[str, Any]:
    return {
        "dimensions": result.dimensions,
        "error": result.error,
        "macro_f1": result.macro_f1,
        "f1": [None if math.isnan(one) else one for one in result.f1.tolist()],
        "c": result.c,
        "validation_errors": [{"c": c, "error": error} for c, error in result.validation_errors.items()],
        "unconverged": list(result.unconverged),
        "confusion": result.confusion.tolist(),
        "predictions": result.predictions.tolist(),
    }
