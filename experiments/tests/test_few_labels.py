"""The error by the number of labeled documents: which documents are drawn, and how the error is measured."""

import numpy as np

from doc2vecc_paper.datasets.texts import stratified_rows
from doc2vecc_paper.experiments.few_labels import draws, probe


def test_draws_are_the_same_from_all_documents_and_from_the_pool():
    labels = np.random.default_rng(0).integers(0, 5, 300)
    pool = stratified_rows(labels, 100, seed=0)
    of_all, of_pool = draws(labels, 20, 3, 100), draws(labels[pool], 20, 3, 100)
    assert [rows.tolist() for rows in of_all] == [pool[rows].tolist() for rows in of_pool]
    assert len({tuple(rows) for rows in of_all}) == 3


def test_one_document_of_each_class_is_enough_and_no_warning_is_given():
    vectors = np.eye(40, dtype=np.float32)
    labels = np.arange(40)
    assert probe(vectors, labels, vectors + 0.1, labels).error == 0
