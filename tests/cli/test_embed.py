"""``doc2vecc embed`` on real files, and every mistake: one line, exit code 2."""

import io
import json
import re
import shutil
import subprocess
import sys
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.parquet
import pytest

from doc2vecc import storage
from doc2vecc.cli import main
from tests.cli.commands import refused


def test_embed_keeps_the_other_columns(here: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["embed", "reviews.d2v", "reviews.csv", "-o", "out.parquet"]) == 0
    out, err = capsys.readouterr()
    assert out == ""
    assert re.fullmatch(r"embedded 400 documents in \d\.\d s, [\d,]+ per second; written to out\.parquet\n", err)
    table = pa.parquet.read_table("out.parquet")
    assert table.column_names == ["id", "label", "text", "vector"]
    model = storage.load("reviews.d2v")
    texts = pa.array(table["text"].to_pylist(), pa.large_string())
    expected = model.embed(texts).vectors
    np.testing.assert_array_equal(np.array(table["vector"].to_pylist(), np.float32), expected)
    assert main(["embed", "reviews.d2v", "reviews.csv", "-o", "out.npy", "--workers", "1"]) == 0
    np.testing.assert_array_equal(np.load("out.npy"), expected)


def test_embed_from_standard_input_to_standard_output(
    here: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO("good story\n\xff\n".encode("latin-1"))))
    assert main(["embed", "reviews.d2v", "-", "-o", "-"]) == 0
    out, err = capsys.readouterr()
    rows = [json.loads(line) for line in out.splitlines()]
    assert [row["text"] for row in rows] == ["good story", "\ufffd"]
    assert any(rows[0]["vector"])
    assert rows[1]["vector"] == [0] * 16
    assert err.splitlines()[1:] == [
        "note: 1 undecodable byte sequence replaced by U+FFFD",
        "note: 1 of 2 documents have no known word: zero vectors",
    ]


def test_embed_a_folder_without_its_texts(here: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["embed", "reviews.d2v", "single", "-o", "-", "--output-format", "csv", "--drop-text"]) == 0
    lines = capsys.readouterr().out.splitlines()
    assert lines[0].startswith('"file","v0","v1"')
    assert [line.split(",")[0] for line in lines[1:]] == [f'"{number}.txt"' for number in range(4)]


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["reviews.d2v", "nope.csv", "-o", "a.npy"], "no file or folder 'nope.csv'"),
        (["reviews.d2v", "reviews.csv", "-o", "a.npy", "--text-column", "body"], "it has: id, label, text"),
        (["reviews.d2v", "reviews.csv", "-o", "a.doc"], "the extension of 'a.doc' is not a known format"),
        (["reviews.d2v", "reviews.csv", "-o", "-", "--output-format", "doc"], "unknown output format 'doc'"),
        (["reviews.d2v", "reviews.csv", "-o", "reviews.csv"], "reviews.csv exists; choose another name"),
        (["reviews.d2v", "reviews.csv", "-o", "no/a.npy"], "there is no folder 'no' to write a.npy into"),
        (["reviews.d2v", "clash.csv", "-o", "a.parquet"], "already has a column 'vector'"),
        (["nope.d2v", "reviews.csv", "-o", "a.npy"], "nope.d2v does not exist; a model is a folder"),
        (["single", "reviews.csv", "-o", "a.npy"], "single has no config.json; it is not a doc2vecc model"),
        (["reviews.csv", "reviews.csv", "-o", "a.npy"], "reviews.csv is a file; a model is a folder"),
        (["broken.d2v", "reviews.csv", "-o", "a.npy"], "model.safetensors cannot be read"),
        (["reviews.d2v", "reviews.csv", "-o", "a.npy", "--workers", "0"], "--workers"),
    ],
)
def test_mistakes_of_embed(arguments: list[str], message: str, here: Path, capsys: pytest.CaptureFixture[str]) -> None:
    Path("clash.csv").write_text("text,vector\ngood story,1\n")
    shutil.copytree("reviews.d2v", "broken.d2v")
    with Path("broken.d2v/model.safetensors").open("r+b") as file:
        file.truncate(1000)
    assert message in refused(capsys, "embed", *arguments)


def test_shards_have_every_document_once(here: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """Also where a document is the last of its batch, and in whatever order the jobs run."""
    command = ["embed", "reviews.d2v", "reviews.csv", "--workers", "1", "-o"]
    assert main([*command, "whole.parquet"]) == 0
    for number in (2, 0, 1):
        assert main([*command, f"part-{number}.parquet", "--shard", f"{number}/3"]) == 0
    assert "embedded 133 documents" in capsys.readouterr().err
    whole = pa.parquet.read_table("whole.parquet")
    parts = [pa.parquet.read_table(f"part-{number}.parquet") for number in range(3)]
    assert [len(part) for part in parts] == [134, 133, 133]
    order = np.argsort(np.concatenate([np.arange(number, 400, 3) for number in range(3)]))
    assert pa.concat_tables(parts).take(order).equals(whole)


def test_a_shard_that_is_done_is_not_embedded_again(here: Path, capsys: pytest.CaptureFixture[str]) -> None:
    command = ["embed", "reviews.d2v", "reviews.csv", "-o", "part.npy", "--shard", "1/4"]
    assert main(command) == 0
    written = Path("part.npy").stat().st_mtime_ns
    capsys.readouterr()
    assert main(command) == 0
    assert capsys.readouterr().err == "part.npy exists: shard 1/4 is done; --force embeds it again\n"
    assert Path("part.npy").stat().st_mtime_ns == written
    assert main([*command, "--force"]) == 0
    assert Path("part.npy").stat().st_mtime_ns > written


def test_a_shard_without_documents_has_the_columns(here: Path) -> None:
    Path("one.csv").write_text("id,text\n7,good story\n")
    assert main(["embed", "reviews.d2v", "one.csv", "-o", "empty.parquet", "--shard", "1/2"]) == 0
    table = pa.parquet.read_table("empty.parquet")
    assert (len(table), table.column_names) == (0, ["id", "text", "vector"])


@pytest.mark.parametrize("shard", ["4/4", "1", "-1/4", "a/b", "0/0", ""])
def test_a_wrong_shard_is_refused(here: Path, capsys: pytest.CaptureFixture[str], shard: str) -> None:
    message = refused(capsys, "embed", "reviews.d2v", "reviews.csv", "-o", "part.npy", "--shard", shard)
    assert "must be I/N with I from 0 to N-1" in message


@pytest.mark.slow
def test_embedding_needs_neither_scikit_learn_nor_scipy(here: Path) -> None:
    """So an image that only embeds can do without them."""
    code = (
        "import sys; sys.modules |= dict.fromkeys(('sklearn', 'scipy', 'threadpoolctl'));"
        "from doc2vecc.cli import main;"
        "sys.exit(main(['embed', 'reviews.d2v', 'reviews.csv', '-o', 'new.parquet', '--workers', '1']))"
    )
    assert subprocess.run([sys.executable, "-c", code], stderr=subprocess.DEVNULL, timeout=120).returncode == 0
    assert Path("new.parquet").exists()
