"""OpenAI's interface: embeddings and the list of models."""

from binascii import b2a_base64
from itertools import chain
from typing import Any

import orjson

from doc2vecc.service.endpoint import Answer, Call, Endpoint, Fields
from doc2vecc.service.endpoints.texts import embed_field
from doc2vecc.service.failures import RequestError
from doc2vecc.service.schemas import (
    DIMENSIONS,
    INTEGER,
    MODEL,
    NORMALIZE,
    STRING,
    TEXTS,
    VECTOR,
    answer,
    array,
    optional,
    record,
    text,
)
from doc2vecc.similarity import Vectors

GROUP = "OpenAI"


def embeddings(call: Call) -> Answer:
    """Embed texts as OpenAI does: unit vectors, as lists of numbers or in base64."""
    fields = call.fields
    normalize = fields.get("normalize", True)
    name, vectors, words = embed_field(call, "input", normalize=normalize)
    if fields.get("encoding_format") == "base64":
        usage = {"prompt_tokens": words, "total_tokens": words}
        rest = orjson.dumps({"model": name, "usage": usage})
        return Answer(b'{"object":"list","data":[' + _base64_data(vectors) + b"]," + rest[1:], len(vectors))
    data = [{"object": "embedding", "index": index, "embedding": row} for index, row in enumerate(vectors)]
    usage = {"prompt_tokens": words, "total_tokens": words}
    return Answer({"object": "list", "data": data, "model": name, "usage": usage}, len(vectors))


def _base64_data(vectors: Vectors) -> bytes:
    """Write the list of embeddings without its brackets; a dictionary for each would take twice the time."""
    raw, size = vectors.tobytes(), vectors.shape[1] * vectors.itemsize
    return b",".join(
        b'{"object":"embedding","index":%d,"embedding":"%b"}'
        % (index, b2a_base64(raw[index * size : (index + 1) * size], newline=False))
        for index in range(len(vectors))
    )


def refuse_token_ids(fields: Fields) -> None:
    """Refuse lists of token ids, which some clients send unless they are told not to."""
    value = fields.get("input")
    if not isinstance(value, list):
        return
    flat = chain.from_iterable(item if isinstance(item, list) else [item] for item in value)
    if any(type(item) is int for item in flat):
        raise RequestError(
            400,
            "input holds token ids of another model's tokenizer; send texts (LangChain: "
            "OpenAIEmbeddings(check_embedding_ctx_length=False))",
            param="input",
            code="token_ids",
        )


def models(call: Call) -> Answer:
    """List the models."""
    return Answer({"object": "list", "data": [_described(call, name) for name in call.loaded.models]})


def one_model(call: Call) -> Answer:
    """Describe one model."""
    name, _ = call.loaded.model(call.fields["id"])
    return Answer(_described(call, name))


def _described(call: Call, name: str) -> dict[str, Any]:
    model, created = call.loaded.models[name], int(call.loaded.modified[name])
    own = {"dimension": model.dim, "words": model.vocabulary.n_words, "ngrams": len(model.vocabulary.ngrams)}
    return {"id": name, "object": "model", "created": created, "owned_by": "doc2vecc", **own}


_REQUEST = record(
    ("input",),
    input=TEXTS,
    model=MODEL,
    encoding_format=optional("string", "float, or base64 of little-endian float32.", enum=["float", "base64", None]),
    dimensions=DIMENSIONS,
    normalize=NORMALIZE,
    user=optional("string", "Ignored."),
)
_ANSWER = answer(
    object=STRING,
    data=array(answer(object=STRING, index=INTEGER, embedding={"anyOf": [VECTOR, text("base64")]})),
    model=STRING,
    usage=answer(prompt_tokens=INTEGER, total_tokens=INTEGER),
)
_MODEL = answer(
    id=STRING, object=STRING, created=INTEGER, owned_by=STRING, dimension=INTEGER, words=INTEGER, ngrams=INTEGER
)
_EMBED: dict[str, Any] = {
    "run": embeddings,
    "summary": "Embed texts",
    "answer": _ANSWER,
    "body": _REQUEST,
    "group": GROUP,
    "is_quick": True,
    "before_check": refuse_token_ids,
    "statuses": (404,),
}
ENDPOINTS = [
    Endpoint("POST", "/v1/embeddings", **_EMBED),
    Endpoint("POST", "/embeddings", **_EMBED),
    Endpoint("GET", "/v1/models", models, "List the models", answer(object=STRING, data=array(_MODEL)), group=GROUP),
    Endpoint("GET", "/v1/models/{id}", one_model, "Describe a model", _MODEL, group=GROUP, statuses=(404,)),
]
