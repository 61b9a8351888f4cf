"""The data folder, Wikipedia pages and novels; what is missing or damaged is reported in one line."""

import pyarrow as pa
import pytest

import data_files
from doc2vecc_paper.datasets import (
    DataError,
    data_folder,
    load_imdb,
    load_novels,
    load_questions,
    load_ratings,
    load_sick,
    load_wikipedia100,
    open_enwiki,
)

LONG = "one two three four five six seven eight nine ten"


def as_rows(data):
    return list(zip(data.split.tolist(), data.label.tolist(), data.texts.to_pylist(), strict=True))


def test_the_folder_that_is_given_comes_before_the_one_of_the_environment(tmp_path, monkeypatch):
    (tmp_path / "a").mkdir()
    (tmp_path / "b").mkdir()
    monkeypatch.setenv("DOC2VECC_DATA", str(tmp_path / "b"))
    assert data_folder(tmp_path / "a") == tmp_path / "a"
    assert data_folder() == tmp_path / "b"


@pytest.mark.parametrize("value", [None, ""])
def test_without_a_folder_the_error_gives_the_remedy(value, monkeypatch):
    monkeypatch.delenv("DOC2VECC_DATA", raising=False)
    if value is not None:
        monkeypatch.setenv("DOC2VECC_DATA", value)
    with pytest.raises(DataError, match="no data folder is given; use --data DIR, or set DOC2VECC_DATA"):
        data_folder()


def test_a_folder_that_does_not_exist(tmp_path, monkeypatch):
    with pytest.raises(DataError, match="nowhere does not exist or is a file; set --data to a folder"):
        data_folder(tmp_path / "nowhere")
    monkeypatch.setenv("DOC2VECC_DATA", str(tmp_path / "nowhere"))
    with pytest.raises(DataError, match="set DOC2VECC_DATA to a folder"):
        data_folder()


@pytest.mark.parametrize(
    ("load", "what", "site"),
    [
        (load_imdb, "aclImdb_v1.tar.gz", "ai.stanford.edu/~amaas/data/sentiment"),
        (load_wikipedia100, "wikipedia100.parquet", "dumps.wikimedia.org"),
        (open_enwiki, "enwiki.parquet", "dumps.wikimedia.org"),
        (load_novels, "novels.parquet", "github.com/computationalstylistics/100_english_novels"),
        (load_sick, "sick_test_annotated.zip", "alt.qcri.org/semeval2014/task1"),
        (load_questions, "questions-words.txt", "github.com/tmikolov/word2vec"),
        (load_ratings, "EN-WS-353-ALL.txt", "github.com/mfaruqui/eval-word-vectors"),
    ],
)
def test_missing_data_are_one_line_with_file_source_and_target(load, what, site, tmp_path):
    with pytest.raises(DataError) as told:
        load(tmp_path)
    message = str(told.value)
    assert message.startswith(f"{tmp_path} has no ")
    assert what in message
    assert site in message
    assert "put it there" in message or "put them there" in message or "to wordsim" in message
    assert "\n" not in message
    assert len(message) < 500 - len(str(tmp_path))


def test_wikipedia_classes_are_numbered_by_name(tmp_path):
    data_files.write_parquet(
        tmp_path / "wikipedia100.parquet",
        {
            "id": [1, 2, 3, 4],
            "title": ["A", "B", "C", "D"],
            "split": ["train", "unlabeled", "test", "train"],
            "label": ["river", None, "album", "album"],
            "text": ["a", "b", "c", "d"],
        },
    )
    data = load_wikipedia100(tmp_path)
    assert data.classes == ("album", "river")
    assert as_rows(data) == [("train", 1, "a"), ("unlabeled", -1, "b"), ("test", 0, "c"), ("train", 0, "d")]


