"""The JSON schema of files of cases, made from the tables by which they are read, so that editors complete and check."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from ...messages import ROLES
from . import forms
from . import values as values
from .fields import FIELDS

_NO_FORM = {"pattern": r"^(\$\$|[^$]|$)"}
_SCALAR = {"type": ["null", "boolean", "number", "string"]}


def schema() -> dict[str, Any]:
    """The schema of a whole file; a line of JSON lines is its `#/definitions/case`."""
    cases = {"type": "array", "items": {"$ref": "#/definitions/entry"}}
    return {
        "$schema": "http://json-schema.org/draft-07/schema#",
        "title": "Cases of brute.eval",
        "anyOf": [{**cases, "minItems": 1}, {"$ref": "#/definitions/file_of_cases"}],
        "definitions": {
            "file_of_cases": _whole(cases),
            "entry": {"if": {"required": ["template"]}, "then": {"$ref": "#/definitions/filled"}, "else": {"$ref": "#/definitions/case"}},
            "case": _case(),
            "filled": _object(_template(), required=["template", "rows"]),
            **_places(),
            "message": _message(),
            "scalar": _SCALAR,
        },
    }  # fmt: skip


def _object(properties: dict[str, Any], **more: Any) -> dict[str, Any]:
    return {"type": "object", "properties": properties, "additionalProperties": False, **more}


def _whole(cases: dict[str, Any]) -> dict[str, Any]:
    told = {
        "agent": {"type": "string", "description": "The agent file, from this file's folder, or package.module:name."},
        "cases": cases,
        **_template(),
        "$schema": {"type": "string"},
    }
    about = {"description": "What other cases are made from; it is not read itself."}
    return _object(
        told,
        patternProperties={"^_": about},
        anyOf=[{"required": ["cases"]}, {"required": ["template", "rows"]}],
        dependencies={"template": ["rows"], "rows": ["template"]},
    )


def _case() -> dict[str, Any]:
    properties = {name: {"description": field.about, **field.schema} for name, field in FIELDS.items()}
    # Beside a $ref, draft 7 reads nothing: it has to stand in a list.
    told = {name: _described(each) for name, each in properties.items()}
    return _object(told, required=["name", "said"])


def _described(schema: dict[str, Any]) -> dict[str, Any]:
    return {"description": schema["description"], "allOf": [{"$ref": schema["$ref"]}]} if "$ref" in schema else schema


def _template() -> dict[str, Any]:
    rows = {"type": "array", "items": {"type": "object"}, "minItems": 1}
    return {
        "template": {
            "type": "object",
            "description": "A case with holes, such as {city}, that the columns of each row fill.",
            "properties": {name: {"description": field.about} for name, field in FIELDS.items()},
            "required": ["name", "said"],
            "additionalProperties": False,
        },
        "rows": {"description": "A .csv, .tsv, .jsonl or .json, from this file's folder, or the rows themselves.", "anyOf": [{"type": "string"}, rows]},
    }  # fmt: skip


def _places() -> dict[str, Any]:
    """One definition for each place where a form may stand."""
    values = {"type": "object", "propertyNames": _NO_FORM}
    wishes = {**values, "additionalProperties": {"$ref": "#/definitions/wish"}}
    wanted = {"$ref": "#/definitions/call"}
    plain: dict[str, list[dict[str, Any]]] = {
        "stub": [_SCALAR, {"type": "array"}, values],
        "answer": [_SCALAR, {"type": "array"}, values],
        "file": [{"type": "string"}],
        "calls": [{**values, "additionalProperties": {"anyOf": [wanted, {"type": "array", "items": wanted, "minItems": 1}]}}],
        "call": [{"type": "null"}, wishes],
        "wish": [_SCALAR, {"type": "array", "items": {"$ref": "#/definitions/wish"}}, wishes],
        "step": [{"type": "string", "minLength": 1}],
        "word": [{"type": "string", "minLength": 1}, {"type": "array", "items": {"$ref": "#/definitions/word"}, "minItems": 1}],
        "absence": [{"type": "string", "minLength": 1}],
    }  # fmt: skip
    return {
        place: {"anyOf": [*plain[place], *(_form(form, place) for form in forms.at(place))]} for place in forms.PLACES
    }


def _form(form: forms.Form, place: str) -> dict[str, Any]:
    name = f"${form.name}"
    told = _described({"description": form.about, **_with_inner(form.schema, place)})
    return _object({name: told}, required=[name])


def _with_inner(part: Any, place: str) -> Any:
    """The schema of a form, where what is inside of it is what that place has inside."""
    if part == forms.INNER:
        return {"$ref": f"#/definitions/{'answer' if place == 'stub' else place}"}
    if isinstance(part, Mapping):
        return {name: _with_inner(each, place) for name, each in part.items()}
    return [_with_inner(each, place) for each in part] if isinstance(part, list) else part


def _message() -> dict[str, Any]:
    call = _object(
        {"name": {"type": "string"}, "arguments": {"type": ["object", "string", "null"]}, "id": {"type": "string"}},
        required=["name"],
    )
    count = {"type": ["integer", "null"], "minimum": 0}
    usage = dict.fromkeys(("input", "output", "cache_read", "cache_write"), count)
    told = {
        "role": {"enum": list(ROLES)},
        "content": {"type": "string"},
        "tool_calls": {"type": "array", "items": call},
        "tool_call_id": {"type": ["string", "null"]},
        "usage": _object({**usage, "cost": {"type": ["number", "null"], "minimum": 0}}),
        "model": {"type": ["string", "null"]},
        "failed": {"type": "boolean"},
    }
    said = [_object({role: {"type": "string"}}, required=[role]) for role in ROLES]
    return {"description": "A message: {user: hello}, or with all that it has.", "anyOf": [*said, _object(told, required=["role"])]}  # fmt: skip
