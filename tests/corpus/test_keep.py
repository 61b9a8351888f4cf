"""Columns that are kept by name, and tables of other libraries."""

from pathlib import Path

import polars as pl
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from doc2vecc.corpus.sources import read_files, read_texts
from tests.exports.test_static_folder import require

TABLE = pa.table({"id": [1, 2], "text": ["a", "b"], "label": ["x", "y"]})


@pytest.mark.parametrize("kind", ["parquet", "csv", "jsonl", "arrow"])
def test_only_the_named_columns_are_kept(kind: str, tmp_path: Path) -> None:
    path = tmp_path / f"file.{kind}"
    if kind == "parquet":
        pq.write_table(TABLE, path)
    elif kind == "csv":
        path.write_text("id,text,label\n1,a,x\n2,b,y\n")
    elif kind == "jsonl":
        path.write_text('{"id": 1, "text": "a", "label": "x"}\n{"id": 2, "text": "b", "label": "y"}\n')
    else:
        with pa.ipc.new_file(str(path), TABLE.schema) as writer:
            writer.write(TABLE)
    for names, expected in ((["id"], {"id", "text"}), (["moons"], {"text"}), (["text", "label"], {"text", "label"})):
        (batch,) = read_files([path], text_column="text", keep_columns=names)
        assert set(batch.schema.names) == expected
        assert batch.column("text").to_pylist() == ["a", "b"]


def test_columns_of_objects_in_memory() -> None:
    for source in (TABLE, TABLE.to_pandas(), pl.from_arrow(TABLE), pl.from_arrow(TABLE).lazy()):
        (batch,) = read_texts(source, text_column="text", keep_columns=["label"])
        assert batch.column("label").to_pylist() == ["x", "y"]
        (batch,) = read_texts(source, text_column="text")
        assert batch.schema.names == ["text"]


@pytest.mark.peers
@pytest.mark.filterwarnings("ignore")
def test_hugging_face_datasets() -> None:
    dataset = require("datasets").Dataset(TABLE)
    batches = read_texts(dataset.select([1, 0]), text_column="text", keep_columns=["id"])
    assert pa.Table.from_batches(list(batches)).to_pydict() == {"id": [2, 1], "text": ["b", "a"]}
