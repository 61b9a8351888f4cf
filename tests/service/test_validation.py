"""Every schema of a request can refuse what does not fit it."""

from collections.abc import Iterator
from typing import Any

import pytest

from doc2vecc.service.catalog import ENDPOINTS
from doc2vecc.service.failures import RequestError
from doc2vecc.service.validation import Schema, check

BODIES = {one.name: one.body for one in ENDPOINTS if one.body is not None}


def parts(schema: Schema) -> Iterator[Schema]:
    """Return a schema, and all that it consists of."""
    yield schema
    inner = [*schema.get("anyOf", []), *schema.get("properties", {}).values()]
    for one in [*inner, schema["items"]] if "items" in schema else inner:
        yield from parts(one)


@pytest.mark.parametrize("value", ["N2", 17, None, {"a": 1}])
def test_ids_that_are_no_list(value: Any) -> None:
    with pytest.raises(RequestError, match=r"must be a list of strings or whole numbers$") as caught:
        check({"ids": value}, BODIES["DELETE /v1/documents"])
    assert caught.value.status == 422


@pytest.mark.parametrize("name", BODIES)
def test_every_schema_can_refuse(name: str) -> None:
    for schema in parts(BODIES[name]):
        with pytest.raises(RequestError, match=r"must be (a|true|null)"):
            check(object(), schema, "field")


@pytest.mark.parametrize(
    ("schema", "words"),
    [
        ({"type": "array", "items": {"anyOf": [{"type": "string"}, {"type": "null"}]}}, "a list of values"),
        ({"type": ["array", "null"], "items": {"type": ["integer", "null"]}}, "a list of whole numbers"),
        ({"type": "null"}, "null"),
        ({"anyOf": [{"anyOf": [{"type": "number"}]}, {"type": "boolean"}]}, "a number or true or false"),
    ],
)
def test_other_forms_of_schemas(schema: Schema, words: str) -> None:
    with pytest.raises(RequestError, match=f"must be {words}$"):
        check(object(), schema, "field")
