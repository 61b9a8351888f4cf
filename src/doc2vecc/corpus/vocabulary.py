"""Counts become a Vocabulary: which words there are, how often each occurs, how to find one."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import cached_property
from itertools import pairwise
from typing import Any

import numpy as np
import numpy.typing as npt
import pyarrow as pa
import pyarrow.compute as pc

from doc2vecc.config import auto_min_count
from doc2vecc.console import counted
from doc2vecc.corpus.text_column import read_only, text_buffers
from doc2vecc.errors import EmptyVocabularyError, ModelFolderError
from doc2vecc.kernels.text.words import NgramIndex, WordIndex, insert_entries, word_keys
from doc2vecc.rules import MAX_NGRAM

# The arrays of a vocabulary, from which everything else is derived.
VOCABULARY_ARRAYS = ("word_bytes", "word_offsets", "counts", "ngrams")
NO_NGRAMS = np.empty((0, 2), np.int32)
MAX_RATE = 16.0  # of a rare word, as a multiple of the learning rate


class Vocabulary(Mapping[str, int]):
    """Words numbered 0, 1, 2, ... from the most to the least frequent; a mapping from word to number.

    N-grams, if there are any, follow the words, again from the most to the least frequent. ``ngrams`` holds two ids
    for each: all its words but the last (a word or a shorter n-gram), and its last word.

    >>> vocabulary = Vocabulary.from_words(["film", "good"], counts=[9, 7])
    >>> list(vocabulary), vocabulary["good"], vocabulary.counts.tolist()
    (['film', 'good'], 1, [9, 7])
    >>> vocabulary.with_ngrams(np.array([[1, 0]]), np.array([4]))["good film"]
    2
    """

    def __init__(
        self,
        word_bytes: npt.NDArray[np.uint8],
        word_offsets: npt.NDArray[np.int64],
        counts: npt.NDArray[np.int64],
        ngrams: npt.NDArray[np.int32] = NO_NGRAMS,
    ) -> None:
        self.word_bytes = read_only(word_bytes)
        self.word_offsets = read_only(word_offsets)
        self.counts = read_only(counts)
        self.ngrams = read_only(ngrams)

    @property
    def n_words(self) -> int:
        """How many words there are; the n-grams have the ids from this number on."""
        return len(self.counts) - len(self.ngrams)

    @cached_property
    def longest_ngram(self) -> int:
        """How many words the longest n-gram has, 1 if there are none; above the longest allowed it stops counting."""
        length, beginnings = 1, self.ngrams[:, 0]
        # One pass for each length: the beginnings of those that begin with an n-gram.
        while len(beginnings) and length <= MAX_NGRAM:
            length, beginnings = length + 1, self.ngrams[beginnings[beginnings >= self.n_words] - self.n_words, 0]
        return length

    def with_ngrams(self, ngrams: npt.NDArray[np.int32], counts: npt.NDArray[np.int64]) -> Vocabulary:
        """Add n-grams after the words; each may refer to those before it."""
        texts = list(self.words)
        for prefix, last in ngrams.tolist():
            texts.append(f"{texts[prefix]} {texts[last]}")
        return Vocabulary.from_words(texts, np.concatenate([self.counts, counts]), ngrams.astype(np.int32))

    def without_ngrams(self) -> Vocabulary:
        """Return the words alone."""
        offsets = self.word_offsets[: self.n_words + 1]
        return Vocabulary(self.word_bytes[: offsets[-1]], offsets, self.counts[: self.n_words])

    @classmethod
    def from_words(
        cls, words: Sequence[str], counts: npt.ArrayLike, ngrams: npt.NDArray[np.int32] = NO_NGRAMS
    ) -> Vocabulary:
        """Make a vocabulary of words that are in their final order."""
        encoded = pa.array([word.encode("utf-8", "surrogatepass") for word in words], pa.large_binary())
        return cls(*text_buffers(encoded), np.asarray(counts, np.int64), ngrams)

    def as_arrow(self) -> Any:  # noqa: ANN401
        """Return the UTF-8 bytes of all words as a ``pa.LargeBinaryArray``, without copying."""
        buffers = [None, pa.py_buffer(self.word_offsets), pa.py_buffer(self.word_bytes)]
        return pa.LargeBinaryArray.from_buffers(pa.large_binary(), len(self), buffers)

    @cached_property
    def words(self) -> list[str]:
        """All words, most frequent first."""
        data = self.word_bytes.tobytes()
        bounds = self.word_offsets.tolist()
        return [data[start:stop].decode("utf-8", "surrogatepass") for start, stop in pairwise(bounds)]

    @cached_property
    def _ids(self) -> dict[str, int]:
        return {word: number for number, word in enumerate(self.words)}

    def fill_slots(self, slots: npt.NDArray[np.uint64]) -> None:
        """Fill an empty look-up table with the words."""
        keys = np.empty(self.n_words, np.uint64)
        word_keys(self.word_bytes, self.word_offsets, keys)
        fill_table(_entries(keys, 0), slots)

    @cached_property
    def index(self) -> WordIndex:
        """The table that finds words by their bytes."""
        slots = np.zeros((slot_count(self.n_words), 2), np.uint64)
        self.fill_slots(slots)
        return WordIndex(read_only(slots), self.word_bytes, self.word_offsets)

    @cached_property
    def ngram_index(self) -> NgramIndex:
        """The table that finds n-grams by their two ids."""
        return ngram_index(self.ngrams, self.n_words, self.longest_ngram)

    def features(self, tokens: Sequence[str]) -> list[str]:
        """Return the tokens, each followed by the known n-grams that end with it.

        >>> words = Vocabulary.from_words(["film", "good"], [9, 7])
        >>> words.with_ngrams(np.array([[1, 0]]), np.array([4])).features(["a", "good", "film"])
        ['a', 'good', 'film', 'good film']
        """
        found = []
        for end, token in enumerate(tokens, start=1):
            lengths = range(2, min(self.longest_ngram, end) + 1)
            ngrams = (" ".join(tokens[end - length : end]) for length in lengths)
            found += [token, *(ngram for ngram in ngrams if ngram in self._ids)]
        return found

    def ids_of(self, tokens: Iterable[str]) -> list[int]:
        """Return the ids of those tokens that are known.

        >>> Vocabulary.from_words(["a", "b"], [2, 1]).ids_of(["b", "?", "a", "b"])
        [1, 0, 1]
        """
        return [self._ids[token] for token in tokens if token in self._ids]

    def select(self, chosen: npt.NDArray[np.bool_]) -> Vocabulary:
        """Keep only the words for which ``chosen`` is true, in their order.

        >>> Vocabulary.from_words(["a", "bc", "d"], [3, 2, 1]).select(np.array([True, False, True])).words
        ['a', 'd']
        """
        return Vocabulary(*text_buffers(self.as_arrow().filter(pa.array(chosen))), self.counts[chosen])

    def negative_weights(self, ns_exponent: float) -> npt.NDArray[np.float64]:
        """Return how often each word is drawn as a negative sample, up to a factor: count ** ns_exponent."""
        return self.counts.astype(np.float64) ** ns_exponent

    def keep_probabilities(self, sample: float) -> npt.NDArray[np.float32]:
        """Return the probability that subsampling of frequent words keeps an occurrence of each word."""
        frequencies = np.maximum(self.counts, 1) / self.counts.sum()  # imported words may not occur at all
        kept = np.minimum(np.sqrt(sample / frequencies) + sample / frequencies, 1.0)
        return np.asarray(kept, np.float32)

    def damped_rates(self, damping: float) -> npt.NDArray[np.float32]:
        """Return how fast the vector of a word learns: in proportion to count ** -damping, one on average.

        The average is over all occurrences. No rate is above ``MAX_RATE``.

        >>> Vocabulary.from_words(["a", "b"], [900, 100]).damped_rates(0.5)
        array([0.8333333, 2.5      ], dtype=float32)
        """
        rates = np.maximum(self.counts, 1).astype(np.float64) ** -damping
        scale = np.sum(self.counts) / np.sum(rates * self.counts)
        return np.asarray(np.minimum(rates * scale, MAX_RATE), np.float32)

    def __getitem__(self, word: str) -> int:
        return self._ids[word]

    def __iter__(self) -> Iterator[str]:
        return iter(self.words)

    def __len__(self) -> int:
        return len(self.counts)

    def __repr__(self) -> str:
        return f"Vocabulary({len(self):,} words, {int(self.counts.sum()):,} occurrences)"

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Vocabulary):
            return NotImplemented
        return all(np.array_equal(getattr(self, name), getattr(other, name)) for name in VOCABULARY_ARRAYS)

    def __reduce__(self) -> tuple[type, tuple[Any, ...]]:
        """Pickle the arrays only; everything else is derived from them."""
        return Vocabulary, tuple(getattr(self, name) for name in VOCABULARY_ARRAYS)


def ngram_index(ngrams: npt.NDArray[np.int32], n_words: int, longest: int) -> NgramIndex:
    """Make the table that finds n-grams, which have the ids from ``n_words`` on."""
    slots = np.zeros((slot_count(len(ngrams)), 2), np.uint64)
    if len(ngrams):
        prefixes, last = ngrams.astype(np.uint64).T
        fill_table(_entries(prefixes << np.uint64(32) | last, n_words), slots)
    return NgramIndex(read_only(slots), longest)


def fill_table(entries: npt.NDArray[np.uint64], slots: npt.NDArray[np.uint64]) -> None:
    """Fill an empty look-up table, or refuse keys that a stranger's model has made to collide."""
    if not insert_entries(entries, slots):
        raise ModelFolderError(
            f"{len(entries):,} words or n-grams cannot be looked up: too many are equal or collide, as if on purpose; "
            "take a model from somewhere else"
        )


