"""Files and folders that appear complete or not at all; standard output, pipes and devices are written to directly.

What is not complete stands in a scratch folder beside its place. The process that works there holds a lock on the
folder, which ends with the process however that ends. So what a killed run has left is known by its free lock, and
the next run that writes to the same place removes it.
"""

import contextlib
import ctypes
import errno
import os
import re
import shutil
import sys
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager, nullcontext
from pathlib import Path
from typing import BinaryIO

from doc2vecc.errors import OutputError

if sys.platform != "win32":
    import fcntl

SCRATCH_PREFIX, SCRATCH_SUFFIX = ".doc2vecc-", ".tmp"
_SCRATCH_NAME = re.compile(rf"{re.escape(SCRATCH_PREFIX)}\w{{8}}{re.escape(SCRATCH_SUFFIX)}")
_IS_WINDOWS = sys.platform == "win32"  # it has no locks on folders and cannot sync them
_WORKING_FOLDER, _EXCHANGE = -100, 2  # AT_FDCWD and RENAME_EXCHANGE of renameat2
_written: dict[Path, None] = {}  # what this process has put into its place, in order


def written() -> list[Path]:
    """Return what is in its place now, for the message of an interruption; what went with its scratch folder is not."""
    return [path for path in _written if path.exists()]


def forget_written() -> None:
    """Begin anew: what was written before belongs to an earlier command of this process."""
    _written.clear()


def check_target(target: Path, *, force: bool = False) -> None:
    """Raise an OutputError unless a file can be written there; for use before any work is done."""
    if target.is_dir():
        raise OutputError(f"{target} is a folder; name a file to write to")
    if is_stream(target):
        return
    if target.is_file() and not force:
        raise OutputError(f"{target} exists; choose another name, or replace it with --force")
    if not target.parent.is_dir():
        raise _no_folder(target)
    if not os.access(target.parent, os.W_OK | os.X_OK):
        raise OutputError(f"the folder {str(target.parent)!r} cannot be written to; choose another one")
    remove_leftovers(target.parent)


def _no_folder(target: Path) -> OutputError:
    return OutputError(f"there is no folder {str(target.parent)!r} to write {target.name} into; make it first")


def is_stream(target: Path | None) -> bool:
    """Return whether this is standard output (None), a pipe or a device, where there is nothing to rename."""
    return target is None or (target.exists() and not target.is_file())


