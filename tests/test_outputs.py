"""Vectors as files: every format reads back the same numbers, and nothing is ever left half-written."""

import datetime
import io
import json
import sys
from pathlib import Path
from types import SimpleNamespace

import numpy as np
import pyarrow as pa
import pyarrow.csv
import pyarrow.feather
import pyarrow.ipc
import pyarrow.parquet
import pytest

from doc2vecc.corpus.shards import Shard, ShardedBatches
from doc2vecc.corpus.sources import TextBatches, read_files, read_texts
from doc2vecc.corpus.vocabulary import Vocabulary
from doc2vecc.errors import OutputError
from doc2vecc.files import check_target
from doc2vecc.model import Model
from doc2vecc.outputs import json_values, output_kind, write_vectors

WORDS = ["good", "bad", "film", "story"]
TEXTS = ["good film", "bad, bad story", "", "nothing known", "film"]
EXPECTED = [[1 / 2, 0, 1 / 2], [0, 1 / 3, 0], [0, 0, 0], [0, 0, 0], [0, 0, 1]]
KINDS = ["parquet", "arrow", "npy", "jsonl", "csv"]


@pytest.fixture(scope="module")
def model() -> Model:
    """Three dimensions: good, bad, film are the axes, a story is bad by a third once, twice bad is two thirds."""
    rows = np.zeros((4, 8), np.float32)
    rows[:3, :3] = np.eye(3)
    rows[3, 1] = -1
    return Model(Vocabulary.from_words(WORDS, [4, 3, 2, 1]), rows, 3, outputs=np.zeros((4, 3), np.float32))


@pytest.fixture
def reviews(tmp_path: Path) -> Path:
    path = tmp_path / "reviews.jsonl"
    with path.open("w") as file:
        for number, text in enumerate(TEXTS):
            row = {"id": number, "text": text, "tags": ["a"] * number, "score": None if number == 1 else number / 2}
            file.write(json.dumps(row) + "\n")
    return path


def read_back(path: Path) -> tuple[np.ndarray, dict[str, list]]:
    """Read any of the formats -> (vectors, the other columns)."""
    if path.suffix == ".npy":
        return np.load(path), {}
    if path.suffix == ".jsonl":
        rows = [json.loads(line) for line in path.read_text().splitlines()]
        table = {name: [row[name] for row in rows] for name in (rows[0] if rows else [])}
    elif path.suffix == ".csv":
        table = pa.csv.read_csv(path).to_pydict()
        names = [name for name in table if name[0] == "v" and name[1:].isdigit()]
        table["vector"] = list(zip(*(table.pop(name) for name in names), strict=True))
    elif path.suffix == ".parquet":
        table = pa.parquet.read_table(path).to_pydict()
    else:
        table = pa.feather.read_table(path).to_pydict()
    return np.array(table.pop("vector", []), np.float32), table


def batches(path: Path, keep_columns: bool = True) -> TextBatches:
    return read_files([path], keep_columns=keep_columns)


@pytest.mark.parametrize("kind", KINDS)
def test_every_format_gives_the_vectors_and_the_other_columns_back(
    kind: str, model: Model, reviews: Path, tmp_path: Path
) -> None:
    target = tmp_path / f"out.{kind}"
    assert write_vectors(model, batches(reviews), target, kind) == 2
    vectors, columns = read_back(target)
    np.testing.assert_allclose(vectors, EXPECTED, atol=1e-7)
    assert vectors.shape == (5, 3)
    if kind != "npy":
        assert columns["id"] == [0, 1, 2, 3, 4]
        assert columns["text"] == TEXTS
        assert columns["score"] == [0, None, 1, 1.5, 2]
        tags = [["a"] * number for number in range(5)]
        assert columns["tags"] == (list(map(json.dumps, tags)) if kind == "csv" else tags)
    assert sorted(path.name for path in tmp_path.iterdir()) == [target.name, reviews.name]


