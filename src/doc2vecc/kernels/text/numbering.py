"""Numbering the words of texts as they are met, and bringing several numberings together."""

from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from doc2vecc.kernels.base.compile import kernel
from doc2vecc.kernels.base.instructions import prefetch_row
from doc2vecc.kernels.text.tokens import SHORT, Alphabet, fold_token, next_token
from doc2vecc.kernels.text.words import WordIndex, find_slot, home_slot, same_bytes


class Numbering(NamedTuple):
    """Room for words as they are met: those met so far fill the front of each array."""

    words: WordIndex
    counts: npt.NDArray[np.int64]
    cursor: npt.NDArray[np.int64]


# What Numbering.cursor holds.
DOCUMENT = 0  # the document that is being read
POSITION = 1  # the next byte to read
N_WORDS = 2  # words met so far
N_IDS = 3  # ids written by this call
ROOM_WANTED = 4  # bytes wanted for a new word that did not fit; 0 if the words fit

_WORDS_AHEAD = 8  # a slot is asked for while so many words before it are looked up


@kernel
def number_words(
    text: npt.NDArray[np.uint8],
    offsets: npt.NDArray[np.int64],
    rule: Alphabet,
    numbering: Numbering,
    ids: npt.NDArray[np.int32],
    lengths: npt.NDArray[np.int64],
) -> bool:
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
def merge_words(
    words: WordIndex,
    keys: npt.NDArray[np.uint64],
    counts: npt.NDArray[np.int64],
    first: int,
    target: Numbering,
    numbers: npt.NDArray[np.int32],
) -> int:
    """Add words, from the first one on, and their counts to a numbering; numbers[word] = its number there.

    Returns the word to go on with: all words are there, or that one is new and does not fit.
    """
    index, cursor = target.words, target.cursor
    n_slots = index.slots.shape[0]
    n_words = cursor[N_WORDS]
    for word in range(first, keys.shape[0]):
        prefetch_row(index.slots, home_slot(keys[min(word + _WORDS_AHEAD, keys.shape[0] - 1)], n_slots), 0)
        start, stop = words.word_offsets[word], words.word_offsets[word + 1]
        slot = home_slot(keys[word], n_slots)
        while index.slots[slot, 1] != 0:
            if index.slots[slot, 0] == keys[word] and (
                stop - start <= SHORT or same_bytes(words, word, index, np.int64(index.slots[slot, 1]) - 1)
            ):
                break
            slot = (slot + 1) & (n_slots - 1)
        if index.slots[slot, 1] == 0:
            word_start = index.word_offsets[n_words]
            if n_words == target.counts.shape[0] or word_start + stop - start > index.word_bytes.shape[0]:
                cursor[N_WORDS] = n_words
                cursor[ROOM_WANTED] = stop - start
                return word
            for position in range(stop - start):
                index.word_bytes[word_start + position] = words.word_bytes[start + position]
            index.word_offsets[n_words + 1] = word_start + stop - start
            target.counts[n_words] = 0
            n_words += 1
            index.slots[slot, 0] = keys[word]
            index.slots[slot, 1] = n_words
        number = np.int64(index.slots[slot, 1]) - 1
        target.counts[number] += counts[word]
        numbers[word] = number
    cursor[N_WORDS] = n_words
    return len(keys)


@kernel
def renumber(
    ids: npt.NDArray[np.int32],
    lengths: npt.NDArray[np.int64],
    numbers: npt.NDArray[np.int32],
    new_ids: npt.NDArray[np.int32],
) -> int:
    """Replace every id by its new number, drop those that have none (-1); returns how many ids remain.

    ``lengths`` holds the lengths of the documents and is corrected in place.
    """
    position = 0
    n_ids = 0
    for document in range(lengths.shape[0]):
        first_id = n_ids
        for _ in range(lengths[document]):
            number = numbers[ids[position]]
            position += 1
            if number >= 0:
                new_ids[n_ids] = number
                n_ids += 1
        lengths[document] = n_ids - first_id
    return n_ids
