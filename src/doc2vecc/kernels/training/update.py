"""The update: one gradient step on a block of neighboring targets, and on what their document is made of."""

from __future__ import annotations

from doc2vecc.kernels.base.compile import inlined
from doc2vecc.kernels.base.lanes import LANES, lanes_at, put_lanes
from doc2vecc.kernels.base.rows import (
    Rates,
    Table,
    add_padded_rows_to,
    clear_padded_row,
    move_rows,
    scale_row,
)
from doc2vecc.kernels.training.steps import apply_rates, clip_steps, score_outputs, steps_of_scores
from doc2vecc.kernels.training.workspace import Learning, Workspace, context_scale


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
def gather_gradient(outputs: Table, work: Workspace, context: int) -> None:
    """hidden_gradient = the sum of step * row over the negative samples and targets of a context."""
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
def move_outputs(outputs: Table, work: Workspace, context: int) -> None:
    """outputs += step * hidden, for the negative samples and the targets of a context."""
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
    inputs: Table, outputs: Table, work: Workspace, n_contexts: int, alpha: float, share: float, learning: Learning
) -> float:
    """One gradient step on the contexts of a block at once; returns the sum of the losses of their targets.

    Every gradient is taken before anything moves. What belongs to the document gathers in ``document_gradient``,
    for the caller to pass on to what the document is made of, which will move it by ``share`` times as much.
    """
    loss = 0.0
    first = 0 if work.n_outputs[0] > work.negative_rows.shape[0] else 1  # no target may have the document alone
    for context in range(first, n_contexts):
        make_hidden(inputs, work, context, learning)
        score_outputs(outputs, work, context)
        loss += steps_of_scores(work, context, alpha)
        if learning.is_damped:
            clip_steps(outputs, work, context, alpha, share, learning)
        gather_gradient(outputs, work, context)
        gather_document_gradient(work, context, learning)
    if learning.moves_words:
        for context in range(first, n_contexts):
            if learning.is_damped:
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
def document_step_gain(work: Workspace, n_survivors: int, weight: float, rates: Rates) -> float:
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
def advance_document(work: Workspace, share: float) -> None:
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
