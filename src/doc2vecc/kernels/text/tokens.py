"""The tokenization rule over UTF-8 bytes, without making a single string.

The rule itself is the table of :func:`doc2vecc.corpus.tokenizer.symbol_table`; this is its fast reader.

A word is named by a 64-bit key. The UTF-8 bytes of a word of at most seven bytes are the key itself, the first byte
lowest, so that equal keys are equal words. The key of a longer word is a hash with the highest byte set to 0xFF,
which no short word has; there equal keys only suggest equal words, and the bytes are compared.

ASCII letters, which most texts are made of, are read eight at a time.
"""

from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from doc2vecc.kernels.base.compile import called, inlined
from doc2vecc.kernels.base.instructions import Integer, load_word, trailing_zeros
from doc2vecc.kernels.base.random import scramble

TABLE_SIZE = 0x40000  # code points with a symbol of their own; all above are marks
# A symbol is a folded code point, alone or with one of three flags, or says that there is none.
SEPARATOR = -2
REMOVED = -1
CODE_POINT = (1 << 21) - 1
MARK = 1 << 28  # stays with what stands before it
UNSPACED = 1 << 29  # a character of a script without spaces: a token with the marks that follow
PUNCTUATION = 1 << 30  # a token by itself

SHORT = 7  # bytes of a word that fit into its key
LONG_WORD = np.uint64(0xFF << 56)

_ASCII_SEPARATOR = 0x80
_ASCII_PUNCTUATION = 0x81
_A, _Z = ord("a"), ord("z")  # here, because in a kernel all of Unicode would be compiled for them
_NOT_SIMPLE = 0x82  # '<', which may begin a line break, and the first byte of a longer character


class Alphabet(NamedTuple):
    """The rule as the scanner reads it: a quick table for bytes and the full one for code points."""

    ascii: npt.NDArray[np.uint8]
    symbols: npt.NDArray[np.int32]


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
        elif symbol & PUNCTUATION:
            quick[byte] = _ASCII_PUNCTUATION
        else:
            quick[byte] = symbol
    quick[ord("<")] = _NOT_SIMPLE
    if any(quick[letter] != letter | 0x20 for letter in b"abcxyzABCXYZ"):
        raise ValueError("the scanner takes it that ASCII letters belong to words and fold to lower case")
    return Alphabet(quick, symbols)


@inlined
def _is_tag_blank(byte: int) -> bool:
    return byte == 32 or byte == 9 or byte == 10 or byte == 13 or byte == 12


@called
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


@called
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
        code_point = (lead & 0x0F) << 12 | (np.int32(text[start + 1]) & 0x3F) << 6 | np.int32(text[start + 2]) & 0x3F
        return np.int32(symbols[code_point]), 3
    code_point = (lead & 0x07) << 18 | (np.int32(text[start + 1]) & 0x3F) << 12
    code_point |= (np.int32(text[start + 2]) & 0x3F) << 6 | np.int32(text[start + 3]) & 0x3F
    return (np.int32(symbols[code_point]) if code_point < TABLE_SIZE else code_point | MARK), 4


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
def append_to_key(
    key: np.uint64, folded_hash: np.uint64, length: int, byte: Integer
) -> tuple[np.uint64, np.uint64, int]:
    """Take byte number ``length`` of a word into its key; every eight bytes go into the hash."""
    key |= np.uint64(byte) << np.uint64(8 * (length & 7))
    length += 1
    if length & 7 == 0:
        folded_hash = scramble(folded_hash ^ key)
        key = np.uint64(0)
    return key, folded_hash, length


@inlined
def finished_key(key: np.uint64, folded_hash: np.uint64, length: int) -> np.uint64:
    """Return the key of a word of so many bytes once all are taken in."""
    if length <= SHORT:
        return key
    return scramble(folded_hash ^ key) | LONG_WORD


@inlined
def leading_letters(word: np.uint64) -> tuple[np.uint64, Integer]:
    """Split off the ASCII letters that eight bytes begin with -> (their lower-case bytes, how many they are)."""
    ones = np.uint64(0x0101010101010101)
    high_bits = np.uint64(0x80) * ones
    lower = word | np.uint64(0x20) * ones
    seven_bits = lower & ~high_bits  # so that no addition below carries into the next byte
    from_a = seven_bits + np.uint64(0x80 - _A) * ones
    beyond_z = seven_bits + np.uint64(0x80 - _Z - 1) * ones
    others = ~(from_a & ~beyond_z & ~word) & high_bits
    first_other = others & (~others + np.uint64(1))
    mask = (first_other >> np.uint64(7)) - np.uint64(1)  # all ones below the first other byte, or everywhere
    return lower & mask, trailing_zeros(others) >> 3


@called
def next_token_of_any_kind(text: npt.NDArray[np.uint8], position: int, end: int, rule: Alphabet) -> Scan:
    """Find the next token at or after ``position``, whatever it is made of."""
    key = np.uint64(0)
    folded_hash = np.uint64(0)
    length = 0
    start = position
    first: Integer = 0
    while position < end:
        symbol, width = read_symbol(text, position, end, rule.symbols)
        is_letter = symbol >= 0 and symbol < MARK
        if length > 0 and (symbol == SEPARATOR or symbol >= UNSPACED or (is_letter and first >= UNSPACED)):
            break
        if symbol >= 0:
            if length == 0:
                start = position
                first = symbol
            code_point = symbol & CODE_POINT
            size = utf8_length(code_point)
            for index in range(size):
                key, folded_hash, length = append_to_key(key, folded_hash, length, utf8_byte(code_point, size, index))
        position += width
        if symbol >= PUNCTUATION:
            break
    return Scan(finished_key(key, folded_hash, length), start, position, length)


@inlined
def next_token(text: npt.NDArray[np.uint8], position: int, end: int, rule: Alphabet) -> Scan:
    """Find the next token at or after ``position``; its length is 0 when the text is used up.

    This is the quick way for tokens of ASCII letters and punctuation, by far the most frequent ones.
    """
    quick = np.uint8(_ASCII_SEPARATOR)
    while position < end:
        quick = rule.ascii[text[position]]
        if quick != _ASCII_SEPARATOR:
            break
        position += 1
    if position >= end:
        return Scan(np.uint64(0), position, position, 0)
    if quick == _ASCII_PUNCTUATION:
        return Scan(np.uint64(text[position]), position, position + 1, 1)
    start = position
    key = np.uint64(0)
    folded_hash = np.uint64(0)
    while position + 8 <= end:
        key, n_letters = leading_letters(load_word(text, position))
        position += n_letters
        if n_letters < 8:
            break
        folded_hash = scramble(folded_hash ^ key)
        key = np.uint64(0)
    length = position - start
    while position < end:
        quick = rule.ascii[text[position]]
        if quick >= 0x80:
            break
        key, folded_hash, length = append_to_key(key, folded_hash, length, quick)
        position += 1
    if position < end and quick == _NOT_SIMPLE:
        return next_token_of_any_kind(text, start, end, rule)
    return Scan(finished_key(key, folded_hash, length), start, position, length)


@called
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
            code_point = symbol & CODE_POINT
            size = utf8_length(code_point)
            for index in range(size):
                folded[written] = utf8_byte(code_point, size, index)
                written += 1
