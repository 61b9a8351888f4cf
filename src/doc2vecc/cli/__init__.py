"""The command line: parsing and printing; the work is done by the modules that the commands call.

Results go to stdout, messages to stderr. A user's mistake is one line and exit code 2, never a traceback.
"""

import sys
from collections.abc import Sequence

__all__ = ["main"]


def main(arguments: Sequence[str] | None = None) -> int:
    """Run one command -> exit code."""
    try:  # Ctrl-C can also come during the imports, which take a moment.
        from doc2vecc.cli.app import run

        return run(sys.argv[1:] if arguments is None else arguments)
    except KeyboardInterrupt as interruption:
        sys.stderr.write(f"interrupted; {str(interruption) or 'nothing was written'}\n")
        return 130
