"""The movie reviews are the same in every form they are published in; damaged files are reported."""

import gzip
from collections import Counter

import numpy as np
import pyarrow as pa
import pytest

import data_files
from doc2vecc_paper.datasets import DataError, load_imdb, load_sick

FORMS = [data_files.imdb_parquet, data_files.imdb_folder, data_files.imdb_archive]


def as_rows(data):
    return list(zip(data.split.tolist(), data.label.tolist(), data.texts.to_pylist(), strict=True))


@pytest.mark.parametrize("write", FORMS)
def test_imdb_has_all_reviews_whatever_its_form(write, tmp_path):
    write(tmp_path)
    data = load_imdb(tmp_path)
    assert Counter(as_rows(data)) == Counter((split, label, text) for *_, split, label, text in data_files.REVIEWS)
    assert data.classes == ("negative", "positive")
    assert data.fingerprint.name == "imdb"
    assert data.fingerprint.rows == len(data) == 11
    assert data.fingerprint.text_bytes == sum(len(row[-1].encode()) for row in data_files.REVIEWS)
    assert data.texts.type == pa.large_string()


def test_imdb_is_equal_in_all_its_forms_and_in_any_order(tmp_path):
    found = []
    for number, write in enumerate(FORMS):
        folder = tmp_path / str(number)
        folder.mkdir()
        write(folder, data_files.REVIEWS[number:] + data_files.REVIEWS[:number])
        found.append(load_imdb(folder))
    assert found[0].fingerprint == found[1].fingerprint == found[2].fingerprint
    assert as_rows(found[0]) == as_rows(found[1]) == as_rows(found[2])


def test_imdb_is_mixed(tmp_path):
    """Sorted by split and label, neighboring documents would be of one kind."""
    rows = [
        (place, f"{number}_5.txt", split, label, f"review {number} of {place}")
        for place, split, label in dict.fromkeys((row[0], row[2], row[3]) for row in data_files.REVIEWS)
        for number in range(100)
    ]
    data_files.imdb_folder(tmp_path, rows)
    data = load_imdb(tmp_path)
    changes = np.count_nonzero((data.split[1:] != data.split[:-1]) | (data.label[1:] != data.label[:-1]))
    assert 350 < changes < 450  # of 499; four of five neighbors differ if the order is random


def test_splits_of_imdb(tmp_path):
    data_files.imdb_parquet(tmp_path)
    data = load_imdb(tmp_path)
    learned = data.only("train", "unlabeled")
    assert as_rows(learned) == [row for row in as_rows(data) if row[0] != "test"]
    assert learned.fingerprint.rows == 7
    assert learned.fingerprint != data.fingerprint
    with pytest.raises(ValueError, match="name some of train, test, unlabeled"):
        data.only("tset")
    with pytest.raises(ValueError, match="name some of"):
        data.only()


@pytest.mark.parametrize("write", FORMS)
def test_a_folder_of_imdb_that_is_missing(write, tmp_path):
    write(tmp_path, [row for row in data_files.REVIEWS if row[0] != "test/neg"])
    with pytest.raises(DataError, match=r"has no reviews of test/neg; download it again from ai\.stanford\.edu"):
        load_imdb(tmp_path)


def test_an_archive_that_ends_too_soon(tmp_path):
    """An interrupted download must not pass for a smaller data set, wherever it ends."""
    data_files.imdb_archive(tmp_path, data_files.REVIEWS + data_files.noise_reviews(50))
    archive = tmp_path / "aclImdb_v1.tar.gz"
    whole = archive.read_bytes()
    for length in [0, 1, 5, *range(20, len(whole), 997), len(whole) - 30, len(whole) - 8, len(whole) - 1]:
        archive.write_bytes(whole[:length])
        with pytest.raises(DataError):
            load_imdb(tmp_path)
    with pytest.raises(
        DataError, match=r"cannot read .*aclImdb_v1.tar.gz: .* end-of-stream .*; download the file again"
    ):
        load_imdb(tmp_path)


@pytest.mark.parametrize(
    ("write", "name", "load"),
    [
        (data_files.imdb_archive, "aclImdb_v1.tar.gz", load_imdb),
        (data_files.sick_one_zip, "SICK.zip", load_sick),
        (data_files.imdb_parquet, "imdb.parquet", load_imdb),
    ],
)
def test_a_damaged_byte_is_reported_or_does_no_harm(write, name, load, tmp_path):
    write(tmp_path)
    draw = np.random.default_rng(0)
    whole = (tmp_path / name).read_bytes()
    intact = load(tmp_path).fingerprint
    reported = 0
    for _ in range(100):
        damaged = bytearray(whole)
        damaged[draw.integers(len(whole))] ^= 1 << draw.integers(8)
        (tmp_path / name).write_bytes(damaged)
        try:
            assert load(tmp_path).fingerprint == intact or name.endswith(".parquet")  # has no checksum by itself
        except DataError:
            reported += 1
    assert reported > 20


def test_an_archive_that_is_damaged_within_a_review(tmp_path):
    data_files.imdb_archive(tmp_path, data_files.noise_reviews(2, length=100_000))
    archive = tmp_path / "aclImdb_v1.tar.gz"
    content = bytearray(gzip.compress(gzip.decompress(archive.read_bytes()), compresslevel=0))
    length_of_first_block = int.from_bytes(content[11:13], "little")
    content[15 + length_of_first_block + 1] ^= 1  # the second block no longer agrees with itself about its length
    archive.write_bytes(content)
    with pytest.raises(
        DataError, match=r"cannot read .*0_9.txt in .*: .*invalid stored block lengths; download the file"
    ):
        load_imdb(tmp_path)


def test_an_archive_that_is_none(tmp_path):
    (tmp_path / "aclImdb_v1.tar.gz").write_text("<html>404</html>")
    with pytest.raises(DataError, match=r"cannot read .*aclImdb_v1.tar.gz: .*; download the file again"):
        load_imdb(tmp_path)


def test_a_review_that_is_no_utf8(tmp_path):
    data_files.imdb_folder(tmp_path)
    (tmp_path / "aclImdb/test/neg/0_3.txt").write_bytes(b"bad \xff")
    with pytest.raises(DataError, match=r"cannot read .*test/neg/0_3.txt: 'utf-8' codec can't decode byte 0xff"):
        load_imdb(tmp_path)


@pytest.mark.parametrize(
    ("columns", "message"),
    [
        ({"split": ["train"], "text": ["a"]}, "lacks the columns label; it has split, text, but must have split,"),
        ({"split": ["train"], "label": [1], "text": [3]}, "the column text of .* is int64; it must hold strings"),
        ({"split": ["train"], "label": [1], "text": pa.array([None], pa.string())}, "1 texts in .* are missing"),
        ({"split": ["dev"], "label": [1], "text": ["a"]}, "has a row with split 'dev' and label 1; reviews of train"),
        ({"split": ["train"], "label": [-1], "text": ["a"]}, "has a row with split 'train' and label -1"),
    ],
)
def test_an_imdb_table_of_another_kind(columns, message, tmp_path):
    data_files.write_parquet(tmp_path / "imdb.parquet", columns)
    with pytest.raises(DataError, match=message):
        load_imdb(tmp_path)


def test_a_parquet_file_that_is_none(tmp_path):
    (tmp_path / "imdb.parquet").write_text("PAR?")
    with pytest.raises(DataError, match=r"cannot read .*imdb.parquet: .*; download the file again"):
        load_imdb(tmp_path)
