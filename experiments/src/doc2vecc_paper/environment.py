"""What a value was measured with: machine and versions; and which optional libraries are installed."""

from __future__ import annotations

import os
import platform
from importlib.metadata import PackageNotFoundError, version
from importlib.util import find_spec
from pathlib import Path

from doc2vecc import __version__

LIBRARIES = (
    "numpy", "numba", "pyarrow", "scikit-learn", "scipy", "openTSNE", "torch", "sentence-transformers", "gensim",
    "fasttext-wheel", "model2vec",
)  # fmt: skip


def versions() -> dict[str, str]:
    """Return the versions of Python, of doc2vecc and of those libraries that are installed."""
    found = {"python": platform.python_version(), "doc2vecc": __version__}
    for library in LIBRARIES:
        try:
            found[library] = version(library)
        except PackageNotFoundError:
            continue
    return found


def machine() -> dict[str, str | int | float]:
    """Return processor, cores, memory and system; no name of a host or a user."""
    found: dict[str, str | int | float] = {"processor": _processor(), "cores": os.cpu_count() or 1}
    if hasattr(os, "sysconf"):  # not on Windows
        found["memory_gib"] = round(os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES") / 2**30, 1)
    return {**found, "system": platform.platform(terse=True)}


def _processor() -> str:
    """Return the name of the processor; Linux has it in a file, other systems in ``platform``."""
    try:
        lines = Path("/proc/cpuinfo").read_text("utf-8").splitlines()
    except OSError:
        lines = []
    named = (line.partition(":")[2].strip() for line in lines if line.startswith("model name"))
    return next(named, platform.processor() or platform.machine())


def is_installed(module: str) -> bool:
    """Tell whether a module is installed, without importing it."""
    return find_spec(module) is not None


def remedy(extra: str) -> str:
    """Say how to install the optional dependencies called ``extra``."""
    return f"pip install './experiments[{extra}]'"
