"""A line of advice where measurements (experiments/docs/experiments.md) show that another setting helps."""

import math
from collections.abc import Mapping
from typing import Any

from doc2vecc.config import auto_epochs
from doc2vecc.console import counted

FEW_CLASSES = 5  # opinions have few
MANY_CLASSES = 20
LARGE_VECTORS = 500
FEW_DOCUMENTS = 200  # up to here the vectors are hardly better than tf-idf
MANY_DOCUMENTS = 10_000  # from here on n-grams help with opinions and cost nothing with few labels
FEW_TO_SCORE = 300  # documents: the accuracy on fewer of them varies by more than settings differ
SHORT_TEXT = 50  # tokens: below, halves of a document hardly find each other
LITTLE_ERROR = 0.05  # nothing much to gain


def after_training(settings: Mapping[str, Any], words: int, documents: int) -> str | None:
    """Advise on a model with these settings that was learned from so many words in so many documents.

    >>> after_training({"init": "random", "epochs": 5}, 250_000, 1_000)
    'vectors of 250,000 words that start at random need more epochs; try --init spectral, or --epochs 86'
    """
    if documents < FEW_DOCUMENTS:
        return (
            f"{counted(documents, 'document')} to learn from are few; add more texts of the same kind, labeled or not, "
            "or start from word vectors with --start"
        )
    epochs, enough = settings.get("epochs"), auto_epochs(words)
    if settings.get("init") == "random" and isinstance(epochs, int) and epochs < enough / 2:
        return (
            f"vectors of {words:,} words that start at random need more epochs; try --init spectral, or "
            f"--epochs {enough}"
        )
    return None


def chance_of(documents: int, share: float) -> float:
    """Return by how much the accuracy on this share of so many documents may vary; 0 if there are enough of them.

    >>> round(chance_of(100, 0.3), 2), chance_of(10_000, 0.3)
    (0.18, 0.0)
    """
    scored = round(share * documents)
    return 2 * math.sqrt(0.25 / max(scored, 1)) if scored < FEW_TO_SCORE else 0.0


def before_tuning(documents: int, tokens: int, share: float, *, has_labels: bool) -> str | None:
    """Warn where trials on so many documents, of which this share is scored, tell little about settings.

    >>> before_tuning(100, 2_000, 0.3, has_labels=True)
    'each setting is scored on 30 documents; differences up to 18 points may be chance and do not replace the defaults'
    """
    if has_labels and (chance := chance_of(documents, share)):
        return (
            f"each setting is scored on {counted(round(share * documents), 'document')}; differences up to "
            f"{100 * chance:.0f} points may be chance and do not replace the defaults"
        )
    if not has_labels and tokens < SHORT_TEXT * documents:
        return (
            f"texts of {tokens / max(documents, 1):.0f} tokens are short, and the score without labels does not rank "
            "settings reliably on those; choose by labels with --label-column, or keep the defaults"
        )
    return None


def after_evaluation(vector_size: int, longest_ngram: int, documents: int, classes: int, error: float) -> str | None:
    """Advise on a model of so many documents that tells so many classes apart, with this error.

    >>> after_evaluation(100, 1, documents=5_000, classes=100, error=0.5)
    '100 classes need larger vectors; try doc2vecc train --vector-size 500'
    """
    if error < LITTLE_ERROR:
        return None
    if classes >= MANY_CLASSES and vector_size < LARGE_VECTORS:
        return f"{classes:,} classes need larger vectors; try doc2vecc train --vector-size {LARGE_VECTORS}"
    if classes <= FEW_CLASSES and longest_ngram == 1 and documents >= MANY_DOCUMENTS:
        return "if the classes are opinions, n-grams such as 'not good' help; try doc2vecc train --ngram-range 1 2"
    return None
