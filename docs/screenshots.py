"""The pictures of the README, drawn from real runs of the embedded model: `python3 dev.py screenshots`.

Each is the report as a terminal of 100 columns shows it, as an SVG that a browser draws with a font of its own: it holds no address
and fetches nothing.
"""

from __future__ import annotations

import io
from pathlib import Path

from rich.console import Console
from rich.terminal_theme import TerminalTheme

from brute.completion import embedded
from brute.eval import Suite
from brute.eval.reporters.live import Live
from brute.eval.reporters.outlet import Outlet
from brute.loading import load_file

ROOT = Path(__file__).resolve().parents[1]
PICTURES = Path(__file__).resolve().parent / "screenshots"
RUNS = {"quickstart": "eval_quickstart.py", "untruths": "eval_untruths.py"}
"""What is drawn: the verb of dev.py that makes the same run, and its eval file."""

WIDTH = 100
THEME = TerminalTheme(
    (17, 21, 28),
    (201, 209, 217),
    [(72, 79, 88), (255, 123, 114), (63, 185, 80), (210, 153, 34), (88, 166, 255), (188, 140, 255), (57, 197, 207), (177, 186, 196)],
    [(110, 118, 129), (255, 161, 152), (86, 211, 100), (227, 179, 65), (121, 192, 255), (210, 168, 255), (86, 212, 221), (240, 246, 252)],
)  # fmt: skip
FORMAT = """\
<svg class="rich-terminal" viewBox="0 0 {width} {height}" xmlns="http://www.w3.org/2000/svg" role="img">
<style>
.{unique_id}-matrix {{
    font-family: ui-monospace, SFMono-Regular, Menlo, Consolas, "DejaVu Sans Mono", "Liberation Mono", monospace;
    font-size: {char_height}px;
    line-height: {line_height}px;
    font-variant-east-asian: full-width;
}}
.{unique_id}-title {{ font-size: 18px; font-weight: bold; font-family: system-ui, sans-serif; }}
{styles}
</style>
<defs>
<clipPath id="{unique_id}-clip-terminal">
<rect x="0" y="0" width="{terminal_width}" height="{terminal_height}" />
</clipPath>
{lines}
</defs>
{chrome}
<g transform="translate({terminal_x}, {terminal_y})" clip-path="url(#{unique_id}-clip-terminal)">
{backgrounds}
<g class="{unique_id}-matrix">
{matrix}
</g>
</g>
</svg>
"""
"""What rich puts a recorded terminal into; its own form links fonts on the web."""


def drawn(suite: Suite, verb: str) -> str:
    """A run of the suite as a picture, under the command that one gives for it."""
    screen = Console(
        file=io.StringIO(), width=WIDTH, record=True, color_system="truecolor", legacy_windows=False, _environ={},
        highlight=False, markup=False, emoji=False,
    )  # fmt: skip
    command = f"python3 dev.py {verb}"
    screen.print(f"$ {command}", style="bold")
    # No terminal, so there is no line of progress, which would have come and gone.
    suite.configured(reporter=Live(Outlet(io.StringIO()), console=screen), log=None).run()
    picture = screen.export_svg(title=command, theme=THEME, code_format=FORMAT, unique_id=verb)
    return "".join(f"{line.rstrip()}\n" for line in picture.splitlines())


def quiet(suite: Suite, verb: str) -> str:
    """The same, once more where the machine was so busy that the report has a note of it; the last of five as it is."""
    for _ in range(5):
        picture = drawn(suite, verb)
        if "stood&#160;still" not in picture:
            break
    return picture


def main() -> None:
    """Draw them all."""
    for verb, file in RUNS.items():
        suite = load_file(ROOT / "examples" / "quickstart" / file).SUITE
        embedded.fetch_all()
        path = PICTURES / f"{verb}.svg"
        path.write_text(quiet(suite, verb), encoding="utf-8", newline="\n")
        print(path.relative_to(ROOT))


if __name__ == "__main__":
    main()
