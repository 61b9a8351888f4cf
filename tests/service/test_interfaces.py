"""The interfaces of OpenAI, text-embeddings-inference and Ollama, over a real socket."""

import base64

import numpy as np
import pytest

from doc2vecc import Doc2VecC
from doc2vecc.similarity import normalized

TEXTS = ["the soup was cold", "A good STORY, and great actors!", "nothingknown", ""]


@pytest.fixture(scope="module")
def model(folder):
    return Doc2VecC.load(folder / "reviews.d2v")


@pytest.fixture(scope="module")
def expected(model):
    with pytest.warns(match="no known word"):
        return normalized(model.transform(TEXTS))


@pytest.mark.parametrize("path", ["/v1/embeddings", "/embeddings"])
def test_openai_floats(client, path, expected):
    answer = client.post(path, json={"input": TEXTS, "model": "reviews", "user": "me", "unknown": 1}).json()
    assert answer["object"] == "list"
    assert answer["model"] == "reviews"
    assert [one["index"] for one in answer["data"]] == [0, 1, 2, 3]
    assert {one["object"] for one in answer["data"]} == {"embedding"}
    np.testing.assert_array_equal(np.float32([one["embedding"] for one in answer["data"]]), expected)
    assert answer["usage"]["prompt_tokens"] == answer["usage"]["total_tokens"] > 4


def test_openai_base64_is_little_endian_float32(client, expected):
    answer = client.post("/v1/embeddings", json={"input": TEXTS, "encoding_format": "base64"}).json()
    rows = [np.frombuffer(base64.b64decode(one["embedding"]), "<f4") for one in answer["data"]]
    np.testing.assert_array_equal(rows, expected)
    assert set(answer) == {"object", "data", "model", "usage"}


def test_a_single_text_is_a_list_of_one(client, expected):
    answer = client.post("/v1/embeddings", json={"input": TEXTS[0], "dimensions": 16}).json()
    np.testing.assert_array_equal(np.float32([one["embedding"] for one in answer["data"]]), expected[:1])


def test_vectors_are_scaled_only_if_wanted(client, model):
    answer = client.post("/v1/embeddings", json={"input": TEXTS[0], "normalize": False}).json()
    np.testing.assert_array_equal(np.float32(answer["data"][0]["embedding"]), model.transform(TEXTS[:1])[0])


def test_large_requests_give_the_same_vectors(client, model):
    texts = [" ".join(TEXTS[:2] * number) for number in range(1, 60)]  # more than a small body
    answer = client.post("/v1/embeddings", json={"input": texts}).json()
    rows = np.float32([one["embedding"] for one in answer["data"]])
    np.testing.assert_array_equal(rows, normalized(model.transform(texts)))


@pytest.mark.parametrize("value", [[1, 2, 3], [[1, 2], [3]], ["a", 5]])
def test_token_ids_are_refused_with_the_remedy(client, value):
    answer = client.post("/v1/embeddings", json={"input": value})
    assert answer.status_code == 400
    assert "check_embedding_ctx_length=False" in answer.json()["error"]["message"]


def test_models(client):
    listed = client.get("/v1/models").json()
    assert [one["id"] for one in listed["data"]] == ["reviews", "ngrams"]
    assert client.get("/v1/models/reviews").json() == listed["data"][0]
    assert listed["data"][0]["dimension"] == 16
    assert client.get("/v1/models/none").json()["error"]["code"] == "model_not_found"
    assert "# Document vectors" in client.get("/v1/models/reviews/card").json()["card"]


def test_another_model_answers_with_its_own_vectors(client, folder):
    answer = client.post("/v1/embeddings", json={"input": TEXTS[0], "model": "ngrams"}).json()
    vectors = normalized(Doc2VecC.load(folder / "ngrams.d2v").transform(TEXTS[:1]))
    np.testing.assert_array_equal(np.float32([answer["data"][0]["embedding"]]), vectors)


def test_text_embeddings_inference(client, expected, model):
    rows = client.post("/embed", json={"inputs": TEXTS, "truncate": True}).json()
    np.testing.assert_array_equal(np.float32(rows), expected)
    rows = client.post("/embed", json={"inputs": TEXTS[0], "normalize": False}).json()
    np.testing.assert_array_equal(np.float32(rows), model.transform(TEXTS[:1]))
    info = client.get("/info").json()
    assert (info["model_id"], info["max_client_batch_size"], info["index"]["documents"]) == ("reviews", 100, 401)


def test_ollama(client, expected, model):
    answer = client.post("/api/embed", json={"model": "reviews:latest", "input": TEXTS}).json()
    np.testing.assert_array_equal(np.float32(answer["embeddings"]), expected)
    answer = client.post("/api/embeddings", json={"model": "reviews", "prompt": TEXTS[0]}).json()
    np.testing.assert_array_equal(np.float32([answer["embedding"]]), model.transform(TEXTS[:1]))
    assert [one["name"] for one in client.get("/api/tags").json()["models"]] == ["reviews", "ngrams"]


@pytest.mark.parametrize(
    ("body", "status", "word"),
    [
        (b"{", 400, "JSON"),
        (b"", 400, "JSON"),
        (b"\xff\xfe", 400, "JSON"),
        (b'{"input": "\\ud800"}', 400, "JSON"),
        (b"[" * 5000, 400, "JSON"),
        (b"[]", 422, "object"),
        (b"{}", 422, "'input' is missing"),
        (b'{"input": []}', 422, "not empty"),
        (b'{"input": [null]}', 422, "input[0]"),
        (b'{"input": true}', 422, "a string or a list of strings"),
        (b'{"input": "a", "encoding_format": "int8"}', 422, "float, base64"),
        (b'{"input": "a", "dimensions": 15}', 400, "have 16"),
        (b'{"input": "a", "dimensions": true}', 422, "whole number"),
        (b'{"input": "a", "model": "gpt"}', 404, "reviews, ngrams"),
    ],
)
def test_errors_say_what_is_wrong(client, body, status, word):
    answer = client.post("/v1/embeddings", content=body)
    error = answer.json()["error"]
    assert answer.status_code == status
    assert set(error) == {"message", "type", "param", "code"}
    assert word in error["message"]


def test_too_many_texts(client):
    answer = client.post("/embed", json={"inputs": ["a"] * 101})
    assert answer.status_code == 413
    assert "101 texts, more than 100" in answer.json()["error"]["message"]


def test_unknown_paths_and_methods(client):
    assert client.get("/v2").json()["error"]["type"] == "not_found_error"
    answer = client.put("/v1/documents")
    assert answer.status_code == 405
    assert {"POST", "DELETE"} <= set(answer.headers["allow"].split(", "))


def test_metrics_count(client):
    before = counters(client)
    client.post("/embed", json={"inputs": ["a", "b", "c"]})
    client.post("/embed", content=b"{")
    after = counters(client)
    name = 'doc2vecc_requests_total{endpoint="POST /embed",status="%s"}'
    assert after[name % 200] - before.get(name % 200, 0) == 1
    assert after[name % 400] - before.get(name % 400, 0) == 1
    assert after["doc2vecc_documents_total"] - before["doc2vecc_documents_total"] == 3
    assert after["doc2vecc_requests_in_flight"] == 1  # the one that asks


def counters(client):
    lines = client.get("/metrics").text.splitlines()
    return {name: float(value) for name, _, value in (line.rpartition(" ") for line in lines if line[0] != "#")}
