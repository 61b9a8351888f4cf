"""Sentences -> vectors: means, LSTMs over words, and networks over dependency trees; the word vectors are fixed.

Every encoder makes a batch of sentences with ``batch`` (NumPy) and computes it with ``forward`` (torch).
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np
import torch
from torch import Tensor, nn

from doc2vecc_paper.datasets.parses import token_rows
from doc2vecc_paper.neural.trees import FARTHEST, SIDES, Integers, TreeBatch, Trees


class SequenceBatch(NamedTuple):
    """Sentences of words, filled up with the first word; ``lengths`` tells where they end."""

    word: Tensor
    lengths: Tensor


def sequences(trees: Trees, rows: Integers) -> SequenceBatch:
    """Return the words of some sentences, a row each."""
    tokens, offsets = token_rows(trees.sentences.offsets, rows)
    lengths = np.diff(offsets)
    places = np.minimum(np.arange(lengths.max())[None, :], lengths[:, None] - 1) + offsets[:-1, None]
    return SequenceBatch(torch.from_numpy(trees.sentences.word[tokens][places]), torch.from_numpy(lengths))


class Encoder(nn.Module):  # type: ignore[misc]
    """What all encoders have: the fixed word vectors, and the number of dimensions of a sentence vector."""

    def __init__(self, vectors: Tensor, size: int) -> None:
        super().__init__()
        self.register_buffer("vectors", vectors, persistent=False)
        self.size = size

    def batch(self, trees: Trees, rows: Integers) -> Any:  # noqa: ANN401
        """Return the sentences as ``forward`` takes them."""
        return sequences(trees, rows)


class MeanEncoder(Encoder):
    """The mean of the word vectors."""

    def __init__(self, vectors: Tensor) -> None:
        super().__init__(vectors, vectors.shape[1])

    def forward(self, batch: SequenceBatch) -> Tensor:
        """Return the means."""
        is_word = torch.arange(batch.word.shape[1])[None, :] < batch.lengths[:, None]
        return (self.vectors[batch.word] * is_word[:, :, None]).sum(1) / batch.lengths[:, None]


class LstmEncoder(Encoder):
    """The last state of an LSTM without output gate (Tai et al. 2015, for relatedness).

    Bidirectional: the last states of the same LSTM read forward and backward.
    """

    def __init__(self, vectors: Tensor, size: int, *, is_bidirectional: bool) -> None:
        super().__init__(vectors, size * (2 if is_bidirectional else 1))
        self.from_word = nn.Linear(vectors.shape[1], 3 * size)
        self.from_state = nn.Linear(size, 3 * size, bias=False)
        self.is_bidirectional = is_bidirectional

    def forward(self, batch: SequenceBatch) -> Tensor:
        """Return the last states."""
        inputs = self.from_word(self.vectors[batch.word])
        if not self.is_bidirectional:
            return self._last(inputs, batch.lengths)
        places = torch.arange(inputs.shape[1])[None, :]
        back = (batch.lengths[:, None] - 1 - places).clamp(min=0)
        reverse = torch.gather(inputs, 1, back[:, :, None].expand_as(inputs))
        both = self._last(torch.cat([inputs, reverse]), batch.lengths.repeat(2))
        return torch.cat(both.chunk(2), dim=1)

    def _last(self, inputs: Tensor, lengths: Tensor) -> Tensor:
        # The longest sentences first: those that have ended are at the end, and are left out step by step.
        order = torch.argsort(lengths, descending=True, stable=True)
        alive = (lengths[order][None, :] > torch.arange(inputs.shape[1])[:, None]).sum(1).tolist()
        steps = inputs[order].transpose(0, 1)
        size = steps.shape[2] // 3
        memory = steps.new_zeros(len(order), size)
        state = memory
        ended: list[Tensor] = []
        for step, count in zip(steps, alive, strict=True):
            if count < len(state):
                ended.append(state[count:])
                state, memory = state[:count], memory[:count]
            gates = step[:count] + self.from_state(state)
            inputs_and_forgets = torch.sigmoid(gates[:, : 2 * size])
            memory = inputs_and_forgets[:, :size] * torch.tanh(gates[:, 2 * size :]) + (
                inputs_and_forgets[:, size:] * memory
            )
            state = torch.tanh(memory)
        ended.append(state)
        return torch.cat(ended[::-1])[torch.argsort(order)]


class TreeEncoder(Encoder):
    """The state of the root; a child class computes the nodes of one height from the states of their children."""

    def batch(self, trees: Trees, rows: Integers) -> TreeBatch:
        """Return the trees of the sentences, level by level."""
        return trees.batch(rows)


class TreeLstmEncoder(TreeEncoder):
    """The child-sum Tree-LSTM without output gate (Tai et al. 2015, for relatedness)."""

    def __init__(self, vectors: Tensor, size: int) -> None:
        super().__init__(vectors, size)
        self.from_word = nn.Linear(vectors.shape[1], 3 * size)
        self.from_sum = nn.Linear(size, 2 * size, bias=False)
        self.from_child = nn.Linear(size, size, bias=False)

    def forward(self, batch: TreeBatch) -> Tensor:
        """Return the states of the roots."""
        inputs = self.from_word(self.vectors[torch.from_numpy(batch.word)])
        size = self.size
        states: list[Tensor] = []
        memories: list[Tensor] = []
        for level in batch.levels:
            here = inputs[level.start : level.stop]
            entering = here[:, : 2 * size]
            kept: Tensor | float = 0.0
            if len(level.child):
                child, parent = torch.from_numpy(level.child), torch.from_numpy(level.parent)
                child_states = _rows(states, child)
                entering = entering + self.from_sum(_sums(child_states, parent, len(here)))
                forget = torch.sigmoid(here[parent, 2 * size :] + self.from_child(child_states))
                kept = _sums(forget * _rows(memories, child), parent, len(here))
            memory = torch.sigmoid(entering[:, :size]) * torch.tanh(entering[:, size:]) + kept
            memories.append(memory)
            states.append(torch.tanh(memory))
        return _rows(states, torch.from_numpy(batch.roots))


class DependencyRnnEncoder(TreeEncoder):
    """The DT-RNN of Socher et al. 2014, and its SDT-RNN if the weights depend on the relation.

    h = tanh((W x + sum over children of size(child) W[label] h(child)) / size), where a size counts words and a
    label is the position of the child, or its relation. All W[label] start near the identity, so that a root
    starts as a mean of its words.
    """

    def __init__(self, vectors: Tensor, size: int, *, relations: int | None = None) -> None:
        super().__init__(vectors, size)
        self.by_relation = relations is not None
        labels = SIDES * FARTHEST if relations is None else relations
        self.from_word = nn.Linear(vectors.shape[1], size)
        self.from_child = nn.Parameter(torch.eye(size) + 0.01 * torch.randn(labels, size, size))

    def forward(self, batch: TreeBatch) -> Tensor:
        """Return the states of the roots."""
        inputs = self.from_word(self.vectors[torch.from_numpy(batch.word)])
        sizes = torch.from_numpy(batch.size).to(inputs.dtype)[:, None]
        states: list[Tensor] = []
        for level in batch.levels:
            here = inputs[level.start : level.stop]
            if len(level.child):
                child, parent = torch.from_numpy(level.child), torch.from_numpy(level.parent)
                labels = level.relation if self.by_relation else level.position
                moved = self._moved(sizes[child] * _rows(states, child), labels)
                here = here + _sums(moved, parent, len(here))
            states.append(torch.tanh(here / sizes[level.start : level.stop]))
        return _rows(states, torch.from_numpy(batch.roots))

    def _moved(self, children: Tensor, labels: Integers) -> Tensor:
        """Multiply every child with the matrix of its label: the children of a label are one product."""
        used, group = np.unique(labels, return_inverse=True)
        counts = np.bincount(group)
        order = np.argsort(group, kind="stable")
        place = np.empty(len(group), np.int64)
        place[order] = np.arange(len(group)) - np.repeat(np.cumsum(counts) - counts, counts)
        where = torch.from_numpy(group * counts.max() + place)
        filled = children.new_zeros(len(used) * int(counts.max()), self.size).index_copy(0, where, children)
        weights = self.from_child[torch.from_numpy(used)]
        return torch.bmm(filled.view(len(used), -1, self.size), weights.transpose(1, 2)).reshape(-1, self.size)[where]


def _rows(levels: Sequence[Tensor], places: Tensor) -> Tensor:
    return torch.cat(tuple(levels)).index_select(0, places)


def _sums(edges: Tensor, parent: Tensor, count: int) -> Tensor:
    return edges.new_zeros(count, edges.shape[1]).index_add(0, parent, edges)
