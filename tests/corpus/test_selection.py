"""The first documents, and documents drawn at random."""

import numpy as np
import pyarrow as pa
import pytest

from doc2vecc import ParameterError
from doc2vecc.corpus import text_column
from doc2vecc.corpus.sources import Selection, read_files, read_texts

TEXTS = [f"text {number}" for number in range(1000)]


def texts_of(batches):
    return [text for texts in batches.texts() for text in texts.to_pylist()]


@pytest.fixture
def small_batches(monkeypatch):
    monkeypatch.setattr(text_column, "MAX_DOCUMENTS", 64)


def test_the_first_documents(small_batches):
    batches = read_texts(TEXTS, only=Selection(limit=100))
    assert texts_of(batches) == TEXTS[:100]
    assert (batches.report.documents, batches.report.messages()) == (100, [])
    assert texts_of(read_texts(TEXTS, only=Selection(limit=5000))) == TEXTS


def test_no_more_is_read_than_needed(small_batches, tmp_path):
    def endless():
        number = 0
        while True:
            yield f"text {number}"
            number += 1

    assert texts_of(read_texts(endless(), only=Selection(limit=70))) == TEXTS[:70]
    (tmp_path / "a.txt").write_text("a\nb\n")
    (tmp_path / "b.jsonl").write_text("this is no json\n")
    batches = read_files([tmp_path / "a.txt", tmp_path / "b.jsonl"], only=Selection(limit=2))
    assert texts_of(batches) == ["a", "b"]


def test_a_sample_keeps_the_order_and_knows_its_rows(small_batches):
    batches = read_texts(TEXTS, only=Selection(sample=100, seed=3))
    drawn = texts_of(batches)
    assert drawn == [TEXTS[row] for row in batches.rows]
    assert len(set(drawn)) == 100
    assert (np.diff(batches.rows) > 0).all()
    assert 300 < batches.rows.mean() < 700
    assert batches.report.messages() == ["a sample of 100 of 1,000 documents"]
    assert batches.report.documents == 100


def test_the_seed_decides_not_the_batches(small_batches, monkeypatch):
    drawn = texts_of(read_texts(TEXTS, only=Selection(sample=100, seed=3)))
    monkeypatch.setattr(text_column, "MAX_DOCUMENTS", 7)
    assert texts_of(read_texts(TEXTS, only=Selection(sample=100, seed=3))) == drawn
    assert texts_of(read_texts(TEXTS, only=Selection(sample=100, seed=4))) != drawn


def test_a_sample_has_all_columns_and_bounded_batches(small_batches):
    table = pa.table({"id": range(1000), "text": TEXTS})
    batches = list(read_texts(table, keep_columns=True, only=Selection(sample=200)))
    assert max(batch.num_rows for batch in batches) <= 64
    for batch in batches:
        assert batch.column("text").offset == 0
        assert batch.column("text").to_pylist() == [TEXTS[number] for number in batch.column("id").to_pylist()]


def test_both_and_too_few():
    batches = read_texts(TEXTS, only=Selection(limit=10, sample=5))
    assert set(texts_of(batches)) < set(TEXTS[:10])
    batches = read_texts(TEXTS[:3], only=Selection(sample=5))
    assert texts_of(batches) == TEXTS[:3]
    assert batches.report.messages() == []
    assert texts_of(read_texts([], only=Selection(sample=5))) == []


@pytest.mark.parametrize("only", [Selection(limit=0), Selection(sample=-1), Selection(sample=1.5)])
def test_at_least_one(only):
    with pytest.raises(ParameterError, match="a whole number of at least 1"):
        read_texts(TEXTS, only=only)
