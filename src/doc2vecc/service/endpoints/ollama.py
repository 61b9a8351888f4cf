"""Ollama's interface: embed, embeddings and tags."""

import time
from datetime import UTC, datetime

from doc2vecc.service.endpoint import Answer, Call, Endpoint
from doc2vecc.service.endpoints.texts import embed_field
from doc2vecc.service.schemas import DIMENSIONS, INTEGER, MODEL, STRING, TEXTS, VECTOR, answer, array, record, text

GROUP = "Ollama"


def embed(call: Call) -> Answer:
    """Embed texts -> unit vectors, with how long it took in nanoseconds."""
    started = time.perf_counter_ns()
    name, vectors, words = embed_field(call, "input", normalize=True)
    took = time.perf_counter_ns() - started
    durations = {"total_duration": took, "load_duration": 0}
    return Answer({"model": name, "embeddings": list(vectors), **durations, "prompt_eval_count": words}, len(vectors))


def embeddings(call: Call) -> Answer:
    """Embed one text -> its vector, not scaled, as Ollama's older interface does."""
    return Answer({"embedding": embed_field(call, "prompt", normalize=False).vectors[0]}, 1)


def tags(call: Call) -> Answer:
    """List the models."""
    listed = []
    for name, model in call.loaded.models.items():
        modified = datetime.fromtimestamp(call.loaded.modified[name], UTC).isoformat()
        details = {
            "format": "safetensors",
            "family": "doc2vecc",
            "families": ["doc2vecc"],
            "parameter_size": f"{model.word_vectors.size / 1e6:.1f}M",
            "quantization_level": "F32",
        }
        size = model.word_vectors.nbytes
        listed.append(
            {"name": name, "model": name, "modified_at": modified, "size": size, "digest": "", "details": details}
        )
    return Answer({"models": listed})


_REQUEST = record(("input",), model=MODEL, input=TEXTS, dimensions=DIMENSIONS)
_PROMPT = record(("prompt",), model=MODEL, prompt=text("One text."))
_ANSWER = answer(
    model=STRING, embeddings=array(VECTOR), total_duration=INTEGER, load_duration=INTEGER, prompt_eval_count=INTEGER
)
_TAG = answer(name=STRING, model=STRING, modified_at=STRING, size=INTEGER, digest=STRING, details={"type": "object"})
ENDPOINTS = [
    Endpoint(
        "POST", "/api/embed", embed, "Embed texts", _ANSWER, body=_REQUEST, group=GROUP, is_quick=True, statuses=(404,)
    ),
    Endpoint(
        "POST",
        "/api/embeddings",
        embeddings,
        "Embed one text",
        answer(embedding=VECTOR),
        body=_PROMPT,
        group=GROUP,
        is_quick=True,
        statuses=(404,),
    ),
    Endpoint("GET", "/api/tags", tags, "List the models", answer(models=array(_TAG)), group=GROUP),
]
