"""The update: one gradient step on a block of neighbouring targets.

A *context* is what words are predicted from: one hidden vector. The targets that are predicted from the document
alone have the very same context, number 0 of the block; every other target has one of its own. All contexts of a
block share the corrupted document and the noise words, so what is said of the document alone is computed once.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from doc2vecc.kernels.compile import Integer, inlined
from doc2vecc.kernels.lanes import LANES, lanes_at, no_lanes, put_lanes, sum_of_lanes
from doc2vecc.kernels.objective import sigmoid
from doc2vecc.kernels.rows import (
    ROW_NUMBER,
    Rates,
    RowNumbers,
    Table,
    add_padded_rows_to,
    clear_padded_row,
    move_rows,
    scale_row,
)

BLOCK = 8  # the most targets that are worked on together
FURTHEST = 3.0  # that a score moves in one step because its row learns faster than others


class Learning(NamedTuple):
    """What takes part in the learning, and how fast."""

    rates: Rates  # of every row, in both tables: how much faster or slower than the learning rate it learns
    are_alike: bool = False  # all rates are one
    has_document: bool = True  # the document is part of every context
    moves_words: bool = True  # the vectors of words learn; if not, only the document does


class Workspace(NamedTuple):
    """Scratch memory of one thread, allocated once."""

    hidden: Table  # (BLOCK + 1, dim), one for each context
    hidden_gradient: Table  # (BLOCK + 1, dim)
    document: Table  # (2, dim): the corrupted document as it is now, and as it was at the start of its span
    document_gradient: Table  # (1, dim)
    output_rows: RowNumbers  # (BLOCK + 1, negative + BLOCK): the noise words, then the targets
    n_outputs: npt.NDArray[np.int64]  # (BLOCK + 1,): noise words and targets of each context
    scores: Table  # (BLOCK + 1, negative + BLOCK): score, then probability, then step of each output row
    local_rows: RowNumbers  # (BLOCK * 2 * window,)
    local_starts: npt.NDArray[np.int64]  # (BLOCK + 2,): where the local words of each context begin
    noise_rows: RowNumbers  # (negative,)
    survivors: RowNumbers  # rows of the words that survive, room for the longest document
    survivals: npt.NDArray[np.int32]  # how often each row survives, all zero between two uses
    thinned: npt.NDArray[np.int32]  # ids of a thinned document, empty when nothing is thinned
    state: npt.NDArray[np.uint64]


def workspace(table: Table, *, negative: int, window: int, longest: int, thinning: bool = False) -> Workspace:
    """Allocate the scratch memory of one thread, for tables like this one and documents of ``longest`` words."""
    dim, dtype = table.shape[1], table.dtype
    if dim % LANES:
        raise ValueError(f"rows of {dim} numbers: training needs rows padded to a multiple of {LANES}")
    return Workspace(
        hidden=np.zeros((BLOCK + 1, dim), dtype),
        hidden_gradient=np.zeros((BLOCK + 1, dim), dtype),
        document=np.zeros((2, dim), dtype),
        document_gradient=np.zeros((1, dim), dtype),
        output_rows=np.zeros((BLOCK + 1, negative + BLOCK), ROW_NUMBER),
        n_outputs=np.zeros(BLOCK + 1, np.int64),
        scores=np.zeros((BLOCK + 1, negative + BLOCK), dtype),
        local_rows=np.zeros(BLOCK * 2 * window, ROW_NUMBER),
        local_starts=np.zeros(BLOCK + 2, np.int64),
        noise_rows=np.zeros(negative, ROW_NUMBER),
        survivors=np.empty(longest, ROW_NUMBER),
        survivals=np.zeros(len(table), np.int32),
        thinned=np.empty(longest if thinning else 0, np.int32),
        state=np.zeros(2, np.uint64),
    )


@inlined
def open_context(work: Workspace, context: int) -> None:
    """Begin a context of the block: no local words and no targets yet, only the noise words."""
    for number in range(work.noise_rows.shape[0]):
        work.output_rows[context, number] = work.noise_rows[number]
    work.n_outputs[context] = work.noise_rows.shape[0]
    work.local_starts[context + 1] = work.local_starts[context]


@inlined
def add_target(work: Workspace, context: int, row: Integer) -> None:
    """Let a word be predicted from a context."""
    work.output_rows[context, work.n_outputs[context]] = row
    work.n_outputs[context] += 1


@inlined
def add_local_word(work: Workspace, context: int, row: Integer) -> None:
    """Put a word into a context; only into the one that was opened last."""
    work.local_rows[work.local_starts[context + 1]] = row
    work.local_starts[context + 1] += 1


@inlined
def context_scale(work: Workspace, context: int, learning: Learning) -> float:
    """Return 1 / (n + 1) for n local words: the document, where there is one, counts as one more word."""
    return float(1.0 / (work.local_starts[context + 1] - work.local_starts[context] + learning.has_document))


@inlined
def make_hidden(inputs: Table, work: Workspace, context: int, learning: Learning) -> None:
    """hidden = (local words + document) / (n + 1)."""
    hidden = work.hidden
    for column in range(0, hidden.shape[1], LANES):
        put_lanes(hidden, context, column, lanes_at(work.document, 0, column))
    start, stop = work.local_starts[context], work.local_starts[context + 1]
    if start < stop:
        add_padded_rows_to(hidden, context, inputs, work.local_rows, start, stop)
        scale_row(hidden, context, context_scale(work, context, learning))


@inlined
def score_outputs(outputs: Table, work: Workspace, context: int) -> None:
    """scores = output row . hidden for every noise word and target of a context, four rows in a pass."""
    hidden, rows, scores = work.hidden, work.output_rows, work.scores
    n_outputs = work.n_outputs[context]
    for place in range(0, n_outputs - 3, 4):
        r0, r1 = rows[context, place], rows[context, place + 1]
        r2, r3 = rows[context, place + 2], rows[context, place + 3]
        s0 = s1 = s2 = s3 = no_lanes(hidden)
        for column in range(0, outputs.shape[1], LANES):
            value = lanes_at(hidden, context, column)
            s0 = s0 + value * lanes_at(outputs, r0, column)
            s1 = s1 + value * lanes_at(outputs, r1, column)
            s2 = s2 + value * lanes_at(outputs, r2, column)
            s3 = s3 + value * lanes_at(outputs, r3, column)
        scores[context, place] = sum_of_lanes(s0)
        scores[context, place + 1] = sum_of_lanes(s1)
        scores[context, place + 2] = sum_of_lanes(s2)
        scores[context, place + 3] = sum_of_lanes(s3)
    for place in range(n_outputs // 4 * 4, n_outputs):
        row = rows[context, place]
        score = no_lanes(hidden)
        for column in range(0, outputs.shape[1], LANES):
            score = score + lanes_at(hidden, context, column) * lanes_at(outputs, row, column)
        scores[context, place] = sum_of_lanes(score)


@inlined
def mark_of(row: Integer) -> np.uint64:
    """Return one bit of 64 that stands for a row, and for others."""
    return np.uint64(1) << np.uint64(row & np.uint32(63))


@inlined
def steps_of_scores(work: Workspace, context: int, alpha: float) -> float:
    """Turn scores into steps, alpha * (label - sigmoid(score)), and return the loss of a context.

    Every target is told from every noise word but itself, so a noise word counts as often as there are targets
    that differ from it.
    """
    scores, rows = work.scores, work.output_rows
    negative, n_outputs = work.noise_rows.shape[0], work.n_outputs[context]
    n_targets = n_outputs - negative
    rate = scores.dtype.type(alpha)
    one = scores.dtype.type(1)
    sigmoid(scores, context, n_outputs)
    loss = 0.0
    # Products first: a logarithm costs more than all the rest of a target.
    targets_found = 1.0
    noise_rejected = 1.0
    marks = np.uint64(0)  # a bit for each target: a noise word whose bit is not set differs from them all
    for place in range(negative, n_outputs):
        targets_found *= scores[context, place]
        scores[context, place] = rate * (one - scores[context, place])
        marks |= mark_of(rows[context, place])
    for place in range(negative):
        times = n_targets
        if marks & mark_of(rows[context, place]):
            for target in range(negative, n_outputs):
                times -= rows[context, target] == rows[context, place]
        rejected = one - scores[context, place]
        if times == n_targets:
            noise_rejected *= rejected
        else:
            loss -= times * np.log(max(rejected, 1e-300))
        scores[context, place] *= -rate * scores.dtype.type(times)
    log_likelihood = np.log(max(targets_found, 1e-300)) + n_targets * np.log(max(noise_rejected, 1e-300))
    return loss - float(log_likelihood)


@inlined
def gather_gradient(outputs: Table, work: Workspace, context: int) -> None:
    """hidden_gradient = the sum of step * row over the noise words and targets of a context."""
    gradient, rows, steps = work.hidden_gradient, work.output_rows, work.scores
    n_outputs = work.n_outputs[context]
    clear_padded_row(gradient, context)
    for place in range(0, n_outputs - 3, 4):
        r0, r1 = rows[context, place], rows[context, place + 1]
        r2, r3 = rows[context, place + 2], rows[context, place + 3]
        e0, e1 = steps[context, place], steps[context, place + 1]
        e2, e3 = steps[context, place + 2], steps[context, place + 3]
        for column in range(0, outputs.shape[1], LANES):
            moved = lanes_at(gradient, context, column)
            moved = moved + e0 * lanes_at(outputs, r0, column)
            moved = moved + e1 * lanes_at(outputs, r1, column)
            moved = moved + e2 * lanes_at(outputs, r2, column)
            moved = moved + e3 * lanes_at(outputs, r3, column)
            put_lanes(gradient, context, column, moved)
    for place in range(n_outputs // 4 * 4, n_outputs):
        row, step = rows[context, place], steps[context, place]
        for column in range(0, outputs.shape[1], LANES):
            moved = lanes_at(gradient, context, column) + step * lanes_at(outputs, row, column)
            put_lanes(gradient, context, column, moved)


@inlined
def apply_rates(work: Workspace, context: int, rates: Rates) -> None:
    """steps *= the rates of their rows, as far as a score does not move by more than ``FURTHEST`` for that.

    A step moves the score by step * |hidden| ** 2. Rare words learn up to sixteen times as fast as others; where
    hidden is long, as short documents are, they would be thrown to and fro.
    """
    rows, steps = work.output_rows, work.scores
    square = no_lanes(work.hidden)
    for column in range(0, work.hidden.shape[1], LANES):
        value = lanes_at(work.hidden, context, column)
        square = square + value * value
    furthest = steps.dtype.type(FURTHEST) / max(sum_of_lanes(square), steps.dtype.type(1e-9))
    for place in range(work.n_outputs[context]):
        step = steps[context, place]
        longest = max(abs(step), furthest)
        steps[context, place] = min(max(rates[rows[context, place]] * step, -longest), longest)


@inlined
def move_outputs(outputs: Table, work: Workspace, context: int) -> None:
    """outputs += step * hidden, for the noise words and the targets of a context."""
    rows, steps = work.output_rows, work.scores
    n_outputs = work.n_outputs[context]
    for place in range(0, n_outputs - 1, 2):
        r0, r1 = rows[context, place], rows[context, place + 1]
        e0, e1 = steps[context, place], steps[context, place + 1]
        for column in range(0, outputs.shape[1], LANES):
            value = lanes_at(work.hidden, context, column)
            put_lanes(outputs, r0, column, lanes_at(outputs, r0, column) + e0 * value)
            put_lanes(outputs, r1, column, lanes_at(outputs, r1, column) + e1 * value)
    if n_outputs % 2 == 1:
        row = rows[context, n_outputs - 1]
        step = steps[context, n_outputs - 1]
        for column in range(0, outputs.shape[1], LANES):
            moved = lanes_at(outputs, row, column) + step * lanes_at(work.hidden, context, column)
            put_lanes(outputs, row, column, moved)


@inlined
def gather_document_gradient(work: Workspace, context: int, learning: Learning) -> None:
    """document_gradient += hidden gradient / (n + 1), which is also what every local word moves by."""
    gradient, document = work.hidden_gradient, work.document_gradient
    scale = context_scale(work, context, learning)
    for column in range(0, gradient.shape[1], LANES):
        share = scale * lanes_at(gradient, context, column)
        put_lanes(gradient, context, column, share)
        put_lanes(document, 0, column, lanes_at(document, 0, column) + share)


@inlined
def move_local_words(inputs: Table, work: Workspace, context: int, rates: Rates) -> None:
    """inputs += rate * hidden gradient / (n + 1), for the local words of a context."""
    start, stop = work.local_starts[context], work.local_starts[context + 1]
    move_rows(inputs, work.local_rows, start, stop, work.hidden_gradient, context, rates)


@inlined
def update_block(
    inputs: Table, outputs: Table, work: Workspace, n_contexts: int, alpha: float, learning: Learning
) -> float:
    """One gradient step on the contexts of a block at once; returns the sum of the losses of their targets.

    Every gradient is taken before anything moves. What belongs to the document gathers in ``document_gradient``,
    for the caller to pass on to what the document is made of.
    """
    loss = 0.0
    first = 0 if work.n_outputs[0] > work.noise_rows.shape[0] else 1  # no target may have the document alone
    for context in range(first, n_contexts):
        make_hidden(inputs, work, context, learning)
        score_outputs(outputs, work, context)
        loss += steps_of_scores(work, context, alpha)
        gather_gradient(outputs, work, context)
        gather_document_gradient(work, context, learning)
    if learning.moves_words:
        for context in range(first, n_contexts):
            if not learning.are_alike:
                apply_rates(work, context, learning.rates)
            move_outputs(outputs, work, context)
            move_local_words(inputs, work, context, learning.rates)
    return loss


@inlined
def sum_survivors(inputs: Table, work: Workspace, n_survivors: int, weight: float) -> None:
    """Make the corrupted document out of its survivors, and forget the gradient of the last one."""
    clear_padded_row(work.document, 0)
    clear_padded_row(work.document_gradient, 0)
    add_padded_rows_to(work.document, 0, inputs, work.survivors, 0, n_survivors)
    for column in range(0, inputs.shape[1], LANES):
        document = weight * lanes_at(work.document, 0, column)
        put_lanes(work.document, 0, column, document)
        put_lanes(work.document, 1, column, document)


@inlined
def concentration(work: Workspace, n_survivors: int, weight: float, rates: Rates) -> float:
    """Return how far the corrupted document moves when its survivors follow a gradient of length one.

    Survivors that take the step weight * gradient move their weighted sum by the sum over words of (times the word
    survives * weight) squared, each at its own rate. In a long document a few words fill much of it: that adds up.
    """
    squares = 0.0
    for number in range(n_survivors):
        row = work.survivors[number]
        squares += rates[row] * (2 * work.survivals[row] + 1)
        work.survivals[row] += 1
    for number in range(n_survivors):
        work.survivals[work.survivors[number]] = 0
    return squares * weight * weight


@inlined
def follow_survivors(work: Workspace, share: float) -> None:
    """Move the document to where it would be if its survivors had followed the gradient gathered so far.

    They themselves move at the end of the span. Without this a long span would run away: each of its blocks would
    push in the same direction, unaware of the others.
    """
    for column in range(0, work.document.shape[1], LANES):
        step = share * lanes_at(work.document_gradient, 0, column)
        put_lanes(work.document, 0, column, lanes_at(work.document, 1, column) + step)


@inlined
def move_survivors(inputs: Table, work: Workspace, n_survivors: int, weight: float, rates: Rates) -> None:
    """Pass the gradient of the corrupted document on to its survivors, each at its own rate."""
    scale_row(work.document_gradient, 0, weight)
    move_rows(inputs, work.survivors, 0, n_survivors, work.document_gradient, 0, rates)
