"""The order of work: the corpus in chunks, shuffled anew in every epoch, handed out one by one."""

from collections.abc import Iterator

import numpy as np
import numpy.typing as npt

from doc2vecc.kernels.training.loop import Chunk

WORDS_PER_CHUNK = 4_000  # some milliseconds of work: quick to stop, and threads exchange what they learn often
CHUNKS_AT_LEAST = 200  # a small corpus is shuffled as well
PARTS_OF_A_DOCUMENT = 32  # a huge document is cut into at most so many chunks; each still sees all of it


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
