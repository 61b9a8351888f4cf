"""Map: documents as points of the plane, with named areas; written as a page, a picture or a table."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.parquet
from threadpoolctl import threadpool_limits

from doc2vecc.console import notify_on_compile, one_line, progress_bar, shortened, warn
from doc2vecc.corpus.sources import Selection
from doc2vecc.errors import OutputError
from doc2vecc.estimator import Doc2VecC
from doc2vecc.files import atomic_write
from doc2vecc.map.areas import Area, find_areas
from doc2vecc.map.columns import Categories, ColorColumn, Numbers, color_column
from doc2vecc.map.documents import Documents, read_documents
from doc2vecc.map.layout import Neighbors, Points, Report, check_layout, find_neighbors, lay_out, require_extra
from doc2vecc.map.pages import write_page
from doc2vecc.map.picture import draw_picture, label_lines, limits, picture_kind
from doc2vecc.outputs import python_values

NEIGHBORS_IN_FILES = {"html": 5, "parquet": 15}
TEXT_LENGTH = 200  # characters of a document in the page
LONGEST_VALUE = 120  # characters of another column
KINDS = (".html", ".png", ".svg", ".parquet")
COLUMNS = ("x", "y", "neighbors")  # of the table


@dataclass(eq=False)
class Map:
    """Documents as points of the plane: ``points[i]`` is the place of ``documents.rows[i]``.

    Examples
    --------
    >>> from doc2vecc import Doc2VecC
    >>> texts = ["the cat sat on the mat", "a dog sat on a log", "stocks fell in london"] * 20
    >>> model = Doc2VecC(vector_size=8, epochs=2, workers=1).fit(texts)
    >>> Map.build(model, texts).points.shape  # doctest: +SKIP
    (60, 2)
    """

    documents: Documents
    points: Points
    neighbors: Neighbors
    areas: list[Area]
    area_column: Categories

    @classmethod
    def build(
        cls,
        model: Doc2VecC,
        source: Any,  # noqa: ANN401
        *,
        layout: str = "tsne",
        sample: int | None = None,
        seed: int = 0,
        verbose: bool | None = None,
    ) -> Map:
        """Lay out the documents of a source, as ``Doc2VecC.fit`` reads them; other columns are kept for colors.

        ``verbose`` is that of the model by default.
        """
        batches = model._read(source, keep_columns=True, only=Selection(sample=sample, seed=seed))
        with notify_on_compile(), progress_bar(model.verbose if verbose is None else verbose, batches) as progress:
            documents = read_documents(model.model_, batches, workers=model._n_workers(), on_batch=progress.reading)
            found = cls.of(documents, layout=layout, seed=seed, report=progress.working)
        warn(documents.notes)
        return found

    @classmethod
    def of(cls, documents: Documents, *, layout: str = "tsne", seed: int = 0, report: Report | None = None) -> Map:
        """Lay out documents that have been read."""
        check_layout(layout)
        workers = documents.workers
        with threadpool_limits(workers):
            neighbors = find_neighbors(documents.vectors, report=report, workers=workers)
        points = lay_out(documents.vectors, neighbors, method=layout, seed=seed, workers=workers, report=report)
        if report is not None:
            report("naming areas", 0.0)
        areas, coarse = find_areas(points, documents.words)
        labels = [area.label for area in areas if area.level == 0]
        return cls(documents, points, neighbors, areas, Categories("area", labels, coarse))

    def save(
        self,
        path: str | Path,
        *,
        color: str | Sequence[str] = (),
        show: str | Sequence[str] = (),
        text_length: int = TEXT_LENGTH,
        title: str = "Map of documents",
    ) -> None:
        """Write .html (a page), .png or .svg (a picture), or .parquet (the columns of the input, x, y, neighbors).

        ``color`` names columns that give colors, ``show`` columns that the page shows with a document.
        """
        target = Path(path)
        check_kind(target)
        colors = [color_column(self.documents, name) for name in _listed(color)] + [self.area_column]
        shown = {name: self._shown(name) for name in _listed(show)}
        with atomic_write(target, seekable=True) as file:
            if (kind := picture_kind(target)) is not None:
                draw_picture(file, kind, self.points, self.areas, colors[0], title)
            elif target.suffix.lower() == ".parquet":
                pa.parquet.write_table(self.table(), file)
            else:
                file.write(write_page("map", title, self._page_data(colors, shown, text_length)))

    def table(self) -> pa.Table:
        """Return the columns of the input with x, y and neighbors, as embedding-atlas reads them.

        A neighbor's id is its row in this table, and the first one is the document itself, at distance 0.
        """
        table = self.documents.table
        if clash := sorted(set(COLUMNS).intersection(table.column_names)):
            raise OutputError(f"the input already has a column {clash[0]!r}, which the map would write; rename it")
        k = NEIGHBORS_IN_FILES["parquet"]
        own = np.arange(len(table))[:, None]
        ids = np.hstack([own, self.neighbors.indices[:, :k]])
        distances = np.hstack(
            [np.zeros_like(own, np.float64), 1 - self.neighbors.similarities[:, :k].astype(np.float64)]
        )
        lists = pa.StructArray.from_arrays(
            [_lists(ids), _lists(np.maximum(distances, 0.0))], names=["ids", "distances"]
        )
        for name, values in zip(COLUMNS, [*self.points.T, lists], strict=True):
            table = table.append_column(name, values if isinstance(values, pa.Array) else pa.array(values))
        return table

    def how_to_open(self, path: Path) -> str:
        """Return what to do with a file that was written, as the end of a sentence."""
        if path.suffix.lower() == ".html":
            return "; open it in a browser"
        if path.suffix.lower() == ".parquet":
            column = self.documents.text_column
            return f"; open it with embedding-atlas {path} --text {column} --x x --y y --neighbors neighbors"
        return ""

    def _shown(self, name: str) -> list[str]:
        values = python_values(self.documents.column(name))
        return ["" if value is None else shortened(one_line(str(value)), LONGEST_VALUE) for value in values]

    def _page_data(self, colors: list[ColorColumn], shown: dict[str, list[str]], text_length: int) -> dict[str, Any]:
        x, y = np.rint((self.points.T + 1) * 32767.5).astype(int).clip(0, 65535).tolist()
        k = min(NEIGHBORS_IN_FILES["html"], self.neighbors.indices.shape[1])
        return {
            "x": x,
            "y": y,
            "texts": self.documents.beginnings(text_length),
            "shown": [{"name": name, "values": values} for name, values in shown.items()],
            "colors": [_color_data(column) for column in colors],
            "areas": [
                {"level": one.level, "x": round(one.x, 4), "y": round(one.y, 4), "lines": label_lines(one.label)}
                for one in self.areas
            ],
            "k": k,
            "neighbors": self.neighbors.indices[:, :k].ravel().tolist(),
        }


def check_choices(target: Path, layout: str = "tsne") -> None:
    """Refuse what no map has, and what is not installed, before any work is done."""
    check_kind(target)
    check_layout(layout)


def check_kind(target: Path) -> None:
    """Refuse a file of another kind than maps are written to, or a picture if nothing can draw it."""
    if target.suffix.lower() not in KINDS:
        raise OutputError(f"the extension of {str(target)!r} is none of {', '.join(KINDS)}; rename the output")
    if picture_kind(target) is not None:
        require_extra("matplotlib")


def _listed(names: str | Sequence[str]) -> list[str]:
    return [names] if isinstance(names, str) else list(names)


def _lists(rows: np.ndarray[Any, Any]) -> pa.Array:
    offsets = np.arange(len(rows) + 1, dtype=np.int32) * np.int32(rows.shape[1])
    return pa.ListArray.from_arrays(pa.array(offsets), pa.array(rows.ravel()))


def _color_data(column: ColorColumn) -> dict[str, Any]:
    if isinstance(column, Numbers):
        low, high = limits(column)
        values = [float(f"{value:.6g}") if np.isfinite(value) else None for value in column.values.tolist()]
        return {"name": column.name, "values": values, "low": low, "high": high, "date": column.is_date}
    sizes = np.bincount(column.codes[column.codes >= 0], minlength=len(column.values)).tolist()
    return {"name": column.name, "values": column.values, "codes": column.codes.tolist(), "sizes": sizes}
