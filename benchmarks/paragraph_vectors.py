"""Paragraph Vectors, ours and gensim's: speed and error on the same movie reviews, with the same number of epochs.

    python -m benchmarks.paragraph_vectors --documents 25000 --epochs 10

trains on labeled training reviews of IMDB (in the folder named by DOC2VECC_DATA; the test split is not read) and
prints for PV-DBOW and PV-DM of each program the error of a linear SVM in 5-fold cross-validation on the learned
document vectors, the seconds of training, and thousand words per second. Both get the same tokens, 100 dimensions,
5 negative samples and words that occur ten times.

Learning rate and window are each program's own: ours divides the gradient of PV-DM by the number of words and
documents in the context, gensim's does not, so equal rates are different settings.
"""

from __future__ import annotations

import argparse
import tempfile
import time
from pathlib import Path
from typing import Any

import numpy.typing as npt

from doc2vecc.baselines import ParagraphVectors
from doc2vecc.corpus.tokenizer import tokenize
from doc2vecc_paper.datasets import data_folder, load_imdb
from doc2vecc_paper.measure.documents import cross_validated

COMMON = {"vector_size": 100, "negative": 5, "min_count": 10}
OURS = {"dbow": {"alpha": 0.05}, "dm": {"alpha": 0.1, "window": 2}}
GENSIM = {"dbow": {"alpha": 0.025}, "dm": {"alpha": 0.05, "window": 5}}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--documents", type=int, default=25_000)
    parser.add_argument("--epochs", type=int, default=10)
    parser.add_argument("--workers", type=int, default=2)
    parser.add_argument("--variants", nargs="+", choices=OURS, default=list(OURS))
    arguments = parser.parse_args()
    reviews = load_imdb(data_folder()).only("train").subset(arguments.documents, seed=0)
    texts, labels = reviews.texts.to_pylist(), reviews.label
    print(f"{len(texts):,} reviews, {arguments.epochs} epochs, {arguments.workers} workers")
    print("program   variant  error %  seconds  thousand words/s")
    with tempfile.TemporaryDirectory() as folder:
        tokens_file = Path(folder) / "tokens.txt"
        tokens_file.write_text("".join(" ".join(tokenize(text)) + "\n" for text in texts), "utf-8")
        for variant in arguments.variants:
            run = {**COMMON, "epochs": arguments.epochs, "workers": arguments.workers}
            for program, (vectors, seconds, words) in (
                ("doc2vecc", ours(texts, variant, run)),
                ("gensim", gensims(tokens_file, variant, run)),
            ):
                rate = words / seconds / 1000
                error = 100 * cross_validated(vectors, labels)
                print(f"{program:9} {variant:7} {error:8.2f} {seconds:8.1f} {rate:17.0f}", flush=True)


def ours(texts: list[str], variant: str, run: dict[str, Any]) -> tuple[npt.NDArray[Any], float, int]:
    """Document vectors, seconds of training without reading, and words of all epochs."""
    model = ParagraphVectors(variant=variant, **{**run, **OURS[variant]}, random_state=0).fit(texts)  # type: ignore[arg-type]
    history = model.history_
    return model.document_vectors_, sum(epoch.seconds for epoch in history), sum(epoch.words for epoch in history)


def gensims(tokens_file: Path, variant: str, run: dict[str, Any]) -> tuple[npt.NDArray[Any], float, int]:
    """The same of gensim, from a file, which is its fastest way; no subsampling of frequent words, as in ours."""
    from gensim.models.doc2vec import Doc2Vec

    model = Doc2Vec(dm=int(variant == "dm"), dm_mean=1, sample=0, seed=0, **{**run, **GENSIM[variant]})
    model.build_vocab(corpus_file=str(tokens_file))
    started = time.perf_counter()
    model.train(
        corpus_file=str(tokens_file),
        total_examples=model.corpus_count,
        total_words=model.corpus_total_words,
        epochs=model.epochs,
    )
    seconds = time.perf_counter() - started
    known = sum(model.wv.get_vecattr(word, "count") for word in model.wv.key_to_index)
    return model.dv.vectors, seconds, known * model.epochs


if __name__ == "__main__":
    main()
