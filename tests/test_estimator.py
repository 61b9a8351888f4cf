import pickle
import subprocess
import sys
import warnings
from contextlib import nullcontext

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pyarrow.parquet
import pytest
from sklearn.base import clone
from sklearn.compose import ColumnTransformer
from sklearn.exceptions import NotFittedError
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import GridSearchCV
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.utils.validation import check_is_fitted

import doc2vecc
from doc2vecc import errors, storage
from doc2vecc.config import TrainingConfig
from doc2vecc.console import Silent
from doc2vecc.corpus.tokenizer import tokenize
from doc2vecc.errors import CheckpointError, CorpusWarning, InputError, ModelFolderError, ParameterError
from doc2vecc.estimator import Doc2VecC
from doc2vecc.evaluation import match_halves
from doc2vecc.model import EpochRecord, Model
from doc2vecc.training.learning import loss_warnings
from doc2vecc.training.start import first_tables

TEXTS = ["the cat sat on the mat", "the dog sat on the log", "a cat and a dog", "don't sit on the cat !"] * 5
LABELS = [0, 1, 0, 1] * 5
NEW = ["A cat on a log", "the unknown dog", "cat"]
SMALL = {"vector_size": 6, "epochs": 2, "min_count": 1, "workers": 1, "random_state": 0}


def small(**changes):
    return Doc2VecC(**{**SMALL, **changes})


@pytest.fixture(scope="module")
def fitted():
    return small().fit(TEXTS)


def equal(one, other):
    assert np.isfinite(one.word_vectors_).all()
    return np.array_equal(one.word_vectors_, other.word_vectors_) and one.vocabulary_ == other.vocabulary_


# ---- parameters


def test_the_package_gives_the_estimator():
    assert doc2vecc.Doc2VecC is Doc2VecC


def test_every_error_is_public():
    raised = {name for name, one in vars(errors).items() if isinstance(one, type) and issubclass(one, Exception)}
    assert raised <= set(doc2vecc.__all__)
    assert all(getattr(doc2vecc, name) is getattr(errors, name) for name in raised)


def test_init_only_stores():
    values = {name: object() for name in Doc2VecC().get_params()}
    model = Doc2VecC(**values)
    assert vars(model) == values  # nothing else, nothing converted, nothing checked
    assert all(model.get_params()[name] is value for name, value in values.items())


def test_clone_copies_parameters_and_nothing_learned(fitted):
    copy = clone(fitted)
    assert copy.get_params() == fitted.get_params()
    assert not hasattr(copy, "model_")


def test_set_params():
    model = small()
    assert model.set_params(vector_size=3, keep=0.5) is model
    assert (model.vector_size, model.keep) == (3, 0.5)
    with pytest.raises(ValueError, match="vectorsize"):
        model.set_params(vectorsize=3)


def test_set_params_after_fit_leaves_the_learned_model():
    model = small().fit(TEXTS)
    assert model.set_params(vector_size=99).transform(NEW).shape == (3, 6)
    assert len(model.get_feature_names_out()) == 6


def test_repr():
    assert repr(Doc2VecC()) == "Doc2VecC()"
    assert repr(Doc2VecC(50, architecture="skipgram")) == "Doc2VecC(architecture='skipgram', vector_size=50)"
    assert "Doc2VecC" in small()._repr_html_()


class Recorded:
    """Texts that remember whether anybody looked at them."""

    def __init__(self, texts):
        self.texts = texts
        self.is_read = False

    def __iter__(self):
        self.is_read = True
        yield from self.texts


@pytest.mark.parametrize(
    ("name", "value", "sentence"),
    [
        ("vector_size", 0, "vector_size=0 does not fit; it must be a whole number from 1 to 65536"),
        ("vector_size", 2.5, "vector_size=2.5 does not fit; it must be a whole number from 1 to 65536"),
        ("window", True, "window=True does not fit; it must be a whole number from 1 to 65536"),
        ("keep", 0.0, "keep=0.0 does not fit; it must be a number from 0.0001 to 1"),
        ("architecture", "dbow", "architecture='dbow' is not known; use 'cbow' or 'skipgram'"),
        ("workers", 0, "workers=0 does not fit; it must be a whole number from 1 to 1024"),
        ("max_final_vocab", 0, "max_final_vocab=0 does not fit; it must be a whole number of at least 1"),
        ("tokenizer", "split", "tokenizer='split' does not fit; it must be callable: str -> list[str]"),
    ],
)
def test_a_wrong_parameter_is_refused_in_fit_before_any_text_is_read(name, value, sentence):
    texts = Recorded(TEXTS)
    model = Doc2VecC().set_params(**{name: value})
    with pytest.raises(ValueError) as caught:
        model.fit(texts)
    assert str(caught.value) == sentence
    assert not texts.is_read
    assert not hasattr(model, "model_")


