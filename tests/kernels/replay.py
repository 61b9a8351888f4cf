"""The method of `doc2vecc.reference` with the draws of the compiled loop, so that the two can be compared."""

import numpy as np

from doc2vecc.kernels.base.random import next_below, next_uniform, seed_state
from doc2vecc.kernels.base.sampling import draw_alias
from doc2vecc.reference import Block, block_loss, block_step, corruption_weight, stable_alpha


def surviving_positions(state, gaps, length):
    """Jump from survivor to survivor; the last column of the table means: so many fell out, none stays yet."""
    last_column = len(gaps.thresholds) - 1
    position = 0
    while (position := position + int(gap := draw_alias(state, gaps))) < length:
        if gap < last_column:
            yield position
            position += 1


def draw_block(state, words, targets, samplers, settings, negative):
    """Draw a block of targets in the order of the compiled CBOW loop: survivors, negative samples, windows."""
    survivors = [words[position] for position in surviving_positions(state, samplers.gaps, len(words))]
    negatives = [int(draw_alias(state, samplers.negatives)) for _ in range(negative)]
    predictions = []
    for target in targets:
        if words[target] >= settings.n_predicted:
            continue
        local = []
        if next_uniform(state) >= settings.document_only:
            width = 1 + int(next_below(state, settings.window))
            near = range(max(target - width, 0), min(target + width + 1, len(words)))
            local = [words[position] for position in near if position != target]
        predictions.append((words[target], local))
    return Block(predictions, negatives, survivors, corruption_weight(settings.keep, len(words)))


def train_documents(inputs, outputs, documents, samplers, settings, negative, chunk):
    """Train on short documents, a span being one block, at the learning rate of each document's place."""
    state = np.zeros(2, np.uint64)
    seed_state(state, settings.seed, chunk.epoch, chunk.number)
    learning = settings.learning
    rates = learning.rates[: len(inputs)].astype(np.float64) if learning.clips_steps else None
    loss, position = 0.0, 0
    for words in filter(None, documents):
        done = chunk.progress + chunk.progress_per_word * position
        alpha = settings.alpha + (settings.final_alpha - settings.alpha) * done
        for start in range(0, len(words), settings.shared_targets):
            targets = range(start, min(start + settings.shared_targets, len(words)))
            block = draw_block(state, words, targets, samplers, settings, negative)
            loss += block_loss(inputs, outputs, block)
            block_step(inputs, outputs, block, stable_alpha(alpha, block), rates)
        position += len(words)
    return loss
