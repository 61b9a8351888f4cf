"""The labeled documents that several experiments share; cached, because reading takes some seconds."""

from __future__ import annotations

from functools import lru_cache
from pathlib import Path

from doc2vecc_paper.datasets import LabeledTexts, load_imdb, load_wikipedia100
from doc2vecc_paper.experiment import Scope

QUICK_REVIEWS = 6_000


def reviews(folder: Path, scope: Scope) -> LabeledTexts:
    """Return all movie reviews, or a sample of them in a quick scope."""
    return _sample(folder) if scope.quick else _all(folder)


@lru_cache(maxsize=1)
def _all(folder: Path) -> LabeledTexts:
    return load_imdb(folder)


@lru_cache(maxsize=1)
def _sample(folder: Path) -> LabeledTexts:
    return _all(folder).subset(QUICK_REVIEWS, seed=0)


@lru_cache(maxsize=1)
def pages(folder: Path) -> LabeledTexts:
    """Return all Wikipedia pages in 100 classes; in a quick scope every experiment takes its own sample."""
    return load_wikipedia100(folder)
