"""Compiled loops: arrays and scalars in, arrays out. Nothing here knows the package's classes."""

from __future__ import annotations

import contextlib
from pathlib import Path


def _forget_stale_kernels(folder: Path) -> None:
    """Remove compiled kernels when any source file of this folder has changed.

    Numba notices a change only in the file of the function that it compiled, not in the files of the functions
    that were inlined into it.
    """
    stamp = "\n".join(f"{path.name} {path.stat().st_mtime_ns}" for path in sorted(folder.rglob("*.py")))
    cache = folder / "__pycache__"
    stamp_file = cache / "kernels.stamp"
    with contextlib.suppress(OSError):  # where the folder cannot be written, Numba keeps its cache elsewhere
        if stamp_file.exists() and stamp_file.read_text() == stamp:
            return
        for compiled in [*folder.rglob("*.nbi"), *folder.rglob("*.nbc")]:
            compiled.unlink(missing_ok=True)
        cache.mkdir(exist_ok=True)
        stamp_file.write_text(stamp)


_forget_stale_kernels(Path(__file__).parent)
