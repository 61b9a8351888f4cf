"""Exported models in other programs, compared with our own embedding, one thread: `python -m benchmarks.exports`.

It runs in the environment of `make test-peers` and writes benchmarks/results/exports-<date>.json.
"""

from __future__ import annotations

import argparse
import datetime
import json
import os
import tempfile
from pathlib import Path
from typing import Any

import numpy as np

from benchmarks import contestants, material
from benchmarks.contestants import Timed, stopwatch
from doc2vecc.corpus.encoding import encode
from doc2vecc.corpus.ngrams import NgramRule
from doc2vecc.exports import export
from doc2vecc.model import Model
from doc2vecc.training.trainer import train
from doc2vecc_paper.environment import machine, versions

TOKENS_AT_ONCE = 64  # documents whose tokens are one matrix
PEERS = ["sentence-transformers", "model2vec", "onnxruntime", "tokenizers", "torch"]


def learned(texts: material.Material, longest: int) -> Model:
    rule = NgramRule(longest, 10) if longest > 1 else None
    corpus = encode(contestants.in_batches(texts), min_count=contestants.MIN_COUNT, workers=2, ngrams=rule)
    return train(corpus, contestants.config(2, init="random", ngram_range=(1, longest))).model


def sentence_transformers(model: Model, texts: material.Material, folder: Path) -> Timed:
    import torch
    from sentence_transformers import SentenceTransformer

    torch.set_num_threads(1)
    export(model, folder, "sentence-transformers")
    loaded = SentenceTransformer(str(folder), device="cpu", trust_remote_code=True)
    check(model, texts, loaded.encode)
    return stopwatch(lambda: loaded.encode(texts.texts))


def model2vec(model: Model, texts: material.Material, folder: Path) -> Timed:
    from model2vec import StaticModel

    export(model, folder, "model2vec")
    loaded = StaticModel.from_pretrained(folder)
    check(model, texts, loaded.encode)
    return stopwatch(lambda: loaded.encode(texts.texts, use_multiprocessing=False))


def onnxruntime(model: Model, texts: material.Material, file: Path) -> Timed:
    import onnxruntime as runtime

    export(model, file, "onnx")
    options = runtime.SessionOptions()
    options.intra_op_num_threads = 1
    session = runtime.InferenceSession(str(file), options)

    def run(documents: list[str]) -> Any:  # noqa: ANN401
        parts = []
        for start in range(0, len(documents), TOKENS_AT_ONCE):
            tokens = [model.tokenize(text) for text in documents[start : start + TOKENS_AT_ONCE]]
            width = max(map(len, tokens))
            filled = [document + [""] * (width - len(document)) for document in tokens]
            parts += session.run(["vectors"], {"tokens": np.array(filled, object)})
        return np.concatenate(parts)

    check(model, texts, run)
    return stopwatch(lambda: run(texts.texts))


def check(model: Model, texts: material.Material, encode_texts: Any) -> None:  # noqa: ANN401
    """Fail unless the vectors are ours: programs with other results do other work."""
    ours = model.embed(texts.arrow.slice(0, 500)).vectors
    np.testing.assert_allclose(encode_texts(texts.texts[:500]), ours, rtol=0, atol=1e-5)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--documents", type=int, default=5_000)
    parser.add_argument("--rounds", type=int, default=5)
    options = parser.parse_args()
    os.environ["TOKENIZERS_PARALLELISM"] = "false"
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        texts = material.load(folder, options.documents)
        words, ngrams = learned(texts, 1), learned(texts, 2)
        timed = {
            "words: doc2vecc": contestants.doc2vecc_embedding(words, texts),
            "words: sentence-transformers": sentence_transformers(words, texts, folder / "words"),
            "words: model2vec": model2vec(words, texts, folder / "words-model2vec"),
            "words: onnxruntime, tokens by Python": onnxruntime(words, texts, folder / "words.onnx"),
            "n-grams: doc2vecc": contestants.doc2vecc_embedding(ngrams, texts),
            "n-grams: sentence-transformers, our module": sentence_transformers(ngrams, texts, folder / "ngrams"),
            "n-grams: onnxruntime, tokens by Python": onnxruntime(ngrams, texts, folder / "ngrams.onnx"),
        }
        rates: dict[str, list[float]] = {name: [] for name in timed}
        for _ in range(options.rounds):
            for name, run in timed.items():
                rates[name].append(options.documents / run())
    for name, values in rates.items():
        print(f"{name:45} {max(values):10,.0f} documents/s")
    today = datetime.datetime.now(tz=datetime.UTC).date()
    result = {
        "machine": machine(),
        "versions": versions() | peer_versions(),
        "data": f"{options.documents:,} documents of {texts.name}",
        "rounds": options.rounds,
        "documents per second": rates,
    }
    target = Path(__file__).parent / "results" / f"exports-{today}.json"
    target.write_text(json.dumps(result, indent=2) + "\n", "utf-8")


def peer_versions() -> dict[str, str]:
    from importlib.metadata import version

    return {name: version(name) for name in PEERS}


if __name__ == "__main__":
    main()
