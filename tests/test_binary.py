"""binary=True: a document is the mean over its distinct words and n-grams, wherever it comes from."""

import pickle

import numpy as np
import pyarrow as pa
import pytest

from doc2vecc import Doc2VecC
from doc2vecc.cli import main
from doc2vecc.storage import load

SETTING = {"vector_size": 8, "min_count": 2, "ngram_min_count": 5, "epochs": 2, "workers": 1, "random_state": 0}
TEXTS = ["not good at all , not good", "good and good and good", "all is good , is it not ?"] * 20
RANGES = [(1, 1), (1, 2), (1, 3)]


def distinct_mean(model, text):
    ids = sorted(set(model.vocabulary_.ids_of(model.vocabulary_.features(text.split()))))
    return model.word_vectors_[ids].mean(axis=0, dtype=np.float64)


@pytest.mark.parametrize("ngram_range", RANGES)
@pytest.mark.parametrize("tokenizer", [None, str.split])
def test_a_document_is_the_mean_of_its_distinct_words_and_ngrams(ngram_range, tokenizer):
    model = Doc2VecC(**SETTING, ngram_range=ngram_range, binary=True, tokenizer=tokenizer)
    learned = model.fit_transform(TEXTS)
    texts = ["good good good not good", "good not good", "all is good , is it not ? " * 50]
    for text, vector in zip(texts, model.transform(texts), strict=True):
        np.testing.assert_allclose(vector, distinct_mean(model, text), atol=1e-6)
    np.testing.assert_allclose(model.transform(TEXTS), learned, atol=1e-6)


def test_fit_transform_equals_transform_bitwise_in_documents_of_many_stretches():
    generator = np.random.default_rng(0)
    texts = [" ".join(f"w{i}" for i in generator.integers(300, size=length)) for length in range(30, 900, 30)]
    model = Doc2VecC(**SETTING, ngram_range=(1, 2), binary=True)
    np.testing.assert_array_equal(model.fit_transform(texts), model.transform(texts))


def test_how_often_a_word_occurs_makes_no_difference_and_without_it_makes_one():
    once, often = "good film", "good good good film"
    for binary in (True, False):
        model = Doc2VecC(**SETTING, binary=binary).fit([*TEXTS, *["a good film"] * 20])
        first, second = model.transform([once, often])
        assert np.array_equal(first, second) == binary


def test_known_words_count_distinct_ones_in_every_document_of_every_thread():
    model = Doc2VecC(**SETTING, binary=True).fit(TEXTS).model_
    texts = pa.array(["good " * number for number in range(1, 5_000)], pa.large_string())
    for workers in (1, 2):
        vectors, known = model.embed(texts, workers)
        assert known.tolist() == [1] * len(texts)
        np.testing.assert_array_equal(vectors, np.broadcast_to(vectors[0], vectors.shape))


def test_explain_has_every_word_and_ngram_once_and_adds_up():
    model = Doc2VecC(**SETTING, ngram_range=(1, 2), binary=True).fit(TEXTS)
    explanation = model.explain("not good , not good", "all is good")
    tokens = [one.token for one in explanation.first]
    assert tokens == ["not", "good", "not good", ",", "good ,", ", not"]
    assert sum(one.share for one in explanation.first) == pytest.approx(explanation.similarity, abs=1e-5)


def test_it_is_saved_and_goes_on(tmp_path, capsys):
    model = Doc2VecC(**SETTING, binary=True).fit(TEXTS)
    model.save(tmp_path / "model")
    loaded = Doc2VecC.load(tmp_path / "model")
    assert loaded.binary is True
    assert pickle.loads(pickle.dumps(model)).model_.binary
    np.testing.assert_array_equal(loaded.transform(["good good it"]), model.transform(["good good it"]))
    assert loaded.partial_fit(TEXTS).model_.binary
    with pytest.raises(ValueError, match="binary=False does not fit a model that was learned with binary=True"):
        loaded.set_params(binary=False).partial_fit(TEXTS)
    (tmp_path / "texts.txt").write_text("\n".join(TEXTS))
    texts, start, end = (str(tmp_path / name) for name in ("texts.txt", "model", "end"))
    assert main(["train", texts, "--start", start, "-o", end, "--epochs", "1"]) == 0
    assert load(end).binary
