"""Relatedness of sentences: what is learned from what, and rows of the literature beside what was run."""

import pytest

from data_files import write_novels_and_sick, write_parses
from doc2vecc_paper.environment import is_installed
from doc2vecc_paper.experiment import Scope
from doc2vecc_paper.experiments import relatedness, sick_networks
from doc2vecc_paper.experiments.relatedness import ALONE, FURTHER
from doc2vecc_paper.published import SICK, SICK_SOURCES
from made_up import QUICK, measured


@pytest.fixture(scope="module")
def data(tmp_path_factory):
    folder = tmp_path_factory.mktemp("relatedness")
    write_novels_and_sick(folder)
    write_parses(folder)
    return folder


@pytest.mark.slow
def test_the_whole_experiment(data):
    section = measured(relatedness.EXPERIMENT, data)
    (table,) = section.tables
    rows = {row.method: row for row in table.rows}
    quoted = {name for name, source in SICK_SOURCES.items() if source.startswith("submission")}
    recurrent = {network.method.name for network in sick_networks.NETWORKS} | {"uni-skip", "bi-skip", "combine-skip"}
    absent = quoted if is_installed("torch") else quoted | recurrent
    assert set(SICK.rows) - {"Word2Vec + AVG"} <= set(rows)
    for name, row in rows.items():
        assert all((value.ours is None) == (name in absent) for value in row.values), name
        assert (row.note is not None and row.note.startswith("quoted")) == (name in quoted)
    assert [value.paper for value in rows["LSTM"].values] == list(SICK.rows["LSTM"])
    assert rows["Hand-built features"].values[0].ours.mean > 0.9, "the scores count shared words"
    assert [value.paper for value in rows["Doc2VecC"].values] == list(SICK.rows["Doc2VecC"])
    assert rows["BOW, cosine"].values[0].ours.mean > 0.9, "the scores count shared words"
    for name in ("Doc2VecC, novels alone", "Doc2VecC, all at once", "Doc2VecC", "DEA"):
        assert rows[name].values[0].ours.mean > 0.7, name


def test_words_of_the_sentences_join_the_vocabulary(data):
    tasks = {task.key.settings["learn from"]: task for task in relatedness.tasks(data, QUICK)[:2]}
    alone, further = (tasks[name].run() for name in (ALONE, FURTHER))
    assert further["vocabulary"] == alone["vocabulary"] + 1, "unseen, which is in sentences only"
    assert set(further["ways"]["mean"]) >= {"Pearson", "Spearman", "MSE", "c"}


def test_a_bag_of_words_has_one_seed(data):
    tasks = relatedness.tasks(data, QUICK._replace(seeds=(3, 4)))
    seeds = {}
    for task in tasks:
        seeds.setdefault(task.key.method, set()).add(task.key.seed)
    assert seeds.pop("BOW") == {3}
    for name in ("Skip-thought Vectors", *(method.name for method in sick_networks.FEATURES)):
        assert seeds.pop(name) == {3}, name
    assert set(map(tuple, seeds.values())) == {(3, 4)}


def test_networks_have_five_seeds_and_say_what_to_install(data, monkeypatch):
    monkeypatch.setattr(sick_networks, "is_installed", lambda module: False)
    assert {task.key.seed for task in sick_networks.tasks(data, Scope(seeds=(0, 1)), 100)} == {0, 1}
    tasks = sick_networks.tasks(data, Scope(), 100)
    networks = [task for task in tasks if task.key.method == "LSTM"]
    assert [task.key.seed for task in networks] == [0, 1, 2, 3, 4]
    assert all("pip install './experiments[neural]'" in task.missing for task in networks)
    settings = networks[0].key.settings
    assert (settings["vector_size"], settings["alpha"], settings["batch_size"], settings["l2"]) == (150, 0.05, 25, 1e-4)


def test_without_parses_the_other_rows_are_run(tmp_path):
    write_novels_and_sick(tmp_path)
    methods = {task.key.method for task in relatedness.tasks(tmp_path, QUICK)}
    assert "Doc2VecC" in methods
    assert not methods & {network.method.name for network in sick_networks.NETWORKS}
    assert not [task for task in relatedness.tasks(tmp_path, QUICK) if "GloVe" in task.key.settings["learn from"]]


def test_doc2vecc_starts_from_glove_vectors(data):
    tasks = [task for task in relatedness.tasks(data, QUICK) if "GloVe" in task.key.settings.get("learn from", "")]
    alone, further = (task.run() for task in tasks)
    assert alone["vocabulary"] == len(sick_networks.parses(data).words)
    assert further["vocabulary"] > alone["vocabulary"], "words of the sentences join"
