"""The rules that values of parameters keep; config.py checks them."""

import math
from typing import NamedTuple

MAX_NGRAM = 5
MAX_SEED = 2**64 - 1


class Number(NamedTuple):
    """A number in [low, high]."""

    low: float = 0
    high: float = 1


class Whole(NamedTuple):
    """A whole number in [low, high]."""

    low: int = 1
    high: float = math.inf


class WholeOrAuto(NamedTuple):
    """A whole number in [1, high], or "auto"."""

    high: int = 1_000_000


class Choice(NamedTuple):
    """One of these strings."""

    choices: tuple[str, ...]


FLAG = "True or False"
FUNCTION = "callable: str -> list[str]"
COLUMN = "the name of a column"
DELIMITER = "one ASCII character, not a quote or a line break"
NGRAM_RANGE = f"(1, n) with n from 1 to {MAX_NGRAM}, like (1, 2)"
Rule = Number | Whole | WholeOrAuto | Choice | str
