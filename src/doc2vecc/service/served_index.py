"""The index of the service: searched by all workers, changed by one at a time.

A change writes a new folder in the place of the old one. Other workers see that before their next search and load it.
"""

import contextlib
import threading
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any

from doc2vecc.errors import Doc2VecCError
from doc2vecc.search import SearchIndex
from doc2vecc.search.folder import DESCRIPTION_FILE
from doc2vecc.service.corpus_map import CorpusMap, make_map

_DRAWING = threading.Lock()  # one map at a time: it takes all cores for seconds

Stamp = tuple[int, int]


@dataclass(frozen=True)
class Snapshot:
    """One state of the index; it stays as it is while others change the folder."""

    index: SearchIndex
    stamp: Stamp

    def map(self) -> CorpusMap:
        """Return the map of the documents; it is drawn when it is first wanted."""
        with _DRAWING:
            return self._map

    @cached_property
    def _map(self) -> CorpusMap:
        return make_map(self.index.model, self.index.vectors(), self.index.coordinates())


class ServedIndex:
    """The current snapshot, and the way to the next one."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._changing = threading.Lock()
        self._snapshot = self._load()

    def current(self) -> Snapshot:
        """Return the newest snapshot; one caller loads a folder that was changed, the others do not wait."""
        if self._stamp() != self._snapshot.stamp and self._changing.acquire(blocking=False):
            try:
                # A folder that is being replaced, or damaged, is tried again at the next search.
                with contextlib.suppress(Doc2VecCError, OSError):
                    self._snapshot = self._load()
            finally:
                self._changing.release()
        return self._snapshot

    def change(self, change: Callable[[SearchIndex], Any]) -> Any:  # noqa: ANN401
        """Change the documents; searches go on in the old state meanwhile."""
        with self._changing, self._locked():
            stamp = self._stamp()
            index = SearchIndex.load(self._folder)  # a searched one must not change
            result = change(index)
            if stamp != self._stamp():
                self._snapshot = Snapshot(index, self._required_stamp())
        return result

    def _load(self) -> Snapshot:
        stamp = self._stamp()
        index = SearchIndex.load(self._folder)
        return Snapshot(index, stamp or (0, 0))

    def _stamp(self) -> Stamp | None:
        try:
            status = (self._folder / DESCRIPTION_FILE).stat()
        except OSError:
            return None
        return status.st_ino, status.st_mtime_ns

    def _required_stamp(self) -> Stamp:
        return self._stamp() or (0, 0)

    @contextlib.contextmanager
    def _locked(self) -> Iterator[None]:
        """Keep the other processes of this machine from changing the index."""
        try:
            import fcntl
        except ImportError:  # Windows, where a service has one process
            yield
            return
        place = self._folder.resolve()
        with place.with_name(f".{place.name}.lock").open("w") as file:
            fcntl.flock(file, fcntl.LOCK_EX)
            yield
