"""``doc2vecc inspect``: sizes, settings and training history of a model."""

from doc2vecc.cli.options import ModelFolder, Tokenizer, with_tokenizer_options
from doc2vecc.console import print_table, shortened, stdout

SHOWN_EPOCHS = 3  # at either end
SHOWN_WORDS = 12
NUMBERS = ("amount", "epoch", "loss", "words/s", "seconds", "count", "norm")  # the columns that are aligned right


@with_tokenizer_options
def inspect(model: ModelFolder, tokenizer: Tokenizer | None) -> None:
    """Show sizes, settings, training history, and the words with the shortest and longest vectors of a model.

    Example: [bold]doc2vecc inspect reviews.d2v[/bold]
    """
    import numpy as np

    from doc2vecc.corpus.stored_tokenizer import describe_tokenizer
    from doc2vecc.storage import load

    loaded = load(model, tokenizer)
    vocabulary, record = loaded.vocabulary, loaded.record
    bytes_on_disk = sum(path.stat().st_size for path in model.rglob("*") if path.is_file())
    sizes = [
        ["words", f"{vocabulary.n_words:,}"],
        ["vector size", f"{loaded.dim:,}"],
        ["MB on disk", f"{bytes_on_disk / 1e6:,.1f}"],
    ]
    sizes += [[name.replace("_", " "), f"{count:,}"] for name, count in record.report.items() if count]
    settings = [[name, str(value)] for name, value in record.settings.items()]
    settings += [[name, shortened(str(value), 60)] for name, value in describe_tokenizer(loaded.tokenizer).items()]
    epochs = [
        [str(number), f"{epoch.loss:.4f}", f"{epoch.words / max(epoch.seconds, 1e-9):,.0f}", f"{epoch.seconds:.1f}"]
        for number, epoch in enumerate(record.history, start=1)
    ]
    if len(epochs) > 2 * SHOWN_EPOCHS + 1:
        epochs[SHOWN_EPOCHS:-SHOWN_EPOCHS] = [["...", "", "", ""]]
    tables = [
        (["size", "amount"], sizes),
        (["setting", "value"], settings),
        (["epoch", "loss", "words/s", "seconds"], epochs),
    ]
    norms = np.linalg.norm(loaded.word_vectors, axis=1)
    by_norm = np.argsort(norms, kind="stable").tolist()
    for title, ids in (
        ("most frequent", range(vocabulary.n_words)),
        ("most frequent n-gram", range(vocabulary.n_words, len(norms))),
        ("shortest vector", by_norm),
        ("longest vector", by_norm[::-1]),
    ):
        words = [[vocabulary.words[i], f"{vocabulary.counts[i]:,}", f"{norms[i]:.3f}"] for i in ids[:SHOWN_WORDS]]
        tables.append(([title, "count", "norm"], words))
    console = stdout()
    for headings, rows in tables:
        if rows:
            print_table(console, headings, rows, right=NUMBERS)
            console.print()
