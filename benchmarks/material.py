"""The texts of the benchmarks: movie reviews if they are available, otherwise the demo's docstrings, repeated."""

from __future__ import annotations

import os
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import pyarrow as pa

from doc2vecc.corpus.encoded import EncodedCorpus, EncodingReport
from doc2vecc.corpus.tokenizer import tokenize
from doc2vecc.corpus.vocabulary import Vocabulary


@dataclass(frozen=True)
class Material:
    """Raw texts, and the same texts as a file of tokens separated by spaces, which the peers read."""

    name: str
    texts: list[str]
    tokens_file: Path

    @property
    def arrow(self) -> pa.LargeStringArray:
        """The raw texts as the kernels read them."""
        return pa.array(self.texts, pa.large_string())

    @property
    def megabytes(self) -> float:
        """Size of the raw texts."""
        return sum(len(text.encode()) for text in self.texts) / 1e6

    def token_lists(self, count: int) -> list[list[str]]:
        """The tokens of the first texts."""
        return [tokenize(text) for text in self.texts[:count]]


def load(folder: Path, documents: int) -> Material:
    """Load so many documents, and write their tokens into ``folder``."""
    name, texts = find_texts(documents)
    tokens_file = folder / "tokens.txt"
    with tokens_file.open("w", encoding="utf-8") as file:
        file.writelines(" ".join(tokenize(text)) + "\n" for text in texts)
    return Material(name, texts, tokens_file)


def find_texts(documents: int) -> tuple[str, list[str]]:
    """Return the name of a data set, and so many of its texts."""
    data = os.environ.get("DOC2VECC_DATA")
    reviews = Path(data) / "imdb.parquet" if data else None
    if reviews is not None and reviews.exists():
        import pyarrow.parquet as pq

        column = pq.read_table(reviews, columns=["text"])["text"]
        step = max(1, len(column) // documents)
        return "IMDB", column.take(np.arange(0, step * documents, step)).to_pylist()
    from doc2vecc.demo import standard_library

    docstrings = [document.text for document in standard_library()]
    return "docstrings of the standard library, repeated", (docstrings * (documents // len(docstrings) + 1))[:documents]


def synthetic(words: int, documents: int, length: int, seed: int = 0) -> EncodedCorpus:
    """Make documents of Zipf-distributed ids, to vary one size at a time."""
    generator = np.random.default_rng(seed)
    weights = 1.0 / np.arange(3, words + 3)
    cumulated = np.cumsum(weights / weights.sum())
    ids = np.searchsorted(cumulated, generator.random(documents * length)).astype(np.int32).clip(max=words - 1)
    counts = np.maximum(np.bincount(ids, minlength=words), 1)
    names: Sequence[str] = [f"w{number}" for number in range(words)]
    offsets = np.arange(documents + 1, dtype=np.int64) * length
    report = EncodingReport(documents, 0, len(ids), len(ids), words)
    return EncodedCorpus(ids, offsets, Vocabulary.from_words(names, counts), report)
