"""What was measured is kept and not measured again; what is damaged is told of and measured again."""

import json
import math
from datetime import UTC, datetime
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from doc2vecc import __version__
from doc2vecc_paper.cells import CellKey, CellStore, Summary, summarize
from doc2vecc_paper.datasets import Fingerprint

DATA = (Fingerprint("imdb", 100_000, 131_990_302, "ef13eda60907e7ff"),)


def key(**changes):
    parts = {"experiment": "imdb", "method": "Word2Vec + AVG", "settings": {"dim": 100, "keep": 0.1}, "seed": 0}
    return CellKey(**{**parts, "data": DATA, **changes})


class Counting:
    """An experiment that counts how often it is run."""

    def __init__(self, result=None):
        self.runs = 0
        self.result = {"error": 10.48} if result is None else result

    def __call__(self):
        self.runs += 1
        return self.result


@pytest.fixture
def told():
    return []


@pytest.fixture
def store(tmp_path, told):
    return CellStore(tmp_path / "cells", told.append)


def test_a_finished_cell_is_not_run_again(store, told):
    function = Counting()
    first = store.get_or_run(key(), function)
    again = CellStore(store.folder, told.append).get_or_run(key(), function)
    assert function.runs == 1
    assert first == again
    assert first.result == {"error": 10.48}
    assert told == []


def test_a_cell_records_what_it_was_measured_with(store):
    before = datetime.now(UTC).replace(microsecond=0)
    store.get_or_run(key(seed=3), Counting())
    (path,) = store.folder.iterdir()
    content = json.loads(path.read_text("utf-8"))
    assert content["experiment"] == "imdb"
    assert content["method"] == "Word2Vec + AVG"
    assert content["settings"] == {"dim": 100, "keep": 0.1}
    assert content["seed"] == 3
    assert content["data"] == [DATA[0]._asdict()]
    assert content["result"] == {"error": 10.48}
    assert 0 <= content["seconds"] < 5
    assert before <= datetime.fromisoformat(content["started"]) <= datetime.now(UTC)
    assert content["versions"]["doc2vecc"] == __version__
    assert content["versions"]["numpy"] == np.__version__
    assert content["machine"]["cores"] >= 1
    assert content["machine"]["processor"]


def test_another_key_is_another_cell(store):
    changes = [
        {"experiment": "wikipedia"},
        {"method": "BOW"},
        {"settings": {"dim": 100, "keep": 0.2}},
        {"settings": {"dim": 100}},
        {"seed": 1},
        {"data": (DATA[0]._replace(digest="0" * 16),)},
        {"data": ()},
        {"data": DATA * 2},
    ]
    function = Counting()
    store.get_or_run(key(), function)
    for number, change in enumerate(changes, start=2):
        assert store.get(key(**change)) is None
        store.get_or_run(key(**change), function)
        assert function.runs == len(list(store.folder.iterdir())) == number


def test_names_that_are_spelled_alike_as_files_are_two_cells():
    assert key(method="Word2Vec + AVG").file_name() != key(method="word2vec avg").file_name()
    assert key().file_name().startswith("imdb-word2vec-avg-")


@given(st.dictionaries(st.text(), st.integers() | st.floats(allow_nan=False, allow_infinity=False) | st.text()))
def test_the_order_of_the_settings_does_not_matter(settings):
    turned = dict(reversed(settings.items()))
    assert key(settings=settings).canonical() == key(settings=turned).canonical()
    assert json.loads(key(settings=settings).canonical())["settings"] == settings


def test_numpy_numbers_and_tuples_are_as_good_as_plain_ones():
    plain = key(settings={"dim": 100, "sizes": [1, 2]}, seed=7)
    assert key(settings={"dim": np.int64(100), "sizes": (1, 2)}, seed=np.int32(7)).canonical() == plain.canonical()


def test_settings_that_json_cannot_hold():
    for value in (Path("x"), math.nan, {1, 2}):
        with pytest.raises(
            ValueError, match=r"the key cannot be written as JSON .*; use finite numbers, strings, lists"
        ):
            key(settings={"value": value}).canonical()


def test_results_are_the_same_at_first_and_later(store):
    function = Counting({"shares": (np.float64(0.1), 2), "café": {"n": np.int64(3)}})
    assert store.get_or_run(key(), function).result == store.get_or_run(key(), function).result
    assert store.get_or_run(key(), function).result == {"shares": [0.1, 2], "café": {"n": 3}}


def test_a_result_that_is_not_a_number_is_refused(store):
    with pytest.raises(ValueError, match="the result cannot be written as JSON"):
        store.get_or_run(key(), Counting({"error": math.nan}))
    assert store.get(key()) is None


@pytest.mark.parametrize("error", [RuntimeError, KeyboardInterrupt])
def test_nothing_is_kept_of_a_run_that_fails(error, store):
    def fail():
        raise error

    with pytest.raises(error):
        store.get_or_run(key(), fail)
    assert store.get(key()) is None
    assert store.get_or_run(key(), Counting()).result == {"error": 10.48}


def test_a_file_is_there_complete_or_not_at_all(store, monkeypatch):
    """When the renaming does not come about, neither the cell nor a temporary file stays."""

    def fail(*_):
        raise OSError("disk")

    monkeypatch.setattr(Path, "replace", fail)
    with pytest.raises(OSError, match="disk"):
        store.get_or_run(key(), Counting())
    assert list(store.folder.iterdir()) == []


def damaged(text):
    content = json.loads(text)
    return {
        "empty": "",
        "cut": text[: len(text) // 2],
        "binary": "\0\0",
        "no object": "[1]",
        "no result": json.dumps({**content, "result": None}),
        "no time": json.dumps({name: value for name, value in content.items() if name != "started"}),
        "edited": json.dumps({**content, "seed": 1}),
        "other data": json.dumps({**content, "data": []}),
        "strange settings": json.dumps({**content, "settings": 3}),
    }


def test_a_damaged_cell_is_reported_and_run_again(store, told):
    function = Counting()
    store.get_or_run(key(), function)
    (path,) = store.folder.iterdir()
    for number, text in enumerate(damaged(path.read_text("utf-8")).values(), start=1):
        path.write_text(text, "utf-8")
        assert store.get_or_run(key(), function).result == {"error": 10.48}
        assert (function.runs, len(told)) == (number + 1, number), text
        assert told[-1].startswith(f"the finished cell {path} cannot be used (")
        assert told[-1].endswith("; it is measured again")
        store.get_or_run(key(), function)
        assert function.runs == number + 1


def test_a_cell_of_invalid_utf8(store, told):
    store.get_or_run(key(), Counting())
    (path,) = store.folder.iterdir()
    path.write_bytes(b"\xff")
    assert store.get(key()) is None
    assert len(told) == 1


def test_summaries():
    assert summarize([]) is None
    assert summarize([3.0]) == Summary(3.0, None, 1)
    mean, spread, n = summarize(np.array([10.0, 12.0, 11.0, 11.0]))
    assert (mean, n) == (11.0, 4)
    assert spread == pytest.approx(np.std([10, 12, 11, 11], ddof=1))
