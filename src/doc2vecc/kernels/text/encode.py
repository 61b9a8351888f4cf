"""From texts to ids: number words as they are met, count n-grams, write the ids of a document."""

from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from doc2vecc.kernels.base.compile import inlined, kernel
from doc2vecc.kernels.base.instructions import prefetch_row
from doc2vecc.kernels.text.tokens import PUNCTUATION, UNSPACED, Alphabet, fold_token, next_token, read_symbol
from doc2vecc.kernels.text.words import (
    Bytes,
    Ids,
    Int64s,
    NgramIndex,
    Slots,
    WordIndex,
    find_slot,
    forget_tails,
    home_slot,
    next_tail,
    ngram_key,
)

SHARES = 1 << 10  # into so many the keys of n-grams are divided among threads, whatever the size of their tables

# For every word and n-gram 1 + the number of the document that had it last; empty where every occurrence counts.
Seen = Ids


class Numbering(NamedTuple):
    """Room for words as they are met: those met so far fill the front of each array."""

    words: WordIndex
    counts: Int64s
    cursor: Int64s


# What Numbering.cursor holds.
DOCUMENT = 0  # the document that is being read
POSITION = 1  # the next byte to read
N_WORDS = 2  # words met so far
N_IDS = 3  # ids written by this call
ROOM_WANTED = 4  # bytes wanted for a new word that did not fit; 0 if the words fit


@kernel
def number_words(text: Bytes, offsets: Int64s, rule: Alphabet, numbering: Numbering, ids: Ids, lengths: Int64s) -> bool:
    """Give every token its number, counting; new words get the next free one. True when all is read.

    Stops early when ``ids`` is full or a new word does not fit; ``cursor`` says where to go on.
    """
    index, cursor = numbering.words, numbering.cursor
    n_documents = offsets.shape[0] - 1
    n_words = cursor[N_WORDS]
    n_ids = 0
    document = cursor[DOCUMENT]
    position = cursor[POSITION]
    finished = True
    while document < n_documents:
        end = offsets[document + 1]
        first_id = n_ids
        token = next_token(text, position, end, rule)
        while n_ids < ids.shape[0] and token.length > 0:
            upcoming = next_token(text, token.end, end, rule)
            prefetch_row(index.slots, home_slot(upcoming.key, index.slots.shape[0]), 0)  # here in time
            slot = find_slot(text, token, rule, index)
            if index.slots[slot, 1] == 0:
                word_start = index.word_offsets[n_words]
                if n_words == numbering.counts.shape[0] or word_start + token.length > index.word_bytes.shape[0]:
                    cursor[ROOM_WANTED] = token.length
                    finished = False
                    break
                fold_token(text, token, rule.symbols, index.word_bytes[word_start : word_start + token.length])
                index.word_offsets[n_words + 1] = word_start + token.length
                index.slots[slot, 0] = token.key
                numbering.counts[n_words] = 0
                n_words += 1
                index.slots[slot, 1] = n_words
            word = np.int64(index.slots[slot, 1]) - 1
            numbering.counts[word] += 1
            ids[n_ids] = word
            n_ids += 1
            position = token.end
            token = upcoming
        lengths[document] += n_ids - first_id
        if n_ids == ids.shape[0]:
            finished = False
        if not finished:
            break
        document += 1
        if document < n_documents:
            position = offsets[document]
    cursor[DOCUMENT] = document
    cursor[POSITION] = position
    cursor[N_WORDS] = n_words
    cursor[N_IDS] = n_ids
    return finished


@kernel
def find_unspaced(words: WordIndex, symbols: Ids, is_unspaced: npt.NDArray[np.bool_]) -> None:
    """Mark the words that are characters of scripts without spaces."""
    for word in range(is_unspaced.shape[0]):
        symbol, _ = read_symbol(words.word_bytes, words.word_offsets[word], words.word_offsets[word + 1], symbols)
        is_unspaced[word] = symbol >= UNSPACED and symbol < PUNCTUATION


@kernel
def count_ngrams(
    ids: Ids, lengths: Int64s, known: NgramIndex, order: int, part: int, parts: int, tails: Ids, counts: Slots
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


@inlined
def keep_first(ids: Ids, start: int, stop: int, kept: int, document: int, seen: Seen) -> int:
    """Move those of ids[start:stop] that a document has not had before to ids[kept:] -> where they end."""
    for position in range(start, stop):
        feature = ids[position]
        if seen[feature] != document + 1:
            seen[feature] = document + 1
            ids[kept] = feature
            kept += 1
    return kept


@kernel
def write_features(
    ids: Ids, numbers: Ids, lengths: Int64s, known: NgramIndex, tails: Ids, seen: Seen, features: Ids
) -> int:
    """Translate ids by ``numbers``, copy the known words, each followed by its n-grams -> how many ids there are.

    ``lengths`` holds the lengths of the documents and is corrected in place. With ``seen`` a document has each once.
    """
    n_features = 0
    position = 0
    for document in range(lengths.shape[0]):
        forget_tails(tails)
        first = n_features
        for _ in range(lengths[document]):
            word = numbers[ids[position]]
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
        if seen.shape[0] > 0:
            n_features = keep_first(features, first, n_features, first, document, seen)
        lengths[document] = n_features - first
    return n_features
