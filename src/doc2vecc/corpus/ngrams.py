"""Which n-grams get a row: runs of two or more known words that occur often enough.

Words are chosen first. Then the pairs of known words are counted, then the continuations of the frequent pairs, and
so on: an n-gram can only be frequent if its beginning is. Each thread counts its own share of all n-grams, so
nothing needs merging. When there are more distinct ones than memory should hold, the rarest are forgotten, and
their number is reported.
"""

from collections.abc import Iterable
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from doc2vecc.corpus.encoded import Batch
from doc2vecc.corpus.vocabulary import NO_NGRAMS, Vocabulary, ngram_index, slot_count
from doc2vecc.errors import ParameterError
from doc2vecc.kernels.text.ngrams import NgramIndex, count_ngrams, move_counts

DISTINCT_NGRAMS = 1 << 22  # per thread; about 270 MB when full


@dataclass(frozen=True)
class NgramRule:
    """N-grams of 2 to ``longest`` words that occur ``min_count`` times; of these the ``at_most`` most frequent."""

    longest: int
    min_count: int
    at_most: int | None = None


class _Counted(NamedTuple):
    """N-grams of one length: (id of the beginning, id of the last word), and how often each occurs."""

    parts: npt.NDArray[np.int32]
    counts: npt.NDArray[np.int64]


class _NgramCounts:
    """The table of one thread; it grows up to a limit, then rare n-grams are forgotten."""

    def __init__(self, limit: int = DISTINCT_NGRAMS) -> None:
        self.forgotten = 0
        self.forgotten_occurrences = 0
        self._limit = limit
        self._distinct = 0
        self._slots = np.zeros((1 << 10, 2), np.uint64)

    def count(self, batch: Batch, known: NgramIndex, order: int, part: int, parts: int) -> None:
        """Count this thread's share of the n-grams of ``order + 1`` words."""
        self._make_room(self._distinct + len(batch.ids))
        tails = np.empty(order + 1, np.int32)
        self._distinct += count_ngrams(batch.ids, batch.lengths, known, order, part, parts, tails, self._slots)

    def frequent(self, min_count: int) -> _Counted:
        """Return the n-grams that occur often enough."""
        keys, counts = self._slots[self._slots[:, 1] >= max(min_count, 1)].T
        parts = np.stack([keys >> np.uint64(32), keys & np.uint64(0xFFFFFFFF)], axis=1).astype(np.int32)
        return _Counted(parts, counts.astype(np.int64))

    def _make_room(self, wanted: int) -> None:
        """Forget rare n-grams if there are too many, and make the table at most half full with those to come."""
        least = 1
        if self._distinct > self._limit:
            counts = self._slots[:, 1][self._slots[:, 1] > 0]
            least = int(np.partition(counts, -self._limit // 2)[-self._limit // 2]) + 1
        slots = slot_count(wanted)
        if least > 1 or slots > len(self._slots):
            moved = np.zeros((max(slots, len(self._slots)), 2), np.uint64)
            self._distinct, left, occurrences = move_counts(self._slots, least, moved)
            self.forgotten += left
            self.forgotten_occurrences += occurrences
            self._slots = moved


class ChosenNgrams(NamedTuple):
    """A vocabulary with its n-grams, and what was forgotten while counting them."""

    vocabulary: Vocabulary
    forgotten: int
    forgotten_occurrences: int


def choose_ngrams(words: Vocabulary, documents: Iterable[Batch], rule: NgramRule, workers: int = 1) -> ChosenNgrams:
    """Add the frequent n-grams of documents, as ids of words, to their vocabulary; one pass for each length."""
    joined = next((word for word in words if " " in word), None)
    if joined is not None:
        raise ParameterError(
            f"the token {joined!r} holds a blank, which joins the words of an n-gram; set ngram_range=(1, 1), or "
            "use a tokenizer without such tokens"
        )
    found = [_Counted(NO_NGRAMS, np.empty(0, np.int64))]
    forgotten = occurrences = 0
    for order in range(1, rule.longest):
        known = ngram_index(_concatenated(found).parts, len(words), order)
        tables = [_NgramCounts() for _ in range(workers)]
        with ThreadPoolExecutor(workers) as pool:
            for batch in documents:
                shares = [
                    pool.submit(table.count, batch, known, order, part, workers) for part, table in enumerate(tables)
                ]
                for share in shares:
                    share.result()
        forgotten += sum(table.forgotten for table in tables)
        occurrences += sum(table.forgotten_occurrences for table in tables)
        found.append(_in_order(_concatenated(table.frequent(rule.min_count) for table in tables)))
        if len(found[-1].counts) == 0:
            break
    return ChosenNgrams(_with_ngrams(words, found, rule.at_most), forgotten, occurrences)


def _concatenated(several: Iterable[_Counted]) -> _Counted:
    parts, counts = zip(*several, strict=True)
    return _Counted(np.concatenate(parts), np.concatenate(counts))


def _in_order(counted: _Counted) -> _Counted:
    """Put the most frequent first, and where that is equal, those whose words have the smaller ids."""
    order = np.lexsort((counted.parts[:, 1], counted.parts[:, 0], -counted.counts))
    return _Counted(counted.parts[order], counted.counts[order])


def _with_ngrams(words: Vocabulary, found: list[_Counted], at_most: int | None) -> Vocabulary:
    """Number the n-grams of all lengths by frequency, after the words, and keep the first ``at_most``.

    Shorter n-grams stand first where the frequency is equal, so the beginning of an n-gram is always kept with it.
    """
    parts, counts = _concatenated(found)
    order = np.argsort(-counts, kind="stable")[:at_most]
    final = np.full(len(words) + len(parts), -1, np.int32)
    final[: len(words)] = np.arange(len(words))
    final[len(words) + order] = len(words) + np.arange(len(order), dtype=np.int32)
    return words.with_ngrams(final[parts[order]], counts[order])
