"""Vectors and tf-idf on the same documents: the same split, the same probe."""

import math
import warnings
from contextlib import suppress
from dataclasses import dataclass
from typing import Any

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
        for classes, where in (
            (train_classes - test_classes, "training split only, and not evaluated on"),
            (test_classes - train_classes, "test split only, always an error"),
        ):
            if classes:
                number = "1 class is" if len(classes) == 1 else f"{len(classes):,} classes are"
                named = [str(label) for label in sorted(classes)[:_NAMED_CLASSES]]
                more = ["..."] if len(classes) > _NAMED_CLASSES else []
                messages.append(f"{number} in the {where}: {', '.join(named + more)}")
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
            "vectors": _as_json(self.vectors),
            "tfidf": None if self.tfidf is None else _as_json(self.tfidf),
            "train_rows": rows[train].tolist(),
            "test_rows": rows[test].tolist(),
            "test_labels": self.documents.labels[test].tolist(),
        }


def compare_with_tfidf(
    vectors: Matrix, documents: LabeledDocuments, split: Split, *, seed: int = 0, workers: int = 1
) -> TfidfComparison:
    """Run the probe on the vectors of the documents, and on tf-idf vectors of their texts."""
    train_labels, test_labels = (documents.labels[rows] for rows in split)
    probed = linear_probe(vectors[split.train], train_labels, vectors[split.test], test_labels, seed=seed)
    bags = BagOfWords("tfidf", min_count=TFIDF_MIN_COUNT, workers=workers)
    train_texts, test_texts = (documents.texts.take(rows) for rows in split)
    tfidf = None
    with warnings.catch_warnings(), suppress(EmptyVocabularyError):
        # Warnings about documents without known words are about tf-idf here, not about the vectors.
        warnings.simplefilter("ignore", CorpusWarning)
        train_bags, test_bags = bags.fit_transform(train_texts), bags.transform(test_texts)
        tfidf = linear_probe(train_bags, train_labels, test_bags, test_labels, seed=seed)
    return TfidfComparison(probed, tfidf, majority_error(train_labels, test_labels), documents, split)


def _as_json(result: ProbeResult) -> dict[str, Any]:
    return {
        "dimensions": result.dimensions,
        "error": result.error,
        "macro_f1": result.macro_f1,
        "f1": [None if math.isnan(one) else one for one in result.f1.tolist()],
        "c": result.c,
        "validation_errors": [{"c": c, "error": error} for c, error in result.validation_errors.items()],
        "unconverged": list(result.unconverged),
        "confusion": result.confusion.tolist(),
        "predictions": result.predictions.tolist(),
    }
