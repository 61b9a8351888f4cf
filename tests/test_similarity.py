"""Exact search: whatever the blocks, it finds what sorting all similarities finds; and spellings that are close."""

import difflib

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from doc2vecc import similarity
from doc2vecc.similarity import NearestRows, close_spellings, nearest, normalized, top_k


def brute_force(queries, corpus, k):
    """All similarities in float64, sorted; ties in the order of the corpus."""
    units = []
    for vectors in (queries, corpus):
        vectors = np.asarray(vectors, np.float64)
        norms = np.linalg.norm(vectors, axis=1, keepdims=True)
        units.append(vectors / np.where(norms > 0, norms, 1))
    scores = (units[0] @ units[1].T).round(9)
    order = np.argsort(-scores, axis=1, kind="stable")[:, :k]
    return order, np.take_along_axis(scores, order, axis=1)


@pytest.mark.parametrize(
    ("scores_at_once", "queries_at_once"), [(1 << 24, 256), (1, 1), (7, 3), (40, 256), (200, 1), (200, 3)]
)
def test_search_is_exact_whatever_the_blocks(scores_at_once, queries_at_once, monkeypatch):
    monkeypatch.setattr(similarity, "_SCORES_AT_ONCE", scores_at_once)
    monkeypatch.setattr(similarity, "_QUERIES_AT_ONCE", queries_at_once)
    generator = np.random.default_rng(1)
    queries = generator.normal(size=(4, 6)).astype(np.float32)
    corpus = (generator.normal(size=(83, 6)) * generator.uniform(0.01, 100, (83, 1))).astype(np.float32)
    corpus[[0, 40, 82]] = 0
    for k in (1, 3, 10, 200):
        found = nearest(queries, corpus, k)
        order, scores = brute_force(queries, corpus, k)
        np.testing.assert_array_equal(found.indices, order)
        np.testing.assert_allclose(found.similarities, scores, atol=1e-6)
        assert (found.indices.dtype, found.similarities.dtype) == (np.int64, np.float32)


@given(st.lists(st.integers(0, 3), min_size=1, max_size=60), st.integers(1, 70), st.sampled_from([1 << 24, 1, 5, 16]))
@settings(deadline=None, max_examples=100)
def test_ties_come_in_the_order_of_the_corpus(axes, k, scores_at_once):
    """Documents along four axes: every similarity is exactly 0 or 1. The last axis is a zero vector."""
    corpus = np.eye(4, dtype=np.float32)[axes] * [1, 1, 1, 0]
    queries = np.eye(4, dtype=np.float32)[:2]
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(similarity, "_SCORES_AT_ONCE", scores_at_once)
        found = nearest(queries, corpus, k)
    order, scores = brute_force(queries, corpus, k)
    np.testing.assert_array_equal(found.indices, order)
    np.testing.assert_array_equal(found.similarities, scores)


def test_vectors_may_come_in_batches():
    generator = np.random.default_rng(2)
    queries, corpus = generator.normal(size=(3, 5)), generator.integers(-1, 2, size=(50, 5)).astype(np.float32)
    rows = NearestRows(queries, 7)
    for start in (0, 1, 30):
        rows.add(corpus[start : {0: 1, 1: 30, 30: 50}[start]])
    assert rows.n_rows == 50
    np.testing.assert_array_equal(rows.found.indices, nearest(queries, corpus, 7).indices)


def test_zero_vectors_are_similar_to_nothing():
    found = nearest(np.array([[0, 0], [1, 0]], np.float32), np.array([[0, 0], [-1, 0], [2, 0]], np.float32), 3)
    assert found.indices.tolist() == [[0, 1, 2], [2, 0, 1]]
    np.testing.assert_array_equal(found.similarities, [[0, 0, 0], [1, 0, -1]])


def test_what_cannot_be_searched():
    with pytest.raises(ValueError, match=r"corpus_vectors of shape \(5, 4\) do not fit; they must be \(n, 3\)"):
        nearest(np.ones((2, 3), np.float32), np.ones((5, 4), np.float32))
    with pytest.raises(ValueError, match="k=0 does not fit"):
        nearest(np.ones((2, 3), np.float32), np.ones((5, 3), np.float32), 0)
    assert nearest(np.ones((2, 3), np.float32), np.empty((0, 3), np.float32)).indices.shape == (2, 0)
    assert nearest(np.empty((0, 3), np.float32), np.ones((5, 3), np.float32), 2).indices.shape == (0, 2)


@given(st.lists(st.tuples(st.integers(-3, 3), st.integers(0, 1)), min_size=1, max_size=40), st.data())
@settings(deadline=None, max_examples=200)
def test_top_k(columns, data):
    k = data.draw(st.integers(0, len(columns)))
    scores = np.array(columns, np.float32).T
    expected = [sorted(range(len(columns)), key=lambda column: (-row[column], column))[:k] for row in scores]
    for chunk in (3, 64):
        with pytest.MonkeyPatch.context() as patch:
            patch.setattr(similarity, "_CHUNK", chunk)
            assert top_k(scores, k).tolist() == expected


def test_normalized_leaves_its_argument_alone():
    vectors = np.array([[3, 4], [0, 0], [-2, 0]], np.float32)
    np.testing.assert_allclose(normalized(vectors), [[0.6, 0.8], [0, 0], [-1, 0]], rtol=1e-6)
    assert vectors[0, 0] == 3


def test_close_spellings_compare_few_of_a_million_words(monkeypatch):
    compared = []

    def record(_word, candidates, **_options):
        compared.extend(candidates)
        return []

    words = ["story", "tory", *(f"s{number}" for number in range(1_000_000))]
    assert close_spellings("stroy", words)[0] == "story"
    monkeypatch.setattr(difflib, "get_close_matches", record)
    close_spellings("stroy", words)
    assert len(compared) == similarity._MAX_COMPARED_SPELLINGS
    assert compared[0] == "story"
    assert "tory" not in compared
