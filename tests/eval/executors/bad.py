"""An agent whose tools misbehave in every way there is, and a case for each; `Suite` under `process` or nothing."""

from __future__ import annotations

import asyncio
import ctypes
import json
import os
import signal
import subprocess
import sys
import threading
import time
from pathlib import Path
from typing import Any

from brute import Agent, Message, ToolCall
from brute.eval import Budget, Case, Suite, World
from tests.support.agents import build, tool

NAP = 3600
"""Seconds: for ever."""


def fine() -> str:
    """Nothing bad."""
    return "done"


def blocks() -> None:
    """Block a thread for ever."""
    time.sleep(NAP)


async def blocks_the_loop() -> None:
    """Block the loop for ever."""
    time.sleep(NAP)  # noqa: ASYNC251


def holds_the_lock() -> None:
    """Hold the interpreter's lock for ever."""
    ctypes.PyDLL(None).sleep(NAP)


def exits() -> None:
    """End the process at once."""
    os._exit(3)


def leaves() -> None:
    """End the process as a script does."""
    sys.exit(3)


def crashes() -> None:
    """Read what is not there."""
    print("last words", flush=True)
    ctypes.string_at(0)


def hogs() -> int:
    """Ask for 2 GB."""
    return len(bytearray(2_000_000_000))


def floods() -> None:
    """Print 100 MB, half of it past Python's own stream."""
    line = "x" * 1023 + "\n"
    for _ in range(50 * 1024):
        sys.stdout.write(line)
        os.write(2, line.encode())


def parts() -> str:
    """Leave a process in another session."""
    child = subprocess.Popen(["sleep", str(NAP)], start_new_session=True)
    if "PIDS" in os.environ:
        Path(os.environ["PIDS"], str(child.pid)).touch()
        Path(os.environ["PIDS"], str(os.getpid())).touch()
    child.returncode = 0
    return "done"


def orphans() -> str:
    """Leave an orphan."""
    subprocess.run(["sh", "-c", f"sleep {NAP} > /dev/null 2>&1 &"], check=True)
    return "done"


def waits_for_the_next() -> str:
    """End the process when the next attempt is under way."""
    threading.Timer(0.05, os._exit, (9,)).start()
    return "done"


async def leaves_a_task() -> str:
    """End the process when the next attempt is under way, from a task."""

    async def later() -> None:
        await asyncio.sleep(0.05)
        os._exit(9)

    TASKS.append(asyncio.ensure_future(later()))
    return "done"


def naps() -> str:
    """Take longer than those two."""
    time.sleep(0.2)
    return "done"


def interrupts() -> None:
    """Press Ctrl-C."""
    os.kill(os.getpid(), signal.SIGINT)
    time.sleep(NAP)


def kills_the_nursery() -> None:
    """Kill the process that this one came from."""
    os.kill(os.getppid(), signal.SIGKILL)
    time.sleep(NAP)


def sets_the_environment() -> str:
    """And takes something out of it."""
    os.environ["LEFT"] = "by an attempt"
    os.environ.pop("PATH", None)
    return "done"


def leaves_the_folder() -> str:
    """For the root."""
    os.chdir("/")
    return "done"


def masks() -> str:
    """Whatever will be written."""
    os.umask(0o777)
    return "done"


def forgets_the_path() -> str:
    """No module is found any more."""
    sys.path.clear()
    return "done"


def closes() -> str:
    """Both outputs."""
    os.close(1)
    os.close(2)
    return "done"


def limits() -> str:
    """The files that it may have open."""
    import resource

    resource.setrlimit(resource.RLIMIT_NOFILE, (16, 16))
    return "done"


async def ignores() -> str:
    """A signal."""
    signal.signal(signal.SIGUSR1, signal.SIG_IGN)
    return "done"


def patches_json() -> str:
    """As a test would, and forgets it."""
    json.dumps = lambda *args, **kwargs: "patched"
    return "done"


def patches_a_class() -> str:
    """As above."""
    json.JSONEncoder.encode = lambda self, value: "patched"  # type: ignore[method-assign]
    return "done"


def patches_time() -> str:
    """As above."""
    time.time = lambda: 0.0
    return "done"


