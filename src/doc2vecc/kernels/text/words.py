"""Looking words up by their bytes: an open-addressing table from the key of a word to its number."""

from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from doc2vecc.kernels.base.compile import inlined, kernel
from doc2vecc.kernels.base.instructions import Integer, load_word
from doc2vecc.kernels.text.tokens import (
    PUNCTUATION,
    REMOVED,
    SHORT,
    Alphabet,
    Scan,
    append_to_key,
    finished_key,
    leading_letters,
    next_token,
    read_symbol,
    utf8_byte,
    utf8_length,
)

UNKNOWN = -1
NONE_LEFT = -2


class WordIndex(NamedTuple):
    """Words and the open-addressing table that finds them: slots[i] = (key, id + 1), (0, 0) where free."""

    slots: npt.NDArray[np.uint64]
    word_bytes: npt.NDArray[np.uint8]
    word_offsets: npt.NDArray[np.int64]


@kernel
def is_word(text: npt.NDArray[np.uint8], token: Scan, rule: Alphabet, index: WordIndex, word: Integer) -> bool:
    """Compare a long token with a word of the index: letters eight at a time, the rest byte by byte."""
    compared = index.word_offsets[word]
    word_end = index.word_offsets[word + 1]
    if word_end - compared != token.length:
        return False
    position = token.start
    while position + 8 <= token.end and compared + 8 <= word_end:
        letters, n_letters = leading_letters(load_word(text, position))
        if n_letters < 8:
            break
        if letters != load_word(index.word_bytes, compared):
            return False
        position += 8
        compared += 8
    while position < token.end:
        quick = rule.ascii[text[position]]
        if quick < 0x80:
            if index.word_bytes[compared] != quick:
                return False
            compared += 1
            position += 1
            continue
        symbol, width = read_symbol(text, position, token.end, rule.symbols)
        position += width
        if symbol != REMOVED:
            code_point = symbol & ~PUNCTUATION
            size = utf8_length(code_point)
            for number in range(size):
                if index.word_bytes[compared] != utf8_byte(code_point, size, number):
                    return False
                compared += 1
    return True


@kernel
def same_bytes(one: WordIndex, word: int, other: WordIndex, other_word: Integer) -> bool:
    """Compare a word of one index with a word of another."""
    start, length = one.word_offsets[word], one.word_offsets[word + 1] - one.word_offsets[word]
    other_start = other.word_offsets[other_word]
    if other.word_offsets[other_word + 1] - other_start != length:
        return False
    for position in range(length):
        if one.word_bytes[start + position] != other.word_bytes[other_start + position]:
            return False
    return True


@inlined
def home_slot(key: np.uint64, n_slots: int) -> Integer:
    """Return the slot where the search for a key begins; ``n_slots`` is a power of two."""
    mixed = key * np.uint64(0x9E3779B97F4A7C15)
    return np.int64((mixed ^ (mixed >> np.uint64(32))) & np.uint64(n_slots - 1))


@inlined
def find_slot(text: npt.NDArray[np.uint8], token: Scan, rule: Alphabet, index: WordIndex) -> Integer:
    """Find the slot of a token, or the free slot where it would go."""
    n_slots = index.slots.shape[0]
    slot = home_slot(token.key, n_slots)
    while index.slots[slot, 1] != 0:
        if index.slots[slot, 0] == token.key and (
            token.length <= SHORT or is_word(text, token, rule, index, np.int64(index.slots[slot, 1]) - 1)
        ):
            break
        slot = (slot + 1) & (n_slots - 1)
    return slot


@inlined
def next_word(
    text: npt.NDArray[np.uint8], position: int, end: int, rule: Alphabet, index: WordIndex
) -> tuple[Integer, int]:
    """Find the next token at or after ``position`` -> (its number, UNKNOWN or NONE_LEFT, where it ends)."""
    token = next_token(text, position, end, rule)
    if token.length == 0:
        return NONE_LEFT, position
    return np.int64(index.slots[find_slot(text, token, rule, index), 1]) - 1, token.end


@kernel
def insert_words(keys: npt.NDArray[np.uint64], slots: npt.NDArray[np.uint64]) -> None:
    """Fill an empty table with words number 0, 1, 2, ... that are known to differ."""
    n_slots = slots.shape[0]
    for word in range(keys.shape[0]):
        slot = home_slot(keys[word], n_slots)
        while slots[slot, 1] != 0:
            slot = (slot + 1) & (n_slots - 1)
        slots[slot, 0] = keys[word]
        slots[slot, 1] = word + 1


@kernel
def word_keys(
    word_bytes: npt.NDArray[np.uint8], word_offsets: npt.NDArray[np.int64], keys: npt.NDArray[np.uint64]
) -> None:
    """Compute the keys of words that are folded already."""
    for word in range(keys.shape[0]):
        key = np.uint64(0)
        folded_hash = np.uint64(0)
        length = 0
        for position in range(word_offsets[word], word_offsets[word + 1]):
            key, folded_hash, length = append_to_key(key, folded_hash, length, word_bytes[position])
        keys[word] = finished_key(key, folded_hash, length)
