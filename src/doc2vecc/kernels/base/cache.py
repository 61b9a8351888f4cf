"""Where compiled kernels are kept between runs: one folder of our own, outside the package.

The folder is named by a hash of the kernel sources, the versions of the compiler and the processor, so stale code
is never found, and nothing has to be deleted. It stands in the user's cache folder, or in ``DOC2VECC_CACHE_DIR``;
in an image it may be filled in advance and read-only. Where it cannot be written, a folder in the temporary
directory that is private to the user takes its place; without that, kernels are compiled in every run. A damaged
file is removed and compiled again.
"""

import contextlib
import hashlib
import os
import secrets
import stat
import sys
import tempfile
from collections.abc import Callable, Iterator
from functools import cache
from pathlib import Path
from typing import TypeVar

import platformdirs

CACHE_VARIABLE = "DOC2VECC_CACHE_DIR"

_SOURCES = Path(__file__).parents[1]
_DIGEST_SIZE = hashlib.sha256().digest_size

Code = TypeVar("Code")
_REMEDY = f"set {CACHE_VARIABLE} to a folder that can be written"
_notes: set[str] = set()


def folder_name(*versions: str) -> str | None:
    """Name the folder for these versions of compiler and processor; None where the sources cannot be read."""
    digest = hashlib.sha256(repr((sys.implementation.cache_tag, versions)).encode())
    try:
        sources = sorted(_SOURCES.rglob("*.py"))
        for path in sources:
            digest.update(f"{path.relative_to(_SOURCES).as_posix()}\0".encode() + path.read_bytes())
    except OSError:
        return None
    return f"kernels-{digest.hexdigest()[:16]}" if sources else None


@cache
def source_hash(path: str) -> str | None:
    """Hash the file that a function stands in; None for one without a file, as at a prompt."""
    try:
        return hashlib.sha256(Path(path).read_bytes()).hexdigest()
    except OSError:
        return None


def load(folder: str, name: str, rebuild: Callable[[bytes], Code]) -> Code | None:
    """Return the code that was saved under a name, or None; a damaged file is removed."""
    for parent in _folders():
        path = parent / folder / name
        try:
            data = path.read_bytes()
        except OSError:
            continue
        content = data[_DIGEST_SIZE:]
        try:
            if hashlib.sha256(content).digest() == data[:_DIGEST_SIZE]:
                return rebuild(content)
        except Exception:  # noqa: BLE001, S110 - whatever is wrong with a saved kernel, it can be compiled again
            pass
        with contextlib.suppress(OSError):
            path.unlink()
    return None


def find(folder: str) -> Path | None:
    """Return where a folder of compiled code is, or None."""
    return next((parent / folder for parent in _folders() if (parent / folder).is_dir()), None)


def save(folder: str, name: str, content: bytes) -> Path | None:
    """Save code under a name in the first folder that can be written -> the file, or None if there is none."""
    data = hashlib.sha256(content).digest() + content
    for number, parent in enumerate(_folders(create=True)):
        path = parent / folder / name
        with contextlib.suppress(OSError):
            path.parent.mkdir(parents=True, exist_ok=True)
            _write_atomically(path, data)
            if number > 0:
                _notes.add(f"compiled code is kept in {parent}, since the cache folder cannot be written; {_REMEDY}")
            return path
    _notes.add(f"compiled code cannot be kept, so that every run compiles it again; {_REMEDY}")
    return None


def notes() -> list[str]:
    """Say what was not as it should be when code was saved by this process, if anything."""
    return sorted(_notes)


def _write_atomically(path: Path, data: bytes) -> None:
    """Write a file that other processes see whole or not at all; readable by others if the umask allows it."""
    unfinished = path.with_name(f"{path.name}.{secrets.token_hex(8)}")
    try:
        unfinished.write_bytes(data)
        unfinished.replace(path)
    except OSError:
        unfinished.unlink(missing_ok=True)
        raise


def _folders(*, create: bool = False) -> Iterator[Path]:
    """Yield the folders to keep compiled code in, the preferred one first."""
    chosen = os.environ.get(CACHE_VARIABLE)
    preferred = Path(chosen).absolute() if chosen else platformdirs.user_cache_path("doc2vecc", appauthor=False)
    if preferred.is_absolute():  # not so for a user without a home
        yield preferred
    with contextlib.suppress(OSError):
        user = os.getuid() if hasattr(os, "getuid") else "user"
        temporary = Path(tempfile.gettempdir()) / f"doc2vecc-cache-{user}"
        if create:
            temporary.mkdir(mode=0o700, exist_ok=True)
        if _is_private(temporary):
            yield temporary


def _is_private(folder: Path) -> bool:
    """Tell whether a folder belongs to this user alone: code that someone else put there must not run."""
    status = folder.lstat()
    if not hasattr(os, "getuid"):  # Windows: the temporary directory is the user's own
        return stat.S_ISDIR(status.st_mode)
    return stat.S_ISDIR(status.st_mode) and status.st_uid == os.getuid() and not status.st_mode & 0o077
