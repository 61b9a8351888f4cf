"""The real clients speak to the service; schemathesis compares it with its description."""

import re
import subprocess
import sys

import httpx
import numpy as np
import pytest

from doc2vecc import Doc2VecC
from doc2vecc.similarity import normalized
from tests.service.running import running

TEXTS = ["the soup was cold", "a good story and great actors"]
MISSING = "{} is not installed; make test-peers installs it"
pytestmark = pytest.mark.peers


@pytest.fixture(scope="module")
def expected(folder):
    return normalized(Doc2VecC.load(folder / "reviews.d2v").transform(TEXTS))


def test_openai_python(service, expected):
    openai = pytest.importorskip("openai", reason=MISSING.format("openai"))
    with openai.OpenAI(base_url=f"{service.address}/v1", api_key="none", max_retries=0) as client:
        answer = client.embeddings.create(model="reviews", input=TEXTS)  # asks for base64
        np.testing.assert_array_equal(np.float32([one.embedding for one in answer.data]), expected)
        answer = client.embeddings.create(model="reviews", input=TEXTS[0], encoding_format="float")
        np.testing.assert_array_equal(np.float32(answer.data[0].embedding), expected[0])
        assert [one.id for one in client.models.list()] == ["reviews", "ngrams"]
        with pytest.raises(openai.NotFoundError, match="there is no model"):
            client.embeddings.create(model="text-embedding-3-small", input="a")
        with pytest.raises(openai.BadRequestError, match="token ids"):
            client.embeddings.create(model="reviews", input=[1, 2])


def test_openai_python_with_keys(folder, tmp_path):
    openai = pytest.importorskip("openai", reason=MISSING.format("openai"))
    (tmp_path / "keys").write_text("0123456789abcdef\n")
    with running(folder / "reviews.d2v", "--api-key-file", tmp_path / "keys") as service:
        for key, is_right in (("0123456789abcdef", True), ("wrong", False)):
            with openai.OpenAI(base_url=f"{service.address}/v1", api_key=key, max_retries=0) as client:
                if is_right:
                    assert len(client.embeddings.create(model="reviews", input="a").data[0].embedding) == 16
                else:
                    with pytest.raises(openai.AuthenticationError):
                        client.embeddings.create(model="reviews", input="a")


def test_langchain(service, expected):
    langchain = pytest.importorskip("langchain_openai", reason=MISSING.format("langchain-openai"))
    options = {"base_url": f"{service.address}/v1", "api_key": "none", "model": "reviews"}
    with httpx.Client() as http:
        embeddings = langchain.OpenAIEmbeddings(**options, check_embedding_ctx_length=False, http_client=http)
        np.testing.assert_array_equal(np.float32(embeddings.embed_documents(TEXTS)), expected)
        np.testing.assert_array_equal(np.float32(embeddings.embed_query(TEXTS[0])), expected[0])


def test_llama_index(service, expected):
    module = pytest.importorskip(
        "llama_index.embeddings.openai_like", reason=MISSING.format("llama-index-embeddings-openai-like")
    )
    options = {"model_name": "reviews", "api_base": f"{service.address}/v1", "api_key": "none"}
    with httpx.Client() as http:
        embeddings = module.OpenAILikeEmbedding(**options, http_client=http)
        np.testing.assert_array_equal(np.float32(embeddings.get_text_embedding_batch(TEXTS)), expected)
        np.testing.assert_array_equal(np.float32(embeddings.get_query_embedding(TEXTS[0])), expected[0])


def test_ollama_python(service, expected):
    ollama = pytest.importorskip("ollama", reason=MISSING.format("ollama"))
    client = ollama.Client(host=service.address)
    answer = client.embed(model="reviews", input=TEXTS, truncate=True, keep_alive="5m")
    np.testing.assert_array_equal(np.float32(answer.embeddings), expected)
    assert len(client.embeddings(model="reviews", prompt=TEXTS[0]).embedding) == 16
    assert [one.model for one in client.list().models] == ["reviews", "ngrams"]
    with pytest.raises(ollama.ResponseError, match="there is no model"):
        client.embed(model="llama", input="a")
    client.close()


def test_client_of_text_embeddings_inference(service, expected):
    hub = pytest.importorskip("huggingface_hub", reason=MISSING.format("huggingface-hub"))
    client = hub.InferenceClient(model=f"{service.address}/embed")
    np.testing.assert_array_equal(np.float32(client.feature_extraction(TEXTS, truncate=True)), expected)


@pytest.mark.slow
def test_schemathesis_finds_no_difference_from_the_description(service, tmp_path):
    pytest.importorskip("schemathesis", reason=MISSING.format("schemathesis"))
    checks = (
        "not_a_server_error,status_code_conformance,content_type_conformance,response_schema_conformance,"
        "negative_data_rejection,unsupported_method"
    )
    command = [sys.executable, "-m", "schemathesis.cli", "run", f"{service.address}/openapi.json"]
    options = ["--checks", checks, "--max-examples", "25", "--seed", "0", "--exclude-path", "/v1/documents"]
    done = subprocess.run([*command, *options], cwd=tmp_path, capture_output=True, text=True, check=False)
    assert re.search(r"([\d,]+) generated, \1 passed", done.stdout)
    assert done.returncode == 0, done.stdout[-4000:] + done.stderr[-2000:]
