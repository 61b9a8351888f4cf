"""An encoded corpus that is kept: used again for the same texts and settings, refused for others."""

import json
import os

import numpy as np
import pytest

from doc2vecc.config import TrainingConfig
from doc2vecc.corpus import workdir
from doc2vecc.corpus.sources import read_files, read_texts
from doc2vecc.corpus.token_rules import choose_tokenizer
from doc2vecc.errors import InputError, OutputError
from doc2vecc.training.learning import encode_documents, learn
from tests.corpus.documents import decoded


@pytest.fixture
def texts(tmp_path):
    path = tmp_path / "texts.txt"
    path.write_text("the cat sat\nthe dog sat\n\nthe cat ran\n" * 20, "utf-8")
    return path


def settings(**changes):
    return TrainingConfig(**{"vector_size": 8, "epochs": 2, "min_count": 1, **changes})


def encoded(path, folder, tokenizer=None, **changes):
    documents = read_files([path])
    documents.workdir = folder
    corpus = encode_documents(documents, settings(**changes), None, tokenizer)
    return corpus, documents


def test_texts_are_read_once(texts, tmp_path):
    first, documents = encoded(texts, tmp_path / "work")
    again, later = encoded(texts, tmp_path / "work", keep=0.3, epochs=5, workers=2)
    assert documents.bytes_read() > 0
    assert later.bytes_read() == 0
    assert decoded(again) == decoded(first)
    assert again.vocabulary == first.vocabulary
    assert (again.report, again.longest) == (first.report, first.longest)
    assert later.report == documents.report


def test_vectors_are_the_same_with_and_without(texts, tmp_path):
    vectors = []
    for folder in (None, tmp_path / "work", tmp_path / "work"):
        documents = read_files([texts])
        documents.workdir = folder
        learned = learn(documents, settings(ngram_range=(1, 2), ngram_min_count=1))
        vectors.append((learned.model.word_vectors.tobytes(), learned.model.record.report, learned.messages))
    assert vectors[0] == vectors[1] == vectors[2]


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"min_count": 2}, "was made with min_count=1, not 2"),
        ({"ngram_range": (1, 2)}, r"was made with ngram_range=None, not \[1, 2\]"),
        ({"binary": True}, "was made with binary=False, not True"),
        ({"tokenizer": choose_tokenizer(None, "[a-z]+", None)}, "was made with tokenizer='builtin', not 'pattern'"),
    ],
)
def test_other_settings_are_refused(texts, tmp_path, changes, message):
    encoded(texts, tmp_path / "work")
    with pytest.raises(InputError, match=f"{message}; choose another workdir, or remove"):
        encoded(texts, tmp_path / "work", **changes)


def test_files_that_have_changed_are_refused(texts, tmp_path):
    encoded(texts, tmp_path / "work")
    os.utime(texts, (1, 1))
    with pytest.raises(InputError, match="other files, or they have changed since"):
        encoded(texts, tmp_path / "work")


def test_a_damaged_corpus_is_refused(texts, tmp_path):
    encoded(texts, tmp_path / "work")
    corpus = tmp_path / "work" / "corpus"
    ids = np.fromfile(corpus / "lower", np.uint16)
    ids[3] ^= 1
    ids.tofile(corpus / "lower")
    with pytest.raises(InputError, match=r"lower is damaged.*remove it to encode the texts again"):
        encoded(texts, tmp_path / "work")
    (corpus / "corpus.json").write_text(json.dumps({"format": 1}))
    with pytest.raises(InputError, match="cannot be read"):
        encoded(texts, tmp_path / "work")


def test_only_files_are_known_again(tmp_path):
    documents = read_texts(["a b", "a"])
    documents.workdir = tmp_path
    with pytest.raises(InputError, match="is for files"):
        encode_documents(documents, settings())


def test_too_little_disk_is_an_error_before_any_work(texts, tmp_path):
    documents = read_files([texts])
    assert workdir.disk_needed(documents, has_ngrams=False) == texts.stat().st_size
    assert workdir.disk_needed(documents, has_ngrams=True) == 3 * texts.stat().st_size
    assert workdir.disk_needed(read_texts(["a"]), has_ngrams=True) == 0
    with pytest.raises(OutputError, match=r"needs about 1000000.0 GB of disk, and .* has .* GB"):
        workdir.check_disk(10**15, tmp_path / "not" / "there")
    assert workdir.check_disk(1_000, tmp_path) == tmp_path
