"""Pages of the docs site that are made, not written: home, changelog, and the reference; a hook of MkDocs.

README.md and CHANGELOG.md become pages. The reference has every command, from its help, and every public name, from its
docstring. Links that leave the folder ``docs`` lead to the repository.
"""

from __future__ import annotations

import importlib
import inspect
import posixpath
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from mkdocs.config.defaults import MkDocsConfig
from mkdocs.structure.files import File, Files
from mkdocs.structure.pages import Page
from typer.main import get_command

from doc2vecc.cli.app import app

ROOT = Path(__file__).parent.parent
REPOSITORY = "https://github.com/doc2vecc/doc2vecc/blob/main/"
# Not doc2vecc.bertopic, which cannot be imported without BERTopic; docs/maps.md describes it.
MODULES = (
    "doc2vecc",
    "doc2vecc.search",
    "doc2vecc.map",
    "doc2vecc.evaluation",
    "doc2vecc.baselines",
    "doc2vecc.cluster",
)
LINK = re.compile(r"(?<=\]\()(?![a-z]+:|#)([^)\s#]*)(#[^)\s]*)?(?=\))")
SECTION = re.compile(r"^([A-Z][A-Za-z ]+)\n-{3,}$", re.MULTILINE)
ENTRY = re.compile(r"^(\*{0,2}\w[\w, *]*?) : (.+)$", re.MULTILINE)


def on_files(files: Files, config: MkDocsConfig) -> Files:
    """Add the pages that are made."""
    pages = {
        "index.md": relinked((ROOT / "README.md").read_text("utf-8"), ""),
        "changelog.md": relinked((ROOT / "CHANGELOG.md").read_text("utf-8"), ""),
        "reference/commands.md": "\n".join(commands_page()),
    }
    for module in MODULES:
        pages[f"reference/{module.rpartition('.')[2]}.md"] = "\n".join(module_page(module))
    for name, content in pages.items():
        files.append(File.generated(config, name, content=content))
    return files


def on_page_markdown(markdown: str, page: Page, config: MkDocsConfig, files: Files) -> str:  # noqa: ARG001
    """Let links of a written page that leave the folder lead to the repository, or to the page made of their target."""
    made = page.file.generated_by is not None
    return markdown if made else relinked(markdown, "docs")


def relinked(markdown: str, folder: str) -> str:
    """Rewrite the links of a page in a folder of the repository.

    >>> relinked("[a](docs/maps.md#topics) [b](LICENSE) [c](README.md) [d](#top)", "")
    '[a](maps.md#topics) [b](https://github.com/doc2vecc/doc2vecc/blob/main/LICENSE) [c](index.md) [d](#top)'
    """

    def target(match: re.Match[str]) -> str:
        path = posixpath.normpath(posixpath.join(folder, match[1]))
        anchor = match[2] or ""
        special = {"README.md": "index.md", "CHANGELOG.md": "changelog.md"}
        if path in special:
            return special[path] + anchor
        return path.removeprefix("docs/") + anchor if path.startswith("docs/") else REPOSITORY + path + anchor

    return LINK.sub(target, markdown)


def commands_page() -> Iterator[str]:
    """Write the help of every command, its arguments and its options."""
    yield "# Commands\n\nThis is what `doc2vecc COMMAND --help` shows.\n"
    group: Any = get_command(app)
    for name, command in group.commands.items():
        yield f"## doc2vecc {name}\n"
        yield plain(inspect.cleandoc(command.help or "")) + "\n"
        arguments = [shown_argument(p) for p in command.params if p.param_type_name == "argument"]
        yield f"```text\n{' '.join(['doc2vecc', name, *arguments, '[OPTIONS]'])}\n```\n"
        yield "| argument or option | meaning | default |\n|---|---|---|"
        for parameter in command.params:
            help_text = plain(getattr(parameter, "help", None) or "")
            names = ", ".join(f"`{text}`" for text in (*parameter.opts, *parameter.secondary_opts))
            if parameter.param_type_name == "argument":
                names = f"`{shown_argument(parameter)}`"
            yield f"| {cell(names)} | {cell(help_text)} | {cell(default_of(parameter))} |"
        yield ""


def shown_argument(parameter: Any) -> str:  # noqa: ANN401 - an argument of Typer's own copy of click
    """Name an argument as the help does; in brackets if it may be left out."""
    name = parameter.metavar or parameter.name.upper()
    return name if parameter.required else f"[{name}]"


