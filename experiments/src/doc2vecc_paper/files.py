"""Files that appear complete or not at all."""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import BinaryIO


@contextmanager
def atomic_write(target: Path) -> Iterator[BinaryIO]:
    """Open a temporary file beside the target, and rename it to the target at the end of the block.

    If the block fails, the target is as before.
    """
    # Not tempfile: its files can be read by their owner only, and would stay so after the renaming.
    scratch = target.with_name(f".{target.name}.{os.getpid()}.partial")
    try:
        with scratch.open("wb") as file:
            yield file
        scratch.replace(target)
    finally:
        scratch.unlink(missing_ok=True)
