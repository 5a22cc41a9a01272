"""What a terminal shows after some output: enough of one for what rich sends."""

from __future__ import annotations

import re

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
