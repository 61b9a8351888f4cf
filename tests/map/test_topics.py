"""Topics: clusters that agree with the planted ones, their words, typical documents and sizes over time."""

import csv
import json

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from sklearn.metrics import normalized_mutual_info_score

from doc2vecc import Doc2VecC, InputError, OutputError, ParameterError
from doc2vecc.map import Topics
from doc2vecc.map.periods import count_periods, read_days
from doc2vecc.map.topics import cluster


@pytest.fixture(scope="module")
def found(model, table):
    return Topics.build(model, table, n_topics=3, date_column="day")


def test_planted_topics_are_found_and_named(found, table):
    assert normalized_mutual_info_score(table["topic_name"].to_pylist(), found.assigned) > 0.8
    assert [topic.size for topic in found.topics] == sorted((topic.size for topic in found.topics), reverse=True)
    parts = [{part for word in topic.words for part in word.split()} for topic in found.topics]
    assert any({"soup", "bread", "waiter"} & one for one in parts)
    assert any({"parser", "tokens", "compiler"} & one for one in parts)
    for topic in found.topics:
        row, text = topic.typical[0]
        assert text == table["text"][row].as_py()
        assert found.assigned[row] == topic.number


def test_sizes_over_time(found):
    assert (found.periods[0], found.periods[-1], len(found.periods)) == ("2024-10", "2025-07", 10)
    assert np.sum([topic.periods for topic in found.topics]) == 300


def test_files(found, tmp_path, table):
    for kind in ("html", "json", "csv", "parquet"):
        found.save(tmp_path / f"topics.{kind}")
    data = json.loads((tmp_path / "topics.json").read_text("utf-8"))
    assert [topic["size"] for topic in data["topics"]] == [topic.size for topic in found.topics]
    rows = list(csv.DictReader((tmp_path / "topics.csv").read_text("utf-8").splitlines()))
    assert sum(int(row["2024-10"]) for row in rows) == 28
    written = pq.read_table(tmp_path / "topics.parquet")
    assert written.column_names == [*table.column_names, "topic", "topic_label", "topic_similarity"]
    assert written["topic_label"][0].as_py() == found.topics[written["topic"][0].as_py()].label
    assert (tmp_path / "topics.html").read_text("utf-8").count("<script") == 2


def test_hdbscan_may_leave_documents_out():
    draw = np.random.default_rng(0)
    vectors = np.concatenate([np.eye(3, 8)[draw.integers(0, 3, 90)], draw.normal(size=(10, 8))]).astype(np.float32)
    vectors += draw.normal(0, 0.02, vectors.shape).astype(np.float32)
    groups = cluster(vectors / np.linalg.norm(vectors, axis=1, keepdims=True), method="hdbscan")
    assert set(groups.tolist()) >= {0, 1, 2}
    with pytest.raises(ParameterError, match="hdbscan finds the number of topics by itself"):
        cluster(vectors, method="hdbscan", n_topics=3)


def test_what_cannot_be_is_refused(found, tmp_path):
    with pytest.raises(OutputError, match=r"none of \.html, \.json, \.csv, \.parquet"):
        found.save(tmp_path / "topics.txt")
    with pytest.raises(ParameterError, match="method='lda' is not known"):
        cluster(np.eye(9, dtype=np.float32), method="lda")
    with pytest.raises(ParameterError, match="n_topics"):
        cluster(np.eye(9, dtype=np.float32), n_topics=10)
    assert list(tmp_path.iterdir()) == []


def test_equal_documents_are_one_topic():
    assert set(cluster(np.full((20, 4), 0.5, np.float32), n_topics=2).tolist()) <= {0, 1}


@pytest.mark.parametrize(
    ("dates", "days"),
    [
        (pa.array([2020, None], pa.int32()), ["2020-01-01", "NaT"]),
        (pa.array(["2024-05-31T10:00:00Z", "2024-05", ""]), ["2024-05-31", "2024-05-01", "NaT"]),
        (pa.array([0, None], pa.timestamp("ms")), ["1970-01-01", "NaT"]),
        (pa.array([1], pa.date32()), ["1970-01-02"]),
        (pa.array([86_400_000_000_000 - 1, None], pa.timestamp("ns", "UTC")), ["1970-01-01", "NaT"]),
        (pa.array([1 << 62], pa.timestamp("s")), [str(np.datetime64(1 << 62, "s").astype("datetime64[D]"))]),
    ],
)
def test_dates(dates, days):
    assert [str(day) for day in read_days(dates)] == days


@pytest.mark.parametrize("dates", [pa.array(["May 1st"]), pa.array([12]), pa.array([1.5])])
def test_what_is_no_date_is_refused(dates):
    with pytest.raises(InputError, match="2024-05-31"):
        read_days(dates)


def test_long_times_have_periods_of_several_years():
    periods = count_periods(pa.array([1000, 1500, 2000]), np.array([0, 0, 1]), 2)
    assert len(periods.names) <= 60
    assert [sum(one) for one in periods.counts] == [2, 1]
    endless = count_periods(pa.array([0, 1 << 62], pa.timestamp("s")), np.array([0, 1]), 2)
    assert [sum(one) for one in endless.counts] == [1, 1]
    with pytest.raises(InputError, match="no document has a date"):
        count_periods(pa.array([None], pa.int64()), np.array([0]), 1)


def test_documents_are_read_with_the_parameters_of_the_model(table, tmp_path):
    lines = [f"{number}|{text}" for number, text in enumerate(table["text"].to_pylist())]
    (tmp_path / "texts.csv").write_text("\n".join(lines))
    model = Doc2VecC(8, epochs=1, no_header=True, delimiter="|", text_column="2", workers=1).fit(tmp_path / "texts.csv")
    found = Topics.build(model, tmp_path / "texts.csv", n_topics=3)
    assert found.documents.text_column == "2"
    assert found.documents.texts.to_pylist() == table["text"].to_pylist()
