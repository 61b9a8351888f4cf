"""N-grams all the way: learned, embedded, explained, saved, asked for."""

import numpy as np
import pyarrow as pa
import pytest
from sklearn.linear_model import LogisticRegression

from doc2vecc import Doc2VecC
from doc2vecc.cli import main

SETTING = {
    "vector_size": 16, "min_count": 2, "ngram_min_count": 5, "epochs": 20, "alpha": 0.1, "workers": 1,
    "random_state": 0, "document_only": 1.0, "keep": 0.5,
}  # fmt: skip


def ordered_texts(documents=400, seed=0):
    """Both classes use the same words equally often; only their order tells the classes apart."""
    generator = np.random.default_rng(seed)
    labels = generator.integers(2, size=documents)
    texts = []
    for label in labels:
        pairs = [("bad", "not good") if label else ("good", "not bad")] * 3
        pieces = [piece for pair in pairs for piece in pair]
        pieces += [f"filler{i}" for i in generator.integers(20, size=8)]
        texts.append(" ; ".join(generator.permutation(pieces)))
    return texts, labels


def accuracy(model, texts, labels):
    vectors, half = model.transform(texts), len(texts) // 2
    probe = LogisticRegression(C=100, max_iter=2_000).fit(vectors[:half], labels[:half])
    return probe.score(vectors[half:], labels[half:])


@pytest.fixture(scope="module")
def fitted():
    texts, _ = ordered_texts()
    return Doc2VecC(**SETTING, ngram_range=(1, 2)).fit(texts)


def test_ngrams_tell_what_words_cannot(fitted):
    texts, labels = ordered_texts()
    words_alone = Doc2VecC(**SETTING).fit(texts)
    assert accuracy(words_alone, texts, labels) < 0.65
    assert accuracy(fitted, texts, labels) > 0.95


def test_a_document_is_the_mean_of_its_words_and_ngrams(fitted):
    text = "Not good; unknown not bad, filler3"
    features = fitted.model_.features(text)
    assert features[:3] == ["not", "good", "not good"]
    known = [fitted.vocabulary_[feature] for feature in features if feature in fitted.vocabulary_]
    expected = fitted.word_vectors_[known].mean(axis=0)
    np.testing.assert_allclose(fitted.transform([text])[0], expected, atol=1e-6)


@pytest.mark.parametrize("architecture", ["cbow", "skipgram"])
def test_ngrams_may_stand_for_the_document_without_being_predicted(architecture):
    texts, _ = ordered_texts(80)
    setting = {**SETTING, "document_only": 0.5, "init": "random"}
    model = Doc2VecC(**setting, ngram_range=(1, 2), architecture=architecture, predict_ngrams=False).fit(texts)
    n_words = model.vocabulary_.n_words
    assert len(model.vocabulary_) > n_words
    assert not model.model_.outputs[n_words:].any()
    assert model.model_.outputs[:n_words].any(axis=1).all()
    untrained = Doc2VecC(**{**setting, "alpha": 1e-9}, ngram_range=(1, 2), predict_ngrams=False).fit(texts)
    assert np.linalg.norm(model.word_vectors_[n_words:]) > 2 * np.linalg.norm(untrained.word_vectors_[n_words:])
    both = Doc2VecC(**setting, ngram_range=(1, 2), architecture=architecture).fit(texts)
    assert not np.array_equal(both.word_vectors_, model.word_vectors_)


@pytest.mark.parametrize("changes", [{"workers": 2}, {"sample": 0.01}, {"binary": True}])
def test_ngrams_that_are_not_predicted_go_with_other_settings(changes):
    texts, _ = ordered_texts(80)
    model = Doc2VecC(**{**SETTING, **changes}, ngram_range=(1, 2), predict_ngrams=False).fit(texts)
    first, last = model.history_[0].loss, model.history_[-1].loss
    assert (
        0 < last < first < 6 * np.log(2) + 0.1
    )  # per target, so knowing nothing is ln 2 for it and each negative sample
    model.partial_fit(texts)
    assert not model.model_.outputs[model.vocabulary_.n_words :].any()


