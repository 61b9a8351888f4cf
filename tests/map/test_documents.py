"""Documents are read once; those without a vector are left out and counted."""

import numpy as np
import pyarrow as pa
import pytest

from doc2vecc import InputError
from doc2vecc.corpus.sources import Selection, read_texts
from doc2vecc.map.documents import is_unspaced, read_documents


def test_other_columns_and_unit_vectors(documents, table):
    assert documents.table.column_names == table.column_names
    assert documents.rows.tolist() == list(range(300))
    np.testing.assert_allclose(np.linalg.norm(documents.vectors, axis=1), 1, rtol=1e-5)


def test_documents_without_a_known_word_are_left_out_and_counted(model):
    texts = ["the soup was cold", "zzz", "the actor", "bread with salt", "", "a list of tokens"]
    documents = read_documents(model.model_, read_texts(texts))
    assert documents.rows.tolist() == [0, 2, 3, 5]
    assert documents.notes == ["2 of 6 documents have no known word: left out"]


def test_too_few_documents_are_refused(model):
    with pytest.raises(InputError, match="2 documents with a known word; at least 4 are needed"):
        read_documents(model.model_, read_texts(["soup", "zzz", "salt"]))


def test_a_sample_is_drawn_by_the_seed_and_keeps_the_order(model, table):
    def sample(seed):
        only = Selection(sample=50, seed=seed)
        return read_documents(model.model_, read_texts(table, keep_columns=True, only=only))

    first, again, other = sample(1), sample(1), sample(2)
    assert first.rows.tolist() == again.rows.tolist() != other.rows.tolist()
    assert len(first) == 50
    assert np.all(np.diff(first.rows) > 0)
    assert first.table.equals(table.take(pa.array(first.rows)).cast(first.table.schema))
    assert first.notes == ["a sample of 50 of 300 documents"]


def test_a_sample_of_a_stream_of_many_batches_is_spread_over_all_of_them(model, monkeypatch):
    monkeypatch.setattr("doc2vecc.corpus.text_column.MAX_DOCUMENTS", 64)
    documents = read_documents(model.model_, read_texts(["the soup"] * 10_000, only=Selection(sample=500)))
    assert len(documents) == 500
    assert np.histogram(documents.rows, 4, (0, 10_000))[0].min() > 80


def test_beginnings_are_short_and_on_one_line(model):
    documents = read_documents(model.model_, read_texts(["soup\n\u2028 and\x00bread", "soup " * 99, "salt", "a"]))
    assert documents.beginnings(20) == ["soup and bread", "soup soup soup soup…", "salt", "a"]
    assert documents.beginnings(20, np.array([2])) == ["salt"]


def test_words_are_written_as_in_the_texts(model):
    texts = ["the soup of New York and the UK", "we like New York and the UK here", "a New York, the UK"] * 4
    words = read_documents(model.model_, read_texts(texts)).words
    assert words.written("new york") == "New York"
    assert words.written("uk") == "UK"
    assert words.written("soup") == "soup"
    assert words.presence.shape == (12, len(words.words))
    assert words.presence[:, words.words.index("soup")].toarray().ravel().tolist() == [1, 0, 0] * 4


def test_characters_of_scripts_without_spaces_are_joined(model):
    words = read_documents(model.model_, read_texts(["电影 soup"] * 9)).words
    assert words.written("电 影") == "电影"
    assert [is_unspaced(one) for one in ("电", "a", ",", "한", "")] == [True, False, False, False, False]


def test_an_unknown_column_is_named_with_those_there_are(documents):
    with pytest.raises(InputError, match="no column 'label'; the input has: text, topic_name, stars, day"):
        documents.column("label")
