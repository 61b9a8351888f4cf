"""Training: threads work through the schedule on shared tables and leave a finished model."""

import math
import threading
import time
from contextlib import nullcontext
from dataclasses import asdict
from itertools import islice
from typing import NamedTuple

import numpy as np

from doc2vecc.config import TrainingConfig, auto_epochs
from doc2vecc.console import ProgressListener, Silent
from doc2vecc.corpus.encoded import EncodedCorpus
from doc2vecc.corpus.numbering import Tokenizer
from doc2vecc.errors import DivergenceError
from doc2vecc.kernels.base.rows import Rates, Table, Tables
from doc2vecc.kernels.training.contexts import Rows
from doc2vecc.kernels.training.loop import Chunk, Documents, merge_private_rows, train_chunk
from doc2vecc.kernels.training.start import workspace
from doc2vecc.kernels.training.workspace import Workspace
from doc2vecc.model import EpochSums, Model, TrainingRecord, TrainingState, Vectors
from doc2vecc.training.checkpoint import Checkpoints, Origin, continued
from doc2vecc.training.start import LONG_CHUNK, PrivateRows, Schedule, fill_tables, first_tables, samplers, settings_of

HOT_WORDS = 1024  # rows that every thread has for itself, because all threads touch them all the time
HOTTEST = 1 / 500  # of the text: words that threads exchange after every chunk, the other hot ones more rarely
MERGE_ALL_EVERY = 8  # chunks: moving rows between cores takes time
LOOK_EVERY = 0.1  # seconds between two looks at the threads
RELEASE_EVERY = 4  # chunks of a thread; a system may map 2 MB around what is read, so 8 MB by then


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
    checkpoints: Checkpoints | None = None,
) -> Trained:
    """Learn the vectors of the corpus's words; those that a model knows already continue from there.

    With checkpoints, an interrupted training continues from the last one.
    """
    saved = checkpoints and checkpoints.open(config, Origin.of(corpus, start), tokenizer)
    earlier = int(start.vocabulary.counts[: start.vocabulary.n_words].sum()) if start else 0
    training = Training(corpus, config, saved[0] if saved else start, earlier_words=earlier, progress=progress)
    training.tokenizer = tokenizer
    if saved:
        training.resume(saved[1], start)
    training.run(progress or Silent(), checkpoints)
    return Trained(training.model(), training.document_vectors())


def infer_documents(
    model: Model, corpus: EncodedCorpus, config: TrainingConfig, *, progress: ProgressListener | None = None
) -> Vectors:
    """Learn one vector of every document of a corpus of the model's own words, which stay as they are."""
    if len(corpus.ids) == 0:
        return np.zeros((len(corpus), model.dim), np.float32)
    training = Training(corpus, config, model, moves_words=False)
    training.run(progress or Silent())
    return training.document_vectors()


