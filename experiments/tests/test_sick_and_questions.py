"""SICK is the same in every form it is published in; the analogy questions; damaged files are reported."""

import zipfile

import numpy as np
import pytest

import data_files
from doc2vecc_paper.datasets import DataError, load_questions, load_sick


@pytest.mark.parametrize(
    "write",
    [
        lambda folder: data_files.sick_files(folder / "sick"),
        data_files.sick_files,
        data_files.sick_zips,
        data_files.sick_one_zip,
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
    data_files.sick_files(again)
    assert load_sick(again).fingerprint == data.fingerprint


def test_the_later_edition_of_sick_is_not_taken_for_the_papers(tmp_path):
    with zipfile.ZipFile(tmp_path / "SICK.zip", "w") as archive:
        archive.writestr("SICK.txt", "pair_ID\tsentence_A")
    with pytest.raises(DataError, match=r"a later edition of SICK with 9,840 pairs; the paper's has 9,927"):
        load_sick(tmp_path)


@pytest.mark.parametrize(
    ("line", "message"),
    [
        ("4\tA man sings\t1\tNEUTRAL", r"SICK_trial.txt, line 2 has 4 cells, the header 5; download it again"),
        ("4\tA man\tA kid\tNA\tNEUTRAL", r"SICK_trial.txt, line 2 has the relatedness 'NA'; it must be a number"),
        ("4\tA man\tA kid\t5.5\tNEUTRAL", r"line 2 has the relatedness '5.5'; it must be a number from 1 to 5"),
        ("4\tA man\tA kid\tnan\tNEUTRAL", r"line 2 has the relatedness 'nan'"),
    ],
)
def test_a_damaged_line_of_sick(line, message, tmp_path):
    data_files.sick_files(tmp_path)
    (tmp_path / "SICK_trial.txt").write_text(f"{data_files.SICK_HEADER}\n{line}\n")
    with pytest.raises(DataError, match=message):
        load_sick(tmp_path)


def test_the_columns_of_sick_are_found_by_name_whatever_the_line_ends(tmp_path):
    data_files.sick_files(tmp_path)
    text = "sentence_B\tsentence_A\trelatedness_score\r\nA bar\tA café\t2.25\r\n\r\n"
    (tmp_path / "SICK_trial.txt").write_bytes(text.encode())
    data = load_sick(tmp_path)
    trial = int(np.flatnonzero(data.split == "trial")[0])
    assert (data.first[trial].as_py(), data.second[trial].as_py(), data.score[trial]) == ("A café", "A bar", 2.25)


def test_sick_without_a_header(tmp_path):
    data_files.sick_files(tmp_path)
    (tmp_path / "SICK_train.txt").write_text("1\tA dog\tA cat\t3\tNEUTRAL\n")
    with pytest.raises(DataError, match=r"SICK_train.txt begins with '1\\tA dog.*, not with a header that has sent"):
        load_sick(tmp_path)


def test_sick_without_pairs(tmp_path):
    data_files.sick_files(tmp_path)
    (tmp_path / "SICK_trial.txt").write_text("sentence_A\tsentence_B\trelatedness_score\n")
    with pytest.raises(DataError, match=r"SICK_trial\.txt has a header and no pairs; download it again from alt"):
        load_sick(tmp_path)


def test_a_zip_file_that_is_none(tmp_path):
    (tmp_path / "sick_train.zip").write_text("<html>404</html>")
    with pytest.raises(
        DataError, match=r"cannot read .*sick_train.zip: File is not a zip file; download the file again"
    ):
        load_sick(tmp_path)


def test_a_zip_file_of_an_unknown_method(tmp_path):
    data_files.sick_one_zip(tmp_path)
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
    (folder / "questions-words.txt").write_text(data_files.QUESTIONS)
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
        (": family\n\n", "has no question; download it again from github.com/tmikolov/word2vec"),
    ],
)
def test_damaged_questions(text, message, tmp_path):
    (tmp_path / "questions-words.txt").write_text(text)
    with pytest.raises(DataError, match=message):
        load_questions(tmp_path)
