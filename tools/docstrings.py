"""Write the parameters of Doc2VecC into its docstring, where editors and help() find them: ``make docstrings``."""

from __future__ import annotations

import re
import sys
import textwrap
from collections.abc import Callable, Collection, Sequence
from pathlib import Path
from types import NoneType, UnionType
from typing import Any, Literal, Union, get_args, get_origin

from doc2vecc.parameters import Parameters, parameters_of

ESTIMATOR = Path(__file__).parent.parent / "src" / "doc2vecc" / "estimator.py"
SECTION = re.compile(r"(?<=    Parameters\n    ----------\n).*?(?=\n    Attributes\n    ----------\n)", re.DOTALL)


def described(width: int = 116) -> str:
    """Return the text of the section "Parameters", indented as in the class."""
    lines = []
    for name, kind, default, setting in parameters_of(Parameters):
        shown = f"None ({setting.default})" if default is None else repr(default)
        if default is not None and setting.default:
            shown += f"; None is {setting.default}"
        lines.append(f"    {name} : {type_name(kind)}, default {shown}")
        lines += textwrap.wrap(setting.text, width, initial_indent=" " * 8, subsequent_indent=" " * 8)
    return "\n".join(lines) + "\n"


def type_name(kind: Any) -> str:  # noqa: ANN401 - a type
    """Write a type as the documentation of scikit-learn does; that None is possible is seen from the default.

    int | Literal["auto"] | None -> "int or 'auto'", str | Sequence[str] -> "str or list of str"
    """
    origin, parts = get_origin(kind), get_args(kind)
    if origin is Literal:
        return " or ".join(map(repr, parts))
    if origin in (Union, UnionType):
        return " or ".join(type_name(part) for part in parts if part is not NoneType)
    if origin in (Collection, Sequence):
        return f"list of {type_name(parts[0])}"
    if origin is tuple:
        return f"({', '.join(map(type_name, parts))})"
    return "callable" if origin is Callable else str(kind.__name__)


def main() -> None:
    """Write the section; with --check only tell whether it would change."""
    source = ESTIMATOR.read_text("utf-8")
    new = SECTION.sub(lambda _: described(), source, count=1)
    if "--check" in sys.argv:
        sys.exit(0 if new == source else "the docstring of Doc2VecC is not that of its parameters; run make docstrings")
    ESTIMATOR.write_text(new, "utf-8")


if __name__ == "__main__":
    main()
