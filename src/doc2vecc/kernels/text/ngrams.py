"""N-grams: runs of neighboring words that have a row of their own.

A n-gram is named by two ids: that of all its words but the last, which is a word or a shorter n-gram itself, and
that of its last word. So reading word by word, an n-gram is found from what ended at the word before, whatever its
length.
"""

from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from doc2vecc.kernels.base.compile import inlined, kernel
from doc2vecc.kernels.base.instructions import Integer, prefetch_row
from doc2vecc.kernels.text.words import home_slot

Ids = npt.NDArray[np.int32]

SHARES = 1 << 10  # into so many the keys are divided among threads, whatever the size of their tables


class NgramIndex(NamedTuple):
    """An open-addressing table: slots[i] = (key, id + 1), (0, 0) where free."""

    slots: npt.NDArray[np.uint64]
    longest: int  # words of the longest n-gram; 1 when there are none


@inlined
def ngram_key(prefix: Integer, last: Integer) -> np.uint64:
    """Return the key of an n-gram: both its ids in one number."""
    return np.uint64(prefix) << np.uint64(32) | np.uint64(last)


@inlined
def find_ngram(index: NgramIndex, prefix: Integer, last: Integer) -> Integer:
    """Return the id of the n-gram made of ``prefix`` and the word ``last``, or -1."""
    key = ngram_key(prefix, last)
    n_slots = index.slots.shape[0]
    slot = home_slot(key, n_slots)
    while index.slots[slot, 1] != 0 and index.slots[slot, 0] != key:
        slot = (slot + 1) & (n_slots - 1)
    return np.int64(index.slots[slot, 1]) - 1


@inlined
def prefetch_ngram(index: NgramIndex, prefix: Integer, last: Integer) -> None:
    """Ask the cache for where the search for an n-gram begins; of an unknown word too, to no avail but no harm."""
    prefetch_row(index.slots, home_slot(ngram_key(prefix, last), index.slots.shape[0]), 0)


@inlined
def forget_tails(tails: Ids) -> None:
    """Begin anew: nothing ended at the word before."""
    for order in range(tails.shape[0]):
        tails[order] = -1


@inlined
def next_tail(index: NgramIndex, tails: Ids, order: int, word: Integer) -> Integer:
    """Find the n-gram of ``order + 1`` words that ends with a new word, or -1; ask for the longest first.

    tails[k] is what ended with the word before and has k + 1 words, or -1.
    """
    tail: Integer = find_ngram(index, tails[order - 1], word) if tails[order - 1] >= 0 else -1
    tails[order] = tail
    return tail


@kernel
def insert_ngrams(parts: Ids, first_id: int, slots: npt.NDArray[np.uint64]) -> None:
    """Fill an empty table with n-grams that have the ids first_id, first_id + 1, ..."""
    n_slots = slots.shape[0]
    for number in range(parts.shape[0]):
        key = ngram_key(parts[number, 0], parts[number, 1])
        slot = home_slot(key, n_slots)
        while slots[slot, 1] != 0:
            slot = (slot + 1) & (n_slots - 1)
        slots[slot, 0] = key
        slots[slot, 1] = first_id + number + 1


@kernel
def count_ngrams(
    ids: Ids,
    lengths: npt.NDArray[np.int64],
    known: NgramIndex,
    order: int,
    part: int,
    parts: int,
    tails: Ids,
    counts: npt.NDArray[np.uint64],
) -> int:
    """Count the n-grams of ``order + 1`` words whose beginning is known -> how many are new.

    ``counts`` has the slots (key, count) and room for all. Of ``parts`` threads each counts its share of the keys.
    """
    n_slots = counts.shape[0]
    n_new = 0
    position = 0
    for document in range(lengths.shape[0]):
        forget_tails(tails)
        for _ in range(lengths[document]):
            word = ids[position]
            position += 1
            if word < 0:
                forget_tails(tails)
                continue
            prefix = tails[order - 1]
            for shorter in range(order - 1, 0, -1):
                next_tail(known, tails, shorter, word)
            tails[0] = word
            if prefix < 0:
                continue
            key = ngram_key(prefix, word)
            if home_slot(key, SHARES) % parts != part:
                continue
            slot = home_slot(key, n_slots)
            while counts[slot, 1] != 0 and counts[slot, 0] != key:
                slot = (slot + 1) & (n_slots - 1)
            n_new += counts[slot, 1] == 0
            counts[slot, 0] = key
            counts[slot, 1] += np.uint64(1)
    return n_new


@kernel
def move_counts(counts: npt.NDArray[np.uint64], least: int, moved: npt.NDArray[np.uint64]) -> tuple[int, int, int]:
    """Move the n-grams counted at least so often into an empty table -> (moved, left, occurrences left)."""
    n_slots = moved.shape[0]
    n_moved = n_left = occurrences = 0
    for place in range(counts.shape[0]):
        count = np.int64(counts[place, 1])
        if count >= max(least, 1):
            slot = home_slot(counts[place, 0], n_slots)
            while moved[slot, 1] != 0:
                slot = (slot + 1) & (n_slots - 1)
            moved[slot, 0] = counts[place, 0]
            moved[slot, 1] = counts[place, 1]
            n_moved += 1
        elif count > 0:
            n_left += 1
            occurrences += int(count)
    return n_moved, n_left, occurrences


@kernel
def write_features(ids: Ids, lengths: npt.NDArray[np.int64], known: NgramIndex, tails: Ids, features: Ids) -> int:
    """Copy the known words, each followed by the n-grams that end with it -> how many ids there are.

    ``lengths`` holds the lengths of the documents and is corrected in place.
    """
    n_features = 0
    position = 0
    for document in range(lengths.shape[0]):
        forget_tails(tails)
        first = n_features
        for _ in range(lengths[document]):
            word = ids[position]
            position += 1
            if word < 0:
                forget_tails(tails)
                continue
            features[n_features] = word
            n_features += 1
            for order in range(known.longest - 1, 0, -1):
                ngram = next_tail(known, tails, order, word)
                if ngram >= 0:
                    features[n_features] = ngram
                    n_features += 1
            tails[0] = word
        lengths[document] = n_features - first
    return n_features
