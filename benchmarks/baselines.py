"""What the settings of a baseline do to its documents: the error on documents that nothing was learned from.

    python -m benchmarks.baselines Word2Vec "" "alpha=0.1" --seeds 3
    python -m benchmarks.baselines "Paragraph Vectors, DM" "" "document_only=0.9 alpha=0.025 sample=0"

prints one line per setting, beside those of `doc2vecc paper`, and way to weight words: the error of a linear SVM
on a fifth of the training documents, which are left out of the learning, others with each seed; mean and standard
deviation over the seeds. Vectors are learned from the other training documents and the unlabeled ones. The test
part is not looked at. `python -m benchmarks.quality --table FILE` shows such lines as a table. Reads imdb.parquet,
or another file with columns split, label and text, in the folder named by DOC2VECC_DATA.
"""

from __future__ import annotations

import argparse
import json
import os
from pathlib import Path
from typing import Any

import pyarrow.parquet as pq

from benchmarks.quality import LabeledTexts, changes_of, summary
from doc2vecc.evaluation import linear_probe
from doc2vecc_paper.methods import BAG, DENOISING, MEMORY, NEIGHBORS, PAIRS, Method

METHODS = {method.name: method for method in (NEIGHBORS, PAIRS, DENOISING, MEMORY, BAG)}
LEARN_FROM = {"train", "unlabeled"}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("method", choices=METHODS)
    parser.add_argument("settings", nargs="*", default=[""], help='e.g. "alpha=0.1 window=5"')
    parser.add_argument("--texts", default="imdb", help="name of the parquet file")
    parser.add_argument("--seeds", type=int, default=1)
    parser.add_argument("--workers", type=int, default=1)
    arguments = parser.parse_args()
    path = Path(os.environ["DOC2VECC_DATA"]) / f"{arguments.texts}.parquet"
    parts = pq.read_table(path, columns=["split", "label", "text"])
    for words in arguments.settings:
        method = METHODS[arguments.method].changed(workers=arguments.workers, **changes_of(words))
        found: dict[str, list[dict[str, float]]] = {way: [] for way in method.ways}
        for seed in range(arguments.seeds):
            texts = LabeledTexts.of(parts, LEARN_FROM, hold_out=seed)
            for way, error in errors(method, texts, seed).items():
                found[way].append({"unseen_error": 100 * error})
        for way, results in found.items():
            line = {
                "texts": arguments.texts,
                "settings": " ".join([method.name, way, words]).strip(),
                "learn_from": sorted(LEARN_FROM),
                **summary(results),
                "config": method.all_settings(),
            }
            print(json.dumps(line), flush=True)


def errors(method: Method, texts: LabeledTexts, seed: int) -> dict[str, float]:
    """Learn, and return the error on the documents that were held out, in each way to weight words."""
    estimator: Any = method.build(seed).fit(text for batch in texts.learned for text in batch.to_pylist())
    found = {}
    for way in method.ways:
        if len(method.ways) > 1:
            estimator.set_params(weighting=way)
        train, test = (estimator.transform(texts.texts[part]) for part in ("train", "test"))
        found[way] = linear_probe(train, texts.labels["train"], test, texts.labels["test"]).error
    return found


if __name__ == "__main__":
    main()
