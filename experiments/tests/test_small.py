"""Values by hand, and each set once if the data are there."""

import os
from pathlib import Path

import numpy as np
import pytest

from doc2vecc import ParameterError
from doc2vecc_paper.measure import small


def test_average_precision_and_gain_by_hand():
    documents = np.eye(3)
    scores = small.search_scores(documents, np.array([[0.9, 0.5, 0.1]]), [{0, 2}])
    assert scores["MAP"] == pytest.approx((1 + 2 / 3) / 2)
    assert scores["nDCG@10"] == pytest.approx((1 + 1 / np.log2(4)) / (1 + 1 / np.log2(3)))


def test_neighbors_do_not_count_themselves(monkeypatch):
    monkeypatch.setattr(small, "NEIGHBORS", 1)
    unit = np.array([[1, 0], [0.99, 0.14], [0, 1], [0.14, 0.99]])
    assert small.same_label(unit, np.array(["a", "a", "b", "c"]), np.arange(4)) == 0.5


def test_few_labels_of_separate_classes():
    unit = np.repeat(np.eye(2), 20, axis=0)
    task = small.Task([], np.repeat(["a", "b"], 20), np.arange(0, 40, 2), np.arange(1, 40, 2), [], [])
    assert small.few_labels(unit, task, 5) == 1.0


def test_an_unknown_set_is_refused():
    with pytest.raises(ParameterError, match="the set 'news' is unknown; choose from cisi"):
        small.load("news", Path(), final=False)


@pytest.mark.parametrize("unseen", [False, True])
def test_texts_that_are_evaluated_are_learned_from_unless_they_are_to_be_unseen(monkeypatch, unseen):
    texts = [f"text {number}" for number in range(4)]
    task = small.Task(texts, np.array(["a", "b"] * 2), np.array([0, 1]), np.array([2, 3]), [], [])
    learned = []
    monkeypatch.setattr(small, "load", lambda *_, final: task)
    monkeypatch.setattr(small, "learned", lambda line, some, *_: learned.append(some))
    monkeypatch.setattr(small, "evaluate", lambda *_: {"error": 1.0})
    (found,) = small.measure([""], ["any"], Path(), 1, 1, final=True, unseen=unseen)
    assert learned == [texts[:2] if unseen else texts]
    assert found["unseen"] == unseen


@pytest.mark.slow
@pytest.mark.skipif("DOC2VECC_DATA" not in os.environ, reason="DOC2VECC_DATA is not set")
@pytest.mark.parametrize("name", ["cisi", "imdb-500", "headlines"])
def test_the_defaults_hold_their_own_against_tfidf_on_a_small_corpus(name, monkeypatch):
    """The very point of the defaults; the bounds leave room for another machine."""
    monkeypatch.setattr(small, "DRAWS", 3)
    folder = Path(os.environ["DOC2VECC_DATA"])
    if not (folder / "small").is_dir():
        pytest.skip("DOC2VECC_DATA has no folder small")
    tfidf = "tf-idf characters 2" if name == "headlines" else "tf-idf"
    ours, theirs = small.measure(["", tfidf], [name], folder, 1, 2, final=False)
    if name == "cisi":
        assert ours["MAP"] > theirs["MAP"]
    elif name == "headlines":
        assert ours["error"] < theirs["error"] + 4
        assert ours["accuracy, 10 labels"] > theirs["accuracy, 10 labels"] + 10
        assert ours["accuracy, 50 labels"] > theirs["accuracy, 50 labels"] + 3
    else:
        assert ours["error"] < theirs["error"]
        assert ours["same of 10 nearest"] > theirs["same of 10 nearest"] + 0.03
        assert ours["accuracy, 5 labels"] > theirs["accuracy, 5 labels"] + 2
