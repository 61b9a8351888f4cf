"""Training that gives the same model bit by bit whatever the number of workers (``reproducible=True``).

The chunks of the schedule are taken in rounds. The chunks of a round are dealt to a fixed number of shares, and each
share has copies of the rows that it touches, as they were at the start of the round. At its end the copies are merged,
in the order of the shares. Threads take shares as they come; what is learned does not depend on it.
"""

import threading
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from contextlib import AbstractContextManager
from functools import partial
from typing import Protocol, cast

import numpy as np
import numpy.typing as npt
from threadpoolctl import threadpool_limits

from doc2vecc.config import TrainingConfig
from doc2vecc.corpus.encoded import EncodedCorpus
from doc2vecc.kernels.base.instructions import LANES
from doc2vecc.kernels.base.rows import Rates, Table, Tables
from doc2vecc.kernels.training.contexts import Rows
from doc2vecc.kernels.training.copies import (
    NONE,
    Copies,
    MergeScratch,
    Shared,
    TableCopies,
    copy_words,
    forget_copies,
    merge_copies,
)
from doc2vecc.kernels.training.loop import Chunk, Documents, train_chunk
from doc2vecc.kernels.training.settings import Samplers, Settings
from doc2vecc.kernels.training.workspace import Workspace
from doc2vecc.training.start import LONG_CHUNK, Schedule, products_by_documents

SHARES = 4  # more workers than that have nothing to do, and the copies of every share take memory
MOST_CHUNKS = 16  # of a share: with more, fewer rows are copied for each word, but shares know less of each other
ROUNDS_OF_AN_EPOCH = 12  # at least, if there are enough chunks
# Of a row in a round: from here on those who agree are averaged rather than summed. A word of a short document moves
# it further, so that fewer updates go most of the way.
MANY_UPDATES, MANY_UPDATES_PER_WORD = 400, 2
ROWS_AT_ONCE = 4_096  # of the copies of a share, that a thread merges

Task = Callable[[Workspace], None]


class Training(Protocol):
    """What is trained."""

    corpus: EncodedCorpus
    config: TrainingConfig
    schedule: Schedule
    settings: Settings
    samplers: Samplers
    tables: Tables

    def next_chunk(self) -> Chunk | None:
        """Return the next chunk of the schedule, None at its end."""

    def documents_of(self, chunk: Chunk) -> tuple[Documents, Chunk]:
        """Read the documents of a chunk -> them, and the chunk by its positions in them."""

    def add_chunk(self, chunk: Chunk, loss: float, targets: int) -> None:
        """Count a chunk that is done."""

    def workspace(self, inputs: Table) -> Workspace:
        """Allocate the memory of a thread that works on a table."""


