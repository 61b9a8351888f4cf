"""The nearest documents in a stream are those that a search over everything at once would find."""

from pathlib import Path

import numpy as np
import pyarrow as pa
import pytest

from doc2vecc.corpus.sources import read_files, read_texts
from doc2vecc.corpus.vocabulary import Vocabulary
from doc2vecc.errors import UnknownWordError
from doc2vecc.model import Model
from doc2vecc.search import nearest_documents
from doc2vecc.similarity import nearest

WORDS = [f"w{number}" for number in range(50)]


@pytest.fixture(scope="module")
def model() -> Model:
    rows = np.random.default_rng(0).normal(size=(50, 8)).astype(np.float32)
    return Model(Vocabulary.from_words(WORDS, range(50, 0, -1)), rows, 8, outputs=np.zeros((50, 8), np.float32))


def test_one_pass_finds_what_a_full_search_finds(model: Model) -> None:
    draw = np.random.default_rng(1)
    texts = [" ".join(draw.choice(WORDS, size=4)) for _ in range(40_000)]  # three batches
    queries = ["w1 w2", "w3", "w4 w5 w6"]
    found = nearest_documents(model, read_texts(texts), queries, 7, workers=2)
    corpus_vectors = model.embed(pa.array(texts, pa.large_string())).vectors
    query_vectors = model.embed(pa.array(queries, pa.large_string())).vectors
    expected = nearest(query_vectors, corpus_vectors, 7)
    assert [[hit.row for hit in hits] for hits in found] == expected.indices.tolist()
    np.testing.assert_allclose([[hit.similarity for hit in hits] for hits in found], expected.similarities, rtol=1e-5)
    assert all(hit.text == texts[hit.row] and hit.file is None for hits in found for hit in hits)


def test_equally_near_documents_come_in_their_order(model: Model) -> None:
    texts = ["w1"] + ["w2"] * 20_000 + ["w1"]
    (hits,) = nearest_documents(model, read_texts(texts), ["w1"], 2)
    assert [hit.row for hit in hits] == [0, 20_001]


def test_fewer_documents_than_asked_for(model: Model) -> None:
    (hits,) = nearest_documents(model, read_texts(["w1", "w2"]), ["w2"], 10)
    assert [hit.row for hit in hits] == [1, 0]
    assert nearest_documents(model, read_texts([]), ["w2"], 10) == [[]]


def test_files_of_a_folder_are_named(model: Model, tmp_path: Path) -> None:
    for number in range(3):
        (tmp_path / f"{number}.txt").write_text(f"w{number}")
    (hits,) = nearest_documents(model, read_files([tmp_path], keep_columns=True), ["w2"], 1)
    assert (hits[0].file, hits[0].text) == ("2.txt", "w2")


def test_a_query_without_a_known_word(model: Model) -> None:
    with pytest.raises(UnknownWordError, match="no word of the query 'good film' is in the vocabulary"):
        nearest_documents(model, read_texts(["w1"]), ["w1", "good film"])