def condition() -> str:
    """What an attempt finds."""
    import resource

    mask = os.umask(0)
    os.umask(mask)
    output = [os.fstat(number).st_mode for number in (1, 2)]
    return repr(
        (
            os.environ.get("LEFT"), "PATH" in os.environ, os.getcwd(), mask, len(sys.path) > 2, len(output),
            resource.getrlimit(resource.RLIMIT_NOFILE), signal.getsignal(signal.SIGUSR1), json.dumps([1]), time.time() > 1,
        )
    )  # fmt: skip


CHANGES: list[Any] = [
    sets_the_environment, leaves_the_folder, masks, forgets_the_path, closes, limits, ignores, patches_json, patches_a_class, patches_time
]  # fmt: skip
TASKS: list[Any] = []


def parts_and_blocks() -> None:
    """Leave a process and block."""
    parts()
    blocks()


TOOLS: list[Any] = [
    blocks, blocks_the_loop, holds_the_lock, exits, leaves, crashes, hogs, floods, parts, orphans
]  # fmt: skip
MORE: list[Any] = [waits_for_the_next, leaves_a_task, naps, interrupts, kills_the_nursery, condition, *CHANGES]
BAD = [each.__name__ for each in TOOLS]


async def agent() -> Agent:
    """An agent that calls `fine`, then the tool that it is told to, then replies."""

    async def model(env: Any) -> Message:
        step = sum(message.role == "assistant" for message in env.messages)
        if step == 2:
            return Message(role="assistant", content=str(env.messages[-1].content))
        name = ("fine", env.messages[0].content)[step]
        return Message(role="assistant", tool_calls=(ToolCall(name=name, arguments={}, id=str(step)),))

    return build(model, [tool(each) for each in (fine, parts_and_blocks, *MORE, *TOOLS)])


def crashing(transcript: Any) -> None:
    """A check that crashes the process."""
    ctypes.string_at(0)


ONE_OF_EACH = Suite(
    agent, [Case(name, said=name) for name in ["fine", *BAD]], jobs=4, deadline=1, memory=512, executor="process"
)

MIXED_IN = [BAD[n // 10 % len(BAD)] if n % 10 == 3 else "fine" for n in range(300)]
MANY = Suite(
    agent,
    [Case(f"{n} {name}", said=name) for n, name in enumerate(MIXED_IN)],
    jobs=4,
    deadline=1,
    memory=512,
    executor="process",
)

HANGING = Suite(agent, [Case("a", said="parts_and_blocks", runs=2), Case("b", said="fine")], jobs=2, executor="process")


async def unbuildable() -> Agent:
    """An agent whose building ends the process."""
    os._exit(4)


BESIDE = Suite(unbuildable, [Case("a", said="x", runs=2)], executor="process")
CHECKED = Suite(agent, [Case("checks", said="fine", check=crashing), Case("fine", said="fine")], executor="process")


class Room(World):
    """A world that all attempts share."""


SHARING = Suite(
    agent,
    [Case("fine", said="fine"), Case("exits", said="exits"), Case("after", said="fine")],
    world=Room(),
    executor="process",
)
LATER = Suite(
    agent,
    [
        Case(str(n), said=name)
        for n, name in enumerate(["waits_for_the_next", "naps", "leaves_a_task", "naps", "interrupts", "fine"])
    ],
    jobs=1,
    executor="process",
)
KILLING = Suite(
    agent,
    [Case(name, said=name.rstrip("0123456789")) for name in ("fine1", "kills_the_nursery", "naps2", "fine3", "naps4")],
    executor="process",
)
FINE = Suite(agent, [Case("fine", said="fine", runs=3)], jobs=1, executor="process")
CHANGING = Suite(
    agent,
    [
        Case(f"{number} {name}", said=name)
        for number, name in enumerate(name for each in CHANGES for name in ("condition", each.__name__))
    ]
    + [Case("last", said="condition")],
    jobs=1,
    executor="process",
)
HURRIED = Suite(agent, [Case("blocks", said="blocks_the_loop", budget=Budget(seconds=0.5))], executor="process")

if __name__ == "__main__":
    sys.exit(HANGING.run())
