"""The documentation names what exists: links, commands, options, Python names."""

import ast
import importlib.util
import re
import subprocess
from pathlib import Path

import pytest
from typer.main import get_command

from doc2vecc.cli.app import app

ROOT = Path(__file__).parents[1]
LONGEST_PAGE = 1_500  # words, without tables and code
LINK = re.compile(r"!?\[[^\]]*\]\(([^)\s]+)\)")
FENCE = re.compile(r"^```(\w*)\n(.*?)^```", re.MULTILINE | re.DOTALL)
COMMAND = re.compile(r"(?:^|[|$] )doc2vecc ([a-z][\w-]*)([^|]*)")


def markdown_files():
    """Return every Markdown file that is or will be part of the repository, as paths below the root."""
    listing = ["git", "ls-files", "--cached", "--others", "--exclude-standard", "*.md"]
    try:
        found = subprocess.run(listing, cwd=ROOT, check=True, capture_output=True, text=True).stdout.splitlines()
    except (OSError, subprocess.CalledProcessError):  # an unpacked archive
        found = [path.relative_to(ROOT).as_posix() for path in ROOT.glob("*.md")]
        found += [path.relative_to(ROOT).as_posix() for path in ROOT.glob("**/docs/*.md")]
    return sorted(name for name in found if (ROOT / name).exists())


def anchors(text):
    """Return the anchors that GitHub gives to the headings of a page.

    >>> anchors("# Shared draws: `shared_targets`")
    {'shared-draws-shared_targets'}
    """
    headings = re.findall(r"^#+ (.+)$", FENCE.sub("", text), re.MULTILINE)
    return {re.sub(r"[^\w\- ]", "", heading.lower()).replace(" ", "-") for heading in headings}


def broken_links(page):
    """List the relative links of a page that lead nowhere."""
    broken = []
    for link in LINK.findall(FENCE.sub("", page.read_text("utf-8"))):
        if re.match(r"[a-z]+:", link):
            continue
        name, _, anchor = link.partition("#")
        target = page.parent / name if name else page
        lacks_anchor = anchor and target.suffix == ".md" and anchor not in anchors(target.read_text("utf-8"))
        if not target.exists() or lacks_anchor:
            broken.append(link)
    return broken


def shell_commands(text):
    """List (subcommand, options) of each command in the examples of a page and in its prose.

    >>> shell_commands("As in `doc2vecc embed a.d2v - -o -`, doc2vecc reads stdin.")
    [('embed', ['-o'])]
    """
    lines = [line for language, code in FENCE.findall(text) if language != "python" for line in code.splitlines()]
    lines += re.findall(r"`([^`\n]+)`", FENCE.sub("", text))
    bare = [re.sub(r'"[^"]*"|#.*', "", line) for line in lines]  # without quoted texts and comments
    found = [match for line in bare for match in COMMAND.findall(line)]
    return [(name, re.findall(r"(?<!\S)--?[a-z][\w-]*", options)) for name, options in found]


@pytest.mark.parametrize("name", markdown_files())
def test_relative_links_lead_somewhere(name):
    assert broken_links(ROOT / name) == []


def test_a_broken_link_is_found(tmp_path):
    page = tmp_path / "page.md"
    page.write_text("# Top\n[a](missing.md) [b](#top) [c](#nowhere) [d](https://example.org/x) [e](page.md#top)\n")
    assert broken_links(page) == ["missing.md", "#nowhere"]


@pytest.mark.parametrize(
    "name",
    [
        *("README.md", "CONTRIBUTING.md", "SECURITY.md", "docs/evaluation.md", "docs/exports.md", "docs/input.md"),
        *("docs/maps.md", "docs/comparison.md", "docs/faq.md", "docs/reliability.md", "docs/search.md"),
        *("docs/serving.md", "docs/tutorial.md", "docs/install.md", "docs/few-labels.md", "docs/continuing.md"),
        *(
            "docs/languages.md",
            "docs/resources.md",
            "docs/training.md",
            "docs/choosing.md",
            "docs/tasks.md",
            "docs/scaling.md",
        ),
    ],
)
def test_commands_and_their_options_exist(name):
    commands = get_command(app).commands
    for command, options in shell_commands((ROOT / name).read_text("utf-8")):
        assert command in commands, f"there is no doc2vecc {command}"
        parameters = commands[command].params
        known = {name for parameter in parameters for name in (*parameter.opts, *parameter.secondary_opts)}
        assert set(options) <= known, f"doc2vecc {command} has no {set(options) - known}"


def test_readme_shows_every_command():
    shown = {command for command, _ in shell_commands((ROOT / "README.md").read_text("utf-8"))}
    assert shown == set(get_command(app).commands)


@pytest.mark.parametrize("name", sorted(page.name for page in (ROOT / "docs").glob("*.md")))
def test_pages_are_short(name):
    text = FENCE.sub("", (ROOT / "docs" / name).read_text("utf-8"))
    prose = "\n".join(line for line in text.splitlines() if not line.startswith(("|", "    ")))
    assert len(prose.split()) <= LONGEST_PAGE, "split the page"


@pytest.mark.parametrize("name", [name for name in markdown_files() if not name.startswith("experiments/")])
def test_benchmarks_that_can_be_run_exist(name):
    for module in re.findall(r"python -m ((?:benchmarks|doc2vecc)[\w.]*)", (ROOT / name).read_text("utf-8")):
        assert importlib.util.find_spec(module) is not None


@pytest.mark.parametrize("name", ["README.md", *(f"docs/{page.name}" for page in (ROOT / "docs").glob("*.md"))])
def test_python_examples_import_public_names(name):
    for language, code in FENCE.findall((ROOT / name).read_text("utf-8")):
        if language != "python":
            continue
        for node in ast.walk(ast.parse(code)):
            if isinstance(node, ast.ImportFrom) and (node.module or "").split(".")[0] == "doc2vecc":
                public = importlib.import_module(node.module).__all__
                assert {alias.name for alias in node.names} <= set(public)
