"""The word analogies of Mikolov et al. 2013: Athens is to Greece as Baghdad is to Iraq."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

import numpy as np
import numpy.typing as npt
import pyarrow as pa

from doc2vecc.paper.datasets.fingerprints import Fingerprint, fingerprint
from doc2vecc.paper.datasets.places import DataError, data_errors, first_file
from doc2vecc.paper.datasets.texts import stratified_rows

FILE = "questions-words.txt"
SITE = "github.com/tmikolov/word2vec"
SYNTACTIC = "gram"  # how the names of the syntactic sections begin


@dataclass(frozen=True, eq=False)
class AnalogyQuestions:
    """Four words a question, (n, 4), as spelled in the file; ``section`` k is called ``sections[k]``."""

    words: npt.NDArray[np.str_]
    section: npt.NDArray[np.int64]
    sections: tuple[str, ...]
    fingerprint: Fingerprint

    @classmethod
    def of(
        cls, words: npt.NDArray[np.str_], section: npt.NDArray[np.int64], sections: tuple[str, ...]
    ) -> AnalogyQuestions:
        """Join the columns with their fingerprint."""
        spelled = pa.array(words.ravel().tolist(), pa.large_string())
        return cls(words, section, sections, fingerprint("questions-words", section, [spelled], np.array(sections)))

    def __len__(self) -> int:
        return len(self.words)

    @property
    def is_semantic(self) -> npt.NDArray[np.bool_]:
        """Which questions are about the world; the others are about grammar."""
        return np.array([not name.startswith(SYNTACTIC) for name in self.sections])[self.section]

    def subset(self, n: int, seed: int) -> AnalogyQuestions:
        """Draw ``n`` questions so that the sections keep their shares; all of them if there are no more."""
        rows = stratified_rows(self.section, n, seed)
        return AnalogyQuestions.of(self.words[rows], self.section[rows], self.sections)


def load_questions(folder: Path) -> AnalogyQuestions:
    """Read questions-words.txt: lines of four words, under headings like ": capital-world"."""
    path = first_file(folder, [f"analogy/{FILE}", FILE])
    if path is None:
        raise DataError(f"{folder} has no {FILE}; get it from {SITE} and put it there, or in its folder analogy")
    with data_errors(path):
        lines = path.read_text("utf-8-sig").split("\n")
    sections: list[str] = []
    words: list[list[str]] = []
    section: list[int] = []
    for number, line in enumerate(lines, start=1):
        cells = line.split()
        if line.startswith(":"):
            sections.append(line[1:].strip())
        elif cells:
            if len(cells) != 4 or not sections:
                raise DataError(
                    f"{path}, line {number} is {line.strip()[:80]!r}; it must be four words under a heading like "
                    "': capital-world'; get the file again"
                )
            words.append(cells)
            section.append(len(sections) - 1)
    if not words:
        raise DataError(f"{path} has no question; get it again from {SITE}")
    return AnalogyQuestions.of(np.array(words), np.array(section, np.int64), tuple(sections))
