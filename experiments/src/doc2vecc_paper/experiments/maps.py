"""Maps of pages: as text in a finished cell, as a figure, and as an interactive page."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from doc2vecc_paper.drawing import panels, save
from doc2vecc_paper.experiments.wikipedia_groups import GROUPS, PAPER_GROUPS, group_of
from doc2vecc_paper.files import atomic_write

# The classes with a color: some far apart, some close together. A hundred colors could not be distinguished.
SHOWN = (
    "album", "film", "moth", "species:plant", "baseball player", "cricketer", "tennis player", "river",
    "high school", "politician", "radio station", "highway",
)  # fmt: skip
GRAY = "#dddddd"


class PageMap(NamedTuple):
    """Position of every page on the map, its class and its title."""

    places: npt.NDArray[np.float32]
    classes: npt.NDArray[np.str_]
    titles: list[str]

    def as_json(self) -> dict[str, Any]:
        """Write each column as one string: a list of numbers would take a line of the file for each.

        >>> PageMap(np.array([[1.5, -2.0]]), np.array(["moth"]), ["Idaea ochrata"]).as_json()
        {'x': '1.50', 'y': '-2.00', 'names': ['moth'], 'class': '0', 'titles': 'Idaea ochrata'}
        """
        names, numbers = np.unique(self.classes, return_inverse=True)
        x, y = (" ".join(f"{value:.2f}" for value in column) for column in self.places.T)
        return {
            "x": x,
            "y": y,
            "names": names.tolist(),
            "class": " ".join(map(str, numbers.tolist())),
            "titles": "\n".join(self.titles),
        }

    @classmethod
    def from_json(cls, columns: Mapping[str, Any]) -> PageMap:
        """Read what :meth:`as_json` writes."""
        x, y = (np.array(columns[name].split(" "), np.float32) for name in ("x", "y"))
        numbers = np.array(columns["class"].split(" "), np.int64)
        return cls(np.stack([x, y], axis=1), np.array(columns["names"])[numbers], columns["titles"].split("\n"))


def draw_classes(maps: Mapping[str, PageMap], path: Path) -> None:
    """Draw the maps side by side, some classes in color and the others in gray."""
    present = {name for one in maps.values() for name in one.classes.tolist()}
    shown = [name for name in SHOWN if name in present] or sorted(present)[: len(SHOWN)]
    colors = dict(zip(shown, _colors("Paired"), strict=False))
    figure, axes_of = panels(len(maps), width=4.6, height=4.9)
    for axes, (method, one) in zip(axes_of, maps.items(), strict=True):
        others = ~np.isin(one.classes, shown)
        _scatter(axes, one.places[others], GRAY, size=1.0)
        for name in shown:
            _scatter(axes, one.places[one.classes == name], colors[name], name)
        _as_map(axes, method)
    _name_colors(figure, axes_of[0], columns=7)
    save(figure, path)


def draw_groups(one: PageMap, path: Path) -> None:
    """Draw the pages of the paper's seven groups on one map."""
    groups = _groups(one.classes)
    figure, (axes,) = panels(1, width=6.4, height=5.6)
    shown = [name for name in PAPER_GROUPS if name in groups]
    for name, color in zip(shown, _colors("tab10"), strict=False):
        _scatter(axes, one.places[groups == name], color, name, size=5.0)
    _as_map(axes, "")
    _name_colors(figure, axes, columns=4)
    save(figure, path)


def draw_page(maps: Mapping[str, PageMap], path: Path) -> None:
    """Write ``<path>.html``, which loads nothing from the network: all groups, titles under the pointer."""
    from plotly.colors import qualitative
    from plotly.subplots import make_subplots

    page = make_subplots(1, len(maps), subplot_titles=list(maps), horizontal_spacing=0.01)
    colors = {**dict(zip(GROUPS, qualitative.Dark24, strict=False)), _OTHERS: GRAY}
    for column, one in enumerate(maps.values(), start=1):
        groups = _groups(one.classes)
        for group in [_OTHERS, *GROUPS]:  # gray points below the others
            rows = np.flatnonzero(groups == group)
            if len(rows):
                trace = _trace(one, rows, group, colors[group], is_first=column == 1)
                page.add_trace(trace, row=1, col=column)
    page.update_xaxes(visible=False)
    page.update_yaxes(visible=False)
    page.update_layout(
        title="Wikipedia pages by t-SNE: point at a page for its title, click a group to hide it, drag to zoom",
        template="plotly_white",
        legend={"itemsizing": "constant"},
        hoverlabel={"namelength": -1},
        height=720,
        margin={"b": 20},
    )
    with atomic_write(path.with_name(f"{path.name}.html")) as file:
        file.write(page.to_html(include_plotlyjs=True, include_mathjax=False).encode())


_OTHERS = "others"


def _groups(classes: npt.NDArray[np.str_]) -> npt.NDArray[np.str_]:
    found = group_of()
    return np.array([found.get(name, _OTHERS) for name in classes.tolist()])


def _trace(one: PageMap, rows: npt.NDArray[np.int64], group: str, color: str, *, is_first: bool) -> Any:  # noqa: ANN401
    """Return the points of a group; the same group of all maps has one entry in the legend."""
    from plotly.graph_objects import Scattergl

    x, y = one.places[rows].astype(np.float64).round(2).T
    return Scattergl(
        x=x.tolist(),
        y=y.tolist(),
        mode="markers",
        marker={"color": color, "size": 4},
        name=group,
        legendgroup=group,
        showlegend=is_first,
        text=[f"{_escaped(one.titles[row])}<br><i>{_escaped(str(one.classes[row]))}</i>" for row in rows.tolist()],
        hoverinfo="text",
    )


def _escaped(text: str) -> str:
    """Escape markup, which plotly allows in texts."""
    return text.replace("&", "&amp;").replace("<", "&lt;")


def _colors(palette: str) -> list[Any]:
    from matplotlib import colormaps

    found: Any = colormaps[palette]
    return list(found.colors)


def _scatter(
    axes: Any,  # noqa: ANN401
    places: npt.NDArray[np.float32],
    color: Sequence[float] | str,
    label: str | None = None,
    *,
    size: float = 3.0,
) -> None:
    """Draw points; in an SVG file as one image, because thousands of shapes are slow to render."""
    axes.scatter(*places.T, s=size, color=color, label=label, linewidths=0, rasterized=True)


def _as_map(axes: Any, title: str) -> None:  # noqa: ANN401
    """Remove the scales: only distances have a meaning on the map."""
    axes.set_title(title, fontsize=10)
    axes.set_xticks([])
    axes.set_yticks([])
    axes.spines[:].set_visible(False)
    axes.set_aspect("equal", adjustable="datalim")


def _name_colors(figure: Any, axes: Any, columns: int) -> None:  # noqa: ANN401
    """Add a legend of the colors below the maps."""
    entries = axes.get_legend_handles_labels()
    style = {"fontsize": 8, "frameon": False, "markerscale": 3.0}
    figure.legend(*entries, loc="outside lower center", ncols=min(columns, len(entries[1]) or 1), **style)
