"""What a target is predicted from: the words around it, and the corrupted document.

Index spaces: an *id* names a word of the vocabulary; a *row* is where a thread keeps the vectors of a word; a
*position* is a place in a document.
"""

from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from doc2vecc.kernels.base.compile import called, inlined
from doc2vecc.kernels.base.instructions import Integer
from doc2vecc.kernels.base.random import State, advance, next_below, next_uniform
from doc2vecc.kernels.base.rows import RowNumbers
from doc2vecc.kernels.base.sampling import AliasTable, index_of_bits
from doc2vecc.kernels.training.copies import Copies
from doc2vecc.kernels.training.settings import CORRUPTED, VECTOR, Settings
from doc2vecc.kernels.training.workspace import Workspace

Ids = npt.NDArray[np.int32]


class Rows(NamedTuple):
    """Where the rows of a thread are.

    A thread works on private copies of the ``hot`` most frequent words, which begin at row ``private``. The vectors
    of documents, where documents have vectors of their own, begin at row ``documents``. With ``copies`` all rows are
    copies: the words of documents are given by row then, and only negative samples are looked up.
    """

    hot: int
    private: int
    documents: int = 0
    copies: Copies | None = None


class Window(NamedTuple):
    """A target and its local context, as positions: the words in [first, last) but the target itself."""

    target: int
    first: int
    last: int


@inlined
def row_of(word_id: Integer, rows: Rows) -> Integer:
    """Return the row in which this thread keeps a word.

    >>> rows = Rows(hot=5, private=1000)
    >>> [int(row_of(np.int32(word_id), rows)) for word_id in (3, 7)]
    [1003, 7]
    """
    is_hot = (word_id - rows.hot) >> 63  # all ones or zero: the processor would guess a branch wrong too often
    return word_id + (is_hot & rows.private)


@inlined
def corruption_weight(keep: float, length: int) -> float:
    """Return 1 / (keep * T): so weighted, the survivors' sum has the document's mean as its expectation."""
    return 1.0 / (keep * length)


@inlined
def draw_survivors(state: State, gaps: AliasTable, words: Ids, rows: Rows, survivors: RowNumbers) -> int:
    """Corrupt a document: every occurrence of a word survives with probability keep -> how many ``survivors``.

    Draws the gap to the next survivor instead of a random number for every word.
    """
    tail = gaps.thresholds.shape[0] - 1  # the last column: this many fell out, draw again
    n_survivors = 0
    position = 0
    first, second = state[0], state[1]  # in registers for the many draws
    while True:
        bits, first, second = advance(first, second)
        gap = index_of_bits(bits, gaps)
        position += int(gap)
        if position >= words.shape[0]:
            break
        if gap < tail:
            survivors[n_survivors] = row_of(words[position], rows)
            n_survivors += 1
            position += 1
    state[0], state[1] = first, second
    return n_survivors


@inlined
def draw_document(
    words: Ids, document: int, gaps: AliasTable, settings: Settings, rows: Rows, work: Workspace
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
def draw_window(state: State, target: int, length: int, window: int) -> Window:
    """Draw how many words to either side of a target belong to its local context, 1 to ``window``."""
    width = 1 + next_below(state, window)
    return Window(target, max(target - width, 0), min(target + width + 1, length))


@inlined
def draw_local(state: State, words: Ids, target: int, settings: Settings) -> Window:
    """Draw the local context of a target; the target alone where it has none."""
    if next_uniform(state) < settings.document_only or words[target] >= settings.n_words:
        return Window(target, target, target + 1)
    return draw_window(state, target, words.shape[0], settings.window)


@called
def subsample_document(
    state: State, words: Ids, stay: npt.NDArray[np.float32], first: int, last: int, subsampled: Ids
) -> tuple[int, int, int]:
    """Drop occurrences of frequent words at random; stay[id] is the probability that one stays.

    Returns the new length and where the old positions ``first`` and ``last`` have moved to.
    """
    n_words = new_first = new_last = 0
    for position in range(words.shape[0]):
        if position == first:
            new_first = n_words
        if position == last:
            new_last = n_words
        if next_uniform(state) < stay[words[position]]:
            subsampled[n_words] = words[position]
            n_words += 1
    return n_words, new_first, n_words if last == words.shape[0] else new_last
