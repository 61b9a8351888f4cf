"""``doc2vecc inspect``: what a model has learned, as a picture in the terminal; sizes, settings, history."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from rich.console import Console

from doc2vecc.cli.options import ModelFolder, Tokenizer, with_tokenizer_options
from doc2vecc.console import counted, shortened, stdout
from doc2vecc.tables import print_table

if TYPE_CHECKING:
    from doc2vecc.model import Model

SHOWN_EPOCHS = 3  # at either end
SHOWN_WORDS = 12
FREQUENT = 10  # occurrences: vectors of rarer words are short because they have learned little
NUMBERS = ("amount", "epoch", "loss", "words/s", "seconds", "count", "norm")  # the columns that are aligned right


@with_tokenizer_options
def inspect(model: ModelFolder, tokenizer: Tokenizer | None) -> None:
    """Show what a model has learned (coverage, loss, groups of words) and its settings.

    Example: [bold]doc2vecc inspect reviews.d2v[/bold]
    """
    from doc2vecc.storage import load

    loaded, console = load(model, tokenizer), stdout()
    _print_picture(console, loaded)
    for headings, rows in [*_tables(loaded, model), *_norm_tables(console, loaded)]:
        if rows:
            print_table(console, headings, rows, right=NUMBERS)
            console.print()


def _print_picture(console: Console, model: Model) -> None:
    """Print coverage, the loss of all epochs and groups of words."""
    from doc2vecc.overview import TellingWords, bar, sparkline

    report, history = model.record.report, model.record.history
    has_blocks = _has_blocks(console)
    if report.get("tokens"):
        share = report.get("known_tokens", 0) / report["tokens"]
        drawn = bar(share) if has_blocks else bar(share, full="#", empty=".")
        console.print(f"coverage  {drawn}  {share:.1%} of the tokens have a vector".replace("%", " %"))
    if history:
        losses = [epoch.loss for epoch in history]
        drawn = sparkline(losses) if has_blocks else sparkline(losses, blocks="_.-~=*#@")
        console.print(f"loss      {drawn}  {losses[0]:.3f} to {losses[-1]:.3f} in {counted(len(losses), 'epoch')}")
    groups = TellingWords(model).groups()
    if groups:
        console.print("\nwords that occur in the same kind of document", style="bold")
        for group in groups:
            console.print(f"  {', '.join(group)}", no_wrap=True, overflow="ellipsis")
    console.print()


def _has_blocks(console: Console) -> bool:
    """Tell whether the terminal or file can show the blocks of bars."""
    return console.encoding.lower().replace("-", "").startswith("utf")


def _tables(loaded: Model, folder: Path) -> list[tuple[list[str], list[list[str]]]]:
    from doc2vecc.corpus.stored_tokenizer import describe_tokenizer
    from doc2vecc.overview import settings_in_effect

    record = loaded.record
    bytes_on_disk = sum(path.stat().st_size for path in folder.rglob("*") if path.is_file())
    sizes = [
        ["words", f"{loaded.vocabulary.n_words:,}"],
        ["vector size", f"{loaded.dim:,}"],
        ["MB on disk", f"{bytes_on_disk / 1e6:,.1f}"],
    ]
    sizes += [[name.replace("_", " "), f"{count:,}"] for name, count in record.report.items() if count]
    given, decided = record.settings, settings_in_effect(loaded)
    settings = [
        [name, f"{decided[name]}{'' if decided[name] == value else ' (auto)'}"] for name, value in given.items()
    ]
    settings += [[name, shortened(str(value), 60)] for name, value in describe_tokenizer(loaded.tokenizer).items()]
    epochs = [
        [str(number), f"{epoch.loss:.4f}", f"{epoch.words / max(epoch.seconds, 1e-9):,.0f}", f"{epoch.seconds:.1f}"]
        for number, epoch in enumerate(record.history, start=1)
    ]
    if len(epochs) > 2 * SHOWN_EPOCHS + 1:
        epochs[SHOWN_EPOCHS:-SHOWN_EPOCHS] = [["...", "", "", ""]]
    return [
        (["size", "amount"], sizes),
        (["setting", "value"], settings),
        (["epoch", "loss", "words/s", "seconds"], epochs),
    ]


def _norm_tables(console: Console, loaded: Model) -> list[tuple[list[str], list[list[str]]]]:
    """Make tables of words with their norms as bars: frequent words, shortest and longest vectors."""
    import numpy as np

    from doc2vecc.overview import bar

    vocabulary = loaded.vocabulary
    norms = np.linalg.norm(loaded.word_vectors, axis=1)
    longest, full = max(float(norms.max(initial=0.0)), 1e-9), "█" if _has_blocks(console) else "#"
    counts = np.asarray(vocabulary.counts)
    frequent = counts >= min(FREQUENT, np.sort(counts)[-SHOWN_WORDS:].min(initial=FREQUENT))
    by_norm = [i for i in np.argsort(norms, kind="stable").tolist() if frequent[i]]
    tables = []
    for title, ids in (
        ("most frequent", range(vocabulary.n_words)),
        ("most frequent n-gram", range(vocabulary.n_words, len(norms))),
        ("shortest vector", by_norm),
        ("longest vector", by_norm[::-1]),
    ):
        words = [
            [
                vocabulary.words[i],
                f"{vocabulary.counts[i]:,}",
                f"{norms[i]:.3f}",
                bar(float(norms[i]) / longest, full=full, empty=" "),
            ]
            for i in ids[:SHOWN_WORDS]
        ]
        tables.append(([title, "count", "norm", ""], words))
    return tables