@pytest.mark.parametrize("value", [-1, 1.5, "zero", True, np.random.default_rng(0)])
def test_a_wrong_random_state_is_called_by_its_name(value):
    texts = Recorded(TEXTS)
    with pytest.raises(ValueError, match="random_state="):
        small(random_state=value).fit(texts)
    assert not texts.is_read


# ---- fit


def test_fit_returns_self_and_ignores_y(fitted):
    model = small()
    assert model.fit(TEXTS, LABELS) is model
    assert equal(model, fitted)
    assert equal(small().fit(TEXTS, y="anything"), fitted)


@pytest.mark.parametrize(
    "use",
    [
        lambda model: model.transform(NEW),
        lambda model: model.similar_words("cat"),
        lambda model: model.similar(NEW, np.zeros((2, 6))),
        lambda model: model.explain("a", "b"),
        lambda model: model.save("nowhere"),
        lambda model: model.get_feature_names_out(),
        check_is_fitted,
    ],
    ids=["transform", "similar_words", "similar", "explain", "save", "get_feature_names_out", "check_is_fitted"],
)
def test_not_fitted(use, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    with pytest.raises(NotFittedError):
        use(small())
    assert list(tmp_path.iterdir()) == []


def test_learned_attributes_are_not_there_before_fit(fitted):
    for name in ("word_vectors_", "vocabulary_", "history_", "report_"):
        assert not hasattr(small(), name)
        assert hasattr(fitted, name)


def test_learned_attributes(fitted):
    assert fitted.word_vectors_.shape == (len(fitted.vocabulary_), 6)
    assert fitted.word_vectors_.dtype == np.float32
    assert fitted.vocabulary_.words[0] == "the"
    assert fitted.vocabulary_.counts[0] == 25
    assert [epoch.words for epoch in fitted.history_] == [6 * 5 + 6 * 5 + 5 * 5 + 6 * 5] * 2
    assert all(epoch.loss > 0 and epoch.seconds >= 0 for epoch in fitted.history_)
    assert fitted.report_["documents"] == 20
    assert fitted.report_["tokens"] == 115


def test_fitting_again_starts_afresh(fitted):
    model = small().fit(["other words altogether"] * 3)
    assert equal(model.fit(TEXTS), fitted)


def test_a_fit_that_fails_leaves_what_was_learned(fitted):
    model = small().fit(TEXTS)
    with pytest.raises(ValueError, match="lower min_count"):
        model.set_params(min_count=1_000).fit(TEXTS)
    assert equal(model, fitted)


def test_verbose_is_silent_when_nobody_is_looking(capfd):
    small(verbose=True).fit(TEXTS).transform(NEW)
    assert capfd.readouterr() == ("", "")


def test_vocabulary_cut_offs():
    model = small(min_count=10, max_final_vocab=3).fit(TEXTS)
    assert model.vocabulary_.words == ["the", "cat", "on"]


def test_training_never_hands_out_vectors_that_are_not_numbers():
    """A learning rate that is far too high must not end in silence; the sentence names the remedy."""
    try:
        vectors = small(alpha=10, epochs=20).fit(TEXTS * 20).word_vectors_
    except (ValueError, ArithmeticError) as error:
        assert "alpha" in str(error)
    else:
        assert np.isfinite(vectors).all()


# ---- randomness


def test_one_seed_and_one_worker_give_bitwise_the_same(fitted):
    again = small().fit(TEXTS)
    assert equal(again, fitted)
    np.testing.assert_array_equal(again.model_.outputs, fitted.model_.outputs)
    assert [epoch.loss for epoch in again.history_] == [epoch.loss for epoch in fitted.history_]


def test_another_seed_gives_another_model(fitted):
    assert not equal(small(random_state=1).fit(TEXTS), fitted)


def test_no_seed_gives_another_model_each_time():
    assert not equal(small(random_state=None).fit(TEXTS), small(random_state=None).fit(TEXTS))


def test_a_random_state_object_moves_on():
    state = np.random.RandomState(5)
    first, second = small(random_state=state).fit(TEXTS), small(random_state=state).fit(TEXTS)
    again = small(random_state=np.random.RandomState(5)).fit(TEXTS)
    assert equal(first, again)
    assert not equal(first, second)


def test_a_numpy_integer_is_a_seed(fitted):
    assert equal(small(random_state=np.int64(0)).fit(TEXTS), fitted)


def test_two_workers_learn_to_a_similar_loss():
    texts, _ = planted_topics()
    one, two = (Doc2VecC(**{**PLANTED, "workers": workers}).fit(texts).history_ for workers in (1, 2))
    assert [epoch.words for epoch in two] == [epoch.words for epoch in one]
    assert one[-1].loss < 0.95 * one[5].loss
    assert two[-1].loss == pytest.approx(one[-1].loss, rel=0.03)


def test_two_workers_with_work_for_one_learn_what_one_learns():
    """One document is one piece of work; what its worker has learned for itself must arrive in the model."""
    texts = [" ".join(TEXTS)]
    one, two = (small(workers=workers, epochs=1).fit(texts) for workers in (1, 2))
    assert one.model_.outputs.any()
    np.testing.assert_allclose(two.word_vectors_, one.word_vectors_, rtol=1e-4, atol=1e-6)
    np.testing.assert_allclose(two.model_.outputs, one.model_.outputs, rtol=1e-4, atol=1e-6)


# ---- transform


def test_fit_transform_is_fit_and_transform(fitted):
    np.testing.assert_array_equal(small().fit_transform(TEXTS), fitted.transform(TEXTS))


def test_transform_gives_float32_in_one_shape(fitted):
    vectors = fitted.transform(NEW)
    assert vectors.shape == (3, 6)
    assert vectors.dtype == np.float32
    cat, dog, the = (fitted.word_vectors_[fitted.vocabulary_[word]] for word in ("cat", "dog", "the"))
    np.testing.assert_array_equal(vectors[2], cat)
    np.testing.assert_allclose(vectors[1], (dog + the) / 2, rtol=1e-5)


def test_transform_of_nothing(fitted):
    assert fitted.transform([]).shape == (0, 6)
    assert fitted.transform([]).dtype == np.float32


def test_transform_over_several_batches_keeps_the_order(fitted):
    many = [NEW[number % 3] for number in range(40_000)]
    np.testing.assert_array_equal(fitted.transform(many), fitted.transform(NEW)[np.arange(40_000) % 3])


def test_transform_does_not_depend_on_the_number_of_workers(fitted):
    texts = [f"{text} cat " * 500 for text in TEXTS * 3]
    alone = fitted.transform(texts)
    for workers in (2, 5, None):
        np.testing.assert_array_equal(clone_fitted(fitted, workers=workers).transform(texts), alone)


def clone_fitted(model, **changes):
    return pickle.loads(pickle.dumps(model)).set_params(**changes)


def test_sample_thins_in_training_only():
    plain, subsampled = small().fit(TEXTS), small(sample=1e-3).fit(TEXTS)
    assert not equal(plain, subsampled)
    vectors = subsampled.transform(NEW)
    np.testing.assert_array_equal(vectors, subsampled.transform(NEW))
    for text, vector in zip(NEW, vectors, strict=True):
        ids = subsampled.vocabulary_.ids_of(tokenize(text))
        np.testing.assert_allclose(vector, subsampled.word_vectors_[ids].mean(axis=0), rtol=1e-5, atol=1e-7)


def test_a_tokenizer_of_the_users_own(fitted):
    assert equal(small(tokenizer=tokenize).fit(TEXTS), fitted)
    model = small(tokenizer=lambda text: text.upper().split("T")).fit(TEXTS)
    assert "HE CA" in model.vocabulary_
    assert model.transform(["the catty"]).any()


# ---- kinds of input


def as_parquet(texts, folder):
    pa.parquet.write_table(pa.table({"id": range(len(texts)), "text": texts}), folder / "texts.parquet")
    return folder / "texts.parquet"


def as_txt(texts, folder):
    (folder / "texts.txt").write_text("\n".join(texts) + "\n", "utf-8")
    return folder / "texts.txt"


def as_folder(texts, folder):
    for number, text in enumerate(texts):
        (folder / f"{number:03}.txt").write_text(text, "utf-8")
    return folder


INPUTS = {
    "list": lambda texts, _: texts,
    "tuple": lambda texts, _: tuple(texts),
    "generator": lambda texts, _: (text for text in texts),
    "iterator": lambda texts, _: iter(texts),
    "numpy str": lambda texts, _: np.array(texts),
    "numpy object": lambda texts, _: np.array(texts, object),
    "pandas str": lambda texts, _: pd.Series(texts, index=range(5, 5 + len(texts))),
    "pandas object": lambda texts, _: pd.Series(texts, dtype=object),
    "pandas arrow": lambda texts, _: pd.Series(texts, dtype=pd.ArrowDtype(pa.string())),
    "pandas category": lambda texts, _: pd.Series(texts, dtype="category"),
    "pandas table": lambda texts, _: pd.DataFrame({"number": range(len(texts)), "review": texts}),
    "polars": lambda texts, _: pl.Series(texts),
    "polars category": lambda texts, _: pl.Series(texts, dtype=pl.Categorical),
    "polars table": lambda texts, _: pl.DataFrame({"number": range(len(texts)), "review": texts}),
    "arrow": lambda texts, _: pa.array(texts),
    "arrow large": lambda texts, _: pa.array(texts, pa.large_string()),
    "arrow view": lambda texts, _: pa.array(texts, pa.string_view()),
    "arrow slice": lambda texts, _: pa.array(["cut off", *texts, "cut off"])[1:-1],
    "arrow dictionary": lambda texts, _: pa.array(texts).dictionary_encode(),
    "arrow chunks": lambda texts, _: pa.chunked_array([texts[:1], [], texts[1:]], pa.string()),
    "arrow table": lambda texts, _: pa.table({"number": range(len(texts)), "review": texts}),
    "parquet": as_parquet,
    "txt": as_txt,
    "folder": as_folder,
    "list of paths": lambda texts, folder: [as_txt(texts, folder)],
}


@pytest.mark.parametrize("kind", INPUTS)
def test_every_kind_of_input_gives_the_same(fitted, tmp_path, kind):
    make = INPUTS[kind]
    model = small().fit(make(TEXTS, tmp_path))
    assert equal(model, fitted)
    new = tmp_path / "new"
    new.mkdir()
    np.testing.assert_array_equal(model.transform(make(NEW, new)), fitted.transform(NEW))


@pytest.mark.parametrize("kind", ["generator", "arrow reader"])
def test_fit_transform_of_what_can_be_read_once(fitted, kind):
    """Fitting has used it up; that must not end as a matrix without rows."""
    texts = (text for text in TEXTS) if kind == "generator" else pa.table({"text": TEXTS}).to_reader()
    np.testing.assert_array_equal(small().fit_transform(texts), fitted.transform(TEXTS))


@pytest.mark.parametrize("text", ["a text", "", b"bytes"])
@pytest.mark.parametrize("method", ["fit", "transform", "fit_transform"])
def test_a_bare_text_is_refused_with_the_remedy(fitted, method, text):
    model = clone_fitted(fitted)
    with pytest.raises(ValueError, match=r"pass a list of texts, or pathlib\.Path") as caught:
        getattr(model, method)(text)
    assert repr(text) in str(caught.value)


@pytest.mark.parametrize(
    ("texts", "sentence"),
    [
        (["fine", 3], r"texts\[1\] is 3 of type int; every text must be a str"),
        (["fine", [["nested"]]], r"texts\[1\] is \[\['nested'\]\] of type list; every text must be a str"),
        (5, "texts cannot be read from an object of type int"),
        ({"a": "b"}, "texts cannot be read from an object of type dict"),
        (pa.array([1, 2]), "an array of type int64 was given; the texts must be strings"),
    ],
)
def test_what_is_no_text(fitted, texts, sentence):
    with pytest.raises(InputError, match=sentence):
        small().fit(texts)
    with pytest.raises(InputError, match=sentence):
        fitted.transform(texts)


def test_text_column(fitted):
    table = pd.DataFrame({"title": ["none"] * len(TEXTS), "review": TEXTS})
    assert equal(small(text_column="review").fit(table), fitted)
    with pytest.raises(InputError, match="several text columns in the texts: title, review"):
        small().fit(table)


# ---- warnings


def corpus_warnings(call):
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        call()
    assert all(issubclass(one.category, CorpusWarning) for one in caught)
    return caught


def test_one_warning_for_documents_that_taught_nothing():
    model = small(min_count=5)
    caught = corpus_warnings(lambda: model.fit([*TEXTS, "", "nothing known", None]))
    assert [str(one.message) for one in caught] == [
        "1 missing text read as empty; 3 of 23 documents without a known word: ignored in training"
    ]
    assert (model.report_["documents"], model.report_["empty_documents"]) == (23, 3)


def test_one_warning_for_zero_rows_over_all_batches(fitted):
    texts = ["cat"] * 3_000 + ["unheard"] * 37_000
    caught = corpus_warnings(lambda: fitted.transform(texts))
    assert [str(one.message) for one in caught] == ["37,000 of 40,000 documents have no known word: zero vectors"]


def test_no_warning_when_all_is_well(fitted):
    assert corpus_warnings(lambda: small().fit(TEXTS).transform(NEW)) == []


@pytest.mark.parametrize(
    "call",
    [
        lambda model: model.fit([*TEXTS, ""]),
        lambda model: model.transform(["unheard"]),
        lambda model: model.similar(["unheard"], np.eye(6)),
    ],
    ids=["fit", "transform", "similar"],
)
def test_the_warning_points_at_the_callers_line(fitted, call):
    """Python shows a warning once per place: if the place is a line of scikit-learn's, later ones are lost."""
    (warning,) = corpus_warnings(lambda: call(clone_fitted(fitted)))
    assert warning.filename == __file__


# ---- with scikit-learn


def test_get_feature_names_out(fitted):
    assert fitted.get_feature_names_out().tolist() == [f"doc2vecc{number}" for number in range(6)]


def test_pandas_output(fitted):
    model = clone_fitted(fitted).set_output(transform="pandas")
    table = model.transform(pd.Series(NEW, index=["x", "y", "z"]))
    assert isinstance(table, pd.DataFrame)
    assert table.index.tolist() == ["x", "y", "z"]
    assert table.columns.tolist() == fitted.get_feature_names_out().tolist()
    assert set(table.dtypes) == {np.dtype(np.float32)}
    np.testing.assert_array_equal(table.to_numpy(), fitted.transform(NEW))
    assert isinstance(small().set_output(transform="pandas").fit_transform(TEXTS), pd.DataFrame)


def test_polars_output(fitted):
    table = clone_fitted(fitted).set_output(transform="polars").transform(pl.Series(NEW))
    assert isinstance(table, pl.DataFrame)
    assert table.columns == fitted.get_feature_names_out().tolist()
    np.testing.assert_array_equal(table.to_numpy(), fitted.transform(NEW))


def test_pipeline_with_a_classifier():
    texts, topics = planted_topics(seed=1)
    half = len(texts) // 2
    pipeline = make_pipeline(Doc2VecC(**PLANTED), LogisticRegression(max_iter=500))
    pipeline.fit(texts[:half], topics[:half])
    assert pipeline.score(texts[half:], topics[half:]) >= 0.95
    assert pipeline[:-1].get_feature_names_out()[0] == "doc2vecc0"
    assert clone(pipeline).get_params()["doc2vecc__vector_size"] == 16


def test_a_step_of_a_pipeline_takes_what_fit_takes(fitted, tmp_path):
    pipeline = make_pipeline(small(), LogisticRegression())
    pipeline.fit(TEXTS, LABELS, doc2vecc__checkpoint=tmp_path / "c", doc2vecc__checkpoint_every=0)
    assert equal(pipeline[0], fitted)
    assert not (tmp_path / "c").exists()
    (tmp_path / "other").mkdir()
    with pytest.raises(ModelFolderError, match="other"):
        small().fit_transform(TEXTS, checkpoint=tmp_path / "other")
    with pytest.raises(ParameterError, match="a cluster does not embed"):
        small().fit_transform(TEXTS, cluster="auto")


def test_column_transformer():
    table = pd.DataFrame({"text": TEXTS, "stars": range(20)})
    columns = ColumnTransformer([("vectors", small(), "text")], remainder="passthrough")
    assert columns.fit_transform(table).shape == (20, 7)


def grid_search():
    pipeline = make_pipeline(small(), LogisticRegression())
    grid = {"doc2vecc__vector_size": np.array([3, 5]), "doc2vecc__binary": np.array([True])}
    search = GridSearchCV(pipeline, grid, cv=2, n_jobs=None)
    return search.fit(TEXTS, LABELS)


def test_grid_search_over_numpy_values():
    search = grid_search()
    assert len(search.cv_results_["mean_test_score"]) == 2
    assert np.isfinite(search.cv_results_["mean_test_score"]).all()
    assert search.best_estimator_[0].transform(NEW).shape == (3, search.best_params_["doc2vecc__vector_size"])


def test_grid_search_without_labels_scores_on_texts_that_were_not_learned_from():
    random = np.random.default_rng(0)
    topics = [[f"{letter}{word}" for word in range(10)] for letter in "abcdefgh"]
    texts = [" ".join(random.choice(topics[number % 8], 24)) for number in range(96)]
    search = GridSearchCV(small(init="random"), {"epochs": [1, 5], "vector_size": [2, 8]}, cv=3).fit(texts)
    assert search.best_params_ == {"epochs": 5, "vector_size": 8}
    held_out = texts[:32]
    first_fold = clone(search.best_estimator_).fit(texts[32:])
    place = search.best_index_
    assert search.cv_results_["split0_test_score"][place] == first_fold.score(held_out)
    result = match_halves(held_out, first_fold.transform)
    assert first_fold.score(pl.Series(held_out)) == result.score
    assert result.documents == 32


def test_what_a_grid_search_found_can_be_saved(tmp_path):
    best = grid_search().best_estimator_[0]
    best.save(tmp_path / "model")
    assert equal(Doc2VecC.load(tmp_path / "model"), best)


# ---- pickle, save, load


def assert_same_model(one, other):
    assert equal(one, other)
    assert one.history_ == other.history_
    assert one.report_ == other.report_
    np.testing.assert_array_equal(one.transform(NEW), other.transform(NEW))


def test_pickle(fitted):
    copy = pickle.loads(pickle.dumps(fitted))
    assert copy.get_params() == fitted.get_params()
    assert_same_model(copy, fitted)
    assert pickle.loads(pickle.dumps(small())).get_params() == small().get_params()


def test_pickle_of_a_loaded_model(fitted, tmp_path):
    fitted.save(tmp_path / "model")
    loaded = Doc2VecC.load(tmp_path / "model")
    assert_same_model(pickle.loads(pickle.dumps(loaded)), fitted)


def test_save_and_load(fitted, tmp_path):
    fitted.save(tmp_path / "model")
    loaded = Doc2VecC.load(str(tmp_path / "model"))
    assert_same_model(loaded, fitted)
    assert loaded.get_params() == {**fitted.get_params(), "workers": None}
    assert equal(clone(loaded).set_params(workers=1).fit(TEXTS), fitted)


def test_a_model_from_a_fresh_seed_can_be_made_again(tmp_path):
    model = small(random_state=None).fit(TEXTS)
    model.save(tmp_path / "model")
    assert equal(Doc2VecC.load(tmp_path / "model").set_params(workers=1).fit(TEXTS), model)


def test_load_with_a_tokenizer(tmp_path):
    model = small(tokenizer=tokenize).fit(TEXTS)
    model.save(tmp_path / "model")
    with pytest.raises(
        ValueError, match=r"trained with the tokenizer doc2vecc[.]corpus[.]tokenizer:tokenize; pass it again"
    ):
        Doc2VecC.load(tmp_path / "model")
    loaded = Doc2VecC.load(tmp_path / "model", tokenizer=tokenize)
    assert loaded.tokenizer is tokenize
    assert_same_model(loaded, model)


# ---- questions to a model


def test_similar_words(fitted):
    found = fitted.similar_words("cat - dog", 3)
    assert len(found) == 3
    assert not {"cat", "dog"} & {word for word, _ in found}
    with pytest.raises(KeyError, match="'unheard'"):
        fitted.similar_words("unheard")


@pytest.mark.parametrize("container", ["default", "pandas", "polars"])
def test_similar(fitted, container):
    model = clone_fitted(fitted).set_output(transform=container)
    found = model.similar(["a cat and a dog", "the dog sat on the log"], model.transform(TEXTS[:4]), 2)
    assert found.indices[:, 0].tolist() == [2, 1]
    np.testing.assert_allclose(found.similarities[:, 0], 1, rtol=1e-6)
    vectors = fitted.transform(TEXTS[:4])
    assert found.similarities[0, 1] == pytest.approx(
        max(cosine(vectors[2], vectors[other]) for other in (0, 1, 3)), abs=1e-6
    )


def cosine(one, other):
    return float(one @ other / np.linalg.norm(one) / np.linalg.norm(other))


def test_explain_adds_up_to_the_similarity_of_the_vectors(fitted):
    explanation = fitted.explain(*NEW[:2])
    assert explanation.similarity == pytest.approx(cosine(*fitted.transform(NEW[:2])), abs=1e-5)
    for shares in (explanation.first, explanation.second):
        assert sum(share for _, share in shares) == pytest.approx(explanation.similarity, abs=1e-5)
    assert [token for token, _ in explanation.second] == ["the", "unknown", "dog"]
    assert explanation.second[1].share == 0


# ---- does it learn?

PLANTED = {**SMALL, "vector_size": 16, "epochs": 30, "alpha": 0.1}


def planted_topics(documents=800, seed=0):
    """Documents of eight words of one of four topics, each of eighty words, and eight words that all share."""
    generator = np.random.default_rng(seed)
    topics = generator.integers(4, size=documents)
    texts = []
    for topic in topics:
        words = [f"topic{topic}-{number}" for number in generator.integers(80, size=8)]
        words += [f"stop{number}" for number in generator.integers(10, size=8)]
        texts.append(" ".join(generator.permutation(words)))
    return texts, topics


def accuracy(vectors, topics):
    """Of a linear classifier that learns from one half and is asked about the other."""
    half = len(vectors) // 2
    classifier = make_pipeline(StandardScaler(), LogisticRegression(max_iter=500))
    return classifier.fit(vectors[:half], topics[:half]).score(vectors[half:], topics[half:])


@pytest.mark.parametrize("architecture", ["cbow", "skipgram"])
def test_planted_topics_are_found(architecture):
    texts, topics = planted_topics()
    model = Doc2VecC(**PLANTED, architecture=architecture).fit(texts)
    inputs, outputs = first_tables(len(model.vocabulary_), 0, TrainingConfig(vector_size=16, seed=0))
    untrained = Model(model.vocabulary_, inputs, 16, outputs=outputs)
    before = accuracy(untrained.embed(pa.array(texts, pa.large_string())).vectors, topics)
    after = accuracy(model.transform(texts), topics)
    assert before < 0.7  # even random vectors of words tell a little: chance would be 0.25
    assert after >= 0.95

    norms = np.linalg.norm(model.word_vectors_, axis=1)
    is_stop_word = np.array([word.startswith("stop") for word in model.vocabulary_])
    assert norms[is_stop_word].mean() < 0.65 * norms[~is_stop_word].mean()

    nearest = [word for word, _ in model.similar_words("topic2-0", 10)]
    assert all(word.startswith("topic2-") for word in nearest)


def test_partial_fit_adds_words_and_goes_on():
    texts, topics = planted_topics()
    first, rest = texts[: len(texts) // 2], [text + " later later" for text in texts[len(texts) // 2 :]]
    model = Doc2VecC(**PLANTED).partial_fit(first)
    assert "later" not in model.vocabulary_
    counts = dict(zip(model.vocabulary_, model.vocabulary_.counts.tolist(), strict=True))
    epochs = len(model.history_)
    assert model.partial_fit(rest) is model
    assert "later" in model.vocabulary_
    assert len(model.history_) == 2 * epochs
    word = "stop0"
    occurrences = sum(text.split().count(word) for text in rest)
    assert model.vocabulary_.counts[model.vocabulary_[word]] == counts[word] + occurrences
    assert np.all(np.diff(model.vocabulary_.counts) <= 0)
    assert accuracy(model.transform(texts), topics) >= 0.95


def test_partial_fit_wants_the_same_dimension_and_some_known_word():
    model = Doc2VecC(vector_size=8, epochs=1, min_count=1).fit(["a b c"] * 5)
    with pytest.raises(ValueError, match="vector_size=9 does not fit a model that was learned with vector_size=8"):
        model.set_params(vector_size=9).partial_fit(["a b"])
    model.set_params(vector_size=8, min_count=3)
    with pytest.raises(ValueError, match="no new word occurs 3 times"):
        model.partial_fit(["x y", "z"])
    assert model.vocabulary_.words == ["a", "b", "c"]  # nothing was lost


@pytest.mark.parametrize(
    ("losses", "is_told"),
    [([3.0, 2.5], False), ([4.1, 4.15], False), ([3.0, 3.2], False), ([3.0, 3.4], True), ([9.0, 5.0], True)],
)
def test_vectors_that_make_no_sense_are_told_of(losses, is_told):
    earlier = 9.9  # of another training, before partial_fit
    history = [EpochRecord(loss, 1_000, 1.0) for loss in (earlier, *losses)]
    told = loss_warnings(history, TrainingConfig(negative=5, alpha=0.2), first_epoch=1)
    assert bool(told) == is_told
    assert not told or told[0].endswith("the vectors are useless; lower alpha=0.2, to 0.05 say")


def test_the_loss_of_a_few_words_varies_and_tells_nothing():
    history = [EpochRecord(loss, 10, 1.0) for loss in (2.7, 0.8, 3.9, 5.5)]
    assert loss_warnings(history, TrainingConfig(negative=5)) == []
    assert loss_warnings([EpochRecord(5.5, 10, 1.0)] * 4, TrainingConfig(negative=5)) != []


def test_further_training_without_texts_or_known_words():
    model = Doc2VecC(vector_size=8, epochs=1).fit(["a b c"] * 5)
    with pytest.raises(ValueError, match="there are no documents to learn from"):
        model.partial_fit([])
    with pytest.raises(ValueError, match=r"none of 1 document holds .* no new word occurs often enough"):
        model.partial_fit(["x y"])


@pytest.mark.slow
@pytest.mark.parametrize("parameters", [{}, {"random_state": None, "ngram_range": [1, 2]}])
def test_an_interrupted_fit_continues(tmp_path, monkeypatch, parameters):
    class PressesCtrlC(Silent):
        def training(self, *_):
            raise KeyboardInterrupt

    folder = tmp_path / "c"
    texts = [f"the {word} sat on the {other}" for word in ("cat", "dog", "owl") for other in ("mat", "log")] * 200
    estimator = Doc2VecC(vector_size=8, epochs=100, workers=1, **parameters)
    with monkeypatch.context() as patched, pytest.raises(KeyboardInterrupt):
        patched.setattr("doc2vecc.estimator.progress_bar", lambda _: nullcontext(PressesCtrlC()))
        estimator.fit(texts, checkpoint=folder)
    seed = storage.load(folder).record.settings["seed"]
    expected = clone(estimator).set_params(random_state=seed).fit(texts).word_vectors_
    with pytest.raises(CheckpointError, match="read other texts"):
        estimator.fit(texts * 2, checkpoint=folder)
    np.testing.assert_array_equal(estimator.fit(texts, checkpoint=str(folder)).word_vectors_, expected)
    assert not folder.exists()
    with pytest.raises(ParameterError, match="checkpoint_every=-1"):
        estimator.fit(texts, checkpoint=folder, checkpoint_every=-1)


@pytest.mark.slow
def test_what_only_some_programs_need_is_not_imported_with_the_estimator():
    code = "import sys; from doc2vecc import Doc2VecC; print([name for name in sys.argv[1:] if name in sys.modules])"
    needed_by_some = ["numba", "ray", "rich", "pyarrow.parquet", "doc2vecc.exports", "doc2vecc.evaluation"]
    command = [sys.executable, "-c", code, *needed_by_some]
    assert subprocess.run(command, capture_output=True, text=True, check=True).stdout == "[]\n"
