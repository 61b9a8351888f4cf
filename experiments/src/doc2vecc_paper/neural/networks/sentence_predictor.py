"""Skip-thought: a GRU encodes a sentence, two more predict the words of the sentences before and after it."""

from __future__ import annotations

from typing import NamedTuple

import torch
from torch import Tensor, nn
from torch.nn.utils.rnn import pack_padded_sequence


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
        packed = pack_padded_sequence(inputs, lengths, batch_first=True, enforce_sorted=False)
        _, last = self.encoder(packed)
        return torch.cat(tuple(last), dim=1)

    def forward(self, sentence: Padded, before: Padded, after: Padded, negatives: Negatives, end_id: int) -> Tensor:
        """Return the loss per word of predicting both neighbors."""
        vectors = self.encode(self.embedding(sentence.words), sentence.lengths)
        losses = [
            self._loss(decoder, vectors, neighbor, negatives, end_id)
            for decoder, neighbor in ((self.before, before), (self.after, after))
        ]
        count = before.lengths.sum() + after.lengths.sum()
        return (losses[0] + losses[1]) / count

    def _loss(self, decoder: nn.GRU, vectors: Tensor, target: Padded, negatives: Negatives, end_id: int) -> Tensor:
        """Return the summed loss of the words of a neighbor; each is predicted from the words before it."""
        begin = torch.full_like(target.words[:, :1], end_id)
        previous = self.embedding(torch.cat([begin, target.words[:, :-1]], dim=1))
        conditions = vectors[:, None, :].expand(-1, previous.shape[1], -1)
        states, _ = decoder(torch.cat([previous, conditions], dim=2))
        is_word = torch.arange(target.words.shape[1])[None, :] < target.lengths[:, None]
        states, words = states[is_word], target.words[is_word]
        right = (states * self.output(words)).sum(1) - negatives.log_expected[words]
        wrong = states @ self.output(negatives.words).T - negatives.log_expected[negatives.words]
        wrong = wrong.masked_fill(words[:, None] == negatives.words[None, :], float("-inf"))
        return (torch.logsumexp(torch.cat([right[:, None], wrong], dim=1), dim=1) - right).sum()
