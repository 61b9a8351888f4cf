"""Measurements by settings: lines are parsed, unseen documents are not learned from, results are summarized."""

import json

import numpy as np
import pyarrow as pa
import pytest
from scipy import sparse

import data_files
from doc2vecc import Doc2VecC, ParameterError
from doc2vecc_paper.datasets import LabeledTexts
from doc2vecc_paper.measure.__main__ import main
from doc2vecc_paper.measure.documents import METHODS, held_out, in_file_order, shuffled
from doc2vecc_paper.measure.lines import parse_line, parse_settings, summary
from doc2vecc_paper.measure.weights import mean_vectors, weighted_vectors


@pytest.fixture(scope="module")
def data(tmp_path_factory):
    folder = tmp_path_factory.mktemp("measure")
    data_files.write_reviews(folder)
    data_files.write_novels_and_sick(folder)
    (folder / "wordsim").mkdir()
    for name in ("WS-353-ALL", "SIMLEX-999", "MEN-TR-3k"):
        (folder / "wordsim" / f"EN-{name}.txt").write_text("the and 2\ngood great 9\nthe a 3\nof in 5\n")
    return folder


def measured(capsys, *arguments):
    assert main(arguments) == 0
    return [json.loads(line) for line in capsys.readouterr().out.splitlines()]


def test_lines_name_a_method_and_settings():
    line = parse_line("Word2Vec, skip-gram alpha=0.1 window=3", METHODS)
    assert line.method.name == "Word2Vec, skip-gram"
    assert line.changed.settings["window"] == 3
    assert line.changed.settings["architecture"] == "skipgram"


def test_ngrams_have_their_own_learning_rate_unless_it_is_given():
    def steps(text):
        settings = parse_line(text, METHODS).changed.all_settings()
        return settings["alpha"], settings["frequency_damping"]

    assert steps("Doc2VecC") == (0.1, 0.0)
    assert steps("Doc2VecC ngram_range=[1,2]") == (0.25, 0.2)
    assert steps("Doc2VecC ngram_range=[1,2] alpha=0.5") == (0.5, 0.2)


def test_the_written_steps_are_the_defaults_of_the_estimator():
    texts = ["a good film", "a bad film", "the best film"] * 20
    for line in ("Doc2VecC", "Doc2VecC ngram_range=[1,2]"):
        method = parse_line(line, METHODS).changed.changed(epochs=2, workers=1)
        others = {name: value for name, value in method.settings.items() if name not in ("alpha", "frequency_damping")}
        default = Doc2VecC(**others, random_state=0).fit(texts)
        assert (default.word_vectors_ == method.build(0).fit(texts).word_vectors_).all()


@pytest.mark.parametrize(
    ("line", "message"),
    [
        ("Word3Vec alpha=1", "the line 'Word3Vec alpha=1' does not start with a method; choose from 'Doc2VecC', "),
        ("Doc2VecC alhpa=1", "Doc2VecC has no setting alhpa in the line 'Doc2VecC alhpa=1'"),
        ("Doc2VecC alpha=fast", "the value of 'alpha=fast' is not JSON; write it like alpha=0.1"),
    ],
)
def test_mistakes_in_a_line(line, message):
    with pytest.raises(ParameterError, match=message.replace("[", r"\[")):
        parse_line(line, METHODS)


def test_settings_are_json():
    assert parse_settings("") == {}
    assert parse_settings("ngram_range=[1,2] binary=true sample=1e-3") == {
        "ngram_range": (1, 2),
        "binary": True,
        "sample": 0.001,
    }


def test_unseen_documents_are_a_contiguous_fifth_of_every_class_and_are_not_learned_from(data):
    texts = in_file_order(data / "imdb.parquet")
    train = texts.only("train").texts.to_pylist()
    unseen = []
    for seed in range(5):
        changed = held_out(texts, seed)
        held = changed.only("test")
        assert np.bincount(held.label).tolist() == [12, 12]
        assert set(held.texts.to_pylist()) <= set(train)
        for label in (0, 1):
            places = [train.index(text) for text in held.texts.filter(pa.array(held.label == label)).to_pylist()]
            assert set(np.diff(places)) <= {1, 2, 3}, "next to each other in the file"
        learned = shuffled(changed, ("train", "unlabeled", "test"))
        assert len(learned) == 480 - 120, "the real test split is dropped"
        assert not set(shuffled(changed, ("train", "unlabeled")).to_pylist()) & set(held.texts.to_pylist())
        unseen += held.texts.to_pylist()
    assert sorted(unseen) == sorted(train), "each once in five seeds"


