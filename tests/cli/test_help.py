"""Help, version, and how the commands print."""

import os
import re
import shlex
import subprocess
import sys
from pathlib import Path
from typing import cast

import numpy as np
import pytest
from typer.main import get_command

from doc2vecc import __version__, console, storage
from doc2vecc.cli import main
from doc2vecc.cli.app import app
from doc2vecc.cli.terminal import program
from doc2vecc.config import TrainingConfig
from doc2vecc.console import (
    COMPILING,
    ProgressBar,
    counted,
    notify_on_compile,
    one_line,
    progress_bar,
    shortened,
    stdout,
)
from doc2vecc.corpus.sources import TextBatches
from doc2vecc.parameters import NGRAM_DEFAULTS, WORD_DEFAULTS
from doc2vecc.tables import print_table

COMMANDS = [
    *("train", "tune", "embed", "similar", "index", "search", "update", "duplicates", "outliers"),
    *("words", "explain", "map", "topics", "evaluate", "inspect", "demo"),
]


def test_version(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["--version"]) == 0
    assert capsys.readouterr().out == f"doc2vecc {__version__}\n"


@pytest.mark.parametrize("arguments", [[], ["--help"], ["-h"]])
def test_help_lists_the_commands(arguments: list[str], capsys: pytest.CaptureFixture[str]) -> None:
    assert main(arguments) == 0
    shown = capsys.readouterr().out
    places = [shown.index(f"│ {command} ") for command in COMMANDS]
    assert places == sorted(places)


def test_help_loses_nothing_in_brackets() -> None:
    """What stands in brackets, such as the name of an extra, is read as markup and not shown."""
    for command in get_command(app).commands.values():
        assert set(re.findall(r"\[([^]]*)\]", command.help or "")) <= {"bold", "/bold"}, command.name


def examples(command: str, capsys: pytest.CaptureFixture[str]) -> list[list[str]]:
    assert main([command, "--help"]) == 0
    return [shlex.split(line) for line in re.findall("Example: doc2vecc (.*)", capsys.readouterr().out)]


