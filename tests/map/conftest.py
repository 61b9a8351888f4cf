"""Documents of three topics, with a model that has learned from them."""

import pyarrow as pa
import pytest

from doc2vecc import Doc2VecC
from doc2vecc.corpus.sources import read_texts
from doc2vecc.map.documents import read_documents
from tests.cli.commands import sentences


@pytest.fixture(scope="session")
def table():
    drawn = sentences(300)
    return pa.table(
        {
            "text": [text for _, text in drawn],
            "topic_name": [topic for topic, _ in drawn],
            "stars": pa.array([number % 17 for number in range(300)], pa.int64()),
            "day": pa.array([20_000 + number for number in range(300)], pa.date32()),
        }
    )


@pytest.fixture(scope="session")
def model(table):
    return Doc2VecC(vector_size=16, epochs=20, min_count=1, workers=1).fit(table)


@pytest.fixture
def documents(table, model):
    return read_documents(model.model_, read_texts(table, keep_columns=True))
