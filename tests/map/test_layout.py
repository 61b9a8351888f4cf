"""Neighbors are exact; the layout keeps clusters together, is repeatable and reports its progress."""

import sys

import numpy as np
import pytest

from doc2vecc import ParameterError
from doc2vecc.map import layout
from doc2vecc.similarity import normalized


def clusters(n=120, dim=10):
    """Three clusters, and the number of each row's."""
    draw = np.random.default_rng(0)
    labels = np.arange(n) % 3
    centers = 3 * np.eye(3, dim)
    return normalized((centers[labels] + draw.normal(0, 0.3, (n, dim))).astype(np.float32)), labels


def test_neighbors_are_the_nearest_others(monkeypatch):
    monkeypatch.setattr(layout, "_QUERIES", 50)
    vectors, _ = clusters()
    found = layout.find_neighbors(vectors, 7)
    similarities = vectors @ vectors.T
    np.fill_diagonal(similarities, -np.inf)
    np.testing.assert_array_equal(found.indices, np.argsort(-similarities, axis=1, kind="stable")[:, :7])
    np.testing.assert_allclose(found.similarities, -np.sort(-similarities, axis=1)[:, :7], rtol=1e-5)


def test_equal_documents_are_neighbors_but_never_of_themselves():
    found = layout.find_neighbors(normalized(np.ones((30, 4), np.float32)), 5)
    assert not np.any(found.indices == np.arange(30)[:, None])


@pytest.mark.parametrize("n", [4, 120])
def test_clusters_stay_together(n):
    pytest.importorskip("openTSNE", reason="openTSNE is not installed")
    vectors, labels = clusters(n)
    reports = []
    neighbors = layout.find_neighbors(vectors)
    points = layout.lay_out(vectors, neighbors, report=lambda stage, share: reports.append((stage, share)))
    assert points.shape == (n, 2)
    assert np.isfinite(points).all()
    assert np.ptp(points, axis=0).max() == pytest.approx(2)
    assert reports[-1] == ("layout", 1.0)
    if n > 4:
        away = np.linalg.norm(points[:, None] - points[None], axis=2) + 9 * np.eye(n)
        assert np.mean(labels[away.argmin(axis=1)] == labels) > 0.95
        np.testing.assert_array_equal(points, layout.lay_out(vectors, neighbors))


def test_equal_documents_can_be_laid_out():
    pytest.importorskip("openTSNE", reason="openTSNE is not installed")
    vectors = normalized(np.ones((40, 4), np.float32))
    assert np.isfinite(layout.lay_out(vectors, layout.find_neighbors(vectors))).all()


def test_many_documents_get_approximate_neighbors(monkeypatch):
    searching = pytest.importorskip("openTSNE.nearest_neighbors", reason="openTSNE is not installed")
    threads = []

    class Annoy(searching.Annoy):
        def __init__(self, *arguments, **options):
            threads.append(options["n_jobs"])
            super().__init__(*arguments, **options)

    monkeypatch.setattr(searching, "Annoy", Annoy)
    monkeypatch.setattr(layout, "EXACT", 100)
    vectors, _ = clusters()
    approximate = layout.find_neighbors(vectors, 10, workers=2)
    assert threads == [2]
    monkeypatch.undo()
    exact = layout.find_neighbors(vectors, 10)
    shared = [len(set(a) & set(b)) for a, b in zip(approximate.indices.tolist(), exact.indices.tolist(), strict=True)]
    assert np.mean(shared) > 8
    np.testing.assert_allclose(approximate.similarities[:, 0], exact.similarities[:, 0], atol=0.05)


def test_an_unknown_layout_and_a_missing_package_are_named(monkeypatch):
    with pytest.raises(ParameterError, match="layout='pca' is not known; choose one of: tsne, umap"):
        layout.check_layout("pca")
    monkeypatch.setitem(sys.modules, "openTSNE", None)
    monkeypatch.setitem(sys.modules, "umap", None)
    with pytest.raises(ParameterError, match=r"pip install 'doc2vecc\[map\]'"):
        layout.check_layout("tsne")
    with pytest.raises(ParameterError, match="pip install umap-learn"):
        layout.check_layout("umap")


@pytest.mark.peers
@pytest.mark.slow
@pytest.mark.filterwarnings("ignore")
def test_umap():
    pytest.importorskip("umap", reason="umap-learn is not installed; make test-peers installs it")
    vectors, labels = clusters()
    points = layout.lay_out(vectors, layout.find_neighbors(vectors), method="umap")
    away = np.linalg.norm(points[:, None] - points[None], axis=2) + 9 * np.eye(len(points))
    assert np.mean(labels[away.argmin(axis=1)] == labels) > 0.95
