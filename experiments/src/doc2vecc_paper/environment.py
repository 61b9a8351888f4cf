"""What a figure was measured with: the versions of the libraries, and the machine."""

from __future__ import annotations

import os
import platform
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path

from doc2vecc import __version__

LIBRARIES = (
    "numpy", "numba", "pyarrow", "scikit-learn", "scipy", "openTSNE", "torch", "sentence-transformers",
)  # fmt: skip


def versions() -> dict[str, str]:
    """Return the versions of Python, of this package and of those libraries that are installed."""
    found = {"python": platform.python_version(), "doc2vecc": __version__}
    for library in LIBRARIES:
        try:
            found[library] = version(library)
        except PackageNotFoundError:
            continue
    return found


def machine() -> dict[str, str | int]:
    """Return the processor, its cores and the system; no name of a host or a user."""
    return {
        "processor": _processor(),
        "cores": os.cpu_count() or 1,
        "system": platform.platform(terse=True),
    }


def _processor() -> str:
    """Return what the processor is called; Linux tells it in a file, other systems through ``platform``."""
    try:
        lines = Path("/proc/cpuinfo").read_text("utf-8").splitlines()
    except OSError:
        lines = []
    named = (line.partition(":")[2].strip() for line in lines if line.startswith("model name"))
    return next(named, platform.processor() or platform.machine())
