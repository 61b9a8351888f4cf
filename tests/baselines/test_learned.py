"""Do the baselines that learn learn what they should, and nothing else?"""

import numpy as np
import pyarrow as pa
import pytest
from scipy import sparse
from sklearn.base import clone
from sklearn.feature_extraction.text import TfidfVectorizer

from doc2vecc import Doc2VecC
from doc2vecc.baselines import DenoisingAutoencoder, ParagraphVectors, Word2Vec
from doc2vecc.baselines.word_vectors import weighted_means
from doc2vecc.config import TrainingConfig
from doc2vecc.corpus.encoding import encode
from doc2vecc.corpus.tokenizer import tokenize
from doc2vecc.training.trainer import train
from tests.baselines.material import NEW, SMALL, TEXTS, TRAINED
from tests.test_estimator import accuracy, planted_topics

PLANTED = {**TRAINED, "vector_size": 16, "epochs": 30, "alpha": 0.1}


def planted(**changes):
    return {**PLANTED, **changes}


# ---- Word2Vec


def test_weights_of_a_document_by_hand():
    model = Word2Vec(**TRAINED).fit(["b a b c b", "a", "c c"])
    b, _, a = model.word_vectors_.astype(np.float64)
    rare, common = np.log(4 / 2) + 1, np.log(4 / 3) + 1
    wanted = {
        "mean": (2 * b + a) / 3,
        "idf": (rare * b + common * a) / (rare + common),
        "tfidf": (2 * rare * b + common * a) / (2 * rare + common),
    }
    for weighting, vector in wanted.items():
        row = model.set_params(weighting=weighting).transform(["b b a unknown"])[0]
        np.testing.assert_allclose(row, vector, rtol=1e-5, atol=1e-8)


def test_idf_is_that_of_scikit_learn():
    model = SMALL["idf"].fit(TEXTS)
    theirs = TfidfVectorizer(analyzer=tokenize).fit(TEXTS)
    np.testing.assert_allclose(model.idf_, [theirs.idf_[theirs.vocabulary_[word]] for word in model.vocabulary_])


def test_weights_are_divided_by_their_sum():
    words = sparse.csr_array(np.array([[1.0, 3.0], [0.0, 0.0], [2.0, 0.0]], np.float32))
    vectors = np.array([[1.0, 0.0], [0.0, 1.0]], np.float32)
    means = weighted_means(words, np.array([3.0, 2.0]), vectors)
    np.testing.assert_allclose(means, [[3 / 9, 6 / 9], [0, 0], [1, 0]], rtol=1e-6)
    assert means.dtype == np.float32


@pytest.mark.parametrize("weighting", ["mean", "idf", "tfidf"])
def test_weightings_share_their_words(weighting):
    model = Word2Vec(weighting=weighting, **TRAINED).fit(TEXTS)
    np.testing.assert_array_equal(model.word_vectors_, SMALL["mean"].fit(TEXTS).word_vectors_)


def test_word2vec_is_the_loop_without_a_document():
    settings = {"window": 2, "sample": 0.01, "negative": 3, "ns_exponent": 0.5, "alpha": 0.2}
    ours = Word2Vec(**{**TRAINED, **settings}, architecture="skipgram").fit(TEXTS)
    corpus = encode([pa.array(TEXTS, pa.large_string())])
    config = TrainingConfig(
        init="random",
        vector_size=6,
        epochs=2,
        **settings,
        architecture="skipgram",
        document="absent",
        document_only=0,
        seed=0,
    )
    np.testing.assert_array_equal(ours.word_vectors_, train(corpus, config).model.word_vectors)


def test_a_word_without_neighbors_teaches_nothing():
    model = Word2Vec(**TRAINED).fit(["cat", "dog"] * 20)
    assert not model.model_.outputs.any()


# ---- DenoisingAutoencoder


def test_the_autoencoder_is_doc2vecc_without_local_context():
    ours = DenoisingAutoencoder(**TRAINED, keep=0.4, alpha=0.2).fit(TEXTS)
    theirs = Doc2VecC(**TRAINED, keep=0.4, alpha=0.2, document_only=1.0, init="random", idf_exponent=0).fit(TEXTS)
    np.testing.assert_array_equal(ours.word_vectors_, theirs.word_vectors_)
    np.testing.assert_allclose(ours.transform(NEW), theirs.transform(NEW), rtol=1e-6)


# ---- ParagraphVectors


