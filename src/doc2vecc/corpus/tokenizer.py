"""The one rule of what a token is.

A token is one punctuation character, one character of a script without spaces, or a longest run of other characters
that are no separators::

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
5. Chinese, Japanese, Thai, Lao, Khmer and Burmese are written without spaces between words: each of their letters is
   a token, together with the combining marks after it. Their digits make words, as all digits do.

Everything else, apostrophes, hyphens, slashes and digits included, belongs to words, as in the paper's text.

The rule is a table of one symbol per code point (:func:`symbol_table`), which the package holds as a file, so that a
model has the same tokens on every Python. :func:`tokenize` is the plain implementation;
:mod:`doc2vecc.kernels.text.tokens` is the fast one over UTF-8 bytes and reads the same table.
"""

import re
from dataclasses import dataclass
from functools import cache
from pathlib import Path

import numpy as np
import numpy.typing as npt

from doc2vecc.corpus.text_column import read_only
from doc2vecc.kernels.text.tokens import MARK, PUNCTUATION, REMOVED, SEPARATOR, TABLE_SIZE, UNSPACED, Alphabet, alphabet

CHARACTERS_VERSION = 2  # version 1 had no characters of scripts without spaces, which made words as other letters do
CHARACTERS_FILE = Path(__file__).with_name("characters.txt")

_SYMBOLS = {"separator": SEPARATOR, "removed": REMOVED}
_FLAGS = {"punctuation": PUNCTUATION, "unspaced": UNSPACED, "mark": MARK}
HTML_LINE_BREAK = r"<[bB][rR][ \t\r\n\f]*(?:/[ \t\r\n\f]*)?>"


@cache
def symbol_table(version: int = CHARACTERS_VERSION) -> npt.NDArray[np.int32]:
    """Return the symbol of every code point below ``TABLE_SIZE``.

    It is ``SEPARATOR``, ``REMOVED``, or the folded code point, with a flag if it is punctuation, a character of a
    script without spaces or a mark.

    >>> symbols = symbol_table()
    >>> chr(symbols[ord("É")]), int(symbols[ord(",")]) == PUNCTUATION | ord(","), int(symbols[0]) == SEPARATOR
    ('é', True, True)
    """
    symbols = np.arange(TABLE_SIZE, dtype=np.int32)
    for line in CHARACTERS_FILE.read_text("utf-8").splitlines():
        if line.startswith("#"):
            continue
        first, last, step, kind = line.split()
        run = slice(int(first, 16), int(last, 16) + 1, int(step))
        if kind in _SYMBOLS:
            symbols[run] = _SYMBOLS[kind]
        elif kind not in _FLAGS:
            symbols[run] += int(kind)
        elif version > 1 or kind == "punctuation":
            symbols[run] |= _FLAGS[kind]
    return read_only(symbols)


@cache
def scanner_alphabet(version: int = CHARACTERS_VERSION) -> Alphabet:
    """Return the rule in the form that the compiled scanner reads."""
    return alphabet(symbol_table(version))


def tokenize(text: str, version: int = CHARACTERS_VERSION) -> list[str]:
    """Split a text into tokens, in plain Python.

    >>> tokenize("A well-made (film)?<br />It's GREAT!!")
    ['a', 'well-made', '(', 'film', ')', '?', "it's", 'great', '!', '!']
    >>> tokenize("iPhone手机"), tokenize("iPhone手机", version=1)
    (['iphone', '手', '机'], ['iphone手机'])
    """
    folded = re.sub(HTML_LINE_BREAK, " ", text).translate(_folding(version))
    return _unspaced_characters(version).sub(r" \g<0> ", folded).split()


def fold_in_place(text: str, version: int | None = CHARACTERS_VERSION) -> str:
    """Fold a text without moving a character, so that tokens are found in it at their places in the text.

    With ``version`` None, for a tokenizer of the user's own, letters become lower case.

    >>> fold_in_place("Don’t<br />GO!")
    "don't      go!"
    """
    if version is None:
        return "".join(one if len(one) == 1 else character for character in text for one in [character.lower()])
    blanked = re.sub(HTML_LINE_BREAK, lambda found: " " * len(found[0]), text)
    return blanked.translate(_folding_in_place(version))


@dataclass(frozen=True)
class BuiltinTokenizer:
    """The rule with one version of the table of characters; texts are scanned by the compiled code."""

    version: int = CHARACTERS_VERSION
    stop_words: tuple[str, ...] = ()  # left out of the vocabulary

    def __call__(self, text: str) -> list[str]:
        """Split a text into tokens."""
        return tokenize(text, self.version)


@cache
def _folding(version: int) -> dict[int, str | None]:
    """Return the symbol table for ``str.translate``: punctuation tokens between blanks, separators as blanks."""
    symbols = symbol_table(version) & ~(UNSPACED | MARK)
    folding: dict[int, str | None] = {}
    for code_point in np.flatnonzero(symbols != np.arange(TABLE_SIZE)).tolist():
        symbol = int(symbol_table(version)[code_point])
        if symbol == REMOVED:
            folding[code_point] = None
        elif symbol == SEPARATOR:
            folding[code_point] = " "
        elif symbol & PUNCTUATION:
            folding[code_point] = f" {chr(code_point)} "
        else:
            folding[code_point] = chr(symbol)
    return folding


@cache
def _folding_in_place(version: int) -> dict[int, str]:
    """Return the symbol table for ``str.translate`` with one character for each: what is removed becomes NUL."""
    return {code_point: "\0" if kind is None else kind.strip() or " " for code_point, kind in _folding(version).items()}


@cache
def _unspaced_characters(version: int) -> re.Pattern[str]:
    """Return the pattern of a character of a script without spaces and its marks."""
    symbols = symbol_table(version)
    unspaced, marks = (_ranges(np.flatnonzero((symbols >= 0) & (symbols & flag != 0))) for flag in (UNSPACED, MARK))
    return re.compile(f"[{unspaced}][{marks}{chr(TABLE_SIZE)}-\U0010ffff]*" if unspaced else "(?!)")


def _ranges(code_points: npt.NDArray[np.int64]) -> str:
    """Write code points as the ranges of a regular expression."""
    runs = np.split(code_points, np.flatnonzero(np.diff(code_points) != 1) + 1)
    return "".join(f"{chr(run[0])}-{chr(run[-1])}" for run in runs if len(run))
