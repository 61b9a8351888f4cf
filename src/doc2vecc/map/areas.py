"""The areas of a map: hills of the density of its points, coarse and fine, each with a name."""

from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt
import scipy.ndimage

from doc2vecc.map.documents import WordCounts
from doc2vecc.map.layout import Points
from doc2vecc.map.naming import Groups, distinct_labels, name_groups

GRID = 256  # cells a side
WIDTHS = (10.0, 5.0, 2.5)  # of the smoothing, in cells: a wide one gives few areas
LEAST_SHARE = 0.002  # of the documents: a smaller hill gets no name
LEAST = 5  # documents
_AROUND = [(down, right) for down in (-1, 0, 1) for right in (-1, 0, 1)]


class Area(NamedTuple):
    """A part of the map: how fine it is (0 is the coarsest), where its name stands, how many documents it has."""

    level: int
    x: float
    y: float
    size: int
    words: list[str]
    label: str


def find_areas(points: Points, counts: WordCounts, n_words: int = 6) -> tuple[list[Area], Groups]:
    """Find and name the areas of all levels, large ones first -> (areas, the coarse area of every point)."""
    areas: list[Area] = []
    coarse: Groups = np.zeros(0, np.int64)
    for level, width in enumerate(WIDTHS):
        groups = by_size(hills(points, width))
        if level == 0:
            coarse = groups
        names = name_groups(counts, groups, n_words)
        for number, (words, label) in enumerate(zip(names, distinct_labels(names), strict=True)):
            members = points[groups == number]
            x, y = middle_member(members).tolist()
            areas.append(Area(level, x, y, len(members), words, label))
    return areas, coarse


def middle_member(points: npt.NDArray[Any]) -> npt.NDArray[Any]:
    """Return the point nearest to the median, which lies among the points also where an area is bent."""
    found: npt.NDArray[Any] = points[np.argmin(((points - np.median(points, axis=0)) ** 2).sum(axis=1))]
    return found


def hills(points: Points, width: float) -> Groups:
    """Give every point the number of the hill of density that it stands on: climb to the highest cell around."""
    cells = np.clip(((points + 1) / 2 * GRID).astype(np.int64), 0, GRID - 1)
    density = np.zeros((GRID, GRID))
    np.add.at(density, (cells[:, 0], cells[:, 1]), 1.0)
    density = scipy.ndimage.gaussian_filter(density, width, mode="constant")
    # Cells far from all points are equally low; a small slope keeps ties from making hills of their own.
    ranked = density.ravel() + np.arange(GRID * GRID) * 1e-12 * max(float(density.max()), 1e-300)
    padded = np.pad(ranked.reshape(GRID, GRID), 1, constant_values=-np.inf)
    places = np.pad(np.arange(GRID * GRID).reshape(GRID, GRID), 1)
    shifted = [(slice(1 + down, GRID + 1 + down), slice(1 + right, GRID + 1 + right)) for down, right in _AROUND]
    best = np.argmax([padded[one] for one in shifted], axis=0)
    above: npt.NDArray[np.int64] = np.choose(best, [places[one] for one in shifted]).ravel()
    while not np.array_equal(above, above[above]):  # each round goes twice as far
        above = above[above]
    top: Groups = above[cells[:, 0] * GRID + cells[:, 1]]
    return top


def by_size(hill_of_point: Groups) -> Groups:
    """Number hills from the largest to the smallest; -1 for those with too few points."""
    _, numbers, sizes = np.unique(hill_of_point, return_inverse=True, return_counts=True)
    order = np.argsort(-sizes, kind="stable")
    new = np.empty(len(sizes), np.int64)
    new[order] = np.arange(len(sizes))
    least = max(LEAST, LEAST_SHARE * len(hill_of_point))
    new[sizes < least] = -1
    return new[numbers.ravel()]
