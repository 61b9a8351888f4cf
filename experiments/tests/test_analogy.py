"""Word analogies: all sizes and sections are there, and percentages are over the questions that were asked."""

import pytest

from data_files import write_wiki_and_questions
from doc2vecc_paper.cells import Cell, CellKey
from doc2vecc_paper.experiment import Scope
from doc2vecc_paper.experiments import analogy
from doc2vecc_paper.experiments.analogy import QUICK_SHARES, SHARES, accuracy
from doc2vecc_paper.published import ANALOGY_GROWTH, ANALOGY_SECTIONS
from made_up import QUICK, draw_all, measured


@pytest.fixture(scope="module")
def data(tmp_path_factory):
    folder = tmp_path_factory.mktemp("analogy")
    write_wiki_and_questions(folder)
    return folder


def a_cell(seed=0, method="Doc2VecC", share=1.0, size=100, **sections):
    scores = {name: dict(zip(("asked", "left_out", "correct"), score, strict=True)) for name, score in sections.items()}
    key = CellKey("analogy", method, {"share": share, "vector_size": size}, seed, ())
    return Cell(key, {"sections": scores, "paragraphs": 1000}, 1.0, "", {}, {})


@pytest.mark.slow
def test_the_whole_experiment(data, tmp_path):
    section = measured(analogy.EXPERIMENT, data)
    growth, sections = section.tables
    assert len(growth.rows) == 3 * len(QUICK_SHARES)
    assert all(value.ours is not None for row in growth.rows for value in row.values)
    assert all(value.paper is None for row in growth.rows for value in row.values), "another amount of text"
    assert [row.method for row in sections.rows[:14]] == list(ANALOGY_SECTIONS.rows)
    known = {row.method for row in sections.rows if row.values[0].ours is not None}
    assert known == {"capital-world", "family", "gram8-plural", "all semantic", "all syntactic", "all"}
    assert "3 of 5 at" in section.notes[0]
    pytest.importorskip("matplotlib", reason="figures need matplotlib")
    assert draw_all(section, tmp_path) == {"analogy-growth.png", "analogy-growth.svg"}


def test_tasks_cover_methods_sizes_and_seeds(data):
    tasks = analogy.tasks(data, Scope(seeds=(0, 1)))
    assert len(tasks) == 2 * 3 * 2 * len(SHARES)
    largest = max(tasks, key=lambda task: task.seconds)
    assert largest.key.settings["share"] == 1.0
    settings = [{**task.key.settings, "share": 0, "vector_size": 0} for task in tasks if task.key.method == "Doc2VecC"]
    assert all(one == settings[0] for one in settings), "one setting for all sizes"


def test_learning_is_counted(data):
    (task, *_) = analogy.tasks(data, QUICK)
    result = task.run()
    assert (result["paragraphs"], result["lines_skipped"]) == (40, 1)
    assert result["tokens"] <= 40 * 32
    assert {name: (score["asked"], score["left_out"]) for name, score in result["sections"].items()} == {
        "capital-world": (1, 1),
        "family": (1, 0),
        "gram8-plural": (1, 1),
    }


@pytest.mark.slow
def test_what_was_not_measured_is_no_bar(tmp_path):
    pytest.importorskip("matplotlib", reason="figures need matplotlib")
    cells = [a_cell(share=share, size=100, family=(10, 0, 5)) for share in (0.5, 1.0)]
    section = analogy.section([*cells, a_cell(method="Word2Vec", size=50, family=(10, 0, 2))])
    draw_all(section, tmp_path)
    drawn = (tmp_path / "analogy-growth.svg").read_text()
    assert drawn.count("<!-- 50.0 -->") == 2
    assert drawn.count("<!-- 20.0 -->") == 1
    assert "<!-- 0.0 -->" not in drawn


def test_accuracy_is_over_what_was_asked():
    cells = [a_cell(0, family=(8, 2, 4), gram=(2, 0, 2)), a_cell(1, family=(10, 0, 6), gram=(0, 2, 0))]
    assert accuracy(cells).mean == 60
    assert accuracy(cells, ["family"]).mean == 55
    assert accuracy(cells, ["gram"]) == (100, None, 1)
    assert accuracy(cells, ["capital-world"]) is None


def test_the_paper_stands_beside_a_text_of_about_its_size():
    cells = [a_cell(share=share, size=size, family=(10, 0, 5)) for share in (0.5, 1.0) for size in (50, 100)]
    growth, sections = analogy.section(cells).tables
    rows = {row.method: [value.paper for value in row.values] for row in growth.rows}
    assert rows["Doc2VecC, 1/2: 1,000 paragraphs"] == [None, None]
    assert rows["Doc2VecC, 1: 1,000 paragraphs"] == [ANALOGY_GROWTH[size].value("Doc2VecC", "1M") for size in (50, 100)]
    family = next(row for row in sections.rows if row.method == "family")
    assert family.values[1].paper == 64.62
    assert family.values[1].ours.mean == 50
