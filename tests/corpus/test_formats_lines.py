"""txt: one document a line, or one a file of a folder. jsonl: the keys are columns, bad lines are counted."""

import gzip
import json
import os
import tracemalloc
from unittest import mock

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from doc2vecc.corpus import text_column
from doc2vecc.corpus.sources import ReadingRules, ReadReport, read_files, read_texts
from doc2vecc.errors import InputError
from tests.corpus.documents import LENIENT, STRICT, columns_of, read, texts_of, write


def test_line_ends_byte_order_mark_and_empty_lines(tmp_path):
    path = write(tmp_path / "a.txt", b"\xef\xbb\xbfone\r\n\r\n\ntwo \r three\x0b\xe2\x80\xa8\r\nlast")
    assert read(path) == ["one", "", "", "two \r three\x0b\u2028", "last"]
    assert read(write(path, b"\n")) == [""]


def test_a_folder_of_txt_files_is_one_document_a_file(tmp_path):
    folder = tmp_path / "corpus"
    write(folder / "b.txt", "one\ntwo\r\n")
    write(folder / "a" / "z.txt.gz", gzip.compress(b"zipped"))
    write(folder / "c.TXT", b"\xef\xbb\xbfca\xff")
    write(folder / "readme.md", "not a document")
    write(folder / ".hidden.txt", "not a document")
    write(folder / ".git" / "d.txt", "not a document")
    documents = read_files([folder], keep_columns=True)
    batches = list(documents)
    table = pa.Table.from_batches(batches).to_pydict()
    assert table == {"file": ["a/z.txt.gz", "b.txt", "c.TXT"], "text": ["zipped", "one\ntwo\r\n", "ca\ufffd"]}
    assert documents.report == ReadReport(documents=3, undecodable=1, ignored_files=1)
    assert documents.bytes_read() == documents.total_bytes
    assert texts_of(read_texts(folder)) == table["text"]


def test_a_damaged_member_of_a_folder_is_named(tmp_path):
    write(tmp_path / "good.txt", "a")
    bad = write(tmp_path / "bad.txt.gz", b"this is no gzip file")
    with pytest.raises(InputError, match=f"cannot read {bad}"):
        read(tmp_path)


SMALL = ReadingRules(max_document_mb=1)


@pytest.mark.parametrize("name", ["a.txt", "a.jsonl", "a.csv", "a.txt.gz", "folder/a.txt", "folder/a.txt.gz"])
def test_a_document_that_is_too_large_is_refused(tmp_path, name):
    long = b'{"text": "' * name.endswith("jsonl") + b"word " * 300_000
    path = write(tmp_path / name, gzip.compress(long) if name.endswith("gz") else long)
    path = path.parent if "folder" in name else path
    with (
        mock.patch.object(text_column, "BLOCK_BYTES", 100_000),
        pytest.raises(InputError, match=r"a document is larger than 1 MB.*--max-document-mb"),
    ):
        read(path, rules=SMALL)


def test_memory_for_a_line_without_an_end_is_bounded(tmp_path):
    """A compressed file is small, and its line would not fit into any memory."""
    path = write(tmp_path / "a.txt.gz", gzip.compress(b"word " * 20_000_000))
    with mock.patch.object(text_column, "BLOCK_BYTES", 100_000):
        tracemalloc.start()
        try:
            with pytest.raises(InputError, match="a line without an end"):
                read(path, rules=SMALL)
            assert tracemalloc.get_traced_memory()[1] < 5_000_000
        finally:
            tracemalloc.stop()


def test_large_documents_of_other_inputs_are_refused(tmp_path):
    texts = ["a", "b" * 1_000_001]
    pq.write_table(pa.table({"text": texts}), tmp_path / "a.parquet")
    for source in (texts, pa.array(texts), tmp_path / "a.parquet"):
        with pytest.raises(InputError, match="a document is larger than 1 MB; split it"):
            texts_of(read_texts(source, rules=SMALL))


@pytest.mark.skipif(os.name != "posix", reason="no such files")
@pytest.mark.parametrize("what", ["pipe", "device", "broken link"])
def test_what_is_no_file_in_a_folder_is_refused_at_once(tmp_path, what):
    write(tmp_path / "a.txt", "fine")
    path = tmp_path / "b.txt"
    if what == "pipe":
        os.mkfifo(path)
    else:
        path.symlink_to("/dev/zero" if what == "device" else "/none")
    with pytest.raises(InputError, match=r"b\.txt' is a pipe, a device or a broken link, not a file"):
        read_files([tmp_path])


# ---- jsonl


