"""The search for C stops when it gets worse, and a solver that gives up is noted."""

import warnings

import pytest
from sklearn.exceptions import ConvergenceWarning
from sklearn.linear_model import LogisticRegression

from doc2vecc.evaluation.regularization import GRID, best_c, fitting, losses_by_c


@pytest.mark.parametrize(
    ("losses", "tried", "best"),
    [
        ([5, 4, 3, 2, 1], 5, 10.0),
        ([1, 2, 3, 0, 0], 3, 0.001),
        ([3, 1, 2, 0, 5], 5, 1.0),  # one worse value is not enough
        ([3, 1, 2, 2, 0], 4, 0.01),
        ([1, 1, 1, 1, 1], 5, 0.001),  # a plateau is not worse
    ],
)
def test_the_search_stops_after_two_worse_values(losses, tried, best):
    found = losses_by_c(dict(zip(GRID, losses, strict=True)).__getitem__)
    assert list(found) == list(GRID[:tried])
    assert best_c(found) == best


def test_only_convergence_warnings_are_noted():
    unconverged = []
    with fitting(1.0, unconverged):
        pass
    assert unconverged == []
    with fitting(2.0, unconverged):
        warnings.warn("no", ConvergenceWarning, stacklevel=1)
        warnings.warn("no", ConvergenceWarning, stacklevel=1)
    assert unconverged == [2.0]
    with pytest.raises(UserWarning, match="other"), fitting(3.0, unconverged):
        warnings.warn("other", UserWarning, stacklevel=1)
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        with fitting(3.0, unconverged):
            warnings.warn("other", UserWarning, stacklevel=1)
    assert [str(one.message) for one in caught] == ["other"]
    assert unconverged == [2.0]


def test_few_documents_of_many_classes_are_no_reason_to_warn():
    vectors = [[float(number), 1.0] for number in range(24)]
    unconverged = []
    with fitting(1.0, unconverged):
        LogisticRegression(max_iter=2_000).fit(vectors, range(24))
    assert unconverged == []
