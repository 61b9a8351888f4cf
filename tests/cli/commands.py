"""What the tests of the commands share: texts, quick settings, and how a mistake must look."""

import random
from pathlib import Path

import pytest

from doc2vecc.cli import main

TOPICS = {
    "film": "the actor and the actors have a good and great moving story of a man and a woman",
    "food": "the soup was cold and the waiter brought bread with too much salt",
    "code": "the parser reads a file and gives a list of tokens to the compiler",
}
FAST = ["--vector-size", "16", "--epochs", "2", "--workers", "2"]


def sentences(number: int) -> list[tuple[str, str]]:
    """Draw (topic, text) pairs, the same ones every time."""
    draw = random.Random(0)
    topics = draw.choices(list(TOPICS), k=number)
    return [(topic, " ".join(draw.choices(TOPICS[topic].split(), k=12))) for topic in topics]


def refused(capsys: pytest.CaptureFixture[str], *arguments: str) -> str:
    """Run a command that must fail as a user's mistake, and return its only line."""
    before = sorted(Path().rglob("*"))
    assert main(arguments) == 2
    out, err = capsys.readouterr()
    assert out == ""
    assert err.startswith("error: ")
    assert err.count("\n") == 1
    assert err.endswith("\n")
    assert sorted(Path().rglob("*")) == before
    return err
