"""Bytes are decoded as Python does, wherever a block ends; what is invalid is replaced and counted, or refused."""

from unittest import mock

import pyarrow as pa
import pyarrow.feather as feather
import pyarrow.parquet as pq
import pytest
from doc2vecc.corpus.formats.reading import MAGIC, NO_TEXT
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from doc2vecc.corpus import text_column
from doc2vecc.corpus.sources import read_files
from doc2vecc.errors import InputError
from tests.corpus.documents import invalid_strings, read, texts_of, write, write_kind


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
            read(path, strict=True)


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
        read(path, strict=True)
