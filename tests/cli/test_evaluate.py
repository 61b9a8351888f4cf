"""``doc2vecc evaluate`` on real files, and every mistake: one line, exit code 2."""

import json
import re
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from doc2vecc import storage
from doc2vecc.cli import main
from doc2vecc.evaluation import comparison, linear_probe
from tests.cli.commands import refused, sentences


def test_a_split_by_chance(here: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["evaluate", "reviews.d2v", "reviews.csv", "--json", "out.json"]) == 0
    out, err = capsys.readouterr()
    assert err == ""
    found = json.loads(Path("out.json").read_text())
    counts = np.unique([topic for topic, _ in sentences(400)], return_counts=True)[1].tolist()
    assert found["test_documents"] == sum(round(0.25 * n) for n in counts)
    assert found["train_documents"] + found["test_documents"] == 400
    assert sorted(found["train_rows"] + found["test_rows"]) == list(range(400))
    assert found["labels"] == ["code", "film", "food"]
    error = found["vectors"]["error"]
    assert error < 0.1 < found["majority_error"]
    lines = out.splitlines()
    sizes = found["train_documents"], found["test_documents"]
    assert lines[0] == f"trained on {sizes[0]} documents, evaluated on {sizes[1]}; 3 classes"
    assert re.fullmatch(rf"Doc2VecC, 16 dimensions +{100 * error:.2f} +\d+\.\d\d +[\d.]+", lines[3])
    assert re.fullmatch(r"tf-idf, \d+ words +\d+\.\d\d +\d+\.\d\d +[\d.]+", lines[4])
    assert re.fullmatch(rf"most frequent class +{100 * found['majority_error']:.2f}", lines[5])
    assert lines[7].split() == ["class", "test", "documents", "F1", "%", "Doc2VecC", "F1", "%", "tf-idf"]
    classes = [line.split() for line in lines[8:11]]
    assert sorted(name for name, *_ in classes) == found["labels"]
    f1 = [f"{100 * found['vectors']['f1'][found['labels'].index(name)]:.2f}" for name, *_ in classes]
    assert [cells[2] for cells in classes] == f1 == sorted(f1, key=float)
    assert [int(cells[1]) for cells in classes] == [
        sum(found["vectors"]["confusion"][found["labels"].index(name)]) for name, *_ in classes
    ]
    assert lines[12].split() == ["class", "predicted", "by", "Doc2VecC", "documents", "of", "the", "class"]
    matrix = np.diag(np.diag(found["vectors"]["confusion"]))
    for truth, predicted, number, *_ in (line.split() for line in lines[13:]):
        matrix[found["labels"].index(truth), found["labels"].index(predicted)] = int(number)
    assert matrix.tolist() == found["vectors"]["confusion"]


