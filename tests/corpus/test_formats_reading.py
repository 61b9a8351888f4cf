"""The bytes of a file: decompressed by their content, decoded as Python does, refused if they are no text."""

import gzip
import mmap
import subprocess
import sys
from pathlib import Path
from unittest import mock

import pyarrow as pa
import pyarrow.feather as feather
import pyarrow.parquet as pq
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from doc2vecc.corpus import text_column
from doc2vecc.corpus.formats.reading import MAGIC, NO_TEXT
from doc2vecc.corpus.sources import read_files
from doc2vecc.errors import InputError
from tests.corpus.documents import COMPRESS, STRICT, TEXTS, invalid_strings, read, texts_of, write, write_kind

# ---- compressed files


@pytest.mark.parametrize("compression", COMPRESS)
def test_compressed_files(tmp_path, spooling, compression):
    for kind in ("txt", "csv", "parquet", "arrow"):
        plain = write_kind(tmp_path / "plain", TEXTS, kind).read_bytes()
        path = write(tmp_path / f"a.{kind}.{compression}", COMPRESS[compression](plain))
        documents = read_files([path])
        assert texts_of(documents) == TEXTS
        assert documents.bytes_read() == documents.total_bytes == path.stat().st_size


@pytest.mark.parametrize("compression", COMPRESS)
def test_a_compressed_file_may_be_a_chain_of_several(tmp_path, compression):
    compress = COMPRESS[compression]
    path = write(tmp_path / f"a.txt.{compression}", compress(b"a\nb") + compress(b"c\nd"))
    assert read(path) == ["a", "bc", "d"]


@pytest.mark.parametrize("compression", COMPRESS)
def test_the_content_not_the_name_tells_the_compression(tmp_path, stdin, compression):
    packed = COMPRESS[compression](b"one\ntwo\n")
    for name in ("a.txt", "a.txt.gz", "a.txt.bz2", "a.txt.zst"):
        assert read(write(tmp_path / name, packed)) == ["one", "two"]
    assert read(write(tmp_path / "empty.txt", COMPRESS[compression](b""))) == []
    stdin(packed)
    assert read("-") == ["one", "two"]


@pytest.mark.skipif(not Path("/proc/self/statm").exists(), reason="needs the sizes of Linux")
def test_damaged_compressed_files_keep_no_memory(tmp_path):
    """Not even memory that is never written to, as PyArrow does: a process ran out of addresses."""

    def megabytes():
        return int(Path("/proc/self/statm").read_text().split()[0]) * mmap.PAGESIZE >> 20

    path = write(tmp_path / "a.txt.gz", gzip.compress(b"hello world" * 100)[:30])
    sizes = []
    for _ in range(2):
        for _ in range(50):
            with pytest.raises(InputError):
                read(path)
        sizes.append(megabytes())
    assert sizes[1] - sizes[0] < 50 * (text_column.BLOCK_BYTES >> 20) // 2


def test_a_pipe_that_gives_a_byte_at_a_time_is_decompressed_too():
    program = "from doc2vecc.corpus.sources import read_files; print(*next(read_files(['-']).texts()).to_pylist())"
    with subprocess.Popen([sys.executable, "-c", program], stdin=subprocess.PIPE, stdout=subprocess.PIPE) as done:
        for byte in gzip.compress(b"one\ntwo\n"):
            done.stdin.write(bytes([byte]))
            done.stdin.flush()
        done.stdin.close()
        assert done.stdout.read().split() == [b"one", b"two"]


def test_a_plain_file_that_is_named_compressed_is_refused(tmp_path):
    for name in ("a.txt.gz", "a.parquet.gz"):
        with pytest.raises(InputError, match=rf"cannot read .*{name}: its name says gzip.*not compressed; rename"):
            read(write(tmp_path / name, b"a\n"))


# ---- what is no text


def test_a_text_may_begin_almost_like_a_binary_file(tmp_path):
    for text in ["BZh is no word", "PAR1 is a gene", "PK", "ARROW1 hit"]:
        assert read(write(tmp_path / "a.txt", text)) == [text]


