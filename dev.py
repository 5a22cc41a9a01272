#!/usr/bin/env python3
"""Everything that one does in a clone, with nothing but Python and pip: `python3 dev.py VERB [ARGUMENTS]`.

It keeps an environment in .venv, into which the project is installed as it is built (a wheel), never the source folder.
"""

from __future__ import annotations

import concurrent.futures
import hashlib
import json
import os
import pathlib
import shutil
import subprocess
import sys

ROOT = pathlib.Path(__file__).resolve().parent
VENV = ROOT / os.environ.get("BRUTE_VENV", ".venv")
BIN = VENV / ("Scripts" if os.name == "nt" else "bin")
CONSTRAINTS = ROOT / os.environ.get("BRUTE_CONSTRAINTS", "constraints.txt")
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
    run(PYTHON, "-m", "pip", *arguments, "-q", "-c", CONSTRAINTS)


def install(extras: str) -> None:
    """Build the wheel and install it with `extras`, unless that very source is installed already."""
    environment()
    mark, digest = VENV / "brute-installed", _digest()
    known, _, there = (mark.read_text() if mark.exists() else "").partition(" ")
    wanted = set(extras.split(",")) | set(filter(None, there.split(",")))
    if known == digest and wanted == set(there.split(",")):
        return
    extras = ",".join(sorted(wanted))
    print(f"installing brute-eval[{extras}] into {VENV.name} (the first time takes a minute)", flush=True)
    # Its own, for environments may be made side by side.
    dist = VENV / "dist"
    shutil.rmtree(dist, ignore_errors=True)
    pip("wheel", "--no-deps", "-w", dist, ROOT)
    wheel = next(dist.glob("*.whl"))
    pip("install", f"{wheel}[{extras}]")
    run(PYTHON, "-m", "pip", "install", "-q", "--no-deps", "--force-reinstall", wheel)
    mark.write_text(f"{digest} {extras}")


def _digest() -> str:
    """What is built and under which pins, in short."""
    found = hashlib.sha256(f"{sys.version_info[:2]}".encode())
    files = [ROOT / "pyproject.toml", CONSTRAINTS, *sorted((ROOT / "src").rglob("*"))]
    for path in files:
        if path.is_file() and "__pycache__" not in path.parts:
            found.update(f"{path.relative_to(ROOT)}\n".encode() + path.read_bytes())
    return found.hexdigest()


EVERYTHING = "bench,dev,local,models,view,yaml"


def quickstart(*arguments: str) -> None:
    """The quickstart eval, on the embedded model."""
    install("local")
    run(PYTHON, "-m", "brute", "eval", *(arguments or ["examples/quickstart/eval_quickstart.py"]))


def untruths(*arguments: str) -> None:
    """The eval that catches the embedded model in an untruth: it fails, and shows what a failure looks like."""
    quickstart("examples/quickstart/eval_untruths.py", *arguments)


def test(*arguments: str) -> None:
    """The fast tests, on the built wheel; arguments go to pytest. Without any, all of them, two at a time where there are two processors."""
    install(EVERYTHING)
    run(PYTHON, "-m", "pytest", "-q", *(arguments or ("-n", str(min(2, os.cpu_count() or 1)))))
    if not arguments:
        doctests()


def doctests() -> None:
    """The examples in the docstrings; an adapter's, where its framework is there."""
    run(PYTHON, "-m", "pytest", "-q", "--doctest-modules", "--doctest-ignore-import-errors", "--pyargs", "brute")


def functional(*arguments: str) -> None:
    """The tests that run the installed command, the real embedded model, and the page of a report in a real browser."""
    install(EVERYTHING)
    run(PYTHON, "-m", "pytest", "-q", "-m", "model or functional or browser", *arguments)


def lint() -> None:
    """Ruff, over everything."""
    install(EVERYTHING)
    run(PYTHON, "-m", "ruff", "check", ".")
    run(PYTHON, "-m", "ruff", "format", "--check", ".")


def types() -> None:
    """Mypy, strict, over src."""
    install(EVERYTHING)
    run(PYTHON, "-m", "mypy")


def screenshots() -> None:
    """The pictures of the README, drawn anew from real runs of the embedded model."""
    install("local")
    run(PYTHON, ROOT / "docs" / "screenshots.py")


def bench(*names: str) -> None:
    """The benchmarks, all or the named ones."""
    install(EVERYTHING)
    run(PYTHON, "-m", "bench", *names)


