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
from itertools import count, pairwise

import numpy as np
import numpy.typing as npt

from doc2vecc.config import TrainingConfig, auto_epochs
from doc2vecc.console import ProgressListener, Silent
from doc2vecc.corpus.encoded import EncodedCorpus
from doc2vecc.corpus.vocabulary import Vocabulary
from doc2vecc.kernels.base.instructions import LANES
from doc2vecc.kernels.base.rows import Rates, Table, Tables
from doc2vecc.kernels.training.contexts import Rows
from doc2vecc.kernels.training.loop import Chunk, Documents, merge_private_rows
from doc2vecc.kernels.training.settings import ABSENT, CBOW, CORRUPTED, SKIPGRAM, VECTOR, Learning, Samplers, Settings
from doc2vecc.kernels.training.start import (
    LEAST,
    WORDS_PER_CHUNK,
    SpectralScratch,
    add_products,
    alias_table,
    aligned_zeros,
    chunk_bounds,
    count_documents,
    gap_table,
    inverse_document_frequency,
    orthonormal,
    sums_of_rows,
)
from doc2vecc.model import Model

LONG_CHUNK = 2 * WORDS_PER_CHUNK  # only parts of documents of more than a quarter of a million words are longer
FINAL_ALPHA = 1e-4  # of the learning rate, reached at the end
ITERATIONS = 4  # of the spectral start
MIN_LENGTH, MAX_LENGTH = 1.0, 30.0  # of documents after the spectral start
MAX_NOISE = 50.0  # alpha * square of the length that the corruption adds to a document: far more does not learn
MANY_EPOCHS = 25  # from here on documents start with the least length
DOCUMENTS_FOR_LENGTH = 1_000  # are measured


