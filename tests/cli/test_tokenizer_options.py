"""Own tokenizers, patterns and stop words on the command line."""

import shlex
from pathlib import Path

import pytest

from doc2vecc import Doc2VecC
from doc2vecc.cli import main
from tests.cli.commands import FAST, refused

OWN = ["--tokenizer", "own_tokens:letters"]


@pytest.fixture
def own(here: Path, capsys: pytest.CaptureFixture[str]) -> Path:
    """A model that was trained with a function in the working folder."""
    (here / "own_tokens.py").write_text(
        "def letters(text): return [word[:3].upper() for word in text.split()]\ndef wrong(text): return text\n"
    )
    assert main(["train", "reviews.csv", "-o", "own.d2v", *OWN, *FAST]) == 0
    assert all("--tokenizer own_tokens:letters" in line for line in capsys.readouterr().err.splitlines()[-3:])
    return here


@pytest.mark.parametrize(
    "command",
    [
        "embed own.d2v reviews.csv -o own.parquet",
        "similar own.d2v reviews.csv -q story -k 2",
        "words own.d2v story -k 2",
        "explain own.d2v 'a good story' 'the actor'",
        "evaluate own.d2v reviews.csv",
        "inspect own.d2v",
        "duplicates own.d2v reviews.csv",
        "outliers own.d2v reviews.csv -k 2",
        "topics own.d2v reviews.csv --topics 3",
        "train reviews.csv --start own.d2v -o further.d2v --workers 1",
    ],
)
def test_every_command_takes_the_tokenizer_of_the_model(
    command: str, own: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    arguments = shlex.split(command)
    assert "was trained with the tokenizer own_tokens:letters; pass it again as --tokenizer" in refused(
        capsys, *arguments
    )
    assert main([*arguments, *OWN]) == 0


def test_an_index_needs_the_tokenizer_again(own: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["index", "own.d2v", "reviews.csv", "-o", "own.index", *OWN]) == 0
    capsys.readouterr()
    assert "pass it again as --tokenizer" in refused(capsys, "search", "own.index", "story")
    assert main(["search", "own.index", "story", *OWN]) == 0
    assert main(["update", "own.index", "--delete", "3", *OWN]) == 0


def test_mistakes(own: Path, capsys: pytest.CaptureFixture[str]) -> None:
    train = ["train", "reviews.csv", "-o", "new.d2v", *FAST]
    for arguments, why in {
        "--tokenizer no_such_module:split": "needs the module 'no_such_module', which is not found; install it",
        "--tokenizer own_tokens:absent": "there is no 'absent' in the module 'own_tokens'",
        "--tokenizer own_tokens:__name__": "is 'own_tokens', which cannot be called",
        "--tokenizer own_tokens:wrong": "it must return a list of str",
        "--tokenizer own_tokens:letters --stop-words english": "stop_words does not go with a tokenizer of your own",
        "--token-pattern '('": "it is no regular expression",
        "--stop-words absent.txt": "no file or folder 'absent.txt'",
        "--start reviews.d2v --stop-words english": "--stop-words is for a new model",
    }.items():
        assert why in refused(capsys, *train, *shlex.split(arguments))
    assert "was trained with the built-in tokenizer" in refused(capsys, "words", "reviews.d2v", "story", *OWN)


def test_stop_words_from_a_file_and_a_pattern(here: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (here / "stop.txt").write_text("The\n\n  a \nof\n")
    arguments = ["reviews.csv", *FAST, "--min-count", "1"]
    assert main(["train", *arguments, "-o", "stopped.d2v", "--stop-words", "stop.txt"]) == 0
    plain, stopped = (set(Doc2VecC.load(name).vocabulary_) for name in ("reviews.d2v", "stopped.d2v"))
    assert plain - stopped == {"the", "a", "of"}
    assert main(["train", *arguments, "-o", "pattern.d2v", "--token-pattern", "[a-z]{4,}"]) == 0
    capsys.readouterr()
    assert "pass it again as --token-pattern" in refused(capsys, "words", "pattern.d2v", "story")
    assert main(["words", "pattern.d2v", "story", "--token-pattern", "[a-z]{4,}"]) == 0
    assert main(["inspect", "pattern.d2v", "--token-pattern", "[a-z]{4,}"]) == 0
    assert "[a-z]{4,}" in capsys.readouterr().out


@pytest.mark.slow
def test_tune_names_the_tokenizer_in_its_command(own: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["tune", "reviews.csv", "-o", "tuned.d2v", "--trials", "1", "--workers", "1", *OWN]) == 0
    assert "--tokenizer own_tokens:letters" in capsys.readouterr().err
    assert "STO" in Doc2VecC.load("tuned.d2v", tokenizer=str.split).vocabulary_
