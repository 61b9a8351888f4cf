import numpy as np
import pytest
from sklearn.base import clone
from sklearn.feature_extraction.text import CountVectorizer, TfidfVectorizer
from sklearn.svm import LinearSVC

from doc2vecc.baselines import BagOfWords
from doc2vecc.baselines.bag_of_words import word_counts
from doc2vecc.corpus.encoded import EncodedCorpus
from doc2vecc.corpus.tokenizer import tokenize
from doc2vecc.corpus.vocabulary import Vocabulary
from tests.baselines.material import NEW, SMALL, TEXTS
from tests.test_estimator import planted_topics

THREE = ["b a b c b", "a", "c c"]  # b 3, c 3, a 2: the columns are b, c, a


def bags(weighting, texts=THREE, **changes):
    return BagOfWords(weighting, min_count=1, workers=1, **changes).fit(texts)


def test_worked_by_hand():
    assert bags("counts").get_feature_names_out().tolist() == ["b", "c", "a"]
    assert bags("counts").transform(THREE).toarray().tolist() == [[3, 1, 1], [0, 0, 1], [0, 2, 0]]
    assert bags("binary").transform(THREE).toarray().tolist() == [[1, 1, 1], [0, 0, 1], [0, 1, 0]]
    # ln((1 + 3 documents) / (1 + documents with the word)) + 1; b is in one, c and a are in two.
    rare, common = np.log(4 / 2) + 1, np.log(4 / 3) + 1
    row = np.array([3 * rare, common, common])
    tfidf = bags("tfidf").transform(THREE).toarray()
    np.testing.assert_allclose(tfidf[0], row / np.linalg.norm(row), rtol=1e-6)
    assert tfidf[1:].tolist() == [[0, 0, 1], [0, 1, 0]]


def test_documents_are_counted_in_fit_not_in_transform():
    model = bags("tfidf")
    np.testing.assert_array_equal(model.transform(THREE)[[0]].toarray(), model.transform(THREE[:1]).toarray())


@pytest.mark.parametrize(
    ("weighting", "theirs"),
    [
        ("counts", CountVectorizer(analyzer=tokenize)),
        ("binary", CountVectorizer(analyzer=tokenize, binary=True)),
        ("tfidf", TfidfVectorizer(analyzer=tokenize)),
    ],
)
def test_equals_scikit_learn(weighting, theirs):
    texts, _ = planted_topics(documents=200)
    ours = bags(weighting, texts)
    wanted = theirs.fit(texts).transform(texts[:50] + NEW)
    columns = [theirs.vocabulary_[word] for word in ours.vocabulary_]
    assert len(columns) == wanted.shape[1]
    with pytest.warns(match="3 of 53 documents"):
        rows = ours.transform(texts[:50] + NEW)
    np.testing.assert_allclose(rows.toarray(), wanted.toarray()[:, columns], rtol=1e-6)
    np.testing.assert_allclose(ours.tfidf_.idf_, TfidfVectorizer(analyzer=tokenize).fit(texts).idf_[columns])


def test_ngrams_equal_scikit_learn():
    texts, _ = planted_topics(documents=200)
    ours = bags("tfidf", texts, ngram_range=(1, 2), ngram_min_count=1)
    theirs = TfidfVectorizer(tokenizer=tokenize, token_pattern=None, ngram_range=(1, 2)).fit(texts)
    assert set(ours.get_feature_names_out()) == set(theirs.get_feature_names_out())
    assert any(" " in ngram for ngram in ours.vocabulary_)
    columns = [theirs.vocabulary_[ngram] for ngram in ours.vocabulary_]
    wanted = theirs.transform(texts[:50]).toarray()[:, columns]
    np.testing.assert_allclose(ours.transform(texts[:50]).toarray(), wanted, rtol=1e-5)


def test_rare_ngrams_have_no_column():
    model = bags("counts", ["a b", "a b", "b c"], ngram_range=(1, 2), ngram_min_count=2)
    assert model.get_feature_names_out().tolist() == ["b", "a", "c", "a b"]
    assert model.transform(["a b c a b"]).toarray().tolist() == [[2, 2, 1, 2]]


def test_a_weighting_can_be_changed_after_fit():
    model = bags("binary")
    for weighting in ("counts", "tfidf", "binary"):
        changed = model.set_params(weighting=weighting).transform(THREE).toarray()
        np.testing.assert_array_equal(changed, bags(weighting).transform(THREE).toarray())


def test_counts_of_a_corpus_leave_the_corpus_alone():
    corpus = EncodedCorpus.of([[2, 0, 2], [], [1]], Vocabulary.from_words(["a", "b", "c"], [1, 1, 2]))
    counts = word_counts(corpus)
    assert counts.toarray().tolist() == [[1, 0, 2], [0, 0, 0], [0, 1, 0]]
    assert counts.has_canonical_format
    assert (counts.indices.dtype, counts.indptr.dtype) == (np.int32, np.int32)
    assert np.asarray(corpus.ids).tolist() == [2, 0, 2, 1]
    assert corpus.offsets.tolist() == [0, 3, 3, 4]


def test_several_workers_and_batches_count_the_same():
    texts = TEXTS * 2_000
    one, two = (clone(SMALL["tfidf bag"]).set_params(workers=workers).fit(texts) for workers in (1, 2))
    assert one.vocabulary_ == two.vocabulary_
    assert (abs(one.transform(texts) - two.transform(texts))).max() == 0


@pytest.mark.parametrize("weighting", ["binary", "counts", "tfidf"])
def test_planted_topics_are_told_apart(weighting):
    texts, topics = planted_topics()
    rows = bags(weighting, texts).transform(texts)
    # LinearSVC is among those that refuse 64-bit indices.
    classifier = LinearSVC(dual=False).fit(rows[:400], topics[:400])
    assert classifier.score(rows[400:], topics[400:]) >= 0.95
