"""A map as a picture for paper: PNG or SVG, drawn by matplotlib."""

from pathlib import Path
from typing import Any, BinaryIO

import numpy as np

from doc2vecc.map.areas import Area
from doc2vecc.map.columns import Categories, ColorColumn, Numbers
from doc2vecc.map.layout import Points, require_extra

PALETTE = (
    "#3b76d6", "#e8833a", "#2f9e58", "#d1495b", "#8e6cc9", "#9a6b4f", "#e377b4", "#1aa7b8", "#a8a526", "#5c6f82",
    "#f2b134", "#6fbf73",
)  # fmt: skip
OTHERS = "#b4bac0"
INCHES = 10
DOTS = 150
MOST_NAMES = 40


def draw_picture(file: BinaryIO, kind: str, points: Points, areas: list[Area], column: ColorColumn, title: str) -> None:
    """Draw points in the colors of a column, the names of the coarse areas, and a legend."""
    require_extra("matplotlib")
    from matplotlib.backends.backend_agg import FigureCanvasAgg
    from matplotlib.figure import Figure

    figure = Figure(figsize=(INCHES, INCHES * 0.8), dpi=DOTS)
    canvas = FigureCanvasAgg(figure)
    axes: Any = figure.add_subplot()
    axes.set_axis_off()
    axes.set_aspect("equal")
    axes.set_title(title, loc="left", fontsize=11)
    order = np.random.default_rng(0).permutation(len(points))  # so that no category covers the others
    size = float(np.clip(12_000 / len(points), 0.6, 30))
    style = {"s": size, "linewidths": 0, "alpha": 0.7, "rasterized": True}  # an SVG of 100,000 circles opens slowly
    if isinstance(column, Numbers):
        low, high = limits(column)
        colors = np.clip(column.values, low, high)
        drawn = axes.scatter(*points[order].T, c=colors[order], cmap="viridis", plotnonfinite=True, **style)
        bar = figure.colorbar(drawn, ax=axes, shrink=0.5, label=column.name)
        if column.is_date:
            bar.set_ticks([low, high], labels=[str(np.datetime64(int(day), "D")) for day in (low, high)])
    else:
        chosen = np.array([*PALETTE, OTHERS], object)[
            np.where(column.codes < 0, len(PALETTE), column.codes).clip(max=len(PALETTE))
        ]
        order = order[np.argsort(column.codes[order] >= 0, kind="stable")]  # what has no category goes below
        axes.scatter(*points[order].T, c=chosen[order].tolist(), **style)
        _legend(axes, column)
    _write_names(canvas, axes, areas)
    figure.savefig(file, format=kind, bbox_inches="tight", metadata={"Date": None} if kind == "svg" else None)


def limits(column: Numbers) -> tuple[float, float]:
    """Return the ends of the color scale: all but the outer hundredths, so that one outlier does not use it up."""
    known = column.values[np.isfinite(column.values)]
    low, high = np.percentile(known, [1, 99]).tolist() if len(known) else (0.0, 1.0)
    return low, high if high > low else low + 1.0


def picture_kind(path: Path) -> str | None:
    """Return png or svg by the extension; None for other files."""
    kind = path.suffix.lower().removeprefix(".")
    return kind if kind in {"png", "svg"} else None


def _legend(axes: Any, column: Categories) -> None:  # noqa: ANN401
    from matplotlib.lines import Line2D

    names = column.values[: len(PALETTE)]
    marks = [
        Line2D([], [], marker="o", linestyle="", color=color, label=name[:40])
        for name, color in zip(names, PALETTE, strict=False)
    ]
    if len(column.values) > len(PALETTE):
        label = f"{len(column.values) - len(PALETTE):,} more"
        marks.append(Line2D([], [], marker="o", linestyle="", color=OTHERS, label=label))
    axes.legend(
        handles=marks, title=column.name, fontsize=8, frameon=False, loc="upper left", bbox_to_anchor=(1.0, 1.0)
    )


def _write_names(canvas: Any, axes: Any, areas: list[Area]) -> None:  # noqa: ANN401
    """Write the names of large areas first, and none across another one."""
    from matplotlib.patheffects import withStroke

    halo = [withStroke(linewidth=2.5, foreground="white")]
    taken: list[Any] = []
    canvas.draw()  # the places of texts are known after drawing
    renderer = canvas.get_renderer()
    for area in [one for one in areas if one.level == 0][:MOST_NAMES]:
        text = axes.text(
            area.x, area.y, "\n".join(label_lines(area.label)), ha="center", va="center", fontsize=8.5,
            fontweight="bold", path_effects=halo, parse_math=False,
        )  # fmt: skip
        box = text.get_window_extent(renderer).expanded(1.05, 1.1)
        if any(box.overlaps(other) for other in taken):
            text.remove()
        else:
            taken.append(box)


def label_lines(label: str, width: int = 18) -> list[str]:
    """Break a label into short lines at its commas.

    >>> label_lines("film, actor, television series")
    ['film, actor,', 'television series']
    """
    lines = [""]
    for word in label.split(", "):
        joined = f"{lines[-1]}, {word}" if lines[-1] else word
        if lines[-1] and len(joined) > width:
            lines[-1] += ","
            lines.append(word)
        else:
            lines[-1] = joined
    return lines
