"""From scores to steps: how far a context's negative samples and targets are off, and how far each of them may move."""

from __future__ import annotations

import numpy as np

from doc2vecc.kernels.base.compile import Integer, inlined
from doc2vecc.kernels.base.lanes import LANES, lanes_at, no_lanes, sum_of_lanes
from doc2vecc.kernels.base.rows import Rates, Table
from doc2vecc.kernels.training.objective import sigmoid
from doc2vecc.kernels.training.workspace import Learning, Workspace, context_scale

MAX_STEP_GAIN = 8.0  # that a score moves in one step, times its error; see clip_steps


@inlined
def score_outputs(outputs: Table, work: Workspace, context: int) -> None:
    """scores = output row . hidden for every negative sample and target of a context, four rows in a pass."""
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
def bit_of(row: Integer) -> np.uint64:
    """Return one bit of 64 that stands for a row, and for others."""
    return np.uint64(1) << np.uint64(row & np.uint32(63))


@inlined
def steps_of_scores(work: Workspace, context: int, alpha: float) -> float:
    """Turn scores into steps, alpha * (label - sigmoid(score)), and return the loss of a context.

    Every target is told from every negative sample but itself, so a negative sample counts as often as there are targets
    that differ from it.
    """
    scores, rows = work.scores, work.output_rows
    negative, n_outputs = work.negative_rows.shape[0], work.n_outputs[context]
    n_targets = n_outputs - negative
    rate = scores.dtype.type(alpha)
    one = scores.dtype.type(1)
    sigmoid(scores, context, n_outputs)
    loss = 0.0
    # Products first: a logarithm costs more than all the rest of a target.
    targets_found = 1.0
    negatives_rejected = 1.0
    bits = np.uint64(0)  # a bit for each target: a negative sample whose bit is not set differs from them all
    for place in range(negative, n_outputs):
        targets_found *= scores[context, place]
        scores[context, place] = rate * (one - scores[context, place])
        bits |= bit_of(rows[context, place])
    for place in range(negative):
        times = n_targets
        if bits & bit_of(rows[context, place]):
            for target in range(negative, n_outputs):
                times -= rows[context, target] == rows[context, place]
        rejected = one - scores[context, place]
        if times == n_targets:
            negatives_rejected *= rejected
        else:
            loss -= times * np.log(max(rejected, 1e-300))
        scores[context, place] *= -rate * scores.dtype.type(times)
    log_likelihood = np.log(max(targets_found, 1e-300)) + n_targets * np.log(max(negatives_rejected, 1e-300))
    return loss - float(log_likelihood)


@inlined
def square_of_row(table: Table, row: Integer) -> float:
    """Return the squared length of a row."""
    square = no_lanes(table)
    for column in range(0, table.shape[1], LANES):
        value = lanes_at(table, row, column)
        square = square + value * value
    return float(sum_of_lanes(square))


@inlined
def hidden_step_gain(work: Workspace, context: int, share: float, learning: Learning) -> float:
    """Return how far hidden moves when what it is made of follows a gradient of length one.

    The document moves by ``share``, every local word at its own rate, each divided by n + 1 once in the gradient
    and once in hidden. Words that come twice, locally or as survivors too, are counted as if they were others.
    """
    local = 0.0
    for place in range(work.local_starts[context], work.local_starts[context + 1]):
        local += learning.rates[work.local_rows[place]]
    scale = context_scale(work, context, learning)
    return float(scale * scale * (local + share))


@inlined
def clip_steps(
    outputs: Table, work: Workspace, context: int, alpha: float, share: float, learning: Learning
) -> None:
    """Shorten the steps that by themselves would move their own score by more than ``FURTHEST`` times its error.

    A score moves from both sides: its row follows hidden, and hidden follows the row. Its error is label - sigmoid,
    whose slope is 1/4 at most: if it moves by up to eight times the error, the error does not grow; beyond that it
    may be thrown to and fro, further each time. Fast rows, short documents and many dimensions bring that about.
    What the other steps of a block do to the same score is not counted.
    """
    rows, steps = work.output_rows, work.scores
    negative, n_outputs = work.negative_rows.shape[0], work.n_outputs[context]
    hidden_square = square_of_row(work.hidden, context)
    follow = hidden_step_gain(work, context, share, learning)
    limit_of_target = MAX_STEP_GAIN / alpha
    limit_of_negative = limit_of_target / (n_outputs - negative)  # a step for each of the targets
    for place in range(n_outputs):
        row = rows[context, place]
        reach = learning.rates[row] * hidden_square + follow * square_of_row(outputs, row)
        limit = limit_of_negative if place < negative else limit_of_target
        if reach > limit:
            steps[context, place] *= limit / reach


@inlined
def apply_rates(work: Workspace, context: int, rates: Rates) -> None:
    """steps *= the rates of their rows."""
    rows, steps = work.output_rows, work.scores
    for place in range(work.n_outputs[context]):
        steps[context, place] *= rates[rows[context, place]]
