"""What is masked, and what must not be."""

from __future__ import annotations

import html
import json
import time
from collections.abc import Callable
from functools import partial
from urllib.parse import quote, quote_plus, urlencode

import pytest

from brute.eval.masking import WINDOW, beginning, credentials, end, masked, masked_json, masked_value

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
    f"pypi-AgEI{TAIL}": "pypi-***",
    f"pplx-{TAIL}": "pplx-***",
    f"r8_{TAIL}": "r8_***",
    f"SG.{TAIL}.{TAIL}_-": "SG.***",
    f"ya29.a0_{TAIL}": "ya29.***",
    f"AccountKey={TAIL * 3}==": "AccountKey=***",
    "Authorization: Basic dXNlcjpwYXNz==": "Authorization: Basic ***",
    "authorization: bearer onlyLettersAsToken": "authorization: bearer ***",
    f"https://x.org/?a=b&api_key={TAIL}": "https://x.org/?a=b&api_key=***",
    f"https://x.org/?access-token={TAIL}": "https://x.org/?access-token=***",
    "grant=x&client_secret=only/letters~here": "grant=x&client_secret=***",
    "-----BEGIN RSA PRIVATE KEY-----\nMIIabc/+=\nxyz\n-----END": "-----BEGIN RSA PRIVATE KEY-----***-----END",
}

WORDS = [
    "the task-force met the risk-averse bank; ask for sk- or a desk-bound job-description-without-any-key",
    "Bearer of good news and bearer bonds; the bearer responsibility-of-the-owner",
    "eyJ is how they begin, AIza too, AKIA, ghp_ and xoxb-",
    "https://example.org:8080/path and user:password in words, mailto:me@example.org",
    "risk-management-in-the-european-union, ask-me-anything-you-want-to-know",
    "disk-0123456789abcdefghij is a disk, not a key",
    "pypi-attestations-and-more is a package, Basic knowledge of authorization: basic or bearer",
    "https://example.org/?key=a-long-product-name&page=12345678&monkey=0123456789 and PrimaryKey=order_id_and_more",
    "SG.com is a site, and so is ya29.org",
]


@pytest.mark.parametrize("key", KEYS)
@pytest.mark.parametrize("around", ["{}", "see {} there", '"{}"', "key={};", "\n{}\n", "(é{})"])
def test_keys_are_masked_by_their_shape(key: str, around: str) -> None:
    """A key is masked wherever it stands, its kind stays to be read, and masking twice is masking once."""
    text = around.format(key)
    assert masked(text) == around.format(KEYS[key])
    assert masked(masked(text)) == masked(text)


def secrets_of(key: str) -> list[str]:
    """What of a key must not be seen: what its mask stands for, line by line."""
    before, after = KEYS[key].split("***")
    return key[len(before) : len(key) - len(after)].split()


@pytest.mark.parametrize("key", KEYS)
def test_keys_are_masked_in_json_of_json(key: str) -> None:
    """A key after an escaped newline, or in JSON within JSON, is masked, and the JSON stays JSON."""
    inner = json.dumps({"text": f"line\n{key}\nline", "\x1b": f"\x1b{key}"})
    text = json.dumps({"arguments": inner})
    hidden = masked_json(text)
    for secret in secrets_of(key):
        assert secret in text
        assert secret not in hidden
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


ODD = """p&s<'0">x/y+z= ä\\1"""


@pytest.mark.parametrize(
    "write",
    [
        quote, partial(quote, safe=""), partial(quote, safe="!'()*"), quote_plus, lambda secret: urlencode({"k": secret}),
        html.escape, partial(html.escape, quote=False), lambda secret: html.escape(secret).replace("&quot;", "&#34;").replace("&#x27;", "&#39;"),
        repr, ascii, lambda secret: repr(["'" + secret]), lambda secret: repr({"a": secret}),
    ],
)  # fmt: skip
@pytest.mark.parametrize(
    "secret", [ODD, "k9nk&rent/42", "it's/a+secret=", 'say "no" 4 me', "AbC+/d0123456789==", "c:\\new\\1"]
)
def test_values_are_masked_as_urls_html_and_python_write_them(
    write: Callable[[str], str], secret: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A key in a link, in a page, in what an exception shows; in JSON and in JSON within JSON too."""
    monkeypatch.setenv("ODD_API_KEY", secret)
    bare = write("")
    text = write(secret)
    hidden = masked(f"see {text} there")
    assert "***ODD_API_KEY***" in hidden
    assert len(hidden) <= len(f"see {bare} there ***ODD_API_KEY***") + 4
    for ascii in (True, False):
        inside = json.loads(
            json.loads(masked_json(json.dumps([json.dumps(text, ensure_ascii=ascii)], ensure_ascii=ascii)))[0]
        )
        assert "***ODD_API_KEY***" in inside
        assert len(inside) <= len(hidden)


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


SECRETS = {"value": "s3cr3tkeyvalue0123456789abcdef", "shape": f"sk-ant-api03-{TAIL}", "pem": list(KEYS)[-1]}


@pytest.mark.parametrize("secret", SECRETS.values(), ids=SECRETS)
def test_no_part_of_a_key_is_left_where_a_text_is_cut(secret: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """Wherever the cut goes through it, and however much was masked before it."""
    monkeypatch.setenv("CUT_API_KEY", SECRETS["value"])
    body = secret[-12:-3] if "PRIVATE" not in secret else "MIIabc"
    for before in [*range(60, 121), WINDOW + 95, WINDOW + 100, WINDOW + 119, WINDOW + 130]:
        text = "z" * before + " " + secret + " y" * WINDOW
        head, left = beginning(text, 120)
        assert not any(part in head for part in parts(body)), head
        assert len(head) == 120
        assert left == len(masked(text)) - 120 or left > WINDOW
    # So much of it is masked that the end of what was looked at comes into sight.
    text = "".join(f"{secret} " for _ in range(WINDOW))
    assert not any(part in beginning(text, 4000)[0] for part in parts(body))
    tail = end(text[-4000 - WINDOW :], 4000)
    assert not any(part in tail for part in parts(body))


def parts(secret: str) -> list[str]:
    """What nobody may read of it: each six characters in a row."""
    return [secret[at : at + 6] for at in range(len(secret) - 5)]


def test_the_beginning_of_a_text_without_a_secret_is_its_beginning() -> None:
    """And what is left out is counted."""
    assert beginning("abc", 5) == ("abc", -2)
    assert beginning("abcdef", 5) == ("abcde", 1)
    assert beginning("a" * 10**6, 5) == ("aaaaa", 10**6 - 5)
    assert end("abcdef", 3) == "def"