def test_malformed_lines_are_skipped_and_counted_or_refused(tmp_path):
    lines = ['{"text": "a"}', "{broken", "[1]", '"text"', "", "  ", '{"text": 5}', "[" * 100_000, '{"text": "b"}']
    path = write(tmp_path / "a.jsonl", "\n".join(lines))
    documents = read_files([path], rules=LENIENT)
    assert texts_of(documents) == ["a", "b"]
    assert documents.report == ReadReport(documents=2, skipped_lines=5)
    with pytest.raises(InputError, match=r"a\.jsonl: 5 of 7 lines cannot be read, .*line 2: not valid JSON"):
        read(path)
    with pytest.raises(InputError, match=r"b\.jsonl: 2 of 2 lines cannot be read"):
        read(write(tmp_path / "b.jsonl", "no\njson\n"))
    for number, content in [(2, "{broken"), (3, "[1]"), (7, '{"text": 5}')]:
        kept = [line if line == content else '{"text": "a"}' for line in lines]
        write(path, "\n".join(kept))
        with pytest.raises(InputError, match=rf"a\.jsonl, line {number}: "):
            read(path, rules=STRICT)


def test_missing_texts_and_differing_keys(tmp_path):
    lines = ['{"text": "a", "n": 1}', '{"n": 2.5, "more": {"x": [1]}}', '{"text": null}']
    path = write(tmp_path / "a.jsonl", "\r\n".join(lines))
    assert columns_of(path) == {"text": ["a", "", ""], "n": [1.0, 2.5, None], "more": [None, {"x": [1]}, None]}
    documents = read_files([path])
    assert texts_of(documents) == ["a", "", ""]
    assert documents.report.missing == 2


def test_json_values_without_a_common_type_are_kept_as_json_text(tmp_path):
    lines = ['{"text": "a", "x": 1, "y": null}', '{"text": "b", "x": "é"}', '{"text": "c", "x": {"k": 1e400}}']
    path = write(tmp_path / "a.jsonl", "\n".join([*lines, '{"text": "d", "x": 1%s}' % ("0" * 30)]))
    assert columns_of(path)["x"] == ["1", "é", '{"k": Infinity}', "1" + "0" * 30]
    assert columns_of(path)["y"] == [None] * 4


def test_escapes_in_json(tmp_path):
    lines = [r'{"text": "\ud83d\ude00 \u0000"}', r'{"text": "\ud83d"}', '{"text": "raw\ttab"}']
    documents = read_files([write(tmp_path / "a.jsonl", "\n".join(lines))])
    assert texts_of(documents) == ["😀 \x00", "\ufffd", "raw\ttab"]
    assert documents.report.undecodable == 1


def test_later_jsonl_batches_follow_the_first(tmp_path):
    rows = [{"text": "a", "x": {"k": 1}, "y": None, "z": 0.5}] * 10
    path = tmp_path / "a.jsonl"

    def with_last(**last):
        write(path, "".join(json.dumps(row) + "\n" for row in [*rows, {"text": "b"} | last]))
        documents = read_files([path], keep_columns=True)
        with mock.patch.object(text_column, "MAX_DOCUMENTS", 10):
            return pa.Table.from_batches(list(documents)).to_pylist()[10], documents.report

    fine, report = with_last(x={"k": None}, y=7, z=3, new=1)
    assert fine == {"text": "b", "x": {"k": None}, "y": "7", "z": 3.0}
    assert report.messages() == ["1 column not in the first batch, ignored: new"]
    for last in ({"x": {"k": 1, "lost": 2}}, {"x": 5}, {"z": "text"}):
        with pytest.raises(InputError, match=r"column '[xz]' begins as .* and later holds"):
            with_last(**last)


def test_one_odd_line_does_not_hide_the_text_column(tmp_path):
    lines = ['{"body": "a", "n": 1}', '{"body": 5, "n": "one"}', '{"body": "b", "n": 2}']
    documents = read_files([write(tmp_path / "a.jsonl", "\n".join(lines))], rules=LENIENT)
    assert texts_of(documents) == ["a", "b"]
    assert (documents.text_column, documents.report.skipped_lines) == ("body", 1)
    assert read(write(tmp_path / "b.jsonl", '{"nothing": null, "body": "a"}')) == ["a"]


def test_a_text_column_may_hold_few_strings(tmp_path):
    lines = ['{"KEY": "a"}', '{"KEY": null}', '{"KEY": 5}', '{"KEY": 6}']
    for key in ("text", "body"):
        documents = read_files([write(tmp_path / "a.jsonl", "\n".join(lines).replace("KEY", key))], rules=LENIENT)
        assert texts_of(documents) == ["a", ""]
        assert documents.report == ReadReport(documents=2, missing=1, skipped_lines=2)
    path = write(tmp_path / "b.jsonl", '{"body": "a", "n": 1, "m": 1}\n{"body": "b", "n": 2}\n{"n": "c"}')
    assert read(path) == ["a", "b", ""]
    assert read(path, text_column="n", rules=LENIENT) == ["c"]
    with pytest.raises(InputError, match=r"column 'm' of .* holds no text"):
        read(path, text_column="m")


def test_the_key_text_is_the_text_even_without_a_string(tmp_path):
    documents = read_files([write(tmp_path / "a.jsonl", '{"text": 5}\n{"text": null, "title": "t"}')], rules=LENIENT)
    assert texts_of(documents) == [""]
    assert documents.report == ReadReport(documents=1, missing=1, skipped_lines=1)
