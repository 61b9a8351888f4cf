"""The places of documents on the map."""

import numpy as np
import pyarrow as pa
import pytest

from doc2vecc import Doc2VecC
from doc2vecc.search import SearchIndex
from doc2vecc.service.corpus_map import brightness, placed, projected, squeezed
from doc2vecc.service.served_index import ServedIndex
from doc2vecc.similarity import normalized


@pytest.fixture
def model(folder):
    return Doc2VecC.load(folder / "reviews.d2v")


def test_columns_x_and_y_are_the_map(model, tmp_path):
    table = pa.table({"text": ["soup", "story", "file"], "x": [0, 1, 2], "y": [5.0, 5.0, 9.0]})
    SearchIndex.build(model, table, tmp_path / "index", columns=["x", "y"])
    places = ServedIndex(tmp_path / "index").current().map().places
    np.testing.assert_array_equal(np.sign(places), [[-1, 0], [0, 0], [1, 1]])
    assert np.abs(places).max() == 1


def test_without_them_it_is_a_projection_that_keeps_neighbors(model, tmp_path):
    texts = ["the soup was cold", "cold soup", "the compiler reads a file", "a parser reads a file"]
    index = SearchIndex.build(model, texts, tmp_path / "index")
    places = ServedIndex(tmp_path / "index").current().map().places
    assert places.shape == (4, 2)
    distances = np.linalg.norm(places[:, None] - places[None], axis=-1)
    assert distances[0, 1] < distances[0, 2]
    assert distances[2, 3] < distances[1, 3]
    assert index.document(2).text == texts[2]
    assert [len(part) for part in index.vectors()] == [4]


def test_odd_points_have_a_place():
    assert projected([np.ones((1, 3), np.float32)]).shape == (1, 2)
    places = squeezed(np.float32([[0, 0], [1, 1], [1e9, np.nan]]))
    assert np.isfinite(places).all()
    assert np.abs(places).max() <= 1


def test_a_search_goes_on_while_documents_change(model, tmp_path):
    SearchIndex.build(model, ["soup", "story"], tmp_path / "index")
    served, other = ServedIndex(tmp_path / "index"), ServedIndex(tmp_path / "index")
    before = served.current()
    assert served.change(lambda index: index.add(["a file"])) == 1
    assert (len(before.index), len(served.current().index), len(other.current().index)) == (2, 3, 3)
    assert served.current() is served.current()
    with pytest.raises(ValueError, match="no document"):
        served.change(lambda index: index.delete([17]))
    assert len(served.current().index) == 3


@pytest.mark.slow
def test_documents_that_are_alike_stand_together():
    draw = np.random.default_rng(0)
    centers = normalized(draw.normal(size=(5, 16)).astype(np.float32))
    topics = draw.integers(5, size=600)
    vectors = normalized(centers[topics] + 0.1 * draw.normal(size=(600, 16)).astype(np.float32))
    places = placed([vectors[:100], vectors[100:]])
    distances = np.linalg.norm(places[:, None] - places[None], axis=-1)
    np.fill_diagonal(distances, np.inf)
    assert np.mean(topics[distances.argmin(axis=1)] == topics) > 0.95
    np.testing.assert_array_equal(places, placed([vectors[:100], vectors[100:]]))
    lit = brightness([vectors], centers[2])
    assert lit[topics == 2].min() > lit[topics != 2].max()


@pytest.mark.slow
def test_areas_are_named_by_their_words(folder):
    drawn = ServedIndex(folder / "reviews.index").current().map()
    words = Doc2VecC.load(folder / "reviews.d2v").model_.vocabulary
    assert len(drawn.places) == len(drawn.area_of) == 401
    assert {0, 1} == {area.level for area in drawn.areas}
    assert sum(area.documents for area in drawn.areas if area.level == 0) == np.sum(drawn.area_of < 255)
    assert all(word in words for area in drawn.areas for word in area.label.split(", "))
