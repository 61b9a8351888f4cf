"""The lengths of word vectors, which Doc2VecC makes small for words that say little about a document.

A document is the mean of its words, so the length of a word's vector is its weight in it. The corruption works as a
penalty on the vectors of words that are frequent and not telling: they should be the short ones.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from doc2vecc.errors import EvaluationError
from doc2vecc.evaluation.checking import checked_words
from doc2vecc.rules import require

QUANTILES = (0.05, 0.25, 0.5, 0.75, 0.95)


@dataclass(frozen=True)
class WordNorm:
    """A word, how often it occurs, and the length of its vector."""

    word: str
    count: int
    norm: float


@dataclass(frozen=True)
class NormsByFrequency:
    """Quantiles of the norms of words that are about equally frequent, for a figure.

    Bin i holds ``words[i]`` words whose counts are from ``low[i]`` to ``high[i]``; ``norms[i, j]`` is the quantile
    ``QUANTILES[j]`` of their norms. ``correlation`` is Spearman's, of norm and count over all words.
    """

    low: npt.NDArray[np.int64]
    high: npt.NDArray[np.int64]
    words: npt.NDArray[np.int64]
    norms: npt.NDArray[np.float64]
    correlation: float


def smallest_norms(
    words: Sequence[str], counts: npt.ArrayLike, vectors: npt.ArrayLike, *, k: int = 20, min_count: int = 1
) -> list[WordNorm]:
    """Return the ``k`` words with the shortest vectors, of those that occur ``min_count`` times.

    Rare words can be short because they have hardly moved from their start; ``min_count`` leaves them out.

    >>> smallest_norms(["the", "film", "odd"], [9, 5, 1], [[0, 1], [3, 4], [0, 0.1]], k=1, min_count=2)
    [WordNorm(word='the', count=9, norm=1.0)]
    """
    require("k", k, whole=True, low=1)
    counted, norms = _counts_and_norms(words, counts, vectors)
    candidates = np.flatnonzero(counted >= min_count)
    shortest = candidates[np.argsort(norms[candidates], kind="stable")[:k]]
    return [WordNorm(words[row], int(counted[row]), float(norms[row])) for row in shortest.tolist()]


def norms_by_frequency(counts: npt.ArrayLike, vectors: npt.ArrayLike, *, bins: int = 20) -> NormsByFrequency:
    """Sort words into ``bins`` by the logarithm of their count and describe the norms in each that is not empty.

    >>> found = norms_by_frequency([100, 90, 2, 1], [[0, 1], [0, 3], [0, 5], [0, 7]], bins=2)
    >>> found.low.tolist(), found.high.tolist(), found.words.tolist(), found.norms[:, 2].tolist()
    ([1, 90], [2, 100], [2, 2], [6.0, 2.0])
    """
    from scipy.stats import spearmanr

    require("bins", bins, whole=True, low=1)
    counted, norms = _counts_and_norms(np.asarray(counts), counts, vectors)
    if len(counted) == 0 or counted.min() < 1:
        raise EvaluationError("every word must occur at least once; leave out those that do not")
    logarithms = np.log(counted)
    edges = np.linspace(logarithms.min(), logarithms.max(), bins + 1)[1:-1]
    numbers = np.digitize(logarithms, edges)
    members = [np.flatnonzero(numbers == number) for number in np.unique(numbers)]
    is_flat = np.ptp(counted) == 0 or np.ptp(norms) == 0
    return NormsByFrequency(
        low=np.array([counted[rows].min() for rows in members]),
        high=np.array([counted[rows].max() for rows in members]),
        words=np.array([len(rows) for rows in members]),
        norms=np.array([np.quantile(norms[rows], QUANTILES) for rows in members]),
        correlation=float("nan") if is_flat else float(spearmanr(norms, counted).statistic),
    )


def _counts_and_norms(
    words: Sequence[str] | npt.NDArray[np.int64], counts: npt.ArrayLike, vectors: npt.ArrayLike
) -> tuple[npt.NDArray[np.int64], npt.NDArray[np.float64]]:
    counted = np.asarray(counts, np.int64)
    if counted.shape != (len(words),):
        raise EvaluationError(f"counts of shape {counted.shape} do not fit {len(words):,} words; give one a word")
    return counted, np.linalg.norm(checked_words(words, vectors).astype(np.float64), axis=1)
