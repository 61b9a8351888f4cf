"""tf-idf vectors equal those of scikit-learn with the same tokens."""

import numpy as np
import pytest
from sklearn.feature_extraction.text import TfidfVectorizer

from doc2vecc.corpus.tokenizer import tokenize
from doc2vecc.evaluation.bag_of_words import tfidf_vectors
from doc2vecc.evaluation.checking import EvaluationError
from tests.cli.commands import sentences


@pytest.mark.parametrize("tokenizer", [None, str.split])
def test_equals_scikit_learn(tokenizer):
    texts = [text.replace(" ", ", ", 1) for _, text in sentences(300)] + ["", "unknown unknown words"]
    train, test = texts[:200], texts[200:]
    reference = TfidfVectorizer(tokenizer=tokenizer or tokenize, token_pattern=None, lowercase=False, min_df=2)
    expected = [reference.fit_transform(train).toarray(), reference.transform(test).toarray()]
    bags = tfidf_vectors(train, test, tokenizer=tokenizer, workers=2)
    for ours, theirs in zip(bags, expected, strict=True):
        assert ours.shape == theirs.shape
        # The columns are in another order: compare what every two documents have in common.
        np.testing.assert_allclose((ours @ ours.T).toarray(), theirs @ theirs.T, atol=1e-5)
        np.testing.assert_allclose(np.sort(ours.toarray(), axis=1), np.sort(theirs, axis=1), atol=1e-6)


def test_words_of_the_test_part_are_not_looked_at():
    bags = tfidf_vectors(["a b", "a c"], ["b b c c d d", "d a"])
    assert bags.train.toarray().tolist() == [[1], [1]]
    assert bags.test.toarray().tolist() == [[0], [1]]


def test_nothing_in_common():
    with pytest.raises(EvaluationError, match="no word is in 2 of the 2 training documents"):
        tfidf_vectors(["a", "b"], ["a b"])
