"""Duplicates and outliers are those that comparing everything with everything finds."""

import numpy as np
import pytest

from doc2vecc.errors import ParameterError
from doc2vecc.search import comparing
from doc2vecc.search.comparing import duplicate_pairs, groups_of, least_similar, neighbor_similarity


@pytest.fixture(scope="module")
def vectors() -> np.ndarray:
    draw = np.random.default_rng(0)
    distinct = draw.normal(size=(300, 8)).astype(np.float32)
    near = distinct[:40] + draw.normal(scale=0.02, size=(40, 8)).astype(np.float32)
    return np.vstack([distinct, near, distinct[:20], np.zeros((5, 8), np.float32)])


def cosines(vectors: np.ndarray) -> np.ndarray:
    norms = np.linalg.norm(vectors, axis=1, keepdims=True)
    unit = vectors / np.where(norms > 0, norms, 1)
    return unit @ unit.T


@pytest.mark.parametrize("at_once", [1, 1000, 1 << 24])
def test_pairs_are_those_above(vectors: np.ndarray, at_once: int, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(comparing, "_SCORES_AT_ONCE", at_once)
    pairs = duplicate_pairs(vectors, 0.95)
    first, second = np.nonzero(np.triu(cosines(vectors) >= 0.95, 1))
    expected = {pair for pair in zip(first.tolist(), second.tolist(), strict=True) if pair[1] < 340}
    copies = {(row, 340 + row) for row in range(20)}
    assert {pair[:2] for pair in pairs} == expected | copies
    assert pairs == sorted(pairs)
    for one, other, similarity in pairs:
        assert similarity == pytest.approx(cosines(vectors)[one, other], abs=1e-5)


def test_groups_hold_everything_that_is_connected(vectors: np.ndarray) -> None:
    groups = groups_of(duplicate_pairs(vectors, 0.99))
    assert {0, 300, 340} <= set(next(group for group in groups if 0 in group))
    assert sum(map(len, groups)) == len({row for group in groups for row in group})
    assert [len(group) for group in groups] == sorted((len(group) for group in groups), reverse=True)
    assert groups_of([]) == []


def test_ten_thousand_copies_are_as_many_pairs() -> None:
    assert len(duplicate_pairs(np.ones((10_000, 3)))) == 9_999


def test_too_many_pairs(monkeypatch: pytest.MonkeyPatch, vectors: np.ndarray) -> None:
    monkeypatch.setattr(comparing, "MOST_PAIRS", 100)
    with pytest.raises(ParameterError, match=r"more than 100 pairs have a similarity above 0\.5; raise --above"):
        duplicate_pairs(vectors, 0.5)


def test_outliers_are_far_from_their_neighbors(vectors: np.ndarray) -> None:
    scores = neighbor_similarity(vectors, 3)
    similarities = cosines(vectors)[:, :360]
    similarities[range(360), range(360)] = -2
    expected = np.sort(similarities, axis=1)[:, -3:].mean(axis=1)
    np.testing.assert_allclose(scores[:360], expected[:360], atol=1e-5)
    assert scores[360:].tolist() == [0] * 5
    assert least_similar(vectors, scores, 3) == np.argsort(expected[:360])[:3].tolist()


def test_zero_vectors_alone_have_no_neighbors() -> None:
    assert neighbor_similarity(np.zeros((3, 4)), 20).tolist() == [0, 0, 0]
    assert neighbor_similarity(np.zeros((0, 4))).tolist() == []


def test_neighbors_of_many_documents_come_from_a_sample(vectors: np.ndarray, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(comparing, "REFERENCE_DOCUMENTS", 200)
    sampled = neighbor_similarity(vectors, 3)
    assert np.all(sampled <= neighbor_similarity(vectors, 3) + 1e-5)
    assert sampled[:300].mean() > 0.5