@pytest.mark.slow
def test_the_examples_of_the_help_work(here: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (here / "reviews.d2v").unlink()  # the first example makes it
    for command in COMMANDS[:-1]:
        found = examples(command, capsys)
        assert found
        for arguments in found:
            assert main(arguments) == 0, arguments
    assert examples("demo", capsys) == [["demo"], ["demo", "--data", "reviews.csv"]]
    assert (here / "reviews.parquet").exists()


def test_every_setting_has_an_option_with_its_default(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("COLUMNS", "200")
    assert main(["train", "--help"]) == 0
    shown = capsys.readouterr().out
    settings = vars(TrainingConfig()) | {
        "workers": "(all cores)",
        "ngram_range": "(words; in scripts without spaces also pairs of characters)",
    }
    settings |= {"binary": "no-binary", "predict_ngrams": "predict-ngrams", "reproducible": "no-reproducible"}
    settings |= {name: f"({WORD_DEFAULTS[name]}, with n-grams {NGRAM_DEFAULTS[name]})" for name in WORD_DEFAULTS}
    del settings["document"]  # what makes it Doc2VecC; the others are baselines
    for name, value in settings.items():
        default = "" if value is None else rf"\[default: {re.escape(str(value))}\]"
        assert re.search(f"^│ +--{name.replace('_', '-')} .*{default}", shown, re.MULTILINE)


def test_help_is_quick_because_nothing_heavy_is_imported() -> None:
    code = (
        "import sys; from doc2vecc.cli import main; main(['train', '--help']);"
        "sys.exit(bool({'numba', 'pyarrow', 'sklearn', 'numpy'} & sys.modules.keys()))"
    )
    assert subprocess.run([sys.executable, "-c", code], stdout=subprocess.DEVNULL, timeout=60).returncode == 0


@pytest.mark.parametrize(
    ("typed", "offered"), [("doc2vecc em", ["embed"]), ("doc2vecc embed --text", ["--text-column"])]
)
def test_the_shell_completes_commands_and_options(typed: str, offered: list[str]) -> None:
    n_words = str(len(typed.split()) - 1)
    asked = {"_DOC2VECC_COMPLETE": "complete_bash", "COMP_WORDS": typed, "COMP_CWORD": n_words}
    command = [sys.executable, "-m", "doc2vecc"]
    done = subprocess.run(command, env=os.environ | asked, capture_output=True, text=True, check=True)
    assert done.stdout.split() == offered


def test_quiet_leaves_results_and_errors(here: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["train", "reviews.txt", "-o", "new.d2v", "--epochs", "1", "--vector-size", "4", "--quiet"]) == 0
    assert main(["embed", "new.d2v", "reviews.txt", "-o", "-", "--limit", "1", "--quiet"]) == 0
    out, err = capsys.readouterr()
    assert (out.count("\n"), err) == (1, "")
    assert main(["words", "new.d2v", "nosuchword", "--quiet"]) == 2
    assert capsys.readouterr().err.startswith("error: 'nosuchword' is not among")


def test_one_line() -> None:
    assert one_line(" a\n\tb\x1b[2J\x00c\u202ed ") == "a b [2J c d"


def test_shortened() -> None:
    assert shortened("a" * 10, 10) == "a" * 10
    assert shortened("start" + "x" * 100 + "end", 15) == "start ... xxend"


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


def test_print_table_keeps_the_least_width_of_the_last_column(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    rows = [["1", "t" * 30, "w" * 30, "x" * 50], ["2", "short", "", "y"]]
    monkeypatch.setenv("COLUMNS", "50")
    print_table(stdout(), ["n", "title", "words", "text"], rows, least=20)
    assert capsys.readouterr().out == (
        "n  title        words         text\n"
        "1  tttttttttt…  wwwwwwwwwww…  xxxxxxxxxxxxxxxxxxx…\n"
        "2  short                      y\n"
    )
    monkeypatch.setenv("COLUMNS", "200")
    print_table(stdout(), ["n", "title", "words", "text"], rows, least=20)
    assert capsys.readouterr().out.splitlines()[1] == f"1  {'t' * 30}  {'w' * 30}  {'x' * 50}"


def test_compiling_is_told_once(capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> None:
    import numba

    monkeypatch.setattr(console, "_told", [])
    with notify_on_compile():
        numba.njit(lambda x: x + 1)(1)
        numba.njit(lambda x: x + 2)(1)
    numba.njit(lambda x: x + 3)(1)
    with notify_on_compile():
        numba.njit(lambda x: x + 5)(1)
    assert capsys.readouterr().err == "compiling what this step needs, once on this machine; some seconds\n"


class HalfRead:
    """Documents of which one half of the bytes has been read, then all."""

    total_bytes = 100

    def __init__(self) -> None:
        self._read = iter((50, 100))

    def bytes_read(self) -> int:
        return next(self._read)


def test_messages_go_above_the_bar(capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> None:
    import numba

    monkeypatch.setenv("FORCE_COLOR", "1")
    monkeypatch.setenv("TERM", "xterm")
    monkeypatch.setenv("COLUMNS", "100")
    monkeypatch.setattr(console, "_told", [])
    with notify_on_compile(), progress_bar(True) as progress:
        progress.reading(1)
        numba.njit(lambda x: x + 4)(1)
        progress.training(0.5, 1, 2, 1e6, 0.1)
    err = capsys.readouterr().err
    # The line of the bar is erased, the message takes its place, and the bar is drawn again below.
    assert re.search(rf"\r\x1b\[2K{re.escape(COMPILING)}\n", err)
    assert "training" in err.partition(COMPILING)[2]


def test_the_bar_knows_how_much_is_left(capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("FORCE_COLOR", "1")
    monkeypatch.setenv("TERM", "xterm")
    with progress_bar(True, cast(TextBatches, HalfRead())) as progress:
        assert isinstance(progress, ProgressBar)
        (task,) = progress._bar.tasks
        assert (task.description, task.total, task.completed) == ("reading", 100, 0)
        progress.reading(1)
        assert (task.completed, task.fields["detail"]) == (50, "1 document")
        progress.reading(1)
        (task,) = progress._bar.tasks
        assert (task.description, task.total, task.fields["detail"]) == ("working", None, "2 documents")
        progress.training(0.25, 1, 2, 1e6, 0.1)
        (task,) = progress._bar.tasks
        assert (task.description, task.total, task.completed) == ("training", 1, 0.25)
    assert re.search(r"elapsed.*0:00:00.*left.*-:--:--", capsys.readouterr().err)


def test_counted() -> None:
    assert [counted(number, "word") for number in (0, 1, 2000)] == ["0 words", "1 word", "2,000 words"]


def test_the_program_is_named_so_that_it_can_be_called(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    here = tmp_path / "here"
    script = here / ".venv/bin/doc2vecc"
    script.parent.mkdir(parents=True)
    script.touch(mode=0o700)
    monkeypatch.chdir(here)
    monkeypatch.setenv("PATH", "")
    for started in (".venv/bin/doc2vecc", str(script)):
        monkeypatch.setattr(sys, "argv", [started])
        monkeypatch.setenv("PATH", "")
        assert program() == started
        monkeypatch.setenv("PATH", str(script.parent))
        assert program() == "doc2vecc"
    other = tmp_path / "an other/doc2vecc"
    monkeypatch.setattr(sys, "argv", [str(other)])
    assert program() == f"'{other}'"
    monkeypatch.chdir(script.parent)
    monkeypatch.setenv("PATH", "/nowhere")
    monkeypatch.setattr(sys, "argv", ["./doc2vecc"])
    assert program() == "./doc2vecc"
    monkeypatch.setattr(sys, "argv", [str(tmp_path / "doc2vecc/__main__.py")])
    assert program() == f"{sys.executable} -m doc2vecc"


def test_a_defect_of_ours_is_not_called_a_mistake(here: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(storage, "load", lambda *_: np.zeros(2).reshape(3))
    with pytest.raises(ValueError, match="cannot reshape"):
        main(["inspect", "reviews.d2v"])
