"""The pairs of SICK as dependency trees, with GloVe vectors for their words.

    sick/parses/{train,dev,test}/{a,b}.{toks,parents,rels}, sim.txt           a line for each sentence, or pair
    sick/glove.840B.300d.sick.npz (words, vectors, missing), or glove.840B.300d.txt as it is published

The parses are those of the Stanford parser, as the preparation of github.com/stanfordnlp/treelstm writes them.
"""

from __future__ import annotations

import zipfile
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace
from pathlib import Path
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from doc2vecc_paper.datasets.fingerprints import Fingerprint, fingerprint
from doc2vecc_paper.datasets.places import DataError, data_errors, first_file
from doc2vecc_paper.datasets.texts import stratified_rows

PARSES = "sick/parses"
SITE = "github.com/stanfordnlp/treelstm"
PACKED_VECTORS, VECTORS = "glove.840B.300d.sick.npz", "glove.840B.300d.txt"
VECTORS_SITE = "nlp.stanford.edu/projects/glove"
SPLITS = {"train": "train", "trial": "dev", "test": "test"}  # our names -> folders

Integers = npt.NDArray[np.int64]


@dataclass(frozen=True, eq=False)
class ParsedSentences:
    """Sentences one after the other: the tokens of sentence k are ``offsets[k]`` to ``offsets[k + 1]``.

    ``word`` and ``relation`` are rows of tables, ``head`` is the position of the head in the sentence, -1 for the root.
    """

    word: Integers
    head: Integers
    relation: Integers
    offsets: Integers

    def __len__(self) -> int:
        return len(self.offsets) - 1

    def take(self, rows: Integers) -> ParsedSentences:
        """Return these sentences."""
        tokens, offsets = token_rows(self.offsets, rows)
        return ParsedSentences(self.word[tokens], self.head[tokens], self.relation[tokens], offsets)

    def followed_by(self, other: ParsedSentences) -> ParsedSentences:
        """Return these sentences and then the others."""
        names = ("word", "head", "relation")
        word, head, relation = (np.concatenate([getattr(self, name), getattr(other, name)]) for name in names)
        offsets = np.concatenate([self.offsets, other.offsets[1:] + self.offsets[-1]])
        return ParsedSentences(word, head, relation, offsets)


@dataclass(frozen=True, eq=False)
class ParsedPairs:
    """Pairs of parsed sentences, their relatedness from 1 to 5, and the vectors of their words."""

    first: ParsedSentences
    second: ParsedSentences
    score: npt.NDArray[np.float64]
    split: npt.NDArray[np.str_]
    words: tuple[str, ...]
    vectors: npt.NDArray[np.float32]
    relations: tuple[str, ...]

    def __len__(self) -> int:
        return len(self.score)

    def fingerprint(self) -> Fingerprint:
        """Take the fingerprint of everything; the words give the rows."""
        columns = [
            column
            for sentences in (self.first, self.second)
            for column in (sentences.word, sentences.head, sentences.relation, sentences.offsets)
        ]
        tables = (np.array(self.words), np.array(self.relations), self.vectors)
        return fingerprint("sick parses and glove", self.score, self.split, *columns, *tables)

    def only(self, split: str) -> ParsedPairs:
        """Return one split."""
        return self.take(np.flatnonzero(self.split == split))

    def take(self, rows: Integers) -> ParsedPairs:
        """Return these pairs; the tables of words and relations stay."""
        return replace(
            self,
            first=self.first.take(rows),
            second=self.second.take(rows),
            score=self.score[rows],
            split=self.split[rows],
        )

    def subset(self, n: int, seed: int) -> ParsedPairs:
        """Draw ``n`` pairs so that the three splits keep their shares; all of them if there are no more."""
        return self.take(stratified_rows(np.unique(self.split, return_inverse=True)[1], n, seed))


def token_rows(offsets: Integers, rows: Integers) -> tuple[Integers, Integers]:
    """Return where the tokens of some sentences are, one after the other, and their new offsets.

    >>> token_rows(np.array([0, 2, 3, 6]), np.array([2, 0]))
    (array([3, 4, 5, 0, 1]), array([0, 3, 5]))
    """
    lengths = (offsets[1:] - offsets[:-1])[rows]
    found = np.concatenate([np.zeros(1, np.int64), np.cumsum(lengths)])
    return np.arange(found[-1]) + np.repeat(offsets[:-1][rows] - found[:-1], lengths), found


def missing_for_trees(folder: Path) -> str:
    """Say what the folder lacks for :func:`load_parses`; nothing if it has all."""
    if not (folder / PARSES).is_dir():
        return f"needs {PARSES}: the parses that the scripts of {SITE} make, in the folder of the data"
    if first_file(folder, _vector_files()) is None:
        return f"needs {VECTORS} of {VECTORS_SITE} in the folder of the data"
    return ""


