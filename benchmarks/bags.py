"""How much n-grams tell that words do not: tf-idf of words, and of words and n-grams of two.

    python -m benchmarks.bags --texts wikipedia100

prints the error of a linear SVM in cross-validation on the training documents, in the folds of benchmarks.quality.
Words and n-grams are those of ten documents, of any split. Reads the folder named by DOC2VECC_DATA.
"""

from __future__ import annotations

import argparse
import json
import os
from pathlib import Path

import numpy as np
import pyarrow.parquet as pq
from sklearn.feature_extraction.text import TfidfVectorizer

from benchmarks.quality import MIN_COUNT, cross_validated
from doc2vecc.corpus.tokenizer import tokenize


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--texts", default="imdb", help="name of the parquet file")
    arguments = parser.parse_args()
    path = Path(os.environ["DOC2VECC_DATA"]) / f"{arguments.texts}.parquet"
    columns = pq.read_table(path, columns=["split", "label", "text"]).to_pydict()
    is_training = np.array(columns["split"]) == "train"
    classes = np.array(columns["label"], dtype=object)[is_training]
    for longest in (1, 2):
        bags = TfidfVectorizer(
            tokenizer=tokenize, lowercase=False, token_pattern=None, ngram_range=(1, longest), min_df=MIN_COUNT
        ).fit_transform(columns["text"])[is_training]
        error = 100 * cross_validated(bags, np.array(classes.tolist()))
        shown = {
            "texts": arguments.texts,
            "ngram_range": [1, longest],
            "features": bags.shape[1],
            "validation_error": round(error, 2),
        }
        print(json.dumps(shown), flush=True)


if __name__ == "__main__":
    main()
