"""A small real model and documents to search in."""

import random
from pathlib import Path

import pyarrow as pa
import pytest

from doc2vecc.model import Model
from doc2vecc.storage import load

MODELS = Path(__file__).parents[1] / "models"


@pytest.fixture(scope="session")
def words_model() -> Model:
    return load(MODELS / "words.d2v")


@pytest.fixture(scope="session")
def ngrams_model() -> Model:
    return load(MODELS / "ngrams.d2v")


@pytest.fixture(scope="session")
def documents(words_model: Model) -> pa.Table:
    """600 documents of 5 to 40 words, with ids and a column."""
    draw = random.Random(0)
    words = [word for word in words_model.vocabulary.words if word.isalpha()]
    texts = [" ".join(draw.choices(words, k=draw.randint(5, 40))).capitalize() + "." for _ in range(600)]
    return pa.table({"key": [f"d{i}" for i in range(600)], "stars": [i % 5 for i in range(600)], "text": texts})
