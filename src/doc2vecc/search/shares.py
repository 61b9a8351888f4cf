"""Which words of a text make it similar to a query, and where they stand; fast enough for every hit of a search.

The similarity is a sum over the words and n-grams of the text, as `Model.explain` tells. Here the text is read by
compiled code, and the shares are one product of a matrix and a vector.
"""

from collections.abc import Iterator
from functools import cached_property
from itertools import islice
from operator import itemgetter
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from doc2vecc.corpus.text_column import read_only
from doc2vecc.corpus.tokenizer import fold_in_place, scanner_alphabet
from doc2vecc.explanation import Contribution, shares_of
from doc2vecc.kernels.text.occurrences import END, FEATURE, LAST, N_WORDS, START, Occurrences, find_occurrences
from doc2vecc.model import Model

KEPT_WORDS = 10
_LONGEST_GAP = 200  # characters between two tokens: one that seems to come later is not this one

Ids = npt.NDArray[np.int32]
Ints = npt.NDArray[np.int64]
Floats = npt.NDArray[np.float64]


class Located(NamedTuple):
    """The known words of a text, in their order, and what counts at them."""

    starts: Ints  # of every known word, in characters
    ends: Ints
    ids: Ids  # of every known word and n-gram
    last: Ids  # the number of the word with which each of them ends
    n_words: Ids  # how many words each of them has


class Shares(NamedTuple):
    """A text whose known words have a share in a similarity; the shares of its words add up to it."""

    text: str
    starts: Ints  # of every known word, in characters
    ends: Ints
    words: Floats  # the share of every known word, with its part of the n-grams that it belongs to
    is_word: npt.NDArray[np.bool_]  # not punctuation
    strongest: list[Contribution]  # the words and n-grams with the largest shares, all occurrences together


class Explainer:
    """Splits the similarity of texts to a query over their words."""

    def __init__(self, model: Model) -> None:
        self._model = model

    @cached_property
    def _is_word(self) -> npt.NDArray[np.bool_]:
        """Tell of every word and n-gram whether it is more than punctuation."""
        return np.array([is_word(token) for token in self._model.vocabulary.words], bool)

    def explain(self, query: npt.ArrayLike, text: str) -> Shares:
        """Return the share of every word of a text in its cosine similarity to a query vector."""
        found = self._locate(text)
        features = self._shares(np.asarray(query, np.float64), found.ids)
        words = features
        if len(found.ids) > len(found.starts):  # the share of an n-gram is divided among its words
            words = np.zeros(len(found.starts))
            for back in range(int(found.n_words.max())):
                is_part = found.n_words > back
                np.add.at(words, found.last[is_part] - back, features[is_part] / found.n_words[is_part])
        is_word = self._is_word[found.ids[found.n_words == 1]]
        return Shares(text, found.starts, found.ends, words, is_word, self._strongest(found.ids, features))

    def _shares(self, query: Floats, ids: Ids) -> Floats:
        """Return the share of every word and n-gram; one that counts once in a text divides it among its places."""
        weights = None
        if self._model.binary:
            _, which, counts = np.unique(ids, return_inverse=True, return_counts=True)
            weights = 1.0 / counts[which]
        return shares_of(ids, self._model.word_vectors, query, weights)[0]

    def _strongest(self, ids: Ids, shares: Floats) -> list[Contribution]:
        """Add up the shares of each word and n-gram -> those with the largest positive ones, the largest first.

        Punctuation tokens count in the similarity, but say nothing here.
        """
        sums: dict[int, float] = {}
        for number, share in zip(ids.tolist(), shares.tolist(), strict=True):
            sums[number] = sums.get(number, 0.0) + share
        best = sorted((item for item in sums.items() if item[1] > 0), key=itemgetter(1), reverse=True)
        words = self._model.vocabulary.words
        named = (Contribution(words[number], share) for number, share in best if self._is_word[number])
        return list(islice(named, KEPT_WORDS))

    def _locate(self, text: str) -> Located:
        if self._model.characters is None:
            return self._located_by_tokens(text)
        data, vocabulary = text.encode(), self._model.vocabulary
        ngrams = vocabulary.ngram_index
        room = Occurrences(
            np.empty((len(data), 2), np.int32),
            np.empty((len(data) * ngrams.longest, 3), np.int32),
            np.empty(ngrams.longest, np.int32),
        )
        source = read_only(np.frombuffer(data, np.uint8))
        rule = scanner_alphabet(self._model.characters)
        n_places, n_features = find_occurrences(
            source, rule, vocabulary.index, ngrams if ngrams.longest > 1 else None, room
        )
        places, features = room.places[:n_places], room.features[:n_features]
        starts, ends = places[:, START].astype(np.int64), places[:, END].astype(np.int64)
        if not text.isascii():
            character_of_byte = np.cumsum((source & 0xC0) != 0x80) - 1
            starts, ends = character_of_byte[starts], character_of_byte[ends - 1] + 1
        return Located(
            starts, ends, np.ascontiguousarray(features[:, FEATURE]), features[:, LAST], features[:, N_WORDS]
        )

    def _located_by_tokens(self, text: str) -> Located:
        """Find the tokens of a tokenizer of the user's own; one that is not in the text has a place without a size."""
        vocabulary, folded = self._model.vocabulary, fold_in_place(text, None)
        places: list[tuple[int, int]] = []
        ids: list[tuple[int, int, int]] = []
        position = 0
        for feature in vocabulary.features(self._model.tokenize(text)):
            number = vocabulary.get(feature, -1)
            if number >= vocabulary.n_words:
                ids.append((number, len(places) - 1, feature.count(" ") + 1))
                continue
            found = folded.find(feature.lower(), position, position + _LONGEST_GAP + len(feature))
            end = found + len(feature) if found >= 0 else position
            if number >= 0:
                places.append((found if found >= 0 else position, end))
                ids.append((number, len(places) - 1, 1))
            position = end
        starts, ends = np.array(places, np.int64).reshape(-1, 2).T
        return Located(starts, ends, *np.ascontiguousarray(np.array(ids, np.int32).reshape(-1, 3).T))


def pieces_of(shares: Shares, first: int = 0, last: int | None = None) -> Iterator[tuple[str, float | None]]:
    """Cut text[first:last] into pieces that make it up again, each with its share; None for what is no known word."""
    text, end = shares.text[:last], first
    for start, after, share in zip(*map(np.ndarray.tolist, (shares.starts, shares.ends, shares.words)), strict=True):
        if start < first or after > len(text):
            continue
        if start > end:
            yield text[end:start], None
        yield text[start:after], share
        end = after
    if end < len(text):
        yield text[end:], None


def is_word(token: str) -> bool:
    """Tell whether a token is more than punctuation.

    >>> is_word("film"), is_word("!")
    (True, False)
    """
    return any(map(str.isalnum, token))
