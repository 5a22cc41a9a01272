"""`python -m bench [NAME...]`: the named benchmarks, or all; exit status 1 where a goal was missed."""

from __future__ import annotations

import importlib.util
import subprocess
import sys

NEEDS: dict[str, tuple[str, ...]] = {
    "harness": (),
    "runlog": (),
    "imports": (),
    "executors": (),
    "adapters": ("pydantic_ai",),
    "http": ("aiohttp", "openai"),
    "width": ("aiohttp",),
    "tls": ("openai", "pydantic_ai"),
}
"""Every benchmark, with what it needs besides the package itself."""


def main(names: list[str]) -> int:
    """Run them one after the other, each in a process of its own, so that none starts with another's leavings."""
    unknown = [name for name in names if name not in NEEDS]
    if unknown:
        print(f"no benchmark {', '.join(unknown)}; benchmarks are {', '.join(NEEDS)}", file=sys.stderr)
        return 2
    statuses = {name: _run(name) for name in names or NEEDS}
    missed = [name for name, status in statuses.items() if status]
    print(f"\nmissed a goal: {', '.join(missed)}" if missed else "\nevery goal was reached")
    return 1 if missed else 0


def _run(name: str) -> int:
    print(f"\n== {name}", flush=True)
    absent = [module for module in NEEDS[name] if importlib.util.find_spec(module) is None]
    if absent:
        # What was not measured has not reached its goal.
        print(f"not measured: it needs {', '.join(absent)}; pip install 'brute-eval[bench,models]'", flush=True)
        return 1
    return subprocess.run([sys.executable, "-m", f"bench.{name}"]).returncode


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
