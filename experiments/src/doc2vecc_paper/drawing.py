"""What the figures of the experiments share: the color of a method, panels side by side, and writing to files.

matplotlib is imported when something is drawn, and without its global state: no window, no current figure.
"""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any, NamedTuple

from doc2vecc_paper.files import atomic_write
from doc2vecc_paper.published import Name

METHOD_COLORS: Mapping[str, str] = {
    Name.PARAGRAPH_VECTORS: "#c9b79c",
    Name.WORD2VEC: "#8a9aa8",
    Name.DOC2VECC: "#1f6f8b",
}
_DOTS_PER_INCH = 150


class Panels(NamedTuple):
    """A figure, and the axes of its panels from left to right."""

    figure: Any
    axes: list[Any]


def panels(count: int, *, width: float, height: float, share_y: bool = False) -> Panels:
    """Make a figure with so many panels side by side, each of a width and height in inches."""
    from matplotlib.figure import Figure

    figure = Figure(figsize=(count * width, height), layout="constrained")
    axes = list(figure.subplots(1, count, sharey=share_y, squeeze=False)[0])
    for one in axes:
        one.spines[["top", "right"]].set_visible(False)
    return Panels(figure, axes)


def save(figure: Any, path: Path) -> None:  # noqa: ANN401
    """Write ``<path>.png`` and ``<path>.svg``; the same figure always gives the same files."""
    from matplotlib import rc_context

    with atomic_write(path.with_name(f"{path.name}.png")) as file:
        figure.savefig(file, format="png", dpi=_DOTS_PER_INCH)
    with rc_context({"svg.hashsalt": path.name}), atomic_write(path.with_name(f"{path.name}.svg")) as file:
        figure.savefig(file, format="svg", dpi=_DOTS_PER_INCH, metadata={"Date": None})
