"""Each data set is the same in every form it is published in; what is missing or damaged is told in one line."""

import gzip
import zipfile
from collections import Counter

import numpy as np
import pyarrow as pa
import pytest
from experiments.tests import material

from doc2vecc.corpus.encoding import encode
from doc2vecc_paper.datasets import (
    DataError,
    data_folder,
    load_imdb,
    load_novels,
    load_questions,
    load_sick,
    load_wikipedia100,
    open_enwiki,
)

LONG = "one two three four five six seven eight nine ten"


def as_rows(data):
    return list(zip(data.split.tolist(), data.label.tolist(), data.texts.to_pylist(), strict=True))


# -- the folder


def test_the_folder_that_is_given_comes_before_the_one_of_the_environment(tmp_path, monkeypatch):
    (tmp_path / "a").mkdir()
    (tmp_path / "b").mkdir()
    monkeypatch.setenv("DOC2VECC_DATA", str(tmp_path / "b"))
    assert data_folder(tmp_path / "a") == tmp_path / "a"
    assert data_folder() == tmp_path / "b"


@pytest.mark.parametrize("value", [None, ""])
def test_without_a_folder_the_remedy_is_told(value, monkeypatch):
    monkeypatch.delenv("DOC2VECC_DATA", raising=False)
    if value is not None:
        monkeypatch.setenv("DOC2VECC_DATA", value)
    with pytest.raises(DataError, match="no data folder was named; say --data DIR, or set DOC2VECC_DATA"):
        data_folder()


def test_a_folder_that_does_not_exist(tmp_path, monkeypatch):
    with pytest.raises(DataError, match="nowhere does not exist or is a file; let --data name a folder"):
        data_folder(tmp_path / "nowhere")
    monkeypatch.setenv("DOC2VECC_DATA", str(tmp_path / "nowhere"))
    with pytest.raises(DataError, match="let DOC2VECC_DATA name a folder"):
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
    ],
)
def test_missing_data_are_told_in_one_line_with_what_where_from_and_where_to(load, what, site, tmp_path):
    with pytest.raises(DataError) as told:
        load(tmp_path)
    message = str(told.value)
    assert message.startswith(f"{tmp_path} has no ")
    assert what in message
    assert site in message
    assert "put it there" in message or "put them there" in message
    assert "\n" not in message
    assert len(message) < 500 - len(str(tmp_path))


# -- IMDB


@pytest.mark.parametrize("write", [material.imdb_parquet, material.imdb_folder, material.imdb_archive])
def test_imdb_has_all_reviews_whatever_its_form(write, tmp_path):
    write(tmp_path)
    data = load_imdb(tmp_path)
    assert Counter(as_rows(data)) == Counter((split, label, text) for *_, split, label, text in material.REVIEWS)
    assert data.classes == ("negative", "positive")
    assert data.fingerprint.name == "imdb"
    assert data.fingerprint.rows == len(data) == 11
    assert data.fingerprint.text_bytes == sum(len(row[-1].encode()) for row in material.REVIEWS)
    assert data.texts.type == pa.large_string()


def test_imdb_is_equal_in_all_its_forms_and_in_any_order(tmp_path):
    found = []
    for number, write in enumerate([material.imdb_parquet, material.imdb_folder, material.imdb_archive]):
        folder = tmp_path / str(number)
        folder.mkdir()
        write(folder, material.REVIEWS[number:] + material.REVIEWS[:number])
        found.append(load_imdb(folder))
    assert found[0].fingerprint == found[1].fingerprint == found[2].fingerprint
    assert as_rows(found[0]) == as_rows(found[1]) == as_rows(found[2])


def test_imdb_is_mixed(tmp_path):
    """Sorted by split and label, neighboring documents would be of one kind."""
    rows = [
        (place, f"{number}_5.txt", split, label, f"review {number} of {place}")
        for place, split, label in dict.fromkeys((row[0], row[2], row[3]) for row in material.REVIEWS)
        for number in range(100)
    ]
    material.imdb_folder(tmp_path, rows)
    data = load_imdb(tmp_path)
    changes = np.count_nonzero((data.split[1:] != data.split[:-1]) | (data.label[1:] != data.label[:-1]))
    assert 350 < changes < 450  # of 499; four of five neighbors differ if the order is random


def test_parts_of_imdb(tmp_path):
    material.imdb_parquet(tmp_path)
    data = load_imdb(tmp_path)
    part = data.part("train", "unlabeled")
    assert as_rows(part) == [row for row in as_rows(data) if row[0] != "test"]
    assert part.fingerprint.rows == 7
    assert part.fingerprint != data.fingerprint
    with pytest.raises(ValueError, match="name some of train, test, unlabeled"):
        data.part("tset")
    with pytest.raises(ValueError, match="name some of"):
        data.part()


