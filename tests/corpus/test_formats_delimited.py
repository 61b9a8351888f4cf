"""csv and tsv: rows of any length, cells as they are written, rows of a wrong length told."""

from unittest import mock

import pyarrow as pa
import pyarrow.csv
import pytest

from doc2vecc.corpus import text_column
from doc2vecc.corpus.formats import delimited
from doc2vecc.corpus.sources import ReadReport, read_files
from doc2vecc.errors import InputError
from tests.corpus.documents import columns_of, read, texts_of, write


def test_csv_cells(tmp_path):
    content = 'id,text\r\n1,"two\r\nlines, and ""quotes"""\r\n2,007\r\n3,\r\n4,NA\r\n5,5" nail\r\n\r\n6,last'
    path = write(tmp_path / "a.csv", content)
    texts = ['two\r\nlines, and "quotes"', "007", "", "NA", '5" nail', "last"]
    assert read(path) == texts
    assert columns_of(path) == {"id": [1, 2, 3, 4, 5, 6], "text": texts}


def test_numbers_in_the_text_column_stay_text(tmp_path):
    assert read(write(tmp_path / "a.csv", "id,text\n1,007\n2,1e3\n")) == ["007", "1e3"]
    assert read(write(tmp_path / "b.csv", "code\n007\n\n2020-01-01\n")) == ["007", "", "2020-01-01"]
    assert read(write(tmp_path / "c.csv", "id,zip\n1,01067\n"), text_column="zip") == ["01067"]


def test_the_first_rows_are_parsed_once_unless_their_types_change_the_text(tmp_path):
    parsed = []
    original = pa.csv.read_csv

    def spy(rows, *options):
        table = original(rows, *options)
        parsed.append(table.num_rows)
        return table

    header, path = 0, tmp_path / "a.csv"
    for content, times in [("id,text\n1,a\n2,\n", 1), ("id,text\n1,007\n2,08\n", 2)]:
        parsed.clear()
        with mock.patch.object(pa.csv, "read_csv", spy):
            read(write(path, content))
        assert parsed == [header] + [2] * times
    content = "id,empty,text\n1,NA,a\n2,,b\n"
    assert columns_of(write(path, content)) == {"id": [1, 2], "empty": ["NA", ""], "text": ["a", "b"]}


def test_rows_of_a_wrong_length_are_skipped_and_counted_or_refused(tmp_path):
    path = write(tmp_path / "a.csv", "id,text\n1,a\n2\n3,b,c\n4,d\n")
    for block in (8, 8 << 20):
        with mock.patch.object(text_column, "BLOCK_BYTES", block):
            documents = read_files([path])
            assert texts_of(documents) == ["a", "d"]
            assert documents.report == ReadReport(documents=2, skipped_lines=2)
    for block in (12, 8 << 20):
        with (
            mock.patch.object(text_column, "BLOCK_BYTES", block),
            pytest.raises(InputError, match=r"a\.csv, row 3: 1 cell where the header has 2"),
        ):
            read(path, strict=True)


def test_a_long_row_grows_the_block_without_counting_or_giving_anything_twice(tmp_path):
    rows = [f'{i},"text {i} \xe9"\n'.encode("latin-1") for i in range(20)]
    rows[12] = b'12,"' + b"long\n" * 300 + b'"\n'
    path = write(tmp_path / "a.csv", b"id,text\n" + b"".join(rows[:6]) + b"odd\n" + b"".join(rows[6:]))
    with mock.patch.object(text_column, "BLOCK_BYTES", 64):
        documents = read_files([path], keep_columns=True)
        table = pa.Table.from_batches(list(documents)).to_pydict()
    assert table["id"] == list(range(20))
    assert table["text"][11:14] == ["text 11 \ufffd", "long\n" * 300, "text 13 \ufffd"]
    assert documents.report == ReadReport(documents=20, undecodable=19, skipped_lines=1)
    header = write(tmp_path / "h.csv", "a" * 500 + ",text\n1,found\n")
    with mock.patch.object(text_column, "BLOCK_BYTES", 64):
        assert read(header) == ["found"]


def test_a_row_that_never_ends_is_refused(tmp_path):
    path = write(tmp_path / "a.csv", 'id,text\n1,"open\n' + "2,x\n" * 1000)
    with (
        mock.patch.object(text_column, "BLOCK_BYTES", 64),
        mock.patch.object(delimited, "LONGEST_ROW", 512),
        pytest.raises(InputError, match="a quote may be left open"),
    ):
        read(path)


def test_the_first_block_decides_the_types_of_the_other_columns(tmp_path):
    path = write(tmp_path / "a.csv", "id,empty,text\n" + "1,,a\n" * 30 + "2,later,b\n")
    with mock.patch.object(text_column, "BLOCK_BYTES", 64):
        assert columns_of(path)["empty"] == [""] * 30 + ["later"]
        write(path, "id,text\n" + "1,a\n" * 30 + "x,b\n")
        assert read(path) == ["a"] * 30 + ["b"]
        with pytest.raises(InputError, match=r"a\.csv: .*invalid value 'x'.*decide the type"):
            columns_of(path)


def test_a_header_alone_gives_no_batch(tmp_path):
    for content in ("id,text", "id,text\n", "some,other\n", "\n\n", "\nid,text"):
        assert read(write(tmp_path / "a.csv", content)) == []


def test_empty_lines_before_the_header_are_passed_over(tmp_path):
    path = write(tmp_path / "a.csv", "\r\n" * 20 + "id,text\r\n1,a\r\n")
    for block in (8, 8 << 20):
        with mock.patch.object(text_column, "BLOCK_BYTES", block):
            assert read(path) == ["a"]
