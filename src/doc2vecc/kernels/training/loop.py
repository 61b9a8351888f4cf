"""The training loop: chunks of targets, and in each document spans of targets that share a corrupted copy of it."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from doc2vecc.kernels.base.compile import inlined, kernel
from doc2vecc.kernels.base.random import seed_state
from doc2vecc.kernels.base.rows import Table, prefetch_vector
from doc2vecc.kernels.base.sampling import AliasTable
from doc2vecc.kernels.training.contexts import Rows, corruption_weight, draw_survivors, subsample_document
from doc2vecc.kernels.training.spans import (
    CBOW,
    CORRUPTED,
    SKIPGRAM,
    VECTOR,
    Samplers,
    Settings,
    count_targets,
    span_length,
    train_span_cbow,
    train_span_skipgram,
)
from doc2vecc.kernels.training.update import document_step_gain, move_survivors, sum_survivors
from doc2vecc.kernels.training.workspace import Workspace

MAX_DOCUMENT_STEP = 0.1  # of a corrupted document, times the gradient


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
def stable_alpha(alpha: float, n_survivors: int, weight: float) -> float:
    """Lower the learning rate where a corrupted document of very few words would run away.

    A step on n survivors of weight w each moves the document by n * w ** 2 times as much, some 1 / (keep * T):
    little in a document of a hundred words, more than the gradient itself in one of five.
    """
    return min(alpha, MAX_DOCUMENT_STEP / max(n_survivors * weight * weight, 1e-9))


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
            length, first, last = subsample_document(work.state, words, samplers.stay, first, last, work.subsampled)
            words = work.subsampled[:length]
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
            prefetch_vector(inputs, work.survivors[number])
        sum_survivors(inputs, work, n_survivors, weight)
        share = document_step_gain(work, n_survivors, weight, settings.learning.rates) if needs_share else 0.0
        steady = stable_alpha(alpha, n_survivors, weight) if settings.document == CORRUPTED else alpha
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