@pytest.mark.parametrize("write", [material.imdb_parquet, material.imdb_folder, material.imdb_archive])
def test_a_part_of_imdb_that_is_not_there(write, tmp_path):
    write(tmp_path, [row for row in material.REVIEWS if row[0] != "test/neg"])
    with pytest.raises(DataError, match=r"has no reviews of test/neg; get it again from ai\.stanford\.edu"):
        load_imdb(tmp_path)


def test_an_archive_that_ends_too_soon(tmp_path):
    """An interrupted download must not pass for a smaller data set, wherever it ends."""
    material.imdb_archive(tmp_path, material.REVIEWS + material.noise_reviews(50))
    archive = tmp_path / "aclImdb_v1.tar.gz"
    whole = archive.read_bytes()
    for length in [0, 1, 5, *range(20, len(whole), 997), len(whole) - 30, len(whole) - 8, len(whole) - 1]:
        archive.write_bytes(whole[:length])
        with pytest.raises(DataError):
            load_imdb(tmp_path)
    with pytest.raises(
        DataError, match=r"cannot read .*aclImdb_v1.tar.gz: .* end-of-stream .*; get the file again"
    ):
        load_imdb(tmp_path)


@pytest.mark.parametrize(
    ("write", "name", "load"),
    [
        (material.imdb_archive, "aclImdb_v1.tar.gz", load_imdb),
        (material.sick_one_zip, "SICK.zip", load_sick),
        (material.imdb_parquet, "imdb.parquet", load_imdb),
    ],
)
def test_a_damaged_byte_is_told_of_or_does_no_harm(write, name, load, tmp_path):
    write(tmp_path)
    draw = np.random.default_rng(0)
    whole = (tmp_path / name).read_bytes()
    intact = load(tmp_path).fingerprint
    told = 0
    for _ in range(100):
        damaged = bytearray(whole)
        damaged[draw.integers(len(whole))] ^= 1 << draw.integers(8)
        (tmp_path / name).write_bytes(damaged)
        try:
            assert load(tmp_path).fingerprint == intact or name.endswith(".parquet")  # has no checksum by itself
        except DataError:
            told += 1
    assert told > 20


def test_an_archive_that_is_damaged_within_a_review(tmp_path):
    material.imdb_archive(tmp_path, material.noise_reviews(2, length=100_000))
    archive = tmp_path / "aclImdb_v1.tar.gz"
    content = bytearray(gzip.compress(gzip.decompress(archive.read_bytes()), compresslevel=0))
    length_of_first_block = int.from_bytes(content[11:13], "little")
    content[15 + length_of_first_block + 1] ^= 1  # the second block no longer agrees with itself about its length
    archive.write_bytes(content)
    with pytest.raises(
        DataError, match=r"cannot read .*0_9.txt in .*: .*invalid stored block lengths; get the file"
    ):
        load_imdb(tmp_path)


def test_an_archive_that_is_none(tmp_path):
    (tmp_path / "aclImdb_v1.tar.gz").write_text("<html>404</html>")
    with pytest.raises(DataError, match=r"cannot read .*aclImdb_v1.tar.gz: .*; get the file again"):
        load_imdb(tmp_path)


def test_a_review_that_is_no_utf8(tmp_path):
    material.imdb_folder(tmp_path)
    (tmp_path / "aclImdb/test/neg/0_3.txt").write_bytes(b"bad \xff")
    with pytest.raises(DataError, match=r"cannot read .*test/neg/0_3.txt: 'utf-8' codec can't decode byte 0xff"):
        load_imdb(tmp_path)


@pytest.mark.parametrize(
    ("columns", "message"),
    [
        ({"split": ["train"], "text": ["a"]}, "lacks the columns label; it has split, text, but must have split,"),
        ({"split": ["train"], "label": [1], "text": [3]}, "the column text of .* is int64; it must hold strings"),
        ({"split": ["train"], "label": [1], "text": pa.array([None], pa.string())}, "1 texts in .* are missing"),
        (
            {"split": ["dev"], "label": [1], "text": ["a"]},
            "has a row with split 'dev' and label 1; reviews of train",
        ),
        ({"split": ["train"], "label": [-1], "text": ["a"]}, "has a row with split 'train' and label -1"),
    ],
)
def test_an_imdb_table_of_another_kind(columns, message, tmp_path):
    material.write_parquet(tmp_path / "imdb.parquet", columns)
    with pytest.raises(DataError, match=message):
        load_imdb(tmp_path)