def test_many_training_documents_choose_c_on_a_fifth(
    here: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    chosen = []

    def watched(*splits, folds, **options):
        chosen.append(folds)
        return linear_probe(*splits, folds=folds, **options)

    monkeypatch.setattr(comparison, "linear_probe", watched)
    for small in (100, 300):
        monkeypatch.setattr(comparison, "SMALL_SPLIT", small)
        assert main(["evaluate", "reviews.d2v", "reviews.csv", "--test-share", "0.5"]) == 0
    assert chosen == [1, 1, 3, 3]


def test_the_scores_are_those_of_the_probe(here: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["evaluate", "reviews.d2v", "reviews.csv", "--test-share", "0.5", "--seed", "3", "--json", "-"]) == 0
    out, err = capsys.readouterr()
    assert err == ""
    found = json.loads(out)
    topics, texts = zip(*sentences(400), strict=True)
    vectors = storage.load("reviews.d2v").embed(pa.array(texts, pa.large_string())).vectors
    labels, train, test = np.array(topics), found["train_rows"], found["test_rows"]
    result = linear_probe(vectors[train], labels[train], vectors[test], labels[test], seed=3, folds=3)
    assert found["vectors"]["error"] == result.error
    assert found["vectors"]["predictions"] == result.predictions.tolist()
    assert found["test_labels"] == labels[test].tolist()
    assert found["seed"] == 3


def given_split(path: str) -> None:
    """Write 300 reviews: 50 without a label, 100 for training, 100 for testing, 50 of another split."""
    rows = sentences(300)
    splits = ["learn"] * 150 + ["test"] * 100 + ["other"] * 50
    labels = [None] * 25 + ["?"] * 25 + [topic for topic, _ in rows[50:]]
    labels[149], labels[249] = "only learned", "only tested"
    pq.write_table(pa.table({"body": [text for _, text in rows], "split": splits, "topic": labels}), path)


def test_a_given_split(here: Path, capsys: pytest.CaptureFixture[str]) -> None:
    given_split("split.parquet")
    columns = ["--text-column", "body", "--label-column", "topic", "--split-column", "split"]
    values = ["--train-value", "learn", "--test-value", "test", "--unlabeled", "?", "--unlabeled", "-1"]
    assert main(["evaluate", "reviews.d2v", "split.parquet", *columns, *values, "--json", "out.json"]) == 0
    _, err = capsys.readouterr()
    assert err.splitlines() == [
        "note: 50 documents without a label were left out",
        "note: 50 labeled documents are in neither split and were left out",
        "note: 1 class is in the training split only, and not evaluated on: only learned",
        "note: 1 class is in the test split only, always an error: only tested",
    ]
    found = json.loads(Path("out.json").read_text())
    assert found["train_rows"] == list(range(50, 150))
    assert found["test_rows"] == list(range(150, 250))
    assert found["unlabeled_documents"] == 50
    f1 = dict(zip(found["labels"], found["vectors"]["f1"], strict=True))
    assert f1["only tested"] == 0
    assert f1["only learned"] is None


def test_vectors_from_elsewhere(here: Path, capsys: pytest.CaptureFixture[str]) -> None:
    given_split("split.parquet")
    draw = np.random.default_rng(0)
    topics = ["code", "film", "food", "only learned", "only tested", "?"]
    labels = pq.read_table("split.parquet")["topic"].to_pylist()
    vectors = np.eye(6)[[topics.index(label or "?") for label in labels]] + 0.01 * draw.normal(size=(300, 6))
    np.save("mine.npy", vectors)
    columns = ["--text-column", "body", "--label-column", "topic", "--unlabeled", "?"]
    assert main(["evaluate", "mine.npy", "split.parquet", *columns]) == 0
    out, err = capsys.readouterr()
    assert re.search(r"^mine.npy, 6 dimensions +0\.00", out, re.MULTILINE)
    assert "note: 2 classes are in the training split only, and not evaluated on: only learned, only tested" in err
    np.save("mine.npy", vectors[:-1])
    message = refused(capsys, "evaluate", "mine.npy", "split.parquet", *columns)
    assert "mine.npy has the shape (299, 6), but the file has 300 documents" in message
    np.savez("a.npz", vectors)
    for content in (
        b"no vectors",
        b"\x93NUMPY\x01\x00\x0a\x00{'descr': (",
        b"PK\x03\x04 no zip file",
        Path("a.npz").read_bytes(),
    ):
        Path("mine.npy").write_bytes(content)
        assert "cannot read vectors from mine.npy" in refused(capsys, "evaluate", "mine.npy", "split.parquet", *columns)


def test_many_classes_show_the_weakest_and_the_confusions(here: Path, capsys: pytest.CaptureFixture[str]) -> None:
    rows = [f"{topic} {number % 6},{text}\n" for number, (topic, text) in enumerate(sentences(400))]
    Path("many.csv").write_text("label,text\n" + "".join(rows) + "film 0,zzz\nfilm 0,\n")
    assert main(["evaluate", "reviews.d2v", "many.csv", "--json", "out.json"]) == 0
    out, err = capsys.readouterr()
    found = json.loads(Path("out.json").read_text())
    lines = out.splitlines()
    start = next(number for number, line in enumerate(lines) if line.startswith("weakest classes"))
    shown = [re.split(r"  +", line)[0] for line in lines[start + 1 : start + 13]]
    f1 = dict(zip(found["labels"], found["vectors"]["f1"], strict=True))
    assert [f1[name] for name in shown] == sorted(f1.values())[:12]
    confusion = np.array(found["vectors"]["confusion"])
    np.fill_diagonal(confusion, 0)
    cells = [re.split(r"  +", line) for line in lines[start + 15 :]]
    assert [int(cell[2]) for cell in cells] == np.sort(confusion.ravel())[::-1][:12].tolist()
    for truth, predicted, number, _ in cells:
        assert confusion[found["labels"].index(truth), found["labels"].index(predicted)] == int(number)
    assert "note: 2 of 402 documents have no known word: zero vectors" in err


def test_without_a_word_that_occurs_twice_tfidf_is_left_out(here: Path, capsys: pytest.CaptureFixture[str]) -> None:
    Path("ids.csv").write_text("label,text\n" + "".join(f"{'ab'[n % 2]},id{n}\n" for n in range(40)))
    np.save("mine.npy", np.array([[n % 2, 1.0] for n in range(40)]))
    assert main(["evaluate", "mine.npy", "ids.csv", "--json", "out.json"]) == 0
    out, err = capsys.readouterr()
    assert re.search(r"^mine.npy, 2 dimensions +0\.00", out, re.MULTILINE)
    assert "tf-idf" not in out
    assert err.splitlines() == [
        "note: evaluated on 10 documents only, which says little about others",
        "note: tf-idf is left out: no word occurs 2 times in the 30 training texts",
    ]
    assert json.loads(Path("out.json").read_text())["tfidf"] is None


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["nope.d2v", "reviews.csv"], "nope.d2v does not exist; a model is a folder"),
        (["nope.npy", "reviews.csv"], "cannot read vectors from nope.npy"),
        (["reviews.d2v", "nope.csv"], "no file or folder 'nope.csv'"),
        (["reviews.d2v", "reviews.csv", "--text-column", "body"], "it has: id, label, text"),
        (
            ["reviews.d2v", "reviews.csv", "--label-column", "class"],
            "no column 'class' in the input; it has: id, label",
        ),
        (["reviews.d2v", "reviews.txt"], "no column 'label' in the input; it has: text. Name one with --label-column"),
        (["reviews.d2v", "reviews.csv", "--label-column", "id"], "'id' has 400 different values in 400 labeled"),
        (["reviews.d2v", "reviews.csv", "--split-column", "part"], "no column 'part' in the input"),
        (["reviews.d2v", "reviews.csv", "--split-column", "label"], "no labeled document is in the split 'train'"),
        (
            ["reviews.d2v", "reviews.csv", "--split-column", "label", "--train-value", "film", "--test-value", "food"],
            "the training split has the single class 'film'",
        ),
        (["reviews.d2v", "reviews.csv", "--unlabeled", "film", "--unlabeled", "food"], "have the class 'code'"),
        (["reviews.d2v", "twice.csv"], "2 columns of the input are called 'label'; rename one"),
        (["reviews.d2v", "single.csv"], "all 2 labeled documents have the class 'a'"),
        (["reviews.d2v", "none.csv"], "none of 2 documents has a label in the column 'label'"),
        (["reviews.d2v", "empty.csv"], "there are no documents in the input"),
        (
            ["reviews.d2v", "reviews.csv", "--test-share", "1"],
            "test_share=1.0 does not fit; it must be a number from 0.001 to 0.999",
        ),
        (["reviews.d2v", "reviews.csv", "--test-share", "nan"], "test_share=nan does not fit"),
        (["reviews.d2v", "reviews.csv", "--split-column", "a", "--test-share", "0.5"], "--test-share is for files"),
        (["reviews.d2v", "reviews.csv", "--json", "reviews.csv"], "reviews.csv exists; choose another name"),
        (["reviews.d2v", "reviews.csv", "--json", "no/out.json"], "there is no folder 'no'"),
        (["reviews.d2v", "reviews.csv", "--seed", "-1"], "Invalid value for '--seed'"),
        (["reviews.d2v"], "Missing argument 'FILE'; see doc2vecc evaluate --help"),
    ],
)
def test_mistakes(arguments: list[str], message: str, here: Path, capsys: pytest.CaptureFixture[str]) -> None:
    Path("twice.csv").write_text("label,text,label\na,good story,b\nb,cold soup,a\n")
    Path("single.csv").write_text("label,text\na,good story\na,cold soup\n")
    Path("none.csv").write_text("label,text\n,good story\n,cold soup\n")
    Path("empty.csv").write_text("")
    assert message in refused(capsys, "evaluate", *arguments)


def test_advice_where_the_error_is_not_small(
    here: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("doc2vecc.advice.MANY_DOCUMENTS", 100)
    rows = [f"{number % 2},{text}\n" for number, (_, text) in enumerate(sentences(400))]
    Path("chance.csv").write_text("label,text\n" + "".join(rows))
    assert main(["evaluate", "reviews.d2v", "chance.csv"]) == 0
    assert re.fullmatch("advice: .* try doc2vecc train --ngram-range 1 2\n", capsys.readouterr().err)
