"""One worker: a process somewhere in the cluster that reads its pieces of the input and trains on them.

It keeps its texts, as ids, in files on its own disk. A method is called by the driver, one after the other; the driver
can ask for the progress at any time. Another worker with the same pieces can take the place of one that died: whatever
is not in the pieces comes with the calls.
"""

import time
from collections.abc import Iterator, Mapping, Sequence
from copy import deepcopy
from dataclasses import replace
from itertools import islice
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from doc2vecc.cluster.crew import whereabouts
from doc2vecc.cluster.inputs import Piece, ReadingPlan, open_piece
from doc2vecc.cluster.merging import ExchangedTable, Update
from doc2vecc.config import TrainingConfig
from doc2vecc.console import Silent
from doc2vecc.corpus.encoded import EncodedCorpus, EncodingReport
from doc2vecc.corpus.encoding import NumberedTexts, number_texts
from doc2vecc.corpus.ngrams import count_frequent_ngrams
from doc2vecc.corpus.numbering import Tokenizer
from doc2vecc.corpus.report import ReadReport
from doc2vecc.corpus.sources import TextBatches
from doc2vecc.corpus.tokenizer import BuiltinTokenizer
from doc2vecc.corpus.vocabulary import Vocabulary, find_words
from doc2vecc.kernels.base.rows import Table
from doc2vecc.kernels.training.contexts import Rows
from doc2vecc.kernels.training.loop import Chunk, merge_private_rows
from doc2vecc.model import Model, TrainingState
from doc2vecc.training.checkpoint import digest
from doc2vecc.training.start import document_frequencies, document_lengths, products_by_documents
from doc2vecc.training.trainer import Training

Keys = npt.NDArray[np.uint64]  # n-grams: the id of the beginning, and that of the last word in the lower half


class Counts(NamedTuple):
    """What a worker has read."""

    words: Vocabulary
    report: EncodingReport
    reading: ReadReport


class Encoded(NamedTuple):
    """What a worker trains on."""

    report: EncodingReport
    words: int
    frequencies: npt.NDArray[np.int64]  # of every word: the documents that it occurs in
    digest: str


class Step(NamedTuple):
    """What a worker has learned since the last exchange."""

    update: Update
    state: TrainingState
    is_finished: bool
    seconds: float  # of training


class ShardTraining(Training):
    """The training on the texts of one worker, a part at a time."""

    def load_kernels(self) -> None:
        """Compile them, or load them, before the time of a part begins."""
        merge_private_rows(self.inputs, self.inputs[:0], Rows(0, 0, 0), 0)
        self._train_chunk(Chunk(0, 0, 0, 0, 0, 0.0, 0.0), Rows(0, 0, 0), self.workspace(self.inputs))

    def run_part(self, seconds: float, chunks: int) -> None:
        """Train on so many more chunks, for this time at most; what is left of them comes next time."""
        n_chunks, remaining = self.n_chunks, self._chunks
        self.n_chunks, self._chunks = min(n_chunks, self.state.chunks + chunks), islice(remaining, chunks)
        try:
            self._run_threads(Silent(), seconds)
        finally:
            self.n_chunks, self._chunks = n_chunks, remaining

    def chunks_of(self, share: float) -> int:
        """Return how many chunks are this share of an epoch, one at least."""
        return max(1, round(share * self.n_chunks / self.n_epochs))

    def is_finished(self) -> bool:
        """Return whether nothing is left to train on, or no time."""
        return self._is_finished()