class Training:
    """The shared state of one training, and the threads that work on it."""

    def __init__(
        self,
        corpus: EncodedCorpus,
        config: TrainingConfig,
        start: Model | None = None,
        *,
        moves_words: bool = True,
        earlier_words: int = 0,  # that the model to start from was learned from
        progress: ProgressListener | None = None,
    ) -> None:
        self.corpus = corpus
        self.config = config
        self.start = start
        self.tokenizer: Tokenizer | None = None
        self.n_epochs = auto_epochs(earlier_words + len(corpus.ids)) if config.epochs == "auto" else config.epochs
        self.schedule = Schedule(corpus.offsets, epochs=self.n_epochs, seed=config.seed)
        self.max_seconds = config.max_seconds or math.inf
        self.n_chunks = self.n_epochs * (len(self.schedule.bounds) - 1)
        n_words = len(corpus.vocabulary)
        # Private rows are only worth their merging when there are threads to fight with.
        shares_rows = config.workers > 1 and moves_words and not config.reproducible
        self.hot = min(HOT_WORDS, n_words) if shares_rows else 0
        counts = corpus.vocabulary.counts
        self.hottest = int(np.count_nonzero(counts[: self.hot] > HOTTEST * counts.sum()))
        self.n_documents = len(corpus) if config.document == "vector" else 0
        self.first_document = n_words + self.hot * config.workers
        self.inputs, self.outputs = first_tables(n_words, self.hot * config.workers, config, documents=self.n_documents)
        self.tables = Tables(self.inputs, self.outputs)
        fill_tables(self.tables, corpus, config, start, progress or Silent())
        self.settings = settings_of(config, corpus.vocabulary, self._rates(), moves_words=moves_words)
        self.samplers = samplers(corpus.vocabulary, config)
        self.state = TrainingState([EpochSums() for _ in range(self.n_epochs)])
        self._chunks = iter(self.schedule)
        self._rounds = None
        if config.reproducible:
            from doc2vecc.training.rounds import Rounds

            self._rounds = Rounds(self)
        self._lock, self._merging, self._alone = (threading.Lock() for _ in range(3))
        self._ended = threading.Condition(self._lock)  # a thread
        self._n_working = 0
        self._stop = threading.Event()
        self._failure: BaseException | None = None
        self._started_at = 0.0

    def resume(self, state: TrainingState, start: Model | None) -> None:
        """Continue after the chunks that a checkpoint has trained on; its vectors are in the tables."""
        self.start = start
        self.state = continued(state, self.state, self.n_chunks)
        self._chunks = islice(self.schedule, state.chunks, None)

    def _rates(self) -> Rates:
        """Return how fast every row learns: words, private copies of the frequent ones, documents."""
        words = self.corpus.vocabulary.damped_rates(self.config.frequency_damping)
        copies = np.tile(words[: self.hot], self.config.workers)
        return np.concatenate([words, copies, np.ones(self.n_documents, np.float32)])

    def model(self) -> Model:
        """Return what has been learned."""
        if not (np.isfinite(self.inputs).all() and np.isfinite(self.outputs).all()):
            raise DivergenceError(self.config.alpha)
        earlier = [] if self.start is None else self.start.record.history
        record = TrainingRecord(asdict(self.config), earlier + self.state.history(), asdict(self.corpus.report))
        return Model(
            self.corpus.vocabulary,
            self.inputs[: self.first_document],
            self.config.dim,
            outputs=self.outputs,
            tokenizer=self.tokenizer,
            binary=self.config.binary,
            record=record,
        )

    def document_vectors(self) -> Vectors:
        """Return the vector of every document, zero for one without words."""
        vectors = self.inputs[self.first_document :, : self.config.dim].copy()
        if self.n_documents:
            vectors[np.diff(self.corpus.offsets) == 0] = 0
        return vectors

    def run(self, progress: ProgressListener, checkpoints: Checkpoints | None = None) -> None:
        """Work through the schedule, with checkpoints; an interrupted one may continue, or end with what it has."""
        # Compile on an empty chunk, in the calling thread: a thread cannot be interrupted at it.
        if self._rounds is not None:
            self._rounds.compile()
        else:
            merge_private_rows(self.inputs, self.inputs[:0], Rows(0, 0, 0), 0)
            self._train_chunk(Chunk(0, 0, 0, 0, 0, 0.0, 0.0), Rows(0, 0, 0), self.workspace(self.inputs))
        while not self._is_finished():
            try:
                self._run_threads(progress, checkpoints.wait() if checkpoints else math.inf)
                if checkpoints and not self._is_finished():
                    checkpoints.save(self.model, self.state)
            except KeyboardInterrupt as interruption:
                if checkpoints is None:
                    raise
                self._stop_threads()  # again: a second Ctrl-C may have interrupted it
                choice = checkpoints.on_interrupt(interruption, self.state)
                if choice == "finish":
                    return
                if choice == "keep":
                    checkpoints.save(self.model, self.state)
                if choice != "continue":
                    raise

    def _is_finished(self) -> bool:
        return self.state.chunks == self.n_chunks or self.state.seconds >= self.max_seconds

    def _run_threads(self, progress: ProgressListener, seconds: float) -> None:
        """Train for this time, or to the end; the calling thread only watches, so that Ctrl-C is heard at once."""
        self._stop = stop = threading.Event()  # a thread that starts late sees that of its own round
        now = time.perf_counter()
        self._started_at, until = now - self.state.seconds, now + min(seconds, self.max_seconds - self.state.seconds)
        try:
            for number in range(self.config.workers):
                name = f"doc2vecc-{number}"
                threading.Thread(target=self._run_thread, args=(number, stop), name=name, daemon=True).start()
            while not stop.is_set() and self.state.chunks < self.n_chunks and time.perf_counter() < until:
                with self._ended:
                    self._ended.wait_for(lambda: stop.is_set() or self.state.chunks == self.n_chunks, LOOK_EVERY)
                self._tell(progress)
        finally:
            self._stop_threads()
        if self._failure is not None:
            raise self._failure

    def _stop_threads(self) -> None:
        """Wait until every thread has ended its chunk; what they have learned is in the tables then.

        Not with Thread.join: when Ctrl-C interrupts that, Python takes a running thread for one that has ended.
        """
        self._stop.set()
        with self._ended:
            self._ended.wait_for(lambda: self._n_working == 0)

    def _run_thread(self, worker: int, stop: threading.Event) -> None:
        with self._ended:
            if stop.is_set():
                return
            self._n_working += 1
        try:
            (self._work if self._rounds is None else self._rounds.work)(worker, stop)
        except BaseException as failure:  # noqa: BLE001 - it is raised again in the thread that watches
            self._failure = failure
            stop.set()
        with self._ended:
            self._n_working -= 1
            self._ended.notify_all()

    def _work(self, worker: int, stop: threading.Event) -> None:
        """One thread: take a chunk, train on it, merge the private rows, until it shall stop or nothing is left."""
        work = self.workspace(self.inputs)
        rows = Rows(self.hot, len(self.corpus.vocabulary) + worker * self.hot, self.first_document)
        merging = PrivateRows(self.tables, rows, self.hottest, self._merging)
        merging.merge_all()
        n_chunks = 0
        while not stop.is_set():
            chunk = self.next_chunk()
            if chunk is None:
                break
            if self.max_seconds < math.inf:
                spent = (time.perf_counter() - self._started_at) / self.max_seconds
                latest = 1 - (chunk.stop - chunk.start) * chunk.progress_per_word
                chunk = chunk._replace(progress=min(max(chunk.progress, spent), latest))
            is_long = chunk.stop - chunk.start > LONG_CHUNK
            # Two threads in one huge document would both take its long steps at once, so one has to wait.
            with self._alone if is_long else nullcontext():
                if is_long:
                    merging.merge_all()
                loss, targets = self._train_chunk(chunk, rows, work)
                n_chunks += 1
                if is_long or n_chunks % MERGE_ALL_EVERY == 0:
                    merging.merge_all()
                else:
                    merging.merge_hottest()
            self.add_chunk(chunk, loss, targets)
            if n_chunks % RELEASE_EVERY == 0:
                self.corpus.release()
        merging.merge_all()

    def next_chunk(self) -> Chunk | None:
        """Take the next chunk of the schedule; None at its end."""
        with self._lock:
            return next(self._chunks, None)

    def documents_of(self, chunk: Chunk) -> tuple[Documents, Chunk]:
        """Read the documents of a chunk -> them, and the chunk by its positions in them."""
        first, begin = chunk.document, int(self.corpus.offsets[chunk.document])
        documents = Documents(*self.corpus.part(first, int(np.searchsorted(self.corpus.offsets, chunk.stop))))
        return documents, chunk._replace(start=chunk.start - begin, stop=chunk.stop - begin, document=0)

    def _train_chunk(self, chunk: Chunk, rows: Rows, work: Workspace) -> tuple[float, int]:
        documents, here = self.documents_of(chunk)
        rows = rows._replace(documents=rows.documents + chunk.document)
        return train_chunk(self.tables, documents, self.samplers, self.settings, here, rows, work)

    def add_chunk(self, chunk: Chunk, loss: float, targets: int) -> None:
        """Count a chunk that is done."""
        if not math.isfinite(loss):
            raise DivergenceError(self.config.alpha)
        with self._lock:
            seconds = time.perf_counter() - self._started_at
            self.state.add(chunk.epoch, chunk.stop - chunk.start, loss, targets, seconds)

    def workspace(self, inputs: Table) -> Workspace:
        """Allocate the memory of one thread that works on a table."""
        return workspace(
            inputs,
            negative=self.config.negative,
            window=self.config.window,
            longest=self.corpus.longest,
            subsampling=self.config.sample > 0,
        )

    def _tell(self, progress: ProgressListener) -> None:
        words = self.state.words
        if words == 0:
            return
        current = max(number for number, epoch in enumerate(self.state.epochs) if epoch.words)
        share, speed = words / (self.schedule.words_per_epoch * self.n_epochs), words / self.state.seconds
        epoch = self.state.epochs[current]
        progress.training(share, current + 1, self.n_epochs, speed, epoch.loss / max(epoch.targets, 1))
