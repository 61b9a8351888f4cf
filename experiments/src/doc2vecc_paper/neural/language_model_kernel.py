"""The compiled loops of the recurrent language model: hidden state, softmax over classes and words, learning.

A word is predicted as its class, then as a word of the class. The scores of both are those of the hidden state plus
weights of n-grams: the n-gram of the previous words selects a place in a hashed table, and the scores follow there.
Word ids are sorted so that a class is a range of ids.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any, NamedTuple, TypeVar, cast

import numpy as np
import numpy.typing as npt
from numba import njit

Floats = npt.NDArray[Any]
Integers = npt.NDArray[Any]
Function = TypeVar("Function", bound=Callable[..., Any])


def compiled(function: Function) -> Function:
    """Compile a function when it is first called; the machine code is kept beside the source."""
    return cast("Function", njit(cache=True, nogil=True, fastmath=True)(function))


class Corpus(NamedTuple):
    """Texts as ids, one after the other: text k is ``offsets[k]`` to ``offsets[k + 1]``."""

    words: Integers
    offsets: Integers


class Weights(NamedTuple):
    """What is learned. ``direct`` has the n-gram weights: of classes in its first half, of words in its second."""

    inputs: Floats  # words x hidden
    recurrent: Floats  # hidden x hidden
    classes: Floats  # classes x hidden
    words: Floats  # words x hidden
    direct: Floats


class Partition(NamedTuple):
    """The classes of words: class c has the ids ``starts[c]`` to ``starts[c + 1]``; ``of_word`` is its inverse."""

    starts: Integers
    of_word: Integers


class Scratch(NamedTuple):
    """Space for one block: a row for each step, scores of the largest class, and n-gram places."""

    states: Floats  # block + 1 x hidden
    gradients: Floats  # block x hidden
    scores: Floats
    places: Integers
    moved: Floats  # hidden
    max_gradient: float  # of a hidden unit


@compiled
def _ngram_place(words: Integers, position: int, length: int, salt: int, room: int) -> int:  # pragma: no cover
    """Return where the scores begin that follow these ``length`` previous words; the start of a text is -1."""
    key = np.uint64(salt + 1) * np.uint64(0x9E3779B97F4A7C15)
    for back in range(1, length + 1):
        word_id = words[position - back] if position >= back else -1
        key = (key ^ np.uint64(word_id + 2)) * np.uint64(0xBF58476D1CE4E5B9)
        key ^= key >> np.uint64(29)
    key *= np.uint64(0x94D049BB133111EB)
    key ^= key >> np.uint64(32)
    return int(key % np.uint64(room))


@compiled
def _softmax(state: Floats, table: Floats, direct: Floats, scratch: Scratch) -> None:  # pragma: no cover
    """Write the probabilities of the rows of a table into the scores."""
    scores = scratch.scores
    count = len(table)
    for one in range(count):
        total = state[0] * table[one, 0]
        for column in range(1, len(state)):
            total += state[column] * table[one, column]
        scores[one] = total
    for order in range(len(scratch.places)):
        place = scratch.places[order]
        for one in range(count):
            scores[one] += direct[place + one]
    highest = scores[0]
    for one in range(1, count):
        highest = max(highest, scores[one])
    total = scores[0] * 0
    for one in range(count):
        scores[one] = math.exp(scores[one] - highest)
        total += scores[one]
    for one in range(count):
        scores[one] /= total


@compiled
def _descend(
    state: Floats, gradient: Floats, table: Floats, target: int, direct: Floats, scratch: Scratch, alpha: float
) -> None:  # pragma: no cover
    """Take a step down the gradient of -log p(target); adds the gradient of the state to ``gradient``."""
    scores = scratch.scores
    scores[target] -= 1
    for one in range(len(table)):
        error = scores[one]
        step = alpha * error
        for column in range(len(state)):
            gradient[column] += error * table[one, column]
            table[one, column] -= step * state[column]
    for order in range(len(scratch.places)):
        place = scratch.places[order]
        for one in range(len(table)):
            direct[place + one] -= alpha * scores[one]


@compiled
def _advance(word_id: int, before: Floats, after: Floats, weights: Weights) -> None:  # pragma: no cover
    """Compute the next hidden state: sigmoid(inputs[word] + recurrent @ before)."""
    for row in range(len(after)):
        total = weights.inputs[word_id, row]
        for column in range(len(before)):
            total += weights.recurrent[row, column] * before[column]
        after[row] = 1 / (1 + math.exp(-total))


@compiled
def _back_propagate(
    words: Integers, begin: int, steps: int, weights: Weights, scratch: Scratch, alpha: float, end_id: int
) -> None:  # pragma: no cover
    """Carry the gradients of a block back to its first step, then change input and recurrent weights.

    A gradient is clipped where it enters a hidden unit. Without that, a single block whose gradients explode saturates
    the units, and the rest of the training is lost.
    """
    hidden = weights.recurrent.shape[0]
    for step in range(steps - 1, -1, -1):
        gradient, state = scratch.gradients[step], scratch.states[step + 1]
        for row in range(hidden):
            clipped = min(max(gradient[row], -scratch.max_gradient), scratch.max_gradient)
            gradient[row] = clipped * state[row] * (1 - state[row])
        if step > 0:
            earlier = scratch.gradients[step - 1]
            for row in range(hidden):
                for column in range(hidden):
                    earlier[column] += weights.recurrent[row, column] * gradient[row]
    for step in range(steps):
        gradient, before = scratch.gradients[step], scratch.states[step]
        position = begin + step
        word_id = words[position - 1] if position > 0 else end_id
        for row in range(hidden):
            weights.inputs[word_id, row] -= alpha * gradient[row]
            for column in range(hidden):
                weights.recurrent[row, column] -= alpha * gradient[row] * before[column]


@compiled
def _score_of_word(
    words: Integers, position: int, state: Floats, gradient: Floats, weights: Weights, partition: Partition,
    scratch: Scratch, alpha: float,
) -> float:  # pragma: no cover  # fmt: skip
    """Return -log p(word); with a learning rate above 0 also take the step of the output weights."""
    word_id = words[position]
    word_class = partition.of_word[word_id]
    half = len(weights.direct) // 2
    n_classes = len(partition.starts) - 1
    for order in range(len(scratch.places)):
        scratch.places[order] = _ngram_place(words, position, order, order, half - n_classes)
    _softmax(state, weights.classes, weights.direct, scratch)
    loss = -math.log(max(scratch.scores[word_class], 1e-30))
    if alpha > 0:
        _descend(state, gradient, weights.classes, word_class, weights.direct, scratch, alpha)
    start, stop = partition.starts[word_class], partition.starts[word_class + 1]
    for order in range(len(scratch.places)):
        salt = order + len(scratch.places) * (word_class + 1)
        scratch.places[order] = half + _ngram_place(words, position, order, salt, half - (stop - start))
    of_class = weights.words[start:stop]
    _softmax(state, of_class, weights.direct, scratch)
    loss -= math.log(max(scratch.scores[word_id - start], 1e-30))
    if alpha > 0:
        _descend(state, gradient, of_class, word_id - start, weights.direct, scratch, alpha)
    return loss


@compiled
def run_text(
    words: Integers, weights: Weights, partition: Partition, scratch: Scratch, alpha: float, end_id: int
) -> float:  # pragma: no cover
    """Return -log p(text); with a learning rate above 0 also learn from it.

    Back-propagation is truncated at the blocks: the state at the beginning of a block counts as given. Output weights
    change after every word, input and recurrent weights after every block.
    """
    block = len(scratch.gradients)
    loss = 0.0
    step = 0
    scratch.states[0] = 0
    for position in range(len(words)):
        previous = words[position - 1] if position > 0 else end_id
        _advance(previous, scratch.states[step], scratch.states[step + 1], weights)
        scratch.gradients[step] = 0
        loss += _score_of_word(
            words, position, scratch.states[step + 1], scratch.gradients[step], weights, partition, scratch, alpha
        )
        step += 1
        if step == block or position == len(words) - 1:
            if alpha > 0:
                _back_propagate(words, position + 1 - step, step, weights, scratch, alpha, end_id)
            scratch.moved[:] = scratch.states[step]
            scratch.states[0] = scratch.moved
            step = 0
    return loss


@compiled
def run_texts(
    corpus: Corpus, order: Integers, weights: Weights, partition: Partition, scratch: Scratch, alpha: float,
    end_id: int, losses: Floats,
) -> None:  # pragma: no cover  # fmt: skip
    """Run over some texts in this order and write -log p of each; ``alpha`` has the type of the weights."""
    for number in range(len(order)):
        start, stop = corpus.offsets[order[number]], corpus.offsets[order[number] + 1]
        losses[number] = run_text(corpus.words[start:stop], weights, partition, scratch, alpha, end_id)
