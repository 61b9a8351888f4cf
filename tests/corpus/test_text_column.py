"""The text column is found or named."""

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from doc2vecc.corpus.sources import read_files
from doc2vecc.errors import InputError
from tests.corpus.documents import read, write


def test_the_text_column_is_found_or_named(tmp_path):
    path = tmp_path / "reviews.parquet"
    pq.write_table(pa.table({"id": [1], "title": ["t"], "body": ["b"], "label": [0]}), path)
    with pytest.raises(
        InputError, match=r"several text columns in .*reviews\.parquet: title, body\. Name one with --text"
    ):
        read(path)
    assert read(path, text_column="title") == ["t"]
    with pytest.raises(
        InputError,
        match=r"no column 'text' in .*reviews\.parquet; it has: id, title, body, label\. Name one with",
    ):
        read(path, text_column="text")
    with pytest.raises(InputError, match=r"the column 'id' of .* holds no text"):
        read(path, text_column="id")
    pq.write_table(pa.table({"title": ["t"], "text": ["x"]}), path)
    assert read(path) == ["x"]
    pq.write_table(pa.table({"id": [1]}), path)
    with pytest.raises(InputError, match=r"no text column in .*; it has: id"):
        read(path)


def test_a_text_column_that_occurs_twice_is_refused(tmp_path):
    with pytest.raises(InputError, match="several columns 'text'"):
        read(write(tmp_path / "a.csv", "text,text\na,b\n"))
    write(tmp_path / "folder" / "a.txt", "a")
    with pytest.raises(InputError, match="several columns 'file'"):
        read(tmp_path / "folder", text_column="file")


def test_texts_without_a_name_take_the_one_that_is_asked_for(tmp_path):
    documents = read_files([write(tmp_path / "a.txt", "a\n")], text_column="body", keep_columns=True)
    assert [batch.to_pydict() for batch in documents] == [{"body": ["a"]}]
