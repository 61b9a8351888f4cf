"""Word vectors of other programs as a start."""

import gzip
import json
import os
import random
import threading
from pathlib import Path

import numpy as np
import pytest
from safetensors.numpy import save_file

from doc2vecc import Doc2VecC, InputError
from doc2vecc.corpus.formats.reading import utf8_blocks
from doc2vecc.exports import export, importing, read_word_vectors
from doc2vecc.storage import load
from tests.cli.commands import TOPICS, sentences

MODELS = Path(__file__).parents[1] / "models"
KINDS = ("word2vec", "word2vec-binary", "glove", "sentence-transformers")


@pytest.mark.parametrize("kind", KINDS)
def test_what_was_exported_is_read_again(tmp_path, kind):
    model = load(MODELS / "words.d2v")
    export(model, tmp_path / "vectors", kind)
    read = read_word_vectors(tmp_path / "vectors")
    assert read.vocabulary.words == model.vocabulary.words
    np.testing.assert_array_equal(read.word_vectors, model.word_vectors)


@pytest.mark.parametrize("kind", ["word2vec", "word2vec-binary"])
def test_compressed_files_and_ngrams(tmp_path, kind):
    model = load(MODELS / "ngrams.d2v")
    export(model, tmp_path / "vectors", kind)
    (tmp_path / "vectors.gz").write_bytes(gzip.compress((tmp_path / "vectors").read_bytes()))
    read = read_word_vectors(tmp_path / "vectors.gz")
    assert read.vocabulary.words == model.vocabulary.words[: model.vocabulary.n_words]  # n-grams are no single token
    assert read.record.report["imported_names"] == len(model.vocabulary)


def test_names_become_words_of_the_rule(tmp_path):
    lines = ["3 1", "The 1 ", "the 2 ", "Don’t 3 ", "new york 4 ", "U.S. 5 ", '"quoted 6 ', "nan 7 "]
    lines[0] = f"{len(lines) - 1} 1"
    (tmp_path / "vectors.txt").write_text("\n".join(lines) + "\n", "utf-8")
    model = read_word_vectors(tmp_path / "vectors.txt")
    assert {word: float(model.word_vectors[i, 0]) for word, i in model.vocabulary.items()} == {
        "the": 2, "don't": 3, "nan": 7,
    }  # fmt: skip


@pytest.mark.parametrize(
    ("tokens", "words"),
    [
        (["[CLS]", "film", "##ing", "good"], ["film", "good"]),
        (["[CLS]", "Ġfilm", "ing", "Ġgood"], ["film", "good"]),
        (["[CLS]", "▁film", "ing", "▁Good"], ["good", "film"]),
    ],
)
@pytest.mark.parametrize("is_nested", [False, True])
def test_parts_of_words_are_left_out(tmp_path, tokens, words, is_nested):
    folder = tmp_path / "0_StaticEmbedding" if is_nested else tmp_path
    folder.mkdir(exist_ok=True)
    vocab = {token: i for i, token in enumerate(tokens)}
    if tokens[1].startswith("▁"):
        vocab = [[token, 0.0] for token in tokens]
    content = {"model": {"vocab": vocab}, "added_tokens": [{"content": "[CLS]", "special": True}]}
    (folder / "tokenizer.json").write_text(json.dumps(content))
    rows = np.array([[0], [1], [2], [3]], np.float16)
    save_file({"embedding.weight" if is_nested else "embeddings": rows}, folder / "model.safetensors")
    model = read_word_vectors(tmp_path)
    assert model.vocabulary.words == words
    assert model.word_vectors[model.vocabulary["good"]].tolist() == [3]


@pytest.mark.parametrize(
    ("content", "message"),
    [
        (b"", "no word with its values"),
        (b"just some text\n", "no word with its values"),
        (b"3 2\na 1 2\nb 1 2\n", "promises 3 words, the file has 2"),
        (b"3 2\na \x00\x00", "the file ends before"),
        (b"a 1 nan\n", "not finite"),
        (b"two.words 1 2\n", "no name that is one token"),
    ],
)
def test_a_file_that_holds_no_vectors_is_refused(tmp_path, content, message):
    (tmp_path / "vectors").write_bytes(content)
    with pytest.raises(InputError, match=message):
        read_word_vectors(tmp_path / "vectors")


def test_a_folder_or_file_that_is_none_is_refused(tmp_path):
    with pytest.raises(InputError, match="does not exist"):
        Doc2VecC.from_word_vectors(tmp_path / "nothing")
    with pytest.raises(InputError, match=r"Doc2VecC.load"):
        Doc2VecC.from_word_vectors(MODELS / "words.d2v")


@pytest.mark.parametrize("sample", [0.0, 1e-3])
def test_training_continues_from_word_vectors(tmp_path, sample):
    known = ["the", "actor", "actors", "story", "soup", "waiter", "bread", "parser", "file", "tokens", "elsewhere"]
    random.Random(0).shuffle(known)
    vectors = {word: [float(word in text.split()) for text in TOPICS.values()] + [0.1] for word in known}
    lines = (f"{word} {' '.join(map(str, row))}" for word, row in vectors.items())
    (tmp_path / "glove.txt").write_text("\n".join(lines) + "\n")
    model = Doc2VecC.from_word_vectors(tmp_path / "glove.txt", epochs=3, workers=1, sample=sample)
    np.testing.assert_allclose(model["soup"], vectors["soup"])
    labels, texts = zip(*sentences(300), strict=True)
    model.partial_fit(texts)
    assert "compiler" in model  # a new word
    np.testing.assert_allclose(model["elsewhere"], vectors["elsewhere"], atol=0.2)
    assert not np.allclose(model["soup"], vectors["soup"])
    nearest = model.similar(texts, model.transform(texts), k=2).indices[:, 1]
    assert np.mean([labels[one] == label for one, label in zip(nearest, labels, strict=True)]) > 0.9
    model.save(tmp_path / "model.d2v")
    np.testing.assert_array_equal(Doc2VecC.load(tmp_path / "model.d2v")["soup"], model["soup"])


