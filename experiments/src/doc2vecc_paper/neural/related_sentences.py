"""SentenceRelatedness: an encoder of sentences and the head of Tai et al. 2015, learned from scored pairs.

ParsedPairs  --fit on train, best epoch by trial-->  predict: scores    transform: sentence vectors
"""

from __future__ import annotations

import copy
import time
from collections.abc import Callable
from typing import TYPE_CHECKING, Any, NamedTuple, Self

import numpy as np
import numpy.typing as npt
from sklearn.base import BaseEstimator
from sklearn.utils.validation import check_is_fitted

from doc2vecc import ParameterError
from doc2vecc.evaluation import correlation
from doc2vecc_paper.datasets.parses import ParsedPairs, ParsedSentences
from doc2vecc_paper.neural.trees import Integers, Trees

if TYPE_CHECKING:
    import torch

    from doc2vecc_paper.neural.networks.relatedness_head import RelatednessHead
    from doc2vecc_paper.neural.networks.sentence_encoders import Encoder

ENCODERS = ("mean", "lstm", "bilstm", "tree-lstm", "dt-rnn", "sdt-rnn")
PAIRS_AT_ONCE = 250  # without gradients


class EpochScore(NamedTuple):
    """The loss of an epoch, the correlation on the trial pairs after it, and the seconds so far."""

    loss: float
    trial_pearson: float
    seconds: float


class SentenceRelatedness(BaseEstimator):  # type: ignore[misc]
    """Learn relatedness from pairs of parsed sentences; the epoch with the best trial correlation is kept."""

    def __init__(
        self,
        encoder: str = "lstm",
        vector_size: int = 150,
        hidden: int = 50,
        alpha: float = 0.05,
        l2: float = 1e-4,
        batch_size: int = 25,
        epochs: int = 10,
        workers: int | None = None,
        random_state: int | None = None,
    ) -> None:
        self.encoder = encoder
        self.vector_size = vector_size
        self.hidden = hidden
        self.alpha = alpha
        self.l2 = l2
        self.batch_size = batch_size
        self.epochs = epochs
        self.workers = workers
        self.random_state = random_state

    def fit(self, pairs: ParsedPairs, y: None = None) -> Self:  # noqa: ARG002
        """Learn from the split "train"; "trial" chooses the epoch. ``y`` is ignored: pairs have scores."""
        import torch

        if self.workers is not None:
            torch.set_num_threads(self.workers)
        clock = time.perf_counter()
        draw = np.random.default_rng(self.random_state)
        with torch.random.fork_rng(devices=[]):
            torch.manual_seed(int(draw.integers(2**31)))
            self.network_ = _Network(_encoder(self.encoder, pairs, self.vector_size), self.hidden)
        train, trial = (_Sides.of(pairs.only(split)) for split in ("train", "trial"))
        optimizer = torch.optim.Adagrad(self.network_.parameters(), lr=self.alpha, weight_decay=self.l2)
        self.history_: list[EpochScore] = []
        best = -np.inf
        for _ in range(self.epochs):
            losses = [
                self.network_.step(optimizer, train, rows) * len(rows)
                for rows in _batches(draw.permutation(len(train)), self.batch_size)
            ]
            pearson = correlation(self.network_.predict(trial), trial.scores)
            self.history_.append(EpochScore(sum(losses) / len(train), pearson, time.perf_counter() - clock))
            if pearson > best:
                best, kept = pearson, self.network_.state()
        self.network_.restore(kept)
        return self

    def predict(self, pairs: ParsedPairs) -> npt.NDArray[np.float64]:
        """Return the expected score of every pair."""
        check_is_fitted(self)
        return self.network_.predict(_Sides.of(pairs))

    def transform(self, sentences: ParsedSentences) -> npt.NDArray[np.float32]:
        """Return the vectors of sentences."""
        check_is_fitted(self)
        return self.network_.encode(Trees.of(sentences))


class _Sides(NamedTuple):
    """The trees of the first sentences, then those of the second ones, and the scores of the pairs."""

    trees: Trees
    scores: npt.NDArray[np.float64]

    @classmethod
    def of(cls, pairs: ParsedPairs) -> _Sides:
        return cls(Trees.of(pairs.first.followed_by(pairs.second)), pairs.score)

    def __len__(self) -> int:
        return len(self.scores)


class _Network:
    """An encoder and a head, as one thing to be learned."""

    def __init__(self, encoder: Encoder, hidden: int) -> None:
        from doc2vecc_paper.neural.networks.relatedness_head import RelatednessHead

        self.encoder = encoder
        self.head: RelatednessHead = RelatednessHead(encoder.size, hidden)

    def parameters(self) -> list[Any]:
        return [*self.encoder.parameters(), *self.head.parameters()]

    def state(self) -> list[dict[str, Any]]:
        return copy.deepcopy([part.state_dict() for part in (self.encoder, self.head)])

    def restore(self, state: list[dict[str, Any]]) -> None:
        self.encoder.load_state_dict(state[0])
        self.head.load_state_dict(state[1])

    def step(self, optimizer: torch.optim.Optimizer, sides: _Sides, rows: Integers) -> float:
        """Change the weights by one minibatch and return its loss."""
        import torch

        from doc2vecc_paper.neural.networks.relatedness_head import loss

        optimizer.zero_grad()
        found = loss(self.forward(sides, rows), torch.from_numpy(sides.scores[rows]).float())
        found.backward()
        optimizer.step()
        return float(found.detach())

    def forward(self, sides: _Sides, rows: Integers) -> torch.Tensor:
        both = np.concatenate([rows, rows + len(sides.scores)])  # one batch for both sides: fewer, larger products
        first, second = self.encoder(self.encoder.batch(sides.trees, both)).chunk(2)
        return self.head(first, second)

    def predict(self, sides: _Sides) -> npt.NDArray[np.float64]:
        import torch

        from doc2vecc_paper.neural.networks.relatedness_head import expected_score

        with torch.no_grad():
            parts = [
                expected_score(self.forward(sides, rows)).double().numpy()
                for rows in _batches(np.arange(len(sides)), PAIRS_AT_ONCE)
            ]
        return np.concatenate(parts)

    def encode(self, trees: Trees) -> npt.NDArray[np.float32]:
        import torch

        with torch.no_grad():
            parts = [
                self.encoder(self.encoder.batch(trees, rows)).numpy()
                for rows in _batches(np.arange(len(trees.sentences)), PAIRS_AT_ONCE)
            ]
        return np.concatenate(parts)


def _batches(rows: Integers, size: int) -> list[Integers]:
    return [rows[start : start + size] for start in range(0, len(rows), size)]


def _encoder(name: str, pairs: ParsedPairs, size: int) -> Encoder:
    """Make the encoder with random weights."""
    import torch

    from doc2vecc_paper.neural.networks import sentence_encoders as some

    vectors = torch.from_numpy(pairs.vectors)
    makers: dict[str, Callable[[], Encoder]] = {
        "mean": lambda: some.MeanEncoder(vectors),
        "lstm": lambda: some.LstmEncoder(vectors, size, is_bidirectional=False),
        "bilstm": lambda: some.LstmEncoder(vectors, size, is_bidirectional=True),
        "tree-lstm": lambda: some.TreeLstmEncoder(vectors, size),
        "dt-rnn": lambda: some.DependencyRnnEncoder(vectors, size),
        "sdt-rnn": lambda: some.DependencyRnnEncoder(vectors, size, relations=len(pairs.relations)),
    }
    if name not in makers:
        raise ParameterError(f"there is no encoder {name!r}; choose from {', '.join(ENCODERS)}")
    return makers[name]()
