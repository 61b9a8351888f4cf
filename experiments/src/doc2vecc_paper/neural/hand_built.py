"""HandBuiltFeatures: relatedness from shared words, n-grams, negation and aligned words, as systems of 2014 had it.

The four systems of the SemEval competition that the paper quotes need resources that are not to be had. This is a
model of our own in their manner.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from itertools import pairwise
from typing import NamedTuple, Self

import numpy as np
import numpy.typing as npt
from sklearn.base import BaseEstimator
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.svm import SVR
from sklearn.utils.validation import check_is_fitted

from doc2vecc.evaluation import correlation
from doc2vecc_paper.datasets.parses import ParsedPairs, ParsedSentences

NEGATIONS = frozenset({"no", "not", "n't", "nobody", "none", "nothing", "without", "never"})
STOP_WORDS = frozenset((
    "a", "an", "and", "are", "at", "be", "by", "for", "from", "in", "into", "is", "it", "its", "of", "off", "on", "or",
    "over", "some", "that", "the", "their", "there", "they", "this", "to", "under", "up", "which", "who", "with",
))  # fmt: skip
SUFFIXES = ("ing", "ed", "es", "s")
SHORTEST_STEM = 3
COSTS = (0.3, 1.0, 3.0, 10.0)
Bag = Counter[str]


class Sentence(NamedTuple):
    """The words of a sentence in lower case, and the rows of their vectors."""

    words: tuple[str, ...]
    rows: npt.NDArray[np.int64]


class HandBuiltFeatures(BaseEstimator):  # type: ignore[misc]
    """A support vector regression on features of a pair; ``alignment`` adds those that need word vectors."""

    def __init__(self, alignment: bool = True) -> None:
        self.alignment = alignment

    def fit(self, pairs: ParsedPairs, y: None = None) -> Self:  # noqa: ARG002
        """Learn from the split "train"; "trial" chooses the cost of an error. ``y`` is ignored."""
        train, trial = pairs.only("train"), pairs.only("trial")
        self.idf_ = _idf([*_sentences(train.first, pairs), *_sentences(train.second, pairs)])
        lengths = np.linalg.norm(pairs.vectors, axis=1, keepdims=True)
        self.directions_ = pairs.vectors / np.maximum(lengths, 1e-9)
        features, known = self.features(train), self.features(trial)
        best = -np.inf
        for cost in COSTS:
            regression = make_pipeline(StandardScaler(), SVR(C=cost, epsilon=0.1)).fit(features, train.score)
            pearson = correlation(regression.predict(known), trial.score)
            if pearson > best:
                best, self.regression_, self.c_ = pearson, regression, cost
        return self

    def predict(self, pairs: ParsedPairs) -> npt.NDArray[np.float64]:
        """Return the score of every pair, between 1 and 5."""
        check_is_fitted(self)
        found: npt.NDArray[np.float64] = np.clip(self.regression_.predict(self.features(pairs)), 1, 5)
        return found

    def features(self, pairs: ParsedPairs) -> npt.NDArray[np.float64]:
        """Return a row of features for each pair."""
        sides = zip(_sentences(pairs.first, pairs), _sentences(pairs.second, pairs), strict=True)
        return np.array([self._of_pair(first, second) for first, second in sides])

    def _of_pair(self, first: Sentence, second: Sentence) -> list[float]:
        found = [float(len(first.words)), float(len(second.words))]
        found += [abs(found[0] - found[1]), min(found) / max(found)]
        is_negated = [any(word in NEGATIONS for word in one.words) for one in (first, second)]
        found += [float(is_negated[0] != is_negated[1]), float(all(is_negated))]
        for bag in (_words, _content, _stems, _bigrams, _letters):
            found += _overlap(bag(first.words), bag(second.words))
        found += [self._cosine(bag(first.words), bag(second.words)) for bag in (_words, _stems)]
        return found + (self._aligned(first, second) if self.alignment else [])

    def _weight(self, word: str) -> float:
        return self.idf_.get(word, self.idf_[""])

    def _cosine(self, first: Bag, second: Bag) -> float:
        """Return the cosine of tf-idf vectors."""
        weighted = [{word: count * self._weight(word) for word, count in bag.items()} for bag in (first, second)]
        product = sum(value * weighted[1].get(word, 0.0) for word, value in weighted[0].items())
        lengths = [sum(value**2 for value in one.values()) for one in weighted]
        return product / float(np.sqrt(lengths[0] * lengths[1]) or 1.0)

    def _aligned(self, first: Sentence, second: Sentence) -> list[float]:
        """Align every word with the closest one of the other sentence; also the cosines of mean vectors."""
        cosines = self.directions_[first.rows] @ self.directions_[second.rows].T
        weights = [np.array([self._weight(word) for word in one.words]) for one in (first, second)]
        found = []
        for closest, weight in zip((cosines.max(1), cosines.max(0)), weights, strict=True):
            found += [float(closest.mean()), float(closest @ weight / weight.sum()), float(closest.min())]
            found.append(float(((1 - closest) * weight).max()))  # the weightiest word that has no counterpart
        for one, other in ((np.ones(len(first.rows)), np.ones(len(second.rows))), (weights[0], weights[1])):
            means = one @ self.directions_[first.rows], other @ self.directions_[second.rows]
            found.append(float(means[0] @ means[1] / (np.linalg.norm(means[0]) * np.linalg.norm(means[1]) + 1e-9)))
        return found


def _sentences(sentences: ParsedSentences, pairs: ParsedPairs) -> list[Sentence]:
    bounds = sentences.offsets.tolist()
    rows = [sentences.word[start:stop] for start, stop in pairwise(bounds)]
    return [Sentence(tuple(pairs.words[word].lower() for word in one), one) for one in rows]


def _idf(sentences: Sequence[Sentence]) -> dict[str, float]:
    """Return inverse document frequencies of words and stems; that of an unknown word has the key ""."""
    counts = Counter(word for one in sentences for word in {*one.words, *_stems(one.words)})
    found = {word: float(np.log((1 + len(sentences)) / (1 + count)) + 1) for word, count in counts.items()}
    return found | {"": float(np.log(1 + len(sentences)) + 1)}


def _words(words: Iterable[str]) -> Bag:
    return Counter(words)


def _content(words: Iterable[str]) -> Bag:
    return Counter(stem(word) for word in words if word not in STOP_WORDS)


def _stems(words: Iterable[str]) -> Bag:
    return Counter(map(stem, words))


def _bigrams(words: Sequence[str]) -> Bag:
    stems = [stem(word) for word in words]
    return Counter(map(" ".join, pairwise(stems)))


def _letters(words: Iterable[str]) -> Bag:
    text = " ".join(words)
    return Counter(text[start : start + 4] for start in range(len(text) - 3))


def stem(word: str) -> str:
    """Remove a common ending: "playing" -> "play", "boys" -> "boy", "is" -> "is"."""
    for suffix in SUFFIXES:
        if word.endswith(suffix) and len(word) - len(suffix) >= SHORTEST_STEM:
            return word.removesuffix(suffix)
    return word


def _overlap(first: Bag, second: Bag) -> list[float]:
    """Return the share of what both have in their union, and in the smaller one."""
    common = (first & second).total()
    return [common / max((first | second).total(), 1), common / max(min(first.total(), second.total()), 1)]
