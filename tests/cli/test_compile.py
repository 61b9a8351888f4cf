"""``doc2vecc compile`` in a process of its own: nothing is compiled after it."""

import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

from doc2vecc.console import COMPILING
from tests.cli.commands import sentences

pytestmark = [
    pytest.mark.slow,
    pytest.mark.skipif("NUMBA_DISABLE_JIT" in os.environ, reason="nothing is compiled without the compiler"),
]


def run(folder: Path, *arguments: str) -> str:
    """Run a command with the cache in a folder -> what it says."""
    variables = {**os.environ, "DOC2VECC_CACHE_DIR": str(folder / "cache")}
    command = [sys.executable, "-m", "doc2vecc", *arguments]
    result = subprocess.run(command, env=variables, cwd=folder, capture_output=True, text=True, check=False)
    assert result.returncode == 0, result.stderr
    return result.stderr


def test_nothing_is_compiled_after_it(tmp_path: Path) -> None:
    (tmp_path / "texts.txt").write_text("".join(f"{text}\n" for _, text in sentences(200)))
    said = run(tmp_path, "compile")
    (folder,) = (tmp_path / "cache").iterdir()
    kernels = sorted(folder.iterdir())
    summary = rf"{len(kernels)} kernels in {re.escape(str(folder))}; took .* computing"
    assert re.fullmatch(rf"{COMPILING}\n{summary}\n", said)  # the command calls fit and transform, which tell it
    for number, options in enumerate([[], ["--architecture", "skipgram"], ["--ngram-range", "1", "2"], ["--binary"]]):
        quick = ["--epochs", "1", "--min-count", "1", "--ngram-min-count", "2", *options]
        assert COMPILING not in run(tmp_path, "train", "texts.txt", "-o", f"{number}.d2v", *quick)
        assert COMPILING not in run(tmp_path, "embed", f"{number}.d2v", "texts.txt", "-o", f"{number}.npy")
    assert sorted(folder.iterdir()) == kernels
