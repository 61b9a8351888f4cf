"""``doc2vecc map`` and ``doc2vecc topics`` on real files, and every mistake: one line, exit code 2."""

import json
import re
import shlex
from pathlib import Path

import pyarrow.parquet as pq
import pytest

from doc2vecc.cli import main
from tests.cli.commands import refused

PAGE = Path(__file__).parents[2] / "docs" / "maps.md"
MAP = ["map", "reviews.d2v", "reviews.csv", "--workers", "1", "-o"]
TOPICS = ["topics", "reviews.d2v", "reviews.csv", "--workers", "1"]


@pytest.mark.slow
def test_a_map_is_written(here: Path, capsys: pytest.CaptureFixture[str]) -> None:
    pytest.importorskip("openTSNE", reason="openTSNE is not installed")
    assert main([*MAP, "map.html", "--color", "label", "--show", "id", "--sample", "100"]) == 0
    out, err = capsys.readouterr()
    assert out == ""
    assert err.startswith("map of 100 documents written to map.html; open it in a browser\n")
    assert "note: a sample of 100 of 400 documents\n" in err
    assert main([*MAP, "map.parquet", "--sample", "50"]) == 0
    assert "embedding-atlas map.parquet --text text --x x --y y --neighbors neighbors" in capsys.readouterr().err
    assert pq.read_table("map.parquet").column_names == ["id", "label", "text", "x", "y", "neighbors"]
    assert "exists; choose another name" in refused(capsys, *MAP, "map.html")


def test_mistakes_of_maps_are_found_before_the_work(here: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert "none of .html, .png, .svg, .parquet" in refused(capsys, *MAP, "map.pdf")
    assert "layout='pca' is not known" in refused(capsys, *MAP, "map.html", "--layout", "pca")
    assert "there is no column 'stars'" in refused(capsys, *MAP, "map.html", "--color", "stars")
    assert "there is no column 'date'; the input has" in refused(capsys, *TOPICS, "--date-column", "date")
    assert "method='lda'" in refused(capsys, *TOPICS, "--method", "lda")
    assert "none of .html, .json, .csv, .parquet" in refused(capsys, *TOPICS, "-o", "topics.png")


def test_topics_are_printed_or_written(here: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main([*TOPICS, "--topics", "3"]) == 0
    out = capsys.readouterr().out
    assert re.match(r"topic  documents  words\n    0 +1\d\d  \w", out)
    assert out.count("\n") == 4
    assert main([*TOPICS, "--topics", "3", "-o", "topics.json"]) == 0
    assert capsys.readouterr().err == "3 topics of 400 documents written to topics.json\n"
    assert len(json.loads(Path("topics.json").read_text("utf-8"))["topics"]) == 3


@pytest.mark.slow
@pytest.mark.filterwarnings("ignore::doc2vecc.CorpusWarning")
def test_the_commands_and_lines_of_the_docs_run(here: Path) -> None:
    pytest.importorskip("openTSNE", reason="openTSNE is not installed")
    page = PAGE.read_text("utf-8")
    commands = re.findall(r"`doc2vecc ((?:map|topics) reviews[^`]*)`", page)
    assert len(commands) == 5
    for command in commands:
        assert main([*shlex.split(command), "--sample", "60", "--workers", "1", "--force"]) == 0, command
    block = re.search(r"^```python\n(.*?)^```", page, re.MULTILINE | re.DOTALL).group(1)  # type: ignore[union-attr]
    exec(block, {})
    for name in ("map.html", "map.png", "map.parquet", "topics.html", "topics.parquet"):
        assert Path(name).stat().st_size > 1_000
