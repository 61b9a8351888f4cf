"""Files of word vectors, read back by gensim."""

from pathlib import Path

import numpy as np
import pytest

from doc2vecc import Doc2VecC, OutputError, ParameterError
from doc2vecc.corpus.vocabulary import Vocabulary
from doc2vecc.exports import export
from doc2vecc.exports.word_vectors import exported_names
from doc2vecc.model import Model
from doc2vecc.storage import load

MODELS = Path(__file__).parents[1] / "models"
FILES = ("word2vec", "word2vec-binary", "glove")


def model_of(words, tokenizer=None):
    vectors = np.random.default_rng(0).normal(size=(len(words), 3)).astype(np.float32)
    vocabulary = Vocabulary.from_words(words, range(len(words), 0, -1))
    return Model(vocabulary, vectors, 3, outputs=vectors, tokenizer=tokenizer)


@pytest.mark.peers
@pytest.mark.filterwarnings("ignore::pytest.PytestUnraisableExceptionWarning")  # gensim leaves files open
@pytest.mark.parametrize("kind", FILES)
@pytest.mark.parametrize("name", ["words.d2v", "ngrams.d2v", "odd words"])
def test_gensim_reads_the_same_vectors(tmp_path, kind, name):
    models = pytest.importorskip("gensim.models", reason="gensim is not installed; make test-peers installs it")
    odd = ["▁", "é", "\u3000", "\u2028", "\x85", "\t", "\x1c", "naïve", "😀", "1", "0.5", "-", "</s>"]
    model = model_of(odd) if name == "odd words" else load(MODELS / name)
    line = export(model, tmp_path / "vectors", kind)
    read = eval(line, {"KeyedVectors": models.KeyedVectors})
    assert read.index_to_key == exported_names(model)
    np.testing.assert_array_equal(read.vectors, model.word_vectors)


def test_ngrams_are_joined_by_what_no_word_holds():
    names = exported_names(load(MODELS / "ngrams.d2v"))
    assert "like▁the▁rain" in names
    assert not any(" " in name for name in names)


def test_a_line_holds_the_shortest_digits_of_the_same_value(tmp_path):
    model = model_of(["a"])
    model.word_vectors.base.flags.writeable = True
    model.word_vectors.base[:] = [[0.1, -1e-20, 16777216]]
    export(model, tmp_path / "a.txt", "word2vec")
    header, line = (tmp_path / "a.txt").read_text().splitlines()
    assert header == "1 3"
    assert line.split()[0] == "a"
    assert np.array(line.split()[1:], np.float32).tolist() == model.word_vectors[0].tolist()
    assert line.split()[1] == "0.1"


@pytest.mark.parametrize("word", ["two words", "line\nend", "a▁b", "", "\ud800"])
@pytest.mark.parametrize("kind", FILES)
def test_a_word_that_would_be_read_as_another_is_refused(tmp_path, kind, word):
    with pytest.raises(OutputError, match="cannot be told apart"):
        export(model_of([word], str.split), tmp_path / "vectors", kind)
    assert list(tmp_path.iterdir()) == []


def test_an_unknown_kind_is_refused(tmp_path):
    with pytest.raises(ParameterError, match="'fasttext' is not a format to export to; choose one of: sentence"):
        Doc2VecC.load(MODELS / "words.d2v").export(tmp_path / "vectors", "fasttext")
