"""Everything that can hold documents comes out as clean batches of text; every trouble is counted or told."""

import bz2
import csv
import gzip
import io
import itertools
import json
import socket
import subprocess
import sys
import tempfile
from pathlib import Path
from unittest import mock

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pyarrow.feather as feather
import pyarrow.parquet as pq
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from doc2vecc.corpus import formats
from doc2vecc.corpus.sources import InputError, ReadReport, TextBatches, read_files, read_texts

TEXTS = ["a good film", "", "café 😀", "שלום עולם", "nul \x00 byte"]


def texts_of(source: TextBatches) -> list[str]:
    """Read all texts, and check what every batch promises on the way."""
    found = []
    for batch in source:
        column = batch.column(source.text_column)
        assert column.type == pa.large_string()
        assert 0 < len(column) <= 16_384
        assert (column.offset, column.null_count) == (0, 0)
        batch.validate(full=True)
        _, offsets, data = column.buffers()
        bounds = np.frombuffer(offsets, dtype=np.int64)[: len(column) + 1]
        assert len(column) == 1 or bounds[-1] - bounds[0] <= 8 << 20
        texts = [data[start:end].to_pybytes().decode() for start, end in itertools.pairwise(bounds.tolist())]
        assert texts == column.to_pylist()
        found += texts
    assert source.report.documents == len(found)
    return found


def read(path, **options) -> list[str]:
    return texts_of(read_files([path], **options))


def columns_of(path, **options) -> dict[str, list]:
    batches = list(read_files([path], keep_columns=True, **options))
    return pa.Table.from_batches(batches).to_pydict()


def write(path: Path, content: bytes | str) -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(content.encode() if isinstance(content, str) else content)
    return path


def write_kind(path: Path, texts: list[str], kind: str) -> Path:
    """Write texts in one of the formats, next to a number."""
    ids = range(len(texts))
    if kind == "txt":
        return write(path, "".join(text + "\n" for text in texts))
    if kind == "jsonl":
        return write(
            path, "".join(json.dumps({"id": i, "text": t}) + "\n" for i, t in zip(ids, texts, strict=True))
        )
    if kind in ("csv", "tsv"):
        target = io.StringIO()
        writer = csv.writer(target, delimiter="," if kind == "csv" else "\t")
        writer.writerows([("id", "text"), *zip(ids, texts, strict=True)])
        return write(path, target.getvalue())
    table = pa.table({"id": list(ids), "text": pa.array(texts, pa.string())})
    if kind == "parquet":
        pq.write_table(table, path)
    elif kind == "arrow":
        feather.write_feather(table, path)
    else:
        with pa.OSFile(str(path), "wb") as sink, pa.ipc.new_stream(sink, table.schema) as writer:
            writer.write_table(table)
    return path


def invalid_strings(*values: bytes) -> pa.Array:
    """Declare bytes to be strings, as a careless writer does."""
    raw = pa.array(values, pa.binary())
    return pa.Array.from_buffers(pa.string(), len(raw), raw.buffers())


class OnlyStream:
    def __init__(self, inner):
        self.__arrow_c_stream__ = inner.__arrow_c_stream__


class OnlyArray:
    def __init__(self, inner):
        self.__arrow_c_array__ = inner.__arrow_c_array__


# ---- what is in memory

ARRAY = pa.array(TEXTS)
TABLE = pa.table({"id": range(len(TEXTS)), "body": TEXTS})


@pytest.mark.parametrize(
    "source",
    [
        TEXTS,
        tuple(TEXTS),
        (text for text in TEXTS),
        np.array(TEXTS),
        np.array(TEXTS, dtype=object),
        pd.Series(TEXTS),
        pd.Series(TEXTS, dtype=object, index=list("vwxyz")),
        pd.Series(TEXTS, dtype="category"),
        pl.Series(TEXTS),
        pl.Series(TEXTS, dtype=pl.Categorical),
        ARRAY,
        ARRAY.cast(pa.large_string()),
        ARRAY.cast(pa.string_view()),
        ARRAY.dictionary_encode(),
        pa.chunked_array([TEXTS[:2], [], TEXTS[2:]]),
        pa.array(["before", *TEXTS])[1:],
        pa.array(["before", *TEXTS], pa.large_string())[1:],
        TABLE,
        TABLE.to_batches()[0],
        TABLE.to_reader(),
        TABLE.to_pandas(),
        pl.from_arrow(TABLE),
        OnlyStream(pa.chunked_array([ARRAY])),
        OnlyStream(TABLE),
        OnlyArray(ARRAY),
        OnlyArray(TABLE.to_batches()[0]),
    ],
    ids=lambda source: type(source).__name__,
)
def test_every_holder_of_texts_gives_the_same_documents(source):
    documents = read_texts(source)
    assert documents.total_bytes is None
    assert texts_of(documents) == TEXTS
    assert documents.report == ReadReport(documents=len(TEXTS))


