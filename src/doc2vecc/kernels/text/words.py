"""The tables of words and n-grams: find words by their bytes, and n-grams by their parts.

An n-gram, a run of neighboring words with a row of its own, is named by two ids: that of all its words but the last,
which is a word or a shorter n-gram itself, and that of its last word. So reading word by word, an n-gram is found from
what ended at the word before, whatever its length.
"""

from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from doc2vecc.kernels.base.compile import called, inlined, kernel
from doc2vecc.kernels.base.instructions import Integer, load_word, prefetch_row
from doc2vecc.kernels.text.tokens import (
    CODE_POINT,
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

Bytes = npt.NDArray[np.uint8]
Int64s = npt.NDArray[np.int64]  # counts, lengths, offsets
Ids = npt.NDArray[np.int32]
Slots = npt.NDArray[np.uint64]  # rows (key, value) of a table, (0, 0) where free

UNKNOWN = -1
NONE_LEFT = -2
STEPS_PER_ENTRY = 256  # of a table that is filled; random keys take less than one on average


class WordIndex(NamedTuple):
    """Words and the open-addressing table that finds them: slots[i] = (key, id + 1), (0, 0) where free."""

    slots: Slots
    word_bytes: Bytes
    word_offsets: Int64s


class NgramIndex(NamedTuple):
    """An open-addressing table: slots[i] = (key, id + 1), (0, 0) where free."""

    slots: Slots
    longest: int  # words of the longest n-gram; 1 when there are none


@called
def is_word(text: Bytes, token: Scan, rule: Alphabet, index: WordIndex, word: Integer) -> bool:
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
            code_point = symbol & CODE_POINT
            size = utf8_length(code_point)
            for number in range(size):
                if index.word_bytes[compared] != utf8_byte(code_point, size, number):
                    return False
                compared += 1
    return True


@inlined
def home_slot(key: np.uint64, n_slots: int) -> Integer:
    """Return the slot where the search for a key begins; ``n_slots`` is a power of two."""
    mixed = key * np.uint64(0x9E3779B97F4A7C15)
    return np.int64((mixed ^ (mixed >> np.uint64(32))) & np.uint64(n_slots - 1))


@inlined
def find_slot(text: Bytes, token: Scan, rule: Alphabet, index: WordIndex) -> Integer:
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
def next_word(text: Bytes, position: int, end: int, rule: Alphabet, index: WordIndex) -> tuple[Integer, int]:
    """Find the next token at or after ``position`` -> (its number, UNKNOWN or NONE_LEFT, where it ends)."""
    token = next_token(text, position, end, rule)
    if token.length == 0:
        return NONE_LEFT, position
    return np.int64(index.slots[find_slot(text, token, rule, index), 1]) - 1, token.end


@kernel
def insert_entries(entries: Slots, slots: Slots) -> bool:
    """Fill an empty table with rows (key, value), no value is 0 -> False if that takes too many steps.

    Keys that collide on purpose, or are all equal, would take a number of steps that grows with the square of theirs.
    """
    n_slots = slots.shape[0]
    steps_left = STEPS_PER_ENTRY * (entries.shape[0] + STEPS_PER_ENTRY)
    for entry in range(entries.shape[0]):
        slot = home_slot(entries[entry, 0], n_slots)
        while slots[slot, 1] != 0:
            slot = (slot + 1) & (n_slots - 1)
            steps_left -= 1
        if steps_left < 0:
            return False
        slots[slot, 0] = entries[entry, 0]
        slots[slot, 1] = entries[entry, 1]
    return True


@kernel
def word_keys(word_bytes: Bytes, word_offsets: Int64s, keys: npt.NDArray[np.uint64]) -> None:
    """Compute the keys of words that are folded already."""
    for word in range(keys.shape[0]):
        key = np.uint64(0)
        folded_hash = np.uint64(0)
        length = 0
        for position in range(word_offsets[word], word_offsets[word + 1]):
            key, folded_hash, length = append_to_key(key, folded_hash, length, word_bytes[position])
        keys[word] = finished_key(key, folded_hash, length)


# ---- n-grams


@inlined
def ngram_key(prefix: Integer, last: Integer) -> np.uint64:
    """Return the key of an n-gram: both its ids in one number."""
    return np.uint64(prefix) << np.uint64(32) | np.uint64(last)


@inlined
def find_ngram(index: NgramIndex, prefix: Integer, last: Integer) -> Integer:
    """Return the id of the n-gram made of ``prefix`` and the word ``last``, or -1."""
    key = ngram_key(prefix, last)
    n_slots = index.slots.shape[0]
    slot = home_slot(key, n_slots)
    while index.slots[slot, 1] != 0 and index.slots[slot, 0] != key:
        slot = (slot + 1) & (n_slots - 1)
    return np.int64(index.slots[slot, 1]) - 1


@inlined
def prefetch_ngram(index: NgramIndex, prefix: Integer, last: Integer) -> None:
    """Ask the cache for where the search for an n-gram begins; of an unknown word too, to no avail but no harm."""
    prefetch_row(index.slots, home_slot(ngram_key(prefix, last), index.slots.shape[0]), 0)


@inlined
def forget_tails(tails: Ids) -> None:
    """Begin anew: nothing ended at the word before."""
    for order in range(tails.shape[0]):
        tails[order] = -1


@inlined
def next_tail(index: NgramIndex, tails: Ids, order: int, word: Integer) -> Integer:
    """Find the n-gram of ``order + 1`` words that ends with a new word, or -1; ask for the longest first.

    tails[k] is what ended with the word before and has k + 1 words, or -1.
    """
    tail: Integer = find_ngram(index, tails[order - 1], word) if tails[order - 1] >= 0 else -1
    tails[order] = tail
    return tail
