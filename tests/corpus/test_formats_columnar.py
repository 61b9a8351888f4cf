"""parquet and Arrow files: only the columns that are asked for, with the types they have."""

from unittest import mock

import numpy as np
import pyarrow as pa
import pyarrow.feather as feather
import pyarrow.parquet as pq
import pytest

from doc2vecc.corpus.sources import read_files
from doc2vecc.errors import InputError
from tests.corpus.documents import columns_of, read, texts_of


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
    with pytest.raises(InputError, match=r"the column 'raw' of .*a\.parquet holds no text; those that do: body"):
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
        assert [f.type for f in batch.schema if f.name != "text"] == [f.type for f in table.schema if f.name != "text"]


# ---- buffers that others wrote


def strings(ends, data=b"abcdef"):
    """An array with these offsets, right or wrong."""
    offsets = pa.py_buffer(np.array([0, *ends], np.int32))
    return pa.StringArray.from_buffers(len(ends), offsets, pa.py_buffer(data))


def view_beyond(place):
    """A string_view of 20 bytes at a place that its buffer does not have."""
    view = np.array([20, 0x61616161, 0, place], np.int32)
    return pa.Array.from_buffers(pa.string_view(), 1, [None, pa.py_buffer(view), pa.py_buffer(b"a" * 32)])


WILD = strings([1 << 30, 3])  # Arrow looks at the last offset when an array is made
WILD_LIST = pa.ListArray.from_buffers(
    pa.list_(pa.int8()),
    2,
    [None, pa.py_buffer(np.array([0, 1 << 20, 1], np.int32))],
    children=[pa.array([1], pa.int8())],
)
DAMAGED = {
    "text: offset": {"text": WILD},
    "text: backwards": {"text": strings([5, 2])},
    "text: dictionary": {"text": pa.DictionaryArray.from_arrays(pa.array([0, 1], pa.int32()), WILD, safe=False)},
    "text: index": {"text": pa.DictionaryArray.from_arrays(pa.array([0, 99], pa.int32()), ["a"], safe=False)},
    "text: view": {"text": view_beyond(1 << 20)},
    "kept: offset": {"text": ["a", "b"], "kept": WILD},
    "kept: dictionary": {
        "text": ["a", "b"], "kept": pa.DictionaryArray.from_arrays(pa.array([0, 1], pa.int32()), WILD, safe=False),
    },
    "kept: child": {"text": ["a"], "kept": pa.ListArray.from_arrays(pa.array([0, 2], pa.int32()), WILD)},
    "kept: list": {"text": ["a", "b"], "kept": WILD_LIST},
    "kept: view": {"text": ["a"], "kept": view_beyond(-7)},
}  # fmt: skip


@pytest.mark.parametrize("case", DAMAGED)
@pytest.mark.parametrize("kind", ["stream", "file"])
def test_damaged_buffers_are_an_error_not_a_crash(tmp_path, case, kind):
    """Arrow trusts them as soon as it cuts, casts or writes a column."""
    path = tmp_path / "a.arrow"
    batch = pa.RecordBatch.from_pydict(DAMAGED[case])
    with (
        pa.OSFile(str(path), "wb") as sink,
        (pa.ipc.new_stream if kind == "stream" else pa.ipc.new_file)(sink, batch.schema) as writer,
    ):
        writer.write_batch(batch)
    name = case.split(":")[0]
    for keep in (True, False) if name == "text" else (True,):
        with pytest.raises(InputError, match=rf"cannot read .*a\.arrow: the column '{name}' is damaged: "):
            list(read_files([path], text_column="text", keep_columns=keep))


def test_a_dictionary_of_bytes_that_are_no_text_is_repaired(tmp_path):
    values = strings([1, 2], b"a\xff")
    batch = pa.RecordBatch.from_arrays(
        [pa.DictionaryArray.from_arrays(pa.array([1, None, 0, 1], pa.int8()), values)], ["text"]
    )
    with pa.OSFile(str(tmp_path / "a.arrow"), "wb") as sink, pa.ipc.new_stream(sink, batch.schema) as writer:
        writer.write_batch(batch)
    documents = read_files([tmp_path / "a.arrow"])
    assert texts_of(documents) == ["\ufffd", "", "a", "\ufffd"]
    assert (documents.report.undecodable, documents.report.missing) == (2, 1)


def test_the_view_of_a_null_is_not_followed(tmp_path):
    for null in ([20, 0x61616161, 7, 1 << 20], [-1, 0, 0, 0]):
        views = np.array([*null, 1, ord("b"), 0, 0], np.int32)
        bitmap = pa.py_buffer(bytes([0b10]))
        buffers = [bitmap, pa.py_buffer(views), pa.py_buffer(b"a" * 32)]
        column = pa.Array.from_buffers(pa.string_view(), 2, buffers)
        with pa.ipc.new_file(tmp_path / "a.arrow", pa.schema({"text": pa.string_view()})) as writer:
            writer.write(pa.record_batch([column], ["text"]))
        assert read(tmp_path / "a.arrow") == ["", "b"]
