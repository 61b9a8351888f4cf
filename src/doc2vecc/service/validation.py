"""Check a request against its schema: the part of JSON Schema that our own schemas use."""

from collections.abc import Mapping
from typing import Any

from doc2vecc.service.failures import RequestError

Schema = Mapping[str, Any]

LONGEST_SHOWN = 60  # characters of what a client sent, in a message
_TYPES: dict[str, tuple[type, ...]] = {
    "string": (str,),
    "integer": (int,),
    "number": (int, float),
    "boolean": (bool,),
    "array": (list,),
    "object": (dict,),
    "null": (type(None),),
}
_NAMES = {
    "string": "a string",
    "integer": "a whole number",
    "number": "a number",
    "boolean": "true or false",
    "array": "a list",
    "object": "an object",
    "null": "null",
}
_PLURALS = {"string": "strings", "integer": "whole numbers", "number": "numbers", "object": "objects"}


def check(value: Any, schema: Schema, where: str = "") -> None:  # noqa: ANN401
    """Refuse a value that does not fit; unknown fields are left to `check_names`.

    >>> check({"k": 3}, {"type": "object", "properties": {"k": {"type": "integer", "minimum": 1}}})
    """
    options = schema.get("anyOf")
    if options is not None:
        # The one of the same outer type is checked, so that the message is about what was meant.
        fitting = [one for one in options if _has_type(value, one)]
        if not fitting:
            raise _refusal(where, " or ".join(_expected(one) for one in options), value)
        check(value, fitting[0], where)
        return
    if not _has_type(value, schema):
        raise _refusal(where, _expected(schema), value)
    if "enum" in schema and value not in schema["enum"]:
        raise _refusal(where, "one of " + ", ".join(map(str, schema["enum"])), value)
    if isinstance(value, dict):
        _check_fields(value, schema, where)
    elif isinstance(value, list):
        _check_items(value, schema, where)
    elif isinstance(value, str):
        if len(value) < schema.get("minLength", 0):
            raise _refusal(where, "a text that is not empty", value)
    elif type(value) in (int, float):
        least, most = schema.get("minimum"), schema.get("maximum")
        if (least is not None and value < least) or (most is not None and value > most):
            raise _refusal(where, f"at least {least}" if most is None else f"from {least} to {most}", value)


def check_names(fields: Mapping[str, Any], schema: Schema) -> None:
    """Refuse an unknown field of a request, unless its schema ignores them, as clients of other services need."""
    if schema.get("additionalProperties", True):
        return
    known = schema["properties"]
    if unknown := [name for name in fields if name not in known]:
        shown = repr(unknown[0] if len(unknown[0]) <= LONGEST_SHOWN else unknown[0][: LONGEST_SHOWN - 3] + "...")
        message = f"there is no field {shown} here; the fields are: {', '.join(known)}"
        raise RequestError(422, message, param=unknown[0][:LONGEST_SHOWN], code="unknown_field")


def _check_fields(value: dict[str, Any], schema: Schema, where: str) -> None:
    for name in schema.get("required", ()):
        if name not in value:
            field = _inside(where, name)
            raise RequestError(422, f"the field {field!r} is missing; add it", param=field, code="missing_field")
    for name, part in schema.get("properties", {}).items():
        if name in value:
            check(value[name], part, _inside(where, name))


def _check_items(value: list[Any], schema: Schema, where: str) -> None:
    if len(value) < schema.get("minItems", 0):
        raise _refusal(where, "a list that is not empty", value)
    items = schema["items"]
    if items.get("type") == "string" and set(map(type, value)) == {str} and not items.get("minLength"):
        return  # the common case, which may have thousands of texts
    for position, item in enumerate(value):
        check(item, items, f"{where}[{position}]")


def _has_type(value: Any, schema: Schema) -> bool:  # noqa: ANN401
    return any(_is_a(value, name) for name in _names_of(schema))


def _is_a(value: Any, name: str) -> bool:  # noqa: ANN401
    return isinstance(value, _TYPES[name]) and (name == "boolean" or not isinstance(value, bool))


def _expected(schema: Schema) -> str:
    """Say what a schema asks for, whatever its form: "a list of strings or whole numbers"."""
    if "anyOf" in schema:
        return " or ".join(map(_expected, schema["anyOf"]))
    names = _names_of(schema)
    items = [one for one in _names_of(schema.get("items", {})) if one in _PLURALS]
    plural = " or ".join(_PLURALS[one] for one in items) or "values"
    words = [f"a list of {plural}" if name == "array" else _NAMES[name] for name in names if name != "null"]
    return " or ".join(words or ["null" if names else "a value"])


def _names_of(schema: Schema) -> list[str]:
    """Return the names of the types that a schema allows, of which it may have one, several or none."""
    names = schema.get("type", [])
    return [names] if isinstance(names, str) else list(names)


def _inside(where: str, name: str) -> str:
    return f"{where}.{name}" if where else name


def _refusal(where: str, expected: str, value: Any) -> RequestError:  # noqa: ANN401
    shown = repr(value)
    shown = shown if len(shown) <= LONGEST_SHOWN else shown[: LONGEST_SHOWN - 3] + "..."
    what = f"{where}={shown}" if where else f"the body {shown}"
    return RequestError(422, f"{what} must be {expected}", param=where or None, code="invalid_value")