@pytest.mark.parametrize("variant", ["dm", "dbow"])
def test_fit_transform_gives_what_was_learned(variant):
    model = ParagraphVectors(variant=variant, **TRAINED)
    vectors = model.fit_transform(TEXTS)
    assert vectors.shape == (20, 6)
    np.testing.assert_array_equal(vectors, model.document_vectors_)
    np.testing.assert_array_equal(vectors, clone(model).fit(TEXTS).document_vectors_)
    assert not np.array_equal(vectors, model.transform(TEXTS))


@pytest.mark.parametrize("variant", ["dm", "dbow"])
def test_transform_is_deterministic_and_leaves_the_words_alone(variant):
    model = ParagraphVectors(variant=variant, **{**TRAINED, "random_state": None}).fit(TEXTS)
    before = np.array(model.word_vectors_), np.array(model.model_.outputs), np.array(model.document_vectors_)
    first = model.transform(NEW)
    np.testing.assert_array_equal(first, model.transform(NEW))
    for old, new in zip(before, (model.word_vectors_, model.model_.outputs, model.document_vectors_), strict=True):
        np.testing.assert_array_equal(old, new)


def test_inference_has_settings_of_its_own():
    model = ParagraphVectors(**TRAINED, alpha=0.1).fit(TEXTS)
    as_in_training = model.transform(NEW)
    same = model.set_params(inference_epochs=TRAINED["epochs"], inference_alpha=0.1).transform(NEW)
    np.testing.assert_array_equal(same, as_in_training)
    longer = model.set_params(inference_epochs=50, inference_alpha=0.1).transform(NEW)
    faster = model.set_params(inference_epochs=TRAINED["epochs"], inference_alpha=1.0).transform(NEW)
    assert np.linalg.norm(longer) > 2 * np.linalg.norm(as_in_training)
    assert np.linalg.norm(faster) > 2 * np.linalg.norm(as_in_training)


def test_dbow_does_not_look_at_neighbors():
    narrow, wide = (ParagraphVectors(variant="dbow", **TRAINED, window=window) for window in (1, 5))
    np.testing.assert_array_equal(narrow.fit_transform(TEXTS), wide.fit_transform(TEXTS))
    narrow, wide = (ParagraphVectors(variant="dm", **TRAINED, window=window) for window in (1, 5))
    assert not np.array_equal(narrow.fit_transform(TEXTS), wide.fit_transform(TEXTS))


def test_dm_may_look_at_the_document_alone():
    neither = ParagraphVectors(variant="dm", **TRAINED, alpha=0.1).fit_transform(TEXTS)
    some = ParagraphVectors(variant="dm", **TRAINED, alpha=0.1, document_only=0.5).fit_transform(TEXTS)
    all_of_them = ParagraphVectors(variant="dm", **TRAINED, alpha=0.1, document_only=1.0).fit_transform(TEXTS)
    assert not np.array_equal(neither, some)
    dbow = ParagraphVectors(variant="dbow", **TRAINED, alpha=0.1).fit_transform(TEXTS)
    np.testing.assert_array_equal(all_of_them, dbow)


@pytest.mark.parametrize("variant", ["dm", "dbow"])
def test_a_share_that_does_not_fit_is_refused_whatever_the_variant(variant):
    with pytest.raises(ValueError, match=r"document_only=5 does not fit; it must be a number from 0 to 1"):
        ParagraphVectors(variant=variant, **TRAINED, document_only=5).fit(TEXTS)


@pytest.mark.slow
@pytest.mark.parametrize(
    "estimator",
    [
        Word2Vec(**planted(window=8, alpha=0.2)),
        Word2Vec(**planted(window=8, alpha=0.2), weighting="idf"),
        Word2Vec(**planted(window=8, epochs=10), architecture="skipgram"),
        DenoisingAutoencoder(**PLANTED),
        ParagraphVectors(**planted(window=2, epochs=60), variant="dm"),
        ParagraphVectors(**planted(alpha=0.05, epochs=60), variant="dbow"),
    ],
    ids=["cbow", "cbow idf", "skipgram", "autoencoder", "dm", "dbow"],
)
def test_planted_topics_are_found(estimator):
    texts, topics = planted_topics()
    before = accuracy(clone(estimator).set_params(alpha=1e-9, epochs=1).fit_transform(texts), topics)
    learned = estimator.fit_transform(texts)
    inferred = estimator.transform(texts)
    assert before < 0.7  # even random vectors of words tell a little: chance would be 0.25
    assert accuracy(learned, topics) >= 0.95
    assert accuracy(inferred, topics) >= 0.95
