"""The tokenisation rule over UTF-8 bytes, and the look-up of words, without making a single string.

The rule itself is the table of :func:`doc2vecc.corpus.tokenizer.symbol_table`; this is its fast reader.

A word is named by a 64-bit key. The UTF-8 bytes of a word of at most seven bytes are the key itself, so that equal
keys are equal words. The key of a longer word is a hash with the highest byte set to 0xFF, which no short word
has; there equal keys only suggest equal words, and the bytes are compared.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from doc2vecc.kernels.compile import Integer, inlined, kernel
from doc2vecc.kernels.random import scramble

TABLE_SIZE = 0x20000  # code points with a symbol of their own; all above belong to words as they are
SEPARATOR = -2
REMOVED = -1
MARK = 1 << 30  # MARK | code point

SHORT = 7  # bytes of a word that fit into its key
LONG_WORD = np.uint64(0xFF << 56)
UNKNOWN = -1

_ASCII_SEPARATOR = 0x80
_ASCII_MARK = 0x81
_NOT_SIMPLE = 0x82  # '<', which may begin a line break, and the first byte of a longer character


class Alphabet(NamedTuple):
    """The rule as the scanner reads it: a quick table for bytes and the full one for code points."""

    ascii: npt.NDArray[np.uint8]
    symbols: npt.NDArray[np.int32]


class WordIndex(NamedTuple):
    """Words and the open-addressing table that finds them: slots[i] = (key, id + 1), (0, 0) where free."""

    slots: npt.NDArray[np.uint64]
    word_bytes: npt.NDArray[np.uint8]
    word_offsets: npt.NDArray[np.int64]


class Scan(NamedTuple):
    """One token: its key, the bytes [start, end) of the text it stands in, its folded length in bytes."""

    key: np.uint64
    start: int
    end: int
    length: int


def alphabet(symbols: npt.NDArray[np.int32]) -> Alphabet:
    """Derive the quick table for single bytes from the symbol of every code point."""
    quick = np.full(256, _NOT_SIMPLE, np.uint8)
    for byte in range(128):
        symbol = int(symbols[byte])
        if symbol == SEPARATOR:
            quick[byte] = _ASCII_SEPARATOR
        elif symbol & MARK:
            quick[byte] = _ASCII_MARK
        else:
            quick[byte] = symbol
    quick[ord("<")] = _NOT_SIMPLE
    return Alphabet(quick, symbols)


@inlined
def _is_tag_blank(byte: int) -> bool:
    return byte == 32 or byte == 9 or byte == 10 or byte == 13 or byte == 12


@kernel
def line_break_length(text: npt.NDArray[np.uint8], start: int, end: int) -> int:
    """Count the bytes of the HTML line break that begins at ``start``; 0 if there is none."""
    if end - start < 4 or (text[start + 1] | 32) != 98 or (text[start + 2] | 32) != 114:
        return 0
    position = start + 3
    while position < end and _is_tag_blank(text[position]):
        position += 1
    if position < end and text[position] == 47:
        position += 1
        while position < end and _is_tag_blank(text[position]):
            position += 1
    if position < end and text[position] == 62:
        return position + 1 - start
    return 0


@kernel
def read_symbol(
    text: npt.NDArray[np.uint8], start: int, end: int, symbols: npt.NDArray[np.int32]
) -> tuple[Integer, int]:
    """Read one character, or one line break, that the quick table does not know -> (symbol, bytes read)."""
    lead = np.int32(text[start])
    if lead == 60:  # "<"
        length = line_break_length(text, start, end)
        return (SEPARATOR, length) if length > 0 else (lead, 1)
    if lead < 0x80:
        return np.int32(symbols[lead]), 1
    if lead < 0xE0:
        code_point = (lead & 0x1F) << 6 | np.int32(text[start + 1]) & 0x3F
        return np.int32(symbols[code_point]), 2
    if lead < 0xF0:
        code_point = (
            (lead & 0x0F) << 12 | (np.int32(text[start + 1]) & 0x3F) << 6 | np.int32(text[start + 2]) & 0x3F
        )
        return np.int32(symbols[code_point]), 3
    code_point = (lead & 0x07) << 18 | (np.int32(text[start + 1]) & 0x3F) << 12
    code_point |= (np.int32(text[start + 2]) & 0x3F) << 6 | np.int32(text[start + 3]) & 0x3F
    return (np.int32(symbols[code_point]) if code_point < TABLE_SIZE else code_point), 4


@inlined
def utf8_length(code_point: Integer) -> Integer:
    """Count the bytes of a code point in UTF-8."""
    return 1 + (code_point >= 0x80) + (code_point >= 0x800) + (code_point >= 0x10000)


@inlined
def utf8_byte(code_point: Integer, length: Integer, index: int) -> Integer:
    """Return byte number ``index`` of the ``length`` bytes of a code point in UTF-8."""
    if length == 1:
        return code_point
    if index == 0:
        return (0xF00 >> length) & 0xFF | code_point >> 6 * (length - 1)
    return 0x80 | code_point >> 6 * (length - 1 - index) & 0x3F


@inlined
def _append(key: np.uint64, folded_hash: np.uint64, byte: Integer) -> tuple[np.uint64, np.uint64]:
    """Take one more byte into the key; every seven bytes, what has gathered moves into the hash."""
    if key >> np.uint64(48) != 0:  # no byte of a word is zero: seven have gathered
        folded_hash = scramble(folded_hash ^ key)
        key = np.uint64(0)
    return key << np.uint64(8) | np.uint64(byte), folded_hash


@inlined
def _finish(key: np.uint64, folded_hash: np.uint64, length: int) -> np.uint64:
    if length <= SHORT:
        return key
    return scramble(folded_hash ^ key) | LONG_WORD


@kernel
def next_token_of_any_kind(text: npt.NDArray[np.uint8], position: int, end: int, rule: Alphabet) -> Scan:
    """Find the next token at or after ``position``, whatever it is made of."""
    key = np.uint64(0)
    folded_hash = np.uint64(0)
    length = 0
    start = position
    while position < end:
        symbol, width = read_symbol(text, position, end, rule.symbols)
        is_mark = symbol >= MARK
        if length > 0 and (symbol == SEPARATOR or is_mark):
            break
        if symbol >= 0:
            if length == 0:
                start = position
            code_point = symbol & ~MARK
            size = utf8_length(code_point)
            for index in range(size):
                key, folded_hash = _append(key, folded_hash, utf8_byte(code_point, size, index))
                length += 1
        position += width
        if is_mark:
            break
    return Scan(_finish(key, folded_hash, length), start, position, length)


@inlined
def next_token(text: npt.NDArray[np.uint8], position: int, end: int, rule: Alphabet) -> Scan:
    """Find the next token at or after ``position``; its length is 0 when the text is used up.

    This is the quick way for tokens of ASCII letters and marks, by far the most frequent ones.
    """
    quick = np.uint8(_ASCII_SEPARATOR)
    while position < end:
        quick = rule.ascii[text[position]]
        if quick != _ASCII_SEPARATOR:
            break
        position += 1
    if position >= end:
        return Scan(np.uint64(0), position, position, 0)
    if quick == _ASCII_MARK:
        return Scan(np.uint64(text[position]), position, position + 1, 1)
    start = position
    key = np.uint64(0)
    folded_hash = np.uint64(0)
    while quick < 0x80:
        key, folded_hash = _append(key, folded_hash, quick)
        position += 1
        if position >= end:
            break
        quick = rule.ascii[text[position]]
    if quick == _NOT_SIMPLE:
        return next_token_of_any_kind(text, start, end, rule)
    return Scan(_finish(key, folded_hash, position - start), start, position, position - start)


@kernel
def fold_token(
    text: npt.NDArray[np.uint8], token: Scan, symbols: npt.NDArray[np.int32], folded: npt.NDArray[np.uint8]
) -> None:
    """Write the folded UTF-8 bytes of a token into ``folded``."""
    position = token.start
    written = 0
    while position < token.end:
        symbol, width = read_symbol(text, position, token.end, symbols)
        position += width
        if symbol != REMOVED:
            code_point = symbol & ~MARK
            size = utf8_length(code_point)
            for index in range(size):
                folded[written] = utf8_byte(code_point, size, index)
                written += 1


@kernel
def is_word(text: npt.NDArray[np.uint8], token: Scan, rule: Alphabet, index: WordIndex, word: Integer) -> bool:
    """Compare a long token with a word of the index, byte by byte."""
    compared = index.word_offsets[word]
    if index.word_offsets[word + 1] - compared != token.length:
        return False
    position = token.start
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
            code_point = symbol & ~MARK
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
        for position in range(word_offsets[word], word_offsets[word + 1]):
            key, folded_hash = _append(key, folded_hash, word_bytes[position])
        keys[word] = _finish(key, folded_hash, word_offsets[word + 1] - word_offsets[word])


class Numbering(NamedTuple):
    """Room for words as they are met: those met so far fill the front of each array."""

    words: WordIndex
    counts: npt.NDArray[np.int64]
    cursor: npt.NDArray[np.int64]


# What Numbering.cursor holds.
DOCUMENT = 0  # the document that is being read
POSITION = 1  # the next byte to read
N_WORDS = 2  # words met so far
N_IDS = 3  # ids written by this call
ROOM_WANTED = 4  # bytes wanted for a new word that did not fit; 0 if the words fit


@kernel
def number_words(
    text: npt.NDArray[np.uint8],
    offsets: npt.NDArray[np.int64],
    rule: Alphabet,
    numbering: Numbering,
    ids: npt.NDArray[np.int32],
    lengths: npt.NDArray[np.int64],
) -> bool:
    """Give every token its number, counting; new words get the next free one. True when all is read.

    Stops early when ``ids`` is full or a new word does not fit; ``cursor`` says where to go on.
    """
    index, cursor = numbering.words, numbering.cursor
    n_documents = offsets.shape[0] - 1
    n_words = cursor[N_WORDS]
    n_ids = 0
    document = cursor[DOCUMENT]
    position = cursor[POSITION]
    finished = True
    while document < n_documents:
        end = offsets[document + 1]
        first_id = n_ids
        while n_ids < ids.shape[0]:
            token = next_token(text, position, end, rule)
            if token.length == 0:
                break
            slot = find_slot(text, token, rule, index)
            if index.slots[slot, 1] == 0:
                word_start = index.word_offsets[n_words]
                if n_words == numbering.counts.shape[0] or word_start + token.length > index.word_bytes.shape[0]:
                    cursor[ROOM_WANTED] = token.length
                    finished = False
                    break
                fold_token(text, token, rule.symbols, index.word_bytes[word_start : word_start + token.length])
                index.word_offsets[n_words + 1] = word_start + token.length
                index.slots[slot, 0] = token.key
                numbering.counts[n_words] = 0
                n_words += 1
                index.slots[slot, 1] = n_words
            word = np.int64(index.slots[slot, 1]) - 1
            numbering.counts[word] += 1
            ids[n_ids] = word
            n_ids += 1
            position = token.end
        lengths[document] += n_ids - first_id
        if n_ids == ids.shape[0]:
            finished = False
        if not finished:
            break
        document += 1
        if document < n_documents:
            position = offsets[document]
    cursor[DOCUMENT] = document
    cursor[POSITION] = position
    cursor[N_WORDS] = n_words
    cursor[N_IDS] = n_ids
    return finished


@kernel
def merge_words(
    words: WordIndex,
    keys: npt.NDArray[np.uint64],
    counts: npt.NDArray[np.int64],
    target: Numbering,
    numbers: npt.NDArray[np.int32],
) -> None:
    """Add words and their counts to a numbering that has room for them; numbers[word] = its number there."""
    index = target.words
    n_slots = index.slots.shape[0]
    n_words = target.cursor[N_WORDS]
    for word in range(keys.shape[0]):
        start, stop = words.word_offsets[word], words.word_offsets[word + 1]
        slot = home_slot(keys[word], n_slots)
        while index.slots[slot, 1] != 0:
            if index.slots[slot, 0] == keys[word] and same_bytes(
                words, word, index, np.int64(index.slots[slot, 1]) - 1
            ):
                break
            slot = (slot + 1) & (n_slots - 1)
        if index.slots[slot, 1] == 0:
            word_start = index.word_offsets[n_words]
            for position in range(stop - start):
                index.word_bytes[word_start + position] = words.word_bytes[start + position]
            index.word_offsets[n_words + 1] = word_start + stop - start
            target.counts[n_words] = 0
            n_words += 1
            index.slots[slot, 0] = keys[word]
            index.slots[slot, 1] = n_words
        number = np.int64(index.slots[slot, 1]) - 1
        target.counts[number] += counts[word]
        numbers[word] = number
    target.cursor[N_WORDS] = n_words


@kernel
def renumber(
    ids: npt.NDArray[np.int32],
    lengths: npt.NDArray[np.int64],
    numbers: npt.NDArray[np.int32],
    new_ids: npt.NDArray[np.int32],
) -> int:
    """Replace every id by its new number, drop those that have none (-1); returns how many ids remain.

    ``lengths`` holds the lengths of the documents and is corrected in place.
    """
    position = 0
    n_ids = 0
    for document in range(lengths.shape[0]):
        first_id = n_ids
        for _ in range(lengths[document]):
            number = numbers[ids[position]]
            position += 1
            if number >= 0:
                new_ids[n_ids] = number
                n_ids += 1
        lengths[document] = n_ids - first_id
    return n_ids
