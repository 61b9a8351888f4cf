"""Advice is given where a table supports it, and nowhere else."""

import pytest

from doc2vecc.advice import after_evaluation, after_training, before_tuning
from doc2vecc.config import auto_epochs


def test_too_few_epochs_from_a_random_start():
    words = 100_000
    assert f"--epochs {auto_epochs(words)}" in after_training({"init": "random", "epochs": 5}, words, 500)
    enough = {"init": "random", "epochs": auto_epochs(words)}
    for settings in ({"init": "spectral", "epochs": 5}, {"init": "random", "epochs": "auto"}, enough, {}):
        assert after_training(settings, words, 500) is None


def test_few_documents():
    assert "199 documents to learn from are few" in after_training({}, 20_000, 199)
    assert after_training({}, 20_000, 200) is None


@pytest.mark.parametrize(
    ("vector_size", "longest_ngram", "classes", "advised"),
    [
        (100, 1, 23, "--vector-size 500"),
        (300, 1, 23, "--vector-size 500"),
        (500, 1, 23, None),
        (100, 1, 2, "--ngram-range 1 2"),
        (100, 2, 2, None),
        (100, 1, 10, None),
    ],
)
def test_classes(vector_size, longest_ngram, classes, advised):
    found = after_evaluation(vector_size, longest_ngram, 50_000, classes, error=0.2)
    assert found is None if advised is None else advised in found
    assert after_evaluation(vector_size, longest_ngram, 50_000, classes, error=0.01) is None


def test_ngrams_are_advised_for_many_documents_only():
    assert after_evaluation(500, 1, 50_000, classes=2, error=0.2) is not None
    assert after_evaluation(500, 1, 4_000, classes=2, error=0.2) is None


def test_a_search_for_settings_that_tells_little_says_so():
    assert "scored on 30 documents; differences up to 18 points" in before_tuning(100, 9_000, 0.3, has_labels=True)
    assert before_tuning(2_000, 9_000, 0.3, has_labels=True) is None
    assert "texts of 20 tokens are short" in before_tuning(2_000, 40_000, 0.3, has_labels=False)
    assert before_tuning(2_000, 200_000, 0.3, has_labels=False) is None
