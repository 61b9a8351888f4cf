"""The targets that share a corrupted document: a span, worked on in blocks that share negative samples."""

from typing import NamedTuple

import numpy as np

from doc2vecc.kernels.base.compile import inlined
from doc2vecc.kernels.base.rows import Table, Tables, prefetch_vector
from doc2vecc.kernels.base.sampling import AliasTable, draw_alias
from doc2vecc.kernels.training.contexts import Ids, Rows, Window, draw_local, row_of
from doc2vecc.kernels.training.copies import NONE, Copies, copy_output
from doc2vecc.kernels.training.settings import Samplers, Settings
from doc2vecc.kernels.training.update import advance_document, update_block
from doc2vecc.kernels.training.workspace import Workspace, add_local_word, add_target, open_context


class Span(NamedTuple):
    """Targets of a document that share a corrupted copy of it."""

    words: Ids  # of the whole document
    first: int  # the targets are at positions [first, last)
    last: int
    alpha: float
    document_gain: float  # how far the document moves by a step of length 1; 0 where it is not needed


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
def count_targets(words: Ids, first: int, last: int, settings: Settings) -> int:
    """Return how many of the ids at positions [first, last) are predicted."""
    count = 0
    for position in range(first, last):
        count += words[position] < settings.n_predicted
    return count


@inlined
def draw_negatives(copies: Copies | None, outputs: Table, negatives: AliasTable, rows: Rows, work: Workspace) -> None:
    """Draw the negative samples of a block; a share may have to copy their rows first."""
    drawn = work.negative_rows
    if copies is None:
        for number in range(drawn.shape[0]):
            drawn[number] = row_of(draw_alias(work.state, negatives), rows)
            prefetch_vector(outputs, drawn[number])
        return
    for number in range(drawn.shape[0]):
        drawn[number] = draw_alias(work.state, negatives)
        if copies.output_places[drawn[number]] == NONE:
            prefetch_vector(copies.shared.tables.outputs, drawn[number])
    for number in range(drawn.shape[0]):
        row = np.int64(copies.output_places[drawn[number]])
        drawn[number] = row if row != NONE else copy_output(copies, drawn[number])
        prefetch_vector(outputs, drawn[number])


@inlined
def begin_block(outputs: Table, negatives: AliasTable, rows: Rows, work: Workspace) -> int:
    """Draw the negative samples of the next block and open context 0, the document alone -> number of contexts."""
    draw_negatives(rows.copies, outputs, negatives, rows, work)
    open_context(work, 0)
    return 1


@inlined
def predict_from(
    inputs: Table, words: Ids, window: Window, n_words: int, rows: Rows, work: Workspace, context: int
) -> None:
    """Open a context for a target that is yet to be added: the other words of its window, with the document."""
    open_context(work, context)
    for position in range(window.first, window.last):
        if position != window.target and words[position] < n_words:
            row = row_of(words[position], rows)
            prefetch_vector(inputs, row)
            add_local_word(work, context, row)


@inlined
def train_span_cbow(
    tables: Tables, span: Span, samplers: Samplers, settings: Settings, rows: Rows, work: Workspace
) -> float:
    """Predict each target once, from its whole local context and the document -> the sum of the losses."""
    loss = 0.0
    words, learning = span.words, settings.learning
    for block_start in range(span.first, span.last, settings.shared_targets):
        block_stop = min(block_start + settings.shared_targets, span.last)
        n_contexts = begin_block(tables.outputs, samplers.negatives, rows, work)
        for target in range(block_start, block_stop):
            if words[target] >= settings.n_predicted:
                continue
            row = row_of(words[target], rows)
            prefetch_vector(tables.outputs, row)
            window = draw_local(work.state, words, target, settings)
            if window.last - window.first > 1:
                predict_from(tables.inputs, words, window, settings.n_words, rows, work, n_contexts)
                add_target(work, n_contexts, row)
                n_contexts += 1
            elif learning.has_document:
                add_target(work, 0, row)
        loss += update_block(tables, work, n_contexts, span.alpha, span.document_gain, learning)
        if block_stop < span.last:
            advance_document(work, span.document_gain)
    return loss


@inlined
def train_span_skipgram(
    tables: Tables, span: Span, samplers: Samplers, settings: Settings, rows: Rows, work: Workspace
) -> float:
    """Predict each target from each word of its local context in turn, with the document -> the sum of the losses.

    The losses of the predictions of one target are averaged, so that they compare with those of CBOW.
    """
    loss = 0.0
    n_predictions = 0
    in_block = 0
    words, learning = span.words, settings.learning
    n_contexts = begin_block(tables.outputs, samplers.negatives, rows, work)
    for target in range(span.first, span.last):
        if words[target] >= settings.n_predicted:
            continue
        row = row_of(words[target], rows)
        prefetch_vector(tables.outputs, row)
        window = draw_local(work.state, words, target, settings)
        for position in range(window.first, window.last):
            if position != target and words[position] < settings.n_words:
                one_word = Window(target, position, position + 1)
                predict_from(tables.inputs, words, one_word, settings.n_words, rows, work, n_contexts)
                add_target(work, n_contexts, row)
                n_contexts += 1
            elif window.last - window.first == 1 and learning.has_document:
                add_target(work, 0, row)
            else:
                continue
            n_predictions += 1
            in_block += 1
            if in_block == settings.shared_targets:
                loss += update_block(tables, work, n_contexts, span.alpha, span.document_gain, learning)
                advance_document(work, span.document_gain)
                n_contexts = begin_block(tables.outputs, samplers.negatives, rows, work)
                in_block = 0
    if in_block > 0:
        loss += update_block(tables, work, n_contexts, span.alpha, span.document_gain, learning)
    return loss * count_targets(words, span.first, span.last, settings) / max(n_predictions, 1)


@inlined
def train_span(
    architecture: int | None,
    tables: Tables,
    span: Span,
    samplers: Samplers,
    settings: Settings,
    rows: Rows,
    work: Workspace,
) -> float:
    """Train on a span -> the sum of the losses of its targets.

    ``architecture`` is an argument of its own because Numba leaves out a branch on an argument that is None.
    """
    if architecture is None:
        return train_span_cbow(tables, span, samplers, settings, rows, work)
    return train_span_skipgram(tables, span, samplers, settings, rows, work)
