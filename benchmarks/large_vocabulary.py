"""Words per CPU second of training with many words, and a digest of the vectors.

    python -m benchmarks.large_vocabulary 1000000 --tokens 1200000 --epochs 2
    NUMPY_MADVISE_HUGEPAGE=0 python -m benchmarks.large_vocabulary 1000000     without huge pages

The counts of the words follow Zipf's law down to 5, as in a corpus of some hundred million tokens, of which this trains
on a sample. Compare versions by processes in turn. The best window of nearly an epoch counts, in CPU time of all
threads, times the workers: other programs still take caches and memory bandwidth.
"""

import argparse
import hashlib
import json
import time

import numpy as np

from doc2vecc.config import TrainingConfig
from doc2vecc.console import ProgressListener
from doc2vecc.corpus.encoded import EncodedCorpus, EncodingReport
from doc2vecc.corpus.vocabulary import Vocabulary
from doc2vecc.training.trainer import Training

LENGTH, LEAST, WINDOW = 250, 5, 0.9


class Watch(ProgressListener):
    """Notes the CPU time of the process at every look at the training."""

    def __init__(self) -> None:
        self.seen: list[tuple[float, float]] = []

    def training(self, share: float, *_: object) -> None:
        """This share of the training is done."""
        self.seen.append((share, time.process_time()))


def corpus_of(words: int, tokens: int) -> EncodedCorpus:
    """Draw documents from a Zipf distribution."""
    counts = np.maximum(LEAST, LEAST * (words + 3) // (np.arange(words) + 3)).astype(np.int64)
    cumulated, documents = np.cumsum(counts / counts.sum()), tokens // LENGTH
    drawn = np.random.default_rng(0).random(documents * LENGTH)
    ids = np.searchsorted(cumulated, drawn).astype(np.int32).clip(max=words - 1)
    names = np.frombuffer("".join(f"w{number:07d}" for number in range(words)).encode(), np.uint8)
    vocabulary = Vocabulary(names, np.arange(words + 1, dtype=np.int64) * 8, counts)
    offsets = np.arange(documents + 1, dtype=np.int64) * LENGTH
    return EncodedCorpus(ids, offsets, vocabulary, EncodingReport(documents, 0, len(ids), len(ids), words))


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("words", type=int)
    parser.add_argument("--tokens", type=int, default=1_200_000)
    parser.add_argument("--epochs", type=int, default=2)
    parser.add_argument("--vector-size", type=int, default=100)
    parser.add_argument("--workers", type=int, default=1)
    options = parser.parse_args()
    corpus, watch = corpus_of(options.words, options.tokens), Watch()
    config = TrainingConfig(
        vector_size=options.vector_size, epochs=options.epochs, init="random", workers=options.workers
    )
    training = Training(corpus, config)
    training.run(watch)
    shares, seconds = np.array(watch.seen).T
    ends = np.searchsorted(shares, shares + WINDOW / options.epochs)
    inside = ends < len(shares)
    rates = (shares[ends[inside]] - shares[inside]) / (seconds[ends[inside]] - seconds[inside])
    best = float(rates.max(initial=0)) * len(corpus.ids) * options.epochs * options.workers
    digest = hashlib.blake2b(training.inputs.data, digest_size=8).hexdigest()
    print(json.dumps({"million words per CPU second": round(best / 1e6, 3), "vectors": digest}))


if __name__ == "__main__":
    main()
