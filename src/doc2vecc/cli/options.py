"""The options that several commands share, those of the training parameters, and the error for a wrong option."""

import inspect
from collections.abc import Callable
from pathlib import Path
from typing import Annotated, Any

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

PANELS = {"vectors": "Vectors", "training": "Training", "advanced": "Advanced"}


def with_training_options(command: Callable[..., None]) -> Callable[..., None]:
    """Give a command an option for each training parameter and ``--seed``, in place of its ``**settings``."""
    signature = inspect.signature(command, eval_str=True)
    own = [one for one in signature.parameters.values() if one.kind is not inspect.Parameter.VAR_KEYWORD]
    options = [
        _option(name, kind, default, PANELS[setting.group], setting.help, setting.default or True)
        for name, kind, default, setting in parameters_of(TrainingParameters)
    ]
    seed = next(one for one in parameters_of(Parameters) if one.name == "random_state")
    options.append(_option("seed", int, seed.default, PANELS["training"], seed.setting.help))
    parameters = [one.replace(kind=inspect.Parameter.KEYWORD_ONLY) for one in [*own, *options]]
    command.__signature__ = signature.replace(parameters=parameters)  # type: ignore[attr-defined]
    command.__annotations__ = {one.name: one.annotation for one in parameters}
    return command


def _option(
    name: str,
    kind: Any,  # noqa: ANN401 - a type
    default: Any,  # noqa: ANN401 - of that type
    panel: str,
    text: str,
    shown: str | bool = True,
) -> inspect.Parameter:
    option = typer.Option(help=text, rich_help_panel=panel, show_default=shown)
    if kind == int | Auto:
        kind = str
        option = typer.Option(help=text, rich_help_panel=panel, parser=_whole_or_auto, metavar="N|auto")
    return inspect.Parameter(name, inspect.Parameter.KEYWORD_ONLY, default=default, annotation=Annotated[kind, option])


def _whole_or_auto(value: str) -> int | str:
    """Read a number; anything else is left for the rule of the parameter to judge."""
    return int(value) if value.lstrip("-").isdecimal() else value
