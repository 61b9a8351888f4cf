"""Show an explanation in the text itself: the text cut into pieces, each with its share in the similarity."""

import re
from collections import Counter
from collections.abc import Sequence
from typing import Any

import numpy as np

from doc2vecc.corpus.tokenizer import LINE_BREAK, symbol_table
from doc2vecc.kernels.text.tokens import MARK, PUNCTUATION, REMOVED, SEPARATOR, TABLE_SIZE, UNSPACED
from doc2vecc.model import Contribution, Model

Piece = dict[str, Any]  # text, share: a number, or None for what is no known word


def pieces(model: Model, text: str, contributions: Sequence[Contribution]) -> list[Piece]:
    """Cut a text into pieces that make it up again; their shares add up to those of the contributions.

    The share of an n-gram is divided among its words. If a word counts once in a document (``binary``), its share is
    divided among its occurrences.
    """
    tokens = model.tokenize(text)
    shares = _share_of_tokens(model, tokens, contributions)
    found: list[Piece] = []
    end = 0
    for (start, after), token, share in zip(_places(model, text, tokens), tokens, shares, strict=True):
        if start > end:
            found.append({"text": text[end:start], "share": None})
        is_known = share != 0.0 or token in model.vocabulary
        found.append({"text": text[start:after], "share": share if is_known else None})
        end = after
    if end < len(text):
        found.append({"text": text[end:], "share": None})
    return found


def _share_of_tokens(model: Model, tokens: list[str], contributions: Sequence[Contribution]) -> list[float]:
    """Return the share of every token, with what falls to it from n-grams."""
    sums: dict[str, float] = {}
    for token, share in contributions:
        sums[token] = sums.get(token, 0.0) + share
    features = model.vocabulary.features(tokens)
    counts = Counter(features)
    shares = [0.0] * len(tokens)
    position = -1  # of the last token that was seen; an n-gram follows its last word
    for feature in features:
        each = sums.get(feature, 0.0) / counts[feature]
        if position + 1 < len(tokens) and feature == tokens[position + 1]:
            position += 1
            shares[position] += each
        else:
            n_words = feature.count(" ") + 1
            for place in range(position - n_words + 1, position + 1):
                shares[place] += each / n_words
    return shares


def _places(model: Model, text: str, tokens: list[str]) -> list[tuple[int, int]]:
    """Return where every token stands in the text: (start, end)."""
    folded, origins = _folded(text, model.characters)
    places = []
    cursor = 0
    for token in tokens:
        start = folded.find(token, cursor)
        if start < 0:  # a tokenizer of the user's own may write tokens that are not in the text
            place = int(origins[cursor])
            places.append((place, place))
            continue
        cursor = start + len(token)
        places.append((int(origins[start]), int(origins[cursor - 1]) + 1))
    return places


def _folded(text: str, version: int | None) -> tuple[str, list[int]]:
    """Fold a text as the tokenizer does -> (folded text, place of each of its characters in the text)."""
    if version is None:
        return text, list(range(len(text) + 1))
    text = re.sub(LINE_BREAK, lambda match: " " * len(match[0]), text)
    codes = np.frombuffer(text.encode("utf-32-le"), np.uint32).astype(np.int64)
    symbols = codes.copy()
    is_small = codes < TABLE_SIZE
    symbols[is_small] = symbol_table(version)[codes[is_small]]
    symbols[symbols == SEPARATOR] = ord(" ")
    kept = np.flatnonzero(symbols != REMOVED)
    letters = symbols[kept] & ~(PUNCTUATION | UNSPACED | MARK)
    return letters.astype("<u4").tobytes().decode("utf-32-le"), [*kept.tolist(), len(text)]
