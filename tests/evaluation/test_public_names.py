"""The public names of the package, and what importing them costs."""

import subprocess
import sys

from doc2vecc import evaluation


def test_all_names_exist_and_need_no_numba():
    assert all(hasattr(evaluation, name) for name in evaluation.__all__)
    code = "import sys; from doc2vecc.evaluation import *; sys.exit('numba' in sys.modules)"
    assert subprocess.run([sys.executable, "-c", code], timeout=60).returncode == 0
