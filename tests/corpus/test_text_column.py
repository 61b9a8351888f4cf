"""The text column is found or named, and cleaned once."""

from unittest import mock

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from doc2vecc.corpus import text_column
from doc2vecc.corpus.sources import ReadReport, read_files, read_texts
from doc2vecc.errors import InputError
from tests.corpus.documents import TEXTS, read, texts_of, write, write_kind


def test_the_text_column_is_found_or_named(tmp_path):
    path = tmp_path / "reviews.parquet"
    pq.write_table(pa.table({"id": [1], "title": ["t"], "body": ["b"], "label": [0]}), path)
    with pytest.raises(
        InputError, match=r"several text columns in .*reviews\.parquet: title, body\. Name one with --text"
    ):
        read(path)
    assert read(path, text_column="title") == ["t"]
    with pytest.raises(
        InputError, match=r"no column 'text' in .*reviews\.parquet; it has: id, title, body, label\. Name one with"
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


def test_only_bytes_that_others_wrote_are_validated(tmp_path):
    paths = [write_kind(tmp_path / f"a.{kind}", TEXTS, kind) for kind in ("txt", "jsonl", "csv")]
    with mock.patch.object(text_column, "_decoded", side_effect=AssertionError):
        assert texts_of(read_texts([*TEXTS, None])) == [*TEXTS, ""]
        assert texts_of(read_files(paths)) == TEXTS * 3
        with pytest.raises(AssertionError):
            next(read_texts(pa.array(TEXTS)).texts())


def test_the_report_says_what_happened():
    assert ReadReport(documents=5).messages() == []
    assert ReadReport(5, undecodable=1, skipped_lines=1, missing=1, ignored_files=1).messages() == [
        "1 undecodable byte sequence replaced by U+FFFD",
        "1 malformed line skipped",
        "1 missing text read as empty",
        "1 file of another kind ignored",
    ]
    assert ReadReport(5, undecodable=3000, skipped_lines=2, missing=2, ignored_files=2).messages() == [
        "3,000 undecodable byte sequences replaced by U+FFFD",
        "2 malformed lines skipped",
        "2 missing texts read as empty",
        "2 files of another kind ignored",
    ]


@pytest.mark.parametrize("end", [b"", b"\n", b"\r\n"])
def test_a_single_line_is_not_copied(end):
    lines = b"one huge document" + end
    array = text_column.lines_array(lines)
    assert array.to_pylist() == ["one huge document"]
    if b"\r" not in end:
        assert array.buffers()[2].address == pa.py_buffer(lines).address
