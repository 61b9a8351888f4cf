"""What a model has learned, at a glance: telling words, groups of words, coverage, and a curve in one line."""

from collections.abc import Sequence
from typing import Any

import numpy as np
import numpy.typing as npt

from doc2vecc.config import auto_epochs, auto_idf_exponent, auto_min_count, auto_ngram_min_count
from doc2vecc.map.documents import is_unspaced
from doc2vecc.map.naming import STOP_WORDS
from doc2vecc.model import Model, Vectors
from doc2vecc.similarity import normalized

CANDIDATES = 2_000  # words that are compared with each other
NEAREST = 5
GROUPED = 800  # the most telling words, which make the groups
FEWEST_IN_GROUP = 8
USUAL_SHARE = 0.05  # of the documents: a word of more of them is not more telling
BLOCKS = "▁▂▃▄▅▆▇█"


class TellingWords:
    """The words of a model that say most about a document, the most telling first.

    Such a word has a longer vector than other words of its frequency, near neighbors, and occurs often enough:
    mean similarity to its 5 nearest * (norm / usual norm at its count) * sqrt(count).
    """

    def __init__(self, model: Model) -> None:
        vocabulary, counts = model.vocabulary, np.asarray(model.vocabulary.counts, np.float64)
        documents = model.record.report.get("documents", 0)
        norms = np.linalg.norm(model.word_vectors, axis=1)
        fewest = max(5, documents / 1000)
        ids = np.array(
            [i for i in np.flatnonzero((counts >= fewest) & (norms > 0)) if _is_word(vocabulary.words[i])], int
        )
        weight = np.sqrt(np.minimum(counts[ids], max(USUAL_SHARE * documents, fewest)))
        best = np.argsort(-norms[ids] * weight, kind="stable")[:CANDIDATES]
        ids, weight = ids[best], weight[best]
        self._unit: Vectors = normalized(model.word_vectors[ids])
        near = np.sort(_others(self._unit), axis=1)[:, -NEAREST:].mean(axis=1) if len(ids) > 1 else np.ones(len(ids))
        scores = near * _relative(norms[ids], counts[ids]) * weight
        order = np.argsort(-scores, kind="stable")
        self._unit, self._scores = self._unit[order], scores[order]
        self.words = [_written(vocabulary.words[i]) for i in ids[order].tolist()]

    def groups(self, number: int = 8, n_words: int = 7) -> list[list[str]]:
        """Return groups of words that are near each other, the most typical words of each; the largest group first."""
        from sklearn.cluster import KMeans
        from threadpoolctl import threadpool_limits

        unit, scores = self._unit[:GROUPED], np.maximum(self._scores[:GROUPED], 0.0) + 1e-9
        number = min(number, len(unit) // FEWEST_IN_GROUP)
        if number < 2:
            return []
        with threadpool_limits(1):  # few words; and threads of OpenMP would not survive a fork
            found = KMeans(number, n_init=3, random_state=0).fit(unit, sample_weight=scores)
        groups = []
        for label in np.argsort(-np.bincount(found.labels_, minlength=number), kind="stable").tolist():
            members = np.flatnonzero(found.labels_ == label)
            typical = unit[members] @ found.cluster_centers_[label] * np.sqrt(scores[members])
            groups.append([self.words[i] for i in members[np.argsort(-typical, kind="stable")[:n_words]].tolist()])
        return groups


def settings_in_effect(model: Model) -> dict[str, Any]:
    """Return the settings of a training with what None and "auto" stood for in it, as far as its report tells."""
    settings, report = model.record.settings, model.record.report
    if "tokens" not in report:
        return settings
    tokens, documents, known, stopped, forgotten = (
        report.get(name, 0) for name in ("tokens", "documents", "known_tokens", "stopped_tokens", "forgotten_tokens")
    )
    is_of_characters = settings.get("ngram_range") is None and len(model.vocabulary.ngrams) > 0
    decided = {
        "min_count": auto_min_count(_earlier_words(model) + tokens - stopped - forgotten),
        "ngram_min_count": auto_ngram_min_count(known, only_unspaced=is_of_characters),
        "idf_exponent": 0.0 if model.weights is None else auto_idf_exponent(tokens, documents),
    }
    if model.record.history:
        decided["epochs"] = auto_epochs(words_of_epochs(model))
    return {name: decided.get(name) if value in (None, "auto") else value for name, value in settings.items()}


def words_of_epochs(model: Model) -> int:
    """Return how many words the number of epochs follows: those of an epoch, and of an earlier training."""
    # An epoch goes over words and n-grams; the last one may have been cut off.
    return _earlier_words(model) + max(epoch.words for epoch in model.record.history[-2:])


def _earlier_words(model: Model) -> int:
    """Return how many words the model that was started from was learned from."""
    vocabulary = model.vocabulary
    words = int(vocabulary.counts[: vocabulary.n_words].sum())
    return words - model.record.report.get("known_tokens", words)


def _others(unit: Vectors) -> Vectors:
    similarities: Vectors = unit @ unit.T
    np.fill_diagonal(similarities, -1.0)
    return similarities


def _relative(norms: npt.NDArray[np.float64], counts: npt.NDArray[np.float64]) -> npt.NDArray[np.float64]:
    """Divide norms by what is usual for words of their counts: a line through the logarithms."""
    x, y = np.log(counts), np.log(norms)
    if len(x) < 3 or np.ptp(x) == 0:
        return np.ones(len(x))
    slope, start = np.polyfit(x, y, 1)
    return np.asarray(np.exp(y - (slope * x + start)))


def _is_word(word: str) -> bool:
    parts = word.split(" ")
    is_long = len(word) > 3 or (len(parts) > 1 and all(map(is_unspaced, parts)))
    return is_long and all(map(str.isalpha, parts)) and STOP_WORDS.isdisjoint((parts[0], parts[-1]))


def _written(word: str) -> str:
    """Write an n-gram of a script without spaces as one: "在 售" -> "在售"."""
    parts = word.split(" ")
    return "".join(parts) if all(map(is_unspaced, parts)) else word


def sparkline(values: Sequence[float], width: int = 40, blocks: str = BLOCKS) -> str:
    """Draw values as blocks, at most ``width`` of them.

    >>> sparkline([4.0, 3.0, 2.5, 2.2, 2.0])
    '█▅▃▂▁'
    >>> sparkline(range(100), width=10)
    '▁▂▃▃▄▅▆▆▇█'
    """
    chosen = (
        [values[round(i * (len(values) - 1) / (width - 1))] for i in range(width)] if len(values) > width else values
    )
    low, high = min(chosen), max(chosen)
    span = (high - low) or 1.0
    return "".join(blocks[round((value - low) / span * (len(blocks) - 1))] for value in chosen)


def bar(share: float, width: int = 30, full: str = "█", empty: str = "░") -> str:
    """Draw a share from 0 to 1.

    >>> bar(0.5, 6)
    '███░░░'
    """
    filled = round(max(0.0, min(share, 1.0)) * width)
    return full * filled + empty * (width - filled)