@pytest.mark.peers
@pytest.mark.filterwarnings("ignore::pytest.PytestUnraisableExceptionWarning")  # gensim leaves files open
@pytest.mark.parametrize("binary", [False, True])
def test_what_gensim_saves_is_read(tmp_path, binary):
    models = pytest.importorskip("gensim.models", reason="gensim is not installed; make test-peers installs it")
    vectors = models.KeyedVectors(3)
    vectors.add_vectors(["film", "good", "naïve"], np.random.default_rng(0).normal(size=(3, 3)).astype(np.float32))
    vectors.save_word2vec_format(tmp_path / "vectors", binary=binary)
    model = read_word_vectors(tmp_path / "vectors")
    assert model.vocabulary.words == vectors.index_to_key
    np.testing.assert_allclose(model.word_vectors, vectors.vectors, rtol=1e-6)


TOKENS = {"vocab": {"film": 0, "good": 1}}


@pytest.mark.parametrize(
    "tokenizer",
    [
        [], 5, {"model": 1}, {"model": {}}, {"model": {"vocab": 7}}, {"model": {"vocab": {"film": [], "good": 1}}},
        {"model": {"vocab": {"film": "0"}}}, {"model": {"vocab": [1, 2]}}, {"model": TOKENS, "added_tokens": 3},
        {"model": TOKENS, "added_tokens": ["a"]}, {"model": TOKENS | {"end_of_word_suffix": [1]}},
    ],
)  # fmt: skip
def test_a_tokenizer_that_is_not_as_it_should_be(tmp_path, tokenizer):
    save_file({"embeddings": np.ones((2, 3), np.float32)}, tmp_path / "model.safetensors")
    (tmp_path / "tokenizer.json").write_text(json.dumps(tokenizer))
    with pytest.raises(InputError, match="cannot be read as word vectors"):
        read_word_vectors(tmp_path)


@pytest.mark.parametrize("rows", [np.ones(2), np.ones((2, 3, 1)), np.float64(1)])
def test_vectors_that_are_no_rows(tmp_path, rows):
    save_file({"embeddings": np.asarray(rows, np.float32)}, tmp_path / "model.safetensors")
    (tmp_path / "tokenizer.json").write_text(json.dumps({"model": TOKENS}))
    with pytest.raises(InputError, match="must have a row for each token"):
        read_word_vectors(tmp_path)


def test_nesting_without_end_pipes_and_devices(tmp_path):
    save_file({"embeddings": np.ones((2, 3), np.float32)}, tmp_path / "model.safetensors")
    (tmp_path / "tokenizer.json").write_text("[" * 200_000)
    with pytest.raises(InputError, match="recursion"):
        read_word_vectors(tmp_path)
    (tmp_path / "tokenizer.json").unlink()
    os.mkfifo(tmp_path / "tokenizer.json")
    for path in (tmp_path, tmp_path / "tokenizer.json"):  # opening a pipe would wait
        with pytest.raises(InputError, match="it is not a file"):
            read_word_vectors(path)


def test_lines_that_are_no_utf8(tmp_path, capfd):
    (tmp_path / "vectors.txt").write_bytes(b"film 1 2\nb\xff 3 4\n\xff 5 6 7 8\n")
    model = read_word_vectors(tmp_path / "vectors.txt")
    assert model.vocabulary.words == ["film"]
    assert model.record.report["imported_names"] == 2  # the third has too many values
    assert capfd.readouterr().err == ""  # Arrow prints what a handler of its raises


def test_values_too_large_to_compute_with(tmp_path):
    (tmp_path / "vectors.txt").write_text("film 1 3e38\n")
    with pytest.raises(InputError, match="not finite, or too large"):
        read_word_vectors(tmp_path / "vectors.txt")


def test_no_thread_of_arrow_calls_python(tmp_path, monkeypatch):
    """One that still reads when the process ends would abort it, after a damaged line for example."""
    readers = set()

    def blocks(file):
        for block in utf8_blocks(file):
            readers.add(threading.get_ident())
            yield block

    monkeypatch.setattr(importing, "utf8_blocks", blocks)
    path = tmp_path / "vectors.txt"
    path.write_text("film 1 2\nnovel x 4\n" + "word 1.5 2.5\n" * 10_000)
    with pytest.raises(InputError, match="invalid value 'x'"):
        read_word_vectors(path)
    assert readers == {threading.get_ident()}


@pytest.mark.parametrize("ending", ["", "\n", "\n\n"])
def test_a_file_of_many_blocks(tmp_path, monkeypatch, ending):
    monkeypatch.setattr(
        importing,
        "utf8_blocks",
        lambda file: (block[i : i + 7] for block in utf8_blocks(file) for i in range(0, len(block), 7)),
    )
    path = tmp_path / "vectors.txt"
    path.write_text("3 2\nfilm 1 2\nnovel 3 4\n\nbook 5 6" + ending)
    read = read_word_vectors(path)
    assert read.vocabulary.words == ["film", "novel", "book"]
    np.testing.assert_array_equal(read.word_vectors, [[1, 2], [3, 4], [5, 6]])