@pytest.mark.parametrize("kind", KINDS)
def test_many_batches_are_one_file(kind: str, model: Model, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("doc2vecc.outputs.ROW_GROUP_BYTES", 1 << 16)
    monkeypatch.setattr("doc2vecc.outputs.VALUES_AT_ONCE", 1000)
    texts = [TEXTS[number % 5] for number in range(40_000)]
    told: list[int] = []
    target = tmp_path / f"out.{kind}"
    assert write_vectors(model, read_texts(texts), target, kind, workers=2, on_batch=told.append) == 16_000
    vectors, _ = read_back(target)
    np.testing.assert_allclose(vectors, EXPECTED * 8_000, atol=1e-7)
    assert sum(told) == 40_000
    assert len(told) > 1
    if kind == "parquet":
        assert pa.parquet.ParquetFile(target).num_row_groups > 1


def test_small_batches_share_a_row_group(model: Model, tmp_path: Path) -> None:
    texts = ["film"] * 40_000
    write_vectors(model, read_texts(texts), tmp_path / "out.parquet", "parquet")
    assert pa.parquet.ParquetFile(tmp_path / "out.parquet").num_row_groups == 1


@pytest.mark.parametrize("kind", KINDS)
def test_no_documents_make_a_file_without_rows(kind: str, model: Model, tmp_path: Path) -> None:
    (tmp_path / "empty.txt").touch()
    target = tmp_path / f"out.{kind}"
    assert write_vectors(model, batches(tmp_path / "empty.txt"), target, kind) == 0
    vectors, _ = read_back(target)
    assert len(vectors) == 0
    if kind == "npy":
        assert vectors.shape == (0, 3)


def test_parquet_and_arrow_hold_fixed_size_lists_of_float32(model: Model, reviews: Path, tmp_path: Path) -> None:
    for kind, read in (("parquet", pa.parquet.read_table), ("arrow", pa.feather.read_table)):
        write_vectors(model, batches(reviews), tmp_path / f"a.{kind}", kind)
        field = read(tmp_path / f"a.{kind}").schema.field("vector")
        assert pa.types.is_fixed_size_list(field.type)
        assert (field.type.list_size, field.type.value_type) == (3, pa.float32())


def test_only_the_notes_of_pandas_survive(model: Model, tmp_path: Path) -> None:
    table = pa.table({"text": TEXTS}).replace_schema_metadata({"pandas": "{}", "huggingface": "features"})
    pa.parquet.write_table(table, tmp_path / "in.parquet")
    write_vectors(model, batches(tmp_path / "in.parquet"), tmp_path / "out.parquet", "parquet")
    assert pa.parquet.read_schema(tmp_path / "out.parquet").metadata == {b"pandas": b"{}"}


@pytest.mark.parametrize("kind", ["parquet", "jsonl", "csv", "arrow"])
def test_drop_text_leaves_the_texts_out(kind: str, model: Model, reviews: Path, tmp_path: Path) -> None:
    write_vectors(model, batches(reviews), tmp_path / f"a.{kind}", kind, drop_text=True)
    vectors, columns = read_back(tmp_path / f"a.{kind}")
    assert len(vectors) == 5
    assert set(columns) == {"id", "tags", "score"}
    (tmp_path / "lines.txt").write_text("good film\nfilm\n")
    write_vectors(model, batches(tmp_path / "lines.txt"), tmp_path / f"b.{kind}", kind, drop_text=True)
    vectors, columns = read_back(tmp_path / f"b.{kind}")
    assert len(vectors) == 2
    assert columns == {}


@pytest.mark.parametrize(("kind", "name"), [("parquet", "vector"), ("jsonl", "vector"), ("csv", "v2")])
def test_a_column_where_the_vectors_would_go(kind: str, name: str, model: Model, tmp_path: Path) -> None:
    pa.parquet.write_table(pa.table({"text": TEXTS, name: range(5)}), tmp_path / "in.parquet")
    target = tmp_path / f"out.{kind}"
    with pytest.raises(OutputError, match=f"already has a column '{name}'.*rename it, or write .npy"):
        write_vectors(model, batches(tmp_path / "in.parquet"), target, kind)
    assert sorted(path.name for path in tmp_path.iterdir()) == ["in.parquet"]
    write_vectors(model, batches(tmp_path / "in.parquet", keep_columns=False), tmp_path / "out.npy", "npy")
    assert np.load(tmp_path / "out.npy").shape == (5, 3)


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("error", [KeyboardInterrupt, RuntimeError])
def test_an_interrupted_file_leaves_the_old_one_alone(
    kind: str, error: type[BaseException], model: Model, tmp_path: Path
) -> None:
    target = tmp_path / f"out.{kind}"
    target.write_text("old")

    def stop(_documents: int) -> None:
        raise error

    with pytest.raises(error):
        write_vectors(model, read_texts(TEXTS), target, kind, on_batch=stop)
    assert [path.name for path in tmp_path.iterdir()] == [target.name]
    assert target.read_text() == "old"


def test_a_file_may_replace_its_own_input(model: Model, tmp_path: Path) -> None:
    path = tmp_path / "a.parquet"
    pa.parquet.write_table(pa.table({"text": TEXTS}), path)
    write_vectors(model, batches(path), path, "parquet")
    assert pa.parquet.read_table(path).column_names == ["text", "vector"]


def test_a_new_file_has_the_usual_rights(model: Model, tmp_path: Path) -> None:
    (tmp_path / "usual").touch()
    write_vectors(model, read_texts(TEXTS), tmp_path / "a.npy", "npy")
    assert (tmp_path / "a.npy").stat().st_mode == (tmp_path / "usual").stat().st_mode


class Pipe(io.RawIOBase):
    """Takes bytes and has no place to go back to."""

    def __init__(self) -> None:
        self.received = b""

    def writable(self) -> bool:
        return True

    def write(self, data: bytes) -> int:
        self.received += bytes(data)
        return len(data)


@pytest.mark.parametrize("kind", KINDS)
def test_standard_output(kind: str, model: Model, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    pipe = Pipe()
    monkeypatch.setattr(sys, "stdout", SimpleNamespace(buffer=pipe))
    write_vectors(model, read_texts(TEXTS), None, kind)
    path = tmp_path / f"a.{kind}"
    path.write_bytes(pipe.received)
    if kind == "arrow":  # the stream format has no end that would have to be found first
        vectors = np.array(pa.ipc.open_stream(path.read_bytes()).read_all().to_pydict()["vector"])
    else:
        vectors, _ = read_back(path)
    np.testing.assert_allclose(vectors, EXPECTED, atol=1e-7)


def test_a_device_is_written_to_directly(model: Model) -> None:
    check_target(Path("/dev/null"))
    for kind in KINDS:
        write_vectors(model, read_texts(TEXTS), Path("/dev/null"), kind)
    assert not Path("/dev/null").is_file()


def test_check_target(tmp_path: Path) -> None:
    (tmp_path / "old.npy").touch()
    check_target(tmp_path / "new.npy")
    check_target(tmp_path / "old.npy", force=True)
    with pytest.raises(OutputError, match=r"old\.npy exists; choose another name, or replace it with --force"):
        check_target(tmp_path / "old.npy")
    with pytest.raises(OutputError, match="is a folder"):
        check_target(tmp_path, force=True)
    with pytest.raises(OutputError, match="there is no folder"):
        check_target(tmp_path / "no" / "new.npy")
    with pytest.raises(OutputError, match="there is no folder"):
        check_target(tmp_path / "old.npy" / "new.npy")


def test_output_kind() -> None:
    assert [output_kind(f"a.{kind}") for kind in KINDS] == KINDS
    assert output_kind("A.PARQUET") == "parquet"
    assert output_kind("a.feather") == "arrow"
    assert output_kind("-") == "jsonl"
    assert output_kind("-", "csv") == output_kind("a.txt", "csv") == "csv"
    with pytest.raises(OutputError, match=r"the extension of 'a\.doc' is not .*known are parquet, .*--output-format"):
        output_kind("a.doc")
    with pytest.raises(OutputError, match="unknown output format 'doc'"):
        output_kind("a.csv", "doc")


def test_json_values() -> None:
    assert json_values(pa.array([1.5, float("nan"), float("inf"), None])) == ["1.5", "null", "null", "null"]
    assert json_values(pa.array(["é\n", None])) == ['"é\\n"', "null"]
    assert json_values(pa.array([b"\xff"])) == ['"/w=="']
    assert json_values(pa.array([{"a": [float("nan"), 1]}])) == ['{"a": [null, 1.0]}']
    assert json_values(pa.array([1], pa.timestamp("ns"))) == ['"1970-01-01 00:00:00.000000001"']
    assert json_values(pa.array([datetime.date(2024, 2, 29)])) == ['"2024-02-29"']
    assert json_values(pa.array([datetime.timedelta(seconds=1)])) == ['"0:00:01"']
    assert json_values(pa.array(["a", "b", "a"]).dictionary_encode()) == ['"a"', '"b"', '"a"']


def test_every_kind_of_column_goes_into_every_format(model: Model, tmp_path: Path) -> None:
    columns = {
        "text": TEXTS,
        "category": pa.array(["x", "y", None, "x", "y"]).dictionary_encode(),
        "bytes": [b"\xff", b"a", None, b"", b"b"],
        "when": pa.array([1, 2, None, 4, 5], pa.timestamp("ns", "UTC")),
        "duration": pa.array([1, 2, None, 4, 5], pa.duration("s")),
        "money": pa.array([1, 2, None, 4, 5], pa.decimal128(10, 2)),
        "nested": [{"a": [1, None]}] * 5,
        "half": pa.array(np.zeros(5, np.float16)),
        "nothing": pa.nulls(5),
        "view": pa.array(["a", "b", None, "c", "d"], pa.string_view()),
    }
    pa.feather.write_feather(pa.table(columns), tmp_path / "in.arrow", compression="uncompressed")
    for kind in KINDS:
        target = tmp_path / f"out.{kind}"
        source = read_files([tmp_path / "in.arrow"], text_column="text", keep_columns=True)
        write_vectors(model, source, target, kind)
        vectors, found = read_back(target)
        np.testing.assert_allclose(vectors, EXPECTED, atol=1e-7)
        if kind != "npy":
            assert set(found) == set(columns)


def test_a_column_that_a_format_cannot_hold_is_an_error_of_one_line(tmp_path: Path, model: Model) -> None:
    runs = pa.RunEndEncodedArray.from_arrays(pa.array([1, 2], pa.int32()), pa.array(["x", "y"]))
    source = read_texts(pa.table({"text": ["good", "bad"], "runs": runs}), keep_columns=True)
    with pytest.raises(OutputError, match=r"cannot be written to this format \(.*run_end_encoded.*leave it out"):
        write_vectors(model, source, tmp_path / "v.parquet", "parquet")
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize("kind", ["jsonl", "csv"])
def test_a_date_that_python_does_not_know_is_an_error_of_one_line(tmp_path: Path, model: Model, kind: str) -> None:
    when = pa.array([1 << 62, 0], pa.timestamp("s"))
    source = read_texts(
        pa.table({"text": ["good", "bad"], "when": pa.StructArray.from_arrays([when], ["at"])}), keep_columns=True
    )
    with pytest.raises(OutputError, match=r"cannot be written to this format .*leave it out"):
        write_vectors(model, source, tmp_path / f"v.{kind}", kind)
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize("kind", KINDS)
def test_a_shard_that_begins_late_is_written_once(kind: str, model: Model, tmp_path: Path) -> None:
    files = [tmp_path / f"{number}.jsonl" for number in range(4)]
    for file in files:
        file.write_text('{"text": "film"}\n')
    target = tmp_path / f"out.{kind}"
    write_vectors(model, ShardedBatches(read_files(files), Shard(3, 4)), target, kind)
    assert read_back(target)[0].tolist() == [[0, 0, 1]]
