"""From the bytes of a text straight to its vector: scan, look up, add the row."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from doc2vecc.kernels.compile import inlined, kernel
from doc2vecc.kernels.rows import Table, add_rows_to, fill, load_soon
from doc2vecc.kernels.tokens import Alphabet, next_token
from doc2vecc.kernels.words import WordIndex, find_slot

# Rows are added in float32 for so many words at a time; the partial sums meet in float64. A document of
# millions of words keeps its precision, and rows are asked for some time before they are needed.
STRETCH = 64


class Sums(NamedTuple):
    """Scratch memory of one thread."""

    ids: npt.NDArray[np.int32]  # (STRETCH,)
    partial: Table  # (1, dim)
    total: npt.NDArray[np.float64]  # (1, dim)


def sums(vectors: Table) -> Sums:
    """Allocate the scratch memory for vectors like these."""
    dim = vectors.shape[1]
    return Sums(np.empty(STRETCH, np.int32), np.empty((1, dim), vectors.dtype), np.empty((1, dim), np.float64))


@inlined
def add_stretch(vectors: Table, ids: npt.NDArray[np.int32], start: int, stop: int, scratch: Sums) -> None:
    """total += the sum of the vectors of ids[start:stop]."""
    fill(scratch.partial, 0, 0)
    add_rows_to(scratch.partial, 0, vectors, ids, start, stop)
    for column in range(vectors.shape[1]):
        scratch.total[0, column] += scratch.partial[0, column]


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
    vectors: Table,
    means: Table,
    known: npt.NDArray[np.int64],
    scratch: Sums,
) -> None:
    """means[d] = the mean vector of the known words of document d, known[d] = how many there are."""
    for document in range(means.shape[0]):
        fill(scratch.total, 0, 0)
        n_known = 0
        n_ids = 0
        position = offsets[document]
        end = offsets[document + 1]
        while True:
            token = next_token(text, position, end, rule)
            if token.length == 0:
                break
            position = token.end
            word = np.int64(index.slots[find_slot(text, token, rule, index), 1]) - 1
            if word >= 0:
                load_soon(vectors, word)
                scratch.ids[n_ids] = word
                n_ids += 1
                if n_ids == STRETCH:
                    add_stretch(vectors, scratch.ids, 0, n_ids, scratch)
                    n_known += n_ids
                    n_ids = 0
        add_stretch(vectors, scratch.ids, 0, n_ids, scratch)
        n_known += n_ids
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
