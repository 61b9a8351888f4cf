"""Words per second against dimension, vocabulary, document length and negatives, on synthetic text; two workers."""

from __future__ import annotations

from typing import Any

from benchmarks.contestants import config
from benchmarks.material import synthetic
from doc2vecc.training.trainer import train

USUAL: dict[str, int] = {"vector_size": 100, "words": 40_000, "length": 250, "negative": 5}
VALUES: dict[str, list[int]] = {
    "vector_size": [25, 50, 100, 200, 300, 500],
    "words": [1_000, 10_000, 40_000, 200_000, 1_000_000],
    "length": [10, 50, 250, 1_000, 10_000],
    "negative": [1, 2, 5, 10, 20],
}


def measure(*, quick: bool) -> dict[str, list[dict[str, Any]]]:
    """Vary one size at a time around the usual ones -> for each size a list of (value, words per second)."""
    tokens = 200_000 if quick else 4_000_000
    return {
        name: [{"value": value, "words_per_second": _rate({**USUAL, name: value}, tokens)} for value in values]
        for name, values in VALUES.items()
    }


def _rate(sizes: dict[str, int], tokens: int) -> float:
    corpus = synthetic(sizes["words"], tokens // sizes["length"], sizes["length"])
    setting = config(2, vector_size=sizes["vector_size"], negative=sizes["negative"])
    history = [train(corpus, setting).model.record.history[0] for _ in range(2)]
    return max(epoch.words / epoch.seconds for epoch in history)
