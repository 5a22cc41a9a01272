"""The command `brute` itself, and what its page in the docs says."""

from __future__ import annotations

import importlib
import re
from pathlib import Path

import click
import pytest

import brute as package
from brute.eval.cli.group import VERBS
from brute.eval.cli.group import brute as group
from tests.eval.cli.conftest import Brute

DOCS = Path(__file__).parents[3] / "docs" / "cli.md"


def test_the_version(brute: Brute) -> None:
    """--version says which version this is."""
    ended = brute("--version")
    assert (ended.status, ended.out) == (0, f"brute {package.__version__}\n")


def test_the_verbs_are_known_by_their_short_help() -> None:
    """The table of verbs, which is shown without importing them, says what the verbs themselves say."""
    for name, told in VERBS.items():
        command: click.Command = importlib.import_module(f"brute.eval.cli.{name}").command
        assert (command.name, command.get_short_help_str(100)) == (name, told)


def options() -> list[str]:
    """Every option of every verb, in its long form where it has one."""
    context = click.Context(group)
    found = []
    for verb in group.list_commands(context):
        command = group.get_command(context, verb)
        assert command is not None
        found += [f"{verb} {max(each.opts, key=len)}" for each in command.params if isinstance(each, click.Option)]
    return found


@pytest.mark.parametrize("option", options())
def test_every_option_is_documented(option: str) -> None:
    """Every option stands in docs/cli.md, in the section of its verb."""
    verb, name = option.split()
    section = DOCS.read_text(encoding="utf-8").partition(f"## brute {verb}")[2].partition("\n## ")[0]
    assert re.search(rf"`[^`]*{re.escape(name)}\b", section)


def test_every_exit_status_is_documented() -> None:
    """The table of exit statuses in docs/cli.md has each of them."""
    section = DOCS.read_text(encoding="utf-8").partition("## Exit status")[2].partition("\n## ")[0]
    assert re.findall(r"^\| `(\d+)`", section, re.M) == ["0", "1", "2", "3", "5", "70", "130"]
