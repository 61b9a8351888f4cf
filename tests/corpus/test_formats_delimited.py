"""csv and tsv: rows of any length, cells as they are written, rows of a wrong length told."""

import csv
import io
from unittest import mock

import pyarrow as pa
import pyarrow.csv
import pytest

from doc2vecc.corpus import text_column
from doc2vecc.corpus.formats.delimited import sniff_delimiter
from doc2vecc.corpus.sources import ReadingRules, ReadReport, read_files
from doc2vecc.errors import InputError, ParameterError
from tests.corpus.documents import LENIENT, STRICT, columns_of, read, texts_of, write


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
            documents = read_files([path], rules=LENIENT)
            assert texts_of(documents) == ["a", "d"]
            assert documents.report == ReadReport(documents=2, skipped_lines=2)
    for block in (12, 8 << 20):
        with (
            mock.patch.object(text_column, "BLOCK_BYTES", block),
            pytest.raises(InputError, match=r"a\.csv, row 3: 1 cell where the header has 2"),
        ):
            read(path, rules=STRICT)


def test_a_long_row_grows_the_block_without_counting_or_giving_anything_twice(tmp_path):
    rows = [f'{i},"text {i} \xe9"\n'.encode("latin-1") for i in range(20)]
    rows[12] = b'12,"' + b"long\n" * 300 + b'"\n'
    path = write(tmp_path / "a.csv", b"id,text\n" + b"".join(rows[:6]) + b"odd\n" + b"".join(rows[6:]))
    with mock.patch.object(text_column, "BLOCK_BYTES", 64):
        documents = read_files([path], keep_columns=True, rules=LENIENT)
        table = pa.Table.from_batches(list(documents)).to_pydict()
    assert table["id"] == list(range(20))
    assert table["text"][11:14] == ["text 11 \ufffd", "long\n" * 300, "text 13 \ufffd"]
    assert documents.report == ReadReport(documents=20, undecodable=19, skipped_lines=1)
    header = write(tmp_path / "h.csv", "a" * 500 + ",text\n1,found\n")
    with mock.patch.object(text_column, "BLOCK_BYTES", 64):
        assert read(header) == ["found"]


def test_a_row_that_never_ends_is_refused(tmp_path):
    path = write(tmp_path / "a.csv", 'id,text\n1,"open\n' + "2,x\n" * 400_000)
    with (
        mock.patch.object(text_column, "BLOCK_BYTES", 100_000),
        pytest.raises(InputError, match=r"larger than 1 MB \(a line without an end, or a quote that is left open\)"),
    ):
        read(path, rules=ReadingRules(max_document_mb=1))


# ---- delimiters


@pytest.mark.parametrize("delimiter", [",", ";", "\t", "|"])
def test_the_delimiter_is_found(tmp_path, delimiter):
    target = io.StringIO()
    rows = [["id", "text", "more"], *([str(n), f'no {n}; a, b | "c"\nd', ""] for n in range(50))]
    csv.writer(target, delimiter=delimiter).writerows(rows)
    path = write(tmp_path / "a.csv", target.getvalue())
    assert read(path, text_column="text") == [row[1] for row in rows[1:]]


@pytest.mark.parametrize(
    ("content", "delimiter"),
    [
        (b"", ","),
        (b"text\nplain\n", ","),
        (b"text\na, b, c\nd\n", ";"),  # one column; what is no delimiter in the header is part of the text
        (b'"a;b",c\n"d;e",f\n', ","),
        (b"id;text, raw\n1;a, b, c\n2;d\n", ";"),
        (b"id,text; raw\n1,a; b; c\n2,d\n", ","),
        (b'id;text\n1;"open', ";"),
    ],
)
def test_which_delimiter_is_likely(content, delimiter):
    assert sniff_delimiter(content) == delimiter


def test_a_delimiter_can_be_named(tmp_path):
    path = write(tmp_path / "a.csv", "id#text\n1#a,b\n")
    assert read(path, rules=ReadingRules(delimiter="#")) == ["a,b"]
    path = write(tmp_path / "a.tsv", "id^text\n1^a\tb\n")
    assert read(path, rules=ReadingRules(delimiter="^")) == ["a\tb"]
    for wrong in ('"', "\n", "", "::", "é"):
        with pytest.raises(ParameterError, match="one ASCII character"):
            ReadingRules(delimiter=wrong)


def test_many_malformed_rows_are_an_error(tmp_path):
    """As with a wrong delimiter: most documents would be lost."""
    path = write(tmp_path / "a.csv", "id,text\n" + "1,a\n" * 98 + "2\n" + "3,b\n")
    assert len(read(path)) == 99  # one of a hundred
    write(path, "id,text\n" + "1,a\n" * 98 + "2\n3\n")
    with pytest.raises(InputError) as caught:
        read(path)
    assert str(caught.value) == (
        f"{path}: 2 of 100 lines cannot be read, more than 1% (the first is row 100: 1 cell where the header has 2); "
        "repair them, name the delimiter of a csv file with --delimiter / delimiter=, or skip them with "
        "--skip-malformed / skip_malformed=True"
    )
    assert len(read(path, rules=LENIENT)) == 98


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
