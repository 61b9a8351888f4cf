"""The rules that values of parameters keep, and how a parameter is described; config.py checks them."""

import math
from collections.abc import Iterator
from dataclasses import MISSING, fields
from typing import Annotated, Any, Literal, NamedTuple, TypeVar, get_origin, get_type_hints

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
COLUMNS = "the name of a column, or a list of names"
PATTERN = "a regular expression"
STOP_WORDS = "a list of words, or 'english'"
DELIMITER = "one ASCII character, not a quote or a line break"
NGRAM_RANGE = f"(1, n) with n from 1 to {MAX_NGRAM}, like (1, 2)"
Rule = Number | Whole | WholeOrAuto | Choice | str
Group = Literal["vectors", "training", "advanced", "input"]
Kind = TypeVar("Kind")


class Setting(NamedTuple):
    """What is said and checked about a parameter; its name, type and default are those of its field."""

    group: Group
    rule: Rule
    text: str  # what it is, in one sentence, which is the help on the command line; then when to change it
    default: str = ""  # what None stands for

    @property
    def help(self) -> str:
        """The first sentence."""
        return self.text.split(". ")[0].rstrip(".") + "."


class Parameter(NamedTuple):
    """A parameter with everything that is known about it."""

    name: str
    kind: Any
    default: Any
    setting: Setting


def without_types(cls: type[Kind]) -> type[Kind]:
    """Take the types out of the signature of a class, as in scikit-learn: with them, help() would show every rule."""
    cls.__init__.__annotations__ = {}
    return cls


def parameters_of(cls: type) -> Iterator[Parameter]:
    """Go through the described parameters of a class, in their order."""
    hints = get_type_hints(cls, include_extras=True)
    for one in fields(cls):
        kind = hints[one.name]
        if get_origin(kind) is Annotated:
            default = None if one.default is MISSING else one.default
            yield Parameter(one.name, kind.__origin__, default, kind.__metadata__[0])
