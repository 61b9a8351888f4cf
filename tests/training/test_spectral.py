"""The spectral start is that of latent semantic analysis, computed without its matrix."""

import tracemalloc

import numpy as np
import pytest
from scipy import sparse

from doc2vecc import Doc2VecC, config
from doc2vecc.baselines.bag_of_words import word_counts
from doc2vecc.config import TrainingConfig, auto_epochs
from doc2vecc.console import ProgressListener
from doc2vecc.corpus import encoded
from doc2vecc.corpus.encoded import EncodedCorpus
from doc2vecc.corpus.vocabulary import Vocabulary
from doc2vecc.kernels.training import start as kernels
from doc2vecc.training import start
from doc2vecc.training.start import MAX_NOISE, MIN_LENGTH, first_tables, set_spectral_start
from doc2vecc.training.trainer import train


def corpus_of(n_documents, n_words=60, topics=4, seed=0):
    """Documents of planted topics: each draws most of its words from a quarter of the vocabulary."""
    generator = np.random.default_rng(seed)
    documents = []
    for number in range(n_documents):
        first = number % topics * (n_words // topics)
        own = generator.integers(first, first + n_words // topics, 12)
        documents.append([*own.tolist(), *generator.integers(0, n_words, 3).tolist()])
    counts = np.bincount(np.concatenate(documents), minlength=n_words)
    return EncodedCorpus.of(documents, Vocabulary.from_words([f"w{i:02}" for i in range(n_words)], counts))


def start_of(corpus, dim, **settings):
    config = TrainingConfig(vector_size=dim, **settings)
    inputs, _ = first_tables(len(corpus.vocabulary), 0, config)
    before = inputs.copy()
    set_spectral_start(inputs, corpus, config)
    return inputs, before


def tfidf(corpus):
    counts = word_counts(corpus)
    frequencies = (counts > 0).sum(axis=0)
    idf = np.log((1 + len(corpus)) / (1 + frequencies)) + 1
    weighted = (counts @ sparse.diags_array(idf)).toarray()
    return weighted / np.linalg.norm(weighted, axis=1, keepdims=True), idf


def test_it_spans_the_leading_singular_vectors():
    corpus = corpus_of(400)
    inputs, _ = start_of(corpus, 4)
    matrix, idf = tfidf(corpus)
    _, values, expected = np.linalg.svd(matrix)
    ours = inputs[:, :4].astype(np.float64) / idf[:, None]
    directions = np.linalg.qr(ours)[0]
    np.testing.assert_allclose(np.linalg.svd(directions.T @ expected[:4].T)[1], 1, atol=1e-3)  # cosines of the angles
    lengths = np.linalg.norm(ours, axis=0)
    np.testing.assert_allclose(lengths / lengths[0], np.sqrt(values[:4] / values[0]), rtol=1e-2)
    mean_length = np.mean([np.linalg.norm(inputs[corpus.document(i)].mean(axis=0)) for i in range(len(corpus))])
    assert mean_length == pytest.approx(MIN_LENGTH, rel=1e-4)
    assert not inputs[:, 4:].any()  # the padding


def test_workers_only_change_the_order_of_sums():
    corpus = corpus_of(100)
    one, three = start_of(corpus, 4)[0], start_of(corpus, 4, workers=3)[0]
    np.testing.assert_allclose(np.abs(one), np.abs(three), atol=1e-3)
    np.testing.assert_array_equal(one, start_of(corpus, 4)[0])


def test_the_noise_of_the_corruption_is_limited():
    corpus = corpus_of(400)
    keep, alpha = 0.01, 10.0
    usual, limited = start_of(corpus, 4)[0], start_of(corpus, 4, keep=keep, alpha=alpha)[0]
    squares = [np.square(limited[ids]).sum() / len(ids) ** 2 for ids in map(corpus.document, range(400))]
    assert alpha * (1 - keep) / keep * np.mean(squares) == pytest.approx(MAX_NOISE, rel=1e-3)
    scale = np.linalg.norm(limited) / np.linalg.norm(usual)
    assert scale < 0.8
    np.testing.assert_allclose(limited, usual * scale, atol=1e-5)


def test_what_few_documents_do_not_span_stays_random():
    corpus = corpus_of(3)
    inputs, before = start_of(corpus, 10)
    np.testing.assert_array_equal(inputs[:, 3:], before[:, 3:])
    assert (np.linalg.norm(inputs[:, :3], axis=0) > 1).all()


@pytest.mark.filterwarnings("ignore::doc2vecc.CorpusWarning")
@pytest.mark.parametrize("texts", [["a"], ["a b c"], ["a", "a"], ["a a a", "b"], ["", "a b"]])
def test_tiny_corpora(texts):
    model = Doc2VecC(8, min_count=1, epochs=2, workers=1).fit(texts)
    assert np.isfinite(model.word_vectors_).all()


def test_fewer_epochs_are_enough():
    generator = np.random.default_rng(0)
    words = np.array([f"w{number}" for number in range(400)])
    texts = [" ".join(words[n % 4 * 100 + generator.integers(0, 100, 30)]) for n in range(400)]

    def separation(init):
        vectors = Doc2VecC(16, init=init, epochs=1, workers=1).fit(texts).transform(texts)
        unit = vectors / np.linalg.norm(vectors, axis=1, keepdims=True)
        means = np.array([unit[topic::4].mean(axis=0) for topic in range(4)])
        return np.mean((unit @ means.T).argmax(axis=1) == np.arange(400) % 4)

    assert separation("spectral") == 1.0
    assert separation("random") < 0.9


def test_epochs_follow_the_size_of_the_corpus():
    model = Doc2VecC(4, workers=1, min_count=1).fit(["a b c d"] * 200)
    assert len(model.history_) == auto_epochs(800) == 100
    assert model.epochs == "auto"


def test_the_dimension_follows_the_size_of_the_corpus(monkeypatch):
    texts = ["a b c d", "c d e f"] * 10
    model = Doc2VecC(epochs=1, workers=1, min_count=1).fit(texts)
    assert model.transform(texts).shape == (20, 500)
    assert model.vector_size is None
    assert model.model_.record.settings["vector_size"] == 500
    monkeypatch.setattr(config, "LARGE_TEXT", 80)
    assert Doc2VecC(epochs=1, workers=1).fit(texts).transform(texts).shape == (20, 300)
    assert model.partial_fit(["a b g h", "g h a b"]).transform(texts).shape == (20, 500)  # the model has decided


def test_the_start_shows_its_progress():
    stages = []

    class Watch(ProgressListener):
        def working(self, stage, share):
            stages.append((stage, share))

    train(corpus_of(100), TrainingConfig(vector_size=8, epochs=1), progress=Watch())
    assert stages == [("spectral start", share) for share in (0, 0.25, 0.5, 0.75)]


def test_the_dimension_is_not_known_before_the_texts():
    with pytest.raises(ValueError, match="call sized first"):
        TrainingConfig().dim  # noqa: B018
    assert TrainingConfig(vector_size=8).sized(10**9).dim == 8


@pytest.mark.parametrize("workers", [1, 2])
def test_ctrl_c_is_heard_between_pieces_of_the_corpus(monkeypatch, workers):
    """The products are summed in pieces, with the same result; an interruption ends them after the next piece."""
    corpus = corpus_of(400)
    expected, _ = start_of(corpus, 8, workers=workers)
    monkeypatch.setattr(encoded, "IDS_AT_ONCE", 64)
    np.testing.assert_array_equal(start_of(corpus, 8, workers=workers)[0], expected)
    pieces = []

    def interrupted(_documents, first, last, *_others):
        pieces.append((first, last))
        if len(pieces) == 4:
            raise KeyboardInterrupt

    monkeypatch.setattr(start, "add_products", interrupted)
    with pytest.raises(KeyboardInterrupt):
        start_of(corpus, 8, workers=workers)
    assert len(pieces) == 4 if workers == 1 else len(pieces) < len(corpus)


def test_lengths_of_long_documents_take_little_memory(monkeypatch):
    """One document of 32 MB of rows is measured in blocks of 4 MB, with the same result."""
    generator = np.random.default_rng(0)
    vectors = generator.normal(size=(100, 80)).astype(np.float32)
    corpus = corpus_of(3, n_words=100)
    corpus.ids = generator.integers(0, 100, 100_000).astype(np.int32)
    corpus.offsets = np.array([0, 0, 10, 100_000])
    expected = start.document_lengths(corpus, vectors, keep=0.1)
    rows = [vectors[corpus.document(i)].astype(np.float64) for i in (1, 2)]
    noise = [9 * np.square(some).sum() / len(some) ** 2 for some in rows]
    by_hand = [np.mean([np.linalg.norm(some.mean(axis=0)) for some in rows]), np.mean(noise)]
    np.testing.assert_allclose(expected, by_hand, rtol=1e-4)
    monkeypatch.setattr(kernels, "VALUES_AT_ONCE", 1 << 20)
    tracemalloc.start()
    found = start.document_lengths(corpus, vectors, keep=0.1)
    _, peak = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    np.testing.assert_allclose(found, expected, rtol=1e-4)
    assert peak < 16 << 20
