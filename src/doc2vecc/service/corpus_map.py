"""The map of the page: a place for every document, areas with names, and how a query lights them up.

Without columns x and y, some hundred landmarks among the documents are laid out by t-SNE, and each document stands
between the landmarks that it is like. That takes seconds, where t-SNE over all documents takes minutes.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import islice
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from doc2vecc.model import Model
from doc2vecc.similarity import Vectors, normalized

SAMPLED = 20_000  # documents that decide the directions of the map, and its landmarks
LANDMARKS = 400
ROUNDS = 10  # of k-means
NEAR = 6  # landmarks that a document stands between
SHARPNESS = 25.0  # how much more the nearest of them counts
FEW = 50  # documents: fewer are projected, which needs no landmarks
MIDDLE = 98  # percent of the points that are hardly moved, so that a few far away do not squeeze the others
WIDTHS = (6.5, 3.5)  # of the hills that are areas, coarse and fine
NAMED_BY = 3  # words
RARE, COMMON = 0.002, 0.5  # occurrences a document: rarer and more common words name no area
NO_AREA = 255
DIM, BRIGHT = 1.2, 3.6  # standard deviations above the mean similarity where documents begin to light up, and all are

Places = npt.NDArray[np.float32]


class Area(NamedTuple):
    """A part of the map: its level (0 is coarse), number within it, place, documents and name."""

    level: int
    number: int
    x: float
    y: float
    documents: int
    label: str


@dataclass(frozen=True)
class CorpusMap:
    """Where the documents are, which coarse area each belongs to, and the names of all areas."""

    places: Places  # (n, 2), from -1 to 1
    area_of: npt.NDArray[np.uint8]  # NO_AREA outside of them
    areas: list[Area]


def make_map(model: Model, parts: list[Vectors], own: Places | None) -> CorpusMap:
    """Place all documents and name the areas; ``own`` are places that the user gave."""
    from doc2vecc.map.areas import by_size, hills

    unit_parts = [np.asarray(part, np.float32) for part in parts]
    places = placed(unit_parts) if own is None else squeezed(own)
    levels = [by_size(hills(places.astype(np.float64), width)) for width in WIDTHS]
    areas = [area for level, groups in enumerate(levels) for area in _areas(model, unit_parts, places, groups, level)]
    coarse = np.where((levels[0] >= 0) & (levels[0] < NO_AREA), levels[0], NO_AREA).astype(np.uint8)
    return CorpusMap(places, coarse, areas)


def placed(parts: list[Vectors]) -> Places:
    """Place documents so that those that are alike are near each other."""
    count = sum(map(len, parts))
    if count < FEW:
        return squeezed(projected(parts))
    sample = np.concatenate([part[:: max(1, count // SAMPLED)] for part in parts])
    middle = sample.mean(axis=0)
    landmarks = _landmarks(normalized(sample - middle))
    spots = _laid_out(landmarks)
    near = min(NEAR, len(landmarks))
    blocks = (block for part in parts for block in _blocks(part))
    return scaled(np.concatenate([_between(block - middle, landmarks, spots, near) for block in blocks]))


def projected(parts: list[Vectors]) -> Places:
    """Project vectors on the two directions in which they differ most."""
    count = sum(len(part) for part in parts)
    step = max(1, count // SAMPLED)
    sample = np.concatenate([part[::step] for part in parts]).astype(np.float64)
    middle = sample.mean(axis=0)
    _, directions = np.linalg.eigh(np.cov((sample - middle).T) if len(sample) > 1 else np.eye(sample.shape[1]))
    axes = directions[:, ::-1][:, :2].astype(np.float32)
    return np.concatenate([(part - middle.astype(np.float32)) @ axes for part in parts])


def scaled(points: Places) -> Places:
    """Move points into the square from -1 to 1."""
    low, high = points.min(axis=0), points.max(axis=0)
    size = max(float((high - low).max()) / 2, 1e-9)
    return np.ascontiguousarray((points - (low + high) / 2) / size, "<f4")


def squeezed(points: Places) -> Places:
    """Move points into the square from -1 to 1; the farther away one is, the more it is drawn to the middle."""
    centered = np.nan_to_num(points - np.nanmedian(points, axis=0))
    size = max(float(np.percentile(np.abs(centered), MIDDLE)), 1e-9)
    drawn = np.tanh(centered / size)
    return np.ascontiguousarray(drawn / max(float(np.abs(drawn).max()), 1e-9), "<f4")


def brightness(parts: list[Vectors], query: Vectors) -> npt.NDArray[np.uint8]:
    """Return how much each document lights up for a query of length one, from 0 to 255."""
    scores = np.concatenate([np.asarray(part) @ query for part in parts])
    spread = max(float(scores.std()), 1e-6)
    bright = (scores - float(scores.mean()) - DIM * spread) / ((BRIGHT - DIM) * spread)
    return (255 * np.clip(bright, 0, 1)).astype(np.uint8)


def _blocks(vectors: Vectors, size: int = 8_192) -> list[Vectors]:
    return [vectors[start : start + size] for start in range(0, len(vectors), size)]


def _landmarks(unit: Vectors) -> Vectors:
    """Find directions around which documents gather: k-means on the sphere."""
    draw = np.random.default_rng(0)
    centers = unit[draw.choice(len(unit), min(LANDMARKS, len(unit)), replace=False)]
    if len(centers) == len(unit):
        return centers
    for _ in range(ROUNDS):
        nearest = np.argmax(unit @ centers.T, axis=1)
        sums = np.zeros_like(centers)
        np.add.at(sums, nearest, unit)
        # A center that lost all of its documents stays where it is.
        centers = np.where(np.bincount(nearest, minlength=len(centers))[:, None] > 0, normalized(sums), centers)
    return centers


def _laid_out(landmarks: Vectors) -> Places:
    from sklearn.manifold import TSNE
    from threadpoolctl import threadpool_limits

    perplexity = min(12.0, (len(landmarks) - 1) / 3)
    layout = TSNE(2, perplexity=perplexity, init="pca", metric="cosine", random_state=0, max_iter=500, n_jobs=1)
    with threadpool_limits(1):  # for so few points, threads would wait for each other
        spots: Places = layout.fit_transform(landmarks)
    return spots


def _between(vectors: Vectors, landmarks: Vectors, spots: Places, near: int) -> Places:
    scores = normalized(vectors) @ landmarks.T
    nearest = np.argpartition(-scores, near - 1, axis=1)[:, :near]
    best = np.take_along_axis(scores, nearest, 1)
    weights = np.exp(SHARPNESS * (best - best.max(axis=1, keepdims=True)))
    weights /= weights.sum(axis=1, keepdims=True)
    found: Places = (spots[nearest] * weights[:, :, None]).sum(axis=1)
    return found


def _areas(model: Model, parts: list[Vectors], places: Places, groups: npt.NDArray[np.int64], level: int) -> list[Area]:
    """Name every area by the words whose vectors have the direction in which its documents differ from all."""
    from doc2vecc.map.areas import middle_member

    count, n_groups = len(groups), int(groups.max(initial=-1)) + 1
    sums, start = np.zeros((n_groups, model.dim)), 0
    total = np.zeros(model.dim)
    for part in parts:
        own = groups[start : start + len(part)]
        np.add.at(sums, own[own >= 0], part[own >= 0])
        total += part.sum(axis=0)
        start += len(part)
    sizes = np.bincount(groups[groups >= 0], minlength=n_groups)
    directions = normalized((sums / np.maximum(sizes, 1)[:, None] - total / count).astype(np.float32))
    names = _names(model, directions, RARE * count, COMMON * count)
    found = []
    for number, label in enumerate(names):
        members = places[groups == number]
        x, y = middle_member(members).tolist()
        found.append(Area(level, number, x, y, int(sizes[number]), label))
    return found


def _names(model: Model, directions: Vectors, least: float, most: float) -> list[str]:
    """Name directions by frequent words that point there."""
    from doc2vecc.map.naming import STOP_WORDS

    vocabulary = model.vocabulary
    counts = vocabulary.counts[: vocabulary.n_words].astype(np.float64)
    telling = [word.isalpha() and len(word) > 2 and word not in STOP_WORDS for word in vocabulary.words[: len(counts)]]
    is_chosen = np.array(telling, bool) & (counts >= least) & (counts <= most)
    ids = np.flatnonzero(is_chosen if is_chosen.any() else counts > 0)
    vectors = model.word_vectors[: len(counts)]
    middle = np.average(vectors, axis=0, weights=counts)
    # The nearest words are rare ones; a frequent one that is nearly as near says more to a reader.
    weights = np.sqrt(np.log(2 + counts[ids] / max(least, 1)))
    scores = directions @ normalized((vectors[ids] - middle).astype(np.float32)).T * weights
    return [_joined([vocabulary.words[one] for one in ids[np.argsort(-row)[:40]]]) for row in scores]


def _joined(words: Sequence[str]) -> str:
    """Join the first words that are no forms of each other: song, songs, music -> "song, music"."""
    by_beginning: dict[str, str] = {}
    for word in words:
        by_beginning.setdefault(word[:4], word)
    return ", ".join(islice(by_beginning.values(), NAMED_BY))


def as_json(areas: Sequence[Area]) -> list[dict[str, Any]]:
    """Write areas for the page."""
    return [area._asdict() for area in areas]
