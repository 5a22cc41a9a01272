"""The page around the data: its head, its policy, and the scripts and the style that are written into it.

A report in a file and the live view of a log are both this page: what differs is where its script has the data from.
"""

from __future__ import annotations

import base64
import hashlib
import json
from collections.abc import Sequence
from importlib import resources
from typing import Any


class Shell:
    """A page of these scripts: `head`, then blocks of data, then `foot`. `reaches` says what else its policy lets it do."""

    def __init__(self, scripts: Sequence[str], reaches: str = "") -> None:
        self._style = _asset("page.css")
        self._script = '\n"use strict";\n(() => {\n' + "".join(map(_asset, scripts)) + "})();\n"
        self.policy = (
            f"default-src 'none'; script-src '{_hash(self._script)}'; style-src '{_hash(self._style)}'; img-src data:; "
            f"{reaches}base-uri 'none'; form-action 'none'; require-trusted-types-for 'script'; trusted-types 'none'"
        )

    @property
    def head(self) -> str:
        """All that comes before the data."""
        return _HEAD.format(policy=self.policy, style=self._style)

    @property
    def foot(self) -> str:
        """All that comes after it."""
        return f"<script>{self._script}</script>\n</body>\n</html>\n"


_HEAD = """<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" content="{policy}">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="referrer" content="no-referrer">
<meta name="color-scheme" content="light dark">
<title>brute eval</title>
<link rel="icon" href="data:,">
<style>{style}</style>
</head>
<body>
<noscript>This report is drawn by the script at its end, and scripts are switched off.</noscript>
<main id="page"></main>
"""


def block(id: str, data: Any) -> str:
    """The data in a block that is never run. Without `<` nothing in it can end it, nor begin a comment."""
    text = json.dumps(data, ensure_ascii=True, allow_nan=False, separators=(",", ":"))
    for character in "<>&":
        text = text.replace(character, f"\\u{ord(character):04x}")
    return f'<script type="application/json" id="{id}">{text}</script>\n'


def _hash(text: str) -> str:
    return f"sha256-{base64.b64encode(hashlib.sha256(text.encode()).digest()).decode()}"


def _asset(name: str) -> str:
    return resources.files(__package__).joinpath("page", name).read_text(encoding="utf-8").replace("\r\n", "\n")
