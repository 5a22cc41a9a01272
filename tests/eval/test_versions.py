"""The versions that an extra asks for, and those that are installed."""

from __future__ import annotations

from importlib import metadata
from typing import Any

import pytest

from brute import UsageError
from brute.eval import frameworks, versions

ASKED = [
    "click>=8",
    "genai-prices>=0.2; extra == 'acme'",
    'acme-agents[all]<2,>=1.4; extra == "acme"',
    "acme-agents<9,>=1.7; extra == 'other'",
    "acme-more; extra == 'acme'",
]


@pytest.fixture
def installed(monkeypatch: pytest.MonkeyPatch) -> Any:
    """An environment in which these packages are."""
    found: dict[str, str] = {}

    def version(package: str) -> str:
        if package not in found:
            raise metadata.PackageNotFoundError(package)
        return found[package]

    monkeypatch.setattr(metadata, "requires", lambda name: ASKED if name == "brute-eval" else None)
    monkeypatch.setattr(metadata, "version", version)
    versions.too_old.cache_clear()
    yield found
    versions.too_old.cache_clear()


@pytest.mark.parametrize("version", ["1.4", "1.4.0", "1.10.2", "2.0.0rc1", "1.4+local"])
def test_what_is_new_enough_is_let_through(installed: dict[str, str], version: str) -> None:
    """The oldest supported version too, and one that is newer than any that is known."""
    installed["acme-agents"] = version
    assert versions.too_old("acme") is None


@pytest.mark.parametrize("version", ["1.3.9", "1.3.9.post2", "0.9", "1"])
def test_what_is_older_is_named_with_what_to_do(installed: dict[str, str], version: str) -> None:
    """By the extra that brings a newer one."""
    installed["acme-agents"] = version
    assert versions.too_old("acme") == (
        f"acme-agents {version} is installed, and 1.4 is the oldest that is supported: pip install -U 'brute-eval[acme]'"
    )


def test_what_is_not_installed_is_not_old(installed: dict[str, str]) -> None:
    """It says by itself that it is missing; so does what has no metadata, run from its source."""
    assert versions.too_old("acme") is None
    assert versions.too_old("nothing") is None


def test_an_agent_of_an_older_version_is_refused_in_a_sentence(installed: dict[str, str]) -> None:
    """Before its adapter could stumble over what that version lacks, which would count against the agent."""
    installed["acme-agents"] = "1.2"
    acme = frameworks.Framework(name="acme", modules=("acme",), adapter="brute_acme:Acme", extra="acme")
    with pytest.raises(
        UsageError, match=r"^the adapter for acme can't be used: acme-agents 1\.2 is installed, and 1\.4 is"
    ):
        acme.adapt(object())
