"""What learning does around the training: cut-offs by size, weights of words, a limit of time."""

import time

import numpy as np
import pytest

from doc2vecc import Doc2VecC
from doc2vecc.config import TrainingConfig
from doc2vecc.corpus.sources import read_texts
from doc2vecc.overview import settings_in_effect
from doc2vecc.training.learning import encode_documents
from doc2vecc.training.start import continue_from, first_tables


def zipf_texts(n_texts, length=30, n_words=300, seed=0, prefix="w"):
    generator = np.random.default_rng(seed)
    return [" ".join(f"{prefix}{word}" for word in generator.zipf(1.4, length) % n_words) for _ in range(n_texts)]


@pytest.fixture(scope="module")
def texts():
    return zipf_texts(300)


@pytest.fixture(scope="module")
def weighted(texts):
    return Doc2VecC(16, epochs=5, workers=1, idf_exponent=0.7).fit(texts)


def test_vectors_are_multiplied_by_a_power_of_the_inverse_document_frequency(texts, weighted):
    plain = Doc2VecC(16, epochs=5, workers=1, idf_exponent=0).fit(texts)
    words = weighted.vocabulary_.words
    frequencies = np.array([sum(word in text.split() for text in texts) for word in words])
    expected = (np.log(301 / (1 + frequencies)) + 1) ** 0.7
    np.testing.assert_allclose(weighted.model_.weights, expected, rtol=1e-5)
    np.testing.assert_allclose(weighted.word_vectors_, plain.word_vectors_ * expected[:, None], rtol=1e-4)
    assert plain.model_.weights is None


@pytest.mark.parametrize(("length", "exponent"), [(10, 0.2), (80, 1.0)])
def test_the_power_follows_the_length_of_documents(length, exponent):
    some = zipf_texts(100, length=length)
    by_default, named = (Doc2VecC(8, epochs=1, workers=1, idf_exponent=power).fit(some) for power in (None, exponent))
    np.testing.assert_array_equal(by_default.word_vectors_, named.word_vectors_)


def test_weights_are_saved_and_pickled(weighted, tmp_path):
    weighted.save(tmp_path / "model")
    loaded = Doc2VecC.load(tmp_path / "model")
    np.testing.assert_array_equal(loaded.model_.weights, weighted.model_.weights)
    assert loaded.idf_exponent == 0.7


def test_words_keep_their_weights_when_training_continues(texts, weighted):
    before = dict(zip(weighted.vocabulary_.words, weighted.model_.weights, strict=True))
    model = Doc2VecC(16, epochs=5, workers=1, idf_exponent=0.7).fit(texts)
    model.partial_fit(zipf_texts(50, seed=1) + ["something new, something else"] * 20)
    after = dict(zip(model.vocabulary_.words, model.model_.weights, strict=True))
    assert {word: after[word] for word in before} == before
    assert after["something"] == pytest.approx((np.log(71 / 21) + 1) ** 0.7)


def test_words_keep_their_weights_though_new_ones_get_none(texts, weighted):
    before = dict(zip(weighted.vocabulary_.words, weighted.model_.weights, strict=True))
    model = Doc2VecC(16, epochs=5, workers=1, idf_exponent=0.7).fit(texts)
    model.set_params(idf_exponent=0).partial_fit(zipf_texts(50, seed=1) + ["something new, something else"] * 20)
    after = dict(zip(model.vocabulary_.words, model.model_.weights, strict=True))
    assert {word: after[word] for word in before} == before
    assert after["something"] == 1


def test_epochs_follow_the_words_of_all_texts_when_training_continues(monkeypatch):
    monkeypatch.setattr("doc2vecc.config.EPOCHS_OF_ONE_WORD", 9_000)
    texts = zipf_texts(300)
    model = Doc2VecC(4, workers=1, min_count=1).fit(texts)
    assert len(model.history_) == round(9_000 / 9_000 ** (2 / 3)) == 21
    model.partial_fit(texts[:10])
    assert len(model.history_) - 21 == round(9_000 / 9_300 ** (2 / 3)) == 20
    assert len(Doc2VecC(4, workers=1, min_count=1).fit(texts[:10]).history_) == 100
    assert settings_in_effect(model.model_)["epochs"] == 20


