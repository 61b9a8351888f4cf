"""A fingerprint depends on all of the content and on nothing else."""

import numpy as np
import pyarrow as pa
from hypothesis import given
from hypothesis import strategies as st

from doc2vecc_paper.datasets.fingerprints import content_order, fingerprint


def strings(texts):
    return pa.array(texts, pa.large_string())


@given(st.lists(st.text(), max_size=8), st.data())
def test_chunks_and_slices_do_not_matter(texts, data):
    cut = data.draw(st.integers(0, len(texts)))
    longer = strings(["before", *texts, "after"])
    pieces = [longer.slice(1, cut), longer.slice(1 + cut, len(texts) - cut)]
    assert fingerprint("x", pieces) == fingerprint("x", [strings(texts)])


@given(st.lists(st.text(), max_size=5), st.lists(st.text(), max_size=5))
def test_other_texts_have_another_fingerprint(first, second):
    same = fingerprint("x", [strings(first)]) == fingerprint("x", [strings(second)])
    assert same == (first == second)


def test_fingerprints_never_change():
    """Finished cells are found by it: a change would make all of them void."""
    texts = [strings(["a good film", "", "café"])]
    found = fingerprint("films", texts, np.array(["train", "test", "test"]), np.array([1, 0, -1]), np.array([0.5]))
    assert found == ("films", 3, 16, "602a72fb81c8606e")


def test_every_change_is_seen():
    own = fingerprint("x", [strings(["ab", "c"])], np.array(["train", "test"]), np.array([0, 1]))
    for other in (
        ([strings(["ab", "c"])], np.array(["train", "test"]), np.array([0, 0])),
        ([strings(["ab", "c"])], np.array(["test", "test"]), np.array([0, 1])),
        ([strings(["a", "bc"])], np.array(["train", "test"]), np.array([0, 1])),
        ([strings(["c", "ab"])], np.array(["train", "test"]), np.array([0, 1])),
        ([strings(["ab", "d"])], np.array(["train", "test"]), np.array([0, 1])),
        ([strings(["ab", "c", ""])], np.array(["train", "test"]), np.array([0, 1])),
    ):
        assert fingerprint("x", *other).digest != own.digest


def test_the_width_of_numbers_and_of_strings_does_not_matter():
    numbers, words = np.array([1, 2]), np.array(["a", "b"])
    assert fingerprint("x", numbers, words) == fingerprint("x", numbers.astype(np.int32), words.astype("<U9"))


def test_the_order_by_content_does_not_depend_on_the_order_before():
    texts, kinds = strings([f"text {number % 7}" for number in range(50)]), np.arange(50) % 5
    moved = np.random.default_rng(0).permutation(50)
    order, again = content_order(texts, kinds), content_order(texts.take(pa.array(moved)), kinds[moved])
    assert sorted(order.tolist()) == list(range(50))
    assert texts.take(pa.array(order)).to_pylist() == texts.take(pa.array(moved[again])).to_pylist()
    assert kinds[order].tolist() == kinds[moved[again]].tolist()
