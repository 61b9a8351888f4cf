"""The memory of one thread, and the block of predictions that it holds.

A *context* is what words are predicted from: one hidden vector. The targets that are predicted from the document
alone have the very same context, number 0 of the block; every other target has one of its own. All contexts of a
block share the corrupted document and the negative samples, so what depends on the document alone is computed once.

A *step* is learning rate * negative gradient: what is added to a vector.
"""

from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from doc2vecc.kernels.base.compile import inlined
from doc2vecc.kernels.base.instructions import Integer
from doc2vecc.kernels.base.rows import RowNumbers, Table
from doc2vecc.kernels.training.settings import Learning

BLOCK = 8  # the most targets that are worked on together


class Workspace(NamedTuple):
    """Scratch memory of one thread, allocated once."""

    # The document.
    survivors: RowNumbers  # rows of the words that survive, room for the longest document
    survivals: npt.NDArray[np.int32]  # how often each row survives, all zero between two uses
    document: Table  # (1, dim): the corrupted document
    document_at_start: Table  # (1, dim): the same as it was at the start of its span
    document_step: Table  # (1, dim): the sum of the steps on the document in its span
    survivor_step: Table  # (1, dim): the step on every survivor, at a rate of 1

    # The contexts of a block.
    negative_rows: RowNumbers  # (negative,)
    local_rows: RowNumbers  # (BLOCK * 2 * window,)
    local_starts: npt.NDArray[np.int64]  # (BLOCK + 2,): where the local words of each context begin
    output_rows: RowNumbers  # (BLOCK + 1, negative + BLOCK): the negative samples, then the targets
    n_outputs: npt.NDArray[np.int64]  # (BLOCK + 1,): negative samples and targets of each context
    hidden: Table  # (BLOCK + 1, dim)
    steps: Table  # (BLOCK + 1, negative + BLOCK): of each output row, as a multiple of hidden
    local_steps: Table  # (BLOCK + 1, dim): on every local word, at a rate of 1

    # The context that is worked on.
    scores: Table  # (negative + BLOCK,): output row . hidden
    probabilities: Table  # (negative + BLOCK,): sigmoid(score)
    hidden_step: Table  # (1, dim): on the hidden vector

    subsampled: npt.NDArray[np.int32]  # ids of a subsampled document, empty when nothing is subsampled
    state: npt.NDArray[np.uint64]  # of the random numbers


@inlined
def open_context(work: Workspace, context: int) -> None:
    """Begin a context of the block: no local words and no targets yet, only the negative samples."""
    for number in range(work.negative_rows.shape[0]):
        work.output_rows[context, number] = work.negative_rows[number]
    work.n_outputs[context] = work.negative_rows.shape[0]
    work.local_starts[context + 1] = work.local_starts[context]


@inlined
def add_target(work: Workspace, context: int, row: Integer) -> None:
    """Let a word be predicted from a context."""
    work.output_rows[context, work.n_outputs[context]] = row
    work.n_outputs[context] += 1


@inlined
def add_local_word(work: Workspace, context: int, row: Integer) -> None:
    """Put a word into a context; only into the one that was opened last."""
    work.local_rows[work.local_starts[context + 1]] = row
    work.local_starts[context + 1] += 1


@inlined
def context_scale(work: Workspace, context: int, learning: Learning) -> float:
    """Return 1 / (n + 1) for n local words: the document, where there is one, counts as one more word."""
    return float(1.0 / (work.local_starts[context + 1] - work.local_starts[context] + learning.has_document))
