"""``doc2vecc words``, ``explain`` and ``inspect`` on a real model."""

import re
from pathlib import Path

import numpy as np
import pytest

from doc2vecc import storage
from doc2vecc.cli import main
from doc2vecc.cli.words import expressions
from tests.cli.commands import refused


@pytest.mark.parametrize(
    ("terms", "titles"),
    [
        (["story"], ["story"]),
        (["Story", "soup"], ["Story", "soup"]),
        (["actor", "-", "man", "+", "woman"], ["actor - man + woman"]),
        (["actor - man + woman"], ["actor - man + woman"]),
        (["soup", "actor", "-", "man", "file"], ["soup", "actor - man", "file"]),
    ],
)
def test_words(terms: list[str], titles: list[str], here: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["words", "reviews.d2v", *terms, "-k", "2"]) == 0
    lines = capsys.readouterr().out.splitlines()
    assert lines[::5] == titles
    model = storage.load("reviews.d2v")
    expected = model.similar_words(titles[-1], 2)
    assert [(line.split()[1], line.split()[0]) for line in lines[-3:-1]] == [(w, f"{s:.3f}") for w, s in expected]


def test_mistakes_of_words(here: Path, capsys: pytest.CaptureFixture[str]) -> None:
    message = refused(capsys, "words", "reviews.d2v", "story", "actr")
    assert re.search(r"'actr' is not among the \d+ words of the vocabulary; did you mean actor, actors\?", message)
    assert "try another word" in refused(capsys, "words", "reviews.d2v", "qqq")
    assert "'-' is not among the" in refused(capsys, "words", "reviews.d2v", "-")
    assert "nope does not exist" in refused(capsys, "words", "nope", "story")
    assert "Missing argument" in refused(capsys, "words", "reviews.d2v")


def test_expressions() -> None:
    assert expressions(["king", "-", "man", "+", "woman"]) == ["king - man + woman"]
    assert expressions(["a", "b"]) == ["a", "b"]
    assert expressions(["-", "a", "b"]) == ["- a", "b"]


def test_explain_without_a_terminal(here: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["explain", "reviews.d2v", "a good story story", "great [bold]actors[/bold]"]) == 0
    out, err = capsys.readouterr()
    assert err == ""
    assert "\x1b" not in out
    explanation = storage.load("reviews.d2v").explain("a good story story", "great [bold]actors[/bold]")
    lines = out.splitlines()
    assert lines[0] == f"similarity {explanation.similarity:.3f}"
    assert lines[2].split() == ["share", "in", "the", "first", "share", "in", "the", "second"]
    shares = {word: share for line in lines[3:] for share, word in re.findall(r"([+-]\d\.\d+)\s+(\S+)", line)}
    assert set(shares) == {"a", "good", "story", "great"}
    assert sum(float(shares[word]) for word in ("a", "good", "story")) == pytest.approx(
        explanation.similarity, abs=0.002
    )
    assert "story ×2" in out


def test_explain_colors_the_words_on_a_terminal(
    here: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("FORCE_COLOR", "1")
    monkeypatch.setenv("COLORTERM", "truecolor")
    monkeypatch.setenv("TERM", "xterm")
    assert main(["explain", "reviews.d2v", "a good story zzz", "great actors"]) == 0
    first = capsys.readouterr().out.splitlines()[1]
    assert re.search(r"\x1b\[38;2;\d+;\d+;\d+mstory", first)
    assert "\x1b[2mzzz" in first


def test_explain_texts_without_a_known_word(here: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["explain", "reviews.d2v", "zzz", ""]) == 0
    out, err = capsys.readouterr()
    assert out.startswith("similarity 0.000\n")
    assert [line.split(",")[0] for line in err.splitlines()] == [
        "note: no word of the first text is in the vocabulary",
        "note: no word of the second text is in the vocabulary",
    ]


def test_inspect(here: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert (
        main(["train", "reviews.txt", "-o", "long.d2v", "--epochs", "9", "--vector-size", "8", "--workers", "2"]) == 0
    )
    capsys.readouterr()
    assert main(["inspect", "long.d2v"]) == 0
    out, err = capsys.readouterr()
    assert err == ""
    model = storage.load("long.d2v")
    assert re.search(r"^coverage  [█░]{30}  100\.0 % of the tokens have a vector$", out, re.MULTILINE)
    first, last = model.record.history[0].loss, model.record.history[-1].loss
    assert re.search(rf"^loss      █[▁-█]{{7}}▁  {first:.3f} to {last:.3f} in 9 epochs$", out, re.MULTILINE)
    (groups,) = re.findall(r"same kind of document\n((?:  .*\n)+)", out)
    assert all(set(line.strip().split(", ")) <= set(model.vocabulary.words) for line in groups.splitlines())
    assert re.search(rf"^words +{len(model.vocabulary)}$", out, re.MULTILINE)
    assert re.search(r"^documents +400$", out, re.MULTILINE)
    assert re.search(r"^epochs +9$", out, re.MULTILINE)
    assert re.search(rf"^ +9  {model.record.history[-1].loss:.4f} ", out, re.MULTILINE)
    assert not re.search(r"^ +5  \d\.\d+ ", out, re.MULTILINE)
    norms = np.linalg.norm(model.word_vectors, axis=1)
    longest = model.vocabulary.words[int(norms.argmax())]
    assert re.search(rf"^longest vector +count +norm\n{re.escape(longest)} .*█{{30}}$", out, re.MULTILINE)
    assert "unreadable" not in out
    assert "nope does not exist" in refused(capsys, "inspect", "nope")
