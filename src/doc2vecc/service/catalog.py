"""All endpoints, in the order in which their routes are tried, and their description as OpenAPI."""

from typing import Any

from doc2vecc import __version__
from doc2vecc.service.endpoint import Answer, Call, Endpoint
from doc2vecc.service.endpoints import corpus, inference, ollama, openai, own, pages
from doc2vecc.service.schemas import ERROR

PROSE = {
    400: "Not valid JSON, or a value that is never possible",
    401: "No valid key",
    403: "Sent by a page of another site",
    404: "No such model, word or document",
    408: "The body did not arrive in time",
    413: "Too large, or too many texts",
    422: "A field is missing or has the wrong type",
    429: "Too many requests at once; Retry-After tells when to try again",
    503: "Not now; the message tells why",
}
OTHER = "other"  # what the metrics call paths that are no endpoint


def openapi(_: Call) -> Answer:
    """Return the description of all endpoints."""
    return Answer(description())


def description() -> dict[str, Any]:
    """Describe the endpoints, in OpenAPI 3.1."""
    paths: dict[str, Any] = {}
    for endpoint in ENDPOINTS:
        if endpoint.group != pages.GROUP:
            paths.setdefault(endpoint.path, {})[endpoint.method.lower()] = _operation(endpoint)
    return {
        "openapi": "3.1.0",
        "info": {
            "title": "doc2vecc",
            "version": __version__,
            "description": "Document vectors, for the clients of OpenAI, text-embeddings-inference and Ollama.",
        },
        "paths": paths,
        "components": {"schemas": {"Error": ERROR}, "securitySchemes": {"key": {"type": "http", "scheme": "bearer"}}},
    }


def _operation(endpoint: Endpoint) -> dict[str, Any]:
    statuses = {*endpoint.statuses, 503}
    if endpoint.body is not None:
        statuses |= {400, 408, 413, 422}
    if not endpoint.is_open:
        statuses |= {401, 403, 429}
    media_type = endpoint.media_type.partition(";")[0]
    answers: dict[str, Any] = {"200": {"description": "Done", "content": {media_type: {"schema": endpoint.answer}}}}
    error = {"application/json": {"schema": {"$ref": "#/components/schemas/Error"}}}
    answers |= {str(status): {"description": PROSE[status], "content": error} for status in sorted(statuses)}
    operation: dict[str, Any] = {
        "summary": endpoint.summary,
        "operationId": endpoint.name.replace("{", "").replace("}", "").replace("/", "_").replace(" ", ""),
        "tags": [endpoint.group],
        "responses": answers,
        "security": [] if endpoint.is_open else [{}, {"key": []}],
    }
    if endpoint.body is not None:
        operation["requestBody"] = {"required": True, "content": {"application/json": {"schema": endpoint.body}}}
    names = [part[1:-1] for part in endpoint.path.split("/") if part.startswith("{")]
    if names:
        string = {"type": "string", "minLength": 1}
        operation["parameters"] = [{"name": one, "in": "path", "required": True, "schema": string} for one in names]
    return operation


ENDPOINTS: list[Endpoint] = [
    *openai.ENDPOINTS,
    *inference.ENDPOINTS,
    *ollama.ENDPOINTS,
    *own.ENDPOINTS,
    *corpus.ENDPOINTS,
    *pages.ENDPOINTS,
    Endpoint("GET", "/openapi.json", openapi, "This description", {"type": "object"}, group=pages.GROUP, is_open=True),
]
NAMES = [*(one.name for one in ENDPOINTS), OTHER]
