"""What every baseline owes to scikit-learn, and to a user of Doc2VecC."""

import pickle

import numpy as np
import pytest
from scipy import sparse
from sklearn.base import clone
from sklearn.exceptions import NotFittedError
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import GridSearchCV
from sklearn.pipeline import make_pipeline
from sklearn.utils.validation import check_is_fitted

from doc2vecc import Doc2VecC
from doc2vecc.baselines import BagOfWords, DenoisingAutoencoder, ParagraphVectors, Word2Vec
from doc2vecc.corpus.tokenizer import tokenize
from doc2vecc.errors import CorpusWarning, DivergenceError
from tests.baselines.material import LABELS, LEARNING, NEW, SMALL, TEXTS, TRAINED, dense

CLASSES = (BagOfWords, DenoisingAutoencoder, ParagraphVectors, Word2Vec)


@pytest.fixture(scope="module")
def fitted():
    return {name: clone(estimator).fit(TEXTS) for name, estimator in SMALL.items()}


@pytest.fixture(params=SMALL)
def name(request):
    return request.param


# ---- parameters


@pytest.mark.parametrize("baseline", CLASSES)
def test_init_only_stores(baseline):
    values = {name: object() for name in baseline().get_params()}
    assert vars(baseline(**values)) == values


@pytest.mark.parametrize("baseline", CLASSES)
def test_parameters_are_called_as_those_of_doc2vecc(baseline):
    own = {"weighting", "variant", "inference_epochs", "inference_alpha"}
    assert baseline().get_params().keys() - own <= Doc2VecC().get_params().keys()


@pytest.mark.parametrize("baseline", CLASSES)
def test_a_training_is_that_of_the_paper(baseline):
    params = baseline().get_params()
    wanted = {"min_count": 10, "vector_size": 100, "epochs": 20, "negative": 5, "keep": 0.1}
    assert {name: params[name] for name in wanted.keys() & params} == {
        name: wanted[name] for name in wanted.keys() & params
    }


@pytest.mark.parametrize(
    ("estimator", "alpha"),
    [
        (Word2Vec(**TRAINED), 0.1),
        (Word2Vec(**TRAINED, architecture="skipgram"), 0.025),
        (ParagraphVectors(**TRAINED), 0.025),
        (ParagraphVectors(**TRAINED, variant="dm"), 0.1),
        (ParagraphVectors(**TRAINED, variant="dm", alpha=0.3), 0.3),
        (Word2Vec(**TRAINED, alpha=0.3), 0.3),
    ],
)
def test_the_learning_rate_follows_the_variant_unless_given(estimator, alpha):
    model = clone(estimator).fit(TEXTS)
    assert model.model_.record.settings["alpha"] == alpha
    assert model.get_params()["alpha"] == estimator.get_params()["alpha"]


def test_repr():
    assert repr(Word2Vec(50, weighting="idf")) == "Word2Vec(vector_size=50, weighting='idf')"
    assert repr(BagOfWords("counts")) == "BagOfWords(weighting='counts')"


def test_clone_copies_parameters_and_nothing_learned(fitted, name):
    copy = clone(fitted[name])
    assert copy.get_params() == fitted[name].get_params() == SMALL[name].get_params()
    assert vars(copy).keys() == copy.get_params().keys()


class Recorded:
    """Texts that remember whether anybody looked at them."""

    is_read = False

    def __iter__(self):
        self.is_read = True
        yield from TEXTS


