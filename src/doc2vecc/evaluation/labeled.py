"""Documents with their classes and splits, from the columns of a file."""

from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt
import pyarrow as pa

from doc2vecc.corpus.sources import TextBatches
from doc2vecc.errors import EvaluationError
from doc2vecc.evaluation.classification import Split

_SHOWN_VALUES = 10


@dataclass(frozen=True)
class LabeledDocuments:
    """The documents that have a label."""

    texts: pa.ChunkedArray  # of large_string
    labels: npt.NDArray[Any]  # whole numbers if the column holds such, otherwise strings
    rows: npt.NDArray[np.int64]  # where each document is in the input, counted from 0
    splits: npt.NDArray[np.str_] | None  # the values of the split column, if there is one
    unlabeled: int  # documents without a label, which were left out


def read_labeled(
    batches: TextBatches,
    label_column: str,
    *,
    split_column: str | None = None,
    unlabeled: Sequence[str] = (),
    on_batch: Callable[[int], None] | None = None,
) -> LabeledDocuments:
    """Read documents whose other columns are kept; those without a label are left out and counted.

    A label is missing if it is null, NaN, empty, or written like one of ``unlabeled``.
    """
    texts, labels, rows, splits = [], [], [], []
    n_read = 0
    for batch in batches:
        found = [as_label(value) for value in _column(batch, label_column, "--label-column").to_pylist()]
        chosen = [place for place, label in enumerate(found) if label is not None and str(label) not in unlabeled]
        labels += [found[place] for place in chosen]
        rows += [n_read + place for place in chosen]
        places = pa.array(chosen, pa.int64())
        texts.append(batch.column(batches.text_column).take(places))
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
