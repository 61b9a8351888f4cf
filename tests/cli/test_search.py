"""``doc2vecc index``, ``search`` and ``update`` on real files, and every mistake: one line, exit code 2."""

import csv
import io
import json
import shlex
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from doc2vecc.cli import main
from doc2vecc.search import SearchIndex
from tests.cli.commands import refused, sentences

BUILD = ["index", "reviews.d2v", "reviews.csv", "-o", "reviews.index", "--columns", "label", "--id-column", "id"]


@pytest.fixture
def built(here: Path, capsys: pytest.CaptureFixture[str]) -> Path:
    assert main(BUILD) == 0
    out, err = capsys.readouterr()
    assert out == ""
    assert "indexed 400 documents" in err
    search, serve = (shlex.split(line)[1:] for line in err.splitlines()[-2:])
    assert search[:2] == ["search", "reviews.index"]
    assert main(search) == 0
    assert serve == ["serve", "reviews.d2v", "--index", "reviews.index"]
    capsys.readouterr()
    return here


def test_search_prints_a_table(built: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["search", "reviews.index", "cold soup", "parser", "-k", "3"]) == 0
    out, err = capsys.readouterr()
    assert err == ""
    lines = out.splitlines()
    assert (lines[0], lines[6]) == ("cold soup", "parser")
    assert lines[1].split() == ["score", "id", "label", "words", "and", "their", "shares", "text"]
    texts = [text for _, text in sentences(400)]
    for line in lines[2:5]:
        score, number, label, rest = line.split(maxsplit=3)
        assert 0.5 < float(score) <= 1
        assert label == "food"
        assert texts[int(number)][:20] in rest


def test_search_prints_json_lines_and_csv(built: Path, capsys: pytest.CaptureFixture[str]) -> None:
    Path("queries.txt").write_text("cold soup\n\nzzzz\nparser\n")
    arguments = ["search", "reviews.index", "--queries", "queries.txt", "-k", "2"]
    assert main([*arguments, "--format", "jsonl"]) == 0
    out, err = capsys.readouterr()
    assert err == "note: no word of the query 'zzzz' is in the vocabulary: no hits\n"
    records = [json.loads(line) for line in out.splitlines()]
    assert [(one["query"], one["rank"]) for one in records] == [
        ("cold soup", 1), ("cold soup", 2), ("parser", 1), ("parser", 2),
    ]  # fmt: skip
    assert list(records[0]) == ["query", "rank", "score", "id", "label", "words", "snippet"]
    assert isinstance(records[0]["id"], int)
    assert sum(records[0]["words"].values()) > 0
    assert main([*arguments, "--format", "csv", "--exact"]) == 0
    rows = list(csv.DictReader(io.StringIO(capsys.readouterr().out)))
    assert [(int(row["id"]), json.loads(row["words"])) for row in rows] == [
        (one["id"], one["words"]) for one in records
    ]


