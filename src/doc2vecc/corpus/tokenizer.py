"""The one rule of what a token is.

A token is one punctuation character or a longest run of characters that are neither punctuation nor separators::

    "It's a well-made film (not great).<br />8/10"
    -> it's a well-made film ( not great ) . 8/10

1. HTML line breaks (``<br>``, ``<br/>``, ``<br />``, in either case) separate words and are removed.
2. Every character is folded by itself: lower case (Unicode's one-to-one mapping), typographic apostrophes
   and hyphens become their ASCII form, and invisible characters (format characters, variation
   selectors) and skin tones are removed.
3. Separators end a token and are dropped: white space, control characters (NUL among them), line and
   paragraph separators, zero-width space, byte order mark.
4. Punctuation tokens have one character: ``. , ( ) ! ? ; : "`` as in the paper, and beyond ASCII
   brackets, quotation marks, dashes, other punctuation, and pictographs such as emoji.

Everything else, apostrophes, hyphens, slashes and digits included, belongs to words, as in the paper's
text. Scripts without spaces between words need a ``tokenizer=`` of their own.

The rule is a table of one symbol per code point (:func:`symbol_table`). :func:`tokenize` is the plain
implementation; :mod:`doc2vecc.kernels.text.tokens` is the fast one over UTF-8 bytes and reads the same table.
"""

import re
import unicodedata
from functools import cache

import numpy as np
import numpy.typing as npt

from doc2vecc.corpus.text_column import read_only
from doc2vecc.kernels.text.tokens import PUNCTUATION, REMOVED, SEPARATOR, TABLE_SIZE, Alphabet, alphabet

PAPER_PUNCTUATION = '.,()!?;:"'
APOSTROPHES = "\u2018\u2019\u201b\u02bc\uff07"  # all fold to "'"
HYPHENS = "\u2010\u2011"  # fold to "-"; dashes are punctuation tokens
INNER_PUNCTUATION = "\u00b7\u05f3\u05f4\u2027"  # Catalan middle dot, Hebrew geresh and gershayim: part of words
SPACES_OF_NO_WIDTH = "\u200b\ufeff"
SKIN_TONES = range(0x1F3FB, 0x1F400)
VARIATION_SELECTORS = range(0xFE00, 0xFE10)

_PUNCTUATION_CATEGORIES = frozenset({"Ps", "Pe", "Pi", "Pf", "Po", "Pd", "So"})
_LINE_BREAK = re.compile(r"<[bB][rR][ \t\r\n\f]*(?:/[ \t\r\n\f]*)?>")


def symbol_of(code_point: int) -> int:
    """Return a code point's symbol: ``SEPARATOR``, ``REMOVED``, ``PUNCTUATION | code point`` or its folded form.

    >>> chr(symbol_of(ord("É"))), symbol_of(ord(",")) == PUNCTUATION | ord(","), symbol_of(0) == SEPARATOR
    ('é', True, True)
    """
    character = chr(code_point)
    category = unicodedata.category(character)
    if character in APOSTROPHES:
        return ord("'")
    if character in HYPHENS:
        return ord("-")
    if character.isspace() or category in {"Cc", "Zs", "Zl", "Zp"} or character in SPACES_OF_NO_WIDTH:
        return SEPARATOR
    if category == "Cf" or code_point in SKIN_TONES or code_point in VARIATION_SELECTORS:
        return REMOVED
    is_foreign = code_point > 0x7F and category in _PUNCTUATION_CATEGORIES and character not in INNER_PUNCTUATION
    if character in PAPER_PUNCTUATION or is_foreign:
        return PUNCTUATION | code_point
    # str.lower gives two code points for one letter only (U+0130); Unicode's one-to-one mapping is its first.
    return ord(character.lower()[0])


@cache
def symbol_table() -> npt.NDArray[np.int32]:
    """Return the symbol of every code point below ``TABLE_SIZE``; those above belong to words as they are."""
    symbols = [point if 0xD800 <= point < 0xE000 else symbol_of(point) for point in range(TABLE_SIZE)]
    return read_only(np.array(symbols, np.int32))


@cache
def scanner_alphabet() -> Alphabet:
    """Return the rule in the form that the compiled scanner reads."""
    return alphabet(symbol_table())


@cache
def _folding() -> dict[int, str | None]:
    """Return the symbol table for ``str.translate``: punctuation tokens between blanks, separators as blanks."""
    symbols = symbol_table()
    folding: dict[int, str | None] = {}
    for code_point in np.flatnonzero(symbols != np.arange(TABLE_SIZE)).tolist():
        symbol = int(symbols[code_point])
        if symbol == REMOVED:
            folding[code_point] = None
        elif symbol == SEPARATOR:
            folding[code_point] = " "
        elif symbol & PUNCTUATION:
            folding[code_point] = f" {chr(code_point)} "
        else:
            folding[code_point] = chr(symbol)
    return folding


def tokenize(text: str) -> list[str]:
    """Split a text into tokens, in plain Python.

    >>> tokenize("A well-made (film)?<br />It's GREAT!!")
    ['a', 'well-made', '(', 'film', ')', '?', "it's", 'great', '!', '!']
    """
    return _LINE_BREAK.sub(" ", text).translate(_folding()).split()
