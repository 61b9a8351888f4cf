"""A plain NumPy statement of the method, with the same draws as the compiled loop."""

import numpy as np

from doc2vecc.kernels.base.random import next_below, next_uniform, seed_state
from doc2vecc.kernels.base.sampling import draw_alias
from doc2vecc.kernels.training.loop import MAX_DOCUMENT_STEP
from doc2vecc.kernels.training.steps import MAX_STEP_GAIN


def log_sigmoid(score):
    return -np.logaddexp(0, -score)


def hidden_vector(inputs, local, survivors, weight):
    """(local words + document) / (number of local words + 1), the document counting as one more word."""
    document = weight * inputs[survivors].sum(axis=0)
    return (inputs[local].sum(axis=0) + document) / (len(local) + 1)


def block_loss(inputs, outputs, predictions, negatives, survivors, weight):
    """The loss of a block of predictions [(target, local words), ...] that share noise and survivors."""
    loss = 0.0
    for target, local in predictions:
        hidden = hidden_vector(inputs, local, survivors, weight)
        loss -= log_sigmoid(outputs[target] @ hidden)
        loss -= sum(log_sigmoid(-outputs[word] @ hidden) for word in negatives if word != target)
    return loss


def block_step(inputs, outputs, predictions, negatives, survivors, weight, alpha, rates=None):
    """One step of gradient descent on the block's loss, all gradients taken before anything moves.

    With rates, every row moves at its own, and no step moves its own score by more than FURTHEST times its error.
    """
    input_step, output_step = np.zeros_like(inputs), np.zeros_like(outputs)
    n_from_document_alone = sum(not local for _, local in predictions)
    for target, local in predictions:
        hidden = hidden_vector(inputs, local, survivors, weight)
        hidden_step = np.zeros_like(hidden)
        for word, label in [(target, 1.0), *((word, 0.0) for word in negatives if word != target)]:
            step = alpha * (label - 1 / (1 + np.exp(-outputs[word] @ hidden)))
            if rates is not None:
                times = 1 if label or local else n_from_document_alone
                follow = hidden_step_gain(local, survivors, weight, rates)
                reach = rates[word] * hidden @ hidden + follow * outputs[word] @ outputs[word]
                step *= min(1, MAX_STEP_GAIN / max(alpha * times * reach, 1e-9))
            hidden_step += step * outputs[word]
            output_step[word] += step * hidden
        hidden_step /= len(local) + 1
        for word in local:
            input_step[word] += hidden_step
        for word in survivors:
            input_step[word] += weight * hidden_step
    inputs += input_step if rates is None else rates[:, None] * input_step
    outputs += output_step if rates is None else rates[:, None] * output_step


def hidden_step_gain(local, survivors, weight, rates):
    """How far hidden moves when local words and survivors follow a gradient of length one."""
    document = sum(rates[word] * (weight * survivors.count(word)) ** 2 for word in set(survivors))
    return (rates[local].sum() + document) / (len(local) + 1) ** 2


def surviving_positions(state, gaps, length):
    """Jump from survivor to survivor; the last column of the table means: so many fell out, none stays yet."""
    last_column = len(gaps.thresholds) - 1
    position = 0
    while (position := position + (gap := draw_alias(state, gaps))) < length:
        if gap < last_column:
            yield position
            position += 1


def train_document(inputs, outputs, words, samplers, settings, negative, alpha, state):
    """Train on one short document as the compiled CBOW loop does, a span being one block."""
    loss = 0.0
    length = len(words)
    shared = settings.shared_targets
    weight = 1 / (settings.keep * length)
    for start in range(0, length, shared):
        survivors = [words[position] for position in surviving_positions(state, samplers.gaps, length)]
        negatives = [draw_alias(state, samplers.negatives) for _ in range(negative)]
        predictions = []
        for target in range(start, min(start + shared, length)):
            if words[target] >= settings.n_predicted:
                continue
            local = []
            if next_uniform(state) >= settings.document_only:
                reach = 1 + next_below(state, settings.window)
                near = range(max(target - reach, 0), min(target + reach + 1, length))
                local = [words[place] for place in near if place != target]
            predictions.append((words[target], local))
        loss += block_loss(inputs, outputs, predictions, negatives, survivors, weight)
        steady = min(alpha, MAX_DOCUMENT_STEP / max(len(survivors) * weight**2, 1e-9))
        learning = settings.learning
        rates = learning.rates[: len(inputs)].astype(np.float64) if learning.is_damped else None
        block_step(inputs, outputs, predictions, negatives, survivors, weight, steady, rates)
    return loss


def train_corpus(inputs, outputs, documents, samplers, settings, negative, chunk):
    """Train on whole documents with the learning rate of each document's place in the schedule."""
    state = np.zeros(2, np.uint64)
    seed_state(state, settings.seed, chunk.epoch, chunk.number)
    loss, position = 0.0, 0
    for words in filter(None, documents):
        done = chunk.progress + chunk.progress_per_word * position
        alpha = settings.alpha + (settings.final_alpha - settings.alpha) * done
        loss += train_document(inputs, outputs, words, samplers, settings, negative, alpha, state)
        position += len(words)
    return loss
