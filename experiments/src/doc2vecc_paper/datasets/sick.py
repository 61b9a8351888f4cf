"""SICK (SemEval-2014 task 1): pairs of sentences, and how closely people find them related."""

from __future__ import annotations

import zipfile
from dataclasses import dataclass
from pathlib import Path, PurePosixPath
from typing import NamedTuple

import numpy as np
import numpy.typing as npt
import pyarrow as pa

from doc2vecc_paper.datasets.fingerprints import Fingerprint, fingerprint
from doc2vecc_paper.datasets.places import DataError, data_errors, first_file
from doc2vecc_paper.datasets.texts import stratified_rows

FILES = {"train": "SICK_train.txt", "trial": "SICK_trial.txt", "test": "SICK_test_annotated.txt"}
COLUMNS = ("sentence_A", "sentence_B", "relatedness_score")
SITE = "alt.qcri.org/semeval2014/task1"
ALL_IN_ONE = "SICK.zip"
LATER_EDITION = "SICK.txt"


@dataclass(frozen=True, eq=False)
class SentencePairs:
    """Two sentences a row and their relatedness, 1 to 5; ``split`` is "train", "trial" or "test"."""

    first: pa.LargeStringArray
    second: pa.LargeStringArray
    score: npt.NDArray[np.float64]
    split: npt.NDArray[np.str_]
    fingerprint: Fingerprint

    @classmethod
    def of(
        cls,
        first: pa.LargeStringArray,
        second: pa.LargeStringArray,
        score: npt.NDArray[np.float64],
        split: npt.NDArray[np.str_],
    ) -> SentencePairs:
        """Add the fingerprint to the columns."""
        return cls(first, second, score, split, fingerprint("sick", [first], [second], score, split))

    def __len__(self) -> int:
        return len(self.score)

    @property
    def sentences(self) -> pa.LargeStringArray:
        """All sentences, the first ones of the pairs before the second ones."""
        return pa.concat_arrays([self.first, self.second])

    def subset(self, n: int, seed: int) -> SentencePairs:
        """Draw ``n`` pairs so that the three splits keep their shares; all of them if there are no more."""
        rows = stratified_rows(np.unique(self.split, return_inverse=True)[1], n, seed)
        first, second = (sentences.take(pa.array(rows)) for sentences in (self.first, self.second))
        return SentencePairs.of(first, second, self.score[rows], self.split[rows])


class _Pair(NamedTuple):
    first: str
    second: str
    score: float
    split: str


def load_sick(folder: Path) -> SentencePairs:
    """Read the three files from the folder, from its folder "sick", or out of the zip files they come in."""
    pairs = [
        pair for split, name in FILES.items() for pair in _parse(*_find(folder, name), split)
    ]  # in the order train, trial, test
    return SentencePairs.of(
        pa.array([pair.first for pair in pairs], pa.large_string()),
        pa.array([pair.second for pair in pairs], pa.large_string()),
        np.array([pair.score for pair in pairs]),
        np.array([pair.split for pair in pairs]),
    )


def _find(folder: Path, name: str) -> tuple[str, bytes]:
    """Return the name of a file for messages, and its content."""
    path = first_file(folder, [f"sick/{name}", name])
    if path is not None:
        with data_errors(path):
            return str(path), path.read_bytes()
    zip_name = f"{name.removesuffix('.txt').lower()}.zip"
    for archive in [f"sick/{zip_name}", zip_name, f"sick/{ALL_IN_ONE}", ALL_IN_ONE]:
        if (folder / archive).is_file():
            with data_errors(folder / archive):
                content = _in_zip(folder / archive, name)
            if content is not None:
                return f"{name} in {folder / archive}", content
    raise DataError(
        f"{folder} has no {name}; download sick_train.zip, sick_trial.zip and sick_test_annotated.zip from {SITE} "
        "and put them there, packed or unpacked"
    )


def _in_zip(path: Path, name: str) -> bytes | None:
    """Return the file of this name from any folder within a zip file."""
    with zipfile.ZipFile(path) as archive:
        names = {PurePosixPath(member).name: member for member in archive.namelist() if "__MACOSX" not in member}
        if name in names:
            return archive.read(names[name])
    if LATER_EDITION in names:
        raise DataError(
            f"{path} is a later edition of SICK with 9,840 pairs; the paper's has 9,927: download it from {SITE}"
        )
    return None


def _parse(name: str, content: bytes, split: str) -> list[_Pair]:
    """Read a tab-separated file with a header; lines end with LF, or CRLF in the test split."""
    with data_errors(name):
        lines = content.decode("utf-8-sig").replace("\r\n", "\n").rstrip("\n").split("\n")
    header = lines[0].split("\t")
    if not set(COLUMNS) <= set(header):
        raise DataError(f"{name} begins with {lines[0][:80]!r}, not with a header that has {', '.join(COLUMNS)}")
    places = [header.index(column) for column in COLUMNS]
    pairs = []
    for number, line in enumerate(lines[1:], start=2):
        cells = line.split("\t")
        if len(cells) != len(header):
            raise DataError(
                f"{name}, line {number} has {len(cells)} cells, the header {len(header)}; download it again"
            )
        first, second, score = (cells[place] for place in places)
        pairs.append(_Pair(first, second, _score(score, f"{name}, line {number}"), split))
    if not pairs:
        raise DataError(f"{name} has a header and no pairs; download it again from {SITE}")
    return pairs


def _score(cell: str, where: str) -> float:
    try:
        score = float(cell)
    except ValueError:
        score = float("nan")
    if not 1 <= score <= 5:
        raise DataError(f"{where} has the relatedness {cell!r}; it must be a number from 1 to 5; download it again")
    return score
