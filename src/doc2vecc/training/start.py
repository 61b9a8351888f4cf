"""What a training starts from: tables (random or spectral), learning rates, samplers, scratch memory, order of work.

The spectral start takes the word vectors of latent semantic analysis. There a document is a weighted mean of word
vectors too, so its solution is a point of our model: word vector = idf * right singular vector of the tf-idf matrix,
here times the roots of the singular values, so that the main directions weigh most. The singular vectors come from
subspace iteration over the encoded corpus; the matrix is never made.
"""

import threading
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import AbstractContextManager, nullcontext
from itertools import pairwise

import numpy as np
import numpy.typing as npt

from doc2vecc.config import TrainingConfig, auto_epochs
from doc2vecc.corpus.encoded import EncodedCorpus
from doc2vecc.corpus.vocabulary import Vocabulary
from doc2vecc.kernels.base.instructions import LANES
from doc2vecc.kernels.base.rows import Rates, Table, Tables
from doc2vecc.kernels.training.contexts import Rows
from doc2vecc.kernels.training.loop import Chunk, Documents, merge_private_rows
from doc2vecc.kernels.training.settings import ABSENT, CBOW, CORRUPTED, SKIPGRAM, VECTOR, Learning, Samplers, Settings
from doc2vecc.kernels.training.start import SpectralScratch, add_products, alias_table, count_documents, gap_table
from doc2vecc.model import Model

WORDS_PER_CHUNK = 4_000  # some milliseconds of work: quick to stop, and threads exchange what they learn often
LONG_CHUNK = 2 * WORDS_PER_CHUNK  # only parts of documents of more than a quarter of a million words are longer
CHUNKS_AT_LEAST = 200  # a small corpus is shuffled as well
PARTS_OF_A_DOCUMENT = 32  # a huge document is cut into at most so many chunks; each still sees all of it
FINAL_ALPHA = 1e-4  # of the learning rate, reached at the end
ITERATIONS = 4  # of the spectral start
MIN_LENGTH, MAX_LENGTH = 1.0, 30.0  # of documents after the spectral start; far longer ones do not learn
MANY_EPOCHS = 25  # from here on documents start with the least length
DOCUMENTS_FOR_LENGTH = 1_000  # are measured
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


def inverse_document_frequency(corpus: EncodedCorpus) -> npt.NDArray[np.float32]:
    """Return for every word ln((1 + documents) / (1 + documents with the word)) + 1."""
    frequencies = np.zeros(len(corpus.vocabulary), np.int64)
    scratch = _scratch(corpus, 8)
    for first, last in corpus.parts():
        count_documents(Documents(*corpus.part(first, last)), 0, last - first, frequencies, scratch)
    return (np.log((1 + len(corpus)) / (1 + frequencies)) + 1).astype(np.float32)


def _scratch(corpus: EncodedCorpus, columns: int) -> SpectralScratch:
    counts = np.zeros(len(corpus.vocabulary), np.int32)
    return SpectralScratch(counts, np.empty(corpus.longest, np.uint32), np.zeros((1, columns), np.float32))


# A' A vectors, from the corpus, idf, the vectors and the number of workers.
Products = Callable[[EncodedCorpus, npt.NDArray[np.float32], Table, int], Table]


def products_by_documents(corpus: EncodedCorpus, idf: npt.NDArray[np.float32], vectors: Table, workers: int) -> Table:
    """Return A' A vectors; each worker sums over its share of the documents, and the sums are added in order."""
    # About equally many words for each.
    wanted = np.linspace(0, int(corpus.offsets[-1]), workers + 1)[1:-1]
    bounds = [0, *np.searchsorted(corpus.offsets, wanted).tolist(), len(corpus)]

    def work(share: tuple[int, int]) -> Table:
        products, scratch = np.zeros_like(vectors), _scratch(corpus, vectors.shape[1])
        for first, last in corpus.parts(*share):
            documents = Documents(*corpus.part(first, last))
            add_products(documents, 0, last - first, idf, vectors, products, scratch)
        return products

    # Compile here: a pool cannot be interrupted at it.
    add_products(Documents(*corpus.part(0, 0)), 0, 0, idf, vectors, vectors, _scratch(corpus, vectors.shape[1]))
    if workers == 1:
        return work((0, len(corpus)))
    with ThreadPoolExecutor(workers) as pool:
        first, *others = pool.map(work, pairwise(bounds))
    for other in others:
        first += other
    return first


