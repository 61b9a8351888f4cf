"""What a training starts from: tables (random or spectral), learning rates, samplers, scratch memory, order of work.

The spectral start takes the word vectors of latent semantic analysis. There a document is a weighted mean of word
vectors too, so its solution is a point of our model: word vector = idf * right singular vector of the tf-idf matrix,
here times the roots of the singular values, so that the main directions weigh most. The singular vectors come from
subspace iteration over the encoded corpus; the matrix is never made.
"""

import threading
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from itertools import pairwise

import numpy as np
import numpy.typing as npt

from doc2vecc.config import TrainingConfig, auto_epochs
from doc2vecc.corpus.encoded import EncodedCorpus
from doc2vecc.corpus.vocabulary import Vocabulary
from doc2vecc.kernels.base.instructions import LANES
from doc2vecc.kernels.base.rows import ROW_NUMBER, Table
from doc2vecc.kernels.training.contexts import Rows
from doc2vecc.kernels.training.loop import Chunk, Documents, merge_private_rows
from doc2vecc.kernels.training.settings import Samplers
from doc2vecc.kernels.training.start import SpectralScratch, add_products, alias_table, count_documents, gap_table
from doc2vecc.kernels.training.workspace import BLOCK, Workspace
from doc2vecc.model import Model

WORDS_PER_CHUNK = 4_000  # some milliseconds of work: quick to stop, and threads exchange what they learn often
CHUNKS_AT_LEAST = 200  # a small corpus is shuffled as well
PARTS_OF_A_DOCUMENT = 32  # a huge document is cut into at most so many chunks; each still sees all of it
ITERATIONS = 4  # of the spectral start
MIN_LENGTH, MAX_LENGTH = 1.0, 30.0  # of documents after the spectral start; far longer ones do not learn
MANY_EPOCHS = 25  # from here on documents start with the least length
DOCUMENTS_FOR_LENGTH = 1_000  # are measured
AT_ONCE = 1 << 25  # values that a kernel goes over in some hundredths of a second, between which Ctrl-C is heard
_LEAST = 1e-6  # share of the largest eigenvalue: directions below it are noise


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


def set_spectral_start(inputs: Table, corpus: EncodedCorpus, dim: int, workers: int = 1) -> None:
    """Replace the random vectors of the first rows of a table, one per word of the corpus, by spectral ones.

    The more words there are, the longer the vectors: few epochs then hardly turn them, and more of the start remains.
    Where documents span fewer than ``dim`` directions, the other dimensions keep their random values.
    """
    documents = Documents(corpus.ids, corpus.offsets)
    shares = _shares(corpus, workers)
    idf = inverse_document_frequency(corpus)
    words = inputs[: len(corpus.vocabulary)]
    vectors = words.copy()
    singular_values = np.empty(0, np.float32)
    for _ in range(ITERATIONS):
        vectors, singular_values = _orthonormal(_products(documents, shares, idf, vectors), dim)
    found = vectors[:, : len(singular_values)] * np.sqrt(singular_values) * idf[:, None]
    length = _mean_length(corpus, found)
    if length > 0:
        wanted = min(max((MANY_EPOCHS / auto_epochs(len(corpus.ids))) ** 2, MIN_LENGTH), MAX_LENGTH)
        words[:, : len(singular_values)] = found * np.float32(wanted / length)


def _mean_length(corpus: EncodedCorpus, vectors: Table) -> float:
    """Return the mean length of document vectors, over some documents from all of the corpus."""
    chosen = np.unique(np.linspace(0, len(corpus) - 1, DOCUMENTS_FOR_LENGTH).astype(np.int64)).tolist()
    documents = (corpus.document(number) for number in chosen)
    return float(np.mean([np.linalg.norm(vectors[ids].mean(axis=0)) if len(ids) else 0.0 for ids in documents]))


def continue_from(start: Model, corpus: EncodedCorpus, tables: tuple[Table, Table], workers: int) -> None:
    """Put the vectors of a model into the tables, for the words of the corpus that it knows.

    With workers, new words start from the documents that they occur in, at the mean length of the known words.
    """
    inputs, outputs = tables
    known = np.array(corpus.vocabulary.ids_of(start.vocabulary.words))
    inputs[known, : start.dim] = start.word_vectors
    if start.weights is not None:
        inputs[known, : start.dim] /= start.weights[:, None]
    outputs[known, : start.dim] = start.outputs
    new = np.setdiff1d(np.arange(len(corpus.vocabulary)), known)
    if workers and len(new) and len(corpus.ids):
        documents, shares = Documents(corpus.ids, corpus.offsets), _shares(corpus, workers)
        vectors = inputs[: len(corpus.vocabulary)].copy()
        vectors[new] = 0
        found = _products(documents, shares, inverse_document_frequency(corpus), vectors)[new]
        lengths = np.linalg.norm(found, axis=1)
        mean_length = np.linalg.norm(inputs[known], axis=1).mean(dtype=np.float64)
        placed = lengths > _LEAST * mean_length
        inputs[new[placed]] = found[placed] * (mean_length / lengths[placed]).astype(np.float32)[:, None]


def _shares(corpus: EncodedCorpus, workers: int) -> list[tuple[int, int]]:
    """Cut the documents into one share per worker, of about equally many words."""
    wanted = np.linspace(0, int(corpus.offsets[-1]), workers + 1)[1:-1]
    bounds = [0, *np.searchsorted(corpus.offsets, wanted).tolist(), len(corpus)]
    return list(pairwise(bounds))


def _scratch(documents: Documents, n_words: int, columns: int) -> SpectralScratch:
    longest = int(np.diff(documents.offsets).max())
    return SpectralScratch(
        np.zeros(n_words, np.int32), np.empty(longest, np.uint32), np.zeros((1, columns), np.float32)
    )


