"""Print which modules of the package are called by fit and by transform, for ARCHITECTURE.md."""

import sys
import tempfile
import threading
import warnings
from collections.abc import Callable
from pathlib import Path
from types import FrameType
from typing import Any

import doc2vecc
from doc2vecc import Doc2VecC

ROOT = Path(doc2vecc.__file__).parent
DECORATORS = ROOT / "kernels" / "base" / "compile.py"  # every kernel is called through them


def touched(work: Callable[[], object]) -> list[str]:
    """Return the modules that have a function that is called, in the order of their first call."""
    found: dict[str, None] = {}

    def profile(frame: FrameType, event: str, _argument: Any) -> None:  # noqa: ANN401
        path = Path(frame.f_code.co_filename)
        if event == "call" and path.is_relative_to(ROOT) and path != DECORATORS:
            found.setdefault(path.relative_to(ROOT).as_posix())

    threading.setprofile(profile)
    sys.setprofile(profile)
    try:
        work()
    finally:
        sys.setprofile(None)
        threading.setprofile(None)  # type: ignore[arg-type]
    return list(found)


def traces() -> tuple[list[str], list[str]]:
    """Return the modules of fit on a csv file, and of transform on a list, with compiled kernels."""
    with tempfile.TemporaryDirectory() as folder, warnings.catch_warnings():
        warnings.simplefilter("ignore")
        path = Path(folder) / "texts.csv"
        path.write_text("id,text\n" + "".join(f"{number},the cat sat on the mat\n" for number in range(200)))
        Doc2VecC().fit(path).transform(["a cat"])
        model = Doc2VecC()
        return touched(lambda: model.fit(path)), touched(lambda: model.transform(["a cat"]))


if __name__ == "__main__":
    for name, modules in zip(("fit", "transform"), traces(), strict=True):
        sys.stdout.write(f"{name}, {len(modules)} modules: {', '.join(modules)}\n")