@pytest.mark.parametrize(
    ("estimator", "sentence"),
    [
        (BagOfWords("onehot"), "weighting='onehot' is not known; use 'binary' or 'tfidf' or 'counts'"),
        (BagOfWords(min_count=0), "min_count=0 does not fit; it must be a whole number of at least 1"),
        (BagOfWords(max_final_vocab=0), "max_final_vocab=0 does not fit; it must be a whole number of at least 1"),
        (BagOfWords(workers=0), "workers=0 does not fit; it must be a whole number from 1 to 1024"),
        (BagOfWords(tokenizer=" "), "tokenizer=' ' does not fit; it must be callable: str -> list[str]"),
        (Word2Vec(weighting="max"), "weighting='max' is not known; use 'mean' or 'idf' or 'tfidf'"),
        (Word2Vec(architecture="dm"), "architecture='dm' is not known; use 'cbow' or 'skipgram'"),
        (Word2Vec(tokenizer=" "), "tokenizer=' ' does not fit; it must be callable: str -> list[str]"),
        (DenoisingAutoencoder(keep=0), "keep=0 does not fit; it must be a number from 0.0001 to 1"),
        (DenoisingAutoencoder(random_state=-1), "random_state=-1 does not fit; it must be a whole number from 0"),
        (ParagraphVectors(variant="cbow"), "variant='cbow' is not known; use 'dm' or 'dbow'"),
        (ParagraphVectors(inference_epochs=0), "epochs=0 does not fit; it must be a whole number from 1 to 1000000"),
        (ParagraphVectors(inference_alpha=-1), "alpha=-1 does not fit; it must be a number from 1e-09 to 10"),
    ],
)
def test_a_wrong_parameter_is_refused_in_fit_before_any_text_is_read(estimator, sentence):
    texts = Recorded()
    with pytest.raises(ValueError) as caught:
        estimator.fit(texts)
    assert sentence in str(caught.value)
    assert not texts.is_read


@pytest.mark.parametrize("estimator", [BagOfWords(workers=1), Word2Vec(8, epochs=1, workers=1)])
def test_a_wrong_weighting_is_refused_after_fit_too(estimator):
    estimator = clone(estimator).fit(TEXTS).set_params(weighting="IDF")
    with pytest.raises(ValueError, match="weighting='IDF' is not known; use '"):
        estimator.transform(TEXTS[:1])


# ---- fit and transform


@pytest.mark.parametrize("use", [lambda model: model.transform(NEW), check_is_fitted])
def test_not_fitted(name, use):
    with pytest.raises(NotFittedError, match=type(SMALL[name]).__name__):
        use(clone(SMALL[name]))


def test_names_of_columns_need_a_fit(name):
    with pytest.raises(NotFittedError):
        clone(SMALL[name]).get_feature_names_out()


def test_fit_returns_self_and_ignores_y(fitted, name):
    model = clone(SMALL[name])
    assert model.fit(TEXTS, LABELS) is model
    np.testing.assert_array_equal(dense(model.transform(NEW)), dense(fitted[name].transform(NEW)))


def test_one_shape_out(fitted, name):
    rows = fitted[name].transform(NEW)
    columns = len(fitted[name].vocabulary_) if isinstance(fitted[name], BagOfWords) else 6
    assert rows.shape == (3, columns)
    assert rows.dtype == np.float32
    assert np.isfinite(dense(rows)).all()
    assert len(fitted[name].get_feature_names_out()) == columns
    assert isinstance(rows, sparse.csr_array if isinstance(fitted[name], BagOfWords) else np.ndarray)
    assert fitted[name].transform([]).shape == (0, columns)


def test_a_document_without_known_words_is_a_zero_row_and_counted(fitted, name):
    with pytest.warns(CorpusWarning, match="2 of 3 documents have no known word: zero vectors") as caught:
        rows = dense(fitted[name].transform(["", "cat", "utterly unknown"]))
    assert [one.filename for one in caught] == [__file__]
    assert rows.any(axis=1).tolist() == [False, True, False]


def test_a_training_document_without_known_words_is_a_zero_row_and_counted(name):
    with pytest.warns(CorpusWarning, match="1 of 21 documents without a known word"):
        rows = dense(clone(SMALL[name]).fit_transform([*TEXTS, ""]))
    assert rows.any(axis=1).tolist() == [True] * 20 + [False]


