"""Vectors and tf-idf on the same documents: the same split, the same probe."""

import math
import warnings
from dataclasses import dataclass
from typing import Any

import numpy as np

from doc2vecc.baselines.bag_of_words import BagOfWords
from doc2vecc.errors import CorpusWarning, EmptyVocabularyError
from doc2vecc.evaluation.checking import Matrix
from doc2vecc.evaluation.classification import ProbeResult, Split, linear_probe, majority_error
from doc2vecc.evaluation.labeled import LabeledDocuments

TFIDF_MIN_COUNT = 2  # a word that occurs once says nothing about another document
_NAMED_CLASSES = 5


@dataclass(frozen=True)
class TfidfComparison:
    """The probe on the vectors and on tf-idf, and the error of the most frequent class.

    ``tfidf`` is None where no word occurs twice in the training texts.
    """

    vectors: ProbeResult
    tfidf: ProbeResult | None
    majority_error: float
    dimensions: int
    tfidf_words: int
    documents: LabeledDocuments
    split: Split

    def messages(self) -> list[str]:
        """Return what a user should know about the documents and the probes, a sentence each."""
        labels, (train, test) = self.documents.labels, self.split
        messages = []
        if self.documents.unlabeled:
            messages.append(f"{self.documents.unlabeled:,} documents without a label were left out")
        if others := len(labels) - len(train) - len(test):
            messages.append(f"{others:,} labeled documents are in neither split and were left out")
        train_classes, test_classes = set(labels[train].tolist()), set(labels[test].tolist())
        if some := train_classes - test_classes:
            messages.append(f"{_classes(some)} in the training split only, and not evaluated on: {_named(some)}")
        if some := test_classes - train_classes:
            messages.append(f"{_classes(some)} in the test split only, always an error: {_named(some)}")
        if self.tfidf is None:
            messages.append(
                f"tf-idf is left out: no word occurs {TFIDF_MIN_COUNT} times in the {len(train):,} training texts"
            )
        for name, result in (("the vectors", self.vectors), ("tf-idf", self.tfidf)):
            if result is not None and result.unconverged:
                at = ", ".join(f"{c:g}" for c in result.unconverged)
                messages.append(f"the SVM on {name} did not converge at C = {at}; its error could be lower")
        return messages

    def as_json(self) -> dict[str, Any]:
        """Return all values as JSON can hold them; rows are those of the input, counted from 0."""
        rows, (train, test) = self.documents.rows, self.split
        return {
            "train_documents": len(train),
            "test_documents": len(test),
            "unlabeled_documents": self.documents.unlabeled,
            "labels": self.vectors.labels.tolist(),
            "majority_error": self.majority_error,
            "vectors": {"dimensions": self.dimensions, **_as_json(self.vectors)},
            "tfidf": None if self.tfidf is None else {"dimensions": self.tfidf_words, **_as_json(self.tfidf)},
            "train_rows": rows[train].tolist(),
            "test_rows": rows[test].tolist(),
            "test_labels": self.documents.labels[test].tolist(),
        }


def compare_with_tfidf(
    vectors: Matrix, documents: LabeledDocuments, split: Split, *, seed: int = 0, workers: int = 1
) -> TfidfComparison:
    """Run the probe on the vectors of the documents, and on tf-idf vectors of their texts."""
    train, test = split
    train_labels, test_labels = documents.labels[train], documents.labels[test]
    probed = linear_probe(vectors[train], train_labels, vectors[test], test_labels, seed=seed)
    bags = _tfidf(documents, split, workers)
    return TfidfComparison(
        vectors=probed,
        tfidf=None if bags is None else linear_probe(bags[0], train_labels, bags[1], test_labels, seed=seed),
        majority_error=majority_error(train_labels, test_labels),
        dimensions=vectors.shape[1],
        tfidf_words=0 if bags is None else bags[0].shape[1],
        documents=documents,
        split=split,
    )


def _tfidf(documents: LabeledDocuments, split: Split, workers: int) -> tuple[Matrix, Matrix] | None:
    """Return the tf-idf vectors of both splits; None if no word occurs often enough in the training texts."""
    bags = BagOfWords("tfidf", min_count=TFIDF_MIN_COUNT, workers=workers)
    train, test = (documents.text_array(rows) for rows in split)
    with warnings.catch_warnings():
        # Warnings about documents without known words are about tf-idf here, not about the vectors.
        warnings.simplefilter("ignore", CorpusWarning)
        try:
            return bags.fit_transform(train), bags.transform(test)
        except EmptyVocabularyError:
            return None


def _as_json(result: ProbeResult) -> dict[str, Any]:
    return {
        "error": result.error,
        "macro_f1": result.macro_f1,
        "f1": [None if math.isnan(one) else one for one in result.f1.tolist()],
        "c": result.c,
        "validation_errors": [{"c": c, "error": error} for c, error in result.validation_errors.items()],
        "unconverged": list(result.unconverged),
        "confusion": result.confusion.tolist(),
        "predictions": result.predictions.tolist(),
    }


def _classes(some: set[Any]) -> str:
    return "1 class is" if len(some) == 1 else f"{len(some):,} classes are"


def _named(some: set[Any]) -> str:
    names = [str(label) for label in np.array(sorted(some))[:_NAMED_CLASSES]]
    return ", ".join(names) + (", ..." if len(some) > _NAMED_CLASSES else "")
