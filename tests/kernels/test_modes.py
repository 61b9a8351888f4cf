"""Kernels with checked indices and as plain Python, in processes of their own; `make test-bounds` runs all tests so."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
CHOSEN = [
    "tests/kernels/base/test_instructions.py",
    "tests/kernels/base/test_rows.py",
    "tests/kernels/base/test_sampling.py",
]


@pytest.mark.slow
@pytest.mark.parametrize("mode", ["NUMBA_BOUNDSCHECK", "NUMBA_DISABLE_JIT"])
def test_kernels_in_another_mode(mode: str) -> None:
    if os.environ.get(mode):
        pytest.skip("it is the mode of this process")
    command = [sys.executable, "-m", "pytest", "-n", "0", "-q", "-p", "no:cacheprovider", *CHOSEN]
    done = subprocess.run(command, cwd=ROOT, env={**os.environ, mode: "1"}, capture_output=True, text=True)
    assert done.returncode == 0, done.stdout[-2000:]
    assert " passed" in done.stdout
