"""Similarity, explanation, words, search and documents, over a real socket."""

import shutil

import pytest

from doc2vecc import Doc2VecC
from doc2vecc.search import SearchIndex
from tests.service.conftest import EVIL
from tests.service.running import running

ADDED = {"added": 1, "without_known_words": 0, "documents": 402}
PAIR = {"first": "Good actors, and a GREAT story", "second": "the soup was cold; a good waiter"}


@pytest.mark.parametrize("name", ["reviews", "ngrams"])
def test_explanation_adds_up_to_the_similarity(client, folder, name):
    answer = client.post("/v1/explain", json={**PAIR, "model": name}).json()
    expected = Doc2VecC.load(folder / f"{name}.d2v").explain(*PAIR.values())
    assert answer["similarity"] == pytest.approx(expected.similarity)
    assert [(one["token"], one["share"]) for one in answer["first"]] == [tuple(one) for one in expected.first]
    for side in ("first", "second"):
        pieces = answer[f"{side}_pieces"]
        assert "".join(piece["text"] for piece in pieces) == PAIR[side]
        assert sum(piece["share"] or 0 for piece in pieces) == pytest.approx(answer["similarity"])
    assert client.post("/v1/similarity", json={**PAIR, "model": name}).json()["similarity"] == pytest.approx(
        expected.similarity, abs=1e-6
    )


def test_pieces_find_words_in_odd_texts(client):
    text = "  “ACTORS”—don’t<br />go\u200b!  Story\u00ad…\n"
    pieces = client.post("/v1/explain", json={"first": text, "second": "a story of actors"}).json()["first_pieces"]
    assert "".join(piece["text"] for piece in pieces) == text
    assert [piece["text"] for piece in pieces if piece["share"]] == ["ACTORS", "Story"]


def test_words(client, folder):
    answer = client.post("/v1/words", json={"words": "actor - man + woman", "k": 3}).json()
    expected = Doc2VecC.load(folder / "reviews.d2v").similar_words("actor - man + woman", 3)
    assert [(one["word"], one["similarity"]) for one in answer["words"]] == expected
    answer = client.post("/v1/words", json={"words": "actoor"})
    assert answer.status_code == 404
    assert "did you mean actor" in answer.json()["error"]["message"]


def test_search_gives_the_documents_of_the_index(client, folder):
    answer = client.post("/v1/search", json={"query": "cold soup", "k": 5, "explain": True}).json()
    expected = SearchIndex.load(folder / "reviews.index").search("cold soup", 5)
    assert [hit["id"] for hit in answer["hits"]] == [hit.id for hit in expected]
    for hit, own in zip(answer["hits"], expected, strict=True):
        assert hit["similarity"] == pytest.approx(own.score)
        assert (hit["text"], hit["columns"], hit["snippet"]["text"]) == (own.text, own.columns, own.snippet.text)
        assert [one["word"] for one in hit["words"]] == [word for word, _ in own.words]
        assert [one["share"] for one in hit["words"]] == pytest.approx([share for _, share in own.words], abs=1e-6)
        assert sum(piece["share"] or 0 for piece in hit["pieces"]) == pytest.approx(own.score, abs=1e-5)
        assert "".join(piece["text"] for piece in hit["pieces"]) == own.text
    assert client.post("/v1/search", json={"query": "zzz"}).json()["hits"] == []
    assert client.post("/v1/search", json={"query": "soup", "k": 1001}).status_code == 422


def test_unknown_words_of_a_query_are_named(client):
    answer = client.post("/v1/search", json={"query": "Soup zzyqx <b>, and qqq zzyqx", "k": 1}).json()
    assert answer["unknown_words"] == ["zzyqx", "<b>", "qqq"]
    assert client.post("/v1/search", json={"query": "zzz"}).json()["unknown_words"] == ["zzz"]
    assert client.post("/v1/search", json={"query": "soup"}).json()["unknown_words"] == []


@pytest.mark.parametrize(
    ("path", "fields", "known"),
    [
        ("/v1/search", {"query": "soup", "limit": 3}, "query, k, explain"),
        ("/v1/words", {"words": "soup", "limit": 3}, "words, k, model"),
        ("/v1/similarity", {**PAIR, "limit": 3}, "first, second, model"),
        ("/v1/explain", {**PAIR, "limit": 3}, "first, second, model"),
        ("/v1/documents", {"documents": [{"id": "n", "text": "soup"}], "limit": 3}, "documents"),
    ],
)
def test_unknown_fields_are_refused(client, path, fields, known):
    answer = client.post(path, json=fields)
    assert answer.status_code == 422
    error = answer.json()["error"]
    assert error["message"] == f"there is no field 'limit' here; the fields are: {known}"
    assert (error["param"], error["code"]) == ("limit", "unknown_field")


