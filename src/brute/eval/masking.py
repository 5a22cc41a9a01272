"""What hides secrets in a text before it is written or shown.

Two kinds of secrets are known: the values of environment variables whose names say so, and API keys by their shape. A text that holds
neither costs a handful of substring searches.
"""

from __future__ import annotations

import json
import os
import re
from collections.abc import Mapping
from typing import Any

MASK = "***"

# Before a key there may be an escape of the JSON text that it stands in: the n of \n is none of the key's letters.
_EDGE = r"(?:(?<![A-Za-z0-9])|(?<=\\[nrtbf])|(?<=\\u[0-9a-fA-F]{4}))"
_PARAMETER = r"(?:[?&]|&amp;|\\u0026)"
_VALUE = r"[^\s&#\"'\\<>*;)]{8,}"
_SHAPES: dict[str, tuple[str, ...]] = {
    # What is searched for first: a text without it holds no such key, and most texts hold none of them.
    "sk-": (rf"({_EDGE}sk-(?:ant-|proj-|or-|svcacct-|admin-)?)[A-Za-z0-9_\-]{{16,}}",),
    "k_": (rf"({_EDGE}[sr]k_(?:live|test)_)[A-Za-z0-9]{{16,}}", rf"({_EDGE}gsk_)[A-Za-z0-9]{{24,}}"),
    "AIza": (rf"({_EDGE}AIza)[A-Za-z0-9_\-]{{30,}}",),
    "IA": (rf"({_EDGE}A[KS]IA)[A-Z0-9]{{16}}(?![A-Za-z0-9])",),
    "gh": (rf"({_EDGE}gh[pousr]_)[A-Za-z0-9]{{20,}}",),
    "github_pat_": (rf"({_EDGE}github_pat_)[A-Za-z0-9_]{{20,}}",),
    "glpat-": (rf"({_EDGE}glpat-)[A-Za-z0-9_\-]{{16,}}",),
    "xox": (rf"({_EDGE}xox[abeoprs]-)[A-Za-z0-9\-]{{10,}}",),
    "hf_": (rf"({_EDGE}hf_)[A-Za-z0-9]{{24,}}",),
    "xai-": (rf"({_EDGE}xai-)[A-Za-z0-9]{{24,}}",),
    "npm_": (rf"({_EDGE}npm_)[A-Za-z0-9]{{24,}}",),
    "pypi-Ag": (rf"({_EDGE}pypi-)Ag[A-Za-z0-9_\-]{{14,}}",),
    "pplx-": (rf"({_EDGE}pplx-)[A-Za-z0-9]{{24,}}",),
    "r8_": (rf"({_EDGE}r8_)[A-Za-z0-9]{{24,}}",),
    "SG.": (rf"({_EDGE}SG\.)[A-Za-z0-9_\-]{{16,}}\.[A-Za-z0-9_\-]{{16,}}",),
    "ya29.": (rf"({_EDGE}ya29\.)[A-Za-z0-9_\-.]{{20,}}",),
    "Key=": (r"((?:Account|SharedAccess)Key=)[A-Za-z0-9+/]{40,}={0,2}",),
    # A header, as text, as JSON and as Python writes a dict; the scheme stays to be read.
    "uthorization": (
        r"((?i:authorization)(?:\\*[\"'])?[ \t]*[:=][ \t]*(?:\\*[\"'])?(?i:basic|bearer|token)[ \t]+)[A-Za-z0-9._~+/\-]{8,}=*",
    ),
    "eyJ": (rf"({_EDGE}eyJ)[A-Za-z0-9_\-]{{6,}}\.[A-Za-z0-9_\-]{{6,}}(?:\.[A-Za-z0-9_\-]*)?",),
    # A word of letters alone may follow "Bearer" in a sentence: a token has a digit in it.
    "earer": (rf"({_EDGE}[Bb]earer[ \t]+)(?=[A-Za-z._~+/\-]*[0-9])[A-Za-z0-9._~+/\-]{{12,}}=*",),
    "PRIVATE KEY-----": (r"(-----BEGIN [A-Z ]*PRIVATE KEY-----)(?:[A-Za-z0-9+/=:,.\s]|\\+[rn]|-(?!----))+",),
    # In a URL or in the body of a form.
    "key=": (rf"({_PARAMETER}api[_\-]?key=){_VALUE}",),
    "token=": (rf"({_PARAMETER}(?:access|auth|refresh|id)[_\-]?token=){_VALUE}",),
    "secret=": (rf"({_PARAMETER}client[_\-]?secret=){_VALUE}",),
    "://": (r"(://[^\s/:@\"\\]+:)[^\s/@\"\\]{3,}(?=@)",),
}
_COMPILED = tuple((sign, tuple(map(re.compile, patterns))) for sign, patterns in _SHAPES.items())
_GH = re.compile("gh[pousr]_")

