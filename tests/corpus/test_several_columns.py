"""Texts of several columns, csv files without a header, token lists."""

import pyarrow as pa
import pyarrow.feather
import pyarrow.parquet
import pytest

from doc2vecc import Doc2VecC
from doc2vecc.corpus.sources import InputError, ReadingRules, read_files, read_texts

TABLE = pa.table({"id": [1, 2, 3, 4], "title": ["A", None, "C", None], "body": ["a b", "c", None, None]})
JOINED = ["A\na b", "c", "C", ""]


def write(folder, kind):
    path = folder / f"some.{kind}"
    if kind == "parquet":
        pa.parquet.write_table(TABLE, path)
    elif kind == "arrow":
        pa.feather.write_feather(TABLE, path)
    elif kind == "csv":
        path.write_text("id,title,body\n1,A,a b\n2,,c\n3,C,\n4,,\n")
    else:
        rows = [
            '{"id":1,"title":"A","body":"a b"}',
            '{"id":2,"body":"c"}',
            '{"id":3,"title":"C"}',
            '{"id":4,"body":null}',
        ]
        path.write_text("\n".join(rows) if kind == "jsonl" else f"[{','.join(rows)}]")
    return path


@pytest.mark.parametrize("kind", ["parquet", "arrow", "jsonl", "json", "csv"])
@pytest.mark.parametrize("wanted", ["title,body", "title, body", ("title", "body"), ["title", "body"]])
def test_the_texts_of_several_columns_are_joined_by_a_line_break(kind, wanted, tmp_path):
    batches = read_files(write(tmp_path, kind), text_column=wanted)
    expected = JOINED if kind != "csv" else ["A\na b", "\nc", "C\n", "\n"]  # an empty cell of text is no missing one
    assert [text for texts in batches.texts() for text in texts.to_pylist()] == expected
    assert batches.text_column == "title_body"
    assert batches.report.missing == (0 if kind == "csv" else 1)


def test_the_columns_stay_beside_the_joined_one(tmp_path):
    path = write(tmp_path, "parquet")
    (batch,) = read_files(path, text_column="title,body", keep_columns=True)
    assert batch.schema.names == ["id", "title", "body", "title_body"]
    assert batch.column("title").to_pylist() == ["A", None, "C", None]
    (batch,) = read_files(path, text_column="title,body", keep_columns=["title"])
    assert batch.schema.names == ["title", "title_body"]
    (batch,) = read_files(path, text_column="body,title", keep_columns=["id"])
    assert batch.to_pydict() == {"id": [1, 2, 3, 4], "body_title": ["a b\nA", "c", "C", ""]}


def test_a_number_in_a_text_column_of_csv_is_read_as_it_is_written(tmp_path):
    path = tmp_path / "some.csv"
    path.write_text("code,body\n007,a\n010,b\n")
    (batch,) = read_files(path, text_column="code,body")
    assert batch.column("code_body").to_pylist() == ["007\na", "010\nb"]


def test_a_column_may_have_a_comma_in_its_name():
    (batch,) = read_texts(pa.table({"a,b": ["x"], "a": ["y"], "b": ["z"]}), text_column="a,b")
    assert batch.to_pydict() == {"a,b": ["x"]}


def test_invalid_utf8_in_one_of_the_columns_is_replaced(tmp_path):
    broken = pa.array([b"\xff", b"ok"]).view(pa.string())
    table = pa.table({"title": broken, "body": ["x", "y"]})
    batches = read_texts(table, text_column="title,body", keep_columns=True)
    (batch,) = batches
    assert batch.to_pydict() == {"title": ["\ufffd", "ok"], "body": ["x", "y"], "title_body": ["\ufffd\nx", "ok\ny"]}
    assert batches.report.undecodable == 1


@pytest.mark.parametrize(
    ("wanted", "why"),
    [
        ("title,nope", "no column 'nope' in the texts; it has: id, title, body"),
        ("title,title", "the text columns are title, title; name one or more, each once"),
        ((), "the text columns are none"),
        ("id,body", "the column 'id' of the texts holds no text"),
    ],
)
def test_columns_that_do_not_fit(wanted, why):
    with pytest.raises(InputError, match=why):
        list(read_texts(TABLE, text_column=wanted))


def test_a_joined_column_takes_no_name_that_is_there():
    table = TABLE.append_column("title_body", pa.array([1, 2, 3, 4]))
    with pytest.raises(InputError, match="has a column 'title_body' already"):
        list(read_texts(table, text_column="title,body"))
    with pytest.raises(InputError, match="has texts without columns"):
        list(read_texts(["a"], text_column=("title", "body")))


def test_the_estimator_takes_several_columns():
    texts = pa.table({"title": ["the cat"] * 20, "body": ["sat on the mat"] * 20})
    both = Doc2VecC(vector_size=4, epochs=1, workers=1, text_column=("title", "body")).fit(texts)
    assert {"cat", "mat"} <= set(both.vocabulary_)


# ---- without a header


def test_csv_without_a_header(tmp_path):
    path = tmp_path / "some.csv"
    path.write_text('3,"a, b"\n4,c\n5,d,e\n')
    batches = read_files(path, rules=ReadingRules(no_header=True, skip_malformed=True), keep_columns=True)
    (batch,) = batches
    assert batch.to_pydict() == {"1": [3, 4], "2": ["a, b", "c"]}
    assert (batches.text_column, batches.report.skipped_lines) == ("2", 1)
    with pytest.raises(InputError, match=r"row 3: 3 cells where the first row has 2"):
        list(read_files(path, rules=ReadingRules(no_header=True)))
    (batch,) = read_files(path, text_column="1,2", rules=ReadingRules(no_header=True, skip_malformed=True))
    assert batch.to_pydict() == {"1_2": ["3\na, b", "4\nc"]}


def test_an_empty_file_without_a_header(tmp_path):
    (tmp_path / "some.csv").write_text("\n")
    assert list(read_files(tmp_path / "some.csv", rules=ReadingRules(no_header=True))) == []


# ---- token lists


def test_lists_of_tokens_are_texts_with_blanks():
    batches = read_texts([["a", "good"], ("film",), None, []])
    assert [text for texts in batches.texts() for text in texts.to_pylist()] == ["a good", "film", "", ""]
    assert batches.report.missing == 1


def test_a_tokenizer_that_splits_at_blanks_keeps_tokens_as_they_are():
    model = Doc2VecC(vector_size=4, epochs=1, workers=1, tokenizer=str.split).fit([["New", "U.S.", "York"]] * 9)
    assert set(model.vocabulary_) == {"New", "U.S.", "York"}
    assert model.transform([["York"]]).any()
