"""An index finds what a search over all documents finds, and changes when documents come and go."""

import datetime
from pathlib import Path

import numpy as np
import pandas as pd
import pyarrow as pa
import pytest

from doc2vecc import CorpusWarning, Doc2VecC, InputError, SearchIndexError, UnknownWordError
from doc2vecc.model import Model
from doc2vecc.search import SearchIndex
from doc2vecc.similarity import nearest

QUERIES = ["good rain", "a cat", "the roof"]


def expected_ids(model: Model, table: pa.Table, queries: list[str], k: int) -> list[list[str]]:
    texts = table["text"].to_pylist()
    corpus = model.embed(pa.array(texts, pa.large_string())).vectors
    found = nearest(model.embed(pa.array(queries, pa.large_string())).vectors, corpus, k)
    return [[table["key"][row].as_py() for row in rows] for rows in found.indices.tolist()]


def found_ids(index: SearchIndex, k: int, **options: bool) -> list[list[int | str]]:
    return [[hit.id for hit in hits] for hits in index.search(QUERIES, k, **options)]


@pytest.fixture
def index(words_model: Model, documents: pa.Table, tmp_path: Path) -> SearchIndex:
    return SearchIndex.build(words_model, documents, tmp_path / "index", columns=["stars"], id_column="key")


def test_finds_the_nearest_documents(words_model: Model, documents: pa.Table, index: SearchIndex) -> None:
    assert found_ids(index, 7) == expected_ids(words_model, documents, QUERIES, 7)
    again = SearchIndex.load(index.folder)
    assert (len(again), again.columns, again.recall) == (600, ["stars"], None)
    for hit in again.search(QUERIES[0], 5):
        row = int(str(hit.id)[1:])
        assert hit.text == documents["text"][row].as_py()
        assert hit.columns == {"stars": row % 5}
        explained = words_model.explain(QUERIES[0], hit.text)
        assert hit.score == pytest.approx(explained.similarity, abs=1e-5)
        assert sum(share for _, share in explained.second) == pytest.approx(hit.score, abs=1e-5)
        assert hit.words[0].share == max(word.share for word in hit.words)


def test_documents_are_numbered_without_an_id_column(words_model: Model, tmp_path: Path) -> None:
    index = SearchIndex.build(words_model, ["a good log", "rain", "the mat"], tmp_path / "index")
    assert index.search("rain", 1)[0].id == 1
    assert index.add(["good", "cat"]) == 2
    assert index.ids == [0, 1, 2, 3, 4]
    assert index.delete([4]) == 1
    index.add(["roof"])
    assert index.ids == [0, 1, 2, 3, 5]  # a number is never used again


def test_added_and_deleted_documents(words_model: Model, documents: pa.Table, tmp_path: Path) -> None:
    index = SearchIndex.build(words_model, documents[:200], tmp_path / "index", id_column="key", columns=["stars"])
    assert index.add(documents[200:500]) == 300
    assert index.add(documents[500:].to_pandas()) == 100
    assert found_ids(index, 9) == expected_ids(words_model, documents, QUERIES, 9)
    gone = [row for row in range(600) if row % 3 == 0 or 200 <= row < 500]
    assert index.delete(f"d{row}" for row in gone) == len(gone)
    kept = documents.take([row for row in range(600) if row not in gone])
    for one in (index, SearchIndex.load(index.folder)):
        assert found_ids(one, 9) == expected_ids(words_model, kept, QUERIES, 9)
    stored = b"".join(path.read_bytes() for path in index.folder.rglob("*") if path.is_file())
    assert documents["text"][0].as_py().encode() not in stored
    assert documents["text"][1].as_py().encode() in stored


def test_a_change_that_fails_leaves_the_index_as_it_was(documents: pa.Table, index: SearchIndex) -> None:
    before = {path: path.read_bytes() for path in index.folder.rglob("*") if path.is_file()}
    with pytest.raises(InputError, match="the id 'd3' and 1 more are already in the index; to replace these"):
        index.add(documents[3:5])
    twice = pa.concat_tables([documents[:1], documents[:1]]).set_column(0, "key", pa.array(["new", "new"]))
    with pytest.raises(InputError, match="the id 'new' stands for several documents; ids must differ"):
        index.add(twice)
    with pytest.raises(InputError, match="new documents need the columns of the index: key, stars; 'key' is missing"):
        index.add(["a text without an id"])
    with pytest.raises(InputError, match="there are no documents to add"):
        index.add(documents[:0])
    wrong = documents[:1].set_column(1, "stars", pa.array(["many"])).set_column(0, "key", pa.array(["new"]))
    with pytest.raises(
        InputError, match="the column 'stars' of the added documents is string, but the index has other"
    ):
        index.add(wrong)
    with pytest.raises(SearchIndexError, match="there is no document with the id 'd600'; nothing was deleted"):
        index.delete(["d1", "d600"])
    with pytest.raises(SearchIndexError, match="an index cannot be empty"):
        index.delete(index.ids)
    assert {path: path.read_bytes() for path in index.folder.rglob("*") if path.is_file()} == before