_TELLING = re.compile(
    r"SECRET|PASSWORD|PASSWD|PASSPHRASE|CREDENTIAL|TOKEN|API_?KEY"
    r"|(?:^|_)(?:KEYS?|PASS|AUTH|PAT|DSN)(?:_|$)|[a-z](?:Key|Token)(?:[A-Z]|$)",
)
_LEAST = 8
_ORDINARY = re.compile(r"[A-Za-z]{1,15}|[0-9.,:\-]{1,11}|(?i:true|false|none|null|disabled|enabled)")

_seen: Mapping[Any, Any] | None = None
_known: dict[str, str] = {}
_values: dict[str, str] = {}
_in_json: dict[str, str] = {}


def masked(text: str) -> str:
    """The text with every secret in it masked; the kind of a key, and the name of a variable, stay to be read.

    >>> masked("used sk-ant-api03-AbCdEfGhIjKlMnOpQrStUv for it")
    'used sk-ant-*** for it'
    """
    _look()
    return _shapes(_named(text, _values))


WINDOW = 8192
"""How far behind the place where a text is cut it is looked at: a key that the cut goes through is masked as a whole."""


def beginning(text: str, size: int) -> tuple[str, int]:
    """The first `size` characters of a text of any length, masked before it is cut, and how many are left out (less than 0: none).

    >>> beginning("used sk-ant-api03-AbCdEfGhIjKlMnOpQrStUv for it", 24)
    ('used sk-ant-*** for it', -2)
    """
    reach = size + WINDOW
    head = masked(text[:reach])
    behind = max(0, len(text) - reach)
    if behind:
        # What stands at the very end may be a part of a key, and comes near where so much before it was masked.
        whole = head[: -_partial()]
        behind, head = behind + len(head) - len(whole), whole
    return head[:size], len(head) - size + behind


def _partial() -> int:
    """How long a part of a key may be that is not known for one."""
    return max(64, len(next(iter(_values), "")))


def end(text: str, size: int) -> str:
    """The last `size` characters of a text of which `WINDOW` more are known: masked, then cut."""
    tail = masked(text)
    return tail[-size:] if len(text) < size + WINDOW else tail[_partial() :][-size:]


def masked_json(text: str) -> str:
    """The JSON text with every secret in it masked, and JSON still."""
    _look()
    # A form with bare quotes would be found across the seam of two values, and tear them.
    hidden = _shapes(_named(text, _in_json))
    if hidden == text:
        return text
    try:
        json.loads(hidden)
    except ValueError:
        # A text in ASCII may hold what can be written in no other way: half a character.
        return json.dumps(masked_value(json.loads(text)), ensure_ascii=text.isascii(), separators=(",", ":"))
    return hidden


def _named(text: str, values: Mapping[str, str]) -> str:
    """The text without the values of the environment; the longest first, for one may be part of another."""
    for value, name in values.items():
        if value in text:
            text = text.replace(value, f"{MASK}{name}{MASK}")
    return text


def _shapes(text: str) -> str:
    """The text without what has the shape of a key."""
    for sign, patterns in _COMPILED:
        # "gh" stands in every other sentence.
        if sign in text and (sign != "gh" or _GH.search(text)):
            for pattern in patterns:
                text = pattern.sub(rf"\1{MASK}", text)
    return text


