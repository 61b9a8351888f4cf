"""``doc2vecc similar`` on real files, and every mistake: one line, exit code 2."""

from pathlib import Path

import pytest

from doc2vecc.cli import main
from tests.cli.commands import TOPICS, refused, sentences


def test_similar_shows_the_nearest_documents(here: Path, capsys: pytest.CaptureFixture[str]) -> None:
    arguments = ["similar", "reviews.d2v", "reviews.csv", "--query", "a moving story", "-q", "cold soup", "-k", "3"]
    assert main(arguments) == 0
    out, err = capsys.readouterr()
    assert err == ""
    lines = out.splitlines()
    assert lines[0] == "a moving story"
    assert lines[1].split() == ["similarity", "row", "(from", "0)", "text"]
    assert lines[5:7] == ["", "cold soup"]
    texts = [text for _, text in sentences(400)]
    for line in (*lines[2:5], *lines[8:11]):
        similarity, row, text = line.split(maxsplit=2)
        assert 0.5 < float(similarity) <= 1
        assert text == texts[int(row)]
    assert set(lines[8].split()[2:]) <= set(TOPICS["food"].split())


def test_similar_cuts_texts_to_the_width_and_names_files(here: Path, capsys: pytest.CaptureFixture[str]) -> None:
    Path("texts").mkdir()
    Path("texts/long.txt").write_text("good story\n\x1b[31m" + "word " * 100_000)
    Path("texts/short.txt").write_text("cold soup")
    assert main(["similar", "reviews.d2v", "texts", "--query", "story"]) == 0
    lines = capsys.readouterr().out.splitlines()
    assert [line.split()[1] for line in lines[2:4]] == ["long.txt", "short.txt"]
    assert all(len(line) <= 100 for line in lines)
    assert lines[2].endswith("…")
    assert "\x1b" not in lines[2]


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["reviews.d2v", "reviews.csv", "--query", "zzz"], "no word of the query 'zzz' is in the vocabulary"),
        (["reviews.d2v", "empty.txt", "--query", "story"], "there are no documents in empty.txt"),
        (["reviews.d2v", "nope.txt", "--query", "story"], "no file or folder 'nope.txt'"),
        (["reviews.d2v", "reviews.csv"], "Missing option"),
        (["reviews.d2v", "reviews.csv", "--query", "story", "-k", "0"], "-k"),
    ],
)
def test_mistakes_of_similar(
    arguments: list[str], message: str, here: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    Path("empty.txt").touch()
    assert message in refused(capsys, "similar", *arguments)
