"""SkipThought: sentence vectors from which the sentences before and after can be predicted (Kiros et al. 2015).

running text  -->  sentences  --fit: minibatches of (before, sentence, after)-->  a GRU  --transform-->  vectors

A document of several sentences is the mean of their vectors. Long trainings write checkpoints and continue from them.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple, Self

import numpy as np
import numpy.typing as npt
from sklearn.base import BaseEstimator, TransformerMixin
from sklearn.linear_model import Ridge
from sklearn.utils.validation import check_is_fitted

from doc2vecc import InputError, ParameterError
from doc2vecc_paper.files import atomic_write
from doc2vecc_paper.neural.tokens import END, UNKNOWN, WordTable, sentences_of, strings, words_of

if TYPE_CHECKING:
    import torch

    from doc2vecc_paper.neural.networks.sentence_predictor import Negatives, Padded, SentencePredictor

DIRECTIONS = ("uni", "bi")
LONGEST = 30  # words of a sentence, as published
SENTENCES_AT_ONCE = 256
BATCHES_OF_A_DRAW = 20  # are drawn at once and sorted by length, so that little is padded
CLIPPED_NORM = 10.0

Vectors = npt.NDArray[np.float32]
Integers = npt.NDArray[np.int64]


class Sentences(NamedTuple):
    """Sentences as ids with their ends: sentence k is ``offsets[k]`` to ``offsets[k + 1]``."""

    words: npt.NDArray[np.int32]
    offsets: Integers

    def __len__(self) -> int:
        return len(self.offsets) - 1


class Progress(NamedTuple):
    """A point of the learning curve: updates, loss since the last point, and what was watched.

    ``seconds`` are those of the processor, so that other load on the machine and pauses do not count.
    """

    updates: int
    seconds: float
    loss: float
    watched: Mapping[str, float]


class SkipThought(TransformerMixin, BaseEstimator):  # type: ignore[misc]
    """Learn a sentence encoder from running text, such as novels.

    ``direction`` "bi" reads forward and backward with half of the units each. ``checkpoint`` is a file that a training
    continues from; it holds the finished model, too.
    """

    def __init__(
        self,
        direction: str = "uni",
        vector_size: int = 256,
        embedding_size: int = 128,
        max_words: int = 20_000,
        batch_size: int = 128,
        negative: int = 500,
        alpha: float = 1e-3,
        updates: int = 4_000,
        report_every: int = 500,
        checkpoint: Path | None = None,
        workers: int | None = None,
        random_state: int | None = None,
    ) -> None:
        self.direction = direction
        self.vector_size = vector_size
        self.embedding_size = embedding_size
        self.max_words = max_words
        self.batch_size = batch_size
        self.negative = negative
        self.alpha = alpha
        self.updates = updates
        self.report_every = report_every
        self.checkpoint = checkpoint
        self.workers = workers
        self.random_state = random_state

    def fit(
        self,
        X: Any,  # noqa: ANN401, N803
        y: None = None,  # noqa: ARG002
        *,
        watch: Callable[[SkipThought], Mapping[str, float]] | None = None,
    ) -> Self:
        """Learn from texts in their order, or continue from the checkpoint; ``watch`` is called for every report."""
        import torch

        if self.direction not in DIRECTIONS:
            raise ParameterError(f"direction={self.direction!r} is unknown; choose from {', '.join(DIRECTIONS)}")
        if self.workers is not None:
            torch.set_num_threads(self.workers)
        documents = [words_of(part)[: LONGEST - 1] for text in strings(X) for part in sentences_of(text)]
        self.vocabulary_ = WordTable.of(documents, 1, self.max_words)
        sentences = self._encode(documents)
        if len(sentences) < 3:
            raise InputError(f"{len(sentences)} sentences are too few; a sentence is learned between two others")
        with torch.random.fork_rng(devices=[]):
            torch.manual_seed(self.random_state or 0)
            self.network_ = self._network()
        self.extra_: dict[str, Vectors] = {}
        self._learn(sentences, watch)
        return self

    def transform(self, X: Any) -> Vectors:  # noqa: ANN401, N803
        """Return a vector for each text, the mean of its sentences; zeros for a text without any."""
        check_is_fitted(self)
        texts = [[words_of(part)[: LONGEST - 1] for part in sentences_of(text)] for text in strings(X)]
        vectors = self._vectors([words for text in texts for words in text])
        found = np.zeros((len(texts), self.vector_size), np.float32)
        owners = np.repeat(np.arange(len(texts)), [len(text) for text in texts])
        np.add.at(found, owners, vectors)
        found /= np.maximum(np.bincount(owners, minlength=len(texts)), 1)[:, None]
        return found

    def expand(self, words: list[str], vectors: npt.NDArray[Any]) -> Self:
        """Give words that were not learned an embedding, by a linear map from other word vectors, as published.

        The map is fitted on the words that have both.
        """
        check_is_fitted(self)
        rows = [row for row, word in enumerate(words) if word in self.vocabulary_.ids]
        if not rows:
            raise InputError("no word of these vectors was learned from; the map needs words that have both vectors")
        known = self.network_.embedding.weight.detach().numpy()[[self.vocabulary_.ids[words[row]] for row in rows]]
        mapped = Ridge(1.0).fit(vectors[rows], known).predict(vectors).astype(np.float32)
        self.extra_ |= {
            word: vector for word, vector in zip(words, mapped, strict=True) if word not in self.vocabulary_.ids
        }
        return self

    # ---- learning

    def _network(self) -> SentencePredictor:
        from doc2vecc_paper.neural.networks.sentence_predictor import SentencePredictor

        n_words, is_bidirectional = len(self.vocabulary_), self.direction == "bi"
        return SentencePredictor(n_words, self.embedding_size, self.vector_size, is_bidirectional=is_bidirectional)

    def _encode(self, documents: list[list[str]]) -> Sentences:
        encoded = [self.vocabulary_.encode(words) for words in documents]
        return Sentences(np.concatenate(encoded), np.cumsum([0, *map(len, encoded)], dtype=np.int64))

    def _learn(self, sentences: Sentences, watch: Callable[[SkipThought], Mapping[str, float]] | None) -> None:
        import torch

        optimizer = torch.optim.Adam(self.network_.parameters(), lr=self.alpha, fused=True)
        self.history_: list[Progress] = []
        done, before = self._continue(optimizer)
        clock = time.process_time() - before
        losses: list[float] = []
        for update in range(done, self.updates):
            optimizer.zero_grad()
            loss = self._loss(sentences, update)
            loss.backward()
            torch.nn.utils.clip_grad_norm_(self.network_.parameters(), CLIPPED_NORM)
            optimizer.step()
            losses.append(float(loss.detach()))
            if (update + 1) % self.report_every == 0 or update + 1 == self.updates:
                seconds = time.process_time() - clock
                watched = {} if watch is None else dict(watch(self))
                self.history_.append(Progress(update + 1, seconds, float(np.mean(losses)), watched))
                losses = []
                self._save(optimizer)
                clock = time.process_time() - seconds  # watching and saving is not training

    def _loss(self, sentences: Sentences, update: int) -> torch.Tensor:
        """Return the loss of a minibatch; seed and number decide it, so that a continued training draws the same."""
        rows = self._rows(len(sentences), sentences.offsets, update)
        parts = [padded(sentences, rows + shift, self.vocabulary_.ids[END]) for shift in (0, -1, 1)]
        return self.network_(*parts, self._negatives(update), self.vocabulary_.ids[END])

    def _rows(self, count: int, offsets: Integers, update: int) -> Integers:
        """Draw many sentences that have neighbors, sort them by length, and return the part of this update."""
        draw = np.random.default_rng([self.random_state or 0, update // BATCHES_OF_A_DRAW])
        drawn = draw.integers(1, count - 1, BATCHES_OF_A_DRAW * self.batch_size)
        drawn = drawn[np.argsort(offsets[drawn + 1] - offsets[drawn], kind="stable")]
        batches = draw.permutation(drawn.reshape(BATCHES_OF_A_DRAW, self.batch_size), axis=0)
        found: Integers = batches[update % BATCHES_OF_A_DRAW]
        return found

    def _negatives(self, update: int) -> Negatives:
        """Draw words in proportion to count ** 0.75."""
        import torch

        from doc2vecc_paper.neural.networks.sentence_predictor import Negatives

        draw = np.random.default_rng([self.random_state or 0, update, 1])
        shares = self.vocabulary_.counts**0.75
        shares = shares / shares.sum()
        words = np.searchsorted(np.cumsum(shares), draw.random(self.negative)).clip(max=len(shares) - 1)
        expected = torch.from_numpy(np.log(self.negative * shares)).float()
        return Negatives(torch.from_numpy(words), expected)

    # ---- checkpoints

    def _settings(self) -> dict[str, Any]:
        """Return what a checkpoint must agree with; the number of updates may grow."""
        free = ("updates", "report_every", "checkpoint", "workers")
        settings = {name: value for name, value in self.get_params().items() if name not in free}
        return {**settings, "words": len(self.vocabulary_), "tokens": int(self.vocabulary_.counts.sum())}

    def _save(self, optimizer: torch.optim.Optimizer) -> None:
        import torch

        if self.checkpoint is None:
            return
        self.checkpoint.parent.mkdir(parents=True, exist_ok=True)
        content = {
            "settings": self._settings(),
            "history": [tuple(one) for one in self.history_],
            "network": self.network_.state_dict(),
            "optimizer": optimizer.state_dict(),
        }
        with atomic_write(self.checkpoint) as file:
            torch.save(content, file)

    def _continue(self, optimizer: torch.optim.Optimizer) -> tuple[int, float]:
        """Read the checkpoint, if there is one -> updates and seconds so far."""
        import torch

        if self.checkpoint is None or not self.checkpoint.exists():
            return 0, 0.0
        content = torch.load(self.checkpoint, weights_only=True)
        if content["settings"] != self._settings():
            raise ParameterError(f"{self.checkpoint} is of another training; name another file, or remove it")
        self.network_.load_state_dict(content["network"])
        optimizer.load_state_dict(content["optimizer"])
        self.history_ = [Progress(*one) for one in content["history"]]
        return (self.history_[-1].updates, self.history_[-1].seconds) if self.history_ else (0, 0.0)

    # ---- representing

    def _vectors(self, documents: list[list[str]]) -> Vectors:
        """Return the vectors of sentences, given as words; an unknown word has the embedding of UNKNOWN."""
        import torch

        table = self.network_.embedding.weight.detach().numpy()
        extra = dict(zip(self.extra_, range(len(table), len(table) + len(self.extra_)), strict=True))
        if extra:
            table = np.concatenate([table, np.stack(list(self.extra_.values()))])
        ids = {**extra, **self.vocabulary_.ids}
        unknown, end = ids[UNKNOWN], ids[END]
        encoded = [[*(ids.get(word, unknown) for word in words), end] for words in documents]
        sizes = np.array([len(words) for words in encoded], np.int64)
        flat = Sentences(
            np.array([one for words in encoded for one in words], np.int32), np.concatenate([[0], np.cumsum(sizes)])
        )
        embeddings = torch.from_numpy(table)
        found = np.zeros((len(encoded), self.vector_size), np.float32)
        order = np.argsort(sizes, kind="stable")
        with torch.no_grad():
            for start in range(0, len(order), SENTENCES_AT_ONCE):
                rows = order[start : start + SENTENCES_AT_ONCE]
                batch = padded(flat, rows, end)
                found[rows] = self.network_.encode(embeddings[batch.words], batch.lengths).numpy()
        return found


def padded(sentences: Sentences, rows: Integers, end_id: int) -> Padded:
    """Return some sentences as a rectangle, filled up with ends."""
    import torch

    from doc2vecc_paper.neural.networks.sentence_predictor import Padded

    starts, stops = sentences.offsets[rows], sentences.offsets[rows + 1]
    places = starts[:, None] + np.arange((stops - starts).max())
    is_inside = places < stops[:, None]
    words = np.where(is_inside, sentences.words[np.minimum(places, len(sentences.words) - 1)], end_id)
    return Padded(torch.from_numpy(words.astype(np.int64)), torch.from_numpy(stops - starts))