def test_the_loss_of_skip_gram_is_per_target_too():
    texts, _ = ordered_texts(80)
    setting = {**SETTING, "alpha": 1e-9, "epochs": 1, "architecture": "skipgram", "document_only": 0.5}
    for predict_ngrams in (True, False):
        model = Doc2VecC(**setting, ngram_range=(1, 2), predict_ngrams=predict_ngrams).fit(texts)
        assert 5 * np.log(2) < model.history_[0].loss <= 6 * np.log(2) + 1e-6  # noise that is the target is skipped


def test_without_ngrams_there_are_none_to_predict():
    texts, _ = ordered_texts(80)
    yes, no = (Doc2VecC(**SETTING, predict_ngrams=value).fit(texts) for value in (True, False))
    np.testing.assert_array_equal(yes.word_vectors_, no.word_vectors_)


def test_fit_transform_equals_transform():
    texts, _ = ordered_texts(80)
    model = Doc2VecC(**SETTING, ngram_range=(1, 3))
    np.testing.assert_allclose(model.fit_transform(texts), model.transform(texts), atol=1e-6)


def test_a_tokenizer_of_ones_own_finds_ngrams_too(fitted):
    texts, _ = ordered_texts()
    own = Doc2VecC(**SETTING, ngram_range=(1, 2), tokenizer=str.split).fit(texts)
    assert own.vocabulary_ == fitted.vocabulary_
    np.testing.assert_allclose(own.transform(texts[:5]), fitted.transform(texts[:5]), atol=1e-5)


def test_long_documents_are_added_up_over_many_stretches(fitted):
    text = "not good ; " * 500
    ids = fitted.vocabulary_.ids_of(fitted.model_.features(text))
    assert len(ids) > 2_000
    expected = fitted.word_vectors_[ids].mean(axis=0, dtype=np.float64)
    np.testing.assert_allclose(fitted.transform([text])[0], expected, atol=1e-5)


@pytest.mark.parametrize("binary", [False, True])
@pytest.mark.parametrize("longest", [2, 3])
def test_ngrams_reach_across_stretches_but_not_across_unknown_words(longest, binary):
    texts, _ = ordered_texts(80)
    model = Doc2VecC(**{**SETTING, "epochs": 1}, ngram_range=(1, longest), binary=binary).fit(texts).model_
    generator = np.random.default_rng(0)
    for length in (*range(62, 67), *range(126, 131), 500):
        tokens = generator.choice(["not", "good", "bad", ";", "unknown"], length, p=[0.3, 0.3, 0.2, 0.17, 0.03])
        text = " ".join(tokens)
        known = model.vocabulary.ids_of(model.features(text))
        vectors, known_words = model.embed(pa.array([text], pa.large_string()))
        assert known_words.tolist() == [sum(one < model.vocabulary.n_words for one in known)]
        expected = model.word_vectors[known].mean(axis=0, dtype=np.float64)
        np.testing.assert_allclose(vectors[0], expected, atol=1e-6)


def test_known_words_are_words(fitted):
    own = Doc2VecC(**{**SETTING, "epochs": 1}, ngram_range=(1, 2), tokenizer=str.split).fit(ordered_texts(80)[0])
    for model in (fitted.model_, own.model_):
        assert "not good" in model.vocabulary
        assert model.embed(pa.array(["not good", "not", "zzz"], pa.large_string())).known_words.tolist() == [2, 1, 0]


def test_similar_words_know_ngrams(fitted):
    assert fitted.similar_words("Not good", 1)[0][0] == "; bad"
    assert fitted.similar_words("not good - bad", 3)
    assert fitted.similar_words("good filler3", 3) == fitted.similar_words("good + filler3", 3)


def test_explain_shows_ngrams_and_adds_up(fitted):
    explanation = fitted.explain("this was not good", "not good filler1")
    assert "not good" in [one.token for one in explanation.first]
    for side in (explanation.first, explanation.second):
        assert sum(one.share for one in side) == pytest.approx(explanation.similarity, abs=1e-5)


