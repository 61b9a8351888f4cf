"""The command that builds data sets: python -m doc2vecc_paper.building wikipedia | novels."""

from __future__ import annotations

import sys
from itertools import islice
from pathlib import Path
from typing import Annotated

import typer

from doc2vecc import Doc2VecCError
from doc2vecc_paper.building.books import write_novels
from doc2vecc_paper.building.dumps import pages, write_classes, write_pages
from doc2vecc_paper.console import say

app = typer.Typer(add_completion=False, help="Build data sets of the experiments from public files.")
Output = Annotated[Path, typer.Option("-o", "--output", metavar="DIR", help="Folder of the data sets.")]


@app.command()
def wikipedia(
    dump: Annotated[Path, typer.Argument(help="pages-articles.xml or .xml.bz2 of dumps.wikimedia.org/enwiki.")],
    output: Output = Path(),
    running: Annotated[int, typer.Option(min=1, help="Pages of enwiki.parquet, the first ones.")] = 128_976,
    labeled: Annotated[int, typer.Option(min=1, help="Pages to find the 100 classes in.")] = 500_000,
) -> None:
    """Write enwiki.parquet and wikipedia100.parquet."""
    output.mkdir(parents=True, exist_ok=True)
    count = write_pages(islice(pages(dump), running), output / "enwiki.parquet")
    say(f"enwiki.parquet has {count:,} pages")
    count = write_classes(islice(pages(dump), labeled), output / "wikipedia100.parquet")
    say(f"wikipedia100.parquet has {count:,} pages")


@app.command()
def novels(
    folder: Annotated[Path, typer.Argument(help="Folder of text files, a novel each.")], output: Output = Path()
) -> None:
    """Write novels.parquet; github.com/computationalstylistics/100_english_novels has those of the experiments."""
    output.mkdir(parents=True, exist_ok=True)
    say(f"novels.parquet has {write_novels(folder, output / 'novels.parquet'):,} paragraphs")


def main() -> int:
    """Run the command; a mistake is one line and the exit code 2."""
    try:
        app()
    except Doc2VecCError as error:
        say(f"error: {error}")
        return 2
    return 0


if __name__ == "__main__":
    sys.exit(main())