def _entries(keys: npt.NDArray[np.uint64], first_id: int) -> npt.NDArray[np.uint64]:
    """Return the rows (key, id + 1) of a look-up table, the ids in order."""
    return np.column_stack([keys, np.arange(first_id + 1, first_id + 1 + len(keys), dtype=np.uint64)])


def slot_count(words: int) -> int:
    """Return the size of a look-up table for so many words: a power of two, at most half full."""
    return 1 << max(4, (2 * words - 1).bit_length())


def choose_words(
    words: Vocabulary, documents: int, min_count: int | None, max_final_vocab: int | None
) -> tuple[Vocabulary, npt.NDArray[np.int32]]:
    """Apply the cut-offs to the words of so many documents -> (vocabulary, id of every word or -1).

    Words are ordered by frequency, and in code point order where that is equal.

    >>> words = Vocabulary.from_words(["rare", "good", "film"], [1, 7, 9])
    >>> vocabulary, ids = choose_words(words, documents=3, min_count=2, max_final_vocab=None)
    >>> vocabulary.words, ids.tolist()
    (['film', 'good'], [-1, 1, 0])
    """
    if documents == 0:
        raise EmptyVocabularyError("there are no documents to learn from; pass at least one text")
    if len(words) == 0:
        raise EmptyVocabularyError(f"no word in {counted(documents, 'document')}; pass texts that hold words")
    min_count = min_count or auto_min_count(int(words.counts.sum()))
    is_enough = words.counts >= min_count
    if not is_enough.any():
        raise EmptyVocabularyError(
            f"no word occurs {min_count} times in {counted(documents, 'document')} "
            f"(the most frequent one: {int(words.counts.max())}); lower min_count"
        )
    vocabulary, order = most_frequent(words.select(is_enough), max_final_vocab)
    ids = np.full(len(words), -1, np.int32)
    ids[np.flatnonzero(is_enough)[order]] = np.arange(len(order), dtype=np.int32)
    return vocabulary, ids


