"""What is learned from, what is scored, and which documents a search may find."""

import numpy as np

from doc2vecc_paper.measure import halves, small

TEXTS = [f"{word} " * 8 for word in ("ice", "snow", "sun", "sand")]


def embed(texts):
    """A dimension for cold, one for hot."""
    return np.array([[text.count("ice") + text.count("snow"), text.count("s") / 9] for text in texts], float)


def test_a_search_finds_unseen_documents_only():
    empty = np.empty(0, np.int64)
    task = small.Task(TEXTS, empty.astype(str), empty, empty, ["ice", "sun"], [{0, 1}, {0, 2}])
    found = halves.values(task, np.array([0, 2]), np.array([1, 3]), embed)
    # The second query has no relevant document among the unseen; the first finds the only one.
    assert found["MAP"] == 1.0
    assert set(found) == {*halves.SCORES, "MAP", "nDCG@10"}


def test_labels_are_of_unseen_documents(monkeypatch):
    monkeypatch.setattr(small, "NEIGHBORS", 1)
    labels = np.array(["cold", "cold", "hot", "hot"] * 5)
    task = small.Task(TEXTS * 5, labels, np.arange(0, 20, 2), np.arange(1, 20, 2), [], [])
    found = halves.values(task, task.train, task.test, embed)
    assert found["accuracy"] == found["same of 10 nearest"] == 1.0
