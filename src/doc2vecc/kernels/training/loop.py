"""The training loop: chunks of targets, and in each document spans of targets that share a corrupted copy of it."""

from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from doc2vecc.kernels.base.compile import called, inlined, kernel
from doc2vecc.kernels.base.random import seed_state
from doc2vecc.kernels.base.rows import Table, Tables, prefetch_vector
from doc2vecc.kernels.training.contexts import Rows, draw_document, subsample_document
from doc2vecc.kernels.training.settings import CORRUPTED, Samplers, Settings
from doc2vecc.kernels.training.spans import Span, count_targets, span_length, train_span
from doc2vecc.kernels.training.update import document_step_gain, move_survivors, sum_survivors
from doc2vecc.kernels.training.workspace import Workspace

MAX_DOCUMENT_STEP = 0.1  # how far a corrupted document may move by a step, as a multiple of the gradient


class Documents(NamedTuple):
    """The words of all documents: ids[offsets[d] : offsets[d + 1]] are those of document d."""

    ids: npt.NDArray[np.int32]
    offsets: npt.NDArray[np.int64]


class Chunk(NamedTuple):
    """A piece of work: targets at positions [start, stop) of all documents, and where it stands in the schedule."""

    start: int
    stop: int
    document: int  # the document that position `start` is in
    epoch: int
    number: int  # with the epoch, names the chunk's stream of random numbers
    progress: float  # share of the whole training done before this chunk
    progress_per_word: float


@inlined
def stable_alpha(alpha: float, n_survivors: int, weight: float) -> float:
    """Lower the learning rate where training on a corrupted document of very few words would diverge.

    A step on n distinct survivors of weight w moves the document by n * w ** 2 times the gradient, some 1 / (keep * T):
    little in a document of a hundred words, more than the gradient itself in one of five.
    """
    return min(alpha, MAX_DOCUMENT_STEP / max(n_survivors * weight * weight, 1e-9))


@kernel
def train_chunk(
    tables: Tables,
    documents: Documents,
    samplers: Samplers,
    settings: Settings,
    chunk: Chunk,
    rows: Rows,
    work: Workspace,
) -> tuple[float, int]:
    """Train on the targets of one chunk -> (sum of their losses, number of targets)."""
    seed_state(work.state, settings.seed, chunk.epoch, chunk.number)
    ids, offsets = documents.ids, documents.offsets
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
        targets = Span(words, first, last, alpha, 0.0)
        loss += train_targets(tables, targets, document, samplers, settings, rows, work)
    return loss, n_targets


@called
def train_targets(
    tables: Tables, targets: Span, document: int, samplers: Samplers, settings: Settings, rows: Rows, work: Workspace
) -> float:
    """Train on targets of one document, a span of them at a time -> the sum of their losses."""
    words, learning = targets.words, settings.learning
    loss = 0.0
    if targets.last == targets.first:
        return loss
    length = span_length(settings, words.shape[0])
    has_several_blocks = length > settings.shared_targets or settings.architecture is not None
    needs_gain = has_several_blocks or learning.clips_steps
    for first in range(targets.first, targets.last, length):
        last = min(first + length, targets.last)
        n_survivors, weight = draw_document(words, document, samplers.gaps, settings, rows, work)
        for number in range(n_survivors):
            prefetch_vector(tables.inputs, work.survivors[number])
        sum_survivors(tables.inputs, work, n_survivors, weight)
        gain = document_step_gain(work, n_survivors, weight, learning.rates) if needs_gain else 0.0
        alpha = targets.alpha
        if settings.document == CORRUPTED:
            alpha = stable_alpha(alpha, n_survivors, weight)
        span = Span(words, first, last, alpha, gain)
        loss += train_span(settings.architecture, tables, span, samplers, settings, rows, work)
        move_survivors(tables.inputs, work, n_survivors, weight, learning.rates)
    return loss


@kernel
def merge_private_rows(table: Table, snapshot: Table, rows: Rows, count: int) -> None:
    """Add what a thread has learned of the first ``count`` words to the shared rows, and copy those back.

    ``snapshot`` holds the rows as they were after the last merge.
    """
    for word_id in range(count):
        private = rows.private + word_id
        for column in range(table.shape[1]):
            merged = table[word_id, column] + (table[private, column] - snapshot[word_id, column])
            table[word_id, column] = merged
            table[private, column] = merged
            snapshot[word_id, column] = merged
