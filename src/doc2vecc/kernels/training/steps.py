"""From scores to steps: how far a context's negative samples and targets are off, and how far each of them moves.

For one prediction with hidden vector h, target row v and rows v_1 .. v_k of negative samples the loss is
``-log sigmoid(v . h) - sum_i log sigmoid(-v_i . h)``. Its negative gradient with respect to a score is the error,
label - sigmoid(score); the label of the target is 1, that of a negative sample 0.
"""

import numpy as np
import numpy.typing as npt

from doc2vecc.kernels.base.compile import inlined
from doc2vecc.kernels.base.instructions import LANES, Integer, lanes_at, no_lanes, sum_of_lanes
from doc2vecc.kernels.base.rows import Table, square_of_row
from doc2vecc.kernels.training.settings import Learning
from doc2vecc.kernels.training.workspace import Workspace, context_scale

SCORE_LIMIT = 16.0  # sigmoid(16) differs from 1 by 1.1e-7, about the resolution of float32
SIGMOID_ERROR = 4e-6  # the largest absolute error of `sigmoid`, tested over the whole range

MAX_STEP_GAIN = 8.0  # the most that one step may move its own score, as a multiple of the error; see clip_steps


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
        scores[place] = sum_of_lanes(s0)
        scores[place + 1] = sum_of_lanes(s1)
        scores[place + 2] = sum_of_lanes(s2)
        scores[place + 3] = sum_of_lanes(s3)
    for place in range(n_outputs // 4 * 4, n_outputs):
        row = rows[context, place]
        score = no_lanes(hidden)
        for column in range(0, outputs.shape[1], LANES):
            score = score + lanes_at(hidden, context, column) * lanes_at(outputs, row, column)
        scores[place] = sum_of_lanes(score)


@inlined
def sigmoid(scores: npt.NDArray[np.float32], probabilities: npt.NDArray[np.float32], count: int) -> None:
    """probabilities = 1 / (1 + exp(-score)) for the first ``count`` scores, to within ``SIGMOID_ERROR``.

    exp(s) is the 64th power of exp(s / 64), and that is a short Taylor series, because |s| / 64 <= 1/4. There is
    no table and no branch, so the loop runs eight scores at a time.
    """
    one = scores.dtype.type(1)
    for place in range(count):
        score = min(max(scores[place], scores.dtype.type(-SCORE_LIMIT)), scores.dtype.type(SCORE_LIMIT))
        x = score * scores.dtype.type(1 / 64)
        series = x * scores.dtype.type(1 / 120) + scores.dtype.type(1 / 24)
        series = x * series + scores.dtype.type(1 / 6)
        series = x * series + scores.dtype.type(1 / 2)
        series = x * series + one
        power = x * series + one
        power *= power
        power *= power
        power *= power
        power *= power
        power *= power
        power *= power
        probabilities[place] = power / (one + power)


@inlined
def bit_of(row: Integer) -> np.uint64:
    """Hash a row to one of 64 bits; two rows may have the same bit."""
    return np.uint64(1) << np.uint64(row & np.uint32(63))


@inlined
def make_steps(work: Workspace, context: int, alpha: float) -> float:
    """steps = alpha * (label - probability), from the scores of a context -> the loss of its targets.

    Every target is told from every negative sample but itself, so a negative sample counts as often as there are
    targets that differ from it.
    """
    probabilities, steps, rows = work.probabilities, work.steps, work.output_rows
    negative, n_outputs = work.negative_rows.shape[0], work.n_outputs[context]
    n_targets = n_outputs - negative
    rate = steps.dtype.type(alpha)
    one = steps.dtype.type(1)
    sigmoid(work.scores, probabilities, n_outputs)
    loss = 0.0
    # Products first: a logarithm costs more than all the rest of a target.
    targets_found = 1.0
    negatives_rejected = 1.0
    bits = np.uint64(0)  # a bit for each target: a negative sample whose bit is not set differs from them all
    for place in range(negative, n_outputs):
        targets_found *= probabilities[place]
        steps[context, place] = rate * (one - probabilities[place])
        bits |= bit_of(rows[context, place])
    for place in range(negative):
        times = n_targets
        if bits & bit_of(rows[context, place]):
            for target in range(negative, n_outputs):
                times -= rows[context, target] == rows[context, place]
        rejected = one - probabilities[place]
        if times == n_targets:
            negatives_rejected *= rejected
        else:
            loss -= times * np.log(max(rejected, 1e-300))
        steps[context, place] = probabilities[place] * (-rate * steps.dtype.type(times))
    log_likelihood = np.log(max(targets_found, 1e-300)) + n_targets * np.log(max(negatives_rejected, 1e-300))
    return loss - float(log_likelihood)


@inlined
def hidden_step_gain(work: Workspace, context: int, document_gain: float, learning: Learning) -> float:
    """Return how far hidden moves when the vectors it is made of take a gradient step of length 1.

    The document moves by ``document_gain``, every local word by its rate, each divided by n + 1 once in the
    gradient and once in hidden. Repeats among local words, or between local words and survivors, count as distinct.
    """
    local = 0.0
    for place in range(work.local_starts[context], work.local_starts[context + 1]):
        local += learning.rates[work.local_rows[place]]
    scale = context_scale(work, context, learning)
    return float(scale * scale * (local + document_gain))


@inlined
def clip_steps(
    outputs: Table, work: Workspace, context: int, alpha: float, document_gain: float, learning: Learning
) -> None:
    """Shorten the steps that would move their own score by more than ``MAX_STEP_GAIN`` times its error.

    A step changes a score from both sides: its output row moves along hidden, and hidden moves along the row. The
    error is label - sigmoid, whose slope is 1/4 at most: if the score moves by up to eight times the error, the
    error does not grow; beyond that it may change its sign and grow with every step. High rates, short documents
    and many dimensions lead to that. What the other steps of a block do to the same score is not counted.
    """
    rows, steps = work.output_rows, work.steps
    negative, n_outputs = work.negative_rows.shape[0], work.n_outputs[context]
    hidden_square = square_of_row(work.hidden, context)
    hidden_gain = hidden_step_gain(work, context, document_gain, learning)
    limit_of_target = MAX_STEP_GAIN / alpha
    limit_of_negative = limit_of_target / (n_outputs - negative)  # a step for each of the targets
    for place in range(n_outputs):
        row = rows[context, place]
        gain = learning.rates[row] * hidden_square + hidden_gain * square_of_row(outputs, row)
        limit = limit_of_negative if place < negative else limit_of_target
        if gain > limit:
            steps[context, place] *= limit / gain