def default_of(parameter: Any) -> str:  # noqa: ANN401 - an option of Typer's own copy of click
    """Write the default of an option as its help does; an empty text where there is none."""
    shown = getattr(parameter, "show_default", None)
    if isinstance(shown, str):
        return shown
    default = parameter.default
    return "" if default in (None, False, (), []) or callable(default) or "UNSET" in repr(default) else f"`{default}`"


def plain(text: str) -> str:
    """Write Rich's markup as Markdown.

    >>> plain("Example: [bold]doc2vecc inspect a.d2v[/bold]")
    'Example: `doc2vecc inspect a.d2v`'
    """
    text = re.sub(r"\[bold\](.*?)\[/bold\]", r"`\1`", text, flags=re.DOTALL).replace("\\[", "[")
    return re.sub(r"\n(?=Example)", "  \n", text.replace("\b", ""))  # two blanks: a new line


def cell(text: str) -> str:
    """Write a text for a table."""
    return " ".join(text.split()).replace("|", "\\|").replace("<", "&lt;")


def module_page(module: str) -> Iterator[str]:
    """Write the public names of a module."""
    package = importlib.import_module(module)
    yield f"# {module}\n\nThe public names of `{module}`.\n"
    for name in sorted(package.__all__, key=lambda name: is_error(getattr(package, name))):  # errors come last
        if name.startswith("__"):
            continue
        thing = getattr(package, name)
        if not (inspect.isclass(thing) or inspect.isfunction(thing)):
            continue
        yield f"## {name}\n"
        yield from described(thing, name)
        if inspect.isclass(thing) and not is_error(thing):
            for member, function in members(thing):
                yield f"### {name}.{member}\n"
                yield from described(function, member)


def is_error(thing: Any) -> bool:  # noqa: ANN401
    """Tell whether this is an exception or a warning."""
    return inspect.isclass(thing) and issubclass(thing, BaseException)


def members(kind: type) -> Iterator[tuple[str, Any]]:
    """List the public methods and properties of a class that are our own and have a docstring."""
    for name, value in inspect.getmembers(kind):
        function = value.fget if isinstance(value, property) else inspect.unwrap(value) if callable(value) else None
        ours = str(getattr(function, "__module__", "")).startswith("doc2vecc")
        if not name.startswith("_") and ours and not inspect.isclass(value) and inspect.getdoc(function):
            yield name, value


def described(thing: Any, name: str) -> Iterator[str]:  # noqa: ANN401 - a class, function or property
    """Write signature and docstring."""
    if not isinstance(thing, property) and not is_error(thing):
        yield f"```python\n{signature(thing, name)}\n```\n"
    yield markdown_of(inspect.getdoc(thing) or "") + "\n"


def signature(thing: Any, name: str, width: int = 90) -> str:  # noqa: ANN401
    """Write a signature; a long one with a parameter per line, and without types."""
    try:
        found = inspect.signature(thing)
    except ValueError:
        return name
    text = f"{name}{found}"
    if len(text) <= width:
        return text
    bare = [p.replace(annotation=inspect.Parameter.empty) for p in found.parameters.values()]
    text = f"{name}{found.replace(parameters=bare, return_annotation=inspect.Signature.empty)}"
    return text if len(text) <= width else text.replace("(", "(\n    ", 1).replace(", ", ",\n    ")


def markdown_of(docstring: str) -> str:
    r"""Write a docstring as Markdown: sections, parameters, and examples.

    >>> markdown_of("Sum.\n\nParameters\n----------\na : int\n    The first.").splitlines()
    ['Sum.', '', '**Parameters**', '', '- `a` : int  ', '  The first.']
    """
    lines, inside = [], False
    for line in SECTION.sub(r"**\1**\n", docstring).replace("``", "`").splitlines():
        example = line.lstrip().startswith((">>>", "..."))
        if example and not inside:
            lines += ["", "```pycon"]
            inside = True
        elif inside and not line.strip():
            lines += ["```"]
            inside = False
        entry = None if inside else ENTRY.match(line)
        if entry:
            line = f"- `{entry[1]}` : {entry[2]}  "  # two blanks: a new line
        lines.append(line if inside else re.sub(r"^ {4}(?=\S)", "  ", line))
    return "\n".join([*lines, "```"] if inside else lines)