def test_texts_gives_the_text_column_alone():
    documents = read_texts(TABLE, text_column="body")
    assert [array.to_pylist() for array in documents.texts()] == [TEXTS]
    assert documents.text_column == "body"


@pytest.mark.parametrize(
    "source",
    [
        ["a", None, float("nan"), "b"],
        pd.Series(["a", None, np.nan, "b"], dtype=object),
        pd.Series(["a", pd.NA, pd.NaT, "b"], dtype=object),
        pd.Series(["a", None, None, "b"]),
        pl.Series(["a", None, None, "b"]),
        pa.array(["a", None, None, "b"]),
        pa.array(["a", None, None, "b"]).dictionary_encode(),
        pa.table({"text": ["a", None, None, "b"]}),
        # a null that hides bytes, as the format allows
        pa.Array.from_buffers(
            pa.string(),
            4,
            [
                pa.py_buffer(bytes([0b1001])),
                pa.py_buffer(np.array([0, 1, 3, 5, 6], dtype=np.int32)),
                pa.py_buffer(b"axxyyb"),
            ],
        ),
    ],
    ids=lambda source: type(source).__name__,
)
def test_missing_texts_are_empty_documents_and_counted(source):
    documents = read_texts(source)
    assert texts_of(documents) == ["a", "", "", "b"]
    assert documents.report.missing == 2


def test_an_array_of_nulls_is_an_array_of_missing_texts():
    assert texts_of(read_texts(pa.nulls(2))) == ["", ""]


def test_no_texts_give_no_batch():
    for source in ([], pd.Series([], dtype=object), pa.array([], pa.string()), TABLE.slice(0, 0)):
        assert list(read_texts(source)) == []


def test_an_iterable_is_read_batch_by_batch():
    taken = 0

    def endless():
        nonlocal taken
        for taken in itertools.count(1):  # noqa: B007
            yield "word"

    batches = iter(read_texts(endless()))
    assert len(next(batches)) == 16_384
    assert taken == 16_384


def test_long_texts_make_small_batches():
    documents = read_texts("é" * (3 << 20) for _ in range(5))
    assert [len(batch) for batch in documents] == [1] * 5  # 6 MB each


def test_a_large_arrow_array_is_cut_into_batches_of_bounded_size():
    many = pa.array(["x"] * 40_000)
    assert [len(batch) for batch in read_texts(many)] == [16_384, 16_384, 7_232]
    assert len(texts_of(read_texts(pa.array(["y" * (3 << 20)] * 4)))) == 4


@pytest.mark.parametrize("source", ["a text", b"a text", bytearray(b"a text")])
def test_a_bare_text_is_refused_with_the_remedy(source):
    with pytest.raises(InputError, match=r"a text.*pass a list of texts, or pathlib\.Path"):
        read_texts(source)


@pytest.mark.parametrize("source", [5, None, {"a": "b"}, np.array("x"), pl.LazyFrame({"a": ["b"]})])
def test_what_holds_no_texts_is_refused(source):
    with pytest.raises(InputError, match=f"type {type(source).__name__}; pass a list"):
        read_texts(source)


@pytest.mark.parametrize(
    ("wrong", "kind"),
    [(7, "int"), (b"x", "bytes"), (["x"], "list"), (np.zeros(2), "ndarray"), (1.5, "float")],
)
def test_an_element_that_is_no_text_is_named_by_position_and_type(wrong, kind):
    with pytest.raises(InputError, match=rf"texts\[2\] is .* of type {kind}; every text must be a str"):
        list(read_texts(["a", "b", wrong]))


