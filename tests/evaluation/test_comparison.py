"""Labels from columns of any type; what is missing is counted."""

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from doc2vecc.corpus.sources import read_files
from doc2vecc.errors import EvaluationError
from doc2vecc.evaluation.comparison import read_labeled, split_by_value


def read(tmp_path, columns, **options):
    pq.write_table(pa.table(columns), tmp_path / "file.parquet")
    batches = read_files([tmp_path / "file.parquet"], text_column="text", keep_columns=True)
    return read_labeled(batches, "label", **options)


@pytest.mark.parametrize(
    ("labels", "expected"),
    [
        ([1, None, 0, 1, 0], [1, 0, 1, 0]),
        ([1.0, float("nan"), 0.0, 1.0, 0.0], [1, 0, 1, 0]),
        (["b", "", "a", "b", "a"], ["b", "a", "b", "a"]),
        (pa.array(["b", None, "a", "b", "a"]).dictionary_encode(), ["b", "a", "b", "a"]),
        ([True, None, False, True, False], ["True", "False", "True", "False"]),
    ],
)
def test_labels_of_any_type(labels, expected, tmp_path):
    found = read(tmp_path, {"text": ["t0", "t1", "t2", "t3", "t4"], "label": labels})
    assert found.labels.tolist() == expected
    assert found.rows.tolist() == [0, 2, 3, 4]
    assert found.texts.take([1, 3]).to_pylist() == ["t2", "t4"]
    assert (found.unlabeled, found.splits) == (1, None)


def test_values_that_mean_no_label_and_splits_over_several_batches(tmp_path):
    number = 40_000
    columns = {
        "text": [str(row) for row in range(number)],
        "label": [row % 4 - 1 for row in range(number)],
        "split": [["train", None, "test", "dev"][row // 4 % 4] for row in range(number)],
    }
    found = read(tmp_path, columns, split_column="split", unlabeled=["-1", "2"])
    assert found.texts.num_chunks > 1
    assert found.unlabeled == number // 2
    assert found.texts.to_pylist() == [str(row) for row in found.rows]
    assert found.labels.tolist() == [row % 4 - 1 for row in found.rows]
    split = split_by_value(found.splits, "train", "test")
    assert {columns["split"][found.rows[place]] for place in split.train} == {"train"}
    assert {columns["split"][found.rows[place]] for place in split.test} == {"test"}
    assert len(split.train) == len(split.test) == number // 8


@pytest.mark.parametrize(
    ("labels", "message"),
    [
        ([None] * 4, "none of 4 documents has a label in the column 'label'"),
        (["a", "a", "a", None], "all 3 labeled documents have the class 'a'; there must be at least two"),
        (["a", "b", "c", "c"], "has 3 different values in 4 labeled documents; there must be at least two documents"),
        ([["a"], ["b"], ["a"], ["b"]], "the column 'label' holds list<.*>; a document must have one value in it"),
    ],
)
def test_what_is_no_column_of_classes(labels, message, tmp_path):
    with pytest.raises(EvaluationError, match=message):
        read(tmp_path, {"text": list("abcd"), "label": labels})


def test_splits_that_are_not_there():
    splits = np.array(["a", "b", "b"])
    with pytest.raises(EvaluationError, match=r"in the split 'test'; the splits are 'b' \(2\), 'a' \(1\). Name one"):
        split_by_value(splits, "a", "test")
    with pytest.raises(EvaluationError, match="both splits are 'a'"):
        split_by_value(splits, "a", "a")
