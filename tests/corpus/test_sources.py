"""Everything that can hold documents comes out as clean batches of text; every trouble is counted or told."""

import subprocess
import sys
from unittest import mock

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from doc2vecc.corpus import text_column
from doc2vecc.corpus.sources import ReadReport, read_files, read_texts
from doc2vecc.errors import InputError
from tests.corpus.documents import FILES, TEXTS, columns_of, kind_of_name, read, texts_of, write, write_kind


def test_texts_gives_the_text_column_alone():
    documents = read_texts(pa.table({"id": range(len(TEXTS)), "body": TEXTS}), text_column="body")
    assert [array.to_pylist() for array in documents.texts()] == [TEXTS]
    assert documents.text_column == "body"


def test_the_number_of_documents_is_told_batch_by_batch():
    told = []
    texts = read_texts(["a"] * 20_000).texts(told.append)
    assert (len(next(texts)), told) == (16_384, [16_384])
    assert (len(next(texts)), told) == (3_616, [16_384, 3_616])


def test_documents_can_be_read_once():
    documents = read_texts(["a"])
    assert read_texts(documents) is documents
    assert texts_of(documents) == ["a"]
    with pytest.raises(RuntimeError, match="read already"):
        list(documents)


def test_paths_are_files(tmp_path):
    one, two = write(tmp_path / "1.txt", "a\nb\n"), write(tmp_path / "2.txt", "c\n")
    assert texts_of(read_texts(one)) == ["a", "b"]
    assert texts_of(read_texts([two, one])) == ["c", "a", "b"]
    assert texts_of(read_texts(path for path in (one, two))) == ["a", "b", "c"]
    with pytest.raises(InputError, match=r"'some text' is in a list of paths"):
        read_texts([one, "some text"])


def test_pandas_is_not_imported(tmp_path):
    write_kind(tmp_path / "a.jsonl", ["a"], "jsonl")
    write_kind(tmp_path / "a.txt", ["a"], "txt")
    program = (
        "import sys; from doc2vecc.corpus.sources import read_files, read_texts;"
        "counts = len(list(read_texts(['a', None]))), len(list(read_files(sys.argv[1:])));"
        "print(*counts, 'pandas' in sys.modules)"
    )
    command = [sys.executable, "-c", program, *map(str, tmp_path.iterdir())]
    assert subprocess.run(command, capture_output=True, text=True, check=True).stdout == "1 2 False\n"


@pytest.mark.parametrize("name", FILES)
def test_every_format_gives_the_same_documents_and_the_other_columns_on_demand(tmp_path, name):
    path = write_kind(tmp_path / name, TEXTS, kind_of_name(name))
    documents = read_files([str(path)])
    assert documents.total_bytes == path.stat().st_size
    assert documents.bytes_read() == 0
    assert texts_of(documents) == TEXTS
    assert documents.report == ReadReport(documents=len(TEXTS))
    assert documents.bytes_read() == documents.total_bytes
    others = {} if kind_of_name(name) == "txt" else {"id": [0, 1, 2, 3, 4]}
    assert columns_of(path) == others | {"text": TEXTS}
    assert [batch.schema.names for batch in read_files([path])] == [["text"]]


def test_a_file_without_documents_gives_no_batch(tmp_path):
    for name in FILES:
        documents = read_files([write_kind(tmp_path / name, [], kind_of_name(name))])
        assert list(documents) == []
        assert documents.report == ReadReport()
    for name in ("a.txt", "a.jsonl", "a.csv", "a.tsv"):
        for content in (b"", b"\xef\xbb\xbf"):
            assert read(write(tmp_path / name, content)) == []
    assert read(write(tmp_path / "a.txt.gz", b"")) == []


unicode_texts = st.lists(st.text(st.characters(codec="utf-8")), max_size=8)


