"""A model, an index and a running service, made once."""

from pathlib import Path

import pyarrow as pa
import pytest

from doc2vecc import Doc2VecC
from doc2vecc.search import SearchIndex
from tests.cli.commands import sentences
from tests.service.running import Running, running

EVIL = "<script>document.title='run'</script><img src=x onerror=\"document.title='run'\"> the soup was cold"


@pytest.fixture(scope="session")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with reviews.d2v, ngrams.d2v and an index of the reviews."""
    folder = tmp_path_factory.mktemp("service")
    labeled = sentences(400)
    texts = [text for _, text in labeled]
    model = Doc2VecC(vector_size=16, epochs=20, init="random", min_count=2, workers=1).fit(texts)
    model.save(folder / "reviews.d2v")
    ngrams = Doc2VecC(vector_size=8, epochs=5, init="random", ngram_range=(1, 2), binary=True, workers=1).fit(texts)
    ngrams.save(folder / "ngrams.d2v")
    topics = [topic for topic, _ in labeled]
    ids = [f"r{number}" for number in range(len(texts) + 1)]
    table = pa.table({"key": ids, "topic": [*topics, "evil"], "text": [*texts, EVIL]})
    SearchIndex.build(model, table, folder / "reviews.index", columns=["topic"], id_column="key")
    return folder


@pytest.fixture(scope="session")
def service(folder: Path):
    """A service without keys, with two models and an index that no test changes."""
    index = ["--index", folder / "reviews.index"]
    with running(folder / "reviews.d2v", folder / "ngrams.d2v", *index, "--max-texts", "100") as one:
        yield one


@pytest.fixture
def client(service: Running):
    """A client of that service."""
    return service.client
