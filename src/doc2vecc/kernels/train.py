"""The training loop: chunks of targets, spans that share a corrupted document, blocks that share noise words."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from doc2vecc.kernels.compile import inlined, kernel
from doc2vecc.kernels.contexts import (
    Rows,
    corruption_weight,
    draw_survivors,
    draw_window,
    row_of,
    thin_document,
)
from doc2vecc.kernels.random import State, next_uniform, seed_state
from doc2vecc.kernels.rows import Table, load_soon
from doc2vecc.kernels.sampling import AliasTable, draw_alias
from doc2vecc.kernels.update import (
    concentration,
    follow_survivors,
    move_survivors,
    sum_survivors,
    update_block,
)
from doc2vecc.kernels.workspace import Learning, Workspace, add_local_word, add_target, open_context

# Settings.architecture: what a target is predicted from, its local words together or one by one.
CBOW = 0
SKIPGRAM = 1

# Settings.document: what stands for the document in every context.
CORRUPTED = 0  # the words that survive the corruption: Doc2VecC
VECTOR = 1  # a vector of its own: Paragraph Vectors
ABSENT = 2  # nothing: Word2Vec


LONGEST_STEP = 0.1  # of a corrupted document, times the gradient


class Settings(NamedTuple):
    """What stays the same during a training."""

    architecture: int
    document: int
    learning: Learning
    n_words: int  # ids from here on are phrases: no local context, and no part of one
    n_predicted: int  # ids from here on are never predicted: they only stand for the document
    window: int
    document_only: float
    keep: float
    shared_targets: int
    alpha: float
    final_alpha: float
    seed: np.uint64


class Samplers(NamedTuple):
    """The distributions to draw from, prepared once."""

    noise: AliasTable  # ids
    gaps: AliasTable  # words that fall out between two survivors
    stay: npt.NDArray[np.float32]  # probability that a word stays when frequent words are thinned; empty: all do


class Chunk(NamedTuple):
    """A piece of work: targets at positions [start, stop) of the corpus, and where it stands in the schedule."""

    start: int
    stop: int
    document: int  # the document that position `start` is in
    epoch: int
    number: int  # with the epoch, names the chunk's stream of random numbers
    progress: float  # share of the whole training done before this chunk
    progress_per_word: float


@inlined
def span_length(settings: Settings, length: int) -> int:
    """Return how many targets share a corrupted document: ``shared_targets``, and more in long documents.

    keep * T words survive. A third of that many targets share them, so that the work per target does not grow with
    the length T of the document.
    """
    if settings.shared_targets == 1:
        return 1
    blocks = int(settings.keep * length / (3 * settings.shared_targets))
    return settings.shared_targets * max(blocks, 1)


@inlined
def steady_alpha(alpha: float, n_survivors: int, weight: float) -> float:
    """Lower the learning rate where a corrupted document of very few words would run away.

    A step on n survivors of weight w each moves the document by n * w ** 2 times as much, some 1 / (keep * T):
    little in a document of a hundred words, more than the gradient itself in one of five.
    """
    return min(alpha, LONGEST_STEP / max(n_survivors * weight * weight, 1e-9))


@inlined
def count_targets(words: npt.NDArray[np.int32], first: int, last: int, settings: Settings) -> int:
    """Return how many of the features in [first, last) are predicted."""
    count = 0
    for position in range(first, last):
        count += words[position] < settings.n_predicted
    return count


@inlined
def draw_local(state: State, words: npt.NDArray[np.int32], target: int, settings: Settings) -> tuple[int, int]:
    """Draw the local context of a target -> [first, last + 1); the target alone where it has none."""
    if next_uniform(state) < settings.document_only or words[target] >= settings.n_words:
        return target, target + 1
    return draw_window(state, target, words.shape[0], settings.window)


@inlined
def draw_document(
    words: npt.NDArray[np.int32], document: int, gaps: AliasTable, settings: Settings, rows: Rows, work: Workspace
) -> tuple[int, float]:
    """Choose what stands for the document -> how many rows of ``survivors``, and the weight of each."""
    if settings.document == CORRUPTED:
        n_survivors = draw_survivors(work.state, gaps, words, rows, work.survivors)
        return n_survivors, corruption_weight(settings.keep, words.shape[0])
    if settings.document == VECTOR:
        work.survivors[0] = rows.documents + document
        return 1, 1.0
    return 0, 0.0


@inlined
def begin_block(outputs: Table, noise: AliasTable, rows: Rows, work: Workspace) -> int:
    """Draw the noise words of the next block and open the context of the document alone -> number of contexts."""
    for number in range(work.noise_rows.shape[0]):
        work.noise_rows[number] = row_of(draw_alias(work.state, noise), rows)
        load_soon(outputs, work.noise_rows[number])
    open_context(work, 0)
    return 1


@inlined
def predict_from(
    inputs: Table,
    words: npt.NDArray[np.int32],
    target: int,
    first: int,
    last: int,
    n_words: int,
    rows: Rows,
    work: Workspace,
    context: int,
) -> None:
    """Open a context for the word at ``target``: the other words in [first, last), with the document."""
    open_context(work, context)
    add_target(work, context, row_of(words[target], rows))
    for position in range(first, last):
        if position != target and words[position] < n_words:
            row = row_of(words[position], rows)
            load_soon(inputs, row)
            add_local_word(work, context, row)


@inlined
def train_span_cbow(
    inputs: Table,
    outputs: Table,
    words: npt.NDArray[np.int32],
    first: int,
    last: int,
    samplers: Samplers,
    settings: Settings,
    rows: Rows,
    alpha: float,
    share: float,
    work: Workspace,
) -> float:
    """Predict each target in [first, last) once, from its whole local context and the document."""
    loss = 0.0
    for block_start in range(first, last, settings.shared_targets):
        block_stop = min(block_start + settings.shared_targets, last)
        n_contexts = begin_block(outputs, samplers.noise, rows, work)
        for target in range(block_start, block_stop):
            if words[target] >= settings.n_predicted:
                continue
            load_soon(outputs, row_of(words[target], rows))
            start, stop = draw_local(work.state, words, target, settings)
            if stop - start > 1:
                predict_from(inputs, words, target, start, stop, settings.n_words, rows, work, n_contexts)
                n_contexts += 1
            elif settings.learning.has_document:
                add_target(work, 0, row_of(words[target], rows))
        loss += update_block(inputs, outputs, work, n_contexts, alpha, share, settings.learning)
        if block_stop < last:
            follow_survivors(work, share)
    return loss


@inlined
def train_span_skipgram(
    inputs: Table,
    outputs: Table,
    words: npt.NDArray[np.int32],
    first: int,
    last: int,
    samplers: Samplers,
    settings: Settings,
    rows: Rows,
    alpha: float,
    share: float,
    work: Workspace,
) -> float:
    """Predict each target in [first, last) from each word of its local context in turn, with the document.

    The losses of the predictions of one target are averaged, so that they compare with those of CBOW.
    """
    loss = 0.0
    n_predictions = 0
    in_block = 0
    n_contexts = begin_block(outputs, samplers.noise, rows, work)
    for target in range(first, last):
        if words[target] >= settings.n_predicted:
            continue
        load_soon(outputs, row_of(words[target], rows))
        start, stop = draw_local(work.state, words, target, settings)
        for position in range(start, stop):
            if position != target and words[position] < settings.n_words:
                predict_from(
                    inputs, words, target, position, position + 1, settings.n_words, rows, work, n_contexts
                )
                n_contexts += 1
            elif stop - start == 1 and settings.learning.has_document:
                add_target(work, 0, row_of(words[target], rows))
            else:
                continue
            n_predictions += 1
            in_block += 1
            if in_block == settings.shared_targets:
                loss += update_block(inputs, outputs, work, n_contexts, alpha, share, settings.learning)
                follow_survivors(work, share)
                n_contexts = begin_block(outputs, samplers.noise, rows, work)
                in_block = 0
    if in_block > 0:
        loss += update_block(inputs, outputs, work, n_contexts, alpha, share, settings.learning)
    return loss * count_targets(words, first, last, settings) / max(n_predictions, 1)


@kernel
def train_chunk(
    inputs: Table,
    outputs: Table,
    ids: npt.NDArray[np.int32],
    offsets: npt.NDArray[np.int64],
    samplers: Samplers,
    settings: Settings,
    chunk: Chunk,
    rows: Rows,
    work: Workspace,
) -> tuple[float, int]:
    """Train on the targets of one chunk -> (sum of their losses, number of targets)."""
    seed_state(work.state, settings.seed, chunk.epoch, chunk.number)
    loss = 0.0
    n_targets = 0
    document = chunk.document
    position = chunk.start
    while position < chunk.stop:
        while offsets[document + 1] <= position:
            document += 1
        words = ids[offsets[document] : offsets[document + 1]]
        first = position - offsets[document]
        last = min(words.shape[0], chunk.stop - offsets[document])
        done = chunk.progress + chunk.progress_per_word * (position - chunk.start)
        position = offsets[document] + last
        if samplers.stay.shape[0] > 0:
            length, first, last = thin_document(work.state, words, samplers.stay, first, last, work.thinned)
            words = work.thinned[:length]
        n_targets += count_targets(words, first, last, settings)
        alpha = settings.alpha + (settings.final_alpha - settings.alpha) * done
        loss += train_targets(inputs, outputs, words, document, first, last, samplers, settings, rows, alpha, work)
    return loss, n_targets


@kernel
def train_targets(
    inputs: Table,
    outputs: Table,
    words: npt.NDArray[np.int32],
    document: int,
    first: int,
    last: int,
    samplers: Samplers,
    settings: Settings,
    rows: Rows,
    alpha: float,
    work: Workspace,
) -> float:
    """Train on the targets [first, last) of one document, a span at a time; returns the sum of their losses."""
    loss = 0.0
    if last == first:
        return loss
    span = span_length(settings, words.shape[0])
    has_several_blocks = span > settings.shared_targets or settings.architecture == SKIPGRAM
    needs_share = has_several_blocks or settings.learning.is_damped
    for start in range(first, last, span):
        stop = min(start + span, last)
        n_survivors, weight = draw_document(words, document, samplers.gaps, settings, rows, work)
        for number in range(n_survivors):
            load_soon(inputs, work.survivors[number])
        sum_survivors(inputs, work, n_survivors, weight)
        share = concentration(work, n_survivors, weight, settings.learning.rates) if needs_share else 0.0
        steady = steady_alpha(alpha, n_survivors, weight) if settings.document == CORRUPTED else alpha
        if settings.architecture == CBOW:
            loss += train_span_cbow(
                inputs, outputs, words, start, stop, samplers, settings, rows, steady, share, work
            )
        else:
            loss += train_span_skipgram(
                inputs, outputs, words, start, stop, samplers, settings, rows, steady, share, work
            )
        move_survivors(inputs, work, n_survivors, weight, settings.learning.rates)
    return loss


@kernel
def merge_private_rows(table: Table, snapshot: Table, rows: Rows, count: int) -> None:
    """Add what a thread has learned of the first words to the shared rows, and start afresh from those.

    ``snapshot`` holds the rows as they were after the last merging.
    """
    for word_id in range(count):
        private = rows.private + word_id
        for column in range(table.shape[1]):
            merged = table[word_id, column] + (table[private, column] - snapshot[word_id, column])
            table[word_id, column] = merged
            table[private, column] = merged
            snapshot[word_id, column] = merged
