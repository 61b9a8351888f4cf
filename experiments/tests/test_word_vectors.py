"""Word tests by hand: analogies, similarity with ratings, norms."""

import os
from pathlib import Path

import numpy as np
import pytest

from doc2vecc.errors import EvaluationError
from doc2vecc_paper.word_vectors import (
    QUANTILES,
    Rating,
    SectionScore,
    analogies,
    norms_by_frequency,
    read_questions,
    read_ratings,
    smallest_norms,
    word_similarity,
)

DATA = os.environ.get("DOC2VECC_DATA")
needs_data = pytest.mark.skipif(not DATA, reason="DOC2VECC_DATA is not set")

WORDS = ["the", "man", "king", "woman", "queen", "big", "bigger", "small", "smaller"]
VECTORS = np.array(
    [
        [1, 1, 1, 1, 1],
        [1, 0, 0, 0, 0],
        [1, 0, 1, 0, 0],
        [0, 1, 0, 0, 0],
        [0, 1, 1, 0, 0],
        [0, 0, 0, 1, 0],
        [0, 0, 0, 1, 1],
        [0, 0, 0, -1, 0],
        [0, 0, 0, -1, 1],
    ],
    float,
)
QUESTIONS = {
    "family": [["man", "king", "woman", "queen"], ["Man", "Woman", "King", "Queen"], ["man", "king", "boy", "prince"]],
    "gram3-comparative": [["big", "bigger", "small", "smaller"], ["big", "bigger", "small", "the"]],
}


def test_analogies_by_section():
    result = analogies(WORDS, VECTORS, QUESTIONS)
    assert result.sections == {"family": SectionScore(2, 1, 2), "gram3-comparative": SectionScore(2, 0, 1)}
    assert result.semantic == SectionScore(2, 1, 2)
    assert result.syntactic == SectionScore(2, 0, 1)
    assert result.total == SectionScore(4, 1, 3)
    assert (result.semantic.accuracy, result.syntactic.accuracy, result.total.accuracy) == (1, 0.5, 0.75)


def test_only_the_most_frequent_words_are_known():
    result = analogies(WORDS, VECTORS, QUESTIONS, restrict=5)
    assert result.sections["family"] == SectionScore(2, 1, 2)
    assert result.sections["gram3-comparative"] == SectionScore(0, 2, 0)
    assert np.isnan(result.syntactic.accuracy)
    assert analogies(WORDS, VECTORS, QUESTIONS, restrict=None) == analogies(WORDS, VECTORS, QUESTIONS)
    with pytest.raises(ValueError, match="restrict=0 does not fit"):
        analogies(WORDS, VECTORS, QUESTIONS, restrict=0)


def test_vectors_count_by_their_direction_and_question_words_are_no_answers():
    lengths = np.arange(1, len(WORDS) + 1)[:, None]
    assert analogies(WORDS, VECTORS * lengths, QUESTIONS) == analogies(WORDS, VECTORS, QUESTIONS)
    # second - first + third is nearest to the third word itself
    near = np.array([[1.0, 0], [1, 0.1], [0, 1], [0.5, 1]])
    assert analogies(["a", "b", "c", "d"], near, {"s": [["a", "b", "c", "d"]]}).total.correct == 1


def test_a_word_as_it_stands_goes_before_its_lower_case():
    vectors = np.array([[1.0, 0], [0, 1.0], [0.1, 1]])
    ratings = [Rating("US", "we", 5), Rating("us", "we", 1), Rating("We", "us", 2)]
    assert word_similarity(["us", "US", "we"], vectors, ratings).spearman == pytest.approx(np.sqrt(3) / 2)


