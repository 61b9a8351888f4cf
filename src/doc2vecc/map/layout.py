"""Vectors become points of the plane: nearest neighbors, then t-SNE (openTSNE) or UMAP."""

import importlib
from collections.abc import Callable
from types import ModuleType
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt
from threadpoolctl import threadpool_limits

from doc2vecc.errors import ParameterError
from doc2vecc.model import Vectors
from doc2vecc.similarity import nearest

METHODS = ("tsne", "umap")
PERPLEXITY = 30
NEIGHBORS = 3 * PERPLEXITY  # what t-SNE looks at
EARLY_STEPS, STEPS = 250, 500  # of t-SNE, those of exaggerated attraction first
STEPS_AT_ONCE = 10  # between two reports
EXACT = 200_000  # documents: above, neighbors are approximate, because the time of an exact search is quadratic
SMALL_SPAN = 1e-6
_QUERIES = 2_048

Points = npt.NDArray[np.float64]
Report = Callable[[str, float], None]  # what is being done, and which share of it is done


class Neighbors(NamedTuple):
    """For every document the others that are nearest, and their cosine similarities."""

    indices: npt.NDArray[np.int64]
    similarities: Vectors


def find_neighbors(
    vectors: Vectors, count: int = NEIGHBORS, report: Report | None = None, workers: int = 1
) -> Neighbors:
    """Find the nearest others of every unit vector, exactly up to ``EXACT`` of them."""
    n = len(vectors)
    count = min(count, n - 1)
    if n > EXACT:
        return _approximate_neighbors(vectors, count, workers)
    found = Neighbors(np.empty((n, count), np.int64), np.empty((n, count), np.float32))
    for start in range(0, n, _QUERIES):
        if report is not None:
            report("neighbors", start / n)
        queries = vectors[start : start + _QUERIES]
        indices, similarities = nearest(queries, vectors, count + 1)
        is_other = indices != np.arange(start, start + len(queries))[:, None]
        # A document with many equals may be missing among its own nearest; then the last one goes.
        is_other[is_other.all(axis=1), -1] = False
        found.indices[start : start + _QUERIES] = indices[is_other].reshape(-1, count)
        found.similarities[start : start + _QUERIES] = similarities[is_other].reshape(-1, count)
    return found


def _approximate_neighbors(vectors: Vectors, count: int, workers: int) -> Neighbors:
    index = require_extra("openTSNE.nearest_neighbors").Annoy(
        vectors, count, metric="euclidean", n_jobs=workers, random_state=0
    )
    indices, distances = index.build()
    return Neighbors(indices.astype(np.int64), (1 - distances**2 / 2).astype(np.float32))


def check_layout(method: str) -> None:
    """Refuse a method that does not exist or is not installed."""
    if method not in METHODS:
        raise ParameterError(f"layout={method!r} is not known; choose one of: {', '.join(METHODS)}")
    if method == "umap":
        require_extra("umap", "pip install umap-learn")
    else:
        require_extra("openTSNE")


def lay_out(
    vectors: Vectors,
    neighbors: Neighbors,
    *,
    method: str = "tsne",
    seed: int = 0,
    workers: int = 1,
    report: Report | None = None,
) -> Points:
    """Place unit vectors in the plane so that neighbors stay near -> (n, 2), centered, the longer side 2."""
    with threadpool_limits(workers):
        points = _umap(vectors, seed, report) if method == "umap" else _tsne(vectors, neighbors, seed, workers, report)
    low, high = points.min(axis=0), points.max(axis=0)
    placed: Points = (points - (low + high) / 2) / max(float((high - low).max()) / 2, SMALL_SPAN)
    return placed


def _tsne(vectors: Vectors, neighbors: Neighbors, seed: int, workers: int, report: Report | None) -> Points:
    opentsne = require_extra("openTSNE")
    affinity, initialization, nearest_neighbors = (
        require_extra(f"openTSNE.{name}") for name in ("affinity", "initialization", "nearest_neighbors")
    )
    distances = np.sqrt(np.maximum(2 - 2 * neighbors.similarities.astype(np.float64), 0))
    index = nearest_neighbors.PrecomputedNeighbors(neighbors.indices, distances)
    # A third of the neighbors, as much as t-SNE can tell apart with few documents.
    perplexity = min(PERPLEXITY, max(neighbors.indices.shape[1] / 3, 1))
    is_flat = float(np.ptp(vectors, axis=0).max()) < SMALL_SPAN  # equal documents have no main directions
    start = initialization.random(len(vectors), 2, seed) if is_flat else initialization.pca(vectors, random_state=seed)
    options: dict[str, Any] = {"n_jobs": workers, "random_state": seed, "callbacks_every_iters": STEPS_AT_ONCE}
    if report is not None:
        options["callbacks"] = _counting(report)
    weights = affinity.PerplexityBasedNN(knn_index=index, perplexity=perplexity, n_jobs=workers)
    layout = opentsne.TSNE(n_iter=STEPS, early_exaggeration_iter=EARLY_STEPS, **options)
    return np.asarray(layout.fit(affinities=weights, initialization=start), np.float64)


def _counting(report: Report) -> Callable[[int, float, Any], None]:
    """Make the callback of t-SNE, whose own count begins again after the early steps."""
    done = 0

    def step(_iteration: int, _error: float, _points: Any) -> None:  # noqa: ANN401
        nonlocal done
        done += STEPS_AT_ONCE
        report("layout", done / (EARLY_STEPS + STEPS))

    return step


def _umap(vectors: Vectors, seed: int, report: Report | None) -> Points:
    umap = require_extra("umap", "pip install umap-learn")
    if report is not None:
        report("layout", 0.0)
    mapping = umap.UMAP(metric="cosine", n_neighbors=min(15, len(vectors) - 1), random_state=seed, n_jobs=1)
    return np.asarray(mapping.fit_transform(vectors), np.float64)


def require_extra(module: str, remedy: str = "pip install 'doc2vecc[map]'") -> ModuleType:
    """Import a module that only maps need, or say how to install it."""
    try:
        return importlib.import_module(module)
    except ImportError as error:
        raise ParameterError(f"maps need {module.partition('.')[0]}, which is not installed: {remedy}") from error
