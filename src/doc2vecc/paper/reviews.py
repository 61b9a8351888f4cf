"""The movie reviews as the experiments use them: read once, and a sample of them for a quick look."""

from __future__ import annotations

from functools import lru_cache
from pathlib import Path

from doc2vecc.paper.datasets import LabelledTexts, load_imdb
from doc2vecc.paper.experiment import Scope

QUICK_REVIEWS = 6_000


def reviews(folder: Path, scope: Scope) -> LabelledTexts:
    """Return all reviews, or a sample of them in a quick scope."""
    return _sample(folder) if scope.quick else _all(folder)


@lru_cache(maxsize=1)  # several experiments need them, and reading takes some seconds
def _all(folder: Path) -> LabelledTexts:
    return load_imdb(folder)


@lru_cache(maxsize=1)
def _sample(folder: Path) -> LabelledTexts:
    return _all(folder).subset(QUICK_REVIEWS, seed=0)
