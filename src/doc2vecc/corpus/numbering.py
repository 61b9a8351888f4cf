"""One pass over the text: every token gets a provisional number, and every word is counted.

Which words stay is known only at the end, so numbers are given in order of appearance and translated into ids once
the vocabulary is chosen. Each thread has a numbering of its own; :func:`merge` joins them. When there are more
distinct words than memory should hold, the rarest are forgotten, and their number is reported.
"""

import reprlib
from collections import Counter
from collections.abc import Callable, Sequence
from itertools import chain
from typing import Any

import numpy as np
import numpy.typing as npt
import pyarrow as pa

from doc2vecc.corpus.encoded import Batch
from doc2vecc.corpus.text_column import text_buffers
from doc2vecc.corpus.tokenizer import CHARACTERS_VERSION, scanner_alphabet
from doc2vecc.corpus.vocabulary import Vocabulary, slot_count
from doc2vecc.errors import ParameterError
from doc2vecc.kernels.text import encode as kernels
from doc2vecc.kernels.text.words import WordIndex

Tokenizer = Callable[[str], list[str]]
Translation = npt.NDArray[np.int32]  # the new number of every old one, -1 for none

DISTINCT_WORDS = 1 << 21  # per thread; about 120 MB when full
_FIRST_WORDS = 1 << 17  # initial room, 7 MB: making more is slow
_IDS_AT_ONCE = 1 << 20  # for some batches: making room for each by itself is slow


