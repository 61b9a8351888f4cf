"""``doc2vecc inspect``: sizes, settings and training history of a model."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from doc2vecc.cli.options import ModelFolder
from doc2vecc.console import print_table, stdout

if TYPE_CHECKING:
    from rich.console import Console

    from doc2vecc.model import Model

SHOWN_EPOCHS = 3  # at either end
SHOWN_WORDS = 12


def inspect(model: ModelFolder) -> None:
    """Show sizes, settings, training history, and the words with the shortest and longest vectors of a model.

    Example: [bold]doc2vecc inspect reviews.d2v[/bold]
    """
    from doc2vecc.storage import load

    loaded = load(model)
    console = stdout()
    _print_sizes(console, loaded, model)
    console.print()
    settings = [[name, str(value)] for name, value in loaded.record.settings.items()]
    print_table(console, ["setting", "value"], settings)
    console.print()
    _print_history(console, loaded)
    console.print()
    _print_words(console, loaded)


def _print_sizes(console: Console, model: Model, folder: Path) -> None:
    report = model.record.report
    bytes_on_disk = sum(path.stat().st_size for path in folder.rglob("*") if path.is_file())
    rows = [
        ["words", f"{model.vocabulary.n_words:,}"],
        ["vector size", f"{model.dim:,}"],
        ["MB on disk", f"{bytes_on_disk / 1e6:,.1f}"],
    ]
    rows += [[name.replace("_", " "), f"{count:,}"] for name, count in report.items() if count]
    print_table(console, ["size", "value"], rows, right=["value"])


def _print_history(console: Console, model: Model) -> None:
    rows = [
        [str(number), f"{epoch.loss:.4f}", f"{epoch.words / max(epoch.seconds, 1e-9):,.0f}", f"{epoch.seconds:.1f}"]
        for number, epoch in enumerate(model.record.history, start=1)
    ]
    if len(rows) > 2 * SHOWN_EPOCHS + 1:
        rows = [*rows[:SHOWN_EPOCHS], ["...", "", "", ""], *rows[-SHOWN_EPOCHS:]]
    headings = ["epoch", "loss", "words/s", "seconds"]
    print_table(console, headings, rows, right=headings)


def _print_words(console: Console, model: Model) -> None:
    """Print the most frequent words and n-grams, and those with the shortest and the longest vectors."""
    import numpy as np

    norms = np.linalg.norm(model.word_vectors, axis=1)
    by_norm = np.argsort(norms, kind="stable").tolist()
    words, counts = model.vocabulary.words, model.vocabulary.counts
    for title, ids in (
        ("most frequent", range(model.vocabulary.n_words)),
        ("most frequent n-gram", range(model.vocabulary.n_words, len(norms))),
        ("shortest vector", by_norm),
        ("longest vector", by_norm[::-1]),
    ):
        rows = [[words[i], f"{counts[i]:,}", f"{norms[i]:.3f}"] for i in ids[:SHOWN_WORDS]]
        if rows:
            print_table(console, [title, "count", "norm"], rows, right=["count", "norm"])
            console.print()
