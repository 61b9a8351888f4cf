"""The linear probe: known answers, the split, what it refuses, both kinds of vectors, and the choice of C."""

import warnings

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import sparse
from sklearn.exceptions import ConvergenceWarning
from sklearn.linear_model import LogisticRegression
from sklearn.svm import LinearSVC

from doc2vecc.errors import EvaluationError, ParameterError
from doc2vecc.evaluation import classification
from doc2vecc.evaluation.classification import C_GRID, choose_c, fitting, linear_probe, logistic_probe, split_labeled

PROBES = [linear_probe, logistic_probe]


def clouds(per_class, *, classes=3, dim=5, seed=0, distance=2.0):
    """Points around a center for every class; the centers are the same for every seed."""
    centers = np.random.default_rng(99).normal(size=(classes, dim)) * distance
    labels = np.tile(np.arange(classes), per_class)
    return centers[labels] + np.random.default_rng(seed).normal(size=(len(labels), dim)), labels


@pytest.mark.parametrize("probe", PROBES)
def test_classes_that_are_far_apart_are_separated(probe):
    train, labels = clouds(40, distance=20)
    test, truth = clouds(20, seed=1, distance=20)
    names = np.array(["red", "green", "blue"])
    result = probe(train, names[labels], test, names[truth])
    assert result.error == 0
    assert result.labels.tolist() == ["blue", "green", "red"]
    assert result.f1.tolist() == [1, 1, 1]
    assert result.macro_f1 == 1
    assert result.confusion.tolist() == np.diag([20, 20, 20]).tolist()
    assert result.predictions.tolist() == names[truth].tolist()
    assert result.unconverged == ()


@pytest.mark.parametrize("probe", PROBES)
def test_scores_by_hand(probe):
    train, labels = clouds(60, distance=0.7)
    test, truth = clouds(50, seed=1, distance=0.7)
    result = probe(train, labels, test, truth)
    assert 0 < result.error < 0.5
    assert result.error == pytest.approx(np.mean(result.predictions != truth))
    pairs = list(zip(truth, result.predictions, strict=True))
    assert result.confusion.tolist() == [[pairs.count((row, column)) for column in range(3)] for row in range(3)]
    both = result.confusion.sum(axis=0) + result.confusion.sum(axis=1)
    np.testing.assert_allclose(result.f1, 2 * result.confusion.diagonal() / both)
    assert result.macro_f1 == pytest.approx(result.f1.mean())


def test_c_is_chosen_on_a_fifth_of_the_training_split_and_the_svm_learns_from_all_of_it():
    train, labels = clouds(30, distance=0.7, dim=20)
    test, truth = clouds(30, seed=1, distance=0.7, dim=20)
    result = linear_probe(train, labels, test, truth, seed=3)
    unit = train / train.std()
    fitting, held_out = split_labeled(labels, test_share=0.2, seed=3)
    for c, error in result.validation_errors.items():
        svm = LinearSVC(C=c, dual=False).fit(unit[fitting], labels[fitting])
        assert error == pytest.approx(1 - svm.score(unit[held_out], labels[held_out]))
    assert result.validation_errors[result.c] == min(result.validation_errors.values())
    svm = LinearSVC(C=result.c, dual=False).fit(unit, labels)
    np.testing.assert_array_equal(result.predictions, svm.predict(test / train.std()))


def test_c_is_chosen_by_cross_validation():
    train, labels = clouds(30, distance=0.7, dim=20)
    test, truth = clouds(30, seed=1, distance=0.7, dim=20)
    splits = classification._validation_splits(labels, 3, seed=5)
    assert np.sort(np.concatenate([split.test for split in splits])).tolist() == list(range(90))
    for split in splits:
        assert np.sort(np.concatenate(split)).tolist() == list(range(90))
        assert np.bincount(labels[split.test]).tolist() == [10, 10, 10]
    result = linear_probe(train, labels, test, truth, seed=5, folds=3)
    unit = train / train.std()
    for c, error in result.validation_errors.items():
        errors = [
            1 - LinearSVC(C=c, dual=False).fit(unit[fitting], labels[fitting]).score(unit[held_out], labels[held_out])
            for fitting, held_out in splits
        ]
        assert error == pytest.approx(np.mean(errors))
    assert min(result.validation_errors) == min(C_GRID) / 10
    assert result.validation_errors[result.c] == min(result.validation_errors.values())
    with pytest.raises(ParameterError, match="folds=0 does not fit"):
        linear_probe(train, labels, test, truth, folds=0)


def test_the_scale_of_dense_vectors_does_not_matter():
    train, labels = clouds(30, distance=0.7)
    test, truth = clouds(30, seed=1, distance=0.7)
    results = [linear_probe(train * scale, labels, test * scale, truth) for scale in (1e-4, 1.0, 1e4)]
    assert len({result.error for result in results}) == 1
    assert len({result.c for result in results}) == 1


