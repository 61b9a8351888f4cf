"""A subset keeps the shares of the groups, the order of the rows, and is the same for the same seed."""

from collections import Counter

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

from doc2vecc_paper.datasets import LabeledTexts, Texts
from doc2vecc_paper.datasets.texts import stratified_rows


@given(st.lists(st.integers(0, 3), min_size=1, max_size=60), st.data())
def test_shares_are_kept(groups, data):
    groups = np.array(groups)
    n = data.draw(st.integers(len(np.unique(groups)), len(groups)))
    rows = stratified_rows(groups, n, seed=1)
    assert len(rows) == n
    assert (np.diff(rows) > 0).all(), "in their order, none twice"
    for group in np.unique(groups):
        share = n * np.mean(groups == group)
        count = np.count_nonzero(groups[rows] == group)
        assert count >= 1
        assert count <= max(np.ceil(share), 1)
        assert count >= np.floor(share) - len(np.unique(groups))  # a large group makes room for small ones


def test_exact_shares_are_exact():
    groups = np.repeat([0, 1, 2], [25, 25, 50])
    assert np.bincount(groups[stratified_rows(groups, 20, seed=0)]).tolist() == [5, 5, 10]


def test_small_groups_keep_a_row():
    groups = np.repeat([0, 1, 2, 3], [1000, 1, 1, 1])
    assert np.bincount(groups[stratified_rows(groups, 10, seed=0)]).tolist() == [7, 1, 1, 1]


def test_the_seed_decides():
    groups = np.zeros(1000, np.int64)
    draws = [stratified_rows(groups, 10, seed).tolist() for seed in (0, 0, 1)]
    assert draws[0] == draws[1] != draws[2]


def test_too_few_rows_for_the_groups():
    with pytest.raises(ValueError, match="n=2 is too few for one row of each of the 3 groups; draw more"):
        stratified_rows(np.arange(30) % 3, 2, seed=0)
    with pytest.raises(ValueError, match="n=0 is too few"):
        stratified_rows(np.arange(3), 0, seed=0)


def labeled(n):
    texts = pa.array([f"text {number}" for number in range(n)], pa.large_string())
    split = np.array(["train", "test", "unlabeled", "unlabeled"])[np.arange(n) % 4]
    label = np.where(split == "unlabeled", -1, np.arange(n) // 4 % 2)
    return LabeledTexts.of("x", texts, split, label, ("no", "yes"))


def test_a_subset_of_labeled_texts_keeps_rows_together():
    data = labeled(400)
    part = data.subset(80, seed=3)
    assert Counter(zip(part.split.tolist(), part.label.tolist(), strict=True)) == {
        ("train", 0): 10,
        ("train", 1): 10,
        ("test", 0): 10,
        ("test", 1): 10,
        ("unlabeled", -1): 40,
    }
    for text, split, label in zip(part.texts.to_pylist(), part.split, part.label, strict=True):
        row = int(text.removeprefix("text "))
        assert (data.split[row], data.label[row]) == (split, label)
    assert part.fingerprint.rows == 80
    assert part.fingerprint.digest != data.fingerprint.digest


def test_a_subset_of_everything_is_everything():
    data = labeled(40)
    assert data.subset(40, seed=0).fingerprint == data.subset(1000, seed=1).fingerprint == data.fingerprint


def test_texts_without_labels():
    data = Texts.of("novels", pa.array([str(number) for number in range(100)], pa.large_string()))
    part = data.subset(10, seed=0)
    assert len(part) == 10
    assert sorted(part.texts.to_pylist(), key=int) == part.texts.to_pylist()
    assert data.subset(100, seed=0).fingerprint == data.fingerprint
