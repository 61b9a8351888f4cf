"""The update: one gradient step on a block of predictions, as a few small matrix products.

A *prediction* is a target word and what it is predicted from. The predictions of a block share the corrupted
document and the noise words, so each of those rows is loaded once for up to eight predictions.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from doc2vecc.kernels.compile import inlined, kernel
from doc2vecc.kernels.objective import sigmoid
from doc2vecc.kernels.rows import Table, add_rows_to, fill

BLOCK = 8  # predictions that are worked on together; the loops over a block are written out
GROUP = 6  # output rows that one pass over a hidden gradient takes in


class Workspace(NamedTuple):
    """Scratch memory of one thread, allocated once."""

    hidden: Table  # (BLOCK, dim)
    hidden_gradient: Table  # (BLOCK, dim)
    document: Table  # (2, dim): the corrupted document as it is now, and as it was at the start of its span
    document_gradient: Table  # (1, dim)
    scores: Table  # ((negative + 1) * BLOCK,), a row of BLOCK scores per noise word, then one for the targets
    survivors: npt.NDArray[np.int32]  # rows of the words that survive, room for the longest document
    survivals: npt.NDArray[np.int32]  # how often each row survives, all zero between two uses
    thinned: npt.NDArray[np.int32]  # ids of a thinned document, empty when nothing is thinned
    target_rows: npt.NDArray[np.int32]  # (BLOCK,)
    local_rows: npt.NDArray[np.int32]  # (BLOCK * 2 * window,)
    local_starts: npt.NDArray[np.int64]  # (BLOCK + 1,)
    noise_rows: npt.NDArray[np.int32]  # (negative,)
    state: npt.NDArray[np.uint64]


def workspace(table: Table, *, negative: int, window: int, longest: int, thinning: bool = False) -> Workspace:
    """Allocate the scratch memory of one thread, for tables like this one and documents of ``longest`` words."""
    dim, dtype = table.shape[1], table.dtype
    return Workspace(
        hidden=np.zeros((BLOCK, dim), dtype),
        hidden_gradient=np.zeros((BLOCK, dim), dtype),
        document=np.zeros((2, dim), dtype),
        document_gradient=np.zeros((1, dim), dtype),
        scores=np.zeros((negative + 1) * BLOCK, dtype),
        survivors=np.empty(longest, np.int32),
        survivals=np.zeros(len(table), np.int32),
        thinned=np.empty(longest if thinning else 0, np.int32),
        target_rows=np.zeros(BLOCK, np.int32),
        local_rows=np.zeros(BLOCK * 2 * window, np.int32),
        local_starts=np.zeros(BLOCK + 1, np.int64),
        noise_rows=np.zeros(negative, np.int32),
        state=np.zeros(2, np.uint64),
    )


@inlined
def score_noise_row(hidden: Table, outputs: Table, row: int, scores: Table, first: int) -> None:
    """scores[first + b] = outputs[row] . hidden[b] for the whole block, reading the row once."""
    zero = hidden.dtype.type(0)
    s0 = s1 = s2 = s3 = s4 = s5 = s6 = s7 = zero
    for column in range(outputs.shape[1]):
        value = outputs[row, column]
        s0 += value * hidden[0, column]
        s1 += value * hidden[1, column]
        s2 += value * hidden[2, column]
        s3 += value * hidden[3, column]
        s4 += value * hidden[4, column]
        s5 += value * hidden[5, column]
        s6 += value * hidden[6, column]
        s7 += value * hidden[7, column]
    scores[first] = s0
    scores[first + 1] = s1
    scores[first + 2] = s2
    scores[first + 3] = s3
    scores[first + 4] = s4
    scores[first + 5] = s5
    scores[first + 6] = s6
    scores[first + 7] = s7


@inlined
def move_noise_row(hidden: Table, outputs: Table, row: int, steps: Table, first: int) -> None:
    """outputs[row] += the sum over the block of steps[first + b] * hidden[b]."""
    e0, e1, e2, e3 = steps[first], steps[first + 1], steps[first + 2], steps[first + 3]
    e4, e5, e6, e7 = steps[first + 4], steps[first + 5], steps[first + 6], steps[first + 7]
    for column in range(outputs.shape[1]):
        outputs[row, column] += (
            (e0 * hidden[0, column] + e1 * hidden[1, column]) + (e2 * hidden[2, column] + e3 * hidden[3, column])
        ) + ((e4 * hidden[4, column] + e5 * hidden[5, column]) + (e6 * hidden[6, column] + e7 * hidden[7, column]))


@inlined
def gather_gradient(gradient: Table, member: int, outputs: Table, work: Workspace) -> None:
    """gradient[member] = the sum of step * row over the noise rows and the target row of one prediction."""
    negative = work.noise_rows.shape[0]
    target_row = work.target_rows[member]
    fill(gradient, member, 0)
    for first in range(0, negative + 1, GROUP):
        r0, e0 = _step(first, negative, member, target_row, work)
        r1, e1 = _step(first + 1, negative, member, target_row, work)
        r2, e2 = _step(first + 2, negative, member, target_row, work)
        r3, e3 = _step(first + 3, negative, member, target_row, work)
        r4, e4 = _step(first + 4, negative, member, target_row, work)
        r5, e5 = _step(first + 5, negative, member, target_row, work)
        for column in range(outputs.shape[1]):
            gradient[member, column] += (
                (e0 * outputs[r0, column] + e1 * outputs[r1, column])
                + (e2 * outputs[r2, column] + e3 * outputs[r3, column])
                + (e4 * outputs[r4, column] + e5 * outputs[r5, column])
            )


@inlined
def _step(number: int, negative: int, member: int, target_row: int, work: Workspace) -> tuple[int, np.float32]:
    """Row and step of output number ``number`` of a prediction: noise words, then the target, then padding."""
    if number < negative:
        return work.noise_rows[number], work.scores[number * BLOCK + member]
    if number == negative:
        return target_row, work.scores[number * BLOCK + member]
    return target_row, work.scores.dtype.type(0)


@inlined
def errors_of_scores(work: Workspace, n_members: int, alpha: float) -> float:
    """Turn scores into steps, alpha * (label - sigmoid(score)), and return the loss of the block.

    A noise word that is the target itself does not count: its step is zero.
    """
    scores = work.scores
    negative = work.noise_rows.shape[0]
    rate = scores.dtype.type(alpha)
    one = scores.dtype.type(1)
    zero = scores.dtype.type(0)
    sigmoid(scores, (negative + 1) * BLOCK)
    loss = 0.0
    for member in range(n_members):
        likelihood = np.float64(scores[negative * BLOCK + member])
        scores[negative * BLOCK + member] = rate * (one - scores[negative * BLOCK + member])
        for number in range(negative):
            place = number * BLOCK + member
            if work.noise_rows[number] == work.target_rows[member]:
                scores[place] = zero
            else:
                likelihood *= one - scores[place]
                scores[place] = -rate * scores[place]
        loss -= np.log(max(likelihood, 1e-300))
    for member in range(n_members, BLOCK):
        for number in range(negative + 1):
            scores[number * BLOCK + member] = zero
    return loss


@inlined
def context_scale(work: Workspace, member: int) -> float:
    """Return 1 / (n + 1) for n local words: the document counts as one more word of the context."""
    return float(1.0 / (work.local_starts[member + 1] - work.local_starts[member] + 1))


@inlined
def make_hidden(inputs: Table, work: Workspace, n_members: int) -> None:
    """hidden = (local words + document) / (n + 1) for every prediction, zero for the rest of the block."""
    hidden = work.hidden
    for member in range(n_members):
        scale = hidden.dtype.type(context_scale(work, member))
        for column in range(inputs.shape[1]):
            hidden[member, column] = work.document[0, column]
        add_rows_to(
            hidden, member, inputs, work.local_rows, work.local_starts[member], work.local_starts[member + 1]
        )
        for column in range(inputs.shape[1]):
            hidden[member, column] *= scale
    for member in range(n_members, BLOCK):
        fill(hidden, member, 0)


@inlined
def score_block(outputs: Table, work: Workspace, n_members: int) -> None:
    """scores = output row . hidden, of every noise word with every prediction and of every target with its own."""
    hidden = work.hidden
    negative = work.noise_rows.shape[0]
    for number in range(negative):
        score_noise_row(hidden, outputs, work.noise_rows[number], work.scores, number * BLOCK)
    for member in range(n_members):
        row = work.target_rows[member]
        score = hidden.dtype.type(0)
        for column in range(outputs.shape[1]):
            score += hidden[member, column] * outputs[row, column]
        work.scores[negative * BLOCK + member] = score


@inlined
def move_outputs(outputs: Table, work: Workspace, n_members: int) -> None:
    """outputs += step * hidden, for the noise words and for the targets."""
    negative = work.noise_rows.shape[0]
    for number in range(negative):
        move_noise_row(work.hidden, outputs, work.noise_rows[number], work.scores, number * BLOCK)
    for member in range(n_members):
        row = work.target_rows[member]
        step = work.scores[negative * BLOCK + member]
        for column in range(outputs.shape[1]):
            outputs[row, column] += step * work.hidden[member, column]


@inlined
def move_inputs(inputs: Table, work: Workspace, n_members: int) -> None:
    """inputs += hidden gradient / (n + 1), for the local words; the document's share is only gathered."""
    gradient = work.hidden_gradient
    for member in range(n_members):
        scale = gradient.dtype.type(context_scale(work, member))
        for column in range(inputs.shape[1]):
            gradient[member, column] *= scale
        for column in range(inputs.shape[1]):
            work.document_gradient[0, column] += gradient[member, column]
        for position in range(work.local_starts[member], work.local_starts[member + 1]):
            row = work.local_rows[position]
            for column in range(inputs.shape[1]):
                inputs[row, column] += gradient[member, column]