def test_a_series_of_other_things_is_refused():
    with pytest.raises(InputError, match=r"texts\[1\] is 5 of type int"):
        list(read_texts(pd.Series(["a", 5], dtype=object)))
    with pytest.raises(InputError, match="int64"):
        list(read_texts(pd.Series([1, 2])))
    with pytest.raises(InputError, match="binary"):
        list(read_texts(pa.array([b"a"])))


def test_an_error_of_the_users_own_generator_passes_unchanged():
    def failing():
        yield "a"
        raise OSError("my own")

    with pytest.raises(OSError, match="my own"):
        list(read_texts(failing()))


def test_lone_surrogates_are_replaced_and_counted_or_refused():
    documents = read_texts(["a\ud800b\udfff", None, "\ufffd"])
    assert texts_of(documents) == ["a\ufffdb\ufffd", "", "\ufffd"]
    assert (documents.report.undecodable, documents.report.missing) == (2, 1)
    with pytest.raises(InputError, match="ud800"):
        list(read_texts(["a", "\ud800"], strict=True))


def test_arrow_strings_that_are_no_utf8_are_replaced_and_counted_or_refused():
    column = invalid_strings(b"ok", b"caf\xe9 \xff\xff", "\ufffd".encode())
    documents = read_texts(pa.chunked_array([column]))
    assert texts_of(documents) == ["ok", "caf\ufffd \ufffd\ufffd", "\ufffd"]
    assert documents.report.undecodable == 3
    encoded = pa.DictionaryArray.from_arrays(pa.array([1, 1, None, 0], pa.int8()), column)
    documents = read_texts(encoded)
    assert texts_of(documents) == ["caf\ufffd \ufffd\ufffd"] * 2 + ["", "ok"]
    assert (documents.report.undecodable, documents.report.missing) == (6, 1)
    with pytest.raises(InputError, match=r"document 1 .*UTF-8"):
        list(read_texts(column, strict=True))


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


# ---- every format

FILES = [
    "a.txt",
    "a.jsonl",
    "a.ndjson",
    "a.csv",
    "a.tsv",
    "a.parquet",
    "a.arrow",
    "a.feather",
    "a.ipc",
    "A.TXT",
]


def kind_of_name(name: str) -> str:
    extension = name.lower().split(".")[1]
    return {"ndjson": "jsonl", "feather": "arrow", "ipc": "stream"}.get(extension, extension)


@pytest.mark.parametrize("name", FILES)
def test_every_format_gives_the_same_documents(tmp_path, name):
    path = write_kind(tmp_path / name, TEXTS, kind_of_name(name))
    documents = read_files([str(path)])
    assert documents.total_bytes == path.stat().st_size
    assert documents.bytes_read() == 0
    assert texts_of(documents) == TEXTS
    assert documents.report == ReadReport(documents=len(TEXTS))
    assert documents.bytes_read() == documents.total_bytes


@pytest.mark.parametrize("name", FILES[1:-1])
def test_the_other_columns_are_kept_in_order_on_demand_only(tmp_path, name):
    path = write_kind(tmp_path / name, TEXTS, kind_of_name(name))
    assert columns_of(path) == {"id": [0, 1, 2, 3, 4], "text": TEXTS}
    assert [batch.schema.names for batch in read_files([path])] == [["text"]]


@pytest.mark.parametrize("name", FILES)
def test_a_file_without_documents_gives_no_batch(tmp_path, name):
    path = write_kind(tmp_path / name, [], kind_of_name(name))
    documents = read_files([path])
    assert list(documents) == []
    assert documents.report == ReadReport()


@pytest.mark.parametrize("name", ["a.txt", "a.jsonl", "a.csv", "a.tsv", "a.txt.gz"])
def test_an_empty_text_file_gives_no_batch(tmp_path, name):
    assert read(write(tmp_path / name, b"")) == []
    if not name.endswith(".gz"):
        assert read(write(tmp_path / name, b"\xef\xbb\xbf")) == []


COMPRESS = {
    "gz": gzip.compress,
    "bz2": bz2.compress,
    "zst": lambda data: pa.Codec("zstd").compress(data, asbytes=True),
}


