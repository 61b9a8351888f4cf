"""What the settings do to the vectors: IMDB classification and word similarity, for the documentation's tables.

    python -m benchmarks.quality "alpha=0.1" "alpha=0.1 document_only=0.5" --seeds 3 --epochs 20

prints one line per setting: error of a linear SVM on the 25,000 test reviews (vectors learned from all 100,000),
mean and standard deviation over the seeds; error in cross-validation on the 25,000 training reviews, by which
defaults should be chosen;
rank correlation of word similarities with three human ratings; seconds of training. Reads the
folder named by DOC2VECC_DATA.
"""

from __future__ import annotations

import argparse
import json
import os
from dataclasses import asdict
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt
import pyarrow.parquet as pq
from sklearn.model_selection import StratifiedKFold

from doc2vecc.config import TrainingConfig
from doc2vecc.corpus.encoded import EncodedCorpus, encode
from doc2vecc.corpus.sources import read_files
from doc2vecc.evaluation.classification import linear_probe
from doc2vecc.evaluation.word_similarity import read_ratings, word_similarity
from doc2vecc.model import Model
from doc2vecc.training.trainer import train

MIN_COUNT = 10
RATINGS = ("WS-353-ALL", "SIMLEX-999", "MEN-TR-3k")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("settings", nargs="*", default=[""], help='e.g. "alpha=0.1 document_only=0.5"')
    parser.add_argument("--epochs", type=int, default=20)
    parser.add_argument("--seeds", type=int, default=1)
    parser.add_argument("--workers", type=int, default=2)
    arguments = parser.parse_args()
    data = Path(os.environ["DOC2VECC_DATA"])
    reviews = data / "imdb.parquet"
    corpus = encode(read_files([reviews], text_column="text").texts(), min_count=MIN_COUNT, workers=2)
    columns = pq.read_table(reviews, columns=["split", "label"])
    split, label = np.array(columns["split"].to_pylist()), columns["label"].to_numpy()
    for words in arguments.settings:
        changes = {name: json.loads(value) for name, value in (word.split("=") for word in words.split())}
        results = []
        for seed in range(arguments.seeds):
            fixed = {"epochs": arguments.epochs, "min_count": MIN_COUNT, "workers": arguments.workers, "seed": seed}
            config = TrainingConfig(**{**fixed, **changes})
            results.append(measured(train(corpus, config), corpus, split, label, data))
        print(json.dumps({"settings": words, **summary(results), "config": asdict(config)}), flush=True)


def measured(
    model: Model, corpus: EncodedCorpus, split: npt.NDArray[Any], label: npt.NDArray[Any], data: Path
) -> dict[str, float]:
    """All figures of one model."""
    vectors = model.embed_corpus(corpus)
    is_train, is_test = split == "train", split == "test"
    known, classes = vectors[is_train], label[is_train]
    folds = StratifiedKFold(5).split(known, classes)
    validation = [linear_probe(known[fit], classes[fit], known[rest], classes[rest]).error for fit, rest in folds]
    test = linear_probe(known, classes, vectors[is_test], label[is_test]).error
    figures = {"test_error": 100 * test, "validation_error": 100 * float(np.mean(validation))}
    for name in RATINGS:
        ratings = read_ratings(data / "wordsim" / f"EN-{name}.txt")
        found = word_similarity(model.vocabulary.words, model.word_vectors, ratings)
        figures[name] = 100 * found.spearman
    history = model.record.history
    return {**figures, "loss": history[-1].loss, "seconds": sum(epoch.seconds for epoch in history)}


def summary(results: list[dict[str, float]]) -> dict[str, Any]:
    """Mean of every figure, and the spread of the errors."""
    means: dict[str, Any] = {name: round(float(np.mean([r[name] for r in results])), 2) for name in results[0]}
    errors = [result["test_error"] for result in results]
    return {**means, "test_spread": round(float(np.std(errors)), 2), "seeds": len(results)}


if __name__ == "__main__":
    main()
