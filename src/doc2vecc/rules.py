"""What a value must be: each rule raises a ParameterError with the value, the rule and the remedy."""

from __future__ import annotations

import math
from collections.abc import Callable
from numbers import Integral, Real
from typing import Any, get_args

from doc2vecc.errors import ParameterError

Rule = Callable[[str, object], None]  # name and value of a parameter

MAX_NGRAM = 5
MAX_SEED = 2**64 - 1


def require(name: str, value: object, *, low: float, high: float = math.inf, whole: bool = False) -> None:
    """Raise a ParameterError unless ``value`` is a number in [low, high]."""
    kind = "a whole number" if whole else "a number"
    limits = f"of at least {low}" if high == math.inf else f"from {low} to {high}"
    is_number = isinstance(value, Integral if whole else Real)
    if isinstance(value, bool) or not is_number or not low <= value <= high:  # type: ignore[operator]
        raise ParameterError(f"{name}={value!r} does not fit; it must be {kind} {limits}")


def require_choice(name: str, value: object, choices: tuple[str, ...]) -> None:
    """Raise a ParameterError unless ``value`` is one of the choices."""
    if value not in choices:
        raise ParameterError(f"{name}={value!r} is not known; use {' or '.join(map(repr, choices))}")


def whole(low: int = 1, high: float = math.inf) -> Rule:
    """A whole number in [low, high]."""
    return lambda name, value: require(name, value, low=low, high=high, whole=True)


def number(low: float = 0, high: float = 1) -> Rule:
    """A number in [low, high]."""
    return lambda name, value: require(name, value, low=low, high=high)


def choice(kind: Any) -> Rule:  # noqa: ANN401 - a Literal
    """One of the values of a Literal."""
    return lambda name, value: require_choice(name, value, get_args(kind))


def flag(name: str, value: object) -> None:
    """True or False."""
    if not isinstance(value, bool):
        raise ParameterError(f"{name}={value!r} does not fit; it must be True or False")


def tokenizer(name: str, value: object) -> None:
    """A function."""
    if not callable(value):
        raise ParameterError(f"{name}={value!r} does not fit; it must be callable: str -> list[str]")


def ngram_range(name: str, value: object) -> None:
    """(1, n)."""
    is_pair = isinstance(value, tuple | list) and len(value) == 2
    is_whole = is_pair and all(isinstance(n, Integral) and not isinstance(n, bool) for n in value)  # type: ignore[attr-defined]
    if not is_whole or not 1 == value[0] <= value[1] <= MAX_NGRAM:  # type: ignore[index]
        raise ParameterError(
            f"{name}={value!r} does not fit; it must be (1, n) with n from 1 to {MAX_NGRAM}, like (1, 2)"
        )


def column(name: str, value: object) -> None:
    """The name of a column."""
    if not isinstance(value, str):
        raise ParameterError(f"{name}={value!r} does not fit; it must be the name of a column")


def seed(name: str, value: object) -> None:
    """A seed, or a RandomState to draw one from."""
    if type(value).__name__ != "RandomState":  # NumPy's, which is not imported for this
        require(name, value, low=0, high=MAX_SEED, whole=True)
