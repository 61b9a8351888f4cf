"""Counts become a Vocabulary: which words there are, how often each occurs, how to find one."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import cached_property
from typing import Any

import numpy as np
import numpy.typing as npt

from doc2vecc.corpus.buffers import read_only
from doc2vecc.kernels.tokens import WordIndex, insert_words, word_keys


class EmptyVocabularyError(ValueError):
    """No word is left to learn from."""


class Vocabulary(Mapping[str, int]):
    """Words numbered 0, 1, 2, ... from the most to the least frequent; a mapping from word to number.

    >>> vocabulary = Vocabulary.from_counts({"good": 7, "film": 9, "rare": 1}, min_count=2)
    >>> list(vocabulary), vocabulary["good"], vocabulary.counts.tolist()
    (['film', 'good'], 1, [9, 7])
    """

    def __init__(
        self,
        word_bytes: npt.NDArray[np.uint8],
        word_offsets: npt.NDArray[np.int64],
        counts: npt.NDArray[np.int64],
    ) -> None:
        self.word_bytes = read_only(word_bytes)
        self.word_offsets = read_only(word_offsets)
        self.counts = read_only(counts)

    @classmethod
    def from_words(cls, words: Sequence[str], counts: npt.ArrayLike) -> Vocabulary:
        """Make a vocabulary of words that are in their final order already."""
        encoded = [word.encode("utf-8", "surrogatepass") for word in words]
        offsets = np.zeros(len(encoded) + 1, np.int64)
        np.cumsum([len(word) for word in encoded], out=offsets[1:])
        return cls(np.frombuffer(b"".join(encoded), np.uint8), offsets, np.asarray(counts, np.int64))

    @classmethod
    def from_counts(cls, counts: Mapping[str, int], *, min_count: int = 1, max_vocab: int | None = None) -> Vocabulary:
        """Keep the words that occur ``min_count`` times, at most ``max_vocab`` of them; ties in code point order."""
        chosen = sorted((-count, word) for word, count in counts.items() if count >= min_count)[:max_vocab]
        return cls.from_words([word for _, word in chosen], [-count for count, _ in chosen])

    @cached_property
    def words(self) -> list[str]:
        """All words, most frequent first."""
        data = self.word_bytes.tobytes()
        bounds = self.word_offsets.tolist()
        return [
            data[start:stop].decode("utf-8", "surrogatepass")
            for start, stop in zip(bounds[:-1], bounds[1:], strict=True)
        ]

    @cached_property
    def _ids(self) -> dict[str, int]:
        return {word: number for number, word in enumerate(self.words)}

    @cached_property
    def index(self) -> WordIndex:
        """The table in which the scanner looks words up by their bytes."""
        keys = np.empty(len(self), np.uint64)
        word_keys(self.word_bytes, self.word_offsets, keys)
        slots = np.zeros((slot_count(len(self)), 2), np.uint64)
        insert_words(keys, slots)
        return WordIndex(read_only(slots), self.word_bytes, self.word_offsets)

    def ids_of(self, tokens: Iterable[str]) -> list[int]:
        """Return the ids of those tokens that are known.

        >>> Vocabulary.from_words(["a", "b"], [2, 1]).ids_of(["b", "?", "a", "b"])
        [1, 0, 1]
        """
        known = self._ids
        return [known[token] for token in tokens if token in known]

    def noise_weights(self, noise_power: float) -> npt.NDArray[np.float64]:
        """Return how often each word is drawn as noise, up to a factor: count ** noise_power."""
        return self.counts.astype(np.float64) ** noise_power

    def stay_probabilities(self, sample: float) -> npt.NDArray[np.float32]:
        """Return the probability that an occurrence of each word stays when frequent words are thinned."""
        frequencies = self.counts / self.counts.sum()
        return np.minimum(np.sqrt(sample / frequencies) + sample / frequencies, 1.0).astype(np.float32)

    def __getitem__(self, word: str) -> int:
        return self._ids[word]

    def __iter__(self) -> Iterator[str]:
        return iter(self.words)

    def __len__(self) -> int:
        return len(self.counts)

    def __contains__(self, word: object) -> bool:
        return word in self._ids

    def __repr__(self) -> str:
        return f"Vocabulary({len(self):,} words, {int(self.counts.sum()):,} occurrences)"

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Vocabulary):
            return NotImplemented
        return all(
            np.array_equal(getattr(self, name), getattr(other, name))
            for name in ("word_bytes", "word_offsets", "counts")
        )

    __hash__ = None  # type: ignore[assignment]

    def __getstate__(self) -> dict[str, Any]:
        """Pickle the three arrays only; everything else is derived from them."""
        return {name: np.asarray(getattr(self, name)) for name in ("word_bytes", "word_offsets", "counts")}

    def __setstate__(self, state: dict[str, Any]) -> None:
        self.__init__(**state)  # type: ignore[misc]


def slot_count(words: int) -> int:
    """Return the size of a look-up table for so many words: a power of two, at most half full."""
    return 1 << max(4, (2 * words - 1).bit_length())
