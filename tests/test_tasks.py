"""The table of tasks in docs/tasks.md: its lines of Python run, and its extras exist."""

import re
import tomllib
from pathlib import Path

import pytest
from sklearn.model_selection import GridSearchCV

from doc2vecc import Doc2VecC
from doc2vecc.evaluation import linear_probe
from doc2vecc.map import Map, Topics
from doc2vecc.search import SearchIndex, duplicate_pairs, groups_of, neighbor_similarity
from tests.cli.commands import sentences

ROOT = Path(__file__).parents[1]
TABLE = (ROOT / "docs" / "tasks.md").read_text("utf-8").split("\n## ")[0]
ROWS = [[cell.strip() for cell in line.strip("|").split("|")] for line in TABLE.splitlines() if line.startswith("| ")]
# What is tested elsewhere, with the other program or with more texts than here.
ELSEWHERE = ("BERTopic(", '.export("reviews.onnx"')


def test_a_row_has_a_task_a_command_or_line_and_an_extra():
    extras = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["project"]["optional-dependencies"]
    for task, command, line, extra in ROWS[1:]:
        assert task
        assert command or line, task
        named = re.match(r"`(\w+)`", extra)
        assert not named or named[1] in extras, task


@pytest.mark.slow
@pytest.mark.filterwarnings("ignore::doc2vecc.CorpusWarning")
def test_the_lines_of_python_run(tmp_path, monkeypatch):
    pytest.importorskip("openTSNE", reason="openTSNE is not installed")
    monkeypatch.chdir(tmp_path)
    labels, texts = zip(*sentences(60), strict=True)
    texts = [f"{text} dull film" for text in texts] + ["a boring story , slow but moving"] * 3
    Path("reviews.csv").write_text("text\n" + "\n".join(f'"{text}"' for text in texts), "utf-8")
    own = (GridSearchCV, linear_probe, Map, Path, Topics, SearchIndex, duplicate_pairs, groups_of, neighbor_similarity)
    names = {one.__name__: one for one in own} | {"Doc2VecC": Doc2VecC, "texts": texts}
    names["labels"] = [*labels, "other", "other", "other"]
    for _, _, lines, _ in ROWS[1:]:
        for line in re.findall(r"`([^`]+)`", lines):
            if not any(part in line for part in ELSEWHERE):
                exec(line, names)
    assert {path.name for path in tmp_path.iterdir()} == {
        *(
            "reviews.csv",
            "reviews.d2v",
            "reviews.index",
            "map.html",
            "map.parquet",
            "topics.html",
            "folder",
            "words.txt",
        )
    }
