"""The targets that share a corrupted document: a span, worked on in blocks that share negative samples."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from doc2vecc.kernels.base.compile import inlined
from doc2vecc.kernels.base.random import State, next_uniform
from doc2vecc.kernels.base.rows import Table, prefetch_vector
from doc2vecc.kernels.base.sampling import AliasTable, draw_alias
from doc2vecc.kernels.training.contexts import Rows, draw_window, row_of
from doc2vecc.kernels.training.update import advance_document, update_block
from doc2vecc.kernels.training.workspace import Learning, Workspace, add_local_word, add_target, open_context

# Settings.architecture: what a target is predicted from, its local words together or one by one.
CBOW = 0
SKIPGRAM = 1

# Settings.document: what stands for the document in every context.
CORRUPTED = 0  # the words that survive the corruption: Doc2VecC
VECTOR = 1  # a vector of its own: Paragraph Vectors
ABSENT = 2  # nothing: Word2Vec


class Settings(NamedTuple):
    """What stays the same during a training."""

    architecture: int
    document: int
    learning: Learning
    n_words: int  # ids from here on are n-grams: no local context, and no part of one
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

    negatives: AliasTable  # ids
    gaps: AliasTable  # words that fall out between two survivors
    stay: npt.NDArray[np.float32]  # probability that a word stays when frequent words are subsampled; empty: all do


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
def begin_block(outputs: Table, negatives: AliasTable, rows: Rows, work: Workspace) -> int:
    """Draw the negative samples of the next block and open the context of the document alone -> number of contexts."""
    for number in range(work.negative_rows.shape[0]):
        work.negative_rows[number] = row_of(draw_alias(work.state, negatives), rows)
        prefetch_vector(outputs, work.negative_rows[number])
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
            prefetch_vector(inputs, row)
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
        n_contexts = begin_block(outputs, samplers.negatives, rows, work)
        for target in range(block_start, block_stop):
            if words[target] >= settings.n_predicted:
                continue
            prefetch_vector(outputs, row_of(words[target], rows))
            start, stop = draw_local(work.state, words, target, settings)
            if stop - start > 1:
                predict_from(inputs, words, target, start, stop, settings.n_words, rows, work, n_contexts)
                n_contexts += 1
            elif settings.learning.has_document:
                add_target(work, 0, row_of(words[target], rows))
        loss += update_block(inputs, outputs, work, n_contexts, alpha, share, settings.learning)
        if block_stop < last:
            advance_document(work, share)
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
    n_contexts = begin_block(outputs, samplers.negatives, rows, work)
    for target in range(first, last):
        if words[target] >= settings.n_predicted:
            continue
        prefetch_vector(outputs, row_of(words[target], rows))
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
                advance_document(work, share)
                n_contexts = begin_block(outputs, samplers.negatives, rows, work)
                in_block = 0
    if in_block > 0:
        loss += update_block(inputs, outputs, work, n_contexts, alpha, share, settings.learning)
    return loss * count_targets(words, first, last, settings) / max(n_predictions, 1)
