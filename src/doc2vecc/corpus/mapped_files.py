"""The files behind an encoded corpus: written once, then mapped into memory, larger than it if need be."""

from __future__ import annotations

import mmap
import os
import shutil
import tempfile
import weakref
from collections.abc import Iterator
from pathlib import Path
from typing import cast

import numpy as np
import numpy.typing as npt

Ids = npt.NDArray[np.int32]

IN_MEMORY = 16_000_000  # bytes of a spool that need no file


class Spool:
    """Arrays of ids that wait for their turn: the first ones in memory, the others in a file."""

    def __init__(self, path: Path) -> None:
        self._path = path
        self._in_memory: list[Ids] = []
        self._room = IN_MEMORY
        self._sizes: list[int] = []  # of the arrays in the file

    def append(self, ids: Ids) -> None:
        """Take in another array, to be kept as it is."""
        self._room -= ids.nbytes
        if self._room >= 0:
            self._in_memory.append(ids)
            return
        with self._path.open("ab") as file:
            file.write(ids.data)
        self._sizes.append(len(ids))

    def __iter__(self) -> Iterator[Ids]:
        """Return the arrays in order; as often as one likes."""
        yield from self._in_memory
        if self._sizes:
            with self._path.open("rb") as file:
                for size in self._sizes:
                    yield np.fromfile(file, np.int32, size)

    def clear(self) -> None:
        """Forget everything, and remove the file."""
        self._in_memory, self._sizes, self._room = [], [], IN_MEMORY
        self._path.unlink(missing_ok=True)


class MappedFiles:
    """The files of a corpus in a folder of their own, which goes away at the latest with this object."""

    def __init__(self) -> None:
        folder = Path(tempfile.mkdtemp(prefix="doc2vecc-"))
        self._remove_folder = weakref.finalize(self, shutil.rmtree, folder, ignore_errors=True)
        self.ids_path, self.offsets_path = folder / "ids", folder / "offsets"
        self.numbered, self.words = Spool(folder / "numbered"), Spool(folder / "words")
        self._ids_mapping: mmap.mmap | None = None

    def map(self) -> tuple[npt.NDArray[np.int32], npt.NDArray[np.int64]]:
        """Map the finished files and remove their folder: mapped files live on until nobody needs them."""
        self._ids_mapping = _map(self.ids_path)
        ids = np.empty(0, np.int32) if self._ids_mapping is None else np.frombuffer(self._ids_mapping, np.int32)
        offsets = np.frombuffer(cast(mmap.mmap, _map(self.offsets_path)), np.int64)
        if os.name == "posix":
            self._remove_folder()
        return ids, offsets

    def release(self) -> None:
        """Drop the pages of the ids from memory; they stay in the file."""
        if self._ids_mapping is not None and hasattr(mmap, "MADV_DONTNEED"):
            self._ids_mapping.madvise(mmap.MADV_DONTNEED)


def _map(path: Path) -> mmap.mmap | None:
    """Map a file, unless it is empty, which cannot be mapped."""
    if path.stat().st_size == 0:
        return None
    # A private mapping counts as writable, so that kernels see the same kind of array as for data in memory.
    with path.open("rb") as file:
        return mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_COPY)
