"""``python -m doc2vecc_paper.measure``: parsing and printing."""

from __future__ import annotations

import json
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Annotated, Any

import typer

from doc2vecc import ParameterError
from doc2vecc_paper.console import run
from doc2vecc_paper.datasets import data_folder
from doc2vecc_paper.measure import documents, halves, language_models, sentences, small, small_report
from doc2vecc_paper.measure.lines import markdown, parse_line
from doc2vecc_paper.measure.weights import REPRESENTATIONS

PROGRAM = "python -m doc2vecc_paper.measure"

app = typer.Typer(
    help="Measure what settings do to the vectors; a line of JSON for each method and its settings.",
    add_completion=False,
    context_settings={"help_option_names": ["-h", "--help"]},
)

Lines = Annotated[list[str], typer.Argument(metavar="LINE", help='A method and settings, as in "Doc2VecC alpha=0.1".')]
Data = Annotated[
    Path | None, typer.Option(metavar="DIR", help="Folder of the data.", show_default="the value of DOC2VECC_DATA")
]
Seeds = Annotated[int, typer.Option(min=1, help="Number of seeds.")]
Workers = Annotated[int, typer.Option(min=1, help="Threads; with one, results can be reproduced exactly.")]


@app.command("documents")
def measure_documents(
    lines: Lines,
    texts: Annotated[str, typer.Option(help="Name of a parquet file with split, label and text.")] = "imdb",
    learn_from: Annotated[str, typer.Option(metavar="SPLITS", help="What to learn from.")] = "train+test+unlabeled",
    on: Annotated[
        str,
        typer.Option(
            metavar="WHAT",
            help="validation: cross-validation on the training split. unseen: a fifth of the training split that "
            "is not learned from, another fifth with each seed. test. validation+test.",
        ),
    ] = documents.VALIDATION,
    represent: Annotated[
        list[str] | None, typer.Option(metavar="WAY", help=f"Further representations: {', '.join(REPRESENTATIONS)}.")
    ] = None,
    seeds: Seeds = 1,
    workers: Workers = 1,
    data: Data = None,
) -> None:
    """Error of a linear SVM on document vectors, and rank correlation of word similarities with human ratings."""
    parsed = [(line, parse_line(line, documents.METHODS)) for line in lines]
    splits = tuple(learn_from.split("+"))
    path = data_folder(data) / f"{texts}.parquet"
    choices = documents.Choices(path, splits, on, tuple(represent or ()), seeds, workers)
    for result in documents.measure(parsed, documents.checked(choices)):
        typer.echo(json.dumps(result))


@app.command("small")
def measure_small(
    lines: Annotated[
        list[str], typer.Argument(metavar="LINE", help='Settings of Doc2VecC, "tf-idf", "tf-idf bigrams" or "LSA 100".')
    ],
    sets: Annotated[list[str] | None, typer.Option("--set", metavar="NAME", help=", ".join(small.SETS))] = None,
    final: Annotated[bool, typer.Option("--final", help="Evaluate on the test splits and the other queries.")] = False,
    unseen: Annotated[bool, typer.Option("--unseen", help="Learn from the documents for training alone.")] = False,
    seeds: Seeds = 1,
    workers: Workers = 2,
    data: Data = None,
) -> None:
    """Small corpora: classification, few labels, nearest neighbors, search."""
    for result in small.measure(
        lines, sets or list(small.SETS), data_folder(data), seeds, workers, final=final, unseen=unseen
    ):
        typer.echo(json.dumps(result))


@app.command("halves")
def measure_halves(
    lines: Annotated[list[str], typer.Argument(metavar="LINE", help="Settings of Doc2VecC; at least three lines.")],
    sets: Annotated[list[str] | None, typer.Option("--set", metavar="NAME", help=", ".join(halves.SETS))] = None,
    workers: Workers = 2,
    data: Data = None,
) -> None:
    """Whether the score without labels ranks settings as labels and relevance do, on texts not learned from."""
    for result in halves.measure(lines, sets or list(halves.SETS), data_folder(data), workers):
        typer.echo(json.dumps(result))


@app.command("language-models")
def measure_language_models(
    lines: Annotated[list[str], typer.Argument(metavar="LINE", help='Settings of RNN-LM, as in "alpha=0.1 epochs=9".')],
    seeds: Seeds = 1,
    data: Data = None,
) -> None:
    """Error of RNN-LM on a fifth of the training reviews of IMDB, learned from the others."""
    for result in language_models.measure(lines, data_folder(data) / "imdb.parquet", seeds):
        typer.echo(json.dumps(result))


@app.command("sentences")
def measure_sentences(
    lines: Lines,
    further: Annotated[
        bool, typer.Option("--further", help="Learn from novels with the usual settings, continue on the sentences.")
    ] = False,
    seeds: Seeds = 1,
    workers: Workers = 1,
    data: Data = None,
) -> None:
    """Relatedness of sentences (SICK), cross-validated on the training pairs."""
    methods = [one for one in sentences.METHODS if not further or hasattr(one.estimator, "partial_fit")]
    parsed = [(line, parse_line(line, methods)) for line in lines]
    for result in sentences.measure(parsed, data_folder(data), further=further, seeds=seeds, workers=workers):
        typer.echo(json.dumps(result))


@app.command("table")
def show_table(
    file: Annotated[Path, typer.Argument(metavar="FILE", help="Lines that `documents` has printed.")],
) -> None:
    """Show the lines of a file as a table, with the difference from the first line."""
    typer.echo(markdown(_lines_of(file)))


@app.command("small-table")
def show_small_table(
    file: Annotated[Path, typer.Argument(metavar="FILE", help="Lines that `small` has printed.")],
    figure: Annotated[
        Path | None, typer.Option(metavar="PATH", help="Also draw error against size, as PATH.png and PATH.svg.")
    ] = None,
) -> None:
    """Show the measurements of small corpora as a table, a row for each set and value."""
    lines = _lines_of(file)
    typer.echo(small_report.table(lines))
    if figure is not None:
        small_report.draw(lines, figure)


def _lines_of(file: Path) -> list[dict[str, Any]]:
    try:
        return [json.loads(line) for line in file.read_text("utf-8").splitlines()]
    except (OSError, ValueError) as error:
        raise ParameterError(f"cannot read {file}: {error}; give a file of JSON lines") from error


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the command -> exit code."""
    return run(app, PROGRAM, (sys.argv[1:] if arguments is None else arguments) or ["--help"])


if __name__ == "__main__":
    sys.exit(main())
