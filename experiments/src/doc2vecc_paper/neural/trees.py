"""Trees in minibatches: all nodes of one height are computed at once, leaves first.

ParsedSentences  --Trees.of-->  height, size and place of every node  --batch(rows)-->  TreeBatch: a level per height
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from doc2vecc_paper.datasets.parses import ParsedSentences, token_rows

Integers = npt.NDArray[np.int64]

SIDES = 2
FARTHEST = 6  # children to one side of a head that have weights of their own; SICK has no more


class Level(NamedTuple):
    """The nodes of one height, ``start`` to ``stop`` in the order of the batch, and the edges to their children.

    An edge has the child's place in the batch, the parent's place within the level, and two labels.
    """

    start: int
    stop: int
    child: Integers
    parent: Integers
    position: Integers
    relation: Integers


class TreeBatch(NamedTuple):
    """The nodes of some trees, sorted by height; ``roots`` are their places, in the order of the sentences."""

    word: Integers
    size: Integers  # words in the subtree of a node
    levels: list[Level]
    roots: Integers


@dataclass(frozen=True, eq=False)
class Trees:
    """Parsed sentences with what all batches need; ``head`` is the row of the head, -1 for a root."""

    sentences: ParsedSentences
    head: Integers
    height: Integers
    size: Integers
    position: Integers

    @classmethod
    def of(cls, sentences: ParsedSentences) -> Trees:
        """Compute heights (a leaf has 0), sizes of subtrees, and on which side of its head a word is."""
        starts = np.repeat(sentences.offsets[:-1], np.diff(sentences.offsets))
        head = np.where(sentences.head >= 0, sentences.head + starts, -1)
        children = np.flatnonzero(head >= 0)
        height = np.zeros(len(head), np.int64)
        while True:
            raised = height.copy()
            np.maximum.at(raised, head[children], height[children] + 1)
            if np.array_equal(raised, height):
                break
            height = raised
        size = np.ones(len(head), np.int64)
        for level in range(int(height.max(initial=0))):
            some = children[height[children] == level]
            np.add.at(size, head[some], size[some])
        return cls(sentences, head, height, size, _positions(head))

    def batch(self, rows: Integers) -> TreeBatch:
        """Return the trees of some sentences as one batch."""
        tokens, offsets = token_rows(self.sentences.offsets, rows)
        order = np.argsort(self.height[tokens], kind="stable")
        place = np.empty(len(order), np.int64)
        place[order] = np.arange(len(order))
        moved = np.repeat(offsets[:-1] - self.sentences.offsets[:-1][rows], np.diff(offsets))
        head = np.where(self.head[tokens] >= 0, self.head[tokens] + moved, -1)
        roots = place[np.flatnonzero(head < 0)]
        child = np.flatnonzero(head >= 0)
        parent_height = self.height[tokens[head[child]]]
        bounds = np.concatenate([[0], np.cumsum(np.bincount(self.height[tokens]))])
        levels = []
        for number, (start, stop) in enumerate(zip(bounds[:-1].tolist(), bounds[1:].tolist(), strict=True)):
            edges = child[parent_height == number]
            rows_of_edges = tokens[edges]
            parent = place[head[edges]] - start
            levels.append(
                Level(
                    start,
                    stop,
                    place[edges],
                    parent,
                    self.position[rows_of_edges],
                    self.sentences.relation[rows_of_edges],
                )
            )
        return TreeBatch(self.sentences.word[tokens][order], self.size[tokens][order], levels, roots)


def _positions(head: Integers) -> Integers:
    """Number the children of a head by side and distance: 0, 2, 4 to its left, 1, 3, 5 to its right, nearest first.

    >>> _positions(np.array([2, 2, -1, 2])).tolist()
    [2, 0, 0, 1]
    """
    found = np.zeros(len(head), np.int64)
    rows = np.arange(len(head))
    is_right = rows > head
    distance = np.abs(rows - head)
    children = np.flatnonzero(head >= 0)
    order = children[np.lexsort((distance[children], is_right[children], head[children]))]
    groups = SIDES * head[order] + is_right[order]
    begins = np.flatnonzero(np.concatenate([[True], groups[1:] != groups[:-1]]))
    rank = np.arange(len(order)) - np.repeat(begins, np.diff(np.concatenate([begins, [len(order)]])))
    found[order] = SIDES * np.minimum(rank, FARTHEST - 1) + is_right[order]
    return found
