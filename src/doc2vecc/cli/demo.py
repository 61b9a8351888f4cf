"""``doc2vecc demo``: from texts to a search and a map, on text that is on every machine or on the user's own."""

from __future__ import annotations

import time
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer
from rich.text import Text

from doc2vecc.cli.options import Force, ReadingOptions, UserError, as_options, given_rules, with_reading_options
from doc2vecc.cli.suggestions import example_queries, say_commands
from doc2vecc.cli.terminal import open_page
from doc2vecc.cli.train import check_model_folder, say_what_was_learned
from doc2vecc.console import ProgressListener, notify_on_compile, progress_bar, say, say_notes, stdout
from doc2vecc.errors import ParameterError, SearchIndexError

if TYPE_CHECKING:
    import pyarrow as pa

    from doc2vecc.model import Model
    from doc2vecc.search import Hits

DEFAULT_OUTPUT = Path("demo.d2v")  # the only place where a model is replaced without --force, if a demo made it
MOST_DOCUMENTS = 20_000  # of the user's own
MAPPED_DOCUMENTS = 2_000
SHOWN_HITS = 3
SHOWN_COLUMNS = 3  # in the map, with each document


@with_reading_options
def demo(
    reading: ReadingOptions,
    data: Annotated[
        str | None,
        typer.Option(metavar="FILE", help="File or folder of your own texts.", show_default="Python's docstrings"),
    ] = None,
    output: Annotated[
        Path,
        typer.Option(
            "-o", "--output", metavar="MODEL", help="Folder for the model; index and map are saved next to it."
        ),
    ] = DEFAULT_OUTPUT,
    browser: Annotated[
        bool, typer.Option("--browser/--no-browser", help="Open the map in a browser, if there is one.")
    ] = True,
    force: Force = False,
) -> None:
    """Learn from texts, search them and draw a map, in about a minute.

    The texts are the docstrings of Python's standard library, or your own. From large inputs, 20,000 are sampled.

    Example: [bold]doc2vecc demo[/bold]

    Example: [bold]doc2vecc demo --data reviews.csv[/bold]
    """
    index_folder, page = output.with_suffix(".index"), output.with_suffix(".map.html")
    _check_places(output, index_folder, page, force=force or _is_own(output))

    from doc2vecc import storage
    from doc2vecc.corpus.sources import read_texts
    from doc2vecc.demo import QUERIES, own_config, standard_library_config, standard_library_table
    from doc2vecc.overview import TellingWords
    from doc2vecc.search import SearchIndex
    from doc2vecc.training.learning import learn

    started = time.perf_counter()
    with notify_on_compile(), progress_bar(True) as progress:
        if data is None:
            say("reading the docstrings of Python's standard library")
            table, text, config = standard_library_table(), "text", standard_library_config()
        else:
            (table, text), config = _read(data, reading, progress), own_config()
        learned = learn(read_texts(table, text_column=text), config, progress)
        model = learned.model
        replaces = output.exists()
        storage.save(model, output)
        say_what_was_learned(model, time.perf_counter() - started)
        columns = ["name"] if data is None else []
        texts = read_texts(table, text_column=text, keep_columns=columns)
        index = SearchIndex.build(model, texts, index_folder, columns=columns, progress=progress)
        queries = list(QUERIES) if data is None else example_queries(TellingWords(model))
        missing = _draw_map(model, table, text, page, data or "Python's standard library", progress)
    for hits in index.search(queries, SHOWN_HITS):
        _print_hits(hits)
    stdout().print()
    say(f"model: {output}, index: {index.folder}{', replacing older ones' if replaces else ''}")
    if missing is None:
        was_opened = browser and open_page(page)
        say(f"map: {page}, " + ("opened in your browser" if was_opened else "open it in a browser"))
    else:
        say(f"map: not drawn, because {missing} and run this again")
    source = [] if data is None else [data, *as_options(given_rules(reading))]
    _say_what_next(index.folder, source, queries)


def _is_own(output: Path) -> bool:
    """Tell whether an earlier demo has left its model at its own place."""
    from doc2vecc import storage
    from doc2vecc.demo import is_of_demo

    is_there = output == DEFAULT_OUTPUT and storage.is_model_folder(output)
    return is_there and is_of_demo(storage.load(output).record.settings)


def _check_places(model: Path, index: Path, page: Path, *, force: bool) -> None:
    """Refuse to replace what is not an earlier demo's, before any work is done."""
    from doc2vecc.files import check_target
    from doc2vecc.search.folder import check_place

    check_model_folder(model, force=force)
    check_place(index)
    if index.exists() and not force:
        raise SearchIndexError(f"{index} exists; choose another name with --output, or replace it with --force")
    if page.exists():  # its folder may be made only with the model
        check_target(page, force=force)


def _read(data: str, reading: ReadingOptions, progress: ProgressListener) -> tuple[pa.Table, str]:
    """Read the documents, a sample if there are many -> a table of them, and the name of the column with the texts."""
    import pyarrow as pa

    from doc2vecc.corpus.sources import read_files

    only = reading["only"]
    chosen = reading | {"only": only if only.sample is not None else only._replace(sample=MOST_DOCUMENTS)}
    batches = read_files([data], **chosen, keep_columns=True)
    read = []
    for batch in batches:
        read.append(batch)
        progress.reading(batch.num_rows)
    if not read:
        raise UserError(f"there are no documents in {data}; name a file that holds some")
    say_notes(batches.report.messages())
    return pa.Table.from_batches(read), str(batches.text_column)


def _draw_map(
    model: Model, table: pa.Table, text: str, page: Path, title: str, progress: ProgressListener
) -> str | None:
    """Write the page -> None, or what is missing and how to get it."""
    from doc2vecc.corpus.sources import Selection, read_texts
    from doc2vecc.map.documents import read_documents
    from doc2vecc.map.maps import Map, check_choices

    try:
        check_choices(page)
    except ParameterError as error:
        return str(error)
    drawn = read_texts(table, text_column=text, keep_columns=True, only=Selection(sample=MAPPED_DOCUMENTS))
    documents = read_documents(model, drawn, on_batch=progress.reading)
    others = [name for name in table.column_names if name != text][:SHOWN_COLUMNS]
    Map.of(documents, report=progress.working).save(page, show=others, title=f"Map of {title}")
    return None


def _print_hits(hits: Hits) -> None:
    """Print every hit on two lines: what it is, and its piece of text with the words that count most in color."""
    console = stdout()
    console.print(f"\n{hits.query}", style="bold")
    for hit in hits:
        console.print(Text(f"  {hit.score:.2f}  {hit.columns.get('name', f'document {hit.id}')}", style="dim"))
        text = Text(hit.snippet.text)
        for mark in hit.snippet.marks:
            text.stylize("bold green", *mark)
        for line in text.wrap(console, max(console.width - 8, 20)):
            console.print(Text("        ") + line)


def _say_what_next(index: Path, source: list[str], queries: list[str]) -> None:
    say_commands("try another search:", [["search", str(index), queries[0] if source and queries else "sort a list"]])
    if not source:
        say_commands("the same with your own csv, jsonl, parquet or txt file:", [["demo", "--data", "reviews.csv"]])
        return
    name = Path(source[0]).name.partition(".")[0] or "texts"
    model, own_index = f"{name}.d2v", f"{name}.index"
    commands = [["train", *source, "-o", model], ["index", model, *source, "-o", own_index]]
    say_commands("a model of all texts, and a search page:", [*commands, ["serve", model, "--index", own_index]])