def masked_value(value: Any) -> Any:
    """JSON-able data with every text in it masked, keys too."""
    if isinstance(value, str):
        return masked(value)
    if isinstance(value, Mapping):
        return {masked(key) if isinstance(key, str) else key: masked_value(each) for key, each in value.items()}
    return [masked_value(each) for each in value] if isinstance(value, (list, tuple)) else value


def credentials(environ: Mapping[str, str]) -> dict[str, str]:
    """The values that look like credentials, each with the name of its variable.

    A value that is short, an ordinary word, a number or the path of a file is none: masking it would garble every other sentence.

    >>> credentials({"OPENAI_API_KEY": "k-93f0aa71c2", "KEYBOARD": "us-intl-2024", "PASSWORD": "password"})
    {'k-93f0aa71c2': 'OPENAI_API_KEY'}
    """
    return {value: name for name, value in environ.items() if _TELLING.search(name) and _secret(value)}


def _secret(value: str) -> bool:
    if len(value) < _LEAST or value.isspace() or _ORDINARY.fullmatch(value):
        return False
    return not (os.sep in value and os.path.exists(value))


def _look() -> None:
    """Take in what the environment holds now; a program may load its keys on the way, and what was once a secret stays one."""
    global _seen
    # The mapping under os.environ can be compared without decoding a thing, which is why its private name is used where it is there.
    now: Mapping[Any, Any] = getattr(os.environ, "_data", os.environ)
    if _seen == now:
        return
    _seen = dict(now)
    take_in(credentials(os.environ))


def known() -> Mapping[str, str]:
    """The credentials that this process has come to know, each with the name of its variable, in the order in which they came."""
    _look()
    return _known


def take_in(found: Mapping[str, str]) -> None:
    """Mask these values from now on, each under its name: other processes' credentials, which stand in no variable here."""
    global _values, _in_json
    new = {value: name for value, name in found.items() if value not in _known}
    if not new:
        return
    _known.update(new)
    # Others may be reading the old ones, on other threads.
    values = dict(_values)
    for value, name in new.items():
        for form in _forms(value):
            values.setdefault(form, name)
    _values = {form: values[form] for form in sorted(values, key=len, reverse=True)}
    _in_json = {form: name for form, name in _values.items() if not re.search(r'(?<!\\)"', form)}


_PLAIN = re.compile(r"[A-Za-z0-9_.~\-]*")
_HTML: dict[str, str | int | None] = {"&": "&amp;", "<": "&lt;", ">": "&gt;"}
_QUOTES: tuple[dict[str, str | int | None], ...] = (
    {'"': "&quot;", "'": "&#x27;"},
    {'"': "&#34;", "'": "&#39;"},
    {'"': "&quot;", "'": "&#39;"},
    {'"': "&quot;"},
    {},
)


def _forms(value: str) -> set[str]:
    """The value as it stands in a text, in a URL, in HTML and in Python; each of these also in JSON, and in JSON within JSON."""
    forms = {value}
    if not _PLAIN.fullmatch(value):
        forms |= _escaped(value)
    for form in [*forms]:
        for ascii in (True, False):
            once = json.dumps(form, ensure_ascii=ascii)[1:-1]
            forms |= {once, json.dumps(once, ensure_ascii=ascii)[1:-1]}
    return forms


def _escaped(value: str) -> set[str]:
    """A value in which there is something to escape: as URLs and forms, Python, and HTML do."""
    from urllib.parse import quote, quote_plus

    # Beside a double quote Python escapes the single ones, and else it does not.
    written = {wrote('"' + value)[2:-1] for wrote in (repr, ascii)}
    forms = written | {each.replace("\\'", "'") for each in written}
    # A browser leaves some of them as they are.
    forms |= {quote(value, safe, errors="backslashreplace") for safe in ("", "/", "!'()*", ":/?#[]@!$&'()*+,;=")}
    forms |= {quote_plus(value, errors="backslashreplace")}
    return forms | {value.translate(str.maketrans({**_HTML, **quotes})) for quotes in _QUOTES}
