"""Word vectors: analogies, agreement with human ratings of similarity, and which words have short vectors.

An analogy (Mikolov et al. 2013) asks: Athens is to Greece as Baghdad is to what? The answer is the word nearest to
the sum greece - athens + baghdad of vectors of length one, other than these three words.

A document is the mean of its words, so the norm of a word vector is the weight of the word. The corruption of
Doc2VecC penalizes the vectors of words that are frequent and uninformative: they should be the short ones.
"""

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from doc2vecc import EvaluationError

Vectors = npt.NDArray[np.float32]
Question = Sequence[str]  # four words

SYNTACTIC = "gram"  # how the names of the sections about grammar begin
QUANTILES = (0.05, 0.25, 0.5, 0.75, 0.95)
SCORES_AT_ONCE = 1 << 24  # similarities held in memory


def row_lookup(words: Sequence[str]) -> Callable[[Sequence[str]], list[int] | None]:
    """Return a function that gives the rows of words, or None if one is unknown; unknown words are lowercased first.

    >>> rows_of = row_lookup(["the", "athens", "US"])
    >>> rows_of(["Athens", "US"]), rows_of(["Athens", "us"])
    ([1, 2], None)
    """
    first_rows = {word: row for row, word in reversed(list(enumerate(words)))}

    def rows_of(some: Sequence[str]) -> list[int] | None:
        rows = [first_rows.get(word, first_rows.get(word.lower())) for word in some]
        return None if None in rows else rows  # type: ignore[return-value]

    return rows_of


def unit_rows(words: Sequence[str], vectors: npt.ArrayLike) -> Vectors:
    """Scale the vectors of words to length one; a zero row stays zero."""
    rows = np.asarray(vectors, np.float32)
    if rows.ndim != 2 or len(rows) != len(words):
        raise EvaluationError(f"vectors of shape {rows.shape} do not fit {len(words):,} words; give a row each")
    norms = np.linalg.norm(rows, axis=1, keepdims=True)
    unit: Vectors = np.divide(rows, norms, out=np.zeros_like(rows), where=norms > 0)
    return unit


# ---- analogies


class SectionScore(NamedTuple):
    """How many questions of a section were asked, left out because of an unknown word, and answered correctly."""

    asked: int
    left_out: int
    correct: int

    @property
    def accuracy(self) -> float:
        """Share of the asked questions that were answered correctly; NaN if none was asked."""
        return self.correct / self.asked if self.asked else float("nan")


@dataclass(frozen=True)
class AnalogyResult:
    """The score of every section, and their sums."""

    sections: dict[str, SectionScore]

    @property
    def semantic(self) -> SectionScore:
        """All sections about the world."""
        return _sum(score for name, score in self.sections.items() if not name.startswith(SYNTACTIC))

    @property
    def syntactic(self) -> SectionScore:
        """All sections about grammar."""
        return _sum(score for name, score in self.sections.items() if name.startswith(SYNTACTIC))

    @property
    def total(self) -> SectionScore:
        """All sections."""
        return _sum(self.sections.values())


def read_questions(path: str | Path) -> dict[str, list[Question]]:
    """Read questions-words.txt: lines of four words, under headings like ": capital-world"."""
    sections: dict[str, list[Question]] = {}
    section: list[Question] | None = None
    for number, line in enumerate(Path(path).read_text("utf-8-sig").split("\n"), start=1):
        if line.startswith(":"):
            section = sections.setdefault(line[1:].strip(), [])
        elif words := line.split():
            if section is None or len(words) != 4:
                raise EvaluationError(
                    f"{path}, line {number} is {line.strip()[:80]!r}; it must be four words under a heading like "
                    "': capital-world'"
                )
            section.append(words)
    return sections


def analogies(
    words: Sequence[str],
    vectors: npt.ArrayLike,
    questions: Mapping[str, Sequence[Question]],
    *,
    restrict: int | None = 30_000,
) -> AnalogyResult:
    """Answer the questions of every section, with ``words`` in the order of their frequency.

    Only the ``restrict`` most frequent words are known: a question with another word is left out and counted, and
    the answers come from them. None uses all words.

    >>> words = ["man", "king", "woman", "queen", "tree"]
    >>> vectors = [[1, 0, 0], [1, 0, 1], [0, 1, 0], [0, 1, 1], [1, -1, 1]]
    >>> analogies(words, vectors, {"family": [["man", "king", "woman", "queen"]]}).total
    SectionScore(asked=1, left_out=0, correct=1)
    """
    if restrict is not None and restrict < 1:
        raise EvaluationError(f"restrict={restrict!r} does not fit; it must be a whole number of at least 1, or None")
    unit = unit_rows(words, vectors)[:restrict]
    rows_of = row_lookup(words[:restrict])
    sections = {}
    for name, section in questions.items():
        known = [found for found in map(rows_of, section) if found is not None]
        correct = _count_correct(unit, np.array(known, np.int64).reshape(-1, 4))
        sections[name] = SectionScore(len(known), len(section) - len(known), correct)
    return AnalogyResult(sections)


def _count_correct(unit: Vectors, questions: npt.NDArray[np.int64]) -> int:
    """Count the questions whose fourth word is the nearest to second - first + third, those three left out."""
    correct = 0
    step = max(1, SCORES_AT_ONCE // len(unit))
    for start in range(0, len(questions), step):
        block = questions[start : start + step]
        first, second, third, expected = block.T
        scores = (unit[second] - unit[first] + unit[third]) @ unit.T
        np.put_along_axis(scores, block[:, :3], -np.inf, axis=1)
        correct += int(np.count_nonzero(scores.argmax(axis=1) == expected))
    return correct


def _sum(scores: Iterable[SectionScore]) -> SectionScore:
    totals = np.array([SectionScore(0, 0, 0), *scores]).sum(axis=0)
    return SectionScore(*totals.tolist())


# ---- ratings of similarity


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
    """Read lines of word, word, score, separated by tabs or blanks, without a heading, as in MEN.

    WordSim-353 and SimLex-999 have a heading, and SimLex-999 has more columns: remove them first.
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

    unit = unit_rows(words, vectors)
    rows_of = row_lookup(words)
    ours, theirs, left_out = [], [], 0
    for first, second, score in ratings:
        found = rows_of([first, second])
        if found is None:
            left_out += 1
        else:
            ours.append(float(unit[found[0]] @ unit[found[1]]))
            theirs.append(score)
    if len(ours) < 2 or np.ptp(ours) == 0 or np.ptp(theirs) == 0:
        return WordSimilarity(float("nan"), len(ours), left_out)
    return WordSimilarity(float(spearmanr(ours, theirs).statistic), len(ours), left_out)


# ---- norms


@dataclass(frozen=True)
class WordNorm:
    """A word, how often it occurs, and the norm of its vector."""

    word: str
    count: int
    norm: float


@dataclass(frozen=True)
class NormsByFrequency:
    """Quantiles of the norms of words that are about equally frequent.

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

    counted, norms = _counts_and_norms(np.asarray(counts), counts, vectors)
    if len(counted) == 0 or counted.min() < 1:
        raise EvaluationError("every word must occur at least once; leave out those that do not")
    logarithms = np.log(counted)
    edges = np.linspace(logarithms.min(), logarithms.max(), bins + 1)[1:-1]
    bin_of_word = np.digitize(logarithms, edges)
    members = [np.flatnonzero(bin_of_word == number) for number in np.unique(bin_of_word)]
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
    return counted, np.linalg.norm(np.asarray(vectors, np.float64), axis=1)