@pytest.mark.parametrize("kind", ["txt", "jsonl", "csv", "tsv"])
@pytest.mark.parametrize("compression", COMPRESS)
def test_compressed_files(tmp_path, kind, compression):
    plain = write_kind(tmp_path / "plain", TEXTS, kind).read_bytes()
    path = write(tmp_path / f"a.{kind}.{compression}", COMPRESS[compression](plain))
    documents = read_files([path])
    assert texts_of(documents) == TEXTS
    assert documents.bytes_read() == documents.total_bytes == path.stat().st_size


@pytest.mark.parametrize("compression", COMPRESS)
def test_a_compressed_file_may_be_a_chain_of_several(tmp_path, compression):
    compress = COMPRESS[compression]
    assert read(write(tmp_path / f"a.txt.{compression}", compress(b"a\nb") + compress(b"c\nd"))) == [
        "a",
        "bc",
        "d",
    ]


unicode_texts = st.lists(st.text(st.characters(codec="utf-8")), max_size=8)


@settings(max_examples=30, deadline=None)
@given(
    texts=unicode_texts, kind=st.sampled_from(["txt", "jsonl", "csv", "tsv", "parquet", "arrow", "stream"])
)
def test_any_texts_survive_any_format(tmp_path_factory, texts, kind):
    if kind == "txt":
        texts = [text.replace("\n", "").rstrip("\r").lstrip("\ufeff") for text in texts]
    path = write_kind(tmp_path_factory.getbasetemp() / f"any.{kind.replace('stream', 'arrow')}", texts, kind)
    with mock.patch.object(formats, "BLOCK_BYTES", 16):
        assert read(path) == texts


@settings(max_examples=60, deadline=None)
@given(
    data=st.one_of(
        st.binary(max_size=40),
        st.lists(
            st.sampled_from(
                [b"\xf0", b"\x9f", b"\x98", b"\x80", b"\xef", b"\xbf", b"\xbd", b"\xed\xa0", b"a\n"]
            )
        ).map(b"".join),
    ),
    block=st.integers(1, 9),
)
def test_bytes_are_decoded_as_python_does_wherever_a_block_ends(tmp_path_factory, data, block):
    path = write(tmp_path_factory.getbasetemp() / "bytes.txt", data)
    expected = data.removeprefix(b"\xef\xbb\xbf").decode(errors="replace").replace("\r\n", "\n").split("\n")
    with mock.patch.object(formats, "BLOCK_BYTES", block):
        documents = read_files([path])
        assert texts_of(documents) == (expected[:-1] if expected[-1] == "" else expected)
    replaced = data.decode(errors="replace").count("\ufffd") - data.count("\ufffd".encode())
    assert documents.report.undecodable == replaced


