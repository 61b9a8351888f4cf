"""What Ctrl-C says is true: what was written before it is named."""

from pathlib import Path
from typing import Any, NoReturn

import pytest

from doc2vecc.cli import main
from tests.cli.commands import FAST

INDEX = ["index", "reviews.d2v", "reviews.csv", "-o", "new.index", "--id-column", "id"]


def interrupt(*_: Any, **__: Any) -> NoReturn:
    raise KeyboardInterrupt


@pytest.mark.parametrize(
    ("arguments", "output", "last"),  # the last is called after the output is in its place
    [
        (INDEX, "new.index", "doc2vecc.cli.index.say_commands"),
        (INDEX, "new.index", "doc2vecc.files._sync_folder"),
        (["train", "reviews.csv", "-o", "new.d2v", *FAST], "new.d2v", "doc2vecc.cli.train.say_notes"),
        (["embed", "reviews.d2v", "reviews.csv", "-o", "new.npy"], "new.npy", "doc2vecc.cli.embed.say_notes"),
        (["export", "reviews.d2v", "--to", "glove", "-o", "new.vec"], "new.vec", "doc2vecc.cli.export.say"),
    ],
)
def test_what_was_written_is_named(
    arguments: list[str],
    output: str,
    last: str,
    here: Path,
    capsys: pytest.CaptureFixture[str],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    if last.endswith("_sync_folder"):
        monkeypatch.setattr(last, lambda folder: interrupt() if Path(output).exists() else None)
    else:
        monkeypatch.setattr(last, interrupt)
    assert main(arguments) == 130
    assert Path(output).exists()
    assert capsys.readouterr().err.splitlines()[-1] == f"interrupted; already written: {output}"


def test_what_an_earlier_command_wrote_is_not_named(
    here: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    assert main(INDEX) == 0
    monkeypatch.setattr("doc2vecc.search.index.finish", interrupt)
    assert main([*INDEX[:4], "other.index"]) == 130
    assert not Path("other.index").exists()
    assert capsys.readouterr().err.splitlines()[-1] == "interrupted; nothing was written"


def test_pieces_of_a_cluster_stay(
    here: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("doc2vecc.cluster.embedding.embed_on_cluster", interrupt)
    assert main(["embed", "reviews.d2v", "reviews.csv", "-o", "vectors", "--ray", "local"]) == 130
    last = "interrupted; what is embedded stays in vectors; the same command embeds the rest"
    assert capsys.readouterr().err.splitlines()[-1] == last
