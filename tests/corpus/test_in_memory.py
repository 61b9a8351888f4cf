"""Iterables and Arrow objects come out as the same clean texts; what holds no texts is refused."""

import itertools
from typing import NamedTuple

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest

from doc2vecc.corpus.sources import ReadReport, read_texts
from doc2vecc.errors import InputError
from tests.corpus.documents import STRICT, TEXTS, invalid_strings, texts_of


class OnlyStream:
    def __init__(self, inner):
        self.__arrow_c_stream__ = inner.__arrow_c_stream__


class OnlyArray:
    def __init__(self, inner):
        self.__arrow_c_array__ = inner.__arrow_c_array__


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


@pytest.mark.parametrize("source", [5, None, {"a": "b"}, np.array("x")])
def test_what_holds_no_texts_is_refused(source):
    with pytest.raises(InputError, match=f"type {type(source).__name__}; pass a list"):
        read_texts(source)


@pytest.mark.parametrize(
    ("wrong", "kind"), [(7, "int"), (b"x", "bytes"), (["x", 3], "list"), (np.zeros(2), "ndarray"), (1.5, "float")]
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


class TaggedDocument(NamedTuple):
    words: list[str]
    tags: list[int]


def test_the_words_of_a_tagged_document_are_the_text():
    with pytest.raises(InputError, match=r"^texts\[0\] is .* of type TaggedDocument; .*; give \[d\.words for d in"):
        list(read_texts([TaggedDocument(["a", "film"], [0])]))


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
        list(read_texts(["a", "\ud800"], rules=STRICT))


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
        list(read_texts(column, rules=STRICT))