@kernel
def update_block(inputs: Table, outputs: Table, work: Workspace, n_members: int, alpha: float) -> float:
    """One gradient step on up to BLOCK predictions at once; returns the sum of their losses.

    Prediction b has the target row ``target_rows[b]``, the local context ``local_rows[local_starts[b] :
    local_starts[b + 1]]`` and the corrupted document ``document[0]``; all share ``noise_rows``. Every gradient
    is taken before anything moves. What belongs to the document gathers in ``document_gradient``, for the
    caller to pass on to the survivors.
    """
    make_hidden(inputs, work, n_members)
    score_block(outputs, work, n_members)
    loss = errors_of_scores(work, n_members, alpha)
    for member in range(n_members):
        gather_gradient(work.hidden_gradient, member, outputs, work)
    move_outputs(outputs, work, n_members)
    move_inputs(inputs, work, n_members)
    return loss


@inlined
def sum_survivors(inputs: Table, work: Workspace, n_survivors: int, weight: float) -> None:
    """Make the corrupted document out of its survivors, and forget the gradient of the last one."""
    factor = inputs.dtype.type(weight)
    fill(work.document, 0, 0)
    fill(work.document_gradient, 0, 0)
    add_rows_to(work.document, 0, inputs, work.survivors, 0, n_survivors)
    for column in range(inputs.shape[1]):
        work.document[0, column] *= factor
        work.document[1, column] = work.document[0, column]


@inlined
def concentration(work: Workspace, n_survivors: int, weight: float) -> float:
    """Return how far the corrupted document moves when its survivors follow a gradient of length one.

    Survivors that take the step weight * gradient move their weighted sum by the sum over words of (times the word
    survives * weight) squared. In a long document a few words fill much of it, and that adds up.
    """
    squares = 0
    for number in range(n_survivors):
        row = work.survivors[number]
        squares += 2 * work.survivals[row] + 1
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
    factor = work.document.dtype.type(share)
    for column in range(work.document.shape[1]):
        work.document[0, column] = work.document[1, column] + factor * work.document_gradient[0, column]


@inlined
def move_survivors(inputs: Table, work: Workspace, n_survivors: int, weight: float) -> None:
    """Pass the gradient of the corrupted document on to its survivors."""
    factor = inputs.dtype.type(weight)
    for column in range(inputs.shape[1]):
        work.document_gradient[0, column] *= factor
    for number in range(n_survivors):
        row = work.survivors[number]
        for column in range(inputs.shape[1]):
            inputs[row, column] += work.document_gradient[0, column]