@contextmanager
def atomic_write(target: Path | None, *, seekable: bool = False) -> Iterator[BinaryIO]:
    """Open a file in a scratch folder beside its place and move it there at the end; an error leaves nothing behind.

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
    with contextlib.ExitStack() as stack:
        try:
            scratch = stack.enter_context(scratch_folder(target.parent)) / target.name
            partial = stack.enter_context(scratch.open("wb"))
        except OSError as error:
            if not target.parent.is_dir():
                raise _no_folder(target) from error
            raise OutputError(f"cannot write {target}: {error.strerror}; choose another place") from error
        yield partial
        partial.close()
        _sync(scratch)
        scratch.replace(target)
        _written[target] = None
        _sync_folder(target.parent)


@contextmanager
def atomic_folder(target: Path) -> Iterator[Path]:
    """Give an empty folder to fill; at the end it takes the place of an older one. An error changes nothing."""
    target.parent.mkdir(parents=True, exist_ok=True)
    with scratch_folder(target.parent) as scratch:
        new = scratch / target.name
        new.mkdir()
        yield new
        replace_folder(new, target)


def replace_folder(new: Path, folder: Path) -> None:
    """Put a complete folder in the place of another one, which may not exist; at any moment one of the two is there.

    Linux exchanges two names at once on most file systems. Elsewhere the old folder is moved out of the way first: a
    process that is killed just then leaves it inside of ``.<name>.replaced-<letters>``, which nothing removes.
    """
    for path in new.rglob("*"):
        _sync_folder(path) if path.is_dir() else _sync(path)
    _sync_folder(new)
    try:
        new.rename(folder)  # succeeds if there is none, or an empty one
    except OSError:
        if not folder.is_dir():
            raise
        if not _exchange(new, folder):
            _replace_in_two_steps(new, folder)
    _written[folder] = None
    _sync_folder(folder.parent)


def remove_folder(folder: Path) -> None:
    """Remove a folder, if there is one; at any moment all of it is there, or nothing."""
    if folder.exists():
        with scratch_folder(folder.parent) as scratch:
            folder.rename(scratch / folder.name)
            _sync_folder(folder.parent)


def _exchange(first: Path, second: Path) -> bool:
    """Exchange two names at once -> False where the system or the file system cannot."""
    if sys.platform != "linux" or not hasattr(libc := ctypes.CDLL(None, use_errno=True), "renameat2"):
        return False
    if libc.renameat2(_WORKING_FOLDER, bytes(first), _WORKING_FOLDER, bytes(second), _EXCHANGE) == 0:
        return True
    code = ctypes.get_errno()
    if code in (errno.EINVAL, errno.ENOSYS, errno.ENOTSUP, errno.EXDEV):
        return False
    raise OSError(code, os.strerror(code), str(second))


def _replace_in_two_steps(new: Path, folder: Path) -> None:
    aside = Path(tempfile.mkdtemp(prefix=f".{folder.name}.replaced-", dir=folder.parent))
    old = aside / folder.name
    try:
        folder.rename(old)
        new.rename(folder)
    except BaseException:
        if old.exists() and not folder.exists():
            old.rename(folder)
        raise
    finally:
        if folder.exists():
            shutil.rmtree(aside, ignore_errors=True)


def _sync(file: Path) -> None:
    """Wait until the content of a file is on the disk."""
    with file.open("rb+") as opened:
        os.fsync(opened)


def _sync_folder(folder: Path) -> None:
    """Wait until the names in a folder are on the disk."""
    if not _IS_WINDOWS:
        with _opened(folder) as number:
            os.fsync(number)


# ---- scratch folders


@contextmanager
def scratch_folder(parent: Path) -> Iterator[Path]:
    """Make a hidden folder of this process, to be removed at the end; those of killed processes are removed now."""
    remove_leftovers(parent)
    with contextlib.ExitStack() as stack:
        while True:
            folder = Path(tempfile.mkdtemp(prefix=SCRATCH_PREFIX, suffix=SCRATCH_SUFFIX, dir=parent))
            stack.callback(shutil.rmtree, folder, ignore_errors=True)
            # A process that removes leftovers may have found the folder before it was locked.
            with contextlib.suppress(FileNotFoundError):
                if not _IS_WINDOWS:
                    lock = stack.enter_context(_opened(folder))
                    with contextlib.suppress(OSError):  # without locks, nobody takes the folder for a leftover either
                        fcntl.flock(lock, fcntl.LOCK_SH)
                if folder.exists():
                    break
        yield folder


def remove_leftovers(parent: Path) -> None:
    """Remove the scratch folders of this user's processes that were killed: nobody holds a lock on them."""
    if _IS_WINDOWS:
        return
    with contextlib.suppress(OSError):
        for name in filter(_SCRATCH_NAME.fullmatch, os.listdir(parent)):  # noqa: PTH208 - a folder may be large
            # In /tmp a folder of that name, or a link, may belong to somebody else.
            with contextlib.suppress(OSError), _opened(parent / name, os.O_NOFOLLOW | os.O_DIRECTORY) as folder:
                if os.fstat(folder).st_uid == os.geteuid():
                    fcntl.flock(folder, fcntl.LOCK_EX | fcntl.LOCK_NB)  # fails while its process lives
                    shutil.rmtree(parent / name, ignore_errors=True)


@contextmanager
def _opened(folder: Path, flags: int = 0) -> Iterator[int]:
    number = os.open(folder, os.O_RDONLY | flags)
    try:
        yield number
    finally:
        os.close(number)
