"""From the bytes of a text straight to its vector: scan, look up, add the row."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from doc2vecc.kernels.compile import inlined, kernel, prefetch_row
from doc2vecc.kernels.tokens import Alphabet, WordIndex, find_slot, next_token

# Rows are added in float32 for so many words at a time; the partial sums meet in float64. A document of
# millions of words keeps its precision, and the ids of a stretch are known before their rows are touched.
STRETCH = 256


@inlined
def add_rows(
    ids: npt.NDArray[np.int32],
    count: int,
    vectors: npt.NDArray[np.float32],
    partial: npt.NDArray[np.float32],
    total: npt.NDArray[np.float64],
) -> None:
    """total += the sum of the vectors of the first ``count`` ids."""
    dim = vectors.shape[1]
    partial[:] = 0
    for index in range(count):
        row = ids[index]
        for column in range(dim):
            partial[column] += vectors[row, column]
    for column in range(dim):
        total[column] += partial[column]


@kernel
def embed_texts(
    text: npt.NDArray[np.uint8],
    offsets: npt.NDArray[np.int64],
    rule: Alphabet,
    index: WordIndex,
    vectors: npt.NDArray[np.float32],
    means: npt.NDArray[np.float32],
    known: npt.NDArray[np.int64],
) -> None:
    """means[d] = the mean vector of the known words of document d, known[d] = how many there are."""
    dim = vectors.shape[1]
    lines = (dim * vectors.itemsize + 63) // 64
    ids = np.empty(STRETCH, np.int32)
    partial = np.zeros(dim, vectors.dtype)
    total = np.zeros(dim, np.float64)
    for document in range(means.shape[0]):
        total[:] = 0
        n_known = 0
        n_ids = 0
        position = offsets[document]
        end = offsets[document + 1]
        while True:
            token = next_token(text, position, end, rule)
            if token.length == 0:
                break
            position = token.end
            slot = find_slot(text, token, rule.symbols, index)
            word = np.int64(index.slots[slot, 1]) - 1
            if word >= 0:
                for line in range(lines):
                    prefetch_row(vectors, word, line)
                ids[n_ids] = word
                n_ids += 1
                if n_ids == STRETCH:
                    add_rows(ids, n_ids, vectors, partial, total)
                    n_known += n_ids
                    n_ids = 0
        add_rows(ids, n_ids, vectors, partial, total)
        n_known += n_ids
        known[document] = n_known
        for column in range(dim):
            means[document, column] = total[column] / max(n_known, 1)


@kernel
def embed_ids(
    ids: npt.NDArray[np.int32],
    offsets: npt.NDArray[np.int64],
    vectors: npt.NDArray[np.float32],
    means: npt.NDArray[np.float32],
) -> None:
    """means[d] = the mean vector of ids[offsets[d] : offsets[d + 1]], summed as :func:`embed_texts` does."""
    dim = vectors.shape[1]
    partial = np.zeros(dim, vectors.dtype)
    total = np.zeros(dim, np.float64)
    for document in range(means.shape[0]):
        total[:] = 0
        for start in range(offsets[document], offsets[document + 1], STRETCH):
            stretch = ids[start : min(start + STRETCH, offsets[document + 1])]
            add_rows(stretch, stretch.shape[0], vectors, partial, total)
        length = offsets[document + 1] - offsets[document]
        for column in range(dim):
            means[document, column] = total[column] / max(length, 1)
