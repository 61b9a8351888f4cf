"""The application: its commands in the order in which they are used."""

from __future__ import annotations

from typing import Annotated

import typer

from doc2vecc import __version__
from doc2vecc.cli.demo import demo
from doc2vecc.cli.evaluate import evaluate
from doc2vecc.cli.inspect import inspect
from doc2vecc.cli.train import train
from doc2vecc.cli.vectors import embed, similar
from doc2vecc.cli.words import explain, words

app = typer.Typer(
    name="doc2vecc",
    epilog="Start with [bold]doc2vecc demo[/bold], or with [bold]doc2vecc train reviews.csv -o reviews.d2v[/bold]",
    add_completion=False,
    rich_markup_mode="rich",
    context_settings={"help_option_names": ["-h", "--help"]},
)


def _show_version(wanted: bool) -> None:
    if wanted:
        typer.echo(f"doc2vecc {__version__}")
        raise typer.Exit


@app.callback(invoke_without_command=True)
def _start(
    context: typer.Context,
    _version: Annotated[
        bool, typer.Option("--version", callback=_show_version, is_eager=True, help="Show the version.")
    ] = False,
) -> None:
    """Document vectors learned from your own text."""
    if context.invoked_subcommand is None:
        typer.echo(context.get_help())


for _command in (train, embed, similar, words, explain, evaluate, inspect, demo):
    app.command()(_command)
