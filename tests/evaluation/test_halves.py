"""The halves of texts by hand, the rules of ranks and ties, and what the score says about real models."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from doc2vecc import EvaluationError, ParameterError
from doc2vecc.evaluation import match_halves
from doc2vecc.evaluation.halves import _QUERIES_AT_ONCE, halves, reciprocal_ranks
from doc2vecc.similarity import normalized


@pytest.mark.parametrize(
    ("text", "first", "second"),
    [
        ("one two three four", "one two", "three four"),
        ("  one\n\n two ", "one", "two"),
        ("a honorificabilitudinitatibus", "a honorificabi", "litudinitatibus"),  # its space is far from the middle
        ("", "", ""),
        ("x", "", "x"),
    ],
)
def test_halves_by_hand(text, first, second):
    assert halves(text) == (first, second)


@given(st.text(alphabet="ab \n"))
def test_halves_lose_only_white_space(text):
    assert "".join("".join(halves(text)).split()) == "".join(text.split())


def test_ranks_by_hand_and_ties_count_against():
    candidates = normalized(np.array([[1.0, 0.0], [1.0, 1.0], [0.0, 1.0]], np.float32))
    queries = normalized(np.array([[1.0, 0.1], [1.0, 0.0], [0.0, 0.0]], np.float32))
    # The zero vector is as similar to all; the second query prefers the first candidate to its own.
    assert reciprocal_ranks(queries, candidates).tolist() == [1.0, 1 / 2, 1 / 3]


def test_blocks_give_the_ranks_of_the_whole_matrix():
    random = np.random.default_rng(0)
    queries, candidates = (normalized(random.normal(size=(2 * _QUERIES_AT_ONCE + 3, 5))) for _ in range(2))
    similarities = queries @ candidates.T
    expected = [np.sum(row >= row[place]) for place, row in enumerate(similarities)]
    assert (1 / reciprocal_ranks(queries, candidates)).tolist() == pytest.approx(expected)


def embed_first_letters(texts):
    """Count the letters a to d."""
    return np.array([[text.count(letter) for letter in "abcd"] for text in texts], np.float32)


def test_the_score_by_hand():
    texts = [f"{letter} {letter} {letter} {letter} " * 2 for letter in "abc"] + ["a a"]
    assert match_halves(texts, embed_first_letters) == (1.0, 3, 1)  # "a a" is too short
    # First halves a, c, d and second halves b, c, b: only c is found; a and d are similar to nothing, b to nothing.
    texts = ["a a a a b b b b", "c c c c c c c c", "d d d d b b b b"]
    assert match_halves(texts, embed_first_letters).score == pytest.approx((1 + 1 / 3 + 1 / 3) / 3)


def test_vectors_that_are_all_equal_score_worst():
    texts = [f"{number} a b c d e f g h" for number in range(10)]
    assert match_halves(texts, lambda halves: np.eye(1, 4).repeat(len(halves), 0)).score == pytest.approx(1 / 10)


def test_texts_are_drawn_from_a_stream_by_the_seed():
    seen = []

    def embed(texts):
        seen.append(texts)
        return np.random.default_rng(0).normal(size=(len(texts), 3))

    for seed in (0, 0, 1):
        stream = (f"{number} b c d e f g h i j" for number in range(500))
        assert match_halves(stream, embed, max_documents=20, seed=seed).documents == 20
    assert seen[0] == seen[1] != seen[2]


def test_mistakes():
    with pytest.raises(EvaluationError, match="1 of 2 documents have 8 tokens or more"):
        match_halves(["a b c d e f g h", "a"], embed_first_letters)
    with pytest.raises(ParameterError, match="max_documents=1"):
        match_halves([], embed_first_letters, max_documents=1)
    with pytest.raises(EvaluationError, match="there must be 4 rows"):
        match_halves(["a b c d e f g h"] * 2, lambda halves: np.ones((3, 2)))
