"""Training that does not depend on the number of threads: a share of the work has copies of the rows that it touches.

Nobody writes to the shared tables while shares are worked on, so what a share learns does not depend on the others.
Then the copies are merged, row by row, in the order of the shares.
"""

from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from doc2vecc.kernels.base.compile import inlined, kernel
from doc2vecc.kernels.base.instructions import LANES, Integer, lanes_at, no_lanes, put_lanes, sum_of_lanes
from doc2vecc.kernels.base.rows import (
    Rates,
    Table,
    Tables,
    clear_padded_row,
    prefetch_vector,
    prefetch_vector_to_l2,
    square_of_row,
)
from doc2vecc.kernels.training.deltas import change_scale

Places = npt.NDArray[np.int32]  # of every word: the row that its copy has, -1 where it has none
NONE = -1
ROWS_AHEAD = 8  # that are prefetched
WORDS, NGRAMS = 0, 1


class Shared(NamedTuple):
    """What all shares copy from; nobody writes to it while they work."""

    tables: Tables
    rates: Rates
    stay: npt.NDArray[np.float32]  # probability that subsampling keeps a word; empty: nothing is subsampled
    n_words: int  # ids from here on are n-grams


class Copies(NamedTuple):
    """The copies of one share. A word has the same row in both tables, but may be copied in one only.

    The rows of n-grams follow those of words, so that a row tells them apart as an id does.
    """

    shared: Shared
    tables: Tables
    rates: Rates  # of each row, as is stay
    stay: npt.NDArray[np.float32]
    input_places: Places
    output_places: Places
    ids: npt.NDArray[np.int32]  # the word of each row
    ends: npt.NDArray[np.int64]  # (2,): where the rows of words and those of n-grams end


class TableCopies(NamedTuple):
    """The copies of one table by all shares; the first index is the share."""

    rows: npt.NDArray[np.float32]  # (shares, rows, dim)
    places: npt.NDArray[np.int32]  # (shares, words)
    ids: npt.NDArray[np.int32]  # (shares, rows)


@inlined
def copy_row(source: Table, row: Integer, target: Table, place: Integer) -> None:
    """target[place] = source[row], for padded rows."""
    for column in range(0, source.shape[1], LANES):
        put_lanes(target, place, column, lanes_at(source, row, column))


@inlined
def row_for(copies: Copies, word_id: Integer, row: Integer) -> Integer:
    """Return the row that a word has in the other table, or else the next free one."""
    if row != NONE:
        return np.int64(row)
    kind = WORDS if word_id < copies.shared.n_words else NGRAMS
    free: Integer = copies.ends[kind]
    copies.ends[kind] = free + 1
    copies.ids[free] = word_id
    copies.rates[free] = copies.shared.rates[word_id]
    if copies.shared.stay.shape[0] > 0:
        copies.stay[free] = copies.shared.stay[word_id]
    return free


@inlined
def copy_input(copies: Copies, word_id: Integer) -> Integer:
    """Copy the input vector of a word -> its row."""
    row = row_for(copies, word_id, copies.output_places[word_id])
    copies.input_places[word_id] = row
    copy_row(copies.shared.tables.inputs, word_id, copies.tables.inputs, row)
    return row


@inlined
def copy_output(copies: Copies, word_id: Integer) -> Integer:
    """Copy the output vector of a word -> its row."""
    row = row_for(copies, word_id, copies.input_places[word_id])
    copies.output_places[word_id] = row
    copy_row(copies.shared.tables.outputs, word_id, copies.tables.outputs, row)
    return row


