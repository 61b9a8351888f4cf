"""One pass over the text: every token gets a provisional number, and every word is counted.

Which words stay is known only at the end, so numbers are given in order of appearance and translated into ids once
the vocabulary is chosen. Each thread has a numbering of its own; :func:`merge` joins them. When there are more
distinct words than memory should hold, the rarest are forgotten, and their number is reported.
"""

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
import numpy.typing as npt

from doc2vecc.corpus.encoded import Batch
from doc2vecc.corpus.text_column import text_buffers
from doc2vecc.corpus.tokenizer import scanner_alphabet
from doc2vecc.corpus.vocabulary import Vocabulary, slot_count
from doc2vecc.kernels.text import words as kernels
from doc2vecc.kernels.text.words import WordIndex, insert_words

Tokenizer = Callable[[str], list[str]]
Translation = npt.NDArray[np.int32]  # the new number of every old one, -1 for none

DISTINCT_WORDS = 1 << 21  # per thread; about 120 MB when full
_FIRST_WORDS = 1 << 17  # initial room, 7 MB: making more is slow
_IDS_AT_ONCE = 1 << 20  # for some batches: making room for each by itself is slow


class ScannedNumbering:
    """The built-in rule, over the bytes of the texts; does not hold the GIL."""

    def __init__(self) -> None:
        self.forgotten_words = self.forgotten_tokens = 0
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
            finished = kernels.number_words(text, offsets, scanner_alphabet(), self._arrays, self._free_ids, lengths)
            n_ids = self._arrays.cursor[kernels.N_IDS]
            parts.append(self._free_ids[:n_ids])
            self._free_ids = self._free_ids[n_ids:]
            if self._arrays.cursor[kernels.ROOM_WANTED]:
                self._grow()
            elif not finished:
                self._free_ids = np.empty(_IDS_AT_ONCE, np.int32)
        ids = np.concatenate(parts) if len(parts) > 1 else parts[0]
        return Batch(ids, lengths, generation=len(self.generations))

    def add(self, words: Vocabulary) -> Translation:
        """Add words and their counts -> the number of each of them here."""
        numbers = np.empty(len(words), np.int32)
        index = WordIndex(np.zeros((0, 2), np.uint64), words.word_bytes, words.word_offsets)
        keys = words.lookup_keys()
        done = 0
        while (done := kernels.merge_words(index, keys, words.counts, done, self._arrays, numbers)) < len(words):
            self._grow()
        return numbers

    def counted(self) -> Vocabulary:
        """Return all words with their counts, in the order of their latest numbers."""
        index, n_words = self._arrays.words, int(self._arrays.cursor[kernels.N_WORDS])
        offsets = index.word_offsets[: n_words + 1]
        return Vocabulary(index.word_bytes[: offsets[-1]], offsets, self._arrays.counts[:n_words])

    def _grow(self) -> None:
        """Make room for twice the words, and for the word that did not fit."""
        words, wanted = self.counted(), int(self._arrays.cursor[kernels.ROOM_WANTED])
        self._refill(words, _room_for(2 * len(words), 2 * len(words.word_bytes) + wanted))

    def _forget_rare_words(self) -> None:
        """Forget the rarest words until at most half of the allowed number is left."""
        words = self.counted()
        limit = int(np.partition(words.counts, -(DISTINCT_WORDS // 2))[-(DISTINCT_WORDS // 2)])
        kept = words.counts > limit
        self.forgotten_words += int(np.count_nonzero(~kept))
        self.forgotten_tokens += int(words.counts[~kept].sum())
        self.generations.append(np.where(kept, np.cumsum(kept) - 1, -1).astype(np.int32))
        rest = words.select(kept)
        self._refill(rest, _room_for(2 * len(rest) + _FIRST_WORDS, 2 * len(rest.word_bytes) + 8 * _FIRST_WORDS))

    def _refill(self, words: Vocabulary, arrays: kernels.Numbering) -> None:
        """Continue with these words, in this order, in new arrays."""
        arrays.words.word_bytes[: len(words.word_bytes)] = words.word_bytes
        arrays.words.word_offsets[: len(words) + 1] = words.word_offsets
        arrays.counts[: len(words)] = words.counts
        insert_words(words.lookup_keys(), arrays.words.slots)
        arrays.cursor[:] = self._arrays.cursor
        arrays.cursor[kernels.N_WORDS], arrays.cursor[kernels.ROOM_WANTED] = len(words), 0
        self._arrays = arrays


class CallableNumbering:
    """A tokenizer of the user's own, one text at a time."""

    def __init__(self, tokenizer: Tokenizer) -> None:
        self.tokenizer = tokenizer
        self.forgotten_words = self.forgotten_tokens = 0
        self.generations: list[Translation] = []
        self._numbers: dict[str, int] = {}
        self._counts = np.zeros(0, np.int64)

    def number(self, texts: Any) -> Batch:  # noqa: ANN401
        """Number the tokens of a ``pa.LargeStringArray``."""
        numbers = self._numbers
        ids: list[int] = []
        lengths = np.zeros(len(texts), np.int64)
        for position, text in enumerate(texts.to_pylist()):
            tokens = self.tokenizer(text)
            ids += [numbers.setdefault(token, len(numbers)) for token in tokens]
            lengths[position] = len(tokens)
        numbered = np.asarray(ids, np.int32)
        counts = np.bincount(numbered, minlength=len(numbers))
        counts[: len(self._counts)] += self._counts
        self._counts = counts
        return Batch(numbered, lengths)

    def add(self, words: Vocabulary) -> Translation:
        """Add words and their counts -> the number of each of them here."""
        numbers = [self._numbers.setdefault(word, len(self._numbers)) for word in words.words]
        self._counts = np.append(self._counts, np.zeros(len(self._numbers) - len(self._counts), np.int64))
        self._counts[numbers] += words.counts
        return np.asarray(numbers, np.int32)

    def counted(self) -> Vocabulary:
        """Return all words with their counts, in the order of their latest numbers."""
        return Vocabulary.from_words(list(self._numbers), self._counts)


WordNumbering = ScannedNumbering | CallableNumbering


def merge(numberings: Sequence[WordNumbering]) -> tuple[Vocabulary, list[list[Translation]]]:
    """Join several numberings -> (all words, the translation of numbering n, generation g at [n][g])."""
    first, *others = numberings
    latest = [first.add(other.counted()) for other in others]
    all_words = first.counted()
    translations = []
    for numbering, final in zip(numberings, [np.arange(len(all_words), dtype=np.int32), *latest], strict=True):
        chain = [final]
        for translation in reversed(numbering.generations):
            chain.append(np.where(translation >= 0, chain[-1][translation], -1).astype(np.int32))
        translations.append(chain[::-1])
    return all_words, translations


def _room_for(words: int, room: int) -> kernels.Numbering:
    """Allocate an empty numbering for so many words of so many bytes in all."""
    slots = slot_count(max(words, 1))
    index = WordIndex(np.zeros((slots, 2), np.uint64), np.empty(room, np.uint8), np.zeros(slots // 2 + 1, np.int64))
    return kernels.Numbering(index, np.zeros(slots // 2, np.int64), np.zeros(kernels.ROOM_WANTED + 1, np.int64))
