"""RnnLanguageModel: one recurrent language model for each class of documents; the likelier class is predicted.

texts, labels  --fit-->  a model per class  --likelihood-->  log p(text | class)  --predict-->  the class

Mesnil et al. 2014 with the settings of their script: 50 hidden units, 100 classes of words, n-gram weights up to order
3, truncated back-propagation, and gradients of hidden units clipped at 15, as their toolkit does. Differences: the
classes share one vocabulary, in which rare words are unknown, and a text starts with an empty state.
"""

from __future__ import annotations

import time
from concurrent.futures import ThreadPoolExecutor
from typing import TYPE_CHECKING, Any, NamedTuple, Self

import numpy as np
import numpy.typing as npt
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.utils.validation import check_is_fitted

from doc2vecc_paper.neural.tokens import END, WordTable, strings, words_of

if TYPE_CHECKING:  # Numba is imported when it is used
    from doc2vecc_paper.neural.language_model_kernel import Corpus, Partition, Scratch, Weights

Losses = npt.NDArray[np.float64]


class EpochLoss(NamedTuple):
    """The learning rate of an epoch, -log p per word while it learned, and the seconds so far."""

    alpha: float
    loss: float
    seconds: float


class RnnLanguageModel(ClassifierMixin, BaseEstimator):  # type: ignore[misc]
    """A classifier of texts; the learning rate is ``alpha`` for some epochs, then halved with each."""

    def __init__(
        self,
        vector_size: int = 50,
        word_classes: int = 100,
        order: int = 3,
        table_bits: int = 24,
        min_count: int = 2,
        alpha: float = 0.025,
        full_epochs: int = 1,
        epochs: int = 9,
        block: int = 10,
        max_gradient: float = 15.0,
        workers: int | None = None,
        random_state: int | None = None,
    ) -> None:
        self.vector_size = vector_size
        self.word_classes = word_classes
        self.order = order
        self.table_bits = table_bits
        self.min_count = min_count
        self.alpha = alpha
        self.full_epochs = full_epochs
        self.epochs = epochs
        self.block = block
        self.max_gradient = max_gradient
        self.workers = workers
        self.random_state = random_state

    def fit(self, X: Any, y: npt.ArrayLike) -> Self:  # noqa: ANN401, N803
        """Learn a language model from the texts of each class."""
        documents = [words_of(text) for text in strings(X)]
        labels = np.asarray(y)
        self.classes_ = np.unique(labels)
        self.vocabulary_ = WordTable.of(documents, self.min_count)
        self._partition = partition_by_frequency(self.vocabulary_.counts, self.word_classes)
        corpus = self._encode(documents)
        seeds = np.random.SeedSequence(self.random_state).spawn(len(self.classes_))
        rows = [np.flatnonzero(labels == one) for one in self.classes_]
        with ThreadPoolExecutor(self.workers or 1) as threads:
            learned = list(threads.map(lambda some, seed: self._learn(corpus, some, seed), rows, seeds))
        self.weights_: list[Weights] = [weights for weights, _ in learned]
        self.histories_ = [history for _, history in learned]
        return self

    def log_likelihood(self, X: Any) -> Losses:  # noqa: ANN401, N803
        """Return log p(text | class): a row for each text, a column for each class."""
        check_is_fitted(self)
        corpus = self._encode([words_of(text) for text in strings(X)])
        everything = np.arange(len(corpus.offsets) - 1)
        with ThreadPoolExecutor(self.workers or 1) as threads:
            losses = list(threads.map(lambda weights: self._run(corpus, everything, weights, 0.0), self.weights_))
        return -np.stack(losses, axis=1)

    def predict(self, X: Any) -> npt.NDArray[Any]:  # noqa: ANN401, N803
        """Return the class under which a text is likeliest."""
        found: npt.NDArray[Any] = self.classes_[self.log_likelihood(X).argmax(axis=1)]
        return found

    def _encode(self, documents: list[list[str]]) -> Corpus:
        from doc2vecc_paper.neural.language_model_kernel import Corpus

        encoded = [self.vocabulary_.encode(words) for words in documents]
        offsets = np.cumsum([0, *map(len, encoded)], dtype=np.int64)
        return Corpus(np.concatenate(encoded) if encoded else np.empty(0, np.int32), offsets)

    def _learn(
        self, corpus: Corpus, rows: npt.NDArray[Any], seed: np.random.SeedSequence
    ) -> tuple[Weights, list[EpochLoss]]:
        """Learn the model of one class."""
        draw = np.random.default_rng(seed)
        weights = self._start(draw)
        clock = time.perf_counter()
        words = int(np.diff(corpus.offsets)[rows].sum())
        history = []
        for epoch in range(self.epochs):
            alpha = self.alpha * 0.5 ** max(0, epoch + 1 - self.full_epochs)
            losses = self._run(corpus, draw.permutation(rows), weights, alpha)
            history.append(EpochLoss(alpha, float(losses.sum()) / words, time.perf_counter() - clock))
        return weights, history

    def _start(self, draw: np.random.Generator) -> Weights:
        """Return random weights; those of n-grams are 0."""
        from doc2vecc_paper.neural.language_model_kernel import Weights

        def table(rows: int) -> npt.NDArray[np.float32]:
            return np.asarray(draw.uniform(-0.1, 0.1, (3, rows, self.vector_size)).sum(0), np.float32)

        n_words, n_classes = len(self.vocabulary_), len(self._partition.starts) - 1
        direct = np.zeros(2**self.table_bits, np.float32)
        return Weights(table(n_words), table(self.vector_size), table(n_classes), table(n_words), direct)

    def _run(self, corpus: Corpus, rows: npt.NDArray[Any], weights: Weights, alpha: float) -> Losses:
        from doc2vecc_paper.neural.language_model_kernel import run_texts

        losses = np.zeros(len(rows))
        scratch = scratch_for(weights, self._partition, self.block, self.order, self.max_gradient)
        rate = weights.inputs.dtype.type(alpha)
        end_id = self.vocabulary_.ids[END]
        run_texts(corpus, rows, weights, self._partition, scratch, rate, end_id, losses)
        return losses


def partition_by_frequency(counts: npt.NDArray[np.int64], n_classes: int) -> Partition:
    """Divide words, frequent ones first, into classes of about equal sums of square roots of counts.

    >>> partition_by_frequency(np.array([100, 25, 16, 9, 4, 1]), 3).starts.tolist()
    [0, 1, 3, 6]
    """
    from doc2vecc_paper.neural.language_model_kernel import Partition

    roots = np.sqrt(counts)
    before = (np.cumsum(roots) - roots) / roots.sum()
    wanted = np.minimum((before * n_classes).astype(np.int64), n_classes - 1)
    _, of_word = np.unique(wanted, return_inverse=True)  # without empty classes
    starts = np.concatenate([[0], np.flatnonzero(np.diff(of_word)) + 1, [len(counts)]])
    return Partition(starts.astype(np.int64), of_word.astype(np.int64))


def scratch_for(weights: Weights, partition: Partition, block: int, order: int, max_gradient: float) -> Scratch:
    """Return the space that the kernel needs for these weights."""
    from doc2vecc_paper.neural.language_model_kernel import Scratch

    kind, hidden = weights.inputs.dtype, weights.inputs.shape[1]
    largest = max(int(np.diff(partition.starts).max()), len(partition.starts) - 1)
    return Scratch(
        np.zeros((block + 1, hidden), kind),
        np.zeros((block, hidden), kind),
        np.zeros(largest, kind),
        np.zeros(order, np.int64),
        np.zeros(hidden, kind),
        kind.type(max_gradient),
    )