def load_parses(folder: Path) -> ParsedPairs:
    """Read parses, scores and word vectors; a word without a vector gets a small random one, as in Tai et al. 2015."""
    if missing := missing_for_trees(folder):
        raise DataError(f"{folder} {missing}")
    tables: tuple[dict[str, int], dict[str, int]] = ({}, {})
    sides: dict[str, list[_Tokens]] = {"a": [], "b": []}
    scores: list[float] = []
    splits: list[str] = []
    for split, name in SPLITS.items():
        place = folder / PARSES / name
        found = [float(line) for line in _lines(place / "sim.txt")]
        for side, sentences in sides.items():
            read = list(_sentences(place, side, *tables))
            if len(read) != len(found):
                raise DataError(f"{place} has {len(read)} sentences {side} and {len(found)} scores; make it again")
            sentences += read
        scores += found
        splits += [split] * len(found)
    words, relations = (tuple(table) for table in tables)
    first, second = (_flat(sentences) for sentences in sides.values())
    return ParsedPairs(first, second, np.array(scores), np.array(splits), words, _vectors_of(words, folder), relations)


class _Tokens(NamedTuple):
    words: list[int]
    heads: list[int]
    relations: list[int]


def _sentences(place: Path, side: str, words: dict[str, int], relations: dict[str, int]) -> Iterator[_Tokens]:
    """Read the three files of one side of the pairs; new words and relations join their tables."""
    files = [place / f"{side}.{kind}" for kind in ("toks", "parents", "rels")]
    for number, lines in enumerate(zip(*map(_lines, files), strict=True), start=1):
        tokens, heads, names = (line.split() for line in lines)
        positions = [int(head) - 1 for head in heads]
        if not len(tokens) == len(positions) == len(names) or not _is_tree(positions):
            raise DataError(f"{files[0]}, line {number} has no tree in {files[1].name} and {files[2].name}")
        yield _Tokens(
            [words.setdefault(token, len(words)) for token in tokens],
            positions,
            [relations.setdefault(name, len(relations)) for name in names],
        )


def _lines(path: Path) -> list[str]:
    with data_errors(path):
        return path.read_text("utf-8").splitlines()


def _is_tree(heads: list[int]) -> bool:
    """Tell whether there is one root and every word leads to it: [1, -1, 1] is a tree, [1, 0, -1] is not."""
    if heads.count(-1) != 1 or not all(-1 <= head < len(heads) for head in heads):
        return False
    places = list(range(len(heads)))
    for _ in heads:
        places = [head if (head := heads[place]) >= 0 else place for place in places]
    return all(heads[place] == -1 for place in places)


def _flat(sentences: list[_Tokens]) -> ParsedSentences:
    lengths = [len(sentence.words) for sentence in sentences]
    offsets = np.concatenate([np.zeros(1, np.int64), np.cumsum(lengths, dtype=np.int64)])
    word, head, relation = (
        np.array([one for part in parts for one in part], np.int64) for parts in zip(*sentences, strict=True)
    )
    return ParsedSentences(word, head, relation, offsets)


# ---- word vectors


def _vector_files() -> list[str]:
    return [f"{place}{name}" for name in (PACKED_VECTORS, VECTORS) for place in ("sick/", "")]


def _vectors_of(words: tuple[str, ...], folder: Path) -> npt.NDArray[np.float32]:
    """Return a vector for each word; one that the file lacks gets values between -0.05 and 0.05."""
    path = first_file(folder, _vector_files())
    if path is None:
        raise DataError(f"{folder} {missing_for_trees(folder)}")
    known = dict(_packed(path) if path.suffix == ".npz" else _lines_of(path, set(words)))
    if not known:
        raise DataError(f"{path} has none of the words of SICK; download it again from {VECTORS_SITE}")
    size = len(next(iter(known.values())))
    found = np.random.default_rng(0).uniform(-0.05, 0.05, (len(words), size)).astype(np.float32)
    for row, word in enumerate(words):
        if word in known:
            found[row] = known[word]
    return found


def _packed(path: Path) -> Iterable[tuple[str, npt.NDArray[np.float32]]]:
    try:
        with data_errors(path), np.load(path, allow_pickle=False) as file:
            words, vectors, missing = (file[name] for name in ("words", "vectors", "missing"))
    except (KeyError, ValueError, zipfile.BadZipFile) as error:
        raise DataError(f"{path} must have the arrays words, vectors and missing ({error})") from error
    return [(str(word), vector) for word, vector, no in zip(words, vectors, missing, strict=True) if not no]


def _lines_of(path: Path, wanted: set[str]) -> Iterator[tuple[str, npt.NDArray[np.float32]]]:
    """Read the published text file, of two million lines, and keep the words that are wanted."""
    with data_errors(path), path.open(encoding="utf-8") as file:
        for line in file:
            word, _, values = line.partition(" ")
            if word in wanted:
                yield word, np.array(values.split(), np.float32)
