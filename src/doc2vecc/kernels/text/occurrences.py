"""Where the known words and n-grams of a text stand in it, and what each adds to its similarity to a query."""

from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from doc2vecc.kernels.base.compile import called, inlined, kernel
from doc2vecc.kernels.base.instructions import Integer
from doc2vecc.kernels.base.rows import Table
from doc2vecc.kernels.text.tokens import REMOVED, Alphabet, Scan, next_token, read_symbol
from doc2vecc.kernels.text.words import UNKNOWN, Bytes, Ids, NgramIndex, WordIndex, find_slot, forget_tails, next_tail

Doubles = npt.NDArray[np.float64]

# The columns of Occurrences.places and Occurrences.features.
START, END = 0, 1  # bytes of a word
FEATURE, LAST, N_WORDS = 0, 1, 2  # id of a word or n-gram, the place where it ends, and how many places it has


class Occurrences(NamedTuple):
    """Room for what is found in one text."""

    places: Ids  # (known words, 2)
    features: Ids  # (known words and n-grams, 3)
    tails: Ids  # (longest n-gram,): what ended with the word before


@called
def visible_end(text: Bytes, token: Scan, rule: Alphabet) -> int:
    """Return where a token ends without the invisible characters after it."""
    position = end = token.start
    while position < token.end:
        symbol, width = read_symbol(text, position, token.end, rule.symbols)
        position += width
        if symbol != REMOVED:
            end = position
    return end


@inlined
def add_ngrams(ngrams: NgramIndex | None, word: Integer, place: int, n_features: int, found: Occurrences) -> int:
    """Add the n-grams that end with a word -> how many features there are; an unknown word ends all n-grams."""
    if ngrams is None:
        return n_features
    if word == UNKNOWN:
        forget_tails(found.tails)
        return n_features
    for order in range(ngrams.longest - 1, 0, -1):
        ngram = next_tail(ngrams, found.tails, order, word)
        if ngram >= 0:
            found.features[n_features, FEATURE] = ngram
            found.features[n_features, LAST] = place
            found.features[n_features, N_WORDS] = order + 1
            n_features += 1
    found.tails[0] = word
    return n_features


@kernel
def find_occurrences(
    text: Bytes, rule: Alphabet, words: WordIndex, ngrams: NgramIndex | None, found: Occurrences
) -> tuple[int, int]:
    """Write the places of the known words, and what counts at them -> (how many places, how many features)."""
    n_places = 0
    n_features = 0
    forget_tails(found.tails)
    end = text.shape[0]
    token = next_token(text, 0, end, rule)
    while token.length > 0:
        word = np.int64(words.slots[find_slot(text, token, rule, words), 1]) - 1
        if word != UNKNOWN:
            found.places[n_places, START] = token.start
            is_ascii = text[token.end - 1] < 0x80
            found.places[n_places, END] = token.end if is_ascii else visible_end(text, token, rule)
            found.features[n_features, FEATURE] = word
            found.features[n_features, LAST] = n_places
            found.features[n_features, N_WORDS] = 1
            n_features = add_ngrams(ngrams, word, n_places, n_features + 1, found)
            n_places += 1
        else:
            n_features = add_ngrams(ngrams, UNKNOWN, n_places, n_features, found)
        token = next_token(text, token.end, end, rule)
    return n_places, n_features


@kernel
def share_out(ids: Ids, weights: Doubles, vectors: Table, query: Doubles, total: Doubles, shares: Doubles) -> None:
    """Divide the cosine similarity of a text and a query of length one among the words and n-grams of the text.

    The text is the sum of its rows times their weights, ``total``, which must be zero before; its direction does not
    depend on how long it is.
    """
    dim = query.shape[0]
    for place in range(ids.shape[0]):
        for column in range(dim):
            total[column] += weights[place] * vectors[ids[place], column]
    square = 0.0
    for column in range(dim):
        square += total[column] * total[column]
    scale = 1.0 / np.sqrt(square) if square > 0.0 else 0.0
    for place in range(ids.shape[0]):
        product = 0.0
        for column in range(dim):
            product += vectors[ids[place], column] * query[column]
        shares[place] = product * weights[place] * scale
