"""The update: one gradient step on a block of neighboring targets, and on what their document is made of."""

from doc2vecc.kernels.base.compile import inlined
from doc2vecc.kernels.base.instructions import LANES, lanes_at, put_lanes
from doc2vecc.kernels.base.rows import Rates, Table, Tables, add_padded_rows_to, clear_padded_row, move_rows, scale_row
from doc2vecc.kernels.training.settings import Learning
from doc2vecc.kernels.training.steps import clip_steps, make_steps, score_outputs
from doc2vecc.kernels.training.workspace import Workspace, context_scale


@inlined
def sum_survivors(inputs: Table, work: Workspace, n_survivors: int, weight: float) -> None:
    """document = weight * the sum of its survivors; a new span begins."""
    clear_padded_row(work.document, 0)
    clear_padded_row(work.document_step, 0)
    add_padded_rows_to(work.document, 0, inputs, work.survivors, 0, n_survivors)
    for column in range(0, inputs.shape[1], LANES):
        document = weight * lanes_at(work.document, 0, column)
        put_lanes(work.document, 0, column, document)
        put_lanes(work.document_at_start, 0, column, document)


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
def make_hidden_step(outputs: Table, work: Workspace, context: int) -> None:
    """hidden_step = the sum of step * row over the negative samples and targets of a context, four in a pass."""
    hidden_step, rows, steps = work.hidden_step, work.output_rows, work.steps
    n_outputs = work.n_outputs[context]
    clear_padded_row(hidden_step, 0)
    for place in range(0, n_outputs - 3, 4):
        r0, r1 = rows[context, place], rows[context, place + 1]
        r2, r3 = rows[context, place + 2], rows[context, place + 3]
        s0, s1 = steps[context, place], steps[context, place + 1]
        s2, s3 = steps[context, place + 2], steps[context, place + 3]
        for column in range(0, outputs.shape[1], LANES):
            total = lanes_at(hidden_step, 0, column)
            total = total + s0 * lanes_at(outputs, r0, column)
            total = total + s1 * lanes_at(outputs, r1, column)
            total = total + s2 * lanes_at(outputs, r2, column)
            total = total + s3 * lanes_at(outputs, r3, column)
            put_lanes(hidden_step, 0, column, total)
    for place in range(n_outputs // 4 * 4, n_outputs):
        row, step = rows[context, place], steps[context, place]
        for column in range(0, outputs.shape[1], LANES):
            total = lanes_at(hidden_step, 0, column) + step * lanes_at(outputs, row, column)
            put_lanes(hidden_step, 0, column, total)


@inlined
def share_hidden_step(work: Workspace, context: int, learning: Learning) -> None:
    """local_steps = hidden_step / (n + 1), for every local word; the document takes the same step."""
    document_step = work.document_step
    scale = context_scale(work, context, learning)
    for column in range(0, document_step.shape[1], LANES):
        step = scale * lanes_at(work.hidden_step, 0, column)
        put_lanes(work.local_steps, context, column, step)
        put_lanes(document_step, 0, column, lanes_at(document_step, 0, column) + step)


@inlined
def move_outputs(outputs: Table, work: Workspace, context: int) -> None:
    """outputs += step * hidden, for the negative samples and the targets of a context, two rows in a pass."""
    rows, steps = work.output_rows, work.steps
    n_outputs = work.n_outputs[context]
    for place in range(0, n_outputs - 1, 2):
        r0, r1 = rows[context, place], rows[context, place + 1]
        s0, s1 = steps[context, place], steps[context, place + 1]
        for column in range(0, outputs.shape[1], LANES):
            value = lanes_at(work.hidden, context, column)
            put_lanes(outputs, r0, column, lanes_at(outputs, r0, column) + s0 * value)
            put_lanes(outputs, r1, column, lanes_at(outputs, r1, column) + s1 * value)
    if n_outputs % 2 == 1:
        row = rows[context, n_outputs - 1]
        step = steps[context, n_outputs - 1]
        for column in range(0, outputs.shape[1], LANES):
            moved = lanes_at(outputs, row, column) + step * lanes_at(work.hidden, context, column)
            put_lanes(outputs, row, column, moved)


@inlined
def update_block(
    tables: Tables, work: Workspace, n_contexts: int, alpha: float, document_gain: float, learning: Learning
) -> float:
    """One gradient step on the contexts of a block at once -> the sum of the losses of their targets.

    Every gradient is taken before anything moves. The steps on the document add up in ``document_step``, for the
    caller to apply to the survivors; ``document_gain`` is how far the document moves by a step of length 1.
    """
    loss = 0.0
    first = 0 if work.n_outputs[0] > work.negative_rows.shape[0] else 1  # no target may have the document alone
    for context in range(first, n_contexts):
        make_hidden(tables.inputs, work, context, learning)
        score_outputs(tables.outputs, work, context)
        loss += make_steps(work, context, alpha)
        if learning.clips_steps:
            clip_steps(tables.outputs, work, context, alpha, document_gain, learning)
        make_hidden_step(tables.outputs, work, context)
        share_hidden_step(work, context, learning)
    if learning.moves_words:
        for context in range(first, n_contexts):
            if learning.clips_steps:
                for place in range(work.n_outputs[context]):
                    work.steps[context, place] *= learning.rates[work.output_rows[context, place]]
            move_outputs(tables.outputs, work, context)
            start, stop = work.local_starts[context], work.local_starts[context + 1]
            move_rows(tables.inputs, work.local_rows, start, stop, work.local_steps, context, learning.rates)
    return loss


@inlined
def document_step_gain(work: Workspace, n_survivors: int, weight: float, rates: Rates) -> float:
    """Return how far the corrupted document moves when its survivors take a gradient step of length 1.

    Survivors that take the step weight * gradient move their weighted sum by the sum over words of (times the word
    survives * weight) squared, each at its own rate. In a long document a few words occur often: that adds up.
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
def advance_document(work: Workspace, document_gain: float) -> None:
    """Move the document to where it would be if its survivors had taken the steps so far.

    The survivors themselves move at the end of the span. Without this a long span would diverge: each of its blocks
    would push in the same direction, unaware of the others.
    """
    for column in range(0, work.document.shape[1], LANES):
        step = document_gain * lanes_at(work.document_step, 0, column)
        put_lanes(work.document, 0, column, lanes_at(work.document_at_start, 0, column) + step)


@inlined
def move_survivors(inputs: Table, work: Workspace, n_survivors: int, weight: float, rates: Rates) -> None:
    """inputs += rate * weight * document step, for the survivors of a document."""
    for column in range(0, inputs.shape[1], LANES):
        put_lanes(work.survivor_step, 0, column, weight * lanes_at(work.document_step, 0, column))
    move_rows(inputs, work.survivors, 0, n_survivors, work.survivor_step, 0, rates)
