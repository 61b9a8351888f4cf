"""The folder of an index: what is damaged, by accident or on purpose, is a clear error."""

import io
import json
import os
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pytest

from doc2vecc import SearchIndexError
from doc2vecc.model import Model
from doc2vecc.search import SearchIndex
from doc2vecc.search.folder import DESCRIPTION_FILE, MODEL_FILES, is_index_folder
from tests.search.test_graph import resealed

DOCUMENTS, VECTORS = "documents-000000.arrow", "vectors-000000.npy"


@pytest.fixture
def folder(words_model: Model, documents: pa.Table, tmp_path: Path) -> Path:
    SearchIndex.build(words_model, documents, tmp_path / "index", columns=["stars"], id_column="key")
    return tmp_path / "index"


def refusal(folder: Path) -> str:
    with pytest.raises(SearchIndexError) as caught:
        SearchIndex.load(folder)
    assert "\n" not in str(caught.value)
    return str(caught.value)


def test_nothing_is_pickled_and_all_files_are_known(folder: Path) -> None:
    names = {path.relative_to(folder).as_posix() for path in folder.rglob("*") if path.is_file()}
    assert names == {DESCRIPTION_FILE, DOCUMENTS, VECTORS, *MODEL_FILES, "model/README.md"}
    assert is_index_folder(folder)
    assert not is_index_folder(folder / "model")


@pytest.mark.parametrize("name", [DOCUMENTS, VECTORS, *MODEL_FILES])
def test_a_changed_or_missing_file(folder: Path, name: str) -> None:
    content = bytearray((folder / name).read_bytes())
    content[len(content) // 2] ^= 1
    (folder / name).write_bytes(content)
    assert "is damaged: it is not the file that was written, its digest differs" in refusal(folder)
    (folder / name).unlink()
    assert "is damaged: it is missing; build the index again" in refusal(folder)
    os.mkfifo(folder / name)
    assert "it is not a file" in refusal(folder)


def matrix(array: Any) -> bytes:
    file = io.BytesIO()
    np.save(file, array, allow_pickle=array.dtype.hasobject)
    return file.getvalue()


def table(*columns: Any, names: str = "number key text stars") -> bytes:
    file = io.BytesIO()
    rows = pa.RecordBatch.from_arrays(
        [pa.array(one) if isinstance(one, list) else one for one in columns], names.split()
    )
    with pa.ipc.new_file(file, rows.schema) as writer:
        writer.write(rows)
    return file.getvalue()


TEXTS = pa.array(["good"] * 600, pa.large_string())
KEYS = pa.array([str(i) for i in range(600)], pa.large_string())
BAD_UTF8 = pa.LargeStringArray.from_buffers(600, TEXTS.buffers()[1], pa.py_buffer(b"\xff" * 2400))


@pytest.mark.parametrize(
    ("name", "content", "message"),
    [
        (VECTORS, b"", "is damaged"),
        (VECTORS, b"PK\x03\x04", "is damaged"),
        (VECTORS, b"\x93NUMPY\x01\x00\xff\xff{", "is damaged"),
        (VECTORS, b"\x93NUMPY\x01\x00\x0a\x00{'descr': (", "is damaged"),
        (VECTORS, matrix(np.array([{}] * 600)), "is damaged"),
        (VECTORS, matrix(np.ones((600, 8), np.float64)), "it must hold 600 vectors"),
        (VECTORS, matrix(np.ones((599, 8), np.float32)), "it must hold 600 vectors"),
        (VECTORS, matrix(np.full((600, 8), np.nan, np.float32)), "not of length one"),
        (VECTORS, matrix(np.full((600, 8), 2, np.float32)), "not of length one"),
        (DOCUMENTS, b"", "is damaged"),
        (DOCUMENTS, b"ARROW1\0\0" + bytes(1000) + b"ARROW1", "is damaged"),
        (DOCUMENTS, table(list(range(600)), KEYS, BAD_UTF8, list(range(600))), "is damaged"),
        (DOCUMENTS, table([0] * 600, KEYS, TEXTS, list(range(600))), "the numbers of the documents do not fit"),
        (DOCUMENTS, table(list(range(1, 601)), KEYS, TEXTS, list(range(600))), "the numbers of the documents do not"),
        (DOCUMENTS, table([*range(599), None], KEYS, TEXTS, list(range(600))), "an id or a text is missing"),
        (DOCUMENTS, table(list(range(600)), KEYS, TEXTS, names="number key text"), "its columns do not fit"),
        (DOCUMENTS, table(list(range(600)), [0.5] * 600, TEXTS, list(range(600))), "its columns do not fit"),
    ],
)
def test_files_that_a_stranger_made(folder: Path, name: str, content: bytes, message: str) -> None:
    resealed(folder, name, content)
    assert message in refusal(folder)


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"format": "doc2vecc"}, "does not describe a search index"),
        ({"format_version": 2}, "has format version 2, this program reads 1; upgrade doc2vecc"),
        ({"parts": ["../../x"]}, "unfit are: parts"),
        ({"parts": []}, "unfit are: parts"),
        ({"dim": True, "documents": -1}, "unfit are: dim, documents"),
        ({"documents": 601}, "the numbers of the documents do not fit"),
        ({"columns": ["moons"]}, "its columns do not fit"),
        ({"expansion": 64}, "graph.usearch is damaged: it is missing"),
        ({"surprise": 1}, "unfit are: surprise"),
        ({"digests": {}}, "its digest differs"),
        ({"id_column": "\ud800"}, "index.json cannot be read"),
    ],
)
def test_a_description_that_does_not_fit(folder: Path, changes: dict[str, object], message: str) -> None:
    path = folder / DESCRIPTION_FILE
    path.write_text(json.dumps(json.loads(path.read_text("utf-8")) | changes), "utf-8")
    assert message in refusal(folder)


def test_what_is_no_index(tmp_path: Path) -> None:
    assert "does not exist; an index is a folder made by `doc2vecc index`" in refusal(tmp_path / "nope")
    assert "has no index.json; it is not a search index" in refusal(tmp_path)
    for content in ("{", "[]", "[" * 100_000):
        (tmp_path / DESCRIPTION_FILE).write_text(content)
        assert str(tmp_path / DESCRIPTION_FILE) in refusal(tmp_path)
