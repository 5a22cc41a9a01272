#!/usr/bin/env python3
"""Everything that one does in a clone, with nothing but Python and pip: `python3 dev.py VERB [ARGUMENTS]`.

It keeps an environment in .venv, into which the project is installed as it is built (a wheel), never the source folder.
"""

from __future__ import annotations

import hashlib
import os
import pathlib
import shutil
import subprocess
import sys

ROOT = pathlib.Path(__file__).resolve().parent
VENV = ROOT / os.environ.get("BRUTE_VENV", ".venv")
BIN = VENV / ("Scripts" if os.name == "nt" else "bin")
PYTHON = BIN / ("python.exe" if os.name == "nt" else "python")


def run(*command: object, **more: object) -> None:
    """Run a command; the program ends with its exit status where that is not 0."""
    words = [str(word) for word in command]
    status = subprocess.run(
        words, cwd=ROOT, env={**os.environ, "PIP_DISABLE_PIP_VERSION_CHECK": "1"}, **more
    ).returncode
    if status:
        sys.exit(status if status > 0 else 128 - status)


def environment() -> None:
    """Make .venv, also where Python came without the part that puts pip into one."""
    if PYTHON.exists() and subprocess.run([PYTHON, "-m", "pip", "--version"], capture_output=True).returncode == 0:
        return
    shutil.rmtree(VENV, ignore_errors=True)
    if subprocess.run([sys.executable, "-m", "venv", VENV], cwd=ROOT, capture_output=True).returncode:
        shutil.rmtree(VENV, ignore_errors=True)
        run(sys.executable, "-m", "venv", "--without-pip", VENV)
        run(sys.executable, "-m", "pip", "--python", PYTHON, "install", "-q", "pip")


def pip(*arguments: object) -> None:
    """Run pip in .venv, under the versions that the project was tested with."""
    run(PYTHON, "-m", "pip", *arguments, "-q", "-c", ROOT / "constraints.txt")


def install(extras: str) -> None:
    """Build the wheel and install it with `extras`, unless that very source is installed already."""
    environment()
    mark, digest = VENV / "brute-installed", _digest()
    known, _, there = (mark.read_text() if mark.exists() else "").partition(" ")
    wanted = set(extras.split(",")) | set(filter(None, there.split(",")))
    if known == digest and wanted == set(there.split(",")):
        return
    extras = ",".join(sorted(wanted))
    print(f"installing brute-eval[{extras}] into .venv (the first time takes a minute)", flush=True)
    dist = ROOT / "dist"
    shutil.rmtree(dist, ignore_errors=True)
    pip("wheel", "--no-deps", "-w", dist, ROOT)
    wheel = next(dist.glob("*.whl"))
    pip("install", f"{wheel}[{extras}]")
    run(PYTHON, "-m", "pip", "install", "-q", "--no-deps", "--force-reinstall", wheel)
    mark.write_text(f"{digest} {extras}")


def _digest() -> str:
    """What is built and under which pins, in short."""
    found = hashlib.sha256(f"{sys.version_info[:2]}".encode())
    files = [ROOT / "pyproject.toml", ROOT / "constraints.txt", *sorted((ROOT / "src").rglob("*"))]
    for path in files:
        if path.is_file() and "__pycache__" not in path.parts:
            found.update(f"{path.relative_to(ROOT)}\n".encode() + path.read_bytes())
    return found.hexdigest()


EVERYTHING = "bench,dev,local,models,yaml"


def quickstart(*arguments: str) -> None:
    """The quickstart eval, on the embedded model."""
    install("local")
    run(PYTHON, "-m", "brute", "eval", *(arguments or ["examples/quickstart/eval_quickstart.py"]))


def untruths(*arguments: str) -> None:
    """The eval that catches the embedded model in an untruth: it fails, and shows what a failure looks like."""
    quickstart("examples/quickstart/eval_untruths.py", *arguments)


def test(*arguments: str) -> None:
    """The fast tests, on the built wheel; arguments go to pytest."""
    install(EVERYTHING)
    run(PYTHON, "-m", "pytest", "-q", *arguments)
    if not arguments:
        doctests()


def doctests() -> None:
    """The examples in the docstrings."""
    run(PYTHON, "-m", "pytest", "-q", "--doctest-modules", "--pyargs", "brute")


def functional(*arguments: str) -> None:
    """The tests that run the installed command, and the real embedded model."""
    install(EVERYTHING)
    run(PYTHON, "-m", "pytest", "-q", "-m", "model or functional", *arguments)


def lint() -> None:
    """Ruff, over everything."""
    install(EVERYTHING)
    run(PYTHON, "-m", "ruff", "check", ".")
    run(PYTHON, "-m", "ruff", "format", "--check", ".")


def types() -> None:
    """Mypy, strict, over src."""
    install(EVERYTHING)
    run(PYTHON, "-m", "mypy")


def bench(*names: str) -> None:
    """The benchmarks, all or the named ones."""
    install(EVERYTHING)
    run(PYTHON, "-m", "bench", *names)


VERBS = {f.__name__: f for f in (quickstart, untruths, test, functional, lint, types, bench)}


def main() -> None:
    """Run the verb."""
    if sys.version_info < (3, 11):  # noqa: UP036 - this is what says so to whoever has an older one
        sys.exit(f"brute needs Python 3.11 or newer; this is {sys.version.split()[0]} ({sys.executable})")
    verb, *arguments = sys.argv[1:] or ["help"]
    if verb not in VERBS:
        print("python3 dev.py VERB:", *(f"  {name:<12}{f.__doc__}" for name, f in VERBS.items()), sep="\n")
        sys.exit(0 if verb in ("help", "-h", "--help") else 2)
    VERBS[verb](*arguments)


if __name__ == "__main__":
    main()