def inverse_document_frequency(corpus: EncodedCorpus) -> npt.NDArray[np.float32]:
    """Return for every word ln((1 + documents) / (1 + documents with the word)) + 1."""
    documents = Documents(corpus.ids, corpus.offsets)
    frequencies = np.zeros(len(corpus.vocabulary), np.int64)
    scratch = _scratch(documents, len(frequencies), 8)
    for first, last in _pieces(documents, (0, len(corpus)), 8):
        count_documents(documents, first, last, frequencies, scratch)
    return (np.log((1 + len(corpus)) / (1 + frequencies)) + 1).astype(np.float32)


def _pieces(documents: Documents, share: tuple[int, int], columns: int) -> Iterator[tuple[int, int]]:
    """Cut a share of the documents into runs of so many values, with so many of them for each word."""
    first, last = share
    wanted = np.arange(int(documents.offsets[first]), int(documents.offsets[last]), AT_ONCE // columns)
    return pairwise([first, *np.searchsorted(documents.offsets, wanted[1:]).tolist(), last])


def _products(
    documents: Documents, shares: list[tuple[int, int]], idf: npt.NDArray[np.float32], vectors: Table
) -> Table:
    """Return A' A vectors; each worker sums over its share, and the sums are added in order."""
    is_stopped = threading.Event()

    def work(share: tuple[int, int]) -> Table:
        products, scratch = np.zeros_like(vectors), _scratch(documents, len(idf), vectors.shape[1])
        for first, last in _pieces(documents, share, vectors.shape[1]):
            if not is_stopped.is_set():
                add_products(documents, first, last, idf, vectors, products, scratch)
        return products

    work((0, 0))  # compiles here: a pool cannot be interrupted at it
    if len(shares) == 1:
        return work(shares[0])
    with ThreadPoolExecutor(len(shares)) as pool:
        try:
            first, *others = pool.map(work, shares)
        except BaseException:
            is_stopped.set()  # else the pool would wait until all is done
            raise
    for other in others:
        first += other
    return first


def _orthonormal(vectors: Table, dim: int) -> tuple[Table, npt.NDArray[np.float32]]:
    """Make the columns of A' A vectors orthonormal -> vectors, and the singular values of A, the largest first."""
    inside = vectors[:, :dim].astype(np.float64)
    values, rotation = np.linalg.eigh(inside.T @ inside)
    order = np.argsort(values)[::-1]
    values, rotation = values[order], rotation[:, order]
    n_directions = int(np.count_nonzero(values > _LEAST**2 * max(values[0], 1e-300)))
    result = np.zeros_like(vectors)
    scales = rotation[:, :n_directions] / np.sqrt(values[:n_directions])
    result[:, :n_directions] = inside @ scales
    return result, (values[:n_directions] ** 0.25).astype(np.float32)  # of two products with A and two with A'


def n_predicted(vocabulary: Vocabulary, config: TrainingConfig) -> int:
    """Return how many of the first ids are targets and negative samples: all, or the words without the n-grams."""
    return len(vocabulary) if config.predict_ngrams else vocabulary.n_words


def samplers(vocabulary: Vocabulary, config: TrainingConfig) -> Samplers:
    """Prepare the draws of negative samples, survivors and subsampled words."""
    return Samplers(
        alias_table(vocabulary.negative_weights(config.ns_exponent)[: n_predicted(vocabulary, config)]),
        gap_table(config.keep),
        vocabulary.keep_probabilities(config.sample) if config.sample else np.empty(0, np.float32),
    )


def _aligned_zeros(rows: int, columns: int) -> npt.NDArray[np.float32]:
    """Allocate a table that begins at a cache line."""
    spare = 64 // 4
    flat = np.zeros(rows * columns + spare, np.float32)
    first = -flat.ctypes.data % 64 // 4
    return flat[first : first + rows * columns].reshape(rows, columns)


def workspace(table: Table, *, negative: int, window: int, longest: int, subsampling: bool = False) -> Workspace:
    """Allocate the memory of one thread, for tables like this one and documents of up to ``longest`` words."""
    dim, dtype = table.shape[1], table.dtype
    if dim % LANES:
        raise ValueError(f"rows of {dim} columns: training needs rows padded to a multiple of {LANES}")
    return Workspace(
        survivors=np.empty(longest, ROW_NUMBER),
        survivals=np.zeros(len(table), np.int32),
        document=np.zeros((1, dim), dtype),
        document_at_start=np.zeros((1, dim), dtype),
        document_step=np.zeros((1, dim), dtype),
        survivor_step=np.zeros((1, dim), dtype),
        negative_rows=np.zeros(negative, ROW_NUMBER),
        local_rows=np.zeros(BLOCK * 2 * window, ROW_NUMBER),
        local_starts=np.zeros(BLOCK + 2, np.int64),
        output_rows=np.zeros((BLOCK + 1, negative + BLOCK), ROW_NUMBER),
        n_outputs=np.zeros(BLOCK + 1, np.int64),
        hidden=np.zeros((BLOCK + 1, dim), dtype),
        steps=np.zeros((BLOCK + 1, negative + BLOCK), dtype),
        local_steps=np.zeros((BLOCK + 1, dim), dtype),
        scores=np.zeros(negative + BLOCK, dtype),
        probabilities=np.zeros(negative + BLOCK, dtype),
        hidden_step=np.zeros((1, dim), dtype),
        subsampled=np.empty(longest if subsampling else 0, np.int32),
        state=np.zeros(2, np.uint64),
    )


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
