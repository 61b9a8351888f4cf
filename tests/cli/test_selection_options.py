"""--limit, --sample, several text columns, csv without a header, json."""

import json
from pathlib import Path

import pytest

from doc2vecc import storage
from doc2vecc.cli import main
from tests.cli.commands import FAST, refused


def test_limit_and_sample(here: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["train", "reviews.csv", "-o", "new.d2v", *FAST, "--limit", "300", "--sample-documents", "200"]) == 0
    assert "note: a sample of 200 of 300 documents" in capsys.readouterr().err
    assert storage.load("new.d2v").record.report["documents"] == 200
    for seed in ("1", "1", "2"):
        options = ["--sample", "7", "--seed", seed, "--force", "-o", f"{seed}.jsonl"]
        assert main(["embed", "reviews.d2v", "reviews.csv", *options]) == 0
    first, other = (
        [json.loads(line)["id"] for line in Path(f"{seed}.jsonl").read_text().splitlines()] for seed in ("1", "2")
    )
    assert len(first) == len(other) == 7
    assert first != other


def test_rows_of_a_sample_are_those_of_the_input(here: Path, capsys: pytest.CaptureFixture[str]) -> None:
    arguments = ["outliers", "reviews.d2v", "reviews.csv", "--sample", "20", "-k", "5", "--output-format", "jsonl"]
    assert main(arguments) == 0
    texts = Path("reviews.txt").read_text().splitlines()
    found = [json.loads(line) for line in capsys.readouterr().out.splitlines()]
    assert [one["text"] for one in found] == [texts[one["id"]] for one in found]
    assert max(one["id"] for one in found) > 20


def test_several_columns_and_no_header(here: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["train", "reviews.csv", "-o", "new.d2v", *FAST, "--text-column", "label,text"]) == 0
    assert {"film", "soup"} <= set(storage.load("new.d2v").vocabulary)
    Path("bare.csv").write_text("".join(Path("reviews.csv").read_text().splitlines(keepends=True)[1:]))
    capsys.readouterr()
    embed = ["embed", "new.d2v", "bare.csv", "--no-header", "-o", "bare.jsonl"]
    assert "several text columns in bare.csv: 2, 3" in refused(capsys, *embed)
    assert main([*embed, "--text-column", "2,3"]) == 0
    first = json.loads(Path("bare.jsonl").read_text().splitlines()[0])
    assert first["2_3"] == f"{first['2']}\n{first['3']}"
    assert list(first)[:2] == ["1", "2"]


@pytest.mark.slow
def test_tune_repeats_the_options(here: Path, capsys: pytest.CaptureFixture[str]) -> None:
    options = ["--limit", "300", "--sample", "100", "--trials", "1", "--workers", "1"]
    assert main(["tune", "reviews.csv", "-o", "tuned.d2v", *options]) == 0
    assert "--limit 300 --sample-documents 100" in capsys.readouterr().err
    assert storage.load("tuned.d2v").record.report["documents"] == 100
