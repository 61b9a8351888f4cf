"""The options that several commands share, those of the training parameters, and the error for a wrong option."""

import inspect
from collections.abc import Callable, Mapping, Sequence
from functools import wraps
from pathlib import Path
from typing import Annotated, Any

import typer

from doc2vecc.console import quietly
from doc2vecc.errors import Doc2VecCError
from doc2vecc.parameters import Auto, Parameters, TrainingParameters, parameters_of

READING_RULES = ("no_header", "strict", "skip_malformed", "delimiter", "max_document_mb")
LEARNING = ("train", "tune")
TOKEN_OPTIONS = ("tokenizer", "token_pattern", "stop_words")
Tokenizer = Callable[[str], list[str]]
ReadingOptions = dict[str, Any]  # what `with_reading_options` makes of the options: arguments of read_files


class UserError(Doc2VecCError):
    """A mistake on the command line itself: one sentence with the value, the rule and the remedy."""


ModelFolder = Annotated[
    Path, typer.Argument(metavar="MODEL", help="Folder made by doc2vecc train.", show_default=False)
]
Inputs = Annotated[
    list[str],
    typer.Argument(
        metavar="INPUT",
        help="Files or folders: txt (one document per line; in a folder, per file), jsonl, json, csv, tsv, parquet, "
        "arrow; text formats also as .gz, .bz2 or .zst. - is stdin.",
        show_default=False,
    ),
]
TextColumn = Annotated[
    str | None,
    typer.Option(
        "--text-column",
        metavar="NAME",
        help="Column with the texts; needed if there are several. title,body joins the texts of two columns.",
    ),
]
InputFormat = Annotated[
    str | None,
    typer.Option(
        "--format",
        "--input-format",
        metavar="KIND",
        help="Input format, whatever the file name is: txt, jsonl, json, csv, tsv, parquet or arrow.",
    ),
]
Force = Annotated[bool, typer.Option("--force", help="Replace the output if it exists.")]
Workers = Annotated[
    int | None, typer.Option("--workers", metavar="N", min=1, help="Threads.", show_default="all cores")
]
Limit = Annotated[
    int | None, typer.Option("--limit", metavar="N", min=1, help="Read the first N documents.", show_default="all")
]
Seed = Annotated[int, typer.Option("--seed", metavar="N", min=0, help="Seed of the random numbers.")]
StopWords = Annotated[
    str | None, typer.Option("--stop-words", metavar="FILE", help="File of words to ignore, one per line; or english.")
]
TokenizerName = Annotated[
    str | None,
    typer.Option(
        "--tokenizer",
        metavar="MODULE:FUNCTION",
        help="Your own Python function that splits texts; a model needs the one it was trained with.",
    ),
]
TokenPattern = Annotated[
    str | None,
    typer.Option(
        "--token-pattern", metavar="REGEX", help="Regular expression of a token; a model needs the one of its training."
    ),
]
Quiet = Annotated[bool, typer.Option("--quiet", help="Show no progress, and no messages except notes and errors.")]
Nearest = Annotated[int, typer.Option("-k", metavar="N", min=1, help="How many to show.")]


def with_reading_options(command: Callable[..., None]) -> Callable[..., None]:
    """Give a command the options of how texts are read, in place of its ``reading``: the arguments of read_files."""
    signature = inspect.signature(command, eval_str=True)
    # --sample is a training parameter too, by gensim's name.
    is_training = any(one.kind is inspect.Parameter.VAR_KEYWORD for one in signature.parameters.values())
    flags = ["--sample-documents"] if is_training else ["--sample", "--sample-documents"]
    drawn = typer.Option(*flags, metavar="N", min=1, help="Draw N documents at random (--seed).", show_default="all")
    options = [
        _keyword("text_column", TextColumn, None),
        _keyword("input_format", InputFormat, None),
        _keyword("limit", Limit, None),
        _keyword("sample_documents", Annotated[int | None, drawn], None),
    ]
    has_seed = is_training or "seed" in signature.parameters
    options += [] if has_seed else [_keyword("seed", Seed, 0)]
    for name, kind, default, setting in parameters_of(Parameters):
        if name in READING_RULES:
            shown = setting.default or default not in (None, False)
            option = typer.Option(f"--{name.replace('_', '-')}", help=setting.help, show_default=shown)
            options.append(_keyword(name, Annotated[kind, option], default))
    parameters = [one for one in signature.parameters.values() if one.name != "reading"]

    @wraps(command)
    def run(**arguments: Any) -> None:  # noqa: ANN401
        from doc2vecc.corpus.report import ReadingRules, Selection

        seed = arguments["seed"] if has_seed else arguments.pop("seed")
        only = Selection(arguments.pop("limit"), arguments.pop("sample_documents"), seed)
        rules = {name: arguments.pop(name) for name in READING_RULES}
        rules["delimiter"] = {"\\t": "\t", "tab": "\t"}.get(rules["delimiter"], rules["delimiter"])
        reading = {name: arguments.pop(name) for name in ("text_column", "input_format")}
        command(reading=reading | {"rules": ReadingRules(**rules), "only": only}, **arguments)

    return _with_parameters(run, [*parameters, *options])