@pytest.mark.parametrize("kind", ["txt", "jsonl", "csv"])
def test_strict_names_the_file_and_the_byte_that_cannot_be_decoded(tmp_path, kind):
    good = write_kind(tmp_path / "good", ["a"] * 50, kind).read_bytes()
    path = write(tmp_path / f"bad.{kind}", b"\xef\xbb\xbf" + good + b"\xff")
    for block in (10, 8 << 20):
        with (
            mock.patch.object(formats, "BLOCK_BYTES", block),
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


LONG = "a long wörd " * 4_000_000  # 52 MB


@pytest.mark.parametrize("kind", ["txt", "jsonl", "csv"])
def test_a_text_of_50_mb_is_one_document(tmp_path, kind):
    path = write_kind(tmp_path / f"long.{kind}", ["before", LONG, "after"], kind)
    documents = read_files([path])
    sizes = [len(text) for text in documents.texts() for text in text.to_pylist()]
    assert sizes == [6, len(LONG), 5]
    assert documents.report.messages() == []


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


# ---- txt and folders


def test_line_ends_byte_order_mark_and_empty_lines(tmp_path):
    path = write(tmp_path / "a.txt", b"\xef\xbb\xbfone\r\n\r\n\ntwo \r three\x0b\xe2\x80\xa8\r\nlast")
    assert read(path) == ["one", "", "", "two \r three\x0b\u2028", "last"]
    assert read(write(path, b"\n")) == [""]


def test_a_character_that_ends_in_the_next_block_survives(tmp_path):
    path = write(tmp_path / "a.txt", "😀\r\n" * 5)
    for block in range(1, 14):
        with mock.patch.object(formats, "BLOCK_BYTES", block):
            assert read(path) == ["😀"] * 5


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


def test_a_part_of_a_folder_that_cannot_be_read_is_told(tmp_path):
    write(tmp_path / "a.txt", "a")
    denied = PermissionError(13, "Permission denied", str(tmp_path / "b"))

    def walk(folder, onerror):
        yield str(folder), ["b"], ["a.txt"]
        onerror(denied)  # what os.walk does; the tests may run as root, who may read everything

    with mock.patch("os.walk", walk), pytest.raises(InputError, match="b': Permission denied"):
        read_files([tmp_path])


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


def test_a_folder_without_documents_is_refused(tmp_path):
    write(tmp_path / "a.doc", "")
    with pytest.raises(InputError, match=r"holds no \.txt file"):
        read_files([tmp_path])


# ---- jsonl


def test_malformed_lines_are_skipped_and_counted_or_refused(tmp_path):
    lines = [
        '{"text": "a"}',
        "{broken",
        "[1]",
        '"text"',
        "",
        "  ",
        '{"text": 5}',
        "[" * 100_000,
        '{"text": "b"}',
    ]
    path = write(tmp_path / "a.jsonl", "\n".join(lines))
    documents = read_files([path])
    assert texts_of(documents) == ["a", "b"]
    assert documents.report == ReadReport(documents=2, skipped_lines=5)
    for number, content in [(2, "{broken"), (3, "[1]"), (7, '{"text": 5}')]:
        kept = [line if line == content else '{"text": "a"}' for line in lines]
        write(path, "\n".join(kept))
        with pytest.raises(InputError, match=rf"a\.jsonl, line {number}: "):
            read(path, strict=True)


def test_missing_texts_and_differing_keys(tmp_path):
    lines = ['{"text": "a", "n": 1}', '{"n": 2.5, "more": {"x": [1]}}', '{"text": null}']
    path = write(tmp_path / "a.jsonl", "\r\n".join(lines))
    assert columns_of(path) == {
        "text": ["a", "", ""],
        "n": [1.0, 2.5, None],
        "more": [None, {"x": [1]}, None],
    }
    documents = read_files([path])
    assert texts_of(documents) == ["a", "", ""]
    assert documents.report.missing == 2


def test_json_values_without_a_common_type_are_kept_as_json_text(tmp_path):
    lines = [
        '{"text": "a", "x": 1, "y": null}',
        '{"text": "b", "x": "é"}',
        '{"text": "c", "x": {"k": 1e400}}',
    ]
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
        with mock.patch.object(formats, "MAX_DOCUMENTS", 10):
            return pa.Table.from_batches(list(documents)).to_pylist()[10], documents.report

    fine, report = with_last(x={"k": None}, y=7, z=3, new=1)
    assert fine == {"text": "b", "x": {"k": None}, "y": "7", "z": 3.0}
    assert report.messages() == ["columns that appear only late in the input were left out: new"]
    for last in ({"x": {"k": 1, "lost": 2}}, {"x": 5}, {"z": "text"}):
        with pytest.raises(InputError, match=r"column '[xz]' begins as .* and later holds"):
            with_last(**last)


def test_one_odd_line_does_not_hide_the_text_column(tmp_path):
    lines = ['{"body": "a", "n": 1}', '{"body": 5, "n": "one"}', '{"body": "b", "n": 2}']
    documents = read_files([write(tmp_path / "a.jsonl", "\n".join(lines))])
    assert texts_of(documents) == ["a", "b"]
    assert (documents.text_column, documents.report.skipped_lines) == ("body", 1)
    assert read(write(tmp_path / "b.jsonl", '{"nothing": null, "body": "a"}')) == ["a"]


# ---- csv


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


def test_rows_of_a_wrong_length_are_skipped_and_counted_or_refused(tmp_path):
    path = write(tmp_path / "a.csv", "id,text\n1,a\n2\n3,b,c\n4,d\n")
    for block in (8, 8 << 20):
        with mock.patch.object(formats, "BLOCK_BYTES", block):
            documents = read_files([path])
            assert texts_of(documents) == ["a", "d"]
            assert documents.report == ReadReport(documents=2, skipped_lines=2)
    for block in (12, 8 << 20):
        with (
            mock.patch.object(formats, "BLOCK_BYTES", block),
            pytest.raises(InputError, match=r"a\.csv, row 3: 1 cells where the header has 2"),
        ):
            read(path, strict=True)


def test_a_long_row_grows_the_block_without_counting_or_giving_anything_twice(tmp_path):
    rows = [f'{i},"text {i} \xe9"\n'.encode("latin-1") for i in range(20)]
    rows[12] = b'12,"' + b"long\n" * 300 + b'"\n'
    path = write(tmp_path / "a.csv", b"id,text\n" + b"".join(rows[:6]) + b"odd\n" + b"".join(rows[6:]))
    with mock.patch.object(formats, "BLOCK_BYTES", 64):
        documents = read_files([path], keep_columns=True)
        table = pa.Table.from_batches(list(documents)).to_pydict()
    assert table["id"] == list(range(20))
    assert table["text"][11:14] == ["text 11 \ufffd", "long\n" * 300, "text 13 \ufffd"]
    assert documents.report == ReadReport(documents=20, undecodable=19, skipped_lines=1)
    header = write(tmp_path / "h.csv", "a" * 500 + ",text\n1,found\n")
    with mock.patch.object(formats, "BLOCK_BYTES", 64):
        assert read(header) == ["found"]


def test_a_row_that_never_ends_is_refused(tmp_path):
    path = write(tmp_path / "a.csv", 'id,text\n1,"open\n' + "2,x\n" * 1000)
    with (
        mock.patch.object(formats, "BLOCK_BYTES", 64),
        mock.patch.object(formats, "MAX_CSV_ROW", 512),
        pytest.raises(InputError, match="a quote may be left open"),
    ):
        read(path)


def test_the_first_block_decides_the_types_of_the_other_columns(tmp_path):
    path = write(tmp_path / "a.csv", "id,empty,text\n" + "1,,a\n" * 30 + "2,later,b\n")
    with mock.patch.object(formats, "BLOCK_BYTES", 64):
        assert columns_of(path)["empty"] == [""] * 30 + ["later"]
        write(path, "id,text\n" + "1,a\n" * 30 + "x,b\n")
        assert read(path) == ["a"] * 30 + ["b"]
        with pytest.raises(InputError, match=r"a\.csv: .*invalid value 'x'.*decide the type"):
            columns_of(path)


def test_a_header_alone_gives_no_batch(tmp_path):
    for content in ("id,text", "id,text\n", "some,other\n", "\n\n"):
        assert read(write(tmp_path / "a.csv", content)) == []


# ---- parquet and arrow


def test_parquet_reads_the_text_column_only(tmp_path):
    path = tmp_path / "a.parquet"
    pq.write_table(pa.table({"id": [1], "raw": [b"\xff"], "body": pa.array(["a"]).dictionary_encode()}), path)
    asked = []
    original = pq.ParquetFile.iter_batches

    def spy(self, *args, **options):
        asked.append(options["columns"])
        return original(self, *args, **options)

    with mock.patch.object(pq.ParquetFile, "iter_batches", spy):
        assert read(path) == ["a"]
        assert columns_of(path) == {"id": [1], "raw": [b"\xff"], "body": ["a"]}
    assert asked == [["body"], None]
    with pytest.raises(
        InputError, match=r"the column 'raw' of .*a\.parquet holds no text; those that do: body"
    ):
        read(path, text_column="raw")


def test_types_of_the_other_columns_are_kept(tmp_path):
    table = pa.table(
        {
            "when": pa.array([1], pa.timestamp("ms")),
            "text": ["a"],
            "tags": [["x", "y"]],
            "kind": pa.array(["k"]).dictionary_encode(),
        }
    )
    pq.write_table(table, tmp_path / "a.parquet")
    feather.write_feather(table, tmp_path / "a.arrow")
    for path in tmp_path.iterdir():
        (batch,) = read_files([path], keep_columns=True, text_column="text")
        assert batch.schema.names == table.schema.names
        assert [f.type for f in batch.schema if f.name != "text"] == [
            f.type for f in table.schema if f.name != "text"
        ]


def test_a_damaged_dictionary_is_an_error_not_a_crash(tmp_path):
    wild = pa.DictionaryArray.from_arrays(pa.array([0, 99], pa.int32()), ["a"], safe=False)
    with pa.OSFile(str(tmp_path / "a.arrow"), "wb") as sink:
        batch = pa.RecordBatch.from_arrays([wild], ["text"])
        with pa.ipc.new_stream(sink, batch.schema) as writer:
            writer.write_batch(batch)
    with pytest.raises(InputError, match=r"cannot read .*a\.arrow: .*out of bounds"):
        read(tmp_path / "a.arrow")


# ---- the text column


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


# ---- several files


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
    with pytest.raises(
        InputError, match=r"3\.csv has the columns text, label, but the first input has id, text"
    ):
        list(read_files([first, other], keep_columns=True))
    swapped = [write(tmp_path / "5.csv", "a,b\nx,1\n"), write(tmp_path / "6.csv", "a,b\n1,x\n")]
    with pytest.raises(
        InputError, match=r"the text is in the column 'b' of .*6\.csv, but in 'a' of the first"
    ):
        list(read_files(swapped, keep_columns=True))
    clash = write(tmp_path / "4.csv", "text,id\nc,x y\n")
    with pytest.raises(InputError, match=r"column 'id' of .*4\.csv is string, in the first input double"):
        list(read_files([first, clash], keep_columns=True))


# ---- standard input


@pytest.fixture
def stdin(monkeypatch, tmp_path):
    temporary = tmp_path / "temporary"
    temporary.mkdir()
    monkeypatch.setattr(tempfile, "tempdir", str(temporary))

    def give(content: bytes):
        monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(content)))

    yield give
    assert list(temporary.iterdir()) == []


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


