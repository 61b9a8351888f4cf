import json
import shutil
from pathlib import Path

import pytest

from doc2vecc.cli import main
from tests.cli.commands import FAST


def test_settings_that_follow_the_size_are_shown_as_they_are_in_effect(
    here: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["train", "reviews.csv", "-o", "new.d2v", *FAST, "--min-count", "3"]) == 0
    capsys.readouterr()
    assert main(["inspect", "new.d2v"]) == 0
    lines = [line.split(maxsplit=1) for line in capsys.readouterr().out.splitlines() if line.strip()]
    shown = {line[0]: line[1].strip() for line in lines if len(line) == 2}
    assert shown["min_count"] == "3"
    assert shown["ngram_min_count"] == "4 (auto)"
    assert shown["idf_exponent"].endswith(" (auto)")


@pytest.mark.parametrize(
    ("history", "report"),
    [([[3, 1, 1.0]], {"tokens": 5}), ([[1e100, 1, 0], [-1e100, 0, 9]], {"documents": 5}), ([], {"known_tokens": 7})],
)
def test_a_model_folder_of_somebody_else_can_be_inspected(
    here: Path, capsys: pytest.CaptureFixture[str], history: list[list[float]], report: dict[str, int]
) -> None:
    shutil.copytree("reviews.d2v", "other.d2v")
    config = json.loads(Path("other.d2v/config.json").read_text("utf-8"))
    Path("other.d2v/config.json").write_text(json.dumps(config | {"history": history, "report": report}))
    assert main(["inspect", "other.d2v"]) == 0
    assert "min_count" in capsys.readouterr().out
