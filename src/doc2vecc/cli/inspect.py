"""``doc2vecc inspect``: sizes, settings and training history of a model."""

from __future__ import annotations

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
    bytes_on_disk = sum(path.stat().st_size for path in model.rglob("*") if path.is_file())
    sizes = {"words": f"{loaded.vocabulary.n_words:,}", "vector size": f"{loaded.dim:,}"}
    sizes["MB on disk"] = f"{bytes_on_disk / 1e6:,.1f}"
    sizes |= {name.replace("_", " "): f"{count:,}" for name, count in loaded.record.report.items() if count}
    print_table(console, ["size", "value"], sizes.items(), right=["value"])
    console.print()
    settings = [[name, str(value)] for name, value in loaded.record.settings.items()]
    print_table(console, ["setting", "value"], settings)
    console.print()
    epochs = [
        [str(number), f"{epoch.loss:.4f}", f"{epoch.words / max(epoch.seconds, 1e-9):,.0f}", f"{epoch.seconds:.1f}"]
        for number, epoch in enumerate(loaded.record.history, start=1)
    ]
    if len(epochs) > 2 * SHOWN_EPOCHS + 1:
        epochs[SHOWN_EPOCHS:-SHOWN_EPOCHS] = [["...", "", "", ""]]
    headings = ["epoch", "loss", "words/s", "seconds"]
    print_table(console, headings, epochs, right=headings)
    console.print()
    _print_words(console, loaded)


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
