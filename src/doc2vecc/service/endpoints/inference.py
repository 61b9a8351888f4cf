"""The interface of text-embeddings-inference: embed, info, health, metrics."""

from doc2vecc import __version__
from doc2vecc.service.endpoint import Answer, Call, Endpoint
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

GROUP = "text-embeddings-inference"
METRICS_TYPE = "text/plain; version=0.0.4; charset=utf-8"


def embed(call: Call) -> Answer:
    """Embed texts -> a list of vectors."""
    embedded = embed_field(call, "inputs", normalize=call.fields.get("normalize", True))
    return Answer(list(embedded.vectors), len(embedded.vectors))


def info(call: Call) -> Answer:
    """Tell what the service is, in the words of text-embeddings-inference."""
    name, model = call.loaded.model(None)
    settings = call.service.settings
    index = None if call.loaded.index is None else call.loaded.index.current().index
    return Answer(
        {
            "model_id": name,
            "model_dtype": "float32",
            "model_type": {"embedding": {"pooling": "mean"}},
            "max_concurrent_requests": settings.max_concurrent * settings.workers,
            "max_input_length": settings.max_body,
            "max_client_batch_size": settings.max_texts,
            "auto_truncate": False,
            "dimension": model.dim,
            "models": list(call.loaded.models),
            "index": None if index is None else {"documents": len(index), "columns": index.columns},
            "version": __version__,
        }
    )


def health(call: Call) -> Answer:
    """Tell that requests are answered; a service that is ending says no, so that no more are sent to it."""
    if call.service.is_draining:
        raise RequestError(503, "the service is ending; send requests to another one", code="draining", retry=True)
    return Answer({"status": "ok"})


def metrics(call: Call) -> Answer:
    """Return the counters."""
    return Answer(call.service.metrics.text().encode(), media_type=METRICS_TYPE)


_REQUEST = record(
    ("inputs",),
    inputs=TEXTS,
    model=MODEL,
    normalize=NORMALIZE,
    dimensions=DIMENSIONS,
    truncate=optional("boolean", "Ignored: texts are never cut off."),
)
_INFO = answer(
    model_id=STRING,
    model_dtype=STRING,
    model_type={"type": "object"},
    max_concurrent_requests=INTEGER,
    max_input_length=INTEGER,
    max_client_batch_size=INTEGER,
    auto_truncate={"type": "boolean"},
    dimension=INTEGER,
    models=array(STRING),
    index={"type": ["object", "null"], "description": "How many documents can be searched."},
    version=STRING,
)
ENDPOINTS = [
    Endpoint(
        "POST",
        "/embed",
        embed,
        "Embed texts",
        array(VECTOR),
        body=_REQUEST,
        group=GROUP,
        is_quick=True,
        statuses=(404,),
    ),
    Endpoint("GET", "/info", info, "Describe the service", _INFO, group=GROUP),
    Endpoint(
        "GET",
        "/health",
        health,
        "Tell whether requests are answered",
        answer(status=STRING),
        group=GROUP,
        is_quick=True,
        is_open=True,
    ),
    Endpoint(
        "GET", "/metrics", metrics, "Counters for Prometheus", text("Prometheus"), group=GROUP, media_type=METRICS_TYPE
    ),
]
