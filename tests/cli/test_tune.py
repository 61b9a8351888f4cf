"""``doc2vecc tune`` on real files, and every mistake: one line, exit code 2."""

import re
import shlex
from pathlib import Path

import pytest

from doc2vecc import storage
from doc2vecc.cli import main
from tests.cli.commands import refused


@pytest.mark.slow
def test_the_command_of_the_last_line_trains_the_model_that_was_saved(
    here: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    arguments = ["reviews.csv", "-o", "best model.d2v", "--trials", "4", "--seed", "2", "--workers", "1"]
    assert main(["tune", *arguments, "--text-column", "text"]) == 0
    out, err = capsys.readouterr()
    heading, *rows = out.splitlines()
    assert heading.split() == ["documents", "score", "seconds", "settings"]
    assert len(rows) == 4
    scores = [float(row.split()[1]) for row in rows]
    assert scores == sorted(scores, reverse=True)
    assert any(row.endswith("  the defaults") for row in rows)
    lines = err.splitlines()
    assert lines[0] == "trying 4 settings on 400 documents"
    assert "saved to best model.d2v" in lines
    said = re.match("best of 4 settings(?:, the defaults)?: (.*)", lines[-1])
    assert said is not None
    command = shlex.split(said[1])
    command = command[command.index("train") :]
    command[command.index("-o") + 1] = "again.d2v"
    assert main([*command, "--workers", "1"]) == 0
    best, again = storage.load("best model.d2v"), storage.load("again.d2v")
    assert best.record.settings == again.record.settings
    assert best.word_vectors.tolist() == again.word_vectors.tolist()
    shown = rows[0].split("  ")[-1]
    assert shown == "the defaults" or shown in said[1]


@pytest.mark.slow
def test_labels_choose_by_accuracy_and_all_documents_are_learned_from(
    here: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    arguments = ["--label-column", "label", "--unlabeled", "code", "--trials", "2", "--max-time", "0.001"]
    assert main(["tune", "reviews.csv", "-o", "new.d2v", *arguments, "--max-documents", "100"]) == 0
    out, err = capsys.readouterr()
    assert out.splitlines()[0].split()[:3] == ["documents", "accuracy", "%"]
    assert re.fullmatch(r" +100 +\d+\.\d\d +\d+\.\d  the defaults", out.splitlines()[1])
    assert re.match(r"note: every trial learns from the \d+ documents without a label, too", err)
    assert "trying 2 settings on 100 documents" in err
    assert "note: --max-time 0.001 ended the search after 1 of 2 trials" in err
    assert storage.load("new.d2v").record.report["documents"] == 400


def test_mistakes(here: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert "reads its input twice" in refused(capsys, "tune", "-", "-o", "new.d2v")
    assert "reviews.d2v exists" in refused(capsys, "tune", "reviews.csv", "-o", "reviews.d2v")
    few = refused(capsys, "tune", "single", "-o", "new.d2v")
    assert few == ("error: 4 documents are too few to compare settings; at least 20 are needed. Use doc2vecc train\n")
    assert "no column 'stars'" in refused(capsys, "tune", "reviews.csv", "-o", "new.d2v", "--label-column", "stars")
