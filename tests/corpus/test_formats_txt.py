"""txt: one document a line, or one a file of a folder."""

import gzip

import pyarrow as pa
import pytest

from doc2vecc.corpus.sources import ReadReport, read_files, read_texts
from doc2vecc.errors import InputError
from tests.corpus.documents import read, texts_of, write


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
