r"""The token rule as a ``tokenizer.json`` of Hugging Face's tokenizers.

The normalizers fold characters, the pre-tokenizer splits tokens, and the model looks them up. It is byte-pair encoding
without merges: a token that is no key falls apart into characters, which are written with ``_INNER`` before all but the
first and ``_LAST`` after the last. Keys of one character end with ``_LAST``, and the others have no such sign, so an
unknown word yields no id at all. (A word-level model would yield an unknown token, which counts in the mean.)

    "It's a GREAT!" -> it's, a, great, ! -> the ids of the keys "it's", "a\x01", "great", "!\x01"

Every class of characters comes from the table of :mod:`doc2vecc.corpus.tokenizer`. Lower case is the exception: the
library has it as one step, and what it does otherwise is corrected as far as it can be. docs/exports.md lists the rest.
"""

from collections import defaultdict
from collections.abc import Iterable, Sequence
from typing import Any

import numpy as np
import numpy.typing as npt

from doc2vecc.corpus.tokenizer import CHARACTERS_VERSION, HTML_LINE_BREAK, symbol_table
from doc2vecc.kernels.text.tokens import CODE_POINT, MARK, PUNCTUATION, REMOVED, SEPARATOR, TABLE_SIZE, UNSPACED

Symbols = npt.NDArray[np.int32]

_INNER = _LAST = "\x01"  # a separator of the rule, so no token holds it
_UNKNOWN = "\x01unknown\x01"


def tokenizer_json(words: Sequence[str], version: int | None = None, *, unknown: bool = False) -> dict[str, Any]:
    """Return the content of ``tokenizer.json`` for words whose ids are their places, with that table of characters.

    With ``unknown``, words that are not among them yield one or more ids ``len(words)``.
    """
    symbols = symbol_table(version or CHARACTERS_VERSION)
    keys = {word + _LAST if len(word) == 1 else word: place for place, word in enumerate(words)}
    return {
        "version": "1.0",
        "truncation": None,
        "padding": None,
        "added_tokens": [],
        "normalizer": {"type": "Sequence", "normalizers": _normalizers(symbols)},
        "pre_tokenizer": {"type": "Sequence", "pretokenizers": _pre_tokenizers(symbols)},
        "post_processor": None,
        "decoder": None,
        "model": {
            "type": "BPE",
            "dropout": None,
            "unk_token": _UNKNOWN if unknown else None,
            "continuing_subword_prefix": _INNER,
            "end_of_word_suffix": _LAST,
            "fuse_unk": False,
            "byte_fallback": False,
            "ignore_merges": True,
            "vocab": keys | {_UNKNOWN: len(words)} if unknown else keys,
            "merges": [],
        },
    }


def _normalizers(symbols: Symbols) -> list[dict[str, Any]]:
    """Say what becomes of characters: line breaks, removed ones, folded ones."""
    removed = np.flatnonzero(symbols == REMOVED).tolist()
    steps = [(HTML_LINE_BREAK, " "), (_character_class(removed), "")]
    steps += [(_character_class(sources), target) for target, sources in _other_folds(symbols).items()]
    replacements = [{"type": "Replace", "pattern": {"Regex": old}, "content": new} for old, new in steps]
    return [*replacements, {"type": "Lowercase"}]


def _pre_tokenizers(symbols: Symbols) -> list[dict[str, Any]]:
    """Say where tokens end: at separators, which are dropped, and around what is a token by itself."""
    separators, punctuation, unspaced, marks = (
        _character_class(np.flatnonzero(chosen).tolist())
        for chosen in (
            symbols == SEPARATOR,
            symbols >= PUNCTUATION,
            (symbols >= UNSPACED) & (symbols < PUNCTUATION),
            (symbols >= MARK) & (symbols < UNSPACED),
        )
    )
    patterns = [(f"{separators}+", "Removed"), (punctuation, "Isolated")]
    if unspaced != _character_class([]):  # the first version of the table has none
        patterns.append((rf"{unspaced}(?:{marks}|[\x{{{TABLE_SIZE:x}}}-\x{{10ffff}}])*", "Isolated"))
    return [
        {"type": "Split", "pattern": {"Regex": pattern}, "behavior": behavior, "invert": False}
        for pattern, behavior in patterns
    ]


def _other_folds(symbols: Symbols) -> dict[str, list[int]]:
    """Return for each folded character those that become it by another way than lower case."""
    letters = symbols & CODE_POINT
    is_folded = (symbols >= 0) & (letters != np.arange(len(symbols)))
    folds = defaultdict(list)
    for code_point in np.flatnonzero(is_folded).tolist():
        folded = chr(letters[code_point])
        if chr(code_point).lower() != folded:
            folds[folded].append(code_point)
    return folds


def _character_class(code_points: Iterable[int]) -> str:
    r"""Write code points as a class of a regular expression.

    >>> _character_class([0x41, 0x42, 0x43, 0x2028])
    '[\\x{41}-\\x{43}\\x{2028}-\\x{2028}]'
    """
    points = np.array(sorted(code_points))
    runs = np.split(points, np.flatnonzero(np.diff(points) != 1) + 1)
    return "[" + "".join(rf"\x{{{run[0]:x}}}-\x{{{run[-1]:x}}}" for run in runs if len(run)) + "]"
