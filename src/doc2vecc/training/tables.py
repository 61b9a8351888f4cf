"""The two tables of vectors: how they begin, and the rows that every thread has for itself."""

import threading

import numpy as np
import numpy.typing as npt

from doc2vecc.config import TrainingConfig
from doc2vecc.kernels.base.instructions import LANES
from doc2vecc.kernels.base.rows import Rates, Table
from doc2vecc.kernels.training.contexts import Rows
from doc2vecc.kernels.training.loop import merge_private_rows

MAX_RATE = 16.0  # times the learning rate


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
