"""Values that a JSON schema allows; the library is an extra, imported where a schema is given."""

from __future__ import annotations

import copy
import dataclasses
import functools
import json
import re
import urllib.parse
from collections.abc import Callable, Mapping
from typing import Any

from ..errors import MissingExtra, UsageError
from .arguments import shown
from .matching import Wish


@dataclasses.dataclass(frozen=True, slots=True)
class Schema(Wish):
    """A value that a JSON schema allows."""

    schema: dict[str, Any] | bool

    def agrees(self, got: Any) -> bool:
        """Whether the schema allows it."""
        return _allows(json.dumps(self.schema, sort_keys=True), got)

    def words(self, show: Callable[[Any], str]) -> str:
        """What is wanted."""
        return f"a value of schema {show(self.schema)}"

    def __repr__(self) -> str:
        return f"schema({self.schema!r})"


def schema(schema: Mapping[str, Any] | bool) -> Schema:
    """A value that this JSON schema allows (draft 2020-12, unless it says another). Needs the extra `schema`.

    Nothing is ever fetched: a reference to elsewhere is refused when the schema is given.
    """
    if not isinstance(schema, (Mapping, bool)):
        raise UsageError(f"schema takes a JSON schema, a dict, got {shown(schema)}")
    try:
        written = json.dumps(schema if isinstance(schema, bool) else dict(schema), sort_keys=True)
    except (TypeError, ValueError, RecursionError) as error:
        raise UsageError(f"schema takes what JSON can say: {error}") from None
    _validator(written)
    return Schema(copy.deepcopy(dict(schema)) if isinstance(schema, Mapping) else schema)


def _allows(written: str, got: Any) -> bool:
    try:
        return bool(_validator(written).is_valid(got))
    except RecursionError:
        raise
    except Exception:  # a value of which the schema can't tell does not agree
        return False


@functools.lru_cache(maxsize=256)
def _validator(written: str) -> Any:
    try:
        import jsonschema
        import referencing
    except ImportError:
        raise MissingExtra("schema(...)", "schema") from None
    made = json.loads(written)
    kind = jsonschema.validators.validator_for(made, default=jsonschema.Draft202012Validator)
    try:
        kind.check_schema(made)
    except jsonschema.SchemaError as error:
        raise UsageError(f"schema is no JSON schema: {' '.join(str(error.message).split())[:200]}") from None
    for reference in _references(made):
        if not reference.startswith("#"):
            raise UsageError(f"schema refers to {shown(reference)}; it may refer to its own parts only, with #")
    return kind(made, registry=referencing.Registry(), format_checker=_formats(jsonschema))


def _formats(jsonschema: Any) -> Any:
    """What says of a text whether it is of a format: the same ones wherever it runs, whatever else is installed there."""
    checker = jsonschema.FormatChecker(("date", "email", "ipv4", "ipv6", "regex", "uuid"))
    for name, is_one in _FORMATS.items():
        checker.checks(name, raises=ValueError)(lambda got, is_one=is_one: not isinstance(got, str) or is_one(got))
    return checker


def _is_moment(text: str) -> bool:
    import datetime  # seldom needed

    return _MOMENT.fullmatch(text) is not None and bool(datetime.datetime.fromisoformat(text.upper()))


def _is_time(text: str) -> bool:
    return _is_moment(f"2000-01-01T{text}")


def _is_address(text: str) -> bool:
    return _ADDRESS.fullmatch(text) is not None and bool(urllib.parse.urlsplit(text))


_MOMENT = re.compile(r"\d{4}-\d\d-\d\d[Tt ]\d\d:\d\d:\d\d(?:\.\d+)?(?:[Zz]|[+-]\d\d:\d\d)", re.ASCII)
_ADDRESS = re.compile(r"[A-Za-z][A-Za-z0-9+.-]*:[^\s<>\"{}|\\^`]+")
_FORMATS: dict[str, Callable[[str], bool]] = {"date-time": _is_moment, "time": _is_time, "uri": _is_address}


def _references(part: Any) -> list[str]:
    if isinstance(part, list):
        return [found for each in part for found in _references(each)]
    if not isinstance(part, dict):
        return []
    own = [part[key] for key in ("$ref", "$dynamicRef") if isinstance(part.get(key), str)]
    return own + [found for each in part.values() for found in _references(each)]
