"""``doc2vecc-paper``: the list, a run, the report, and mistakes of the user."""

import re
from pathlib import Path

import pytest

from doc2vecc_paper import catalog, report
from doc2vecc_paper.cli import main
from made_up import MadeUp


def refused(capsys: pytest.CaptureFixture[str], *arguments: str) -> str:
    """Run a command that must fail with one line, and return the line."""
    before = sorted(Path().rglob("*"))
    assert main(arguments) == 2
    out, err = capsys.readouterr()
    assert out == ""
    assert err.startswith("error: ")
    assert err.count("\n") == 1
    assert sorted(Path().rglob("*")) == before
    return err


@pytest.fixture
def made_up(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> MadeUp:
    """Two made-up experiments in place of the real ones, in an empty working folder with their data."""
    first = MadeUp("first")
    monkeypatch.setattr(catalog, "EXPERIMENTS", (first.experiment, MadeUp("second", "another").experiment))
    monkeypatch.delenv("DOC2VECC_DATA", raising=False)
    monkeypatch.chdir(tmp_path)
    (tmp_path / "data").mkdir()
    (tmp_path / "data" / "made-up").touch()
    return first


def test_the_list_shows_what_is_finished(made_up: MadeUp, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["first", "--data", "data", "--seeds", "1"]) == 0
    capsys.readouterr()
    assert main(["--data", "data"]) == 0
    out, err = capsys.readouterr()
    first, second = out.splitlines()[1:]
    assert first.split()[:5] == ["first", "6m", "2", "of", "6"]
    assert "A made-up table  made-up  Table 0" in first
    assert second.split()[:5] == ["second", "6m", "0", "of", "6"]
    assert "A made-up table  made-up  Table 0" in second
    assert err == "try: doc2vecc-paper first --quick --data DIR\n"


def test_the_list_needs_no_data(made_up: MadeUp, capsys: pytest.CaptureFixture[str]) -> None:
    assert main([]) == 0
    out, err = capsys.readouterr()
    assert out.count("no data") == 2
    assert err.startswith("note: no data folder is given; use --data DIR, or set DOC2VECC_DATA\ntry: ")


def test_a_run_prints_a_line_for_each_cell_and_the_paper_beside_ours(
    made_up: MadeUp, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["first", "--data", "data", "--seeds", "2"]) == 0
    out, err = capsys.readouterr()
    assert re.search(r"Doc2VecC +12\.50 +10\.50 ± 0\.71 +2", out)
    assert "- all of it is made up" in out
    lines = err.splitlines()
    assert lines[0].startswith("4 of 4 measurements are left; they take about 4m on two cores, and a minute more if")
    assert re.fullmatch(r"1/4 first: BOW, seed 0: .*s", lines[1])
    assert len(lines) == 5
    assert len(list(Path("paper-results/cells").iterdir())) == 4
    assert not Path("paper-results/report.md").exists()


def test_what_a_measurement_warns_of_is_said_at_once_and_noted(
    made_up: MadeUp, capsys: pytest.CaptureFixture[str]
) -> None:
    made_up.messages = ["the loss is 9.3"]
    assert main(["first", "--data", "data", "--seeds", "1"]) == 0
    out, err = capsys.readouterr()
    assert "- BOW, Doc2VecC: the loss is 9.3.\n" in out
    assert err.splitlines()[2] == "note: the loss is 9.3"


def test_a_second_run_reads(made_up: MadeUp, capsys: pytest.CaptureFixture[str]) -> None:
    for _ in range(2):
        assert main(["first", "--data", "data", "-o", "out"]) == 0
    assert set(made_up.runs.values()) == {1}
    assert "all measurements are finished; they are read from out/cells\n" in capsys.readouterr().err


def test_without_a_library_its_method_is_left_out_and_said_so(
    made_up: MadeUp, capsys: pytest.CaptureFixture[str]
) -> None:
    made_up.is_without = "BOW"
    assert main(["first", "--data", "data", "--seeds", "2"]) == 0
    lines = capsys.readouterr().err.splitlines()
    assert lines[0] == "note: first: BOW needs a library: pip install it"
    assert lines[1].startswith("2 of 2 measurements are left")
    assert set(made_up.runs) == {"Doc2VecC 0", "Doc2VecC 1"}
    assert lines[-1] == "note: first: 2 of 4 measurements are finished"


def test_an_experiment_without_its_library_is_refused_until_something_is_finished(
    made_up: MadeUp, capsys: pytest.CaptureFixture[str]
) -> None:
    made_up.is_without = "BOW Doc2VecC"
    command = ["first", "--data", "data", "--seeds", "1"]
    assert "first needs a library: pip install it" in refused(capsys, *command)
    assert main(["--data", "data"]) == 0
    out, err = capsys.readouterr()
    assert out.splitlines()[1].split()[:4] == ["first", "0", "of", "6"]
    assert err.startswith("note: first needs a library: pip install it\n")
    made_up.is_without = ""
    assert main(command) == 0
    made_up.is_without = "BOW Doc2VecC"
    assert main(command) == 0
    out, err = capsys.readouterr()
    assert re.search(r"Doc2VecC +12\.50 +10\.00", out)
    assert "note: first needs a library: pip install it\nall measurements are finished" in err


def test_all_writes_a_report(made_up: MadeUp, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["--all", "--data", "data", "-o", "out", "--quick"]) == 0
    assert capsys.readouterr().err.endswith("the report is out/report.md\n")
    assert Path("out/report.json").exists()
    assert "1 seeds" not in Path("out/report.md").read_text()
    assert len(list(Path("out/cells").iterdir())) == 4


def test_a_quick_run_leaves_real_results_alone(made_up: MadeUp, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["--all", "--data", "data"]) == 0
    report = Path("paper-results/report.md").read_text()
    assert main(["--all", "--data", "data", "--quick"]) == 0
    assert Path("paper-results/report.md").read_text() == report
    assert "A quick run" in Path("paper-results-quick/report.md").read_text()


def test_an_interrupted_report_leaves_the_one_before_and_says_what_is_kept(
    made_up: MadeUp, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    assert main(["--all", "--data", "data"]) == 0
    before = {path.name: path.read_text() for path in Path("paper-results").glob("report.*")}
    capsys.readouterr()

    def interrupted(*_: object) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr(report, "as_markdown", interrupted)
    assert main(["--all", "--data", "data"]) == 130
    assert capsys.readouterr().err.endswith("interrupted; finished measurements are in paper-results/cells\n")
    assert {path.name: path.read_text() for path in Path("paper-results").iterdir() if path.is_file()} == before


def test_report_only_measures_nothing(made_up: MadeUp, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["--report-only", "--data", "data"]) == 0
    assert not made_up.runs
    assert "note: first: 0 of 6 measurements are finished" in capsys.readouterr().err
    assert Path("paper-results/report.md").exists()


def test_an_interruption_says_what_is_kept(made_up: MadeUp, capsys: pytest.CaptureFixture[str]) -> None:
    made_up.interrupts_at = "Doc2VecC 0"
    assert main(["first", "--data", "data"]) == 130
    assert capsys.readouterr().err.endswith(
        "interrupted; 3 of 6 measurements are in paper-results/cells; the same command continues from there\n"
    )


def test_on_a_terminal_there_is_a_bar(
    made_up: MadeUp, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("FORCE_COLOR", "1")
    monkeypatch.setenv("TERM", "xterm")
    monkeypatch.setenv("COLUMNS", "120")
    assert main(["first", "--data", "data", "--seeds", "1"]) == 0
    err = capsys.readouterr().err
    assert "1/2 first: BOW" in err
    assert "left" in err


def test_mistakes_are_one_line(made_up: MadeUp, capsys: pytest.CaptureFixture[str]) -> None:
    assert "no experiment 'third'; choose from first, second" in refused(capsys, "third")
    assert "no data folder is given" in refused(capsys, "first")
    assert "nowhere does not exist" in refused(capsys, "first", "--data", "nowhere")
    (Path("data") / "made-up").unlink()
    assert "has no made-up data; make some" in refused(capsys, "--all", "--data", "data")
    assert "exclude each other" in refused(capsys, "first", "--quick", "--full")
    assert "leave out either --all or the names" in refused(capsys, "first", "--all")
    assert "--seeds" in refused(capsys, "first", "--seeds", "0")
