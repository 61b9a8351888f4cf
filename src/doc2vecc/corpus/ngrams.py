"""Which n-grams get a row: runs of two or more known words that occur often enough.

Words are chosen first. Then the pairs of known words are counted, then the continuations of the frequent pairs, and
so on: an n-gram can only be frequent if its beginning is. Each thread counts its own share of all n-grams, so
nothing needs merging. When there are more distinct ones than memory should hold, the rarest are forgotten, and
their number is reported.
"""

from collections.abc import Callable, Iterable
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from functools import partial

import numpy as np
import numpy.typing as npt

from doc2vecc.config import auto_ngram_min_count
from doc2vecc.corpus.encoded import Batch
from doc2vecc.corpus.numbering import is_among_most_frequent
from doc2vecc.corpus.vocabulary import NO_NGRAMS, Vocabulary, fill_table, ngram_index, slot_count
from doc2vecc.errors import ParameterError
from doc2vecc.kernels.text.encode import count_ngrams
from doc2vecc.kernels.text.words import NgramIndex

DISTINCT_NGRAMS = 1 << 22  # per thread; about 270 MB when full

# N-grams, each as (id of the beginning, id of the last word), and how often each occurs.
Counted = tuple[npt.NDArray[np.int32], npt.NDArray[np.int64]]
# (n-grams known so far, words of their longest, min_count, which words are joined) -> frequent ones, forgotten ones
CountNgrams = Callable[[npt.NDArray[np.int32], int, int, npt.NDArray[np.bool_]], tuple[Counted, int, int]]


FIRST_BYTE_OF_IDEOGRAPHS, LONGEST_OF_LETTERS = 0xE2, 3
UNSPACED_SHARE = 0.01  # of the tokens: from here on n-grams of characters are worth their time


@dataclass(frozen=True)
class NgramRule:
    """N-grams of 2 to ``longest`` words that occur ``min_count`` times; of these the ``at_most`` most frequent.

    A ``longest`` of None is for scripts without spaces: there are n-grams if enough of the tokens are characters of
    these, of the characters alone unless most tokens are; how long they are follows the script. A ``min_count`` of
    None follows the size of the texts.
    """

    longest: int | None
    min_count: int | None
    at_most: int | None = None


