"""What a model has learned, at a glance."""

import random

import pytest

from doc2vecc import Doc2VecC, config
from doc2vecc.overview import TellingWords, bar, settings_in_effect, sparkline

TOPICS = (
    "engine wheel brake gearbox piston clutch throttle bumper headlight exhaust",
    "butter flour oven recipe saucepan garlic onion noodle pepper tomato",
)
FUNCTION_WORDS = ["the", "and", "with", "that", "have", "from", "this", "been"]


@pytest.fixture(scope="module")
def model():
    draw = random.Random(0)
    texts = [" ".join(draw.choices(TOPICS[i % 2].split() + FUNCTION_WORDS, k=20)) for i in range(300)]
    return Doc2VecC(vector_size=10, epochs=5, workers=1).fit(texts).model_


def test_telling_words_are_no_function_words(model):
    words = TellingWords(model).words
    assert set(words) == set(" ".join(TOPICS).split())


def test_groups_hold_words_of_one_topic(model):
    groups = TellingWords(model).groups(number=2, n_words=5)
    assert sorted(len(group) for group in groups) == [5, 5]
    assert all(any(set(group) <= set(topic.split()) for topic in TOPICS) for group in groups)


def test_a_tiny_model_has_no_groups():
    tiny = Doc2VecC(vector_size=4, epochs=1, min_count=1, workers=1).fit(["one text", "another text"]).model_
    assert TellingWords(tiny).groups() == []


def test_chinese_ngrams_are_written_without_blanks():
    texts = ["基金上涨经理", "别墅开盘均价"] * 40
    chinese = Doc2VecC(vector_size=6, epochs=2, workers=1).fit(texts).model_
    assert "基金" in TellingWords(chinese).words


def test_settings_that_follow_the_size_are_those_of_the_training(monkeypatch):
    """Stop words do not count for min_count, n-grams do for the epochs, and a continued training knows all texts."""
    monkeypatch.setattr(config, "SMALL_TEXT", 3_000)
    monkeypatch.setattr(config, "EPOCHS_OF_ONE_WORD", 2_000)
    draw = random.Random(0)
    texts = [" ".join(["the", *draw.choices(TOPICS[i % 2].split(), k=5)]) for i in range(590)]  # 2,950 other words
    estimator = Doc2VecC(4, alpha=0.02, ngram_range=(1, 2), stop_words=["the"], workers=1)
    estimator.fit(texts)
    found = settings_in_effect(estimator.model_)
    assert found["min_count"] == 2
    n_epochs = len(estimator.history_)
    assert found["epochs"] == n_epochs < config.auto_epochs(590 * 6)
    estimator.partial_fit(texts[:100])
    found = settings_in_effect(estimator.model_)
    assert found["min_count"] == 5
    assert found["epochs"] == len(estimator.history_) - n_epochs


def test_curves_and_bars_have_the_width_that_they_should():
    assert sparkline([1.0]) == "▁"
    assert sparkline([2.0, 2.0]) == "▁▁"
    assert len(sparkline(list(range(500)), width=40)) == 40
    assert bar(2.0, 4) == "████"
    assert bar(-1.0, 4) == "░░░░"
