"""From the bytes of a text straight to its vector: scan, look up, add the row."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from doc2vecc.kernels.compile import Integer, inlined, kernel
from doc2vecc.kernels.phrases import PhraseIndex, forget_tails, next_tail
from doc2vecc.kernels.rows import Table, add_rows_to, fill, load_soon
from doc2vecc.kernels.tokens import Alphabet, next_token
from doc2vecc.kernels.words import WordIndex, find_slot

# Rows are added in float32 for so many words at a time; the partial sums meet in float64. A document of
# millions of words keeps its precision, and rows are asked for some time before they are needed.
STRETCH = 64


class Sums(NamedTuple):
    """Scratch memory of one thread."""

    ids: npt.NDArray[np.int32]  # (STRETCH,)
    tails: npt.NDArray[np.int32]  # (longest phrase,): what ended with the word before
    partial: Table  # (1, dim)
    total: npt.NDArray[np.float64]  # (1, dim)


def sums(vectors: Table, longest: int = 1) -> Sums:
    """Allocate the scratch memory for vectors like these and phrases of up to ``longest`` words."""
    dim = vectors.shape[1]
    return Sums(
        np.empty(STRETCH, np.int32),
        np.empty(longest, np.int32),
        np.empty((1, dim), vectors.dtype),
        np.empty((1, dim), np.float64),
    )


@inlined
def add_stretch(vectors: Table, ids: npt.NDArray[np.int32], start: int, stop: int, scratch: Sums) -> None:
    """total += the sum of the vectors of ids[start:stop]."""
    fill(scratch.partial, 0, 0)
    add_rows_to(scratch.partial, 0, vectors, ids, start, stop)
    for column in range(vectors.shape[1]):
        scratch.total[0, column] += scratch.partial[0, column]


@inlined
def add_feature(vectors: Table, feature: Integer, n_ids: int, scratch: Sums) -> int:
    """Take in a word or a phrase; its row is added once a stretch is full -> how many wait for that."""
    load_soon(vectors, feature)
    scratch.ids[n_ids] = feature
    if n_ids + 1 < STRETCH:
        return n_ids + 1
    add_stretch(vectors, scratch.ids, 0, STRETCH, scratch)
    return 0


@inlined
def write_mean(scratch: Sums, count: int, means: Table, document: int) -> None:
    """means[document] = total / count, zero for an empty document."""
    factor = 1.0 / max(count, 1)
    for column in range(means.shape[1]):
        means[document, column] = scratch.total[0, column] * factor


@kernel
def embed_texts(
    text: npt.NDArray[np.uint8],
    offsets: npt.NDArray[np.int64],
    rule: Alphabet,
    index: WordIndex,
    phrases: PhraseIndex,
    vectors: Table,
    means: Table,
    known: npt.NDArray[np.int64],
    scratch: Sums,
) -> None:
    """means[d] = the mean vector of the known words and phrases of document d, known[d] = how many there are."""
    for document in range(means.shape[0]):
        fill(scratch.total, 0, 0)
        n_known = 0
        n_ids = 0
        position = offsets[document]
        end = offsets[document + 1]
        forget_tails(scratch.tails)
        while True:
            token = next_token(text, position, end, rule)
            if token.length == 0:
                break
            position = token.end
            word = np.int64(index.slots[find_slot(text, token, rule, index), 1]) - 1
            if word < 0:
                forget_tails(scratch.tails)
                continue
            n_ids = add_feature(vectors, word, n_ids, scratch)
            n_known += 1
            for order in range(phrases.longest - 1, 0, -1):
                phrase = next_tail(phrases, scratch.tails, order, word)
                if phrase >= 0:
                    n_ids = add_feature(vectors, phrase, n_ids, scratch)
                    n_known += 1
            scratch.tails[0] = word
        add_stretch(vectors, scratch.ids, 0, n_ids, scratch)
        known[document] = n_known
        write_mean(scratch, n_known, means, document)


@kernel
def embed_ids(
    ids: npt.NDArray[np.int32],
    offsets: npt.NDArray[np.int64],
    vectors: Table,
    means: Table,
    scratch: Sums,
) -> None:
    """means[d] = the mean vector of ids[offsets[d] : offsets[d + 1]], summed as :func:`embed_texts` does."""
    for document in range(means.shape[0]):
        fill(scratch.total, 0, 0)
        for start in range(offsets[document], offsets[document + 1], STRETCH):
            add_stretch(vectors, ids, start, min(start + STRETCH, offsets[document + 1]), scratch)
        write_mean(scratch, offsets[document + 1] - offsets[document], means, document)