class ScannedNumbering:
    """The built-in rule, over the bytes of the texts; does not hold the GIL."""

    def __init__(self, characters: int = CHARACTERS_VERSION) -> None:
        self.forgotten_words = self.forgotten_tokens = 0
        self._rule = scanner_alphabet(characters)
        self.generations: list[Translation] = []  # from the numbers before each forgetting to those after it
        self._free_ids = np.empty(_IDS_AT_ONCE, np.int32)  # each batch takes its ids from the front
        self._arrays = _room_for(_FIRST_WORDS, 8 * _FIRST_WORDS)

    def number(self, texts: Any) -> Batch:  # noqa: ANN401
        """Number the tokens of a ``pa.LargeStringArray``."""
        if self._arrays.cursor[kernels.N_WORDS] > DISTINCT_WORDS:
            self._forget_rare_words()
        text, offsets = text_buffers(texts)
        lengths = np.zeros(len(texts), np.int64)
        parts = []
        self._arrays.cursor[kernels.DOCUMENT], self._arrays.cursor[kernels.POSITION] = 0, offsets[0]
        finished = False
        while not finished:
            finished = kernels.number_words(text, offsets, self._rule, self._arrays, self._free_ids, lengths)
            n_ids = self._arrays.cursor[kernels.N_IDS]
            parts.append(self._free_ids[:n_ids])
            self._free_ids = self._free_ids[n_ids:]
            if self._arrays.cursor[kernels.ROOM_WANTED]:
                self._grow()
            elif not finished:
                self._free_ids = np.empty(_IDS_AT_ONCE, np.int32)
        ids = np.concatenate(parts) if len(parts) > 1 else parts[0]
        return Batch(ids, lengths, generation=len(self.generations))

    def counted(self) -> Vocabulary:
        """Return all words with their counts, in the order of their latest numbers."""
        index, n_words = self._arrays.words, int(self._arrays.cursor[kernels.N_WORDS])
        offsets = index.word_offsets[: n_words + 1]
        return Vocabulary(index.word_bytes[: offsets[-1]], offsets, self._arrays.counts[:n_words])

    def _grow(self) -> None:
        """Make room for twice the words, and for the word that did not fit."""
        self._refill(self.counted(), 0, int(self._arrays.cursor[kernels.ROOM_WANTED]))

    def _forget_rare_words(self) -> None:
        """Forget the rarest words until half of the allowed number is left."""
        words = self.counted()
        kept = is_among_most_frequent(words.counts, DISTINCT_WORDS // 2)
        self.forgotten_words += int(np.count_nonzero(~kept))
        self.forgotten_tokens += int(words.counts[~kept].sum())
        self.generations.append(np.where(kept, np.cumsum(kept) - 1, -1).astype(np.int32))
        self._refill(words.select(kept), _FIRST_WORDS, 8 * _FIRST_WORDS)

    def _refill(self, words: Vocabulary, more_words: int, more_bytes: int) -> None:
        """Continue with these words, in this order, in new arrays with room for twice as much, and more."""
        arrays = _room_for(2 * len(words) + more_words, 2 * len(words.word_bytes) + more_bytes)
        arrays.words.word_bytes[: len(words.word_bytes)] = words.word_bytes
        arrays.words.word_offsets[: len(words) + 1] = words.word_offsets
        arrays.counts[: len(words)] = words.counts
        words.fill_slots(arrays.words.slots)
        arrays.cursor[:] = self._arrays.cursor
        arrays.cursor[kernels.N_WORDS], arrays.cursor[kernels.ROOM_WANTED] = len(words), 0
        self._arrays = arrays


def is_among_most_frequent(counts: npt.NDArray[Any], number: int) -> npt.NDArray[np.bool_]:
    """Tell which of the counts are the largest ``number``; of equal ones the first.

    >>> is_among_most_frequent(np.array([1, 5, 2, 2, 2]), 3).tolist()
    [False, True, True, True, False]
    """
    limit = np.partition(counts, -number)[-number]
    kept = counts > limit
    kept[np.flatnonzero(counts == limit)[: number - np.count_nonzero(kept)]] = True
    return np.asarray(kept, np.bool_)


class CallableNumbering:
    """A tokenizer of the user's own, one text at a time."""

    def __init__(self, tokenizer: Tokenizer) -> None:
        self.tokenizer = tokenizer
        self.forgotten_words = self.forgotten_tokens = 0
        self.generations: list[Translation] = []
        self._numbers: dict[str, int] = {}
        self._counts: Counter[str] = Counter()

    def number(self, texts: Any) -> Batch:  # noqa: ANN401
        """Number the tokens of a ``pa.LargeStringArray``."""
        documents = [tokens_of(self.tokenizer, text) for text in texts.to_pylist()]
        tokens = list(chain.from_iterable(documents))
        self._counts.update(tokens)
        ids = [self._numbers.setdefault(token, len(self._numbers)) for token in tokens]
        return Batch(np.array(ids, np.int32), np.array([*map(len, documents)], np.int64))

    def counted(self) -> Vocabulary:
        """Return all words with their counts, in the order of their latest numbers."""
        return Vocabulary.from_words(list(self._counts), list(self._counts.values()))


def tokens_of(tokenizer: Tokenizer, text: str) -> Sequence[str]:
    """Split a text with a tokenizer of the user's own, which may give back anything."""
    tokens: object = tokenizer(text)
    if not isinstance(tokens, list | tuple) or not all(isinstance(token, str) for token in tokens):
        raise ParameterError(
            f"the tokenizer made {reprlib.repr(tokens)} of the text {reprlib.repr(text)}; it must return a list of str"
        )
    return tokens


WordNumbering = ScannedNumbering | CallableNumbering


def merge(numberings: Sequence[WordNumbering]) -> tuple[Vocabulary, list[list[Translation]]]:
    """Join several numberings -> (all words, the translation of numbering n, generation g at [n][g])."""
    each = [numbering.counted() for numbering in numberings]
    all_words, numbers = each[0], np.arange(len(each[0]), dtype=np.int32)
    if len(each) > 1:
        joined = pa.concat_arrays([words.as_arrow() for words in each]).dictionary_encode()
        numbers, counts = joined.indices.to_numpy(), np.zeros(len(joined.dictionary), np.int64)
        np.add.at(counts, numbers, np.concatenate([words.counts for words in each]))
        all_words = Vocabulary(*text_buffers(joined.dictionary), counts)
    translations = []
    for numbering, final in zip(numberings, np.split(numbers, np.cumsum([*map(len, each)])[:-1]), strict=True):
        later = [final]
        for translation in reversed(numbering.generations):
            later.append(np.where(translation >= 0, later[-1][translation], -1).astype(np.int32))
        translations.append(later[::-1])
    return all_words, translations


def _room_for(words: int, room: int) -> kernels.Numbering:
    """Allocate an empty numbering for so many words of so many bytes in all."""
    slots = slot_count(max(words, 1))
    index = WordIndex(np.zeros((slots, 2), np.uint64), np.empty(room, np.uint8), np.zeros(slots // 2 + 1, np.int64))
    return kernels.Numbering(index, np.zeros(slots // 2, np.int64), np.zeros(kernels.ROOM_WANTED + 1, np.int64))
