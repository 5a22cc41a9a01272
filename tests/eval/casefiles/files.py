"""Files of cases that tests read: by their text, as one writes them."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from brute import UsageError
from brute.eval import Case
from brute.eval.casefiles import jsons, yamls
from brute.eval.casefiles.nodes import Node

HEAD = "- name: a\n  said: b\n"
"""A case, of which a test says what matters, from line 3 on."""


def load(text: str, name: str = "cases.yaml", **others: str) -> list[Case]:
    """The cases of a file with this text in the working folder, beside others."""
    for each, told in {name: text, **{other.replace("__", "."): told for other, told in others.items()}}.items():
        Path(each).write_text(told, encoding="utf-8", newline="")
    return Case.load(name)


def case(text: str) -> Case:
    """The case that has these lines behind its name and what was said."""
    return load(HEAD + "".join(f"  {line}\n" for line in text.splitlines()))[0]


def refused(text: str, name: str = "cases.yaml", **others: str) -> str:
    """Why a file with this text is refused."""
    with pytest.raises(UsageError) as why:
        load(text, name, **others)
    return str(why.value)


def refused_in(text: str) -> str:
    """Why a case with these lines is refused; its place begins behind the file's name."""
    return refused(HEAD + "".join(f"  {line}\n" for line in text.splitlines())).removeprefix("cases.yaml:")


def node(text: str) -> Node:
    """The node of a YAML text."""
    made = yamls.parse(text, "x.yaml")
    assert made is not None
    return made


def plainly(of: Node | None) -> Any:
    """The data that a node holds, read by nothing."""
    if of is None:
        return None
    if isinstance(of.value, dict):
        return {name: plainly(entry.value) for name, entry in of.value.items()}
    return [plainly(each) for each in of.value] if isinstance(of.value, list) else of.value


def of_json(text: str) -> Any:
    """The data of a JSON text, by way of nodes."""
    return plainly(jsons.parse(text, "x.json"))