@settings(max_examples=30, deadline=None)
@given(texts=unicode_texts, kind=st.sampled_from(["txt", "jsonl", "csv", "tsv", "parquet", "arrow", "stream"]))
def test_any_texts_survive_any_format(tmp_path_factory, texts, kind):
    if kind == "txt":
        texts = [text.replace("\n", "").rstrip("\r").lstrip("\ufeff") for text in texts]
    path = write_kind(tmp_path_factory.getbasetemp() / f"any.{kind.replace('stream', 'arrow')}", texts, kind)
    with mock.patch.object(text_column, "BLOCK_BYTES", 16):
        assert read(path) == texts


LONG = "a long wörd " * 4_000_000  # 52 MB


@pytest.mark.slow
@pytest.mark.parametrize("kind", ["txt", "jsonl", "csv"])
def test_a_text_of_50_mb_is_one_document(tmp_path, kind):
    path = write_kind(tmp_path / f"long.{kind}", ["before", LONG, "after"], kind)
    documents = read_files([path])
    sizes = [len(text) for text in documents.texts() for text in text.to_pylist()]
    assert sizes == [6, len(LONG), 5]
    assert documents.report.messages() == []


@pytest.mark.slow
@pytest.mark.parametrize("kind", ["txt", "jsonl", "csv", "parquet"])
def test_a_large_file_is_read_piece_by_piece(tmp_path, kind):
    rng = np.random.default_rng(0)
    texts = ["".join(map(chr, rng.integers(97, 123, 2_000))) * 50 for _ in range(250)]  # 25 MB
    path = write_kind(tmp_path / f"large.{kind}", texts, kind)
    documents = read_files([path])
    sizes = []
    for batch in documents:
        if not sizes:
            assert 0 < documents.bytes_read() < documents.total_bytes
        sizes.append(batch.nbytes)
    assert len(sizes) >= 3
    assert max(sizes) < 9 << 20
    assert documents.report.documents == 250


def test_files_are_read_one_after_the_other(tmp_path):
    paths = [write_kind(tmp_path / name, [name], kind_of_name(name)) for name in FILES]
    documents = read_files(paths)
    assert texts_of(documents) == FILES
    assert documents.bytes_read() == documents.total_bytes == sum(path.stat().st_size for path in paths)


def test_text_columns_may_have_different_names_when_only_the_text_is_read(tmp_path):
    one, two = write(tmp_path / "1.csv", "text\na\n"), write(tmp_path / "2.csv", "id,body\n1,b\n")
    documents = read_files([one, two])
    assert [batch.to_pydict() for batch in documents] == [{"text": ["a"]}, {"text": ["b"]}]
    with pytest.raises(InputError, match=r"2\.csv"):
        list(read_files([one, two], keep_columns=True))


def test_kept_columns_must_be_the_same_in_all_files(tmp_path):
    first = write(tmp_path / "1.csv", "id,text\n1.5,a\n")
    same = write(tmp_path / "2.csv", "text,id\nb,2\n")
    batches = list(read_files([first, same], keep_columns=True))
    assert pa.Table.from_batches(batches).to_pydict() == {"id": [1.5, 2.0], "text": ["a", "b"]}
    other = write(tmp_path / "3.csv", "text,label\nc,2\n")
    with pytest.raises(InputError, match=r"3\.csv has the columns text, label, but the first input has id, text"):
        list(read_files([first, other], keep_columns=True))
    swapped = [write(tmp_path / "5.csv", "a,b\nx,1\n"), write(tmp_path / "6.csv", "a,b\n1,x\n")]
    with pytest.raises(InputError, match=r"the text is in the column 'b' of .*6\.csv, but in 'a' of the first"):
        list(read_files(swapped, keep_columns=True))
    clash = write(tmp_path / "4.csv", "text,id\nc,x y\n")
    with pytest.raises(InputError, match=r"column 'id' of .*4\.csv is string, in the first input double"):
        list(read_files([first, clash], keep_columns=True))


def test_no_input_and_missing_files_are_refused_at_once(tmp_path):
    with pytest.raises(InputError, match="no input was given"):
        read_files([])
    with pytest.raises(InputError, match=r"no file or folder '.*absent\.txt'"):
        read_files([tmp_path / "absent.txt"])
    with pytest.raises(InputError, match=r"no file or folder '.*absent\.txt'"):
        read_texts(tmp_path / "absent.txt")
