"""Whether words that people find similar have similar vectors."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from doc2vecc.errors import EvaluationError
from doc2vecc.evaluation.checking import checked_words
from doc2vecc.evaluation.words import WordRows
from doc2vecc.model import normalized


class Rating(NamedTuple):
    """Two words and how similar people find them, on any scale."""

    first: str
    second: str
    score: float


class WordSimilarity(NamedTuple):
    """Spearman's rank correlation over the pairs of known words, and how many pairs were compared and left out."""

    spearman: float
    compared: int
    left_out: int


def read_ratings(path: str | Path) -> list[Rating]:
    """Read lines of word, word, score, apart by tabs or blanks, without a heading, as MEN is written.

    WordSim-353 and SimLex-999 have a heading, and SimLex-999 has further columns: cut them off first.
    """
    ratings = []
    for number, line in enumerate(Path(path).read_text("utf-8").splitlines(), start=1):
        cells = line.split()
        try:
            if cells:
                ratings.append(Rating(cells[0], cells[1], float(cells[2])))
        except (IndexError, ValueError):
            raise EvaluationError(
                f"{path}, line {number} is {line[:80]!r}; it must be two words and a number"
            ) from None
    return ratings


def word_similarity(words: Sequence[str], vectors: npt.ArrayLike, ratings: Iterable[Rating]) -> WordSimilarity:
    """Compare cosine similarities with ratings.

    >>> vectors = [[1, 0], [1, 0.1], [0, 1]]
    >>> ratings = [Rating("cat", "dog", 9), Rating("cat", "tax", 1), Rating("dog", "tax", 2), Rating("cat", "?", 1)]
    >>> word_similarity(["cat", "dog", "tax"], vectors, ratings)
    WordSimilarity(spearman=1.0, compared=3, left_out=1)
    """
    from scipy.stats import spearmanr

    unit = normalized(checked_words(words, vectors))
    rows = WordRows(words)
    ours, theirs, left_out = [], [], 0
    for first, second, score in ratings:
        found = rows.of([first, second])
        if found is None:
            left_out += 1
        else:
            ours.append(float(unit[found[0]] @ unit[found[1]]))
            theirs.append(score)
    if len(ours) < 2 or np.ptp(ours) == 0 or np.ptp(theirs) == 0:
        return WordSimilarity(float("nan"), len(ours), left_out)
    return WordSimilarity(float(spearmanr(ours, theirs).statistic), len(ours), left_out)