@kernel
def copy_words(copies: Copies, ids: npt.NDArray[np.int32], rows: npt.NDArray[np.int32]) -> None:
    """Copy both vectors of the words of some documents, unless they are copied already; rows = where they are."""
    tables = copies.shared.tables
    for position in range(ids.shape[0]):
        if position + ROWS_AHEAD < ids.shape[0]:
            upcoming = ids[position + ROWS_AHEAD]
            if copies.input_places[upcoming] == NONE:
                prefetch_vector(tables.inputs, upcoming)
                prefetch_vector(tables.outputs, upcoming)
        word_id = ids[position]
        if copies.input_places[word_id] == NONE:
            copy_input(copies, word_id)
            if copies.output_places[word_id] == NONE:
                copy_output(copies, word_id)
        rows[position] = copies.input_places[word_id]


@kernel
def forget_copies(copies: Copies, starts: npt.NDArray[np.int64]) -> None:
    """Begin anew, without copies; ``starts`` is where the rows of words and of n-grams begin."""
    for kind in range(starts.shape[0]):
        for row in range(starts[kind], copies.ends[kind]):
            copies.input_places[copies.ids[row]] = NONE
            copies.output_places[copies.ids[row]] = NONE
        copies.ends[kind] = starts[kind]


class MergeScratch(NamedTuple):
    """Scratch memory of one thread."""

    shares: npt.NDArray[np.int64]  # (shares,): those that have a copy of a word
    change: Table  # (1, dim)


@inlined
def find_shares(places: npt.NDArray[np.int32], share: int, word_id: Integer, found: npt.NDArray[np.int64]) -> int:
    """Find the shares that have a copy of a word -> how many; 0 if this one is not the first of them."""
    if places[share, word_id] == NONE:
        return 0
    for earlier in range(share):
        if places[earlier, word_id] != NONE:
            return 0
    found[0] = share
    n_shares = 1
    for later in range(share + 1, places.shape[0]):
        if places[later, word_id] != NONE:
            found[n_shares] = later
            n_shares += 1
    return n_shares


@inlined
def prefetch_copies(table: Table, copies: TableCopies, word_id: Integer) -> None:
    """Prefetch all that is merged of a word."""
    prefetch_vector_to_l2(table, word_id)
    for share in range(copies.places.shape[0]):
        if copies.places[share, word_id] != NONE:
            prefetch_vector_to_l2(copies.rows[share], copies.places[share, word_id])


@inlined
def sum_changes(table: Table, copies: TableCopies, word_id: Integer, n_shares: int, scratch: MergeScratch) -> float:
    """change = the sum of what the shares have changed a row by -> the sum of the squared lengths of the changes."""
    squares = no_lanes(table)
    clear_padded_row(scratch.change, 0)
    for number in range(n_shares):
        share = scratch.shares[number]
        rows, row = copies.rows[share], copies.places[share, word_id]
        for column in range(0, table.shape[1], LANES):
            change = lanes_at(rows, row, column) + -1.0 * lanes_at(table, word_id, column)
            put_lanes(scratch.change, 0, column, lanes_at(scratch.change, 0, column) + change)
            squares = squares + change * change
    return float(sum_of_lanes(squares))


@kernel
def merge_copies(
    table: Table, copies: TableCopies, cautions: Rates, share: int, first: int, last: int, scratch: MergeScratch
) -> None:
    """Merge the words in rows [first, last) of a share into the shared table, with the copies of later shares.

    Words that an earlier share has are merged with that one, so each word is merged once.
    """
    for row in range(first, last):
        if row + ROWS_AHEAD < last:
            prefetch_copies(table, copies, copies.ids[share, row + ROWS_AHEAD])
        word_id = copies.ids[share, row]
        n_shares = find_shares(copies.places, share, word_id, scratch.shares)
        if n_shares == 1:
            copy_row(copies.rows[share], row, table, word_id)
        if n_shares > 1:
            squares = sum_changes(table, copies, word_id, n_shares, scratch)
            scale = change_scale(squares, square_of_row(scratch.change, 0), cautions[word_id])
            for column in range(0, table.shape[1], LANES):
                change = scale * lanes_at(scratch.change, 0, column)
                put_lanes(table, word_id, column, lanes_at(table, word_id, column) + change)
