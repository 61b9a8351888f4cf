"""Files that appear complete or not at all; standard output, pipes and devices are written to directly."""

import os
import shutil
import sys
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager, nullcontext
from pathlib import Path
from typing import BinaryIO

from doc2vecc.errors import OutputError


def check_target(target: Path, *, force: bool = False) -> None:
    """Raise an OutputError unless a file can be written there; for use before any work is done."""
    if target.is_dir():
        raise OutputError(f"{target} is a folder; name a file to write to")
    if is_stream(target):
        return
    if target.is_file() and not force:
        raise OutputError(f"{target} exists; choose another name, or replace it with --force")
    if not target.parent.is_dir():
        raise OutputError(f"there is no folder {str(target.parent)!r} to write {target.name} into; make it first")
    if not os.access(target.parent, os.W_OK | os.X_OK):
        raise OutputError(f"the folder {str(target.parent)!r} cannot be written to; choose another one")


def is_stream(target: Path | None) -> bool:
    """Return whether this is standard output (None), a pipe or a device, where there is nothing to rename."""
    return target is None or (target.exists() and not target.is_file())


@contextmanager
def atomic_write(target: Path | None, *, seekable: bool = False) -> Iterator[BinaryIO]:
    """Open a file under a temporary name beside its place and rename it at the end; an error leaves nothing behind.

    None is standard output. A ``seekable`` file can be written out of order; for a stream it is collected first.
    """
    if target is None or is_stream(target):
        with target.open("wb") if target else nullcontext(sys.stdout.buffer) as stream:
            if seekable:
                with tempfile.TemporaryFile(prefix="doc2vecc-") as file:
                    yield file
                    file.seek(0)
                    shutil.copyfileobj(file, stream)
            else:
                yield stream
            stream.flush()
        return
    # Not tempfile: its files are readable by their owner alone, also after the renaming.
    scratch = target.with_name(f".{target.name}.{os.getpid()}.partial")
    try:
        partial = scratch.open("wb")
    except OSError as error:
        raise OutputError(f"cannot write {target}: {error.strerror}; choose another place") from error
    try:
        with partial:
            yield partial
        scratch.replace(target)
    finally:
        scratch.unlink(missing_ok=True)
