"""``doc2vecc inspect``: what a model is, and how it came about."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from doc2vecc.cli.options import ModelFolder
from doc2vecc.cli.printing import stdout, table

if TYPE_CHECKING:
    from rich.table import Table

    from doc2vecc.model import Model

SHOWN_EPOCHS = 3  # at either end
SHOWN_WORDS = 12


def inspect(model: ModelFolder) -> None:
    """Show sizes, settings, the course of the learning, and telling words of a model.

    Example: [bold]doc2vecc inspect reviews.d2v[/bold]
    """
    from doc2vecc.storage import load

    loaded = load(model)
    console = stdout()
    for title, part in (
        (str(model), _sizes(loaded, model)),
        ("settings", _settings(loaded)),
        ("learning", _history(loaded)),
        ("words", _words(loaded)),
    ):
        console.print(title, style="bold")
        console.print(part)
        console.print()


def _sizes(model: Model, folder: Path) -> Table:
    report = model.record.report
    bytes_on_disk = sum(path.stat().st_size for path in folder.rglob("*") if path.is_file())
    rows = [
        ["words", f"{len(model.vocabulary):,}"],
        ["vector size", f"{model.dim:,}"],
        ["on disk", f"{bytes_on_disk / 1e6:,.1f} MB"],
    ]
    names = {"documents": "documents", "tokens": "tokens", "known_tokens": "known tokens"}
    rows += [[shown, f"{report[name]:,}"] for name, shown in names.items() if name in report]
    return table(["", " "], rows, right=[" "])


def _settings(model: Model) -> Table:
    return table(["", " "], [[name, str(value)] for name, value in model.record.settings.items()])


def _history(model: Model) -> Table:
    rows = [
        [str(number), f"{epoch.loss:.4f}", f"{epoch.words / max(epoch.seconds, 1e-9):,.0f}", f"{epoch.seconds:.1f}"]
        for number, epoch in enumerate(model.record.history, start=1)
    ]
    if len(rows) > 2 * SHOWN_EPOCHS + 1:
        rows = [*rows[:SHOWN_EPOCHS], ["...", "", "", ""], *rows[-SHOWN_EPOCHS:]]
    headings = ["epoch", "loss", "words/s", "seconds"]
    return table(headings, rows, right=headings)


def _words(model: Model) -> Table:
    """The most frequent words, those closest to zero, and those with the longest vectors."""
    import numpy as np

    norms = np.linalg.norm(model.word_vectors, axis=1)
    by_norm = np.argsort(norms, kind="stable").tolist()
    shown = [range(len(norms)), by_norm, by_norm[::-1]]
    words, counts = model.vocabulary.words, model.vocabulary.counts
    rows = []
    for numbers in zip(*(numbers[:SHOWN_WORDS] for numbers in shown), strict=True):
        cells = [[words[i], f"{counts[i]:,}", f"{norms[i]:.2f}"] for i in numbers]
        rows.append([cell for group in cells for cell in group])
    headings = [
        "most frequent",
        "count",
        "norm",
        "closest to zero",
        "count ",
        "norm ",
        "longest",
        "count  ",
        "norm  ",
    ]
    return table(headings, rows, right=[heading for heading in headings if heading.strip() in {"count", "norm"}])
