"""YAML, read into nodes and written.

The parser is PyYAML's, of which the events alone are used: they know their place, and nothing is built from them but what `composing` builds.
"""

from __future__ import annotations

import re
from typing import Any

from ...errors import MissingExtra, UsageError
from .composing import STR, Composer, scalar
from .nodes import Node, Place

_NUMBERLIKE = re.compile(r"[-+.]*[0-9][0-9a-fA-FxoXO_+.:eE-]*")


def library() -> Any:
    """PyYAML, imported; `MissingExtra` where it is not there."""
    try:
        import yaml
    except ImportError:
        raise MissingExtra("a YAML file of cases", "yaml") from None
    return yaml


def parse(text: str, file: str) -> Node | None:
    """The one document of a YAML text, None where it is empty; `UsageError` with its place for what is no such thing."""
    yaml = library()
    builder = Composer(file)
    try:
        for event in yaml.parse(text, Loader=getattr(yaml, "CSafeLoader", yaml.SafeLoader)):
            builder.take(event)
    except yaml.MarkedYAMLError as error:
        mark = error.problem_mark or error.context_mark
        place = Place(file, mark.line + 1, mark.column + 1) if mark is not None else Place(file, 1, 1)
        place.refuse(f"this is no YAML: {error.problem or error.context}")
    except (yaml.YAMLError, UnicodeError) as error:
        raise UsageError(f"{file} is no YAML: {str(error).splitlines()[0]}") from None
    return builder.document


def write(data: Any) -> str:
    """The data as YAML that every reader, of whatever version, takes for the same."""
    yaml = library()

    class Dumper(yaml.SafeDumper):  # type: ignore[misc,name-defined]
        def ignore_aliases(self, data: Any) -> bool:
            return True

        def increase_indent(self, flow: bool = False, indentless: bool = False) -> Any:
            return super().increase_indent(flow, False)

    def represent(dumper: Any, text: str) -> Any:
        return dumper.represent_scalar(STR, text, style=_style(text))

    Dumper.add_representer(str, represent)
    told: str = yaml.dump(
        data, Dumper=Dumper, sort_keys=False, allow_unicode=True, width=2**31, default_flow_style=False
    )
    # Such characters stand in double quotes alone, where they may be written out.
    return "".join(each if each.isprintable() or each == "\n" else _escape(each) for each in told)


def _style(text: str) -> str | None:
    if not all(each.isprintable() or each == "\n" for each in text):
        return '"'
    if "\n" in text:
        return "|" if text.strip() == text and not any(line != line.rstrip() for line in text.split("\n")) else '"'
    return '"' if _NUMBERLIKE.fullmatch(text) or not isinstance(scalar(text), str) else None


def _escape(character: str) -> str:
    number = ord(character)
    return f"\\u{number:04x}" if number < 0x10000 else f"\\U{number:08x}"


def refuse_unwritable(text: str, what: str) -> None:
    """Refuse half a character, which YAML has no way to write."""
    if any("\ud800" <= each <= "\udfff" for each in text):
        raise UsageError(f"{what} holds half a character (a lone surrogate), which YAML can't write; write JSON")
    return