def test_a_parquet_file_that_is_none(tmp_path):
    (tmp_path / "imdb.parquet").write_text("PAR?")
    with pytest.raises(DataError, match=r"cannot read .*imdb.parquet: .*; get the file again"):
        load_imdb(tmp_path)


# -- Wikipedia and novels


def test_wikipedia_classes_are_numbered_by_name(tmp_path):
    material.write_parquet(
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
    material.write_parquet(tmp_path / "wikipedia100.parquet", columns)
    with pytest.raises(
        DataError, match=rf"row 1 \(counted from 0\) has split '{split}' and label {label!r}; rows of"
    ):
        load_wikipedia100(tmp_path)


@pytest.mark.parametrize(("splits", "absent"), [(["train"], "test"), (["test"], "train"), ([], "train and test")])
def test_wikipedia_pages_without_a_part(splits, absent, tmp_path):
    count = len(splits)
    columns = {
        name: pa.array(values, pa.string())
        for name, values in (("split", splits), ("label", ["river"] * count), ("text", ["a"] * count))
    }
    material.write_parquet(tmp_path / "wikipedia100.parquet", columns)
    with pytest.raises(DataError, match=f"wikipedia100.parquet has no rows of {absent}; there must be some to"):
        load_wikipedia100(tmp_path)


def pages(tmp_path, texts, rows_of_a_group=1000):
    material.write_parquet(tmp_path / "enwiki.parquet", {"text": texts}, rows_of_a_group)
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
    with pytest.raises(ValueError, match=r"share=1\.5 does not fit"):
        wiki.paragraphs(1.5)
    with pytest.raises(ValueError, match="share=0 does not fit"):
        wiki.paragraphs(0)


def test_paragraphs_can_be_encoded(tmp_path):
    wiki = pages(tmp_path, [f"Plot.\n{LONG}\n{LONG}", "Short."])
    corpus = encode(wiki.paragraphs(), min_count=1, workers=1)
    assert corpus.report.documents == 2
    assert sorted(corpus.vocabulary.words) == sorted(LONG.split())


def test_pages_without_a_text(tmp_path):
    with pytest.raises(DataError, match=r"1 texts in .*enwiki.parquet are missing"):
        pages(tmp_path, ["a", None])


@pytest.mark.parametrize(("load", "name"), [(load_novels, "novels.parquet"), (open_enwiki, "enwiki.parquet")])
def test_a_text_that_is_no_utf8(load, name, tmp_path):
    material.write_parquet(tmp_path / name, {"text": material.invalid_utf8()})
    with pytest.raises(DataError, match=rf"cannot read .*{name}: .*UTF8.*; get the file again"):
        load(tmp_path)


def test_novels_lose_their_byte_order_marks(tmp_path):
    texts = ["\ufeffCHAPTER I", "It was \ufeff late."]
    material.write_parquet(tmp_path / "novels.parquet", {"book": ["A", "A"], "text": texts})
    data = load_novels(tmp_path)
    assert data.texts.to_pylist() == ["CHAPTER I", "It was \ufeff late."]
    assert data.fingerprint[:2] == ("novels", 2)


# -- SICK and the word analogies


@pytest.mark.parametrize(
    "write",
    [
        lambda folder: material.sick_files(folder / "sick"),
        material.sick_files,
        material.sick_zips,
        material.sick_one_zip,
    ],
    ids=["sick/", "files", "three zips", "one zip"],
)
def test_sick_is_equal_in_all_its_forms(write, tmp_path):
    write(tmp_path)
    data = load_sick(tmp_path)
    assert data.first.to_pylist() == ["A dog runs", "A cat", "A man sings", "Snow", "A café"]
    assert data.second.to_pylist() == ["A dog is running", "No cat", "A kid eats", "White snow", "A bar"]
    assert data.score.tolist() == [4.7, 3, 1, 3.3, 2.25]
    assert data.split.tolist() == ["train", "train", "trial", "test", "test"]
    assert data.fingerprint[:2] == ("sick", 5)
    again = tmp_path / "again"
    material.sick_files(again)
    assert load_sick(again).fingerprint == data.fingerprint


def test_the_later_edition_of_sick_is_not_taken_for_the_papers(tmp_path):
    with zipfile.ZipFile(tmp_path / "SICK.zip", "w") as archive:
        archive.writestr("SICK.txt", "pair_ID\tsentence_A")
    with pytest.raises(DataError, match=r"a later edition of SICK with 9,840 pairs; the paper's has 9,927"):
        load_sick(tmp_path)


@pytest.mark.parametrize(
    ("line", "message"),
    [
        ("4\tA man sings\t1\tNEUTRAL", r"SICK_trial.txt, line 2 has 4 cells, the header 5; get it again"),
        ("4\tA man\tA kid\tNA\tNEUTRAL", r"SICK_trial.txt, line 2 has the relatedness 'NA'; it must be a number"),
        ("4\tA man\tA kid\t5.5\tNEUTRAL", r"line 2 has the relatedness '5.5'; it must be a number from 1 to 5"),
        ("4\tA man\tA kid\tnan\tNEUTRAL", r"line 2 has the relatedness 'nan'"),
    ],
)
def test_a_damaged_line_of_sick(line, message, tmp_path):
    material.sick_files(tmp_path)
    (tmp_path / "SICK_trial.txt").write_text(f"{material.SICK_HEADER}\n{line}\n")
    with pytest.raises(DataError, match=message):
        load_sick(tmp_path)


def test_the_columns_of_sick_are_found_by_name_whatever_the_line_ends(tmp_path):
    material.sick_files(tmp_path)
    text = "sentence_B\tsentence_A\trelatedness_score\r\nA bar\tA café\t2.25\r\n\r\n"
    (tmp_path / "SICK_trial.txt").write_bytes(text.encode())
    data = load_sick(tmp_path)
    trial = int(np.flatnonzero(data.split == "trial")[0])
    assert (data.first[trial].as_py(), data.second[trial].as_py(), data.score[trial]) == ("A café", "A bar", 2.25)


def test_sick_without_a_header(tmp_path):
    material.sick_files(tmp_path)
    (tmp_path / "SICK_train.txt").write_text("1\tA dog\tA cat\t3\tNEUTRAL\n")
    with pytest.raises(
        DataError, match=r"SICK_train.txt begins with '1\\tA dog.*, not with a header that has sent"
    ):
        load_sick(tmp_path)


def test_sick_without_pairs(tmp_path):
    material.sick_files(tmp_path)
    (tmp_path / "SICK_trial.txt").write_text("sentence_A\tsentence_B\trelatedness_score\n")
    with pytest.raises(DataError, match=r"SICK_trial\.txt has a header and no pairs; get it again from alt"):
        load_sick(tmp_path)


def test_a_zip_file_that_is_none(tmp_path):
    (tmp_path / "sick_train.zip").write_text("<html>404</html>")
    with pytest.raises(
        DataError, match=r"cannot read .*sick_train.zip: File is not a zip file; get the file again"
    ):
        load_sick(tmp_path)


def test_a_zip_file_of_an_unknown_method(tmp_path):
    material.sick_one_zip(tmp_path)
    path = tmp_path / "SICK.zip"
    content = bytearray(path.read_bytes())
    content[content.index(b"PK\x01\x02") + 10] = 99
    path.write_bytes(content)
    with pytest.raises(DataError, match=r"cannot read .*SICK.zip: That compression method is not supported"):
        load_sick(tmp_path)


@pytest.mark.parametrize("place", ["analogy", "."])
def test_questions(place, tmp_path):
    folder = tmp_path / place
    folder.mkdir(exist_ok=True)
    (folder / "questions-words.txt").write_text(material.QUESTIONS)
    data = load_questions(tmp_path)
    assert {name: len(questions) for name, questions in data.sections.items()} == {
        "capital-world": 2,
        "family": 1,
        "gram8-plural": 2,
    }
    assert data.sections["capital-world"][1] == ["Bern", "Switzerland", "Paris", "France"]
    assert data.fingerprint.rows == 5


def test_questions_under_a_repeated_heading_are_joined(tmp_path):
    text = ": family\nboy girl brother sister\n: plural\nbird birds dog dogs\n: family\nking queen man woman\n"
    (tmp_path / "questions-words.txt").write_text(text)
    assert [len(questions) for questions in load_questions(tmp_path).sections.values()] == [2, 1]


@pytest.mark.parametrize(
    ("text", "message"),
    [
        (": family\nboy girl brother\n", "line 2 is 'boy girl brother'; it must be four words under a heading"),
        ("boy girl brother sister\n", "line 1 is 'boy girl brother sister'; it must be four words under a heading"),
        (": family\n\n", "has no question; get it again from github.com/tmikolov/word2vec"),
    ],
)
def test_damaged_questions(text, message, tmp_path):
    (tmp_path / "questions-words.txt").write_text(text)
    with pytest.raises(DataError, match=message):
        load_questions(tmp_path)
