"""Libraries that only some experiments need, and the remedy if they are absent."""

from __future__ import annotations

from importlib.util import find_spec


def is_installed(module: str) -> bool:
    """Tell whether a module is there, without importing it."""
    return find_spec(module) is not None


def remedy(extra: str) -> str:
    """Say how to install the optional dependencies called ``extra``."""
    return f"pip install 'doc2vecc[{extra}]'"