def first_tables(n_rows: int, private_rows: int, config: TrainingConfig, *, documents: int = 0) -> tuple[Table, Table]:
    """Return the tables before training: words and documents uniform in +-0.5 / dim, everything else zero.

    The rows of the inputs are the words and n-grams, the private rows, the documents; the outputs have no documents.
    """
    dim = config.dim
    columns = -(-dim // LANES) * LANES
    inputs = aligned_zeros(n_rows + private_rows + documents, columns)
    outputs = aligned_zeros(n_rows + private_rows, columns)
    generator = np.random.default_rng(config.seed)
    for table in (inputs[:n_rows], inputs[n_rows + private_rows :]):
        for start in range(0, len(table), 8192):
            part = table[start : start + 8192, :dim]
            part[:] = (generator.random(part.shape, np.float32) - 0.5) / dim
    return inputs, outputs


def document_frequencies(corpus: EncodedCorpus) -> npt.NDArray[np.int64]:
    """Return for every word how many documents it occurs in."""
    frequencies = np.zeros(len(corpus.vocabulary), np.int64)
    scratch = _scratch(corpus, 8)
    for first, last in corpus.parts():
        count_documents(Documents(*corpus.part(first, last)), 0, last - first, frequencies, scratch)
    return frequencies


def _scratch(corpus: EncodedCorpus, columns: int) -> SpectralScratch:
    counts = np.zeros(len(corpus.vocabulary), np.int32)
    return SpectralScratch(counts, np.empty(corpus.longest, np.uint32), np.zeros((1, columns), np.float32))


Products = Callable[[EncodedCorpus, npt.NDArray[np.float32], Table, int], Table]  # of idf, vectors and workers


def products_by_documents(corpus: EncodedCorpus, idf: npt.NDArray[np.float32], vectors: Table, workers: int) -> Table:
    """Return A' A vectors; each worker sums over its share of the documents, and the sums are added in order."""
    wanted = np.linspace(0, int(corpus.offsets[-1]), workers + 1)[1:-1]  # about equally many words for each
    bounds = [0, *np.searchsorted(corpus.offsets, wanted).tolist(), len(corpus)]

    is_stopped = threading.Event()

    def work(share: tuple[int, int]) -> Table:
        products, scratch = np.zeros_like(vectors), _scratch(corpus, vectors.shape[1])
        for first, last in corpus.parts(*share):
            if not is_stopped.is_set():
                documents = Documents(*corpus.part(first, last))
                add_products(documents, 0, last - first, idf, vectors, products, scratch)
        return products

    # Compile here: a pool cannot be interrupted at it.
    add_products(Documents(*corpus.part(0, 0)), 0, 0, idf, vectors, vectors, _scratch(corpus, vectors.shape[1]))
    if workers == 1:
        return work((0, len(corpus)))
    with ThreadPoolExecutor(workers) as pool:
        try:
            first, *others = pool.map(work, pairwise(bounds))
        except BaseException:
            is_stopped.set()  # else the pool would wait until all is done
            raise
    for other in others:
        first += other
    return first


def set_spectral_start(
    inputs: Table,
    corpus: EncodedCorpus,
    config: TrainingConfig,
    products: Products = products_by_documents,
    progress: ProgressListener | None = None,
) -> None:
    """Replace the random vectors of the first rows of a table, one per word of the corpus, by spectral ones.

    The more words there are, the longer the vectors: few epochs then hardly turn them, and more of the start remains.
    The noise of the corruption, which grows with them, is limited. Where documents span fewer directions than there
    are dimensions, the others keep their random values.
    """
    idf = inverse_document_frequency(document_frequencies(corpus), len(corpus))
    words, iterations = inputs[: len(corpus.vocabulary)], count()

    def multiply(vectors: Table) -> Table:
        (progress or Silent()).working("spectral start", next(iterations) / ITERATIONS)
        return products(corpus, idf, vectors, config.workers)

    found = spectral_vectors(words, idf, config.dim, multiply)
    place_words(words, found, document_lengths(corpus, found, config.keep), len(corpus.ids), config.alpha)


def spectral_vectors(
    random: Table, idf: npt.NDArray[np.float32], dim: int, products: Callable[[Table], Table]
) -> Table:
    """Return the spectral vectors of words, of any length; ``products`` multiplies vectors by A' A."""
    vectors, singular_values = random.copy(), np.empty(0, np.float32)
    for _ in range(ITERATIONS):
        vectors, singular_values = orthonormal(products(vectors), dim)
    return np.asarray(vectors[:, : len(singular_values)] * np.sqrt(singular_values) * idf[:, None])


def place_words(words: Table, found: Table, lengths: npt.NDArray[np.float64], n_tokens: int, alpha: float) -> None:
    """Put the vectors that were found into the table, scaled by the length of documents that suits so many tokens."""
    length, noise = lengths.tolist()
    if length > 0:
        wanted = min(max((MANY_EPOCHS / auto_epochs(n_tokens)) ** 2, MIN_LENGTH), MAX_LENGTH)
        longest = np.sqrt(MAX_NOISE / (alpha * noise)) if noise > 0 else np.inf
        words[:, : found.shape[1]] = found * np.float32(min(wanted / length, longest))


def fill_tables(
    tables: Tables, corpus: EncodedCorpus, config: TrainingConfig, start: Model | None, progress: ProgressListener
) -> None:
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
            set_spectral_start(tables.inputs, corpus, config, products, progress)


def document_lengths(corpus: EncodedCorpus, vectors: Table, keep: float) -> npt.NDArray[np.float64]:
    """Return the mean length of document vectors and the mean square that the corruption adds, over some documents."""
    chosen = np.unique(np.linspace(0, len(corpus) - 1, DOCUMENTS_FOR_LENGTH).astype(np.int64)).tolist()
    sums = [(len(ids), *sums_of_rows(vectors, ids)) for ids in map(corpus.document, chosen) if len(ids)]
    lengths = [np.linalg.norm(total / n) for n, total, _ in sums]
    noise = [(1 - keep) / keep * squares / n**2 for n, _, squares in sums]
    return np.array([np.mean(lengths), np.mean(noise)]) if sums else np.zeros(2)


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
        idf = inverse_document_frequency(document_frequencies(corpus), len(corpus))
        found = products(corpus, idf, vectors, workers)[new]
        lengths = np.linalg.norm(found, axis=1)
        mean_length = np.linalg.norm(inputs[known], axis=1).mean(dtype=np.float64)
        placed = lengths > LEAST * mean_length
        inputs[new[placed]] = found[placed] * (mean_length / lengths[placed]).astype(np.float32)[:, None]


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


class PrivateRows:
    """The private rows of one thread in both tables, and the snapshots that tell what it has learned since."""

    def __init__(self, tables: tuple[Table, Table], rows: Rows, hottest: int, lock: threading.Lock) -> None:
        self._tables = tables
        self._rows = rows
        self._hottest = hottest  # how many of them change most
        self._lock = lock  # one thread merges at a time, so no update of a frequent word is lost
        self._snapshots = [table[rows.private : rows.private + rows.hot].copy() for table in tables]

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