def test_save_and_load(fitted, tmp_path):
    fitted.save(tmp_path / "model")
    loaded = Doc2VecC.load(tmp_path / "model")
    assert loaded.vocabulary_ == fitted.vocabulary_
    assert loaded.ngram_range == (1, 2)
    np.testing.assert_array_equal(loaded.transform(["not good"]), fitted.transform(["not good"]))


def test_partial_fit_keeps_ngrams(fitted):
    texts, labels = ordered_texts(seed=1)
    model = Doc2VecC(**SETTING, ngram_range=(1, 2)).fit(ordered_texts()[0]).partial_fit(texts)
    assert set(model.vocabulary_) == set(fitted.vocabulary_)
    assert accuracy(model, texts, labels) > 0.95


@pytest.mark.parametrize("value", [(2, 2), (1, 0), (1, 9), 2, (1, 2, 3), ("1", "2"), (1.0, 2), (True, 2)])
def test_ngram_ranges_that_do_not_fit(value):
    with pytest.raises(ValueError, match="it must be \\(1, n\\) with n from 1 to 5"):
        Doc2VecC(ngram_range=value).fit(["a b"])


def test_command_line(tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    texts, _ = ordered_texts(100)
    (tmp_path / "texts.txt").write_text("\n".join(texts))
    options = ["--ngram-range", "1", "2", "--ngram-min-count", "3", "--max-ngrams", "7", "--epochs", "2"]
    assert main(["train", "texts.txt", "-o", "m.d2v", *options]) == 0
    said = capsys.readouterr().err
    assert "and 7 n-grams: 0 MB for their vectors" in said
    assert main(["inspect", "m.d2v"]) == 0
    assert "most frequent n-gram" in capsys.readouterr().out
    assert main(["words", "m.d2v", "not good", "-k", "2"]) == 0
    assert main(["explain", "m.d2v", "not good", "bad"]) == 0
    assert "not good" in capsys.readouterr().out
    assert main(["train", "texts.txt", "-o", "other.d2v", *options, "--no-predict-ngrams"]) == 0
    assert Doc2VecC.load("other.d2v").predict_ngrams is False
    assert main(["train", "texts.txt", "--start", "other.d2v", "-o", "further.d2v", "--epochs", "2"]) == 0
    further = Doc2VecC.load("further.d2v")
    assert further.predict_ngrams is False
    assert not further.model_.outputs[further.vocabulary_.n_words :].any()
    assert Doc2VecC.load("m.d2v").predict_ngrams is True


def test_damaged_ngrams_are_refused(fitted, tmp_path):
    from doc2vecc.corpus.vocabulary import Vocabulary
    from doc2vecc.model import Model
    from doc2vecc.storage import ModelFolderError, load, save

    good = fitted.vocabulary_
    ngrams = np.array(good.ngrams)
    ngrams[0, 0] = len(good)  # beyond everything
    vocabulary = Vocabulary(good.word_bytes, good.word_offsets, good.counts, ngrams)
    save(Model(vocabulary, fitted.word_vectors_, 16, outputs=fitted.model_.outputs), tmp_path / "model")
    with pytest.raises(ModelFolderError, match="do not fit together"):
        load(tmp_path / "model")


# ---- scripts without spaces


def test_characters_make_ngrams_unless_told_otherwise(tmp_path):
    """The same characters in another order are another word: 上海 is Shanghai, 海上 is "at sea"."""
    generator = np.random.default_rng(0)
    labels = generator.integers(2, size=200)
    texts = ["".join(generator.permutation(["上海" if label else "海上", *"的人在有"])) for label in labels]
    model = Doc2VecC(**SETTING).fit(texts)
    assert accuracy(model, texts, labels) > 0.95
    assert accuracy(Doc2VecC(**SETTING, ngram_range=(1, 1)).fit(texts), texts, labels) < 0.65
    assert model.similar_words("上海", 1) == model.similar_words("上 海", 1)
    model.save(tmp_path / "model")
    loaded = Doc2VecC.load(tmp_path / "model")
    assert loaded.ngram_range is None
    np.testing.assert_array_equal(loaded.transform(texts), model.transform(texts))
