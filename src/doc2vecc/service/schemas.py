"""JSON schemas that several endpoints share, and the words to write them with."""

from typing import Any

from doc2vecc.service.validation import Schema

MOST_HITS = 1000


def text(description: str, **rules: Any) -> dict[str, Any]:  # noqa: ANN401
    """Return the schema of a string."""
    return {"type": "string", "description": description, **rules}


def optional(kind: str, description: str, **rules: Any) -> dict[str, Any]:  # noqa: ANN401
    """Return the schema of a field that may be absent or null."""
    return {"type": [kind, "null"], "description": description, **rules}


def record(required: tuple[str, ...] = (), /, **properties: Schema) -> dict[str, Any]:
    """Return the schema of an object; other fields are ignored."""
    return {"type": "object", "properties": properties, "required": list(required)}


def closed(required: tuple[str, ...] = (), /, **properties: Schema) -> dict[str, Any]:
    """Return the schema of an object without other fields, as our own endpoints ask for."""
    return record(required, **properties) | {"additionalProperties": False}


def answer(**properties: Schema) -> dict[str, Any]:
    """Return the schema of an object that has all of these fields."""
    return record(tuple(properties), **properties)


def array(items: Schema, **rules: Any) -> dict[str, Any]:  # noqa: ANN401
    """Return the schema of a list."""
    return {"type": "array", "items": items, **rules}


STRING = {"type": "string"}
INTEGER = {"type": "integer"}
NUMBER = {"type": "number"}
VECTOR = array(NUMBER)
MODEL = optional("string", "Name of a model; without it, the first one is used.")
NORMALIZE = optional("boolean", "Scale vectors to length one; true by default.")
DIMENSIONS = optional("integer", "Only the native dimension is possible.", minimum=1)
TEXTS = {
    "anyOf": [text("One text."), array(STRING, minItems=1, description="Several texts.")],
    "description": "One text, or a list of them. Nothing is cut off.",
}
HOW_MANY = optional("integer", "How many to return; 10 by default.", minimum=1, maximum=MOST_HITS)
ERROR = answer(
    error=answer(
        message=text("What is wrong and what to do."),
        type=STRING,
        param={"type": ["string", "null"], "description": "The field that is wrong."},
        code={"type": ["string", "null"]},
    )
)
