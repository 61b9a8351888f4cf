"""The Large Movie Review Dataset (Maas et al. 2011): 100,000 reviews, half of them without a label."""

from __future__ import annotations

import gzip
import re
import tarfile
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import NamedTuple

import numpy as np
import pyarrow as pa

from doc2vecc_paper.datasets.fingerprints import content_order
from doc2vecc_paper.datasets.places import DataError, data_errors, read_columns, text_column
from doc2vecc_paper.datasets.texts import SPLITS, LabeledTexts

NAME = "imdb"
CLASSES = ("negative", "positive")
PARQUET, FOLDER, ARCHIVE = "imdb.parquet", "aclImdb", "aclImdb_v1.tar.gz"
SITE = "ai.stanford.edu/~amaas/data/sentiment"

# The folders of the original that hold reviews -> (split, label).
_KINDS = {
    "train/neg": ("train", 0),
    "train/pos": ("train", 1),
    "train/unsup": ("unlabeled", -1),
    "test/neg": ("test", 0),
    "test/pos": ("test", 1),
}
_REVIEW = re.compile(r"(?:^|/)aclImdb/(?P<kind>\w+/\w+)/\d+_\d+\.txt$")


class _Review(NamedTuple):
    """A file of the original: its folder, e.g. "train/pos", and its text as UTF-8."""

    kind: str
    text: bytes


def load_imdb(folder: Path) -> LabeledTexts:
    """Read the reviews from a parquet file, from the folder aclImdb, or from the archive without unpacking it.

    The rows are in the order of a digest of their content, so that all three give the same data.
    """
    if (folder / PARQUET).is_file():
        return _from_parquet(folder / PARQUET)
    if (folder / FOLDER).is_dir():
        return _from_reviews(_in_folder(folder / FOLDER), folder / FOLDER)
    if (folder / ARCHIVE).is_file():
        with data_errors(folder / ARCHIVE):
            return _from_reviews(_in_archive(folder / ARCHIVE), folder / ARCHIVE)
    raise DataError(
        f"{folder} has no movie reviews; download {ARCHIVE} from {SITE} and put it there, packed or unpacked to "
        f"{FOLDER}"
    )


def _from_parquet(path: Path) -> LabeledTexts:
    """Read the columns split, label (1, 0, -1) and text."""
    table = read_columns(path, ["split", "label", "text"])
    kinds = {kind: number for number, kind in enumerate(_KINDS.values())}
    pairs = list(zip(table["split"].to_pylist(), table["label"].to_pylist(), strict=True))
    unknown = set(pairs) - kinds.keys()
    if unknown:
        split, label = min(unknown, key=str)
        raise DataError(
            f"{path} has a row with split {split!r} and label {label!r}; reviews of {SPLITS[0]} and {SPLITS[1]} "
            f"have the label 0 or 1, those of {SPLITS[2]} -1"
        )
    return _ordered(text_column(table, path), [kinds[pair] for pair in pairs], path)


def _in_folder(root: Path) -> Iterator[_Review]:
    for kind in _KINDS:
        for path in (root / kind).glob("*.txt"):
            if _REVIEW.search(f"{FOLDER}/{kind}/{path.name}"):
                with data_errors(path):
                    yield _Review(kind, _valid(path.read_bytes()))


def _in_archive(path: Path) -> Iterator[_Review]:
    """Read the archive as a stream, to its end.

    tarfile accepts an archive that was truncated between two members, and its own gzip reader verifies no checksum;
    the gzip module detects both.
    """
    with gzip.open(path) as unzipped, tarfile.open(fileobj=unzipped, mode="r|") as archive:
        for member in archive:
            found = _REVIEW.search(member.name)
            if found and found["kind"] in _KINDS and (file := archive.extractfile(member)):
                with data_errors(f"{member.name} in {path}"):
                    yield _Review(found["kind"], _valid(file.read()))
        while unzipped.read(1 << 20):
            continue


def _valid(text: bytes) -> bytes:
    text.decode()
    return text


def _from_reviews(reviews: Iterable[_Review], where: Path) -> LabeledTexts:
    numbers = {kind: number for number, kind in enumerate(_KINDS)}
    texts, kinds = [], []
    for review in reviews:
        texts.append(review.text)
        kinds.append(numbers[review.kind])
    return _ordered(pa.array(texts, pa.large_binary()).cast(pa.large_string()), kinds, where)


def _ordered(texts: pa.LargeStringArray, kinds: list[int], where: Path) -> LabeledTexts:
    """Sort the reviews by content; ``kinds`` are positions in the table of folders."""
    absent = [kind for number, kind in enumerate(_KINDS) if number not in set(kinds)]
    if absent:
        raise DataError(f"{where} has no reviews of {', '.join(absent)}; download it again from {SITE}")
    numbers = np.array(kinds, np.int64)
    order = content_order(texts, numbers)
    split = np.array([split for split, _ in _KINDS.values()])[numbers[order]]
    label = np.array([label for _, label in _KINDS.values()], np.int64)[numbers[order]]
    return LabeledTexts.of(NAME, texts.take(pa.array(order)), split, label, CLASSES)
