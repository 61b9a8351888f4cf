"""Training: threads work through the schedule on shared tables and leave a finished model."""

import math
import threading
import time
from contextlib import nullcontext
from dataclasses import asdict, dataclass
from typing import NamedTuple

import numpy as np

from doc2vecc.config import TrainingConfig, auto_epochs
from doc2vecc.console import ProgressListener, Silent
from doc2vecc.corpus.encoded import EncodedCorpus
from doc2vecc.corpus.numbering import Tokenizer
from doc2vecc.errors import DivergenceError
from doc2vecc.kernels.base.rows import Rates, Tables
from doc2vecc.kernels.base.sampling import alias_table, gap_table
from doc2vecc.kernels.training.contexts import Rows
from doc2vecc.kernels.training.loop import Chunk, Documents, merge_private_rows, train_chunk
from doc2vecc.kernels.training.settings import ABSENT, CBOW, CORRUPTED, SKIPGRAM, VECTOR, Learning, Samplers, Settings
from doc2vecc.kernels.training.workspace import Workspace
from doc2vecc.model import EpochRecord, Model, TrainingRecord, Vectors
from doc2vecc.training.start import (
    WORDS_PER_CHUNK,
    PrivateRows,
    Schedule,
    damped_rates,
    first_tables,
    set_spectral_start,
    workspace,
)

FINAL_ALPHA = 1e-4  # of the learning rate, reached at the end
HOT_WORDS = 1024  # rows that every thread has for itself, because all threads touch them all the time
HOTTEST = 1 / 500  # of the text: words that threads exchange after every chunk, the other hot ones more rarely
MERGE_ALL_EVERY = 8  # chunks: moving rows between cores takes time
LONG_CHUNK = 2 * WORDS_PER_CHUNK  # only parts of documents of more than a quarter of a million words are longer
RELEASE_EVERY = 4  # chunks of a thread; a system may map 2 MB around what is read, so 8 MB by then
_LOOK_EVERY = 0.1  # seconds between two looks at the threads


@dataclass
class _Epoch:
    """What the chunks of one epoch have added up to."""

    loss: float = 0.0
    targets: int = 0
    words: int = 0
    finished_at: float = 0.0


class Trained(NamedTuple):
    """A model, and the vectors of its documents where they have some of their own, else none."""

    model: Model
    document_vectors: Vectors


def train(
    corpus: EncodedCorpus,
    config: TrainingConfig,
    *,
    tokenizer: Tokenizer | None = None,
    progress: ProgressListener | None = None,
    start: Model | None = None,
) -> Trained:
    """Learn the vectors of the corpus's words; those that a model knows already continue from there."""
    training = _Training(corpus, config, start)
    training.run(progress or Silent())
    return Trained(training.model(tokenizer), training.document_vectors())


def infer_documents(
    model: Model, corpus: EncodedCorpus, config: TrainingConfig, *, progress: ProgressListener | None = None
) -> Vectors:
    """Learn one vector of every document of a corpus of the model's own words, which stay as they are."""
    if len(corpus.ids) == 0:
        return np.zeros((len(corpus), model.dim), np.float32)
    training = _Training(corpus, config, model, moves_words=False)
    training.run(progress or Silent())
    return training.document_vectors()


