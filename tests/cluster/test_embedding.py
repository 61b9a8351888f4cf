"""What embedding on a cluster does without a cluster: the folder, and the file of a piece."""

import json

import pyarrow.parquet
import pytest

from doc2vecc import Doc2VecC
from doc2vecc.cluster import embedding
from doc2vecc.cluster.embedding import MANIFEST, EmbeddingJob, Output, clear_folder, embed_piece
from doc2vecc.cluster.inputs import Piece, ReadingPlan
from doc2vecc.corpus.report import ReadReport
from doc2vecc.corpus.shards import Shard
from doc2vecc.errors import OutputError


@pytest.fixture
def vectors(tmp_path):
    folder = tmp_path / "vectors"
    folder.mkdir()
    for name in (MANIFEST, "part-00000.parquet", "part-100000.parquet"):
        (folder / name).write_text("{}")
    return folder


@pytest.mark.parametrize("uri", ["", "file://"])
def test_what_is_begun_anew_is_empty(vectors, uri):
    (vectors / ".doc2vecc-abcdefgh.tmp").mkdir()  # of a worker that was killed
    clear_folder(f"{uri}{vectors}")
    assert list(vectors.iterdir()) == []


@pytest.mark.parametrize("name", ["notes.txt", "part-00000.parquet.bak", "figures/a.png"])
def test_what_the_user_has_put_beside_the_vectors_stays(vectors, name):
    (vectors / name).parent.mkdir(exist_ok=True)
    (vectors / name).write_text("mine")
    with pytest.raises(OutputError, match=rf"holds '{name.partition('/')[0]}' beside the vectors; move it"):
        clear_folder(str(vectors))
    assert len(list(vectors.iterdir())) == 4


def test_a_folder_of_other_things_is_left_alone(vectors):
    (vectors / MANIFEST).unlink()
    clear_folder(str(vectors))
    assert len(list(vectors.iterdir())) == 2


def test_problems_of_a_file_are_reported_once_though_several_workers_read_it(monkeypatch, tmp_path):
    model = Doc2VecC(vector_size=4, epochs=1, workers=1).fit(["a good film", "a good story"] * 20).model_
    monkeypatch.setattr(embedding, "_loaded", lambda shared: shared)  # it is Ray that shares a model
    lines = [b'{"text": "good"}', b'{"text": "fi\xfflm"}', b'{"text": null}'] * 40 + [b"no object"]
    (tmp_path / "a.jsonl").write_bytes(b"\n".join(lines))
    pieces = [Piece(str(tmp_path / "a.jsonl"), 1, shard=Shard(number, 2)) for number in range(2)]
    job = EmbeddingJob(model, pieces, ReadingPlan(), Output(str(tmp_path)), 1)
    rows = [embed_piece(job, number) for number in range(2)]
    written = [pyarrow.parquet.read_table(tmp_path / f"part-0000{number}.parquet") for number in range(2)]
    assert sum(map(len, written)) == 120
    reading = ReadReport()
    for row in rows:
        reading.add(ReadReport(**json.loads(row["reading"])))
    assert sum(row["zero"] for row in rows) == 80
    assert (reading.undecodable, reading.missing, reading.skipped_lines) == (40, 40, 1)
