"""A path means a file, the files of a folder, a pipe or standard input; every mistake is told with its remedy."""

import bz2
import gzip
import os
import socket
import subprocess
import sys
from unittest import mock

import numpy as np
import pytest

from doc2vecc.corpus.sources import read_files
from doc2vecc.errors import InputError
from tests.corpus.documents import COMPRESS, TEXTS, read, texts_of, write, write_kind

# ---- folders


def test_a_folder_of_one_other_kind_is_read_file_by_file(tmp_path):
    for name in ("2.csv", "1.csv", "deep/3.csv"):
        write(tmp_path / name, f"id,text\n1,{name}\n")
    write(tmp_path / "notes.doc", "")
    assert read(tmp_path) == ["1.csv", "2.csv", "deep/3.csv"]


def test_a_folder_of_several_kinds_needs_a_word(tmp_path):
    write_kind(tmp_path / "a.csv", ["in csv"], "csv")
    write_kind(tmp_path / "a.jsonl", ["in jsonl"], "jsonl")
    with pytest.raises(InputError, match=r"several kinds: csv, jsonl; name the files"):
        read_files([tmp_path])
    documents = read_files([tmp_path], input_format="jsonl")
    assert texts_of(documents) == ["in jsonl"]
    assert documents.report.ignored_files == 1


def test_a_txt_file_among_others_needs_a_word_too(tmp_path):
    """It may be a document, or tell about the files beside it."""
    write_kind(tmp_path / "a.csv", ["in csv"], "csv")
    write(tmp_path / "README.txt", "about the csv file")
    with pytest.raises(InputError, match=r"several kinds: csv, txt; name the files, or one kind with --input-format"):
        read_files([tmp_path])
    for kind, text in (("csv", "in csv"), ("txt", "about the csv file")):
        assert read(tmp_path, input_format=kind) == [text]


def test_a_folder_without_documents_is_refused(tmp_path):
    write(tmp_path / "a.doc", "")
    with pytest.raises(InputError, match=r"holds no file to read; known are \.txt \.jsonl .*\.parquet .*\.ipc$"):
        read_files([tmp_path])
    with pytest.raises(InputError, match=r"holds no file to read; known are \.jsonl \.ndjson$"):
        read_files([tmp_path], input_format="jsonl")


def test_a_part_of_a_folder_that_cannot_be_read_is_told(tmp_path):
    write(tmp_path / "a.txt", "a")
    denied = PermissionError(13, "Permission denied", str(tmp_path / "b"))

    def walk(folder, onerror):
        yield str(folder), ["b"], ["a.txt"]
        onerror(denied)  # what os.walk does; the tests may run as root, who may read everything

    with mock.patch("os.walk", walk), pytest.raises(InputError, match="b': Permission denied"):
        read_files([tmp_path])


# ---- standard input and pipes


@pytest.mark.parametrize("kind", [None, "txt", "jsonl", "csv", "tsv", "parquet", "arrow", "stream"])
def test_standard_input(tmp_path, stdin, kind):
    stdin(write_kind(tmp_path / "file", TEXTS, kind or "txt").read_bytes())
    documents = read_files(["-"], input_format="arrow" if kind == "stream" else kind)
    assert documents.total_bytes is None
    assert texts_of(documents) == TEXTS


def test_what_is_spooled_is_deleted_after_an_error_too(stdin):
    stdin(b"junk")
    with pytest.raises(InputError, match="cannot read standard input"):
        read("-", input_format="parquet")


def test_standard_input_stands_once_among_files(tmp_path, stdin):
    stdin(b"b\n")
    path = write(tmp_path / "a.txt", "a\n")
    assert texts_of(read_files([str(path), "-"])) == ["a", "b"]
    with pytest.raises(InputError, match="- was given twice"):
        read_files(["-", "-"])


@pytest.mark.skipif(os.name != "posix", reason="needs a named pipe")
def test_a_pipe_is_read_like_a_file(tmp_path):
    csv_file = write_kind(tmp_path / "a.csv", TEXTS, "csv")
    program = (
        "import sys; from doc2vecc.corpus.sources import read_files;"
        "print([read_files([p], input_format='csv').texts().__next__().to_pylist() for p in sys.argv[1:]])"
    )
    command = f'"{sys.executable}" -c "{program}" <(cat {csv_file})'
    done = subprocess.run(["bash", "-c", command], capture_output=True, check=True)
    assert done.stdout.decode().strip() == repr([TEXTS])


# ---- extensions, and files that cannot be read


def test_input_format_stands_in_for_the_extension(tmp_path):
    assert read(write(tmp_path / "a.log", "one\n"), input_format="txt") == ["one"]
    assert read(write(tmp_path / "b.txt", "id,text\n1,one\n"), input_format="csv") == ["one"]
    assert read(write(tmp_path / "c.gz", gzip.compress(b"text\none\n")), input_format="tsv") == ["one"]
    with pytest.raises(InputError, match="unknown input format 'xml'; it must be one of: txt, jsonl"):
        read_files(["-"], input_format="xml")


def test_unknown_extensions_are_refused_with_the_known_ones(tmp_path):
    for name in ("a.doc", "noextension", "a.gz"):
        with pytest.raises(
            InputError, match=rf"{name}' is not known; known are \.txt .*\.parquet.*\.zst.*--input-format"
        ):
            read_files([write(tmp_path / name, "")])


@pytest.mark.parametrize(
    ("name", "content"),
    [
        ("a.parquet", b"this is no parquet file"),
        ("a.parquet", b""),
        ("a.arrow", b"this is no arrow file"),
        ("a.arrow", b""),
        ("a.feather", b"ARROW1\0\0 but nothing else"),
        ("a.txt.gz", b"this is no gzip file"),
        ("a.txt.gz", gzip.compress(np.random.default_rng(0).bytes(50_000))[:-9]),
        ("a.csv.bz2", bz2.compress(b"id,text\n1,a\n")[:-9]),
        ("a.jsonl.zst", COMPRESS["zst"](b'{"text": "a"}' * 100)[:-9]),
    ],
)
def test_a_damaged_file_is_told_in_one_line_with_its_name(tmp_path, name, content):
    path = write(tmp_path / name, content)
    with pytest.raises(InputError) as caught:
        read(path)
    assert str(caught.value).startswith(f"cannot read {path}: ")
    assert "\n" not in str(caught.value)


@pytest.mark.skipif(os.name != "posix", reason="needs a Unix socket")
def test_a_file_that_cannot_be_opened_is_told(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)  # the name of a socket must be short
    with socket.socket(socket.AF_UNIX) as server:
        server.bind("a.txt")
        with pytest.raises(InputError, match=r"cannot read a\.txt: No such device"):
            read("a.txt")
