"""Cases as rows of the run log: enough to show an attempt by, and to tell whether a case is still the same."""

from __future__ import annotations

import dataclasses
import hashlib
import json
from collections.abc import Mapping
from typing import Any

from .budget import Budget
from .case import Case
from .jsonable import plain
from .masking import masked, masked_json

Row = tuple[Any, ...]


def about(case: Case, inputs: Mapping[str, str] | None = None) -> str:
    """What the log keeps of a case beside its name: enough to show it by, and the prints of its inputs."""
    kept = {
        "said": case.said,
        "runs": case.runs,
        "budget": {k: v for k, v in dataclasses.asdict(case.budget).items() if v is not None},
        **({"inputs": dict(inputs)} if inputs else {}),
    }
    return masked_json(json.dumps(kept))


def case_row(suite: str, case: Case, content: bytes | None, inputs: Mapping[str, str] | None = None) -> Row:
    """(suite, name, content, about, digest): the digest says whether two runs attempted the same case."""
    kept: str = about(case, inputs)
    suite, name = (masked(plain(text)) for text in (suite, case.name))
    row = (suite, name, content, kept)
    return (*row, case_digest(row))


def case_digest(row: Row) -> bytes:
    """What tells one case from another, and a damaged row from what was written."""
    return hashlib.blake2b(repr(row).encode(), digest_size=16).digest()


def case_of(name: str, kept: str) -> Case:
    """A case to show an attempt by: its name, what was said, its runs and its budget, and none of its expectations."""
    known: Mapping[str, Any] = json.loads(kept)
    budget = Budget(**known["budget"]) if known["budget"] else _BLANK.budget
    given = {"name": name, "said": known["said"], "runs": known["runs"], "budget": budget}
    # Past the refusals of what could not be meant: this case was one already, and a log may hold thousands.
    made = object.__new__(Case)
    for field in _CASE_FIELDS:
        object.__setattr__(made, field, given[field] if field in given else getattr(_BLANK, field))
    return made


_BLANK = Case("of a log", said=None)
_CASE_FIELDS = tuple(field.name for field in dataclasses.fields(Case))
