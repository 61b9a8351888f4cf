"""What a training starts from: the tables, the learning rates of their rows, and the order of the work."""

import threading
from collections.abc import Iterator

import numpy as np
import numpy.typing as npt

from doc2vecc.config import TrainingConfig
from doc2vecc.kernels.base.instructions import LANES
from doc2vecc.kernels.base.rows import Rates, Table
from doc2vecc.kernels.training.contexts import Rows
from doc2vecc.kernels.training.loop import Chunk, merge_private_rows

WORDS_PER_CHUNK = 4_000  # some milliseconds of work: quick to stop, and threads exchange what they learn often
CHUNKS_AT_LEAST = 200  # a small corpus is shuffled as well
PARTS_OF_A_DOCUMENT = 32  # a huge document is cut into at most so many chunks; each still sees all of it
MAX_RATE = 16.0  # times the learning rate


def first_tables(n_words: int, private_rows: int, config: TrainingConfig, *, documents: int = 0) -> tuple[Table, Table]:
    """Return the tables before training: words and documents uniform in +-0.5 / dim, everything else zero.

    The rows of the inputs are the words, the private rows, the documents; the outputs have no documents.
    """
    dim = config.vector_size
    columns = -(-dim // LANES) * LANES
    inputs = _aligned_zeros(n_words + private_rows + documents, columns)
    outputs = _aligned_zeros(n_words + private_rows, columns)
    generator = np.random.default_rng(config.seed)
    for table in (inputs[:n_words], inputs[n_words + private_rows :]):
        for start in range(0, len(table), 8192):
            part = table[start : start + 8192, :dim]
            part[:] = (generator.random(part.shape, np.float32) - 0.5) / dim
    return inputs, outputs


def damped_rates(counts: npt.NDArray[np.int64], damping: float) -> Rates:
    """Return how fast the vector of a word learns: in proportion to count ** -damping, one on average.

    The average is over all occurrences. No rate is above ``FASTEST``.

    >>> damped_rates(np.array([900, 100]), 0.5)
    array([0.8333333, 2.5      ], dtype=float32)
    """
    rates = np.maximum(counts, 1).astype(np.float64) ** -damping
    return np.minimum(rates * (np.sum(counts) / np.sum(rates * counts)), MAX_RATE).astype(np.float32)


def _aligned_zeros(rows: int, columns: int) -> npt.NDArray[np.float32]:
    """Allocate a table that begins at a cache line."""
    spare = 64 // 4
    flat = np.zeros(rows * columns + spare, np.float32)
    first = -flat.ctypes.data % 64 // 4
    return flat[first : first + rows * columns].reshape(rows, columns)


class PrivateRows:
    """The private rows of one thread in both tables, and the snapshots that tell what it has learned since."""

    def __init__(self, tables: tuple[Table, Table], rows: Rows, hottest: int, lock: threading.Lock) -> None:
        self._tables = tables
        self._rows = rows
        self._hottest = hottest  # how many of them change most
        self._lock = lock  # one thread merges at a time, so no update of a frequent word is lost
        self._snapshots = [np.zeros((rows.hot, table.shape[1]), table.dtype) for table in tables]

    def merge_all(self) -> None:
        """Exchange what was learned with the shared rows; the first call only fetches them."""
        self._merge(self._rows.hot)

    def merge_hottest(self) -> None:
        """The same for the rows that change most."""
        self._merge(self._hottest)

    def _merge(self, count: int) -> None:
        if count:
            with self._lock:
                for table, snapshot in zip(self._tables, self._snapshots, strict=True):
                    merge_private_rows(table, snapshot, self._rows, count)


class Schedule:
    """Hands out the chunks of all epochs, once each.

    >>> schedule = Schedule(np.array([0, 3, 5]), epochs=2, seed=0)
    >>> sum(chunk.stop - chunk.start for chunk in schedule)
    10
    """

    def __init__(self, offsets: npt.NDArray[np.int64], *, epochs: int, seed: int) -> None:
        self.epochs = epochs
        self.words_per_epoch = int(offsets[-1])
        self._seed = seed
        self.bounds = chunk_bounds(offsets)
        self._documents = np.searchsorted(offsets, self.bounds[:-1], side="right") - 1

    def __iter__(self) -> Iterator[Chunk]:
        total = self.words_per_epoch * self.epochs
        handed_out = 0
        for epoch in range(self.epochs):
            order = np.random.default_rng((self._seed, epoch)).permutation(len(self.bounds) - 1)
            for number in order.tolist():
                start, stop = int(self.bounds[number]), int(self.bounds[number + 1])
                yield Chunk(start, stop, int(self._documents[number]), epoch, number, handed_out / total, 1.0 / total)
                handed_out += stop - start


def chunk_bounds(offsets: npt.NDArray[np.int64]) -> npt.NDArray[np.int64]:
    """Cut the positions of a corpus into chunks: at ends of documents, and within huge documents.

    >>> chunk_bounds(np.array([0, 2, 2, 4])).tolist()
    [0, 2, 4]
    """
    total = int(offsets[-1])
    size = max(1, min(WORDS_PER_CHUNK, total // CHUNKS_AT_LEAST))
    wanted = np.append(np.arange(0, total, size), total)
    ends = np.asarray(offsets[np.searchsorted(offsets, wanted)])
    bounds = np.unique(ends)
    pieces = [bounds]
    for place in np.flatnonzero(np.diff(bounds) > 2 * WORDS_PER_CHUNK).tolist():
        start, stop = int(bounds[place]), int(bounds[place + 1])
        step = max(WORDS_PER_CHUNK, -(-(stop - start) // PARTS_OF_A_DOCUMENT))
        pieces.append(np.arange(start, stop, step))
    return np.unique(np.concatenate(pieces))
