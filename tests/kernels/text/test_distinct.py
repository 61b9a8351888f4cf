import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from doc2vecc.kernels.text.distinct import drop_repeated

documents_of_ids = st.lists(st.lists(st.integers(0, 6), max_size=12), max_size=8)


@pytest.mark.parametrize("run", [drop_repeated, getattr(drop_repeated, "py_func", drop_repeated)])
@settings(deadline=None)  # the first example may wait for the compiler
@given(documents=documents_of_ids)
def test_first_occurrences_stay_in_their_order(run, documents):
    ids = np.array([one for document in documents for one in document], np.int32)
    lengths = np.array([len(document) for document in documents], np.int64)
    n_left = run(ids, lengths, np.zeros(7, np.int32))
    expected = [list(dict.fromkeys(document)) for document in documents]
    assert ids[:n_left].tolist() == [one for document in expected for one in document]
    assert lengths.tolist() == [len(document) for document in expected]
