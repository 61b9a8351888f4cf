"""Word analogies (Mikolov et al. 2013): Athens is to Greece as Baghdad is to Iraq.

The answer is the word nearest to the sum greece - athens + baghdad of vectors of length one, where the three words
of the question themselves do not count.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from doc2vecc.errors import EvaluationError
from doc2vecc.evaluation.checking import checked_words
from doc2vecc.evaluation.words import WordRows
from doc2vecc.model import Vectors, normalized
from doc2vecc.rules import require

Question = Sequence[str]  # four words

SYNTACTIC = "gram"  # how the names of the sections about grammar begin
_SCORES_AT_ONCE = 1 << 24  # similarities held in memory


class SectionScore(NamedTuple):
    """How many questions of a section were asked, left out because of a word that is not known, and right."""

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
    the answers come from them. None knows all.

    >>> words = ["man", "king", "woman", "queen", "tree"]
    >>> vectors = [[1, 0, 0], [1, 0, 1], [0, 1, 0], [0, 1, 1], [1, -1, 1]]
    >>> analogies(words, vectors, {"family": [["man", "king", "woman", "queen"]]}).total
    SectionScore(asked=1, left_out=0, correct=1)
    """
    if restrict is not None:
        require("restrict", restrict, whole=True, low=1)
    unit = normalized(checked_words(words, vectors)[:restrict])
    rows = WordRows(words[:restrict])
    sections = {}
    for name, section in questions.items():
        known = [found for found in map(rows.of, section) if found is not None]
        correct = _count_correct(unit, np.array(known, np.int64).reshape(-1, 4))
        sections[name] = SectionScore(len(known), len(section) - len(known), correct)
    return AnalogyResult(sections)


def _count_correct(unit: Vectors, questions: npt.NDArray[np.int64]) -> int:
    """Count the questions whose fourth word is the nearest to second - first + third, those three left out."""
    correct = 0
    step = max(1, _SCORES_AT_ONCE // len(unit))
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
