"""The options that several commands share, those of the training parameters, and the error for a wrong option."""

import inspect
from collections.abc import Callable
from pathlib import Path
from typing import Annotated

import typer

from doc2vecc.errors import Doc2VecCError
from doc2vecc.parameters import Auto, Parameters, TrainingParameters, parameters_of


class UserError(Doc2VecCError):
    """A mistake on the command line itself: one sentence with the value, the rule and the remedy."""


ModelFolder = Annotated[
    Path, typer.Argument(metavar="MODEL", help="Folder made by doc2vecc train.", show_default=False)
]
Inputs = Annotated[
    list[str],
    typer.Argument(
        metavar="INPUT",
        help="Files or folders: txt (one document a line; in a folder: a file), jsonl, csv, tsv, parquet, arrow; "
        "text also as .gz .bz2 .zst. - is stdin.",
        show_default=False,
    ),
]
TextColumn = Annotated[
    str | None,
    typer.Option("--text-column", metavar="NAME", help="Column with the texts; needed if there are several."),
]
InputFormat = Annotated[
    str | None,
    typer.Option(
        "--format",
        "--input-format",
        metavar="KIND",
        help="Read the input as txt, jsonl, csv, tsv, parquet or arrow, whatever its name is.",
    ),
]
Strict = Annotated[
    bool, typer.Option("--strict", help="Stop at undecodable bytes and malformed lines instead of counting them.")
]
Force = Annotated[bool, typer.Option("--force", help="Replace the output if it exists.")]
Workers = Annotated[
    int | None, typer.Option("--workers", metavar="N", min=1, help="Threads.", show_default="all cores")
]
Nearest = Annotated[int, typer.Option("-k", metavar="N", min=1, help="How many to show.")]


def with_training_options(command: Callable[..., None]) -> Callable[..., None]:
    """Give a command an option for each training parameter and ``--seed``, in place of its ``**settings``."""
    signature = inspect.signature(command, eval_str=True)
    seed = next(one for one in parameters_of(Parameters) if one.name == "random_state")
    seed = seed._replace(name="seed", kind=int, setting=seed.setting._replace(group="training", default=""))
    parameters = {
        one.name: one.replace(kind=inspect.Parameter.KEYWORD_ONLY)
        for one in signature.parameters.values()
        if one.kind is not inspect.Parameter.VAR_KEYWORD
    }
    for name, kind, default, setting in (*parameters_of(TrainingParameters), seed):
        panel, shown = setting.group.capitalize(), setting.default or True
        option = typer.Option(help=setting.help, rich_help_panel=panel, show_default=shown)
        if kind == int | Auto:
            kind = str
            option = typer.Option(help=setting.help, rich_help_panel=panel, parser=_whole_or_auto, metavar="N|auto")
        parameters[name] = inspect.Parameter(
            name, inspect.Parameter.KEYWORD_ONLY, default=default, annotation=Annotated[kind, option]
        )
    command.__signature__ = signature.replace(parameters=list(parameters.values()))  # type: ignore[attr-defined]
    command.__annotations__ = {name: one.annotation for name, one in parameters.items()}
    return command


def _whole_or_auto(value: str) -> int | str:
    """Read a number; anything else is left for the rule of the parameter to judge."""
    return int(value) if value.lstrip("-").isdecimal() else value