class Rounds:
    """The rounds of one training. Its threads call :meth:`work`; a round that has begun is always finished."""

    def __init__(self, training: Training) -> None:
        vocabulary, tables, settings = training.corpus.vocabulary, training.tables, training.settings
        stay = training.samplers.stay
        self._chunks_of_a_share = _chunks_of_a_share(training.schedule)
        most = _most_rows(training, self._chunks_of_a_share)
        of_words, of_ngrams = min(most, vocabulary.n_words), min(most, len(vocabulary.ngrams))
        n_rows = of_words + of_ngrams
        # Only the copies that are made take memory: the first rows.
        rows = [np.empty((SHARES, n_rows, table.shape[1]), np.float32) for table in tables]
        places = [np.full((SHARES, len(vocabulary)), NONE, np.int32) for _ in tables]
        ids, rates = np.empty((SHARES, n_rows), np.int32), np.empty((SHARES, n_rows), np.float32)
        self._starts = np.array([0, of_words])
        shared = Shared(tables, settings.learning.rates, stay, vocabulary.n_words)
        self._training = training
        self._copies = [
            Copies(
                shared,
                Tables(rows[0][share], rows[1][share]),
                rates[share],
                np.empty(n_rows if len(stay) else 0, np.float32),
                places[0][share],
                places[1][share],
                ids[share],
                self._starts.copy(),
            )
            for share in range(SHARES)
        ]
        # Rows take the place of ids.
        predicts_ngrams = settings.n_predicted > vocabulary.n_words
        settings = settings._replace(n_words=of_words, n_predicted=n_rows if predicts_ngrams else of_words)
        self._settings = [
            settings._replace(learning=settings.learning._replace(rates=copies.rates)) for copies in self._copies
        ]
        self._of_tables = [TableCopies(own, at, ids) for own, at in zip(rows, places, strict=True)]
        words = SHARES * self._chunks_of_a_share * float(np.diff(training.schedule.bounds).mean())
        length = len(training.corpus.ids) / max(len(training.corpus), 1)
        self._cautions = cautions_of(training.corpus.vocabulary.counts, words, length)
        self._tasks: list[Task] = []
        self._then = self._end_round  # when all tasks are done
        self._n_working = 0
        self._is_broken = False
        self._waiting: Chunk | None = None  # a long chunk, for a round of its own
        self._results: list[list[tuple[Chunk, float, int]]] = [[] for _ in range(SHARES)]
        self._changed = threading.Condition()

    def compile(self) -> None:
        """Compile in the calling thread: a thread cannot be interrupted at it."""
        self._train_share(0, [Chunk(0, 0, 0, 0, 0, 0.0, 0.0)], self._training.workspace(self._copies[0].tables.inputs))
        self._merge(0, 0, 0)
        self._results[0].clear()

    def work(self, _worker: int, stop: threading.Event) -> None:
        """One thread: do tasks, until it shall stop or nothing is left."""
        work = self._training.workspace(self._copies[0].tables.inputs)
        while (task := self._next_task(stop)) is not None:
            try:
                task(work)
                self._end_task()
            except BaseException:
                with self._changed:
                    self._is_broken = True
                    self._changed.notify_all()
                raise

    def _next_task(self, stop: threading.Event) -> Task | None:
        """Wait for a task, that of a new round if need be; None at the end."""
        with self._changed:
            self._changed.wait_for(lambda: self._tasks or self._n_working == 0 or self._is_broken)
            if not self._tasks and not stop.is_set():
                self._begin_round()
                self._changed.notify_all()
            if not self._tasks or self._is_broken:
                return None
            self._n_working += 1
            return self._tasks.pop(0)

    def _end_task(self) -> None:
        with self._changed:
            self._n_working -= 1
            if not self._tasks and self._n_working == 0:
                self._then()
                self._changed.notify_all()

    def _begin_round(self) -> None:
        """Deal the next chunks to the shares, if there are any; a long one has a round of its own."""
        chunks: list[Chunk] = []
        while len(chunks) < SHARES * self._chunks_of_a_share:
            chunk, self._waiting = self._waiting or self._training.next_chunk(), None
            if chunk is None:
                break
            is_long = chunk.stop - chunk.start > LONG_CHUNK  # shares in one huge document would all take its long steps
            if is_long and chunks:
                self._waiting = chunk
                break
            chunks.append(chunk)
            if is_long:
                break
        dealt = [chunks[share::SHARES] for share in range(SHARES)]
        self._tasks = [partial(self._train_share, share, some) for share, some in enumerate(dealt) if chunks]
        self._then = self._begin_merge

    def _train_share(self, share: int, chunks: list[Chunk], work: Workspace) -> None:
        copies, rows = self._copies[share], Rows(0, 0, 0, self._copies[share])
        samplers = self._training.samplers._replace(stay=copies.stay)
        forget_copies(copies, self._starts)
        for chunk in chunks:
            documents, here = self._training.documents_of(chunk)
            by_row = documents._replace(ids=np.empty_like(documents.ids))
            copy_words(copies, documents.ids, by_row.ids)
            result = train_chunk(copies.tables, by_row, samplers, self._settings[share], here, rows, work)
            self._results[share].append((chunk, *result))

    def _begin_merge(self) -> None:
        self._tasks = [
            partial(self._merge, share, first, min(first + ROWS_AT_ONCE, int(end)))
            for share, copies in enumerate(self._copies)
            for start, end in zip(self._starts, copies.ends, strict=True)
            for first in range(int(start), int(end), ROWS_AT_ONCE)
        ]
        self._then = self._end_round
        if not self._tasks:  # no chunk had a target
            self._end_round()

    def _merge(self, share: int, first: int, last: int, _work: Workspace | None = None) -> None:
        for table, copies in zip(self._training.tables, self._of_tables, strict=True):
            scratch = MergeScratch(np.empty(SHARES, np.int64), np.empty((1, table.shape[1]), np.float32))
            merge_copies(table, copies, self._cautions, share, first, last, scratch)

    def _end_round(self) -> None:
        for results in self._results:
            for result in results:
                self._training.add_chunk(*result)
            results.clear()
        self._training.corpus.release()


def cautions_of(counts: npt.NDArray[np.int64], words: float, document_length: float) -> Rates:
    """Return how cautiously changes of each word are added up, from 0 to 1, in a round of so many words.

    ``document_length`` is the mean number of words of a document.
    """
    occurrences = counts * (words / max(counts.sum(), 1))
    many = min(MANY_UPDATES_PER_WORD * max(document_length, 1.0), MANY_UPDATES)
    cautions: Rates = (occurrences / (occurrences + many)).astype(np.float32)
    return cautions


def _chunks_of_a_share(schedule: Schedule) -> int:
    """Return how many chunks a share has in a round: many, if there are several rounds in an epoch even so."""
    wanted = (len(schedule.bounds) - 1) // (SHARES * ROUNDS_OF_AN_EPOCH)
    return min(max(wanted, 1), MOST_CHUNKS)


def _most_rows(training: Training, n_chunks: int) -> int:
    """Return how many rows a share of so many chunks may touch: words of its documents, and negative samples."""
    config, corpus = training.config, training.corpus
    words = int(np.diff(training.schedule.bounds).max(initial=0))  # of a chunk; each is in a block of its own at most
    blocks = words * (2 * config.window if config.architecture == "skipgram" else 1) + 1
    return n_chunks * (words + corpus.longest + blocks * config.negative)


def single_threaded_blas() -> AbstractContextManager[object]:
    """Let NumPy multiply matrices in one thread: its sums depend on how many there are."""
    return cast(AbstractContextManager[object], threadpool_limits(1, user_api="blas"))


def products_by_columns(corpus: EncodedCorpus, idf: npt.NDArray[np.float32], vectors: Table, workers: int) -> Table:
    """Return A' A vectors; each worker does some of the columns, over all documents."""
    starts = np.array_split(np.arange(0, vectors.shape[1], LANES), min(workers, vectors.shape[1] // LANES))

    def work(columns: npt.NDArray[np.int64]) -> Table:
        part = np.ascontiguousarray(vectors[:, columns[0] : columns[-1] + LANES])
        return products_by_documents(corpus, idf, part, workers=1)

    with ThreadPoolExecutor(len(starts)) as pool:
        return np.concatenate([*pool.map(work, starts)], axis=1)
