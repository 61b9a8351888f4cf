"""Skip-thought: a GRU encodes a sentence, two more predict the words of the sentences before and after it."""

from __future__ import annotations

from typing import NamedTuple

import torch
from torch import Tensor, nn
from torch.nn.utils.rnn import PackedSequence, pack_padded_sequence


class Padded(NamedTuple):
    """Sentences of word ids, a row each, filled up with the id of the end; ``lengths`` counts the end."""

    words: Tensor
    lengths: Tensor


class Negatives(NamedTuple):
    """Words drawn for a whole batch, and the logarithm of how often each word is expected among them."""

    words: Tensor
    log_expected: Tensor  # of all words of the vocabulary


class SentencePredictor(nn.Module):  # type: ignore[misc]
    """The network of Kiros et al. 2015; a bidirectional encoder has half of its units in each direction.

    The loss is a sampled softmax: the right word against negatives that a batch shares, with scores corrected for how
    often a word is drawn.
    """

    def __init__(self, n_words: int, embedding_size: int, size: int, *, is_bidirectional: bool) -> None:
        super().__init__()
        self.embedding = nn.Embedding(n_words, embedding_size)
        nn.init.uniform_(self.embedding.weight, -0.1, 0.1)
        units = size // 2 if is_bidirectional else size
        self.encoder = nn.GRU(embedding_size, units, batch_first=True, bidirectional=is_bidirectional)
        self.before = nn.GRU(embedding_size + size, size, batch_first=True)
        self.after = nn.GRU(embedding_size + size, size, batch_first=True)
        self.output = nn.Embedding(n_words, size)
        nn.init.uniform_(self.output.weight, -0.1, 0.1)

    def encode(self, inputs: Tensor, lengths: Tensor) -> Tensor:
        """Return the last state of embedded sentences, of both directions one beside the other."""
        _, last = self.encoder(_packed(inputs, lengths))
        return torch.cat(tuple(last), dim=1)

    def forward(self, sentence: Padded, before: Padded, after: Padded, negatives: Negatives, end_id: int) -> Tensor:
        """Return the loss per word of predicting both neighbors."""
        neighbors = ((self.before, before), (self.after, after))
        read = [sentence.words, *(_previous(target.words, end_id) for _, target in neighbors)]
        # One look-up for all: the gradient of a look-up is as large as the table.
        looked_up = self.embedding(torch.cat([words.reshape(-1) for words in read]))
        parts = looked_up.split([words.numel() for words in read])
        inputs = [part.view(*words.shape, -1) for part, words in zip(parts, read, strict=True)]
        vectors = self.encode(inputs[0], sentence.lengths)
        states = [
            _states(decoder, vectors, some, target.lengths)
            for (decoder, target), some in zip(neighbors, inputs[1:], strict=True)
        ]
        words = [_packed(target.words, target.lengths).data for _, target in neighbors]
        return self._loss(torch.cat(states), torch.cat(words), negatives)

    def _loss(self, states: Tensor, words: Tensor, negatives: Negatives) -> Tensor:
        """Return the mean loss of words, each predicted from a state."""
        outputs, drawn = self.output(torch.cat([words, negatives.words])).split([len(words), len(negatives.words)])
        right = (states * outputs).sum(1) - negatives.log_expected[words]
        wrong = states @ drawn.T - negatives.log_expected[negatives.words]
        wrong = wrong.masked_fill(words[:, None] == negatives.words[None, :], float("-inf"))
        return (torch.logsumexp(torch.cat([right[:, None], wrong], dim=1), dim=1) - right).mean()


def _previous(words: Tensor, end_id: int) -> Tensor:
    """Return the word before each word; an end is before the first one."""
    return torch.cat([torch.full_like(words[:, :1], end_id), words[:, :-1]], dim=1)


def _packed(values: Tensor, lengths: Tensor) -> PackedSequence:
    return pack_padded_sequence(values, lengths, batch_first=True, enforce_sorted=False)


def _states(decoder: nn.GRU, vectors: Tensor, previous: Tensor, lengths: Tensor) -> Tensor:
    """Return the states of a decoder, in the order of packed words; it reads the sentence vector with every word."""
    conditions = vectors[:, None, :].expand(-1, previous.shape[1], -1)
    states, _ = decoder(_packed(torch.cat([previous, conditions], dim=2), lengths))
    return states.data