@pytest.mark.parametrize(("split", "label"), [("train", None), ("unlabeled", "river"), ("dev", "river")])
def test_a_wikipedia_label_that_does_not_fit_its_split(split, label, tmp_path):
    columns = {"split": ["train", split], "label": ["river", label], "text": ["a", "b"]}
    data_files.write_parquet(tmp_path / "wikipedia100.parquet", columns)
    with pytest.raises(DataError, match=rf"row 1 \(counted from 0\) has split '{split}' and label {label!r}; rows of"):
        load_wikipedia100(tmp_path)


@pytest.mark.parametrize(("splits", "absent"), [(["train"], "test"), (["test"], "train"), ([], "train and test")])
def test_wikipedia_pages_without_a_split(splits, absent, tmp_path):
    count = len(splits)
    columns = {
        name: pa.array(values, pa.string())
        for name, values in (("split", splits), ("label", ["river"] * count), ("text", ["a"] * count))
    }
    data_files.write_parquet(tmp_path / "wikipedia100.parquet", columns)
    with pytest.raises(DataError, match=f"wikipedia100.parquet has no rows of {absent}; there must be rows of both"):
        load_wikipedia100(tmp_path)


def pages(tmp_path, texts, rows_of_a_group=1000):
    data_files.write_parquet(tmp_path / "enwiki.parquet", {"text": texts}, rows_of_a_group)
    return open_enwiki(tmp_path)


def test_paragraphs_are_documents_and_short_lines_are_skipped_and_counted(tmp_path):
    wiki = pages(tmp_path, [f"A {LONG}\nPlot.\n{LONG} B", "May refer to:", f"{LONG.replace(' ten', '')}\n{LONG}"])
    paragraphs = wiki.paragraphs()
    assert [chunk.to_pylist() for chunk in paragraphs] == [[f"A {LONG}", f"{LONG} B", LONG]]
    assert (paragraphs.kept, paragraphs.skipped, paragraphs.pages) == (3, 3, 3)
    assert sum(map(len, paragraphs)) == 3, "the stream can be read again"
    assert (paragraphs.kept, paragraphs.skipped) == (3, 3)


def test_a_share_of_the_pages_is_their_beginning(tmp_path):
    texts = [f"{LONG} {number}\n{LONG} {number} again" for number in range(2500)]  # more than one batch
    wiki = pages(tmp_path, texts, rows_of_a_group=700)
    assert wiki.pages == wiki.fingerprint.rows == 2500
    for share, count in [(1.0, 2500), (0.5, 1250), (1e-6, 1), (1024 / 2500, 1024)]:
        found = [text for chunk in wiki.paragraphs(share) for text in chunk.to_pylist()]
        assert found == [line for text in texts[:count] for line in text.split("\n")]
    with pytest.raises(ValueError, match=r"share=1\.5 is not a share; it must be above 0 and at most 1"):
        wiki.paragraphs(1.5)
    with pytest.raises(ValueError, match="share=0 is not a share"):
        wiki.paragraphs(0)


def test_pages_without_a_text(tmp_path):
    with pytest.raises(DataError, match=r"1 texts in .*enwiki.parquet are missing"):
        pages(tmp_path, ["a", None])


@pytest.mark.parametrize(("load", "name"), [(load_novels, "novels.parquet"), (open_enwiki, "enwiki.parquet")])
def test_a_text_that_is_no_utf8(load, name, tmp_path):
    data_files.write_parquet(tmp_path / name, {"text": data_files.invalid_utf8()})
    with pytest.raises(DataError, match=rf"cannot read .*{name}: .*UTF8.*; download the file again"):
        load(tmp_path)


def test_novels_lose_their_byte_order_marks(tmp_path):
    texts = ["\ufeffCHAPTER I", "It was \ufeff late."]
    data_files.write_parquet(tmp_path / "novels.parquet", {"book": ["A", "A"], "text": texts})
    data = load_novels(tmp_path)
    assert data.texts.to_pylist() == ["CHAPTER I", "It was \ufeff late."]
    assert data.fingerprint[:2] == ("novels", 2)
