"""What the tutorial, the questions, the comparison and README show runs, in the order in which it is shown."""

import csv
import re
import shlex
from pathlib import Path

import pytest

from doc2vecc.cli import main

ROOT = Path(__file__).parents[1]
BLOCK = re.compile(r"^```(python|sh)\n(.*?)^```", re.MULTILINE | re.DOTALL)
REVIEWS = ["a slow but moving film", "a dull movie , boring", "good actors and a good story", "the film was moving"]


def run_all(page: str) -> None:
    """Run the blocks of a page one after the other."""
    for language, code in BLOCK.findall((ROOT / page).read_text("utf-8")):
        if language == "python":
            exec(compile(code, page, "exec"), {})
            if 'open("docstrings.csv", "w"' in code:
                keep_few_rows(Path("docstrings.csv"))
            continue
        for line in code.splitlines():
            run_command(line)


def keep_few_rows(path: Path, every: int = 8) -> None:
    """Shorten a file, so that the test is faster than the tutorial."""
    with path.open(newline="", encoding="utf-8") as file:
        header, *rows = csv.reader(file)
    with path.open("w", newline="", encoding="utf-8") as file:
        csv.writer(file).writerows([header, *rows[::every]])


def run_command(line: str) -> None:
    arguments = shlex.split(line, comments=True)
    assert main(arguments[1:]) == 0, line


@pytest.mark.slow
def test_the_tutorial(tmp_path, monkeypatch, capsys):
    pytest.importorskip("openTSNE", reason="maps need the extra map")
    monkeypatch.chdir(tmp_path)
    run_all("docs/tutorial.md")
    written = capsys.readouterr().out
    assert float(re.search(r"5 packages: accuracy (\S+)", written)[1]) > 0.5
    for name in ("docstrings.index", "map.html", "topics.html", "vectors.parquet"):
        assert (tmp_path / name).exists()


@pytest.mark.parametrize("page", ["docs/faq.md", "docs/comparison.md"])
def test_questions_and_comparison(page, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    run_all(page)


@pytest.mark.slow
def test_ten_lines_of_the_readme(tmp_path, monkeypatch):
    pytest.importorskip("openTSNE", reason="maps need the extra map")
    monkeypatch.chdir(tmp_path)
    with Path("reviews.csv").open("w", newline="", encoding="utf-8") as file:
        writer = csv.writer(file)
        writer.writerow(["text", "stars"])
        writer.writerows([f"{text} {i % 7}", i % 5] for i, text in enumerate(REVIEWS * 30))
    section = (ROOT / "README.md").read_text("utf-8").split("\n## Ten lines")[1].split("\n## ")[0]
    lines = BLOCK.findall(section)[0][1].splitlines()
    assert len(lines) == 10
    for line in lines:
        if " serve " not in line:  # does not end
            run_command(line)
    code = [code for language, code in BLOCK.findall((ROOT / "README.md").read_text("utf-8")) if language == "python"]
    for block in code:
        exec(compile(block, "README.md", "exec"), {})
