"""A run measures what is not finished, once, and an interruption loses only what was running."""

from dataclasses import replace
from pathlib import Path

import pytest

from doc2vecc_paper.datasets import DataError, Fingerprint
from doc2vecc_paper.experiment import Scope
from doc2vecc_paper.running import finished, label, plan, run_all, unfinished
from made_up import MadeUp, Noting, a_store

SCOPE = Scope(seeds=(0, 1))


@pytest.fixture
def data(tmp_path: Path) -> Path:
    (tmp_path / "made-up").touch()
    return tmp_path


def test_everything_is_measured_once_and_then_read(data):
    made_up, store, watcher = MadeUp(), a_store(data), Noting()
    planned = plan(made_up.experiment, data, SCOPE)
    assert finished(planned, store) == []
    run_all(unfinished([planned], store), store, watcher)
    assert watcher.started == watcher.ended == [f"made-up {one}" for one in made_up.runs]
    assert made_up.runs == {"BOW 0": 1, "BOW 1": 1, "Doc2VecC 0": 1, "Doc2VecC 1": 1}
    assert unfinished([planned], store) == []
    assert [cell.result["error"] for cell in finished(planned, store)] == [10, 11, 10, 11]


def test_an_interrupted_run_continues_where_it_stopped(data):
    made_up, store, watcher = MadeUp(), a_store(data), Noting()
    planned = plan(made_up.experiment, data, SCOPE)
    made_up.interrupts_at = "Doc2VecC 0"
    with pytest.raises(KeyboardInterrupt):
        run_all(unfinished([planned], store), store, watcher)
    assert len(finished(planned, store)) == 2
    made_up.interrupts_at = ""
    run_all(unfinished([planned], store), store, watcher)
    assert made_up.runs == {"BOW 0": 1, "BOW 1": 1, "Doc2VecC 0": 2, "Doc2VecC 1": 1}


def test_a_training_that_diverges_does_not_end_the_run(data):
    made_up, store, watcher = MadeUp(), a_store(data), Noting()
    made_up.diverges_at = "BOW 1"
    planned = plan(made_up.experiment, data, SCOPE)
    run_all(unfinished([planned], store), store, watcher)
    assert watcher.failed == ["BOW 1: the training diverged with alpha=0.1; lower it, to 0.025 say"]
    assert len(finished(planned, store)) == 3


def test_without_its_library_a_method_is_not_measured_and_what_is_finished_of_it_is_shown(data):
    made_up, store = MadeUp(), a_store(data)
    run_all(unfinished([plan(made_up.experiment, data, Scope(seeds=(0,)))], store), store, Noting())
    made_up.is_without = "BOW"
    planned = plan(made_up.experiment, data, SCOPE)
    assert [task.key.method for _, task in unfinished([planned], store)] == ["Doc2VecC"]
    assert [cell.key.method for cell in finished(planned, store)] == ["BOW", "Doc2VecC"]


def test_experiments_share_the_cells_that_they_both_need(data):
    first, second, store = MadeUp("first"), MadeUp("second"), a_store(data)
    plans = [plan(one.experiment, data, SCOPE) for one in (first, second)]
    wanted = unfinished(plans, store)
    assert len(wanted) == 4
    run_all(wanted, store, Noting())
    assert sum(first.runs.values()) == 4
    assert not second.runs
    assert [len(finished(one, store)) for one in plans] == [4, 4]


def test_more_seeds_add_to_what_is_finished(data):
    made_up, store = MadeUp(), a_store(data)
    run_all(unfinished([plan(made_up.experiment, data, SCOPE)], store), store, Noting())
    more = plan(made_up.experiment, data, Scope(seeds=(0, 1, 2)))
    assert [task.key.seed for _, task in unfinished([more], store)] == [2, 2]


def test_missing_data_are_an_error_before_any_work(tmp_path):
    with pytest.raises(DataError, match="no made-up data; make some"):
        plan(MadeUp().experiment, tmp_path, SCOPE)


def test_a_label_has_what_differs_from_the_others(data):
    several = plan(MadeUp().experiment, data, SCOPE)
    assert label(several, several.tasks[1]) == "BOW, seed 1"
    single = plan(MadeUp().experiment, data, Scope(seeds=(0,)))
    assert label(single, single.tasks[1]) == "Doc2VecC"
    first = single.tasks[0]
    other = replace(first.key, data=(Fingerprint("other", 1, 2, "f" * 16),))
    both = single._replace(tasks=(first, replace(first, key=other)))
    assert [label(both, task) for task in both.tasks] == ["BOW, made-up", "BOW, other"]
