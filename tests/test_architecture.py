"""The limits that ARCHITECTURE.md states."""

import ast
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parent.parent
SOURCES = ROOT / "src" / "doc2vecc"
FILES = sorted(path.relative_to(SOURCES).as_posix() for path in SOURCES.rglob("*.py"))


def is_command(function):
    """A command of the command line: each of its parameters is an option."""
    return any("typer" in ast.unparse(one) or "Annotated" in ast.unparse(one) for one in ast.walk(function.args))


@pytest.mark.parametrize("name", FILES)
def test_files_and_functions_are_short(name):
    source = (SOURCES / name).read_text("utf-8")
    assert source.count("\n") <= 300
    for one in ast.walk(ast.parse(source)):
        if not isinstance(one, ast.FunctionDef) or (name.startswith("cli/") and is_command(one)):
            continue
        arguments = one.args.posonlyargs + one.args.args + one.args.kwonlyargs
        n_arguments = len([argument for argument in arguments if argument.arg not in {"self", "cls"}])
        assert one.end_lineno - one.lineno < 60, one.name
        assert n_arguments <= (8 if name.startswith("kernels/") else 7), one.name


@pytest.mark.slow
def test_the_traces_are_those_of_the_document():
    tool = ROOT / "tools" / "trace_modules.py"
    done = subprocess.run([sys.executable, tool], capture_output=True, text=True, check=True)
    fit, transform = (set(line.split(": ")[1].split(", ")) for line in done.stdout.splitlines())
    assert len(fit) <= 20
    assert len(transform) <= 10
    text = (ROOT / "ARCHITECTURE.md").read_text("utf-8")
    for heading, modules in (("`Doc2VecC().fit(", fit), ("`model.transform(", transform)):
        paragraph = next(part for part in text.split("\n\n") if part.startswith(heading))
        shown = {word.strip("`,.") for word in paragraph.split(" modules: ")[1].split()}
        assert shown == modules