def test_fields_that_clients_of_other_services_send_are_ignored(client):
    for path, field in (("/v1/embeddings", "input"), ("/embed", "inputs"), ("/api/embed", "input")):
        model = {"model": "reviews"} if field == "input" else {}
        assert client.post(path, json={field: "soup", "limit": 3, **model}).status_code == 200


@pytest.mark.slow
def test_the_map_has_a_point_for_every_document(client):
    assert len(client.get("/page/map").content) == 401 * (2 * 4 + 1)
    assert {"x", "y", "label", "level"} <= set(client.get("/page/areas").json()["areas"][0])
    lit = client.post("/page/light", json={"query": "cold soup"}).content
    best = client.post("/v1/search", json={"query": "cold soup", "k": 1}).json()["hits"][0]["row"]
    assert (len(lit), lit[best]) == (401, max(lit))
    read = client.post("/page/documents/400", json={"query": "cold soup"}).json()
    assert "".join(piece["text"] for piece in read["pieces"]) == read["text"] == EVIL
    assert sum(piece["share"] or 0 for piece in read["pieces"]) == pytest.approx(read["similarity"])
    assert client.get("/page/documents/400").json() == {"id": "r400", "text": EVIL, "columns": {"topic": "evil"}}


@pytest.mark.parametrize("row", ["401", "-1", "9" * 5_000, "1.5", "٣٣٣٣٣"])
def test_a_row_that_is_none(client, row):
    assert client.get(f"/page/documents/{row}").status_code == 404


@pytest.mark.slow
@pytest.mark.parametrize(
    ("fields", "message"),
    [
        (
            {"topic": "food"},
            """an unknown field 'topic'; put the columns of the index into "columns": {"topic": ...}""",
        ),
        ({"topik": "food"}, "an unknown field 'topik'; leave it out; the columns of this index are: topic"),
        ({"columns": {"topik": "food"}}, "columns has an unknown column 'topik'; leave it out; the columns of this"),
    ],
)
def test_no_field_of_a_new_document_is_dropped(client, fields, message):
    new = {"id": "new", "text": "cold soup"}
    answer = client.post("/v1/documents", json={"documents": [new | fields]})
    assert answer.status_code == 422
    assert message in answer.json()["error"]["message"]


@pytest.mark.slow
def test_documents_are_added_and_deleted_in_all_workers(folder, tmp_path):
    shutil.copytree(folder / "reviews.index", tmp_path / "own.index")
    arguments = ["--index", tmp_path / "own.index", "--workers", "2"]
    new = {"id": "new", "text": "a compiler of salt and soup", "columns": {"topic": "both"}}
    with running(folder / "reviews.d2v", *arguments) as service:
        ask = service.client.post
        assert ask("/v1/documents", json={"documents": [{"text": "no id"}]}).status_code == 422
        assert ask("/v1/documents", json={"documents": [new]}).json() == ADDED
        taken = ask("/v1/documents", json={"documents": [new]})
        assert taken.status_code == 422
        assert """send DELETE /v1/documents with {"ids": ["new"]}""" in taken.json()["error"]["message"]
        for _ in range(20):  # each on a connection of its own, so that both workers answer
            with service.client.__class__(base_url=service.address, trust_env=False) as other:
                found = other.post("/v1/search", json={"query": new["text"], "k": 1}).json()["hits"][0]
                assert (found["id"], found["columns"]) == ("new", {"topic": "both"})
        request = {"method": "DELETE", "url": "/v1/documents"}
        assert service.client.request(**request, json={"ids": "new"}).status_code == 422
        assert service.client.request(**request, json={"ids": ["new", "none"]}).status_code == 404
        assert service.client.request(**request, json={"ids": ["new"]}).json() == {"deleted": 1, "documents": 401}
        unknown = {"documents": [{"id": "u", "text": "qqqq"}, {"id": "v", "text": "soup"}]}
        assert ask("/v1/documents", json=unknown).json() == {"added": 2, "without_known_words": 1, "documents": 403}
        assert service.client.request(**request, json={"ids": ["u", "v"]}).status_code == 200
        assert ask("/v1/search", json={"query": new["text"], "k": 1}).json()["hits"][0]["id"] != "new"
    assert len(SearchIndex.load(tmp_path / "own.index")) == 401
