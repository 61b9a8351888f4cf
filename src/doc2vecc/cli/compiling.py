"""Tell the user why the very first run is slow: Numba compiles the kernels, and keeps what it has compiled."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

from doc2vecc.console import say

MESSAGE = "compiling for this machine, once; about half a minute"


@contextmanager
def notify_on_compile() -> Iterator[None]:
    """Say once that there is something to compile, if there is; a kernel that comes from the cache is silent."""
    from numba.core import event

    class Teller(event.Listener):  # type: ignore[misc]
        has_told = False

        def on_start(self, _event: event.Event) -> None:
            if not self.has_told:
                self.has_told = True
                say(MESSAGE)

        def on_end(self, _event: event.Event) -> None:
            pass

    with event.install_listener("numba:compile", Teller()):
        yield