def test_questions_are_read_by_section(tmp_path):
    path = tmp_path / "questions.txt"
    path.write_text(": family\nman king woman queen\n\n: gram1\na b c d\ne f g h\n")
    assert read_questions(path) == {
        "family": [["man", "king", "woman", "queen"]],
        "gram1": [["a", "b", "c", "d"], ["e", "f", "g", "h"]],
    }
    for text, line in ((": family\na b c\n", 2), ("a b c d\n", 1)):
        path.write_text(text)
        with pytest.raises(EvaluationError, match=f"line {line} is 'a b c.*'; it must be four words"):
            read_questions(path)


@needs_data
def test_the_published_questions():
    sections = read_questions(Path(DATA, "analogy", "questions-words.txt"))
    assert len(sections) == 14
    words = sorted({word for section in sections.values() for question in section for word in question})
    result = analogies(words, np.random.default_rng(0).normal(size=(len(words), 8)), sections)
    assert (result.semantic.asked, result.syntactic.asked, result.total.left_out) == (8_869, 10_675, 0)
    assert result.total.accuracy < 0.05


def test_similarity_with_ratings():
    words, vectors = ["cat", "dog", "tax"], [[1, 0], [1, 0.1], [0, 1]]
    ratings = [Rating("cat", "dog", 1), Rating("cat", "tax", 9), Rating("dog", "tax", 8), Rating("cat", "sky", 3)]
    assert word_similarity(words, vectors, ratings) == (pytest.approx(-1), 3, 1)
    nothing = word_similarity(words, vectors, ratings[:1])
    assert np.isnan(nothing.spearman)
    assert (nothing.compared, nothing.left_out) == (1, 0)
    assert np.isnan(word_similarity(words, np.zeros((3, 2)), ratings).spearman)


def test_ratings_are_read(tmp_path):
    path = tmp_path / "ratings.txt"
    path.write_text("tiger\tcat\t7.35\nold new 1.58 more\n\n")
    assert read_ratings(path) == [("tiger", "cat", 7.35), ("old", "new", 1.58)]
    path.write_text("tiger cat 1\ntiger cat high\n")
    with pytest.raises(EvaluationError, match="line 2 is 'tiger cat high'; it must be two words and a number"):
        read_ratings(path)


def test_the_shortest_words():
    words, counts, vectors = ["the", "a", "film", "odd"], [90, 80, 10, 1], [[3, 4], [1, 0], [6, 8], [0, 0]]
    found = smallest_norms(words, counts, vectors, k=2)
    assert [(one.word, one.count, one.norm) for one in found] == [("odd", 1, 0.0), ("a", 80, 1.0)]
    assert [one.word for one in smallest_norms(words, counts, vectors, min_count=10)] == ["a", "the", "film"]
    with pytest.raises(EvaluationError, match=r"counts of shape \(2,\) do not fit 4 words"):
        smallest_norms(words, [1, 2], vectors)


def test_norms_by_frequency():
    draw = np.random.default_rng(0)
    counts = np.unique(draw.geometric(0.001, 3_000))[::-1]
    norms = 1 + np.arange(len(counts))  # the more frequent, the shorter
    found = norms_by_frequency(counts, norms[:, None] * [[0.6, 0.8]], bins=8)
    assert found.words.sum() == len(counts)
    assert found.norms.shape == (len(found.words), len(QUANTILES))
    assert (found.low <= found.high).all()
    assert (found.high[:-1] < found.low[1:]).all()
    assert (np.diff(found.norms[:, 2]) < 0).all()
    assert (np.diff(found.norms, axis=1) >= 0).all()
    assert found.correlation == pytest.approx(-1)
    last = (counts >= found.low[-1]) & (counts <= found.high[-1])
    np.testing.assert_allclose(found.norms[-1], np.quantile(norms[last], QUANTILES), rtol=1e-5)


def test_norms_of_equally_frequent_words():
    found = norms_by_frequency([3, 3], [[1.0], [2.0]])
    assert (found.words.tolist(), np.isnan(found.correlation)) == ([2], True)
    with pytest.raises(EvaluationError, match="every word must occur at least once"):
        norms_by_frequency([3, 0], [[1.0], [2.0]])
