"""Relatedness of sentences: what is learned from what, and rows of the literature beside what was run."""

import pytest

from data_files import write_novels_and_sick
from doc2vecc_paper.experiments import relatedness
from doc2vecc_paper.experiments.relatedness import ALONE, FURTHER
from doc2vecc_paper.published import SICK, SICK_SOURCES
from made_up import QUICK, measured


@pytest.fixture(scope="module")
def data(tmp_path_factory):
    folder = tmp_path_factory.mktemp("relatedness")
    write_novels_and_sick(folder)
    return folder


@pytest.mark.slow
def test_the_whole_experiment(data):
    section = measured(relatedness.EXPERIMENT, data)
    (table,) = section.tables
    rows = {row.method: row for row in table.rows}
    quoted = set(SICK_SOURCES) - {"Word2Vec + AVG"}
    for name, row in rows.items():
        assert all((value.ours is None) == (name in quoted) for value in row.values), name
        assert (row.note is not None and row.note.startswith("quoted")) == (name in quoted)
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
    assert set(map(tuple, seeds.values())) == {(3, 4)}
