"""Help, version, and how the commands print."""

import re
import shlex
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

from doc2vecc import __version__, storage
from doc2vecc.cli import main
from doc2vecc.cli.compiling import MESSAGE, told_of_compiling
from doc2vecc.cli.printing import one_line, print_table, stdout
from doc2vecc.config import TrainingConfig

COMMANDS = ["train", "embed", "similar", "words", "explain", "inspect", "demo"]


def test_version(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["--version"]) == 0
    assert capsys.readouterr().out == f"doc2vecc {__version__}\n"


@pytest.mark.parametrize("arguments", [[], ["--help"], ["-h"]])
def test_help_lists_the_commands(arguments: list[str], capsys: pytest.CaptureFixture[str]) -> None:
    assert main(arguments) == 0
    shown = capsys.readouterr().out
    places = [shown.index(f"│ {command} ") for command in COMMANDS]
    assert places == sorted(places)


def examples(command: str, capsys: pytest.CaptureFixture[str]) -> list[list[str]]:
    assert main([command, "--help"]) == 0
    return [shlex.split(line) for line in re.findall("Example: doc2vecc (.*)", capsys.readouterr().out)]


def test_the_examples_of_the_help_work(here: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (here / "reviews.d2v").unlink()  # the first example makes it
    for command in COMMANDS[:-1]:
        found = examples(command, capsys)
        assert found
        for arguments in found:
            assert main(arguments) == 0, arguments
    assert examples("demo", capsys) == [["demo", "--output", "demo.d2v"]]
    assert (here / "reviews.parquet").exists()


def test_every_setting_has_an_option_with_its_default(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("COLUMNS", "200")
    assert main(["train", "--help"]) == 0
    shown = capsys.readouterr().out
    for name, value in (vars(TrainingConfig()) | {"workers": "(all cores)"}).items():
        default = "" if value is None else rf"\[default: {re.escape(str(value))}\]"
        assert re.search(f"^│ +--{name.replace('_', '-')} .*{default}", shown, re.MULTILINE)


def test_help_is_quick_because_nothing_heavy_is_imported() -> None:
    code = (
        "import sys; from doc2vecc.cli import main; main(['train', '--help']);"
        "sys.exit(bool({'numba', 'pyarrow', 'sklearn', 'numpy'} & sys.modules.keys()))"
    )
    assert subprocess.run([sys.executable, "-c", code], stdout=subprocess.DEVNULL, timeout=60).returncode == 0


def test_one_line() -> None:
    assert one_line(" a\n\tb\x1b[2J\x00c\u202ed ") == "a b [2J c d"


def test_print_table_cuts_the_last_column_only(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("COLUMNS", "24")
    print_table(stdout(), ["n", "name", "text"], [["1", "a [b]c[/b]", "x" * 50], ["10", "日本", "y"]], right=["n"])
    assert capsys.readouterr().out == (
        " n  name        text\n"  #
        " 1  a [b]c[/b]  xxxxxxx…\n"
        "10  日本        y\n"
    )


def test_compiling_is_told_once(capsys: pytest.CaptureFixture[str]) -> None:
    import numba

    with told_of_compiling():
        numba.njit(lambda x: x + 1)(1)
        numba.njit(lambda x: x + 2)(1)
    numba.njit(lambda x: x + 3)(1)
    assert capsys.readouterr().err == MESSAGE + "\n"


def test_a_defect_of_ours_is_not_called_a_mistake(here: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(storage, "load", lambda _folder: np.zeros(2).reshape(3))
    with pytest.raises(ValueError, match="cannot reshape"):
        main(["inspect", "reviews.d2v"])
