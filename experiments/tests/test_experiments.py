"""The experiments on made-up reviews and pages: every value is present, and the figures are drawn."""

from pathlib import Path

import numpy as np
import pytest

from data_files import write_pages, write_reviews
from doc2vecc import ParameterError
from doc2vecc_paper.catalog import EXPERIMENTS, named
from doc2vecc_paper.cells import Cell, CellKey, CellStore
from doc2vecc_paper.classification import EVERYTHING, WITHOUT_TEST, classification_task
from doc2vecc_paper.documents import reviews
from doc2vecc_paper.experiment import Experiment
from doc2vecc_paper.experiments import corruption, regularization, sentiment, subsampling, timing, wikipedia
from doc2vecc_paper.methods import BOW, DOC2VECC, QUICK_EPOCHS, WORD2VEC
from doc2vecc_paper.report import chapters
from doc2vecc_paper.running import plan, run_all, unfinished
from doc2vecc_paper.tables import markdown
from made_up import QUICK, Noting, a_store

NOT_RUN = {"Skip-thought Vectors"}  # they learn from novels, which are not in this folder


@pytest.fixture(scope="module")
def data(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("data")
    write_reviews(folder)
    write_pages(folder)
    return folder


@pytest.fixture(scope="module")
def store(data: Path) -> CellStore:
    return a_store(data)


def measured(experiment: Experiment, data: Path, store: CellStore):
    planned = plan(experiment, data, QUICK)
    run_all(unfinished([planned], store), store, Noting())
    (chapter,) = chapters([planned], store)
    assert chapter.is_complete()
    assert all(task.seconds > 0 for task in planned.tasks)
    return chapter


@pytest.mark.slow
@pytest.mark.parametrize("module", [sentiment, timing, corruption, regularization, subsampling, wikipedia])
def test_every_value_of_ours_is_present(module, data, store, tmp_path):
    section = measured(module.EXPERIMENT, data, store).section
    for table in section.tables:
        assert markdown(table)
        for row in table.rows:
            values = row.values if module is not wikipedia else row.values[: len(wikipedia.QUICK_SIZES)]
            assert all((value.ours is None) == (row.method in NOT_RUN) for value in values), row
    assert section.tables
    module.section([])  # works without cells
    pytest.importorskip("matplotlib")
    for picture in section.pictures:
        picture.draw(tmp_path / picture.name)
        assert (tmp_path / f"{picture.name}.png").stat().st_size > 5_000
        assert (tmp_path / f"{picture.name}.svg").exists()


@pytest.mark.slow
def test_experiments_share_trainings(data, store):
    for module in (sentiment, corruption):
        measured(module.EXPERIMENT, data, store)
    left = unfinished([plan(subsampling.EXPERIMENT, data, QUICK)], store)
    assert {(task.key.method, task.key.settings["sample"]) for _, task in left} <= {
        ("Word2Vec", 0.0),
        ("Doc2VecC", 1e-4),
    }


def test_planted_sentiment_is_found(data):
    texts = reviews(data, QUICK)
    bags = classification_task(BOW, texts, EVERYTHING, 0, QUICK).run()
    assert bags["errors"]["binary"] < 0.1
    assert bags["vocabulary"] == 73
    words = classification_task(WORD2VEC, texts, WITHOUT_TEST, 0, QUICK).run()
    assert words["errors"].keys() == {"mean", "idf", "tfidf"}
    assert words["words_of_an_epoch"] == 32 * np.count_nonzero(texts.split != "test")


def test_a_cell_is_named_by_all_that_decides_it(data):
    texts = reviews(data, QUICK)
    tasks = [
        classification_task(DOC2VECC, texts, EVERYTHING, 0, QUICK),
        classification_task(DOC2VECC, texts, EVERYTHING, 0, QUICK._replace(quick=False)),
        classification_task(DOC2VECC, texts, EVERYTHING, 0, QUICK._replace(workers=2)),
        classification_task(DOC2VECC, texts, WITHOUT_TEST, 0, QUICK),
        classification_task(DOC2VECC, texts, EVERYTHING, 1, QUICK),
        classification_task(DOC2VECC.changed(keep=0.2), texts, EVERYTHING, 0, QUICK),
    ]
    assert len({task.key.file_name() for task in tasks}) == len(tasks)
    settings = tasks[0].key.settings
    assert settings["epochs"] == QUICK_EPOCHS
    assert settings["document_only"] == DOC2VECC.all_settings()["document_only"]  # the defaults are settings too
    assert "random_state" not in settings


def test_the_catalog_names_every_experiment_once():
    names = [experiment.name for experiment in EXPERIMENTS]
    assert len(set(names)) == len(names)
    assert named("time") is timing.EXPERIMENT
    with pytest.raises(ParameterError, match="no experiment 'Time'; choose from sentiment, time, "):
        named("Time")


@pytest.mark.slow
def test_short_trainings_are_shown_beside_the_usual_one(data, store):
    section = measured(regularization.EXPERIMENT, data, store).section
    names = [row.method for row in section.tables[0].rows]
    assert names[:2] == ["Word2Vec, 1 epoch", f"Word2Vec, {QUICK_EPOCHS} epochs"]
    assert [note.split("`")[0] for note in section.notes if note.startswith("Doc2VecC, ours")] == [
        "Doc2VecC, ours (1 epoch, seed 0): ",
        f"Doc2VecC, ours ({QUICK_EPOCHS} epochs, seed 0): ",
    ]


def test_only_start_and_epochs_differ_in_the_row_of_the_spectral_start():
    usual, spectral = (method.all_settings() for method in (DOC2VECC, sentiment.SPECTRAL))
    changed = {name for name, value in spectral.items() if usual.get(name) != value}
    assert changed == {"init", "epochs"}
    rows = {row.method: row for row in sentiment.section([]).tables[0].rows}
    assert rows["Doc2VecC, spectral start"].note.startswith('init="spectral", vector_size=100, min_count=10')


def test_the_largest_size_has_a_column_if_it_was_run():
    def headings(cells):
        return [column.heading for column in wikipedia.section(cells).tables[0].columns]

    def cell(size):
        key = CellKey("wikipedia", DOC2VECC.name, {"vector_size": size}, 0, ())
        return Cell(key, {"errors": {"mean": 0.5}}, 1.0, "", {}, {})

    assert headings([]) == headings([cell(100)]) == ["h = 100", "h = 200", "h = 500"]
    assert headings([cell(1000)]) == ["h = 100", "h = 200", "h = 500", "h = 1000"]
