"""What is masked, and what must not be."""

from __future__ import annotations

import json
import time

import pytest

from brute.eval.masking import credentials, masked, masked_json, masked_value

TAIL = "AbCdEfGh12345678IjKlMnOp"
JWT = "eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIxMjM0In0.c2lnbmF0dXJl"

KEYS = {
    f"sk-{TAIL}": "sk-***",
    f"sk-proj-{TAIL}_-x": "sk-proj-***",
    f"sk-ant-api03-{TAIL}": "sk-ant-***",
    f"AIza{TAIL}01234567890": "AIza***",
    "AKIAIOSFODNN7EXAMPLE": "AKIA***",
    f"ghp_{TAIL}": "ghp_***",
    f"github_pat_{TAIL}": "github_pat_***",
    f"xoxb-123456-{TAIL}": "xoxb-***",
    f"hf_{TAIL}": "hf_***",
    f"sk_live_{TAIL}": "sk_live_***",
    f"Bearer {TAIL}==": "Bearer ***",
    f"bearer {TAIL}": "bearer ***",
    JWT: "eyJ***",
    "https://user:hunter22@example.org": "https://user:***@example.org",
    "-----BEGIN RSA PRIVATE KEY-----\nMIIabc/+=\nxyz\n-----END": "-----BEGIN RSA PRIVATE KEY-----***-----END",
}

WORDS = [
    "the task-force met the risk-averse bank; ask for sk- or a desk-bound job-description-without-any-key",
    "Bearer of good news and bearer bonds; the bearer responsibility-of-the-owner",
    "eyJ is how they begin, AIza too, AKIA, ghp_ and xoxb-",
    "https://example.org:8080/path and user:password in words, mailto:me@example.org",
    "risk-management-in-the-european-union, ask-me-anything-you-want-to-know",
    "disk-0123456789abcdefghij is a disk, not a key",
]


@pytest.mark.parametrize("key", KEYS)
@pytest.mark.parametrize("around", ["{}", "see {} there", '"{}"', "key={};", "\n{}\n", "(é{})"])
def test_keys_are_masked_by_their_shape(key: str, around: str) -> None:
    """A key is masked wherever it stands, its kind stays to be read, and masking twice is masking once."""
    text = around.format(key)
    assert masked(text) == around.format(KEYS[key])
    assert masked(masked(text)) == masked(text)


@pytest.mark.parametrize("key", KEYS)
def test_keys_are_masked_in_json_of_json(key: str) -> None:
    """A key after an escaped newline, or in JSON within JSON, is masked, and the JSON stays JSON."""
    inner = json.dumps({"text": f"line\n{key}\nline", "\x1b": f"\x1b{key}"})
    text = json.dumps({"arguments": inner})
    hidden = masked_json(text)
    secret = key.split("-----")[-2][:12] if "PRIVATE" in key else key[-8:]
    if "@" not in key:
        assert secret not in hidden.replace("-----END", "") or "PRIVATE" in key
    assert "***" in json.loads(json.loads(hidden)["arguments"])["text"]


@pytest.mark.parametrize("text", WORDS)
def test_ordinary_words_are_never_masked(text: str) -> None:
    """What only begins like a key stays as it is."""
    assert masked(text) == text


def test_values_of_the_environment_are_masked_under_their_names(monkeypatch: pytest.MonkeyPatch) -> None:
    """A credential is masked from the moment at which it stands in the environment, and after it has gone again."""
    assert masked("the words b4nk&rate/42 stay") == "the words b4nk&rate/42 stay"
    monkeypatch.setenv("SEARCH_API_KEY", "b4nk&rate/42")
    assert masked("the words b4nk&rate/42 go") == "the words ***SEARCH_API_KEY*** go"
    monkeypatch.delenv("SEARCH_API_KEY")
    assert masked("the words b4nk&rate/42 go") == "the words ***SEARCH_API_KEY*** go"


def test_values_are_masked_as_json_writes_them(monkeypatch: pytest.MonkeyPatch) -> None:
    """A secret with quotes, backslashes and letters beyond ASCII is found in JSON, and in JSON within JSON."""
    secret = 'päss"w\\rd1'
    monkeypatch.setenv("DB_PASSWORD", secret)
    for ascii in (True, False):
        inner = json.dumps({"p": secret}, ensure_ascii=ascii)
        hidden = masked_json(json.dumps([inner, secret], ensure_ascii=ascii))
        assert json.loads(hidden) == ['{"p": "***DB_PASSWORD***"}', "***DB_PASSWORD***"]


def test_json_stays_json_where_a_secret_reaches_over_two_values(monkeypatch: pytest.MonkeyPatch) -> None:
    """A secret that reads like the seam between two values does not tear them."""
    monkeypatch.setenv("ODD_TOKEN", '","bb": "')
    assert json.loads(masked_json('{"a": "x","bb": "y"}')) == {"a": "x", "bb": "y"}


def test_only_what_looks_like_a_credential_is_one() -> None:
    """The name has to say it, and the value must be more than a short or ordinary word, a number or a path."""
    names = {
        "A_KEY",
        "keyToken",
        "MY_TOKEN",
        "PGPASSWORD",
        "AWS_SECRET_ACCESS_KEY",
        "NPM_AUTH",
        "appKey",
        "GH_PAT",
        "X_CREDENTIALS",
    }
    assert set(credentials({name: f"{name}-0a1b2c3d" for name in names}).values()) == names
    for name in ("PATH", "KEYBOARD", "MONKEY", "PWD", "AUTHOR", "SHELL", "HOTKEYS1", "COMPASS"):
        assert credentials({name: f"{name}-0a1b2c3d"}) == {}
    for value in ("short12", "password", "development", "true", "12345678", __file__, " " * 12):
        assert credentials({"API_KEY": value}) == {}


def test_data_is_masked_in_every_text_of_it() -> None:
    """Keys and values of mappings and lists are masked, numbers stay."""
    key = f"ghp_{TAIL}"
    assert masked_value({key: [key, 1, None, {"a": (key,)}]}) == {"ghp_***": ["ghp_***", 1, None, {"a": ["ghp_***"]}]}


def test_a_long_text_costs_time_in_proportion() -> None:
    """A megabyte of what nearly is a key is read in a moment."""
    for text in (
        "sk-" * 300_000,
        "Bearer " * 150_000,
        "eyJ" + "a." * 500_000,
        "://a:" * 200_000,
        "-----BEGIN PRIVATE KEY-----" * 40_000,
    ):
        began = time.process_time()
        masked(text)
        assert time.process_time() - began < 2.0