@pytest.mark.parametrize(
    ("content", "kind", "what"),
    [
        ("parquet", "txt", "a parquet file; name it .parquet"),
        ("arrow", "jsonl", "an Arrow file; name it .arrow"),
        (b"PK\x03\x04\x14\0", "csv", "a zip archive; unpack"),
        (b"%PDF-1.7\n", "txt", "a PDF file; convert"),
    ],
)
def test_binary_content_is_told_by_how_it_begins(tmp_path, stdin, content, kind, what):
    if isinstance(content, str):
        content = write_kind(tmp_path / "plain", [], content).read_bytes()
    for name, stored in ((f"a.{kind}", content), (f"a.{kind}.gz", gzip.compress(content))):
        with pytest.raises(InputError, match=f"{name} is no text: it seems to be {what}"):
            read(write(tmp_path / "folder" / name, stored))
    stdin(content)
    with pytest.raises(InputError, match=f"standard input is no text: it seems to be {what}"):
        read("-", input_format=kind)


# ---- UTF-8


@settings(max_examples=60, deadline=None)
@given(
    data=st.one_of(
        st.binary(max_size=40),
        st.lists(
            st.sampled_from([b"\xf0", b"\x9f", b"\x98", b"\x80", b"\xef", b"\xbf", b"\xbd", b"\xed\xa0", b"a\n"])
        ).map(b"".join),
    ),
    block=st.integers(1, 9),
)
def test_bytes_are_decoded_as_python_does_wherever_a_block_ends(tmp_path_factory, data, block):
    assume(not data.startswith(tuple(NO_TEXT)) and not any(magic.match(data) for magic in MAGIC.values()))
    path = write(tmp_path_factory.getbasetemp() / "bytes.txt", data)
    expected = data.removeprefix(b"\xef\xbb\xbf").decode(errors="replace").replace("\r\n", "\n").split("\n")
    with mock.patch.object(text_column, "BLOCK_BYTES", block):
        documents = read_files([path])
        assert texts_of(documents) == (expected[:-1] if expected[-1] == "" else expected)
    replaced = data.decode(errors="replace").count("\ufffd") - data.count("\ufffd".encode())
    assert documents.report.undecodable == replaced


def test_a_character_that_ends_in_the_next_block_survives(tmp_path):
    path = write(tmp_path / "a.txt", "😀\r\n" * 5)
    for block in range(1, 14):
        with mock.patch.object(text_column, "BLOCK_BYTES", block):
            assert read(path) == ["😀"] * 5


@pytest.mark.parametrize("kind", ["txt", "jsonl", "csv"])
def test_strict_names_the_file_and_the_byte_that_cannot_be_decoded(tmp_path, kind):
    good = write_kind(tmp_path / "good", ["a"] * 50, kind).read_bytes()
    path = write(tmp_path / f"bad.{kind}", b"\xef\xbb\xbf" + good + b"\xff")
    for block in (10, 8 << 20):
        with (
            mock.patch.object(text_column, "BLOCK_BYTES", block),
            pytest.raises(InputError, match=rf"bad\.{kind}: byte {len(good) + 3} is not valid UTF-8"),
        ):
            read(path, rules=STRICT)


@pytest.mark.parametrize("kind", ["jsonl", "csv", "parquet", "arrow"])
def test_what_cannot_be_decoded_is_replaced_and_counted_in_every_format(tmp_path, kind):
    path = tmp_path / f"bad.{kind}"
    if kind in ("jsonl", "csv"):
        content = write_kind(path, ["good", "caf@ \ufffd", "@@"], kind).read_bytes()
        write(path, content.replace(b"@", b"\xe9").replace(b"\\ufffd", "\ufffd".encode()))
    else:
        table = pa.table({"text": invalid_strings(b"good", b"caf\xe9 \xef\xbf\xbd", b"\xe9\xe9")})
        pq.write_table(table, path) if kind == "parquet" else feather.write_feather(table, path)
    documents = read_files([path])
    assert texts_of(documents) == ["good", "caf\ufffd \ufffd", "\ufffd\ufffd"]
    assert documents.report.undecodable == 3
    with pytest.raises(InputError, match="UTF-8"):
        read(path, rules=STRICT)