def most_frequent(words: Vocabulary, count: int | None = None) -> tuple[Vocabulary, npt.NDArray[np.int64]]:
    """Put words in the order of a vocabulary and keep the first ones -> (vocabulary, old number of each)."""
    # UTF-8 keeps the order of code points, so bytes are compared.
    table = pa.table({"count": words.counts, "word": words.as_arrow()})
    order = pc.sort_indices(table, [("count", "descending"), ("word", "ascending")])[:count]
    numbers = order.to_numpy().astype(np.int64)
    return Vocabulary(*text_buffers(words.as_arrow().take(order)), words.counts[numbers]), numbers


def find_words(words: Vocabulary, known: Vocabulary) -> npt.NDArray[np.int32]:
    """Return the number that every word has in a known vocabulary, or -1.

    >>> find_words(Vocabulary.from_words(["c", "a"], [1, 1]), Vocabulary.from_words(["a", "b"], [2, 1])).tolist()
    [-1, 0]
    """
    places = pc.index_in(words.as_arrow(), known.without_ngrams().as_arrow())
    return np.array(places.fill_null(-1), np.int32)


def add_words(known: Vocabulary, words: Vocabulary, min_count: int | None) -> tuple[Vocabulary, npt.NDArray[np.int32]]:
    """Extend a vocabulary by the words of further texts that occur often enough -> (vocabulary, id of every word).

    Known words stay, whatever their counts; the counts add up, and the order follows them. Known n-grams stay as
    they are, and none are added. Where ``min_count`` is None, it follows the size of all texts, old and new.

    >>> known, words = Vocabulary.from_words(["a", "b"], [3, 2]), Vocabulary.from_words(["b", "c", "d"], [2, 5, 1])
    >>> vocabulary, ids = add_words(known, words, min_count=2)
    >>> vocabulary.words, vocabulary.counts.tolist(), ids.tolist()
    (['c', 'b', 'a'], [5, 4, 3], [1, 0, -1])
    """
    ngrams, ngram_counts, n_known = known.ngrams, known.counts[known.n_words :], known.n_words
    known = known.without_ngrams()
    numbers = find_words(words, known)
    n_tokens = int(known.counts.sum() + words.counts.sum())
    is_new = (numbers < 0) & (words.counts >= (min_count or auto_min_count(n_tokens)))
    new = words.select(is_new)
    known_counts = known.counts.copy()
    known_counts[numbers[numbers >= 0]] += words.counts[numbers >= 0]
    numbers[is_new] = len(known) + np.arange(len(new), dtype=np.int32)
    everything = Vocabulary.from_words(known.words + new.words, np.concatenate([known_counts, new.counts]))
    vocabulary, order = most_frequent(everything)
    places = np.argsort(order).astype(np.int32)
    if len(ngrams):
        moved = np.where(ngrams < n_known, places[np.minimum(ngrams, n_known - 1)], ngrams + len(new))
        vocabulary = vocabulary.with_ngrams(moved, ngram_counts)
    return vocabulary, np.where(numbers >= 0, places[numbers], np.int32(-1)).astype(np.int32)