class _Training:
    """The shared state of one training, and the threads that work on it."""

    def __init__(
        self, corpus: EncodedCorpus, config: TrainingConfig, start: Model | None = None, *, moves_words: bool = True
    ) -> None:
        self.corpus = corpus
        self.config = config
        self.start = start
        self.n_epochs = auto_epochs(len(corpus.ids)) if config.epochs == "auto" else config.epochs
        self.schedule = Schedule(corpus.offsets, epochs=self.n_epochs, seed=config.seed)
        n_words = len(corpus.vocabulary)
        # Private rows are only worth their merging when there are threads to fight with.
        self.hot = min(HOT_WORDS, n_words) if config.workers > 1 and moves_words else 0
        counts = corpus.vocabulary.counts
        self.hottest = int(np.count_nonzero(counts[: self.hot] > HOTTEST * counts.sum()))
        self.n_documents = len(corpus) if config.document == "vector" else 0
        self.first_document = n_words + self.hot * config.workers
        self.inputs, self.outputs = first_tables(n_words, self.hot * config.workers, config, documents=self.n_documents)
        if config.init == "spectral" and start is None:
            set_spectral_start(self.inputs, corpus, config.vector_size, config.workers)
        if start is not None:
            known = np.array(corpus.vocabulary.ids_of(start.vocabulary.words))
            self.inputs[known, : config.vector_size] = start.word_vectors
            self.outputs[known, : config.vector_size] = start.outputs
        n_predicted = n_words if config.predict_ngrams else corpus.vocabulary.n_words
        self.settings = Settings(
            SKIPGRAM if config.architecture == "skipgram" else CBOW,
            {"corrupted": CORRUPTED, "vector": VECTOR, "absent": ABSENT}[config.document],
            Learning(
                self._rates(),
                is_damped=config.frequency_damping > 0,
                has_document=config.document != "absent",
                moves_words=moves_words,
            ),
            corpus.vocabulary.n_words,
            n_predicted,
            config.window,
            float(config.document_only),
            float(config.keep),
            config.shared_targets,
            float(config.alpha),
            float(config.alpha * FINAL_ALPHA),
            np.uint64(config.seed),
        )
        self.samplers = Samplers(
            alias_table(corpus.vocabulary.negative_weights(config.ns_exponent)[:n_predicted]),
            gap_table(config.keep),
            corpus.vocabulary.keep_probabilities(config.sample) if config.sample else np.empty(0, np.float32),
        )
        self.epochs = [_Epoch() for _ in range(self.n_epochs)]
        self._chunks = iter(self.schedule)
        self._lock = threading.Lock()
        self._merging = threading.Lock()
        self._alone = threading.Lock()
        self._stop = threading.Event()
        self._failure: BaseException | None = None
        self._started_at = 0.0

    def _rates(self) -> Rates:
        """Return how fast every row learns: words, private copies of the frequent ones, documents."""
        words = damped_rates(self.corpus.vocabulary.counts, self.config.frequency_damping)
        copies = np.tile(words[: self.hot], self.config.workers)
        return np.concatenate([words, copies, np.ones(self.n_documents, np.float32)])

    def model(self, tokenizer: Tokenizer | None) -> Model:
        """Return what has been learned."""
        if not (np.isfinite(self.inputs).all() and np.isfinite(self.outputs).all()):
            raise DivergenceError(self.config.alpha)
        earlier = [] if self.start is None else self.start.record.history
        record = TrainingRecord(asdict(self.config), earlier + self.history(), asdict(self.corpus.report))
        return Model(
            self.corpus.vocabulary,
            self.inputs[: self.first_document],
            self.config.vector_size,
            outputs=self.outputs,
            tokenizer=tokenizer,
            binary=self.config.binary,
            record=record,
        )

    def document_vectors(self) -> Vectors:
        """Return the vector of every document, zero for one without words."""
        vectors = self.inputs[self.first_document :, : self.config.vector_size].copy()
        if self.n_documents:
            vectors[np.diff(self.corpus.offsets) == 0] = 0
        return vectors

    def run(self, progress: ProgressListener) -> None:
        """Work through the schedule; the calling thread only watches, so that Ctrl-C is heard at once."""
        self._compile()
        self._started_at = time.perf_counter()
        threads = [
            threading.Thread(target=self._work, args=(number,), name=f"doc2vecc-{number}", daemon=True)
            for number in range(self.config.workers)
        ]
        try:
            for thread in threads:
                thread.start()
            while any(thread.is_alive() for thread in threads):
                for thread in threads:
                    thread.join(_LOOK_EVERY / len(threads))
                self._tell(progress)
        finally:
            self._stop.set()
            for thread in threads:
                thread.join()
        if self._failure is not None:
            raise self._failure

    def _compile(self) -> None:
        """Compile the kernels on an empty chunk, in the calling thread: a thread cannot be interrupted at it."""
        rows = Rows(0, 0, 0)
        merge_private_rows(self.inputs, self.inputs[:0], rows, 0)
        work = self._workspace()
        train_chunk(
            Tables(self.inputs, self.outputs), Documents(self.corpus.ids, self.corpus.offsets),
            self.samplers, self.settings, Chunk(0, 0, 0, 0, 0, 0.0, 0.0), rows, work,
        )  # fmt: skip

    def _workspace(self) -> Workspace:
        return workspace(
            self.inputs,
            negative=self.config.negative,
            window=self.config.window,
            longest=int(np.diff(self.corpus.offsets).max()),
            subsampling=self.config.sample > 0,
        )

    def history(self) -> list[EpochRecord]:
        """Return loss per target, words and seconds of every epoch."""
        started = [self._started_at, *(epoch.finished_at for epoch in self.epochs)]
        return [
            EpochRecord(epoch.loss / max(epoch.targets, 1), epoch.words, epoch.finished_at - start)
            for epoch, start in zip(self.epochs, started, strict=False)
        ]

    def _work(self, worker: int) -> None:
        """One thread: take a chunk, train on it, merge the private rows, until nothing is left."""
        try:
            corpus = self.corpus
            work = self._workspace()
            rows = Rows(self.hot, len(corpus.vocabulary) + worker * self.hot, self.first_document)
            merging = PrivateRows((self.inputs, self.outputs), rows, self.hottest, self._merging)
            merging.merge_all()
            n_chunks = 0
            while not self._stop.is_set():
                with self._lock:
                    chunk = next(self._chunks, None)
                if chunk is None:
                    break
                is_long = chunk.stop - chunk.start > LONG_CHUNK
                # Two threads in one huge document would both take its long steps at once, so one has to wait.
                with self._alone if is_long else nullcontext():
                    if is_long:
                        merging.merge_all()
                    loss, targets = train_chunk(
                        Tables(self.inputs, self.outputs), Documents(corpus.ids, corpus.offsets),
                        self.samplers, self.settings, chunk, rows, work,
                    )  # fmt: skip
                    n_chunks += 1
                    if is_long or n_chunks % MERGE_ALL_EVERY == 0:
                        merging.merge_all()
                    else:
                        merging.merge_hottest()
                self._count(chunk, loss, targets)
                if n_chunks % RELEASE_EVERY == 0:
                    corpus.release()
            merging.merge_all()
        except BaseException as failure:  # noqa: BLE001 - it is raised again in the thread that watches
            self._failure = failure
            self._stop.set()

    def _count(self, chunk: Chunk, loss: float, targets: int) -> None:
        if not math.isfinite(loss):
            raise DivergenceError(self.config.alpha)
        with self._lock:
            epoch = self.epochs[chunk.epoch]
            epoch.loss += loss
            epoch.targets += targets
            epoch.words += chunk.stop - chunk.start
            epoch.finished_at = time.perf_counter()

    def _tell(self, progress: ProgressListener) -> None:
        words = sum(epoch.words for epoch in self.epochs)
        if words == 0:
            return
        current = max(number for number, epoch in enumerate(self.epochs) if epoch.words)
        epoch = self.epochs[current]
        progress.training(
            words / (self.schedule.words_per_epoch * self.n_epochs),
            current + 1,
            self.n_epochs,
            words / (time.perf_counter() - self._started_at),
            epoch.loss / max(epoch.targets, 1),
        )
