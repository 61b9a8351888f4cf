"""Human ratings of word similarity: WordSim-353, SimLex-999 and MEN."""

from __future__ import annotations

from pathlib import Path

from doc2vecc import EvaluationError
from doc2vecc_paper.datasets.places import DataError, data_errors
from doc2vecc_paper.word_vectors import Rating, read_ratings

FOLDER = "wordsim"
NAMES = ("WS-353-ALL", "SIMLEX-999", "MEN-TR-3k")
SITE = "github.com/mfaruqui/eval-word-vectors"


def load_ratings(folder: Path) -> dict[str, list[Rating]]:
    """Read the files EN-<name>.txt from the folder "wordsim": lines of word, word and score."""
    found = {}
    for name in NAMES:
        path = folder / FOLDER / f"EN-{name}.txt"
        if not path.is_file():
            raise DataError(f"{folder} has no {FOLDER}/{path.name}; download data/word-sim from {SITE} to {FOLDER}")
        try:
            with data_errors(path):
                found[name] = read_ratings(path)
        except EvaluationError as error:
            raise DataError(f"{error}; download the file again") from error
    return found