class Worker:
    """Reads pieces, counts and encodes their words, and trains on them, with the threads of the configuration."""

    def __init__(
        self,
        number: int,
        pieces: Sequence[Piece],
        plan: ReadingPlan,
        config: TrainingConfig,
        tokenizer: Tokenizer | None = None,
    ) -> None:
        self._number = number
        self._pieces = pieces
        self._plan = plan
        # Every worker draws from a stream of its own.
        seed = int(np.random.SeedSequence([config.seed, number]).generate_state(1)[0] >> 1)
        self._config = replace(config, seed=seed)
        self._tokenizer = tokenizer or BuiltinTokenizer()
        self._texts: NumberedTexts | None = None
        self._batches: TextBatches | None = None  # of the piece that is being read
        self._finished_bytes = 0
        self._reading = ReadReport()
        self._ngrams: tuple[Keys, npt.NDArray[np.int64]] | None = None
        self._corpus: EncodedCorpus | None = None
        self._training: ShardTraining | None = None
        self._tables: tuple[ExchangedTable, ExchangedTable] | None = None
        self._round = 0

    def whereabouts(self) -> tuple[str, int]:
        """Return the node and the process that this worker is in."""
        return whereabouts()

    def progress(self) -> float:
        """Return the bytes that have been read."""
        return self._finished_bytes + (self._batches.bytes_read() if self._batches is not None else 0)

    # ---- reading

    def count(self) -> Counts:
        """Read the pieces, number the tokens and count the words."""
        self._finished_bytes, self._reading = 0, ReadReport()
        self._texts = number_texts(self._read(), self._tokenizer, self._config.workers)
        return Counts(self._texts.words, self._texts.report, self._reading)

    def _read(self) -> Iterator[Any]:
        for piece in self._pieces:
            with open_piece(piece, self._plan) as batches:
                self._batches = batches if isinstance(batches, TextBatches) else None
                for batch in batches:
                    yield batch.column(batches.text_column)
                self._batches = None
                self._finished_bytes += piece.size
                if piece.shard.number == 0:  # the others have met the same
                    self._reading.add(batches.report)

    def to_word_ids(self, vocabulary: Vocabulary) -> None:
        """Translate the numbers into the ids of words, to count n-grams."""
        texts = self._need(self._texts)
        texts.to_word_ids(find_words(texts.words, vocabulary), self._config.workers)

    def count_ngrams(
        self, known: npt.NDArray[np.int32], order: int, is_joined: npt.NDArray[np.bool_], at_least: int
    ) -> tuple[Keys, int, int]:
        """Count the n-grams of ``order + 1`` words -> (those that occur so often here, forgotten ones, occurrences)."""
        (ngrams, counts), forgotten, occurrences = count_frequent_ngrams(
            self._need(self._texts).spool,
            known,
            order,
            1,
            is_joined,
            n_words=len(is_joined) - 1,
            threads=(self._config.workers, self._config.workers),
        )
        keys = ngrams[:, 0].astype(np.uint64) << np.uint64(32) | ngrams[:, 1].astype(np.uint64)
        order_of_keys = np.argsort(keys)
        self._ngrams = keys[order_of_keys], counts[order_of_keys]
        return keys[counts >= at_least], forgotten, occurrences

    def counts_of(self, wanted: Keys) -> npt.NDArray[np.int64]:
        """Return how often n-grams occur here, of those that were counted last."""
        keys, counts = self._need(self._ngrams)
        places = np.minimum(np.searchsorted(keys, wanted), max(len(keys) - 1, 0))
        return np.where(keys[places] == wanted, counts[places], 0) if len(keys) else np.zeros(len(wanted), np.int64)

    def encode(self, vocabulary: Vocabulary) -> Encoded:
        """Write the ids of words and n-grams to files on the disk of this machine."""
        texts, threads = self._need(self._texts), self._config.workers
        ids = find_words(texts.words, vocabulary)
        if len(vocabulary.ngrams) and not texts.has_word_ids:
            texts.to_word_ids(ids, threads)
        self._corpus = corpus = texts.to_corpus(vocabulary, ids, threads, binary=self._config.binary)
        self._texts = self._ngrams = None
        frequencies = document_frequencies(corpus) if len(corpus) else np.zeros(len(vocabulary), np.int64)
        return Encoded(corpus.report, len(corpus.ids), frequencies, digest(corpus.ids, corpus.offsets))

    # ---- the spectral start

    def products(self, idf: npt.NDArray[np.float32], vectors: Table) -> Table:
        """Return A' A vectors, summed over the documents of this worker."""
        corpus = self._need(self._corpus)
        if len(corpus) == 0:
            return np.zeros_like(vectors)
        # Kernels see arrays that can be written, as on one machine; what came from the driver cannot.
        return products_by_documents(corpus, idf.copy(), vectors.copy(), self._config.workers)

    def document_lengths(self, vectors: Table) -> tuple[npt.NDArray[np.float64], int]:
        """Return lengths of documents with these vectors of words, and how many documents there are."""
        corpus = self._need(self._corpus)
        return (document_lengths(corpus, vectors, self._config.keep), len(corpus)) if len(corpus) else (np.zeros(2), 0)

    # ---- training

    def begin(
        self, inputs: Table, outputs: Table, decided: Mapping[str, Any], number: int, states: Sequence[TrainingState]
    ) -> None:
        """Start from these tables, as of this round, after the chunks that the state of this worker counts.

        ``decided`` are the settings that the size of all texts decides.
        """
        corpus, config = self._need(self._corpus), replace(self._config, **decided)
        dim = config.dim
        training = ShardTraining(corpus, config, Model(corpus.vocabulary, inputs, dim, outputs=outputs))
        training.resume(deepcopy(states[self._number]), None)
        training.load_kernels()
        n_words = len(corpus.vocabulary)
        self._training, self._round = training, number
        self._tables = (ExchangedTable(training.inputs, n_words, dim), ExchangedTable(training.outputs, n_words, dim))

    def train(self, number: int, merged: Update | None, seconds: float, share: float) -> Step:
        """Take what all have learned up to this round, and train on this share of an epoch, or for this time."""
        training, (inputs, outputs) = self._need(self._training), self._need(self._tables)
        if merged is not None and number > self._round:
            inputs.receive(merged.inputs)
            outputs.receive(merged.outputs)
        self._round = number
        started = time.perf_counter()
        if not training.is_finished():
            training.run_part(seconds, training.chunks_of(share))
        trained = time.perf_counter() - started
        update = Update(inputs.changes(), outputs.changes())
        return Step(update, deepcopy(training.state), training.is_finished(), trained)

    @staticmethod
    def _need(value: Any) -> Any:  # noqa: ANN401
        """Return what an earlier call has made."""
        if value is None:
            raise RuntimeError("the driver calls the methods of a worker in order")
        return value