def set_spectral_start(
    inputs: Table, corpus: EncodedCorpus, dim: int, workers: int = 1, products: Products = products_by_documents
) -> None:
    """Replace the random vectors of the first rows of a table, one per word of the corpus, by spectral ones.

    The more words there are, the longer the vectors: few epochs then hardly turn them, and more of the start remains.
    Where documents span fewer than ``dim`` directions, the other dimensions keep their random values.
    """
    idf = inverse_document_frequency(corpus)
    words = inputs[: len(corpus.vocabulary)]
    vectors = words.copy()
    singular_values = np.empty(0, np.float32)
    for _ in range(ITERATIONS):
        vectors, singular_values = _orthonormal(products(corpus, idf, vectors, workers), dim)
    found = vectors[:, : len(singular_values)] * np.sqrt(singular_values) * idf[:, None]
    length = _mean_length(corpus, found)
    if length > 0:
        wanted = min(max((MANY_EPOCHS / auto_epochs(len(corpus.ids))) ** 2, MIN_LENGTH), MAX_LENGTH)
        words[:, : len(singular_values)] = found * np.float32(wanted / length)


def fill_tables(tables: Tables, corpus: EncodedCorpus, config: TrainingConfig, start: Model | None) -> None:
    """Put spectral vectors or those of a model to start from in the place of random ones."""
    products: Products = products_by_documents
    one_thread: AbstractContextManager[object] = nullcontext()
    if config.reproducible:
        from doc2vecc.training.rounds import products_by_columns, single_threaded_blas

        products, one_thread = products_by_columns, single_threaded_blas()
    is_spectral = config.init == "spectral" and config.document == "corrupted"
    with one_thread:
        if start is not None:
            continue_from(start, corpus, tables, config.workers if is_spectral else 0, products)
        elif is_spectral:
            set_spectral_start(tables.inputs, corpus, config.vector_size, config.workers, products)


def _mean_length(corpus: EncodedCorpus, vectors: Table) -> float:
    """Return the mean length of document vectors, over some documents from all of the corpus."""
    chosen = np.unique(np.linspace(0, len(corpus) - 1, DOCUMENTS_FOR_LENGTH).astype(np.int64)).tolist()
    documents = (corpus.document(number) for number in chosen)
    return float(np.mean([np.linalg.norm(vectors[ids].mean(axis=0)) if len(ids) else 0.0 for ids in documents]))


def continue_from(
    start: Model,
    corpus: EncodedCorpus,
    tables: tuple[Table, Table],
    workers: int,
    products: Products = products_by_documents,
) -> None:
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
        vectors = inputs[: len(corpus.vocabulary)].copy()
        vectors[new] = 0
        found = products(corpus, inverse_document_frequency(corpus), vectors, workers)[new]
        lengths = np.linalg.norm(found, axis=1)
        mean_length = np.linalg.norm(inputs[known], axis=1).mean(dtype=np.float64)
        placed = lengths > _LEAST * mean_length
        inputs[new[placed]] = found[placed] * (mean_length / lengths[placed]).astype(np.float32)[:, None]


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


def settings_of(config: TrainingConfig, vocabulary: Vocabulary, rates: Rates, *, moves_words: bool = True) -> Settings:
    """Return the settings of a training for its kernels; every row has its rate."""
    return Settings(
        SKIPGRAM if config.architecture == "skipgram" else CBOW,
        {"corrupted": CORRUPTED, "vector": VECTOR, "absent": ABSENT}[config.document],
        Learning(
            rates,
            clips_steps=config.frequency_damping > 0 or config.init == "spectral",
            has_document=config.document != "absent",
            moves_words=moves_words,
        ),
        vocabulary.n_words,
        n_predicted(vocabulary, config),
        config.window,
        float(config.document_only),
        float(config.keep),
        config.shared_targets,
        float(config.alpha),
        float(config.alpha * FINAL_ALPHA),
        np.uint64(config.seed),
    )


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
