"""What a terminal shows after some output: enough of one for what rich sends."""

from __future__ import annotations

import itertools
import re
import unicodedata

_PIECE = re.compile(r"\x1b\[(\??[\d;]*)([A-Za-z])|([^\x1b]+)", re.S)


def shown(output: str) -> str:
    """The text on the screen, and above it, when all of the output has been written; colours are left out."""
    lines, row, column = [""], 0, 0
    for match in _PIECE.finditer(output):
        number, letter, text = match.groups()
        if letter == "A":
            row -= int(number or 1)
        elif letter == "K":
            lines[row], column = "", 0
        elif letter is not None:
            assert letter in "mhl", f"the terminal was sent {match.group()!r}"
        for piece in re.findall(r"[^\r\n]+|\r|\n", text or ""):
            if piece == "\r":
                column = 0
            elif piece == "\n":
                row, column = row + 1, 0
                lines += [""] if row == len(lines) else []
            else:
                lines[row] = lines[row][:column] + piece + lines[row][column + len(piece) :]
                column += len(piece)
    return "\n".join(lines).rstrip("\n") + "\n"


def cells(text: str) -> int:
    """How many cells a terminal takes, counted in another way than by rich: by what Unicode says of each character."""
    width = 0
    for before, character in itertools.pairwise(f" {text}"):
        if before == "\u2764" and character == "\ufe0f":
            width += 1  # the heart, drawn as an emoji
        elif unicodedata.combining(character) or character == "\ufe0f" or 0x1F3FB <= ord(character) <= 0x1F3FF:
            continue
        elif 0x1F1E6 <= ord(character) <= 0x1F1FF:
            width += 1  # two of them are one flag
        else:
            width += 2 if unicodedata.east_asian_width(character) in "WF" else 1
    return width