def test_labels_are_numbered_by_class(tmp_path):
    columns = {"split": ["test", "unlabeled", "train"], "label": ["b", None, "a"], "text": ["x", "y", "z"]}
    data_files.write_parquet(tmp_path / "some.parquet", columns)
    texts = in_file_order(tmp_path / "some.parquet")
    assert isinstance(texts, LabeledTexts)
    assert texts.label.tolist() == [1, -1, 0]
    assert texts.classes == ("a", "b")


def test_a_summary_has_mean_spread_and_the_errors_of_the_seeds():
    found = summary([{"unseen_error": 10.0, "loss": 2.0}, {"unseen_error": 12.0, "loss": 3.0}])
    assert found == {
        "unseen_error": 11.0,
        "loss": 2.5,
        "unseen_spread": 1.41,
        "unseen_errors": [10.0, 12.0],
        "seeds": 2,
    }


def test_mean_vectors_weight_the_rows():
    counts = sparse.csr_array([[1.0, 3.0], [0.0, 0.0], [2.0, 0.0]])
    vectors = np.array([[1.0, 0.0], [0.0, 1.0]], np.float32)
    assert mean_vectors(counts, np.array([3.0, 1.0]), vectors).tolist() == [[0.5, 0.5], [0.0, 0.0], [1.0, 0.0]]


def test_weighted_vectors_with_equal_weights_are_the_transform():
    texts = pa.array(["a good good film", "a bad film", "not good"] * 10, pa.large_string())
    model = Doc2VecC(4, min_count=1, ngram_range=(1, 2), ngram_min_count=2, epochs=1, workers=1, random_state=0)
    model.fit(texts)
    once = weighted_vectors(model, texts, {"train": texts[1:2]}, "presence")["train"]
    assert np.allclose(once, model.transform(["a bad film"]), atol=1e-6)
    words = weighted_vectors(model, texts, {"train": texts[2:3]}, "words-alone")["train"]
    rows = model.word_vectors_[[model.vocabulary_["not"], model.vocabulary_["good"]]]
    assert np.allclose(words, rows.mean(axis=0), atol=1e-6)


def test_documents_and_their_table(data, capsys, tmp_path):
    lines = ["Doc2VecC vector_size=8 epochs=2", "BOW"]
    found = measured(capsys, "documents", *lines, "--data", str(data), "--on", "unseen", "--learn-from", "train")
    assert [(line["settings"], line["way"]) for line in found] == [
        (lines[0], "mean"), ("BOW", "binary"), ("BOW", "tfidf"),
    ]  # fmt: skip
    assert found[1]["unseen_error"] < 10, "the words give the class away"
    assert found[0]["config"]["alpha"] == 0.1
    (tmp_path / "lines.jsonl").write_text("".join(json.dumps(line) + "\n" for line in found))
    assert main(["table", str(tmp_path / "lines.jsonl")]) == 0
    rows = capsys.readouterr().out.splitlines()
    assert len(rows) == 5
    assert rows[2].startswith(f"| `{lines[0]}` | 8 | 2 | 1 | 1 |")
    assert rows[4].startswith("| `BOW` tfidf |")


@pytest.mark.slow
def test_sentences(data, capsys):
    lines = ["Doc2VecC vector_size=8 epochs=2", "Word2Vec vector_size=8 epochs=2"]
    found = measured(capsys, "sentences", *lines, "--data", str(data), "--seeds", "2")
    assert [line["settings"] for line in found] == lines
    assert all(len(line["pearsons"]) == 2 and -1 <= line["agreement"] <= 1 for line in found)
    (further,) = measured(capsys, "sentences", "Doc2VecC epochs=1", "--data", str(data), "--further")
    assert further["further"] is True
    assert further["agreement"] is None


def test_mistakes_are_one_line(data, capsys):
    for arguments, message in (
        (["documents", "Doc2VecC", "--on", "training"], "--on 'training' is unknown; choose from validation, unseen"),
        (["documents", "Doc2VecC", "--learn-from", "dev"], "--learn-from 'dev' is unknown; choose from train, test"),
        (["documents", "Doc2VecC", "--represent", "max"], "--represent 'max' is unknown; choose from unit-length"),
        (["documents", "Doc2VecC", "--texts", "none"], "none.parquet; it must have the columns split, label and text"),
        (["sentences", "Word2Vec", "--further"], "does not start with a method; choose from 'Doc2VecC'"),
    ):
        assert main([*arguments, "--data", str(data)]) == 2
        err = capsys.readouterr().err
        assert err.startswith("error: ")
        assert message in err
        assert err.count("\n") == 1
