"""What is published: one version, a conda recipe that agrees with pyproject.toml, a small wheel of Python only."""

import re
import subprocess
import sys
import tomllib
import zipfile
from pathlib import Path

import pytest

from doc2vecc import __version__

ROOT = Path(__file__).parents[1]
RECIPE = (ROOT / "packaging" / "conda" / "meta.yaml").read_text("utf-8")
LARGEST_WHEEL = 1_000_000


def test_the_conda_recipe_has_the_version_and_the_requirements():
    project = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["project"]
    run = RECIPE.split("  run:\n")[1].split("\n\n")[0]
    wanted = {re.sub(r"\s", "", line.removeprefix("    - ")) for line in run.splitlines()}
    assert wanted == {*project["dependencies"], f"python{project['requires-python']}"}
    assert f'version: "{__version__}"' in RECIPE


@pytest.mark.slow
def test_the_wheel_is_small_and_holds_no_compiled_code(tmp_path):
    pytest.importorskip("hatchling", reason="builds the wheel")
    build = "import hatchling.build, sys; print(hatchling.build.build_wheel(sys.argv[1]))"
    done = subprocess.run([sys.executable, "-c", build, tmp_path], cwd=ROOT, capture_output=True, text=True, check=True)
    wheel = tmp_path / done.stdout.split()[-1]
    assert wheel.name == f"doc2vecc-{__version__}-py3-none-any.whl"
    assert wheel.stat().st_size < LARGEST_WHEEL
    kinds = {Path(name).suffix for name in zipfile.ZipFile(wheel).namelist()}
    assert not kinds & {".so", ".pyd", ".dll", ".dylib", ".c", ".pyx"}