def test_fit_transform_reads_once(name):
    rows = clone(SMALL[name]).fit_transform(text for text in TEXTS)
    assert rows.shape[0] == len(TEXTS)


def test_fit_transform_is_fit_and_transform_where_nothing_is_inferred(fitted, name):
    if isinstance(fitted[name], ParagraphVectors):
        pytest.skip("transform infers vectors of its own")
    both = dense(clone(SMALL[name]).fit_transform(TEXTS))
    np.testing.assert_array_equal(both, dense(fitted[name].transform(TEXTS)))


def test_vocabulary_and_tokens_are_those_of_doc2vecc(fitted, name):
    assert fitted[name].vocabulary_ == Doc2VecC(**TRAINED).fit(TEXTS).vocabulary_
    cut = clone(SMALL[name]).set_params(min_count=10, max_final_vocab=3).fit(TEXTS)
    assert cut.vocabulary_.words == ["the", "cat", "on"]


def test_a_tokenizer_of_the_users_own(fitted, name):
    model = clone(SMALL[name]).set_params(tokenizer=tokenize).fit(TEXTS)
    np.testing.assert_array_equal(dense(model.transform(NEW)), dense(fitted[name].transform(NEW)))
    model = clone(SMALL[name]).set_params(tokenizer=str.split).fit(["Cat cat", "Cat dog"])
    assert model.vocabulary_.words == ["Cat", "cat", "dog"]
    assert dense(model.transform(["Cat"])).any()


def test_no_word_is_left(name):
    with pytest.raises(ValueError, match="no word occurs 1000 times in 20 documents"):
        clone(SMALL[name]).set_params(min_count=1000).fit(TEXTS)


def test_a_bare_text_is_refused_with_the_remedy(fitted, name):
    with pytest.raises(ValueError, match="pass a list of texts"):
        fitted[name].transform("a text")


def test_pickling(fitted, name):
    copy = pickle.loads(pickle.dumps(fitted[name]))
    np.testing.assert_array_equal(dense(copy.transform(NEW)), dense(fitted[name].transform(NEW)))


def test_pipeline_and_grid_search(name):
    model = make_pipeline(clone(SMALL[name]), LogisticRegression())
    assert model.fit(TEXTS, LABELS).predict(NEW).shape == (3,)
    search = GridSearchCV(model, {f"{model.steps[0][0]}__max_final_vocab": [3, None]}, cv=2)
    assert 0 <= search.fit(TEXTS, LABELS).best_score_ <= 1


@pytest.mark.parametrize("name", LEARNING)
def test_learned_attributes(fitted, name):
    model = fitted[name]
    assert model.word_vectors_.shape == (len(model.vocabulary_), 6)
    assert [epoch.words for epoch in model.history_] == [115, 115]
    assert model.report_["documents"] == 20
    with pytest.raises(AttributeError, match=f"this {type(model).__name__} is not fitted yet"):
        _ = clone(model).word_vectors_


@pytest.mark.parametrize("name", LEARNING)
def test_one_seed_gives_bitwise_the_same_and_another_seed_another(fitted, name):
    again, other = (clone(SMALL[name]).set_params(random_state=seed).fit(TEXTS) for seed in (0, 1))
    np.testing.assert_array_equal(again.word_vectors_, fitted[name].word_vectors_)
    assert not np.array_equal(other.word_vectors_, fitted[name].word_vectors_)


@pytest.mark.parametrize("name", LEARNING)
def test_set_output(fitted, name):
    frame = clone(SMALL[name]).set_output(transform="pandas").fit_transform(TEXTS)
    assert frame.columns[0] == f"{type(SMALL[name]).__name__.lower()}0"
    assert frame.shape == (20, 6)


def test_a_learning_rate_that_is_far_too_high_is_named():
    with pytest.raises(DivergenceError, match="alpha=10"):
        clone(SMALL["dbow"]).set_params(alpha=10.0, epochs=30).fit(TEXTS * 20)
