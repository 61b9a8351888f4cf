"""``doc2vecc duplicates`` and ``outliers`` on real files."""

import csv
import io
import json
from pathlib import Path

import pytest

from doc2vecc.cli import main
from tests.cli.commands import refused, sentences


@pytest.fixture
def copies(here: Path) -> Path:
    texts = [text for _, text in sentences(60)]
    texts += [texts[3].upper(), texts[3] + " .", texts[5], "zzzz"]
    Path("copies.csv").write_text("key,text\n" + "".join(f"k{row},{text}\n" for row, text in enumerate(texts)))
    return here


def test_groups_and_pairs(copies: Path, capsys: pytest.CaptureFixture[str]) -> None:
    arguments = ["duplicates", "reviews.d2v", "copies.csv", "--above", "0.9999", "--id-column", "key"]
    assert main(arguments) == 0
    out, err = capsys.readouterr()
    assert out.splitlines()[0].split() == ["group", "size", "similarity", "id", "text"]
    assert [line.split()[:4] for line in out.splitlines()[1:4]] == [
        ["1", "3", "1.000", "k3"], ["1", "3", "1.000", "k60"], ["1", "3", "1.000", "k61"],
    ]  # fmt: skip
    assert "2 groups of duplicates in 64 documents; removing 3 of them leaves no duplicates" in err
    assert "1 of 64 documents have no known word" in err
    assert main([*arguments, "--output-format", "jsonl"]) == 0
    records = [json.loads(line) for line in capsys.readouterr().out.splitlines()]
    assert [(one["group"], one["id"]) for one in records] == [
        (1, "k3"), (1, "k60"), (1, "k61"), (2, "k5"), (2, "k62"),
    ]  # fmt: skip
    assert main([*arguments, "--pairs", "--output-format", "csv"]) == 0
    rows = list(csv.DictReader(io.StringIO(capsys.readouterr().out)))
    assert {(row["first"], row["second"]) for row in rows} == {("k3", "k60"), ("k3", "k61"), ("k5", "k62")}
    assert main([*arguments, "--pairs"]) == 0
    assert len(capsys.readouterr().out.splitlines()) == 4


def test_outliers(copies: Path, capsys: pytest.CaptureFixture[str]) -> None:
    arguments = ["outliers", "reviews.d2v", "copies.csv", "-k", "4", "--neighbors", "3", "--id-column", "key"]
    assert main(arguments) == 0
    lines = capsys.readouterr().out.splitlines()
    assert lines[0].split() == ["similarity", "id", "text"]
    shown = [float(line.split()[0]) for line in lines[1:]]
    assert len(shown) == 4
    assert shown == sorted(shown)
    assert main([*arguments, "--output-format", "jsonl"]) == 0
    records = [json.loads(line) for line in capsys.readouterr().out.splitlines()]
    assert [record["id"] for record in records] == [line.split()[1] for line in lines[1:]]


def test_vectors_of_a_parquet_file_are_used(
    copies: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    from doc2vecc.model import Model

    assert main(["embed", "reviews.d2v", "copies.csv", "-o", "copies.parquet"]) == 0
    embedded = []
    whole = Model.embed
    monkeypatch.setattr(
        Model, "embed", lambda self, texts, workers=1: embedded.append(len(texts)) or whole(self, texts)
    )
    outputs = []
    for file, number in (("copies.csv", 64), ("copies.parquet", 8)):
        capsys.readouterr()
        embedded.clear()
        assert main(["similar", "reviews.d2v", file, "--query", "cold soup", "-k", "5"]) == 0
        outputs.append(capsys.readouterr().out)
        assert embedded == [1, number]  # the query and all documents, or some to compare with
        assert main(["duplicates", "reviews.d2v", file, "--above", "0.9999"]) == 0
        assert embedded == [1, number, number]
    assert outputs[0] == outputs[1]
    assert main(["train", "reviews.csv", "-o", "other.d2v", "--vector-size", "16", "--epochs", "1", "--seed", "5"]) == 0
    capsys.readouterr()
    message = refused(capsys, "similar", "other.d2v", "copies.parquet", "--query", "soup")
    assert "the column 'vector' of the input does not hold the vectors that this model gives to the texts" in message


@pytest.mark.parametrize("command", ["duplicates", "outliers"])
def test_mistakes(command: str, copies: Path, capsys: pytest.CaptureFixture[str]) -> None:
    Path("empty.txt").touch()
    assert "no documents in empty.txt" in refused(capsys, command, "reviews.d2v", "empty.txt")
    assert "there is no column 'moons'" in refused(capsys, command, "reviews.d2v", "copies.csv", "--id-column", "moons")
    message = refused(capsys, command, "reviews.d2v", "copies.csv", "--output-format", "xml")
    assert "unknown output format 'xml'; it must be one of: table, jsonl, csv" in message


@pytest.mark.parametrize("command", ["duplicates", "outliers"])
def test_texts_of_another_language_have_neither(command: str, copies: Path, capsys: pytest.CaptureFixture[str]) -> None:
    Path("other.txt").write_text("zzz yyy\nyyy xxx\n")
    assert main([command, "reviews.d2v", "other.txt", "--output-format", "jsonl"]) == 0
    out, err = capsys.readouterr()
    assert out == ""
    assert "2 of 2 documents have no known word" in err