class NgramCounts:
    """The table of one thread; it grows up to a limit, then rare n-grams are forgotten."""

    def __init__(self) -> None:
        self.forgotten = self.forgotten_occurrences = self._distinct = 0
        self._slots = np.zeros((1 << 10, 2), np.uint64)

    def count(self, part: int, batch: Batch, known: NgramIndex, order: int, parts: int) -> None:
        """Count this thread's share of the n-grams of ``order + 1`` words."""
        self._make_room(self._distinct + len(batch.ids))
        tails = np.empty(order + 1, np.int32)
        self._distinct += count_ngrams(batch.ids, batch.lengths, known, order, part, parts, tails, self._slots)

    def frequent(self, min_count: int) -> Counted:
        """Return the n-grams that occur often enough."""
        keys, counts = self._slots[self._slots[:, 1] >= max(min_count, 1)].T
        parts = np.stack([keys >> np.uint64(32), keys & np.uint64(0xFFFFFFFF)], axis=1).astype(np.int32)
        return parts, counts.astype(np.int64)

    def _make_room(self, wanted: int) -> None:
        """Forget rare n-grams if there are too many, and make the table at most half full with those to come."""
        counts, is_full = self._slots[:, 1], self._distinct > DISTINCT_NGRAMS
        slots = slot_count(wanted)
        if is_full or slots > len(self._slots):
            is_kept = is_among_most_frequent(counts, DISTINCT_NGRAMS // 2) if is_full else counts > 0
            kept = self._slots[is_kept]
            self.forgotten += self._distinct - len(kept)
            self.forgotten_occurrences += int(counts[~is_kept].sum())
            self._distinct = len(kept)
            self._slots = np.zeros((max(slots, len(self._slots)), 2), np.uint64)
            fill_table(kept, self._slots)


def count_frequent_ngrams(
    documents: Iterable[Batch],
    known: npt.NDArray[np.int32],
    order: int,
    min_count: int,
    is_joined: npt.NDArray[np.bool_],
    *,
    n_words: int,
    threads: tuple[int, int] = (1, 1),
) -> tuple[Counted, int, int]:
    """Count the n-grams of ``order + 1`` words -> (the frequent ones, n-grams forgotten, their occurrences).

    ``threads`` is the number of workers, and of the parts that the n-grams are counted in.
    """
    workers, parts = threads
    index = ngram_index(known, n_words, order)
    tables = [NgramCounts() for _ in range(parts)]
    with ThreadPoolExecutor(workers) as pool:
        for batch in documents:
            batch = batch._replace(ids=np.where(is_joined[batch.ids], batch.ids, np.int32(-1)))
            count = partial(NgramCounts.count, batch=batch, known=index, order=order, parts=parts)
            list(pool.map(count, tables, range(parts)))
    forgotten = sum(table.forgotten for table in tables)
    occurrences = sum(table.forgotten_occurrences for table in tables)
    return concatenated(table.frequent(min_count) for table in tables), forgotten, occurrences


def unspaced_run(words: Vocabulary, is_joined: npt.NDArray[np.bool_]) -> int:
    """Return how many characters an n-gram of a script without spaces has at most, 2 or 3.

    Two ideographs are a word, most of the time. The letters of Thai, Lao, Khmer and Burmese, which UTF-8 encodes
    with a smaller first byte, say less.
    """
    is_ideograph = words.word_bytes[words.word_offsets[: words.n_words]] >= FIRST_BYTE_OF_IDEOGRAPHS
    counts = words.counts[: words.n_words]
    return 2 if 2 * counts[is_joined & is_ideograph].sum() > counts[is_joined].sum() else LONGEST_OF_LETTERS


def choose_ngrams(
    words: Vocabulary, rule: NgramRule, count: CountNgrams, is_joined: npt.NDArray[np.bool_] | None = None
) -> tuple[Vocabulary, int, int]:
    """Add the frequent n-grams of documents to their words -> (vocabulary, n-grams forgotten, their occurrences).

    ``count`` counts those of one length. ``is_joined`` tells which words n-grams are made of, by default all.
    """
    is_joined = np.append(np.ones(len(words), np.bool_) if is_joined is None else is_joined, False)  # -1 is unknown
    joined = next((word for word in words if " " in word), None)
    if joined is not None:
        raise ParameterError(
            f"the token {joined!r} holds a blank, which joins the words of an n-gram; set ngram_range=(1, 1), or "
            "use a tokenizer without such tokens"
        )
    min_count = rule.min_count or auto_ngram_min_count(int(words.counts.sum()), only_unspaced=rule.longest is None)
    longest = rule.longest or unspaced_run(words, is_joined[:-1])
    found: list[Counted] = [(NO_NGRAMS, np.empty(0, np.int64))]
    forgotten = occurrences = 0
    for order in range(1, longest):
        (ngrams, counts), *more = count(concatenated(found)[0], order, min_count, is_joined)
        forgotten, occurrences = forgotten + more[0], occurrences + more[1]
        if len(counts) == 0:
            break
        if order > 1:  # an n-gram whose beginning was forgotten for a while seems to occur more often than that
            counts = np.minimum(counts, concatenated(found)[1][ngrams[:, 0] - len(words)])
        # The most frequent first, and where that is equal, those whose words have the smaller ids.
        ranking = np.lexsort((ngrams[:, 1], ngrams[:, 0], -counts))
        found.append((ngrams[ranking], counts[ranking]))
    # The n-grams of all lengths are numbered by frequency, after the words. Shorter ones stand first where it is equal,
    # so the beginning of an n-gram is always kept with it.
    ngrams, counts = concatenated(found)
    chosen = np.argsort(-counts, kind="stable")[: rule.at_most]
    final = np.concatenate([np.arange(len(words)), np.full(len(ngrams), -1)])
    final[len(words) + chosen] = len(words) + np.arange(len(chosen))
    return words.with_ngrams(final[ngrams[chosen]], counts[chosen]), forgotten, occurrences


def concatenated(several: Iterable[Counted]) -> Counted:
    """Join several lists of n-grams and counts."""
    ngrams, counts = zip(*several, strict=True)
    return np.concatenate(ngrams), np.concatenate(counts)
