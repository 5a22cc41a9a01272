"""What it takes until the package is imported and the command has said its help, beside a bare interpreter and `import asyncio`."""

from __future__ import annotations

import collections
import dataclasses
import os
import re
import statistics
import subprocess
import sys
import tempfile
import time
from pathlib import Path

from bench.side import at_most, line

ROUNDS = 15
RATIO = 1.67
"""By `import asyncio`: 120 ms where that takes 72."""

MILLISECONDS = 120.0
SCRIPT = "import sys\nfrom brute.eval.cli import main\nif __name__ == '__main__':\n    sys.exit(main())\n"
"""What an installer writes for the entry point."""


@dataclasses.dataclass
class Command:
    """A command, and the milliseconds of wall and of CPU that its runs took."""

    name: str
    words: list[str]
    goal: bool = True
    walls: list[float] = dataclasses.field(default_factory=list)
    cpus: list[float] = dataclasses.field(default_factory=list)

    @property
    def wall(self) -> float:
        """The median."""
        return statistics.median(self.walls)

    @property
    def cpu(self) -> float:
        """The median."""
        return statistics.median(self.cpus)

    def run(self) -> None:
        """Run it once."""
        environment = {name: value for name, value in os.environ.items() if name != "PYTHONDONTWRITEBYTECODE"}
        before, began = _children(), time.perf_counter()
        subprocess.run(self.words, env=environment, stdout=subprocess.DEVNULL, check=True)
        self.walls.append(1000 * (time.perf_counter() - began))
        self.cpus.append(1000 * (_children() - before))


def _children() -> float:
    """The CPU seconds of all children that have ended."""
    try:
        import resource
    except ImportError:  # Windows
        spent = os.times()
        return spent.children_user + spent.children_system
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    return used.ru_utime + used.ru_stime


def main(rounds: int = ROUNDS) -> int:
    """Print the figures; 1 where a goal is missed."""
    with tempfile.TemporaryDirectory() as folder:
        script = Path(folder, "brute")
        script.write_text(SCRIPT)
        nothing = Command("pass", [sys.executable, "-c", "pass"], goal=False)
        floor = Command("import asyncio", [sys.executable, "-c", "import asyncio"], goal=False)
        commands = [
            nothing,
            floor,
            Command("import brute", [sys.executable, "-c", "import brute"]),
            Command("import brute.eval", [sys.executable, "-c", "from brute.eval import *"]),
            Command("brute --help", [sys.executable, str(script), "--help"]),
            Command("python -m brute --help", [sys.executable, "-m", "brute", "--help"]),
        ]
        for command in commands:
            command.run()
            command.walls.clear()
            command.cpus.clear()
        for _ in range(rounds):
            for command in commands:
                command.run()
    reached = True
    for command in commands:
        print(f"{command.name}: {command.wall:.0f} ms wall, {command.cpu:.0f} ms CPU", flush=True)
    for command in commands:
        if command.goal:
            reached &= line(f"CPU of {command.name}", command.cpu, floor.cpu, RATIO, name=floor.name)
            reached &= at_most(f"  beside {nothing.cpu:.0f} ms of pass", command.cpu, MILLISECONDS, "ms")
    if not reached:
        costs("from brute.eval import *")
        costs("import brute.eval.cli")
    return 0 if reached else 1


def costs(statement: str, shown: int = 12) -> None:
    """Print the modules that the statement spends the most on, by package: the milliseconds of their own code."""
    told = subprocess.run(
        [sys.executable, "-X", "importtime", "-c", statement], capture_output=True, text=True, check=True
    ).stderr
    own: collections.Counter[str] = collections.Counter()
    for microseconds, module in re.findall(r"^import time:\s+(\d+) \|\s+\d+ \|\s+(\S+)$", told, re.M):
        own[_package(module)] += int(microseconds)
    worst = ", ".join(f"{package} {spent / 1000:.1f}" for package, spent in own.most_common(shown))
    print(f"where {statement} spends its ms: {worst}", flush=True)


def _package(module: str) -> str:
    """The package of a module; our own modules stand for themselves."""
    return module if module.startswith("brute") else module.partition(".")[0]


if __name__ == "__main__":
    sys.exit(main())
