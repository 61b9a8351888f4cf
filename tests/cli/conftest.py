"""A model that all commands are tried on, trained once."""

from pathlib import Path

import pytest

from doc2vecc.cli import main
from tests.cli.commands import FAST, sentences


@pytest.fixture(scope="session")
def corpus(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with the same reviews in several formats, and a model that learned from them."""
    folder = tmp_path_factory.mktemp("corpus")
    reviews = sentences(400)
    rows = "".join(f"{number},{label},{text}\n" for number, (label, text) in enumerate(reviews))
    (folder / "reviews.csv").write_text("id,label,text\n" + rows)
    (folder / "reviews.txt").write_text("".join(f"{text}\n" for _, text in reviews))
    (folder / "single").mkdir()
    for number in range(4):
        (folder / "single" / f"{number}.txt").write_text(reviews[number][1])
    assert main(["train", str(folder / "reviews.csv"), "-o", str(folder / "reviews.d2v"), *FAST]) == 0
    # Compiles what the commands need, so that no test finds the message about it among the others.
    for workers in ("1", "2"):
        arguments = [str(folder / "reviews.d2v"), str(folder / "reviews.txt"), "--workers", workers]
        assert main(["similar", *arguments, "--query", "story"]) == 0
    return folder


@pytest.fixture
def here(corpus: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> Path:
    """An empty working folder, save for links to what the commands read."""
    for path in corpus.iterdir():
        (tmp_path / path.name).symlink_to(path)
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("COLUMNS", "100")
    capsys.readouterr()
    return tmp_path