def with_tokenizer_options(command: Callable[..., None]) -> Callable[..., None]:
    """Give a command the options of how texts are split, in place of its ``tokenizer``; None is what the model says.

    Commands that learn have ``--stop-words`` too.
    """
    signature = inspect.signature(command, eval_str=True)
    options = [_keyword("tokenizer", TokenizerName, None), _keyword("token_pattern", TokenPattern, None)]
    parameters = [one for one in signature.parameters.values() if one.name != "tokenizer"]
    if command.__name__ in LEARNING:
        options.append(_keyword("stop_words", StopWords, None))

    @wraps(command)
    def run(**arguments: Any) -> None:  # noqa: ANN401
        name, pattern, words = (arguments.pop(one, None) for one in TOKEN_OPTIONS)
        tokenizer = None
        if (name, pattern, words) != (None, None, None):  # otherwise nothing is imported for it
            from doc2vecc.corpus.token_rules import choose_tokenizer, find_tokenizer

            own = None if name is None else find_tokenizer(name)
            tokenizer = choose_tokenizer(own, pattern, words if words in (None, "english") else _lines_of(words))
        command(tokenizer=tokenizer, **arguments)

    return _with_parameters(run, [*parameters, *options])


def _lines_of(path: str) -> list[str]:
    """Read the lines of a file that are not blank."""
    from doc2vecc.corpus.sources import read_files

    lines = (line.strip() for texts in read_files([path], input_format="txt").texts() for line in texts.to_pylist())
    return [line for line in lines if line]


def given_rules(reading: ReadingOptions) -> dict[str, Any]:
    """Return the options of how texts are read that are not the defaults, by name."""
    only = reading["only"]
    values = reading | vars(reading["rules"]) | {"limit": only.limit, "sample_documents": only.sample}
    defaults = {one.name: one.default for one in parameters_of(Parameters)}
    names = ("text_column", "input_format", "limit", "sample_documents", *READING_RULES)
    return {name: values[name] for name in names if values[name] != defaults.get(name)}


def as_options(settings: Mapping[str, Any]) -> list[str]:
    """Write settings as options of the command line.

    >>> as_options({"vector_size": 300, "ngram_range": (1, 2), "binary": True})
    ['--vector-size', '300', '--ngram-range', '1', '2', '--binary']
    """
    written = []
    for name, value in settings.items():
        written.append(f"--{'' if value is not False else 'no-'}{name.replace('_', '-')}")
        if not isinstance(value, bool):
            written += map(str, value) if isinstance(value, tuple) else [str(value)]
    return written


def with_quiet_option(command: Callable[..., None]) -> Callable[..., None]:
    """Give a command ``--quiet``."""
    signature = inspect.signature(command, eval_str=True)

    @wraps(command)
    def run(**arguments: Any) -> None:  # noqa: ANN401
        with quietly(arguments.pop("quiet")):
            command(**arguments)

    return _with_parameters(run, [*signature.parameters.values(), _keyword("quiet", Quiet, False)])


def _keyword(name: str, kind: Any, default: Any) -> inspect.Parameter:  # noqa: ANN401
    return inspect.Parameter(name, inspect.Parameter.KEYWORD_ONLY, default=default, annotation=kind)


def _with_parameters(command: Callable[..., None], parameters: Sequence[inspect.Parameter]) -> Callable[..., None]:
    """Let Typer see these parameters of a command, by keyword only, so that their order is free."""
    others, keyword = inspect.Parameter.VAR_KEYWORD, inspect.Parameter.KEYWORD_ONLY
    parameters = [one if one.kind is others else one.replace(kind=keyword) for one in parameters]
    command.__signature__ = inspect.Signature(sorted(parameters, key=lambda one: one.kind))  # type: ignore[attr-defined]
    command.__annotations__ = {one.name: one.annotation for one in parameters}
    return command


def with_training_options(command: Callable[..., None]) -> Callable[..., None]:
    """Give a command an option for each training parameter and ``--seed``, in place of its ``**settings``."""
    signature = inspect.signature(command, eval_str=True)
    seed = next(one for one in parameters_of(Parameters) if one.name == "random_state")
    seed = seed._replace(name="seed", kind=int, setting=seed.setting._replace(group="training", default=""))
    parameters = [one for one in signature.parameters.values() if one.kind is not inspect.Parameter.VAR_KEYWORD]
    for name, kind, default, setting in (*parameters_of(TrainingParameters), seed):
        panel, shown = setting.group.capitalize(), setting.default or True
        option = typer.Option(help=setting.help, rich_help_panel=panel, show_default=shown)
        if kind == int | Auto:
            kind = str
            option = typer.Option(help=setting.help, rich_help_panel=panel, parser=_whole_or_auto, metavar="N|auto")
        parameters.append(_keyword(name, Annotated[kind, option], default))
    return _with_parameters(command, parameters)


def _whole_or_auto(value: str) -> int | str:
    """Read a number; anything else is left for the rule of the parameter to judge."""
    return int(value) if value.lstrip("-").isdecimal() else value
