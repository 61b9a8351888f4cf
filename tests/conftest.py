"""Fast tests first: those marked slow run at the end. Libraries of arrays use one thread."""

import os
import signal

import pytest

# There is a test process for each core. Threads that wait for each other actively take the time of the others: before,
# a decomposition of a small matrix took five times as long. NumPy is not imported yet; child processes inherit this.
os.environ |= {"OPENBLAS_NUM_THREADS": "1", "OMP_NUM_THREADS": "1", "OMP_WAIT_POLICY": "PASSIVE"}
# A shell starts what runs in the background with these signals ignored, and children would ignore them too.
for name in ("SIGINT", "SIGQUIT", "SIGHUP"):
    number = getattr(signal, name, None)  # Windows has only the first
    if number is not None and signal.getsignal(number) is signal.SIG_IGN:
        signal.signal(number, signal.default_int_handler if name == "SIGINT" else signal.SIG_DFL)
# Else Numba starts colorama, which writes to the streams of a test process after they are closed.
os.environ["NUMBA_DISABLE_ERROR_MESSAGE_HIGHLIGHTING"] = "1"


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    items.sort(key=lambda item: item.get_closest_marker("slow") is not None)
