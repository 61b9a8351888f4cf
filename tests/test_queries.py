"""What a fitted Doc2VecC answers, and how a notebook shows it."""

from pathlib import Path

import numpy as np
import pytest
from sklearn.exceptions import NotFittedError

from doc2vecc import Doc2VecC, ParameterError, UnknownWordError
from doc2vecc.map import Map, Topics
from doc2vecc.search import SearchIndex

MODELS = Path(__file__).parent / "models"


@pytest.fixture(scope="module")
def model():
    return Doc2VecC.load(MODELS / "ngrams.d2v")


def test_a_word_or_ngram_has_a_vector(model):
    np.testing.assert_array_equal(model["log"], model.word_vectors_[model.vocabulary_["log"]])
    np.testing.assert_array_equal(model["LIKE the  rain"], model.word_vectors_[model.vocabulary_["like the rain"]])
    assert "log" in model
    assert "Log" in model
    assert "like the rain" in model
    assert "lig" not in model


def test_an_unknown_word_brings_a_suggestion(model):
    for ask in (model.__getitem__, model.similar_words, lambda word: model.similar_words(["rain", word])):
        with pytest.raises(UnknownWordError, match=r"'logg' is not among the 69 words.*did you mean log"):
            ask("logg")
    with pytest.raises(KeyError):
        model["logg"]


def test_several_words_are_added(model):
    assert model.similar_words(["log", "rain"], 3) == model.similar_words("log + rain", 3)
    assert model.similar_words(["log"], 3) == model.similar_words("log", 3)
    with pytest.raises(UnknownWordError, match="holds no word"):
        model.similar_words([])


def test_one_text_is_one_query(model):
    vectors = model.transform(["the log", "the rain"])
    found = model.similar("the rain", vectors, k=1)
    assert found.indices.tolist() == [[1]]
    assert found.similarities.shape == (1, 1)


def test_a_model_is_no_sequence(model):
    with pytest.raises(TypeError):
        iter(model)


def test_an_unfitted_model_says_so():
    for ask in (lambda model: model["a"], lambda model: "a" in model, lambda model: model.similar("a", [[1.0]])):
        with pytest.raises(NotFittedError):
            ask(Doc2VecC())


def test_a_notebook_shows_what_was_learned(model):
    html = model._repr_mimebundle_()["text/html"]
    assert html.startswith(Doc2VecC(**model.get_params())._repr_mimebundle_()["text/html"][:20])
    assert '<td style="text-align:left">49</td>' in html  # n-grams
    assert "learned from" not in Doc2VecC()._repr_mimebundle_()["text/html"]


def test_a_notebook_shows_an_explanation_with_colored_words(model):
    explanation = model.explain("the <log> rain", "the rain")
    html = explanation._repr_html_()
    assert f"similarity {explanation.similarity:.3f}" in html
    assert "&lt;log&gt;" in html
    assert html.count("<span") == len(explanation.first) + len(explanation.second)
    assert html.count("0.60)") >= 1  # the largest share
    assert "0.000" in model.explain("", "zzz")._repr_html_()


@pytest.mark.parametrize(
    ("name", "meant"),
    [
        ("infer_vector", r"transform\(\[text\]\)\[0\] or transform\(\[tokens\]\)\[0\]"),
        ("wv", "similar_words"),
        ("dv", "transform"),
        ("save_word2vec_format", "export"),
        ("similarity", "explain"),
        ("doesnt_match", "model"),
        ("index_to_key", "vocabulary_"),
        ("vectors", "word_vectors_"),
        ("corpus_count", "report_"),
    ],
)
def test_what_gensims_models_have_is_named(name, meant):
    with pytest.raises(AttributeError, match=f"^there is no attribute '{name}'; use .*{meant}"):
        getattr(Doc2VecC(), name)
    assert not hasattr(Doc2VecC(), name)
    with pytest.raises(AttributeError, match="object has no attribute 'unknown'"):
        _ = Doc2VecC().unknown
    with pytest.raises(NotFittedError, match="is not fitted yet; call fit first"):
        _ = Doc2VecC().vocabulary_
    assert not hasattr(Doc2VecC(), "vocabulary_")


def test_what_needs_a_fitted_model_says_so(tmp_path):
    for call in (
        lambda: SearchIndex.build(Doc2VecC(), ["a text"], tmp_path / "index"),
        lambda: Map.build(Doc2VecC(), ["a text"]),
        lambda: Topics.build(Doc2VecC(), ["a text"]),
        lambda: Doc2VecC().save(tmp_path / "model.d2v"),
        lambda: Doc2VecC().similar_words("oil"),
    ):
        with pytest.raises(NotFittedError, match="not fitted yet"):
            call()
    assert list(tmp_path.iterdir()) == []


def test_texts_in_the_place_of_vectors_are_refused(model):
    with pytest.raises(ParameterError, match=r"corpus_vectors are texts; give their vectors, model.transform"):
        model.similar("oil", ["a text", "another one"])


@pytest.mark.parametrize(
    ("method", "argument", "remedy"),
    [
        ("similar_words", "topn", "use k"),
        ("similar_words", "positive", "similar_words.'king - man . woman'."),
        ("similar", "topn", "use k"),
        ("fit", "epochs", "call set_params.epochs=.... first"),
        ("fit_transform", "epochs", "call set_params"),
        ("partial_fit", "epochs", "call set_params"),
        ("transform", "epochs", "leave it out"),
    ],
)
def test_an_argument_that_gensim_has_is_explained(model, method, argument, remedy):
    with pytest.raises(TypeError, match=f"^{method} has no argument '{argument}'; .*{remedy}"):
        getattr(model, method)(["rain"], **{argument: 3})
    with pytest.raises(TypeError, match="unexpected keyword argument 'unheard_of'"):
        getattr(model, method)(["rain"], unheard_of=3)


def test_vectors_in_the_place_of_words_and_texts_are_refused(model):
    for vectors in (model["rain"], [model["rain"]]):
        with pytest.raises(ParameterError, match=r"^words hold a \w+; give words, not their vectors"):
            model.similar_words(vectors)
    vectors = model.transform(["the rain"])
    with pytest.raises(ParameterError, match=r"^query_texts are numbers; give texts, not their vectors"):
        model.similar(vectors, vectors)


def test_a_token_list_inside_a_list_is_one_document(model):
    tokens = ["the", "rain"]
    np.testing.assert_array_equal(model.transform([tokens]), model.transform(["the rain"]))
    assert len(model.transform(tokens)) == 2
    assert "transform([tokens])[0]" in Doc2VecC.transform.__doc__
