"""Large indexes: the graph finds nearly everything, changes with the documents, and is checked before it is used."""

import json
import random
from pathlib import Path

import numpy as np
import pyarrow as pa
import pytest

from doc2vecc import SearchIndexError
from doc2vecc.errors import ParameterError
from doc2vecc.model import Model
from doc2vecc.search import SearchIndex, graph
from doc2vecc.search.folder import DESCRIPTION_FILE, GRAPH_FILE, digest
from tests.exports.test_static_folder import require

pytestmark = pytest.mark.peers


@pytest.fixture(autouse=True)
def small_graphs(monkeypatch: pytest.MonkeyPatch) -> None:
    """Make graphs of small indexes too."""
    monkeypatch.setattr(graph, "EXACT_BELOW", 300)


@pytest.fixture(autouse=True)
def installed() -> None:
    require("usearch")


def resealed(folder: Path, name: str, content: bytes) -> None:
    """Change a file of an index, and its digest too, as a stranger would."""
    path = folder / name
    path.unlink()
    path.write_bytes(content)
    description = json.loads((folder / DESCRIPTION_FILE).read_text("utf-8"))
    description["digests"][name] = digest(path)
    (folder / DESCRIPTION_FILE).write_text(json.dumps(description), "utf-8")


def test_the_graph_follows_the_documents(words_model: Model, documents: pa.Table, tmp_path: Path) -> None:
    index = SearchIndex.build(words_model, documents[:250], tmp_path / "index", id_column="key")
    assert index.recall is None
    index.add(documents[250:500])
    assert index.recall is not None
    assert index.recall > 0.9
    index.delete([f"d{row}" for row in range(60, 120)])  # nodes are removed
    index.add(documents[500:])  # and used again
    index.delete([f"d{row}" for row in range(200)][:60])
    again = SearchIndex.load(tmp_path / "index")
    assert not (set(again.ids) & {f"d{row}" for row in range(120)})
    queries = documents["text"].to_pylist()[130:160]
    shared = []
    for found, exact in zip(again.search(queries, 5), again.search(queries, 5, exact=True), strict=True):
        shared.append(len({hit.id for hit in found} & {hit.id for hit in exact}))
        assert [hit.score for hit in found] == sorted((hit.score for hit in found), reverse=True)
        assert found[0].score == pytest.approx(exact[0].score, abs=1e-3)
    assert sum(shared) > 0.85 * 5 * len(queries)  # these documents are all alike: half precision confuses some
    index.delete(index.ids[:300])  # too few for a graph now
    assert index.recall is None
    assert not (tmp_path / "index" / GRAPH_FILE).exists()


def test_documents_without_a_known_word_are_not_in_the_graph(
    words_model: Model, documents: pa.Table, tmp_path: Path
) -> None:
    texts = [*documents["text"].to_pylist(), "zzzz", ""]
    index = SearchIndex.build(words_model, texts, tmp_path / "index")
    assert {600, 601}.isdisjoint(hit.id for hit in index.search("rain", 50))
    assert len(index.search("rain", 602)) == 602  # so many that all are compared


@pytest.mark.slow
def test_a_damaged_graph_is_an_error_and_never_a_crash(words_model: Model, documents: pa.Table, tmp_path: Path) -> None:
    index = SearchIndex.build(words_model, documents, tmp_path / "index")
    path, numbers = tmp_path / "index" / GRAPH_FILE, np.arange(600)
    sound = path.read_bytes()
    assert graph.problem_of_graph(path, words_model.dim, numbers) is None
    draw = random.Random(0)
    nodes = 8 + 600 * 2 * words_model.dim  # where the header begins
    changed = tmp_path / "changed.usearch"
    n_refused = 0
    query = index._parts[0].vectors[:3]
    for _ in range(400):
        content = bytearray(sound)
        place = draw.choice([draw.randrange(8), draw.randrange(nodes, nodes + 1304), draw.randrange(len(content))])
        content[place] = draw.choice([0, 1, 127, 128, 255, draw.randrange(256)])
        cut = draw.randrange(len(content)) if draw.random() < 0.1 else len(content)
        changed.write_bytes(content[:cut])
        if graph.problem_of_graph(changed, words_model.dim, numbers) is not None:
            n_refused += 1
        else:
            for near in graph.search_graph(graph.open_graph(changed), query, 10, 64):
                assert set(near.tolist()) <= set(range(600))
    assert 100 < n_refused < 400
    for content in (b"", sound[:100], sound + b"x", bytes(len(sound))):
        resealed(tmp_path / "index", GRAPH_FILE, content)
        with pytest.raises(SearchIndexError, match=r"graph\.usearch is damaged: it"):
            SearchIndex.load(tmp_path / "index")


def test_a_graph_of_other_documents_is_refused(words_model: Model, documents: pa.Table, tmp_path: Path) -> None:
    SearchIndex.build(words_model, documents, tmp_path / "one")
    SearchIndex.build(words_model, documents[:400], tmp_path / "two")
    resealed(tmp_path / "two", GRAPH_FILE, (tmp_path / "one" / GRAPH_FILE).read_bytes())
    with pytest.raises(SearchIndexError, match="its documents are not those of the index"):
        SearchIndex.load(tmp_path / "two")


def test_without_usearch_a_large_index_names_the_extra(
    words_model: Model, documents: pa.Table, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(__import__("sys").modules, "usearch.index", None)
    monkeypatch.setattr(Model, "embed", None)  # it is said before anything is embedded
    with pytest.raises(ParameterError, match=r"needs usearch; pip install 'doc2vecc\[search\]'"):
        SearchIndex.build(words_model, documents, tmp_path / "index")
    assert list(tmp_path.iterdir()) == []