def test_long_titles_leave_room_for_the_passage(
    here: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    title = "A title that says at length what the story is about"
    pq.write_table(pa.table({"title": [title], "text": ["cold soup and a dull story"]}), "titles.parquet")
    assert main(["index", "reviews.d2v", "titles.parquet", "-o", "titles.index", "--columns", "title"]) == 0
    capsys.readouterr()
    for width, shown in (("150", title), ("80", "A title that")):
        monkeypatch.setenv("COLUMNS", width)
        assert main(["search", "titles.index", "soup"]) == 0
        line = capsys.readouterr().out.splitlines()[2]
        assert shown in line
        assert line.endswith("cold soup and a dull story")


def test_a_query_without_quotes_is_noted(built: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["search", "reviews.index", "cold", "soup", "-k", "1"]) == 0
    assert capsys.readouterr().err == "note: 2 queries; for one query of several words, put it in quotes\n"


def test_unknown_words_of_a_query_are_noted(built: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["search", "reviews.index", "Cold QQQ soup; qqq", "parser zzzz", "-k", "1"]) == 0
    assert capsys.readouterr().err == "note: not in the vocabulary: qqq, zzzz\n"
    Path("queries.txt").write_text("soup " + " ".join(f"w{number}x" for number in range(13)))
    assert main(["search", "reviews.index", "--queries", "queries.txt", "-k", "1"]) == 0
    assert capsys.readouterr().err.endswith(", w9x and 3 more\n")


def test_update_adds_and_deletes(built: Path, capsys: pytest.CaptureFixture[str]) -> None:
    Path("new.jsonl").write_text('{"id": 1000, "label": "new", "text": "soup soup soup"}\n')
    Path("ids.txt").write_text("3\n4\n\n")
    assert main(["update", "reviews.index", "new.jsonl", "--delete", "17", "--delete-from", "ids.txt"]) == 0
    assert capsys.readouterr().err.splitlines() == [
        "deleted 3 documents", "added 1 document", "reviews.index has 398 documents",
    ]  # fmt: skip
    index = SearchIndex.load("reviews.index")
    assert {3, 4, 17}.isdisjoint(index.ids)
    assert index.search("soup", 1)[0].columns == {"label": "new"}


def test_update_takes_no_other_column_for_the_text(here: Path, capsys: pytest.CaptureFixture[str]) -> None:
    rows = {"key": ["a1", "a2"], "head": ["parser", "file"], "abstract": ["cold soup", "a dull story"]}
    pq.write_table(pa.table(rows), "old.parquet")
    options = ["--text-column", "abstract", "--id-column", "key"]
    assert main(["index", "reviews.d2v", "old.parquet", "-o", "own.index", *options]) == 0
    capsys.readouterr()
    Path("two.jsonl").write_text('{"key": "a3", "head": "compiler"}\n')
    message = "'abstract', but two.jsonl has no text column 'abstract'; it has: key, head. Add it, or name another one"
    assert message in refused(capsys, "update", "own.index", "two.jsonl")
    Path("one.csv").write_text("key,head\na3,compiler\n")
    assert "one.csv has no text column 'abstract'" in refused(capsys, "update", "own.index", "one.csv")
    assert main(["update", "own.index", "one.csv", "--text-column", "head"]) == 0
    Path("new.csv").write_text("key,head,abstract\na4,compiler,soup\n")
    assert main(["update", "own.index", "new.csv"]) == 0
    texts = [SearchIndex.load("own.index").document(row).text for row in range(4)]
    assert texts == ["cold soup", "a dull story", "compiler", "soup"]


def test_documents_without_known_words_are_reported(built: Path, capsys: pytest.CaptureFixture[str]) -> None:
    rows = [{"id": 1000 + place, "label": "new", "text": text} for place, text in enumerate(["qqqq", "", "soup"])]
    Path("odd.jsonl").write_text("".join(json.dumps(row) + "\n" for row in rows))
    note = "note: 2 of 3 documents have no known word: zero vectors"
    assert main(["update", "reviews.index", "odd.jsonl"]) == 0
    assert note in capsys.readouterr().err.splitlines()
    assert main(["index", "reviews.d2v", "odd.jsonl", "-o", "odd.index"]) == 0
    assert note in capsys.readouterr().err.splitlines()


def test_columns_of_our_own_names_are_renamed(here: Path, capsys: pytest.CaptureFixture[str]) -> None:
    pq.write_table(pa.table({"rank": ["7"], "text": ["cold soup"]}), "ranks.parquet")
    assert main(["index", "reviews.d2v", "ranks.parquet", "-o", "ranks.index", "--columns", "rank"]) == 0
    capsys.readouterr()
    assert main(["search", "ranks.index", "soup", "--format", "jsonl"]) == 0
    record = json.loads(capsys.readouterr().out)
    assert (record["rank"], record["column_rank"]) == (1, "7")


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ([*BUILD], "reviews.index exists; choose another name, or replace it with --force"),
        ([*BUILD[:4], "reviews.d2v"], "reviews.d2v exists and is not a search index"),
        ([*BUILD[:4], "x.index", "--columns", "moons"], "no column 'moons'; the input has: id, label, text"),
        ([*BUILD[:4], "x.index", "--id-column", "key"], "no column 'key'; the input has: id, label, text"),
        (["index", "reviews.d2v", "reviews.txt", "-o", "x.index", "--id-column", "id"], "the input has texts only"),
        (["search", "reviews.index", "zzzz"], "no word of the query 'zzzz' is in the vocabulary"),
        (["search", "reviews.index"], "there is no text to search for; give one, or a file of them with --queries"),
        (["search", "reviews.index", "soup", "--format", "xml"], "unknown output format 'xml'"),
        (["search", "reviews.d2v", "soup"], "reviews.d2v has no index.json; it is not a search index"),
        (["search", "nope", "soup"], "nope does not exist; an index is a folder made by `doc2vecc index`"),
        (["update", "reviews.index"], "nothing to do; name files to add, or ids with --delete or --delete-from"),
        (["update", "reviews.index", "--delete", "999"], "there is no document with the id '999'"),
        (
            ["update", "reviews.index", "--delete", "3, 4"],
            "with the id '3, 4'; for several ids, say --delete 3 --delete 4",
        ),
        (["update", "reviews.index", "words.jsonl"], "the ids of this index are integers"),
        (["update", "reviews.index", "bare.jsonl"], "id, label; 'label' is missing, and the input has: id, text"),
        (
            ["serve", "reviews.index", "--port", "0"],
            "reviews.index is a search index, not a model; use serve MODEL --index reviews.index",
        ),
        (
            ["update", "reviews.index", "reviews.csv"],
            "the id 0 and 399 more are already in the index; to replace these documents, delete them first: add "
            "--delete-from FILE",
        ),
        (["update", "reviews.index", "again.jsonl"], "the id 17 is already in the index; to replace the document, "),
    ],
)
def test_mistakes(arguments: list[str], message: str, built: Path, capsys: pytest.CaptureFixture[str]) -> None:
    Path("words.jsonl").write_text('{"id": "one", "label": "new", "text": "soup"}\n')
    Path("again.jsonl").write_text('{"id": 17, "label": "new", "text": "soup"}\n')
    Path("bare.jsonl").write_text('{"id": 1000, "text": "soup"}\n')
    assert message in refused(capsys, *arguments)
