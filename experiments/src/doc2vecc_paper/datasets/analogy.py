"""The word analogies of Mikolov et al. 2013: Athens is to Greece as Baghdad is to Iraq."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import pyarrow as pa

from doc2vecc import EvaluationError
from doc2vecc_paper.datasets.fingerprints import Fingerprint, fingerprint
from doc2vecc_paper.datasets.places import DataError, data_errors, first_file
from doc2vecc_paper.word_vectors import read_questions

Question = Sequence[str]  # four words

FILE = "questions-words.txt"
SITE = "github.com/tmikolov/word2vec"


@dataclass(frozen=True, eq=False)
class AnalogyQuestions:
    """The questions of every section, four words each, spelled as in the file."""

    sections: Mapping[str, Sequence[Question]]
    fingerprint: Fingerprint

    @classmethod
    def of(cls, sections: Mapping[str, Sequence[Question]]) -> AnalogyQuestions:
        """Add the fingerprint to the questions."""
        numbers = np.repeat(np.arange(len(sections)), [len(questions) for questions in sections.values()])
        words = [word for questions in sections.values() for question in questions for word in question]
        spelled = pa.array(words, pa.large_string())
        return cls(sections, fingerprint("questions-words", numbers, [spelled], np.array(list(sections))))


def load_questions(folder: Path) -> AnalogyQuestions:
    """Read questions-words.txt from the folder, or from its folder "analogy"."""
    path = first_file(folder, [f"analogy/{FILE}", FILE])
    if path is None:
        raise DataError(f"{folder} has no {FILE}; download it from {SITE} and put it there, or in its folder analogy")
    try:
        with data_errors(path):
            sections = read_questions(path)
    except EvaluationError as error:
        raise DataError(f"{error}; download the file again") from error
    if not any(sections.values()):
        raise DataError(f"{path} has no question; download it again from {SITE}")
    return AnalogyQuestions.of(sections)
