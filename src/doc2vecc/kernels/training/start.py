"""What a training starts from: the alias tables of its samplers, and the products of the spectral start.

The spectral start multiplies with a matrix A that is never made. It has a row per document: count * idf of each of its
words, divided by the length of the row.
"""

from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from doc2vecc.kernels.base.compile import inlined, kernel
from doc2vecc.kernels.base.instructions import LANES, lanes_at, put_lanes
from doc2vecc.kernels.base.rows import Table, clear_padded_row, prefetch_vector
from doc2vecc.kernels.base.sampling import AliasTable
from doc2vecc.kernels.training.loop import Documents


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
