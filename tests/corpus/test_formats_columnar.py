"""parquet and Arrow files: only the columns that are asked for, with the types they have."""

from unittest import mock

import pyarrow as pa
import pyarrow.feather as feather
import pyarrow.parquet as pq
import pytest

from doc2vecc.corpus.sources import read_files
from doc2vecc.errors import InputError
from tests.corpus.documents import columns_of, read


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


def test_a_damaged_dictionary_is_an_error_not_a_crash(tmp_path):
    wild = pa.DictionaryArray.from_arrays(pa.array([0, 99], pa.int32()), ["a"], safe=False)
    with pa.OSFile(str(tmp_path / "a.arrow"), "wb") as sink:
        batch = pa.RecordBatch.from_arrays([wild], ["text"])
        with pa.ipc.new_stream(sink, batch.schema) as writer:
            writer.write_batch(batch)
    with pytest.raises(InputError, match=r"cannot read .*a\.arrow: .*out of bounds"):
        read(tmp_path / "a.arrow")
