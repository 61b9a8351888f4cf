"""Our models in BERTopic and Top2Vec, with the real packages."""

import os
import sys

import numpy as np
import pytest

from doc2vecc import Doc2VecC, ParameterError, bertopic
from tests.cli.commands import sentences

TEXTS = [text for _, text in sentences(400)]


@pytest.fixture(scope="module")
def model():
    return Doc2VecC(vector_size=16, epochs=20, min_count=1, workers=1).fit(TEXTS)


def test_no_vector_is_zero(model):
    embed = bertopic.embedder(model)
    vectors = embed(["the soup", "zzz", "yyy", "zzz"])
    np.testing.assert_array_equal(vectors[:1], model.transform(["the soup"]))
    assert np.all(np.linalg.norm(vectors, axis=1) > 0)
    np.testing.assert_array_equal(vectors[1], vectors[3])
    assert not np.array_equal(vectors[1], vectors[2])


def test_without_bertopic_the_remedy_is_named(monkeypatch):
    bertopic._backend_class.cache_clear()
    monkeypatch.setitem(sys.modules, "bertopic", None)
    monkeypatch.setitem(sys.modules, "bertopic.backend", None)
    with pytest.raises(ParameterError, match="pip install bertopic"):
        bertopic.Doc2VecCBackend  # noqa: B018
    with pytest.raises(AttributeError, match="no attribute 'Backend'"):
        bertopic.Backend  # noqa: B018


@pytest.mark.peers
@pytest.mark.slow
@pytest.mark.filterwarnings("ignore")
def test_bertopic_uses_our_vectors(model, monkeypatch):
    monkeypatch.setitem(os.environ, "HF_HUB_OFFLINE", "1")
    peer = pytest.importorskip("bertopic", reason="bertopic is not installed; make test-peers installs it")
    from sklearn.cluster import KMeans
    from sklearn.decomposition import PCA

    backend = bertopic.Doc2VecCBackend(model)
    np.testing.assert_array_equal(backend.embed_documents(TEXTS[:5]), model.transform(TEXTS[:5]))
    topics = peer.BERTopic(
        embedding_model=backend, umap_model=PCA(5), hdbscan_model=KMeans(3, n_init=3, random_state=0)
    )
    found, _ = topics.fit_transform(TEXTS)
    assert topics.embedding_model is backend
    by_topic = {}
    for (topic, _), number in zip(sentences(400), found, strict=True):
        by_topic.setdefault(topic, []).append(number)
    assert len({max(set(numbers), key=numbers.count) for numbers in by_topic.values()}) == 3
    nearest, _ = topics.find_topics("soup and bread", top_n=1)
    assert list(nearest) == list(topics.transform(["soup and bread with salt"])[0])


@pytest.mark.peers
@pytest.mark.slow
@pytest.mark.filterwarnings("ignore")
def test_top2vec_uses_our_vectors(model):
    peer = pytest.importorskip("top2vec", reason="top2vec is not installed; pip install top2vec")
    topics = peer.Top2Vec(TEXTS, embedding_model=bertopic.embedder(model), min_count=5, speed="learn", workers=1)
    own = model.transform(TEXTS)
    expected = own / np.linalg.norm(own, axis=1, keepdims=True)
    np.testing.assert_allclose(topics.document_vectors, expected, atol=1e-5)
    assert topics.get_num_topics() >= 2
