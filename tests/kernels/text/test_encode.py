import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from doc2vecc.corpus.vocabulary import NO_NGRAMS, ngram_index
from doc2vecc.kernels.text.encode import write_features

documents_of_ids = st.lists(st.lists(st.integers(-1, 6), max_size=12), max_size=8)


@pytest.mark.parametrize("run", [write_features, getattr(write_features, "py_func", write_features)])
@pytest.mark.parametrize("once", [False, True])
@settings(deadline=None)  # the first example may wait for the compiler
@given(documents=documents_of_ids)
def test_known_words_stay_in_their_order_all_or_the_first_of_each(run, once, documents):
    ids = np.array([one for document in documents for one in document], np.int32)
    lengths = np.array([len(document) for document in documents], np.int64)
    features, seen = np.empty(len(ids), np.int32), np.zeros(7 if once else 0, np.int32)
    numbers = np.append(np.arange(6, -1, -1), -1).astype(np.int32)
    n_features = run(ids, numbers, lengths, ngram_index(NO_NGRAMS, 7, 1), np.empty(1, np.int32), seen, features)
    known = [[6 - one for one in document if one >= 0] for document in documents]
    expected = [list(dict.fromkeys(document)) for document in known] if once else known
    assert features[:n_features].tolist() == [one for document in expected for one in document]
    assert lengths.tolist() == [len(document) for document in expected]