def test_a_model_without_weights_gets_none_when_training_continues(texts):
    model = Doc2VecC(16, epochs=2, workers=1, idf_exponent=0).fit(texts)
    model.set_params(idf_exponent=0.5).partial_fit(texts)
    assert model.model_.weights is None


def test_training_continues_from_the_vectors_before_the_weights(texts, weighted):
    corpus = encode_documents(read_texts(texts), TrainingConfig(vector_size=16))
    inputs, outputs = first_tables(len(corpus.vocabulary), 0, TrainingConfig(vector_size=16))
    continue_from(weighted.model_, corpus, (inputs, outputs), workers=1)
    known = corpus.vocabulary.ids_of(weighted.vocabulary_.words)
    unweighted = weighted.word_vectors_ / weighted.model_.weights[:, None]
    np.testing.assert_allclose(inputs[known], unweighted, rtol=1e-5)


def test_a_new_word_starts_where_its_documents_are():
    topics = [zipf_texts(150, prefix="a"), zipf_texts(150, prefix="b", seed=1)]
    model = Doc2VecC(16, epochs=30, workers=1, idf_exponent=0).fit(topics[0] + topics[1])
    more = [f"{text} newcomer" for text in topics[1]]
    corpus = encode_documents(read_texts(more + topics[0]), TrainingConfig(vector_size=16))
    starts = {}
    for workers in (0, 1):
        inputs, outputs = first_tables(len(corpus.vocabulary), 0, TrainingConfig(vector_size=16))
        continue_from(model.model_, corpus, (inputs, outputs), workers)
        starts[workers] = inputs[corpus.vocabulary["newcomer"]]
    first, second = (model.transform(texts).mean(axis=0) for texts in topics)
    assert starts[1] @ second / np.linalg.norm(second) > 5 * abs(starts[1] @ first) / np.linalg.norm(first)
    known = np.linalg.norm(model.word_vectors_, axis=1).mean()
    assert np.linalg.norm(starts[1]) == pytest.approx(known, rel=0.05)
    assert np.linalg.norm(starts[0]) < 0.5  # at random


def test_a_small_text_keeps_words_that_occur_twice_and_ngrams_that_occur_four_times():
    texts = ["a good film", "a good film", "a good play", "a good play", "a bad one"]
    corpus = encode_documents(read_texts(texts), TrainingConfig(ngram_range=(1, 2)))
    assert set(corpus.vocabulary.words) == {"a", "good", "film", "play", "a good"}


@pytest.mark.slow
@pytest.mark.parametrize("workers", [1, 2])
def test_the_time_is_limited_and_the_learning_rate_falls_with_it(texts, workers):
    Doc2VecC(16, epochs=1, workers=workers).fit(texts)  # compiled
    started = time.perf_counter()
    model = Doc2VecC(16, epochs=100_000, workers=workers, max_seconds=0.3).fit(texts)
    assert 0.3 <= time.perf_counter() - started < 60  # the epochs take longer
    assert len(model.history_) < 50_000
    longer = Doc2VecC(16, epochs=1, workers=1, max_seconds=1000).fit(texts)  # the limit is not reached
    np.testing.assert_allclose(
        longer.word_vectors_, Doc2VecC(16, epochs=1, workers=1).fit(texts).word_vectors_, rtol=0.1, atol=0.1
    )


@pytest.mark.slow
@pytest.mark.filterwarnings("ignore:.*without a known word")
@pytest.mark.parametrize("length", [2, 5, 12])
def test_many_epochs_over_short_texts_do_not_diverge(length):
    texts = zipf_texts(1_000, length, n_words=600)
    model = Doc2VecC(100, epochs=500, workers=1).fit(texts)
    assert model.history_[-1].loss < model.history_[0].loss
    assert model.history_[-1].loss < 6 * np.log(2)  # that of an untrained model