def test_sparse_vectors_give_what_dense_ones_give():
    train, labels = clouds(40, distance=0.7)
    test, truth = clouds(40, seed=1, distance=0.7)
    unit = train / train.std(), test / train.std()
    dense = linear_probe(train, labels, test, truth)
    wide = sparse.csr_array(unit[0])
    wide.indices, wide.indptr = wide.indices.astype(np.int64), wide.indptr.astype(np.int64)
    result = linear_probe(wide, labels, sparse.coo_matrix(unit[1]), truth)
    assert result.error == pytest.approx(dense.error, abs=0.01)
    assert result.c == dense.c
    assert linear_probe(wide, labels, sparse.coo_matrix(unit[1]), truth).error == result.error


def test_a_solver_that_does_not_converge_is_reported(monkeypatch):
    monkeypatch.setattr(classification, "MAX_ITERATIONS", 1)
    train, labels = clouds(60, distance=0.7)
    for probe in PROBES:
        result = probe(train, labels, train, labels)
        assert result.unconverged
        assert set(result.unconverged) <= set(result.validation_errors)


def test_a_class_that_is_only_in_one_split():
    train, labels = [[-9.0], [-8.0], [8.0], [9.0], [100.0]], ["a", "a", "b", "b", "once"]
    result = linear_probe(train, labels, [[-9.0], [9.0], [0.0]], ["a", "b", "new"])
    assert result.labels.tolist() == ["a", "b", "new", "once"]
    assert result.error == pytest.approx(1 / 3)
    assert result.f1[2] == 0
    assert np.isnan(result.f1[3])
    assert result.confusion.sum(axis=1).tolist() == [1, 1, 1, 0]


def test_vectors_that_say_nothing():
    train, labels = np.zeros((40, 3)), np.tile([0, 1, 1, 1], 10)
    assert linear_probe(train, labels, train, labels).error == 0.25


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"train_labels": ["a"] * 4}, "the training split has the single class 'a'; there must be at least two"),
        ({"train_labels": ["a", "b"]}, r"train_vectors of shape \(4, 2\) do not fit; there must be 2 rows"),
        ({"test_vectors": [[1.0, 2.0, 3.0]]}, "train_vectors have 2 dimensions and test_vectors 3"),
        ({"test_vectors": [[np.nan, 1.0]]}, "test_vectors hold values that are not finite"),
        ({"test_vectors": [["x", "y"]]}, "test_vectors hold <U1; they must be numbers"),
        ({"test_labels": [1]}, "train_labels are <U1 and test_labels int64; use the same type in both"),
        ({"test_labels": []}, r"test_labels of shape \(0,\) do not fit"),
        ({"train_labels": ["a", "b", "c", "d"]}, "none of 4 labeled documents shares its class with another"),
    ],
)
def test_what_cannot_be_probed(change, message):
    arguments = {
        "train_vectors": [[0.0, 1.0], [0.0, 2.0], [3.0, 1.0], [2.0, 1.0]],
        "train_labels": ["a", "a", "b", "b"],
        "test_vectors": [[1.0, 1.0]],
        "test_labels": ["a"],
    }
    with pytest.raises(EvaluationError, match=message):
        linear_probe(**(arguments | change))


@given(st.lists(st.integers(0, 4), min_size=2, max_size=80), st.floats(0.01, 0.99), st.integers(0, 9))
def test_every_class_is_in_both_splits(labels, share, seed):
    counts = np.bincount(labels)
    if counts.max() < 2:
        with pytest.raises(EvaluationError, match="at least one class needs two documents"):
            split_labeled(labels, test_share=share, seed=seed)
        return
    train, test = split_labeled(labels, test_share=share, seed=seed)
    assert sorted([*train, *test]) == list(range(len(labels)))
    tested = np.bincount(np.array(labels)[test], minlength=len(counts))
    for count, n_tested in zip(counts, tested, strict=True):
        if count < 2:
            assert n_tested == 0
        else:
            assert 1 <= n_tested <= count - 1
            assert abs(n_tested - share * count) <= 1
    again = split_labeled(labels, test_share=share, seed=seed)
    assert again.test.tolist() == test.tolist()


def test_seeds_give_different_splits():
    labels = [0, 1] * 50
    assert split_labeled(labels, seed=0).test.tolist() != split_labeled(labels, seed=1).test.tolist()
    with pytest.raises(ValueError, match="test_share=1 does not fit"):
        split_labeled(labels, test_share=1)


# ---- the choice of C


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
    c, found = choose_c(dict(zip(C_GRID, losses, strict=True)).__getitem__)
    assert list(found) == list(C_GRID[:tried])
    assert c == best


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
