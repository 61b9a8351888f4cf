"""Libraries that only some experiments need, and the remedy if they are absent."""

from __future__ import annotations

from importlib.util import find_spec

from doc2vecc.corpus.sources import InputError


class MissingExtraError(InputError):
    """A library that is not installed: one line with what to install."""


def require_extra(module: str, extra: str) -> None:
    """Raise unless a module of the optional dependencies ``extra`` is there, before any work is done in vain.

    >>> require_extra("no_such_library", "paper")
    Traceback (most recent call last):
    doc2vecc.paper.extras.MissingExtraError: no_such_library is not installed; pip install 'doc2vecc[paper]'
    """
    if not is_installed(module):
        raise MissingExtraError(f"{module} is not installed; {remedy(extra)}")


def is_installed(module: str) -> bool:
    """Tell whether a module is there, without importing it."""
    return find_spec(module) is not None


def remedy(extra: str) -> str:
    """Say how to install the optional dependencies called ``extra``."""
    return f"pip install 'doc2vecc[{extra}]'"
