"""The report: tables of what is finished, figures if they can be drawn, and every cell as JSON."""

import json
from pathlib import Path

import pytest

from doc2vecc_paper import report
from doc2vecc_paper.experiment import Picture, Scope
from doc2vecc_paper.running import plan, run_all, unfinished
from made_up import MadeUp, Noting, a_store

SCOPE = Scope(seeds=(0, 1))


def paint(path: Path) -> None:
    for suffix in (".png", ".html"):
        path.with_name(path.name + suffix).touch()


def cannot_paint(path: Path) -> None:
    import no_such_library  # noqa: F401


@pytest.fixture
def data(tmp_path: Path) -> Path:
    (tmp_path / "made-up").touch()
    return tmp_path


def chapters(data: Path, made_up: MadeUp, count: int = 4) -> list[report.Chapter]:
    """Measure the first tasks of a made-up experiment."""
    store = a_store(data)
    planned = plan(made_up.experiment, data, SCOPE)
    run_all(unfinished([planned], store)[:count], store, Noting())
    return report.chapters([planned], store)


def test_the_report_has_tables_pictures_notes_and_differences(data):
    found = chapters(data, MadeUp(pictures=(Picture("curve", "A curve", paint),)))
    drawn = report.write(found, SCOPE, data / "out")
    assert drawn.messages == []
    text = (data / "out" / "report.md").read_text()
    assert "| Doc2VecC | 12.50 | 10.50 ± 0.71 | 2 |" in text
    assert "![A curve](figures/curve.png)" in text
    assert "[A curve (interactive)](figures/curve.html)" in text
    assert "- all of it is made up" in text
    assert "`doc2vecc-paper made-up`: 4 of 4 measurements finished" in text
    assert all(difference in text for difference in report.DIFFERENCES)
    assert "quick run" not in text
    assert {file.name for file in drawn.files["curve"]} == {"curve.png", "curve.html"}


def test_report_json_has_every_cell(data):
    report.write(chapters(data, MadeUp()), SCOPE, data / "out")
    content = json.loads((data / "out" / "report.json").read_text())
    assert content["scope"] == {"seeds": [0, 1], "workers": 2, "quick": False, "full": False}
    (experiment,) = content["experiments"]
    assert len(experiment["cells"]) == 4
    parts = {"method", "settings", "seed", "seconds", "data", "versions", "machine", "result", "started"}
    assert parts <= experiment["cells"][0].keys()
    assert experiment["tables"][0]["rows"][0]["values"] == [
        {"paper": 12.5, "ours": {"mean": 10.5, "spread": pytest.approx(0.7071, abs=1e-4), "n": 2}}
    ]


def test_unfinished_cells_are_shown_as_not_run(data):
    (chapter,) = found = chapters(data, MadeUp(), count=2)
    assert not chapter.is_complete()
    text = report.as_markdown(found, SCOPE, {})
    assert "| Doc2VecC | 12.50 | not run |" in text
    assert "2 of 4 measurements finished" in text


def test_a_warning_of_several_measurements_is_one_note(data):
    made_up = MadeUp()
    made_up.messages = ["the loss is 9.3"]
    text = report.as_markdown(chapters(data, made_up), SCOPE, {})
    assert "- all of it is made up\n- BOW, Doc2VecC: the loss is 9.3.\n" in text


def test_without_any_cell_there_is_no_section(data):
    made_up = MadeUp(pictures=(Picture("curve", "A curve", paint),))
    (chapter,) = found = chapters(data, made_up, count=0)
    assert chapter.section.tables == chapter.section.pictures == ()
    report.write(found, SCOPE, data / "out")
    assert not (data / "out" / "figures").exists()


def test_without_the_library_figures_are_skipped_and_one_line_says_so(data):
    pictures = tuple(Picture(name, "A curve", cannot_paint) for name in ("one", "two"))
    found = chapters(data, MadeUp(pictures=pictures))
    drawn = report.write(found, SCOPE, data / "out")
    assert drawn.messages == [
        "figures are skipped, because no_such_library is not installed; pip install './experiments[figures]'"
    ]
    assert "A curve" not in (data / "out" / "report.md").read_text()


def test_a_quick_report_says_so(data):
    text = report.as_markdown(chapters(data, MadeUp()), SCOPE._replace(quick=True), {})
    assert "A quick run on small samples" in text
