"""What a target is predicted from: the words around it, and the corrupted document.

Index spaces: an *id* names a word of the vocabulary; a *row* is where a thread keeps the vectors of a word; a
*position* is a place in a document.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from doc2vecc.kernels.base.compile import Integer, inlined, kernel
from doc2vecc.kernels.base.random import State, advance, next_below, next_uniform
from doc2vecc.kernels.base.rows import RowNumbers
from doc2vecc.kernels.base.sampling import AliasTable, index_of_bits


class Rows(NamedTuple):
    """Where the rows of a thread are.

    It works on private copies of the ``hot`` most frequent words, which begin at ``private``. The vectors of
    documents, where documents have some of their own, begin at ``documents``.
    """

    hot: int
    private: int
    documents: int = 0


@inlined
def row_of(word_id: Integer, rows: Rows) -> Integer:
    """Return the row in which this thread keeps a word.

    >>> row_of.py_func(3, Rows(hot=5, private=1000)), row_of.py_func(7, Rows(hot=5, private=1000))
    (1003, 7)
    """
    is_hot = (word_id - rows.hot) >> 63  # all ones or zero: the processor would guess a branch wrong too often
    return word_id + (is_hot & rows.private)


@inlined
def corruption_weight(keep: float, length: int) -> float:
    """Return 1 / (keep * T): so weighted, the survivors' sum has the document's mean as its expectation."""
    return 1.0 / (keep * length)


@inlined
def draw_survivors(
    state: State, gaps: AliasTable, words: npt.NDArray[np.int32], rows: Rows, survivors: RowNumbers
) -> int:
    """Let every word survive independently, jumping from survivor to survivor; returns how many there are."""
    tail = gaps.thresholds.shape[0] - 1
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
def draw_window(state: State, position: int, length: int, window: int) -> tuple[int, int]:
    """Draw how far the local context reaches, 1 to ``window`` words to either side -> [first, last + 1)."""
    reach = 1 + next_below(state, window)
    return max(position - reach, 0), min(position + reach + 1, length)


@kernel
def subsample_document(
    state: State,
    words: npt.NDArray[np.int32],
    stay: npt.NDArray[np.float32],
    first: int,
    last: int,
    subsampled: npt.NDArray[np.int32],
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
