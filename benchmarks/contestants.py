"""The same work done by doc2vecc and by its peers. Each function prepares, then returns what is timed."""

from __future__ import annotations

import os
import time
from collections.abc import Callable
from typing import Any

import numpy as np

from benchmarks.material import Material
from doc2vecc.config import TrainingConfig
from doc2vecc.corpus.encoded import EncodedCorpus
from doc2vecc.corpus.encoding import encode
from doc2vecc.model import Model
from doc2vecc.training.trainer import train

DIM = 100
WINDOW = 10
NEGATIVE = 5
MIN_COUNT = 10

Timed = Callable[[], float]  # does the work once -> seconds


def stopwatch(work: Callable[[], Any]) -> Timed:
    """Time a function that does nothing but the work."""

    def timed() -> float:
        started = time.perf_counter()
        work()
        return time.perf_counter() - started

    return timed


def config(workers: int, **changes: Any) -> TrainingConfig:  # noqa: ANN401
    """The common settings, one epoch."""
    common = {"vector_size": DIM, "window": WINDOW, "negative": NEGATIVE, "epochs": 1, "workers": workers}
    return TrainingConfig(**{**common, **changes})


def encoded(material: Material, workers: int = 2) -> EncodedCorpus:
    """Count and encode the raw texts."""
    return encode(in_batches(material), min_count=MIN_COUNT, workers=workers)


def in_batches(material: Material) -> list[Any]:
    """Cut the raw texts into batches, as reading a file does."""
    texts = material.arrow
    return [texts.slice(start, 1024) for start in range(0, len(texts), 1024)]


def doc2vecc_training(corpus: EncodedCorpus, workers: int) -> Timed:
    """One epoch of our training, by its own clock."""

    def timed() -> float:
        return train(corpus, config(workers)).model.record.history[0].seconds

    return timed


def gensim_training(material: Material, workers: int, *, distributed_memory: bool) -> Timed:
    """One epoch of gensim's Paragraph Vectors, from a file, with the vocabulary built before."""
    from gensim.models.doc2vec import Doc2Vec

    model = Doc2Vec(
        dm=int(distributed_memory), dm_mean=1, vector_size=DIM, window=WINDOW, negative=NEGATIVE,
        min_count=MIN_COUNT, sample=0, workers=workers, epochs=1,
    )  # fmt: skip
    model.build_vocab(corpus_file=str(material.tokens_file))

    def work() -> None:
        model.train(
            corpus_file=str(material.tokens_file), total_examples=model.corpus_count,
            total_words=model.corpus_total_words, epochs=1,
        )  # fmt: skip

    return stopwatch(work)


def fasttext_training(material: Material, workers: int) -> Timed:
    """One epoch of fastText's CBOW without subwords, less the time of counting words."""
    import fasttext

    def seconds(epochs: int) -> float:
        started = time.perf_counter()
        fasttext.train_unsupervised(
            str(material.tokens_file), model="cbow", dim=DIM, ws=WINDOW, neg=NEGATIVE, minCount=MIN_COUNT,
            epoch=epochs, minn=0, maxn=0, wordNgrams=1, t=1.0, thread=workers, verbose=0,
        )  # fmt: skip
        return time.perf_counter() - started

    counting = min(seconds(0) for _ in range(3))
    return lambda: seconds(1) - counting


def doc2vecc_embedding(model: Model, material: Material) -> Timed:
    """Raw texts to vectors, one thread."""
    texts = material.arrow
    model.embed(texts.slice(0, 1))  # compiles, and makes the word table
    return stopwatch(lambda: model.embed(texts, workers=1))


def model2vec_embedding(model: Model, material: Material) -> Timed:
    """model2vec with our vectors and a tokenizer of the same words."""
    os.environ["TOKENIZERS_PARALLELISM"] = "false"
    from model2vec import StaticModel
    from tokenizers import Tokenizer, models, normalizers, pre_tokenizers

    words = {"[UNK]": 0, **{word: number + 1 for number, word in enumerate(model.vocabulary.words)}}
    tokenizer = Tokenizer(models.WordLevel(words, unk_token="[UNK]"))
    tokenizer.normalizer = normalizers.Sequence([normalizers.Replace("<br />", " "), normalizers.Lowercase()])
    bits = [pre_tokenizers.Split(mark, "isolated") for mark in '.,()!?;:"']
    tokenizer.pre_tokenizer = pre_tokenizers.Sequence([pre_tokenizers.WhitespaceSplit(), *bits])
    vectors = np.vstack([np.zeros((1, model.dim), np.float32), model.word_vectors])
    static = StaticModel(vectors, tokenizer)
    return stopwatch(lambda: static.encode(material.texts, max_length=None, use_multiprocessing=False))


def sklearn_embedding(material: Material) -> Timed:
    """TF-IDF and truncated SVD, fitted before."""
    from sklearn.decomposition import TruncatedSVD
    from sklearn.feature_extraction.text import TfidfVectorizer
    from sklearn.pipeline import make_pipeline

    pipeline = make_pipeline(TfidfVectorizer(min_df=MIN_COUNT), TruncatedSVD(DIM, n_iter=2)).fit(material.texts)
    return stopwatch(lambda: pipeline.transform(material.texts))


def gensim_inference(material: Material, documents: int) -> Timed:
    """gensim's infer_vector with 20 epochs, from tokens; PV-DM."""
    from gensim.models.doc2vec import Doc2Vec

    model = Doc2Vec(dm=1, vector_size=DIM, window=WINDOW, negative=NEGATIVE, min_count=MIN_COUNT, sample=0, epochs=1)
    model.build_vocab(corpus_file=str(material.tokens_file))
    tokens = material.token_lists(documents)
    return stopwatch(lambda: [model.infer_vector(document, epochs=20) for document in tokens])


def doc2vecc_encoding(material: Material, workers: int) -> Timed:
    """Raw texts to vocabulary and encoded corpus."""
    batches = in_batches(material)
    encode(in_batches(material)[:1], workers=workers)  # compiles
    return stopwatch(lambda: encode(batches, min_count=MIN_COUNT, workers=workers))


def gensim_vocabulary(material: Material, workers: int) -> Timed:
    """gensim's counting pass alone, over a file that is already tokenized."""
    from gensim.models.doc2vec import Doc2Vec

    def work() -> None:
        Doc2Vec(vector_size=1, min_count=MIN_COUNT, workers=workers).build_vocab(corpus_file=str(material.tokens_file))

    return stopwatch(work)