def test_what_fit_takes_can_be_indexed(words_model: Model, documents: pa.Table, tmp_path: Path) -> None:
    frame = documents.to_pandas()
    frame["stars"] = pd.Categorical(frame["stars"].astype(str))
    frame.to_csv(tmp_path / "documents.csv", index=False)
    options = {"columns": ["stars"], "id_column": "key"}
    expected = expected_ids(words_model, documents, QUERIES, 4)
    for source in (frame, tmp_path / "documents.csv"):
        index = SearchIndex.build(words_model, source, tmp_path / "index", **options)  # replaces the one before
        assert found_ids(index, 4) == expected


def test_an_estimator_brings_its_text_column(tmp_path: Path) -> None:
    table = pa.table({"body": ["good film", "bad soup"] * 20, "title": ["x", "y"] * 20})
    model = Doc2VecC(4, min_count=1, epochs=1, text_column="body").fit(table)
    index = SearchIndex.build(model, table, tmp_path / "index", columns=["title"])
    hit = index.search("soup", 1)[0]
    assert (hit.text, hit.columns) == ("bad soup", {"title": "y"})


def test_an_estimator_reads_with_its_own_parameters(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "films.csv").write_text("1|good film\n2|bad soup\n" * 20 + "malformed\n" * 5)
    options = {"no_header": True, "delimiter": "|", "text_column": "2", "skip_malformed": True}
    model = Doc2VecC(4, min_count=1, epochs=1, workers=2, **options)
    with pytest.warns(CorpusWarning, match="5 malformed lines skipped"):
        model.fit(tmp_path / "films.csv")
    embed, given = Model.embed, []
    monkeypatch.setattr(Model, "embed", lambda self, texts, workers=1: given.append(workers) or embed(self, texts))
    index = SearchIndex.build(model, tmp_path / "films.csv", tmp_path / "index", columns="1")
    assert (len(index), index.document(1).text, index.document(1).columns) == (40, "bad soup", {"1": 2})
    assert set(given) == {2}


@pytest.mark.parametrize("text_column", ["body", ["title", "body"]])
def test_the_text_of_added_documents_is_in_the_columns_of_before(text_column: str | list[str], tmp_path: Path) -> None:
    table = pa.table({"body": ["good film", "bad soup"] * 20, "title": ["x", "y"] * 20, "stars": range(40)})
    model = Doc2VecC(4, min_count=1, epochs=1, text_column=text_column).fit(table)
    SearchIndex.build(model, table, tmp_path / "index", columns=["stars"])
    index = SearchIndex.load(tmp_path / "index")
    index.delete([0])
    further = pa.table({"title": ["y y", "x x"], "body": ["soup soup", "film film"], "stars": [7, 8]})
    further.to_pandas().to_csv(tmp_path / "further.csv", index=False)
    assert index.add(further) == 2
    assert index.add(tmp_path / "further.csv") == 2
    assert index.add(further.rename_columns(["other", "text", "stars"])) == 2  # without the columns: the usual rule
    texts = ["soup soup", "film film"] if text_column == "body" else ["y y\nsoup soup", "x x\nfilm film"]
    found = [index.document(row).text for row in range(len(index))]
    assert found[-6:] == [*texts, *texts, "soup soup", "film film"]


def test_a_date_that_python_does_not_know_comes_back_as_text(words_model: Model, tmp_path: Path) -> None:
    table = pa.table({"text": ["rain", "cat"], "when": pa.array([1 << 62, 0], pa.timestamp("s"))})
    index = SearchIndex.build(words_model, table, tmp_path / "index", columns="when")
    assert "4611686018427387904" in index.search("rain", 1)[0].columns["when"]
    assert index.search("cat", 1)[0].columns["when"] == datetime.datetime(1970, 1, 1)


def test_queries_without_a_known_word(index: SearchIndex) -> None:
    with pytest.raises(UnknownWordError, match="no word of the query 'zzzz' is in the vocabulary"):
        index.search("zzzz")
    known, unknown = index.search(["good", "zzzz"], 2)
    assert (len(known), known.known_words, len(unknown), unknown.known_words) == (2, 1, 0, 0)
    assert index.search([]) == []


def test_a_place_that_holds_something_else_is_left_alone(words_model: Model, tmp_path: Path) -> None:
    (tmp_path / "notes").mkdir()
    with pytest.raises(SearchIndexError, match="exists and is not a search index"):
        SearchIndex.build(words_model, ["good"], tmp_path / "notes")
    with pytest.raises(InputError, match="there are no documents to search in"):
        SearchIndex.build(words_model, [], tmp_path / "index")
    assert [path.name for path in tmp_path.iterdir()] == ["notes"]


def test_ids_must_be_there_and_of_a_fit_type(words_model: Model, tmp_path: Path) -> None:
    for ids, message in (([1.5, 2.5], "are double; use whole numbers or strings"), ([1, None], "lacks an id")):
        table = pa.table({"key": ids, "text": ["good", "rain"]})
        with pytest.raises(InputError, match=message):
            SearchIndex.build(words_model, table, tmp_path / "index", id_column="key")


def test_hits_in_a_notebook(index: SearchIndex) -> None:
    shown = index.search("good rain", 2)._repr_html_()
    assert shown.count("<tr>") == 3
    assert ">stars</th>" in shown
    assert "<mark>" in shown


def test_exact_and_bare_hits(index: SearchIndex) -> None:
    hit = index.search("good", 1, snippets=False)[0]
    assert (hit.snippet.text, list(hit.words)) == ("", [])
    rows = index.nearest(np.zeros((1, index.model.dim)), 3).indices
    assert rows.shape == (1, 3)
