"""Parses of SICK and their word vectors: what is read, and what is refused."""

import numpy as np
import pytest

from data_files import write_parses
from doc2vecc_paper.datasets import DataError
from doc2vecc_paper.datasets.parses import load_parses, missing_for_trees, token_rows


@pytest.fixture
def folder(tmp_path):
    write_parses(tmp_path)
    return tmp_path


def test_reads_trees_scores_and_vectors(folder):
    assert missing_for_trees(folder) == ""
    pairs = load_parses(folder)
    assert (pairs.split == "trial").sum() == 20, "the folder dev"
    assert pairs.relations == ("det", "nsubj", "root", "dobj")
    assert pairs.first.head[:4].tolist() == [1, 2, -1, 2]
    assert pairs.first.offsets[:3].tolist() == [0, 4, 8]
    assert [pairs.words[word] for word in pairs.first.word[[0, 2]]] == ["a", "runs"]
    stored = np.load(folder / "sick" / "glove.840B.300d.sick.npz")
    runs = stored["words"].tolist().index("runs")
    np.testing.assert_array_equal(pairs.vectors[pairs.words.index("runs")], stored["vectors"][runs])
    assert 0 < np.abs(pairs.vectors[pairs.words.index("a")]).max() <= 0.05, "a word without a vector"


def test_rows_are_taken_in_their_order(folder):
    pairs = load_parses(folder)
    some = pairs.take(np.array([7, 2]))
    assert some.score.tolist() == pairs.score[[7, 2]].tolist()
    np.testing.assert_array_equal(some.first.word[:4], pairs.first.word[28:32])
    np.testing.assert_array_equal(some.second.word[4:], pairs.second.word[8:12])
    assert some.fingerprint() != pairs.fingerprint()
    assert len(pairs.subset(11, seed=0).only("test")) == 3
    tokens, offsets = token_rows(np.array([0, 2, 3]), np.array([], np.int64))
    assert (tokens.tolist(), offsets.tolist()) == ([], [0])


def test_the_published_vectors_are_read_as_they_are(folder):
    (folder / "sick" / "glove.840B.300d.sick.npz").unlink()
    assert "glove.840B.300d.txt" in missing_for_trees(folder)
    (folder / "glove.840B.300d.txt").write_text("unused 1 2\nruns 0.5 -1.5\nmoth 3 4\n")
    pairs = load_parses(folder)
    assert pairs.vectors[pairs.words.index("runs")].tolist() == [0.5, -1.5]


@pytest.mark.parametrize("heads", ["2 3 0", "2 1 0 3", "0 0 2 3", "2 3 0 9"])
def test_what_is_no_tree_is_refused(folder, heads):
    path = folder / "sick" / "parses" / "train" / "a.parents"
    lines = path.read_text().splitlines()
    path.write_text("\n".join([lines[0], heads, *lines[2:]]) + "\n")
    with pytest.raises(DataError, match="line 2 has no tree"):
        load_parses(folder)


def test_missing_data_are_named(tmp_path):
    assert "sick/parses" in missing_for_trees(tmp_path)
    with pytest.raises(DataError, match="sick/parses"):
        load_parses(tmp_path)


def test_damaged_vectors_are_refused(folder):
    path = folder / "sick" / "glove.840B.300d.sick.npz"
    np.savez(path, words=np.array(["runs"]))
    with pytest.raises(DataError, match="words, vectors and missing"):
        load_parses(folder)


def test_scores_and_sentences_must_agree(folder):
    (folder / "sick" / "parses" / "dev" / "sim.txt").write_text("3\n")
    with pytest.raises(DataError, match="20 sentences a and 1 scores"):
        load_parses(folder)