FRAMEWORKS = {
    "pydantic_ai": ("pydantic-ai", ["pydantic-ai-slim[anthropic,google,mcp,openai]"], ["pydantic-ai-slim==2.35.0"]),
    "openai_agents": ("openai-agents", ["mcp"], ["openai-agents==0.23.1"]),
    "langgraph": (
        "langgraph",
        ["langchain-mcp-adapters", "langchain-openai"],
        ["langchain==1.3.0", "langgraph==1.2.0"],
    ),
    "google_adk": ("google-adk", ["litellm", "mcp"], ["google-adk==2.9.0"]),
    "strands": ("strands-agents", ["strands-agents[openai]"], ["strands-agents==1.45.0"]),
    "agent_framework": (
        "agent-framework",
        ["agent-framework-openai", "mcp", "tenacity"],
        ["agent-framework-core==1.10.0"],
    ),
    # With the CLI that its wheel brings, half a gigabyte, on which its tests run too where it is asked for by its name.
    "claude_agent_sdk": ("claude-agent-sdk", ["mcp"], ["claude-agent-sdk==0.1.81"]),
    "smolagents": ("smolagents", ["mcpadapt", "openai", "websockets"], ["smolagents==1.20.0"]),
    "agno": ("agno", ["agno[mcp]", "openai"], ["agno==2.6.0", "mcp<2"]),
    "haystack": ("haystack", ["mcp-haystack"], ["haystack-ai==3.0.0"]),
    "llama_index": (
        "llama-index",
        ["llama-index-llms-openai-like", "llama-index-tools-mcp"],
        ["llama-index-core==0.14.8"],
    ),
    "crewai": ("crewai", ["mcp", "openai"], ["crewai==1.14.1"]),
    "dspy": ("dspy", ["mcp"], ["dspy==3.0.4"]),
}
"""Each framework's extra, what its tests and its example need besides, and the oldest versions that are supported."""

APART = {"crewai": "a gigabyte, which takes minutes to install"}
"""What is tested only where it is asked for by its name, and why."""


def frameworks(*arguments: str) -> None:
    """The contract of the adapters, each framework in an environment of its own; `all`: the large ones too, `lowest`: the oldest versions, `bench`: what it costs."""
    names = [word for word in arguments if word in FRAMEWORKS]
    if not names:
        names = [name for name in FRAMEWORKS if "all" in arguments or name not in APART]
        for name, why in APART.items() if "all" not in arguments else ():
            print(f"left out: {name} ({why}): python3 dev.py frameworks {' '.join([name, *arguments])}", flush=True)
    (ROOT / "build").mkdir(exist_ok=True)
    rows = ROOT / "build" / "rows.json"
    found: dict[str, object] = {}
    # Side by side, unless it is measured.
    with concurrent.futures.ThreadPoolExecutor(1 if "bench" in arguments else os.cpu_count() or 1) as pool:
        statuses = []
        for done in [pool.submit(_environment, name, *arguments) for name in names]:
            print(done.result()[0], end="", flush=True)
            statuses.append(done.result()[1])
    # The others are told of all the same: what broke may be all of them, or one.
    broken = {name: status for name, status in zip(names, statuses, strict=True) if status}
    if broken:
        print(f"failed: {', '.join(broken)}", flush=True)
        sys.exit(next(iter(broken.values())))
    for name in names:
        part = ROOT / "build" / f"rows-{name}.json"
        found |= json.loads(part.read_text()) if part.exists() else {}
    rows.write_text(json.dumps(found, indent=1))
    if not {"bench", "lowest"} & set(arguments):
        run(sys.executable, "-m", "tests.eval.adapters.table", rows, "--check")


def _environment(name: str, *arguments: str) -> tuple[str, int]:
    """What `framework` prints of this one, and its exit status: another Python program, for the environment is this one's for good."""
    rows = ROOT / "build" / f"rows-{name}.json"
    rows.unlink(missing_ok=True)
    lowest = "-lowest" if "lowest" in arguments else ""
    where = {
        "BRUTE_VENV": f".venv-{name}{lowest}",
        "BRUTE_CONSTRAINTS": f"constraints/{name}{lowest}.txt",
        "BRUTE_ROWS": str(rows),
    }
    done = subprocess.run(
        [sys.executable, __file__, "framework", name, *arguments],
        env={**os.environ, **where},
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        errors="replace",
    )
    return f"== {name}{' (the oldest versions)' if lowest else ''}\n{done.stdout}", done.returncode


def framework(name: str, *arguments: str) -> None:
    """What `frameworks` does in each environment."""
    extra, besides, oldest = FRAMEWORKS[name]
    install(extra)
    pip("install", "pytest", "dirty-equals", *besides, *(oldest if "lowest" in arguments else ()))
    if "bench" in arguments:
        run(PYTHON, "-m", "bench.adapters")
    else:
        # What takes long runs where the framework is asked for by its name.
        mine = (ROOT / "tests" / "eval" / "adapters").glob(f"test_{name}{'*' if name in arguments else ''}.py")
        run(PYTHON, "-m", "pytest", "-q", *sorted(str(path) for path in mine))


VERBS = {
    f.__name__: f
    for f in (quickstart, untruths, test, functional, lint, types, screenshots, bench, frameworks, framework)
}


def main() -> None:
    """Run the verb."""
    if sys.version_info < (3, 11):  # noqa: UP036 - this is what says so to whoever has an older one
        sys.exit(f"brute needs Python 3.11 or newer; this is {sys.version.split()[0]} ({sys.executable})")
    verb, *arguments = sys.argv[1:] or ["help"]
    if verb not in VERBS:
        listed = [f"  {name:<12}{f.__doc__}" for name, f in VERBS.items() if name != "framework"]
        print("python3 dev.py VERB:", *listed, sep="\n")
        sys.exit(0 if verb in ("help", "-h", "--help") else 2)
    VERBS[verb](*arguments)


if __name__ == "__main__":
    main()
