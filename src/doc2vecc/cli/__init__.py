"""The command line: parsing and printing; the work is done by the modules that the commands call.

Results go to stdout, messages to stderr. A user's mistake is one line and exit code 2, never a traceback.
"""

import contextlib
import os
import signal
import sys
import threading
from collections.abc import Iterator, Sequence
from types import FrameType
from typing import NoReturn

__all__ = ["main", "run_process"]

TERMINATING = [getattr(signal, name) for name in ("SIGTERM", "SIGHUP") if hasattr(signal, name)]


class Terminated(KeyboardInterrupt):
    """Another process, or a terminal that was closed, asked this one to end."""

    def __init__(self, number: int) -> None:
        super().__init__()
        self.number = number


def run_process() -> NoReturn:
    """Run the command of this process and end the process."""
    code = main()
    from doc2vecc.kernels.base.compile import COMPILING_THREAD

    if any(thread.name == COMPILING_THREAD for thread in threading.enumerate()):
        # Interrupted while compiling: all is tidied up, and nobody needs the rest of that work.
        for stream in (sys.stdout, sys.stderr):
            with contextlib.suppress(OSError, ValueError):
                stream.flush()
        os._exit(code)
    sys.exit(code)


def main(arguments: Sequence[str] | None = None) -> int:
    """Run one command -> exit code."""
    if files := sys.modules.get("doc2vecc.files"):  # not the first command of this process
        files.forget_written()
    with _terminating_like_ctrl_c():
        try:  # Ctrl-C can also come during the imports, which take a moment.
            from doc2vecc.cli.app import run

            return run(sys.argv[1:] if arguments is None else arguments)
        except KeyboardInterrupt as interruption:
            with contextlib.suppress(OSError):  # the terminal may be gone
                sys.stderr.write(f"interrupted; {str(interruption) or _what_is_left()}\n")
            return 128 + (interruption.number if isinstance(interruption, Terminated) else signal.SIGINT)


def _what_is_left() -> str:
    """Say what an interrupted command has written: all of a file or folder, or nothing of it."""
    files = sys.modules.get("doc2vecc.files")  # nothing is imported after an interruption
    written = [] if files is None else [str(path) for path in files.written()]  # `map` is a command of ours
    return f"already written: {', '.join(written)}" if written else "nothing was written"


@contextlib.contextmanager
def _terminating_like_ctrl_c() -> Iterator[None]:
    """Let SIGTERM (timeout, docker stop) and SIGHUP raise an exception, so that temporary files are removed."""

    def terminate(number: int, _frame: FrameType | None) -> None:
        for one in TERMINATING:  # `timeout` sends its signal twice, and the second must not disturb the tidying up
            signal.signal(one, signal.SIG_IGN)
        raise Terminated(number)

    before = {}
    with contextlib.suppress(ValueError):  # not the main thread, so signals are not ours
        # What is ignored stays so: nohup.
        before = {one: signal.signal(one, terminate) for one in TERMINATING if signal.getsignal(one) == signal.SIG_DFL}
    try:
        yield
    finally:
        for one, handler in before.items():
            signal.signal(one, handler)
