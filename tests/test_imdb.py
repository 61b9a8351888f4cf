"""The Large Movie Review Dataset (Maas et al. 2011): the words of real reviews, and whether they are learned from.

Needs ``imdb.parquet`` (columns split, label, text) in the folder that DOC2VECC_DATA names.
"""

import os
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.parquet
import pytest
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.svm import LinearSVC

from doc2vecc.config import TrainingConfig
from doc2vecc.corpus.encoding import encode
from doc2vecc.corpus.sources import read_texts
from doc2vecc.corpus.tokenizer import tokenize
from doc2vecc.estimator import Doc2VecC
from doc2vecc.model import Model
from doc2vecc.training.tables import first_tables

FOLDER = os.environ.get("DOC2VECC_DATA")
pytestmark = [
    pytest.mark.slow,
    pytest.mark.skipif(not FOLDER, reason="DOC2VECC_DATA, the folder with imdb.parquet, is not set"),
    pytest.mark.skipif(
        bool(FOLDER) and not Path(FOLDER, "imdb.parquet").is_file(),
        reason=f"the folder that DOC2VECC_DATA names, {FOLDER}, has no imdb.parquet",
    ),
]


@pytest.fixture(scope="module")
def reviews():
    return pa.parquet.read_table(Path(FOLDER, "imdb.parquet"), columns=["split", "label", "text"])


@pytest.fixture(scope="module")
def labeled(reviews):
    """(texts, labels) of the 25,000 reviews to learn from and the 25,000 to be asked about."""
    parts = [reviews.filter(pc.equal(reviews["split"], split)) for split in ("train", "test")]
    assert [len(part) for part in parts] == [25_000, 25_000]
    return [(part["text"], part["label"].to_numpy()) for part in parts]


def test_the_vocabulary_has_the_size_of_the_papers(reviews):
    """The paper has 43,375 words; its tokenization, applied to these files, 43,362."""
    corpus = encode(read_texts(reviews["text"]).texts(), min_count=10, workers=2)
    assert corpus.report.documents == 100_000
    assert corpus.report.empty_documents == 0
    assert 43_300 <= len(corpus.vocabulary) <= 43_399
    assert set(corpus.vocabulary.words[:3]) == {"the", ",", "."}
    assert corpus.report.known_tokens == corpus.vocabulary.counts.sum() == len(corpus.ids)


def test_the_scanner_finds_the_words_of_the_rule(reviews):
    first = reviews["text"].slice(0, 3_000).to_pylist()
    others = reviews["text"].slice(3_000)
    foreign = others.filter(pc.invert(pc.string_is_ascii(others))).slice(0, 2_000).to_pylist()
    assert len(foreign) == 2_000
    texts = first + foreign
    corpus = encode(read_texts(texts).texts(), workers=2)
    words = corpus.vocabulary.words
    assert len(corpus) == len(texts)
    for number, text in enumerate(texts):
        assert [words[word_id] for word_id in corpus.document(number)] == tokenize(text)


def error(model, labeled):
    """Share of the test reviews that a linear SVM gets wrong."""
    (learned_from, labels), (asked_about, truth) = labeled
    svm = make_pipeline(StandardScaler(), LinearSVC(C=0.1, dual=False))
    return 1 - svm.fit(model.transform(learned_from), labels).score(model.transform(asked_about), truth)


def test_a_short_training_tells_good_reviews_from_bad_ones(labeled):
    """Two epochs over the 25,000 training reviews, with 50 dimensions: measured 18.4 % error, bound 23 %.

    With the vectors that training starts from: measured 34.7 %, must stay above 30 %. Chance is 50 %.
    """
    model = Doc2VecC(50, epochs=2, min_count=10, alpha=0.1, workers=2, random_state=0).fit(labeled[0][0])
    assert model.history_[1].loss < model.history_[0].loss
    assert np.isfinite(model.word_vectors_).all()
    assert error(model, labeled) < 0.23

    inputs, outputs = first_tables(len(model.vocabulary_), 0, TrainingConfig(vector_size=50))
    model.model_ = Model(model.vocabulary_, inputs, 50, outputs=outputs)
    assert error(model, labeled) > 0.30