# ---- mistakes


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


def test_no_input_and_missing_files_are_refused_at_once(tmp_path):
    with pytest.raises(InputError, match="no input was given"):
        read_files([])
    with pytest.raises(InputError, match=r"no file or folder '.*absent\.txt'"):
        read_files([tmp_path / "absent.txt"])
    with pytest.raises(InputError, match=r"no file or folder '.*absent\.txt'"):
        read_texts(tmp_path / "absent.txt")


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


def test_a_damaged_member_of_a_folder_is_named(tmp_path):
    write(tmp_path / "good.txt", "a")
    bad = write(tmp_path / "bad.txt.gz", b"this is no gzip file")
    with pytest.raises(InputError, match=f"cannot read {bad}"):
        read(tmp_path)


def test_a_file_that_cannot_be_opened_is_told(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)  # the name of a socket must be short
    with socket.socket(socket.AF_UNIX) as server:
        server.bind("a.txt")
        with pytest.raises(InputError, match=r"cannot read a\.txt: No such device"):
            read("a.txt")


def test_a_compressed_parquet_file_is_refused(tmp_path):
    with pytest.raises(InputError, match=r"a\.parquet\.gz is a compressed parquet file.*decompress it first"):
        read_files([write(tmp_path / "a.parquet.gz", b"")])


