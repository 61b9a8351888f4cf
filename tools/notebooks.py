"""Run the notebooks of examples/ and store what they show: ``make notebooks``."""

import asyncio
import sys
import tempfile
from pathlib import Path
from typing import Any

import nbformat
from nbclient import NotebookClient

EXAMPLES = Path(__file__).parent.parent / "examples"
SECONDS_PER_CELL = 600  # the machine may be busy


def run(path: Path, folder: Path) -> Any:  # noqa: ANN401 - a node of nbformat
    """Run a notebook with this interpreter's kernel in a folder -> the notebook with its outputs."""
    notebook = nbformat.read(path, as_version=4)
    client = NotebookClient(
        notebook, timeout=SECONDS_PER_CELL, resources={"metadata": {"path": str(folder)}}, record_timing=False
    )
    asyncio.run(client.async_execute())  # unlike execute(), this closes its event loop
    notebook.metadata["language_info"] = {"name": "python"}  # not the version of the interpreter
    return notebook


def main() -> None:
    """Run the notebooks named on the command line, or all, and write them with their outputs."""
    for path in map(Path, sys.argv[1:]) if sys.argv[1:] else sorted(EXAMPLES.glob("*.ipynb")):
        with tempfile.TemporaryDirectory() as folder:
            nbformat.write(run(path, Path(folder)), path)


if __name__ == "__main__":
    main()
