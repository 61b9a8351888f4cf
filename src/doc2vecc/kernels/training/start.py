"""What a training starts from: alias tables of its samplers, scratch memory, products of the spectral start.

The spectral start multiplies with a matrix A that is never made. It has a row per document: count * idf of each of its
words, divided by the length of the row.
"""

from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from doc2vecc.kernels.base.compile import inlined, kernel
from doc2vecc.kernels.base.instructions import LANES, lanes_at, put_lanes
from doc2vecc.kernels.base.rows import ROW_NUMBER, Table, clear_padded_row, prefetch_vector
from doc2vecc.kernels.base.sampling import AliasTable
from doc2vecc.kernels.training.loop import Documents
from doc2vecc.kernels.training.workspace import BLOCK, Workspace

WORDS_PER_CHUNK = 4_000  # some milliseconds of work: quick to stop, and threads exchange what they learn often
CHUNKS_AT_LEAST = 200  # a small corpus is shuffled as well
PARTS_OF_A_DOCUMENT = 32  # a huge document is cut into at most so many chunks; each still sees all of it
VALUES_AT_ONCE = 1 << 24  # of the rows of a document that are copied
LEAST = 1e-6  # share of the largest eigenvalue: directions below it are noise


@kernel
def fill_alias_table(weights: npt.NDArray[np.float64], table: AliasTable, stacks: npt.NDArray[np.int32]) -> None:
    """Vose's construction; ``weights`` must sum to the number of columns and is used up, as are the two stacks."""
    thresholds, aliases = table
    small, large = stacks[0], stacks[1]
    count = weights.shape[0]
    n_small = n_large = 0
    for column in range(count):
        thresholds[column] = np.uint32(0xFFFFFFFF)
        aliases[column] = column
        if weights[column] < 1.0:
            small[n_small] = column
            n_small += 1
        else:
            large[n_large] = column
            n_large += 1
    while n_small > 0 and n_large > 0:
        n_small -= 1
        poor = small[n_small]
        rich = large[n_large - 1]
        thresholds[poor] = np.uint32(weights[poor] * 4294967295.0)
        aliases[poor] = rich
        weights[rich] -= 1.0 - weights[poor]
        if weights[rich] < 1.0:
            n_large -= 1
            small[n_small] = rich
            n_small += 1


def alias_table(weights: npt.NDArray[np.float64]) -> AliasTable:
    """Prepare draws of i with probability weights[i] / sum(weights)."""
    count = len(weights)
    table = AliasTable(np.empty(count, np.uint32), np.empty(count, np.int32))
    scaled = np.asarray(weights, np.float64) * (count / np.sum(weights, dtype=np.float64))
    fill_alias_table(scaled, table, np.empty((2, count), np.int32))
    return table


def gap_table(keep: float) -> AliasTable:
    """Prepare draws of the number of words that fall out before the next survivor.

    That number is geometric: P(gap) = keep * (1 - keep)**gap. The last column gathers the whole tail and means
    "this many fell out, draw again", which is exact because the geometric distribution has no memory.
    """
    columns = int(np.clip(8.0 / keep, 1, 4096))
    gaps = np.arange(columns)
    return alias_table(np.append(keep * (1.0 - keep) ** gaps, (1.0 - keep) ** columns))


class SpectralScratch(NamedTuple):
    """Scratch memory of one thread."""

    counts: npt.NDArray[np.int32]  # of each word in the document, all zero between two documents
    distinct: npt.NDArray[np.uint32]  # the words of the document, room for the longest
    document: Table  # (1, dim)


@inlined
def count_words(ids: npt.NDArray[np.int32], scratch: SpectralScratch) -> int:
    """Count the words of a document -> how many distinct ones there are; their counts are in the scratch memory."""
    n_distinct = 0
    for word in ids:
        if scratch.counts[word] == 0:
            scratch.distinct[n_distinct] = word
            n_distinct += 1
        scratch.counts[word] += 1
    return n_distinct


@kernel
def count_documents(
    documents: Documents, first: int, last: int, frequencies: npt.NDArray[np.int64], scratch: SpectralScratch
) -> None:
    """frequencies[w] += the number of documents in [first, last) that word w occurs in."""
    for document in range(first, last):
        n_distinct = count_words(documents.ids[documents.offsets[document] : documents.offsets[document + 1]], scratch)
        for place in range(n_distinct):
            frequencies[scratch.distinct[place]] += 1
            scratch.counts[scratch.distinct[place]] = 0


@kernel
def add_products(
    documents: Documents,
    first: int,
    last: int,
    idf: npt.NDArray[np.float32],
    vectors: Table,
    products: Table,
    scratch: SpectralScratch,
) -> None:
    """products += A' A vectors over the documents in [first, last): one gather and one scatter per distinct word."""
    for document in range(first, last):
        n_distinct = count_words(documents.ids[documents.offsets[document] : documents.offsets[document + 1]], scratch)
        clear_padded_row(scratch.document, 0)
        square = 0.0
        for place in range(n_distinct):
            word = scratch.distinct[place]
            prefetch_vector(products, word)
            weight = np.float32(scratch.counts[word]) * idf[word]
            square += weight * weight
            for column in range(0, vectors.shape[1], LANES):
                total = lanes_at(scratch.document, 0, column) + weight * lanes_at(vectors, word, column)
                put_lanes(scratch.document, 0, column, total)
        for place in range(n_distinct):
            word = scratch.distinct[place]
            weight = np.float32(scratch.counts[word] * idf[word] / square)  # both rows of A are divided by the length
            scratch.counts[word] = 0
            for column in range(0, vectors.shape[1], LANES):
                total = lanes_at(products, word, column) + weight * lanes_at(scratch.document, 0, column)
                put_lanes(products, word, column, total)