def test_a_pipe_is_read_like_a_file(tmp_path):
    csv_file = write_kind(tmp_path / "a.csv", TEXTS, "csv")
    program = (
        "import sys; from doc2vecc.corpus.sources import read_files;"
        "print([read_files([p], input_format='csv').texts().__next__().to_pylist() for p in sys.argv[1:]])"
    )
    command = f'"{sys.executable}" -c "{program}" <(cat {csv_file})'
    done = subprocess.run(["bash", "-c", command], capture_output=True, check=True)
    assert done.stdout.decode().strip() == repr([TEXTS])


def test_the_report_says_what_happened():
    assert ReadReport(documents=5).messages() == []
    assert ReadReport(5, undecodable=1, skipped_lines=1, missing=1, ignored_files=1).messages() == [
        "1 undecodable byte sequence was replaced by U+FFFD",
        "1 malformed line was skipped",
        "1 missing text was read as an empty document",
        "1 file of another kind was left out of the folder",
    ]
    assert ReadReport(5, undecodable=3000, skipped_lines=2, missing=2, ignored_files=2).messages() == [
        "3,000 undecodable byte sequences were replaced by U+FFFD",
        "2 malformed lines were skipped",
        "2 missing texts were read as empty documents",
        "2 files of another kind were left out of the folder",
    ]