def workspace(table: Table, *, negative: int, window: int, longest: int, subsampling: bool = False) -> Workspace:
    """Allocate the memory of one thread, for tables like this one and documents of up to ``longest`` words."""
    dim, dtype = table.shape[1], table.dtype
    if dim % LANES:
        raise ValueError(f"rows of {dim} columns: training needs rows padded to a multiple of {LANES}")
    return Workspace(
        survivors=np.empty(longest, ROW_NUMBER),
        survivals=np.zeros(len(table), np.int32),
        document=np.zeros((1, dim), dtype),
        document_at_start=np.zeros((1, dim), dtype),
        document_step=np.zeros((1, dim), dtype),
        survivor_step=np.zeros((1, dim), dtype),
        negative_rows=np.zeros(negative, ROW_NUMBER),
        local_rows=np.zeros(BLOCK * 2 * window, ROW_NUMBER),
        local_starts=np.zeros(BLOCK + 2, np.int64),
        output_rows=np.zeros((BLOCK + 1, negative + BLOCK), ROW_NUMBER),
        n_outputs=np.zeros(BLOCK + 1, np.int64),
        hidden=np.zeros((BLOCK + 1, dim), dtype),
        steps=np.zeros((BLOCK + 1, negative + BLOCK), dtype),
        local_steps=np.zeros((BLOCK + 1, dim), dtype),
        scores=np.zeros(negative + BLOCK, dtype),
        probabilities=np.zeros(negative + BLOCK, dtype),
        hidden_step=np.zeros((1, dim), dtype),
        subsampled=np.empty(longest if subsampling else 0, np.int32),
        state=np.zeros(2, np.uint64),
    )


def aligned_zeros(rows: int, columns: int) -> npt.NDArray[np.float32]:
    """Allocate a table that begins at a cache line, in huge pages where the system has them."""
    spare = 64 // 4
    flat = np.empty(rows * columns + spare, np.float32)  # before version 2.2, NumPy's zeros are never in huge pages
    flat[:] = 0
    first = -flat.ctypes.data % 64 // 4
    return flat[first : first + rows * columns].reshape(rows, columns)


def orthonormal(vectors: Table, dim: int) -> tuple[Table, npt.NDArray[np.float32]]:
    """Make the columns of A' A vectors orthonormal -> vectors, and the singular values of A, the largest first."""
    inside = vectors[:, :dim].astype(np.float64)
    values, rotation = np.linalg.eigh(inside.T @ inside)
    order = np.argsort(values)[::-1]
    values, rotation = values[order], rotation[:, order]
    n_directions = int(np.count_nonzero(values > LEAST**2 * max(values[0], 1e-300)))
    result = np.zeros_like(vectors)
    scales = rotation[:, :n_directions] / np.sqrt(values[:n_directions])
    result[:, :n_directions] = inside @ scales
    return result, (values[:n_directions] ** 0.25).astype(np.float32)  # of two products with A and two with A'


def sums_of_rows(table: Table, ids: npt.NDArray[np.int32]) -> tuple[npt.NDArray[np.float32], float]:
    """Return the sum of the rows of a document, and the sum of all their squares.

    >>> sums_of_rows(np.array([[1, 0], [2, 3]], np.float32), np.array([1, 0, 1]))
    (array([5., 6.], dtype=float32), 27.0)
    """
    total, squares = np.zeros(table.shape[1], np.float32), 0.0
    step = max(1, VALUES_AT_ONCE // max(table.shape[1], 1))
    for start in range(0, len(ids), step):
        rows = table[ids[start : start + step]]
        total += rows.sum(axis=0)
        squares += float(np.sum(np.square(rows), dtype=np.float64))
    return total, squares


def inverse_document_frequency(frequencies: npt.NDArray[np.int64], n_documents: int) -> npt.NDArray[np.float32]:
    """Return for every word ln((1 + documents) / (1 + documents with the word)) + 1."""
    return (np.log((1 + n_documents) / (1 + frequencies)) + 1).astype(np.float32)


def chunk_bounds(offsets: npt.NDArray[np.int64]) -> npt.NDArray[np.int64]:
    """Cut the positions of a corpus into chunks: at ends of documents, and within huge documents.

    >>> chunk_bounds(np.array([0, 2, 2, 4])).tolist()
    [0, 2, 4]
    """
    total = int(offsets[-1])
    size = max(1, min(WORDS_PER_CHUNK, total // CHUNKS_AT_LEAST))
    wanted = np.append(np.arange(0, total, size), total)
    ends = np.asarray(offsets[np.searchsorted(offsets, wanted)])
    bounds = np.unique(ends)
    pieces = [bounds]
    for place in np.flatnonzero(np.diff(bounds) > 2 * WORDS_PER_CHUNK).tolist():
        start, stop = int(bounds[place]), int(bounds[place + 1])
        step = max(WORDS_PER_CHUNK, -(-(stop - start) // PARTS_OF_A_DOCUMENT))
        pieces.append(np.arange(start, stop, step))
    return np.unique(np.concatenate(pieces))
