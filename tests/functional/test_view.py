"""`brute view` while `brute eval` runs: two processes, one log, and a real browser."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from pathlib import Path

import pytest
from tests.support.browser import browsing, program

pytestmark = [
    pytest.mark.functional,
    pytest.mark.skipif(os.name == "nt", reason="signals are POSIX's here"),
]
pytest.importorskip("uvicorn")

EVAL = """
import pathlib

import anyio
import brute
from brute.eval import Case, Suite


def agent():
    async def answer(env):
        said = env.messages[0].content
        while not pathlib.Path(said).exists():
            await anyio.sleep(0.01)
        return brute.Message(role="assistant", content=f"went at {said}")
    return brute.agent().run(answer)


CASES = [Case(f"waits for {n}", said=f"go{n}", mentions=["go1"]) for n in (1, 2, 3)]
SUITE = Suite(agent=agent, cases=CASES, jobs=1)
"""


def brute(folder: Path, *words: str) -> subprocess.Popen[str]:
    """The command in the folder."""
    return subprocess.Popen(
        [sys.executable, "-m", "brute", *words],
        cwd=folder,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        env={**os.environ, "NO_COLOR": "1"},
    )


def test_attempts_appear_while_a_run_goes_on(tmp_path: Path, tmp_path_factory: pytest.TempPathFactory) -> None:
    """As they end, until the run has; and the run is none the slower to end for being looked at."""
    if program() is None:
        assert not os.environ.get("CI"), "no Chromium is installed"
        pytest.skip("no Chromium is installed")
    (tmp_path / "eval_waiting.py").write_text(EVAL, encoding="utf-8")
    running = brute(tmp_path, "eval", "eval_waiting.py")
    assert running.stdout is not None
    (tmp_path / "go1").touch()
    for line in running.stdout:
        if line.startswith("passed     waits for 1"):
            break
    view = brute(tmp_path, "view", "last")
    try:
        assert view.stdout is not None
        url = view.stdout.readline().strip()
        with browsing(tmp_path_factory.mktemp("browser")) as page:
            page.size(1200, 800)
            page.open(url)
            page.until("document.querySelectorAll('.cases li').length == 1")
            ending = "document.querySelector('.ending').textContent"
            page.until(f"{ending} === 'running: 1 passed (2 attempts to come)'")
            (tmp_path / "go2").touch()
            page.until("document.querySelectorAll('.cases li').length == 2")
            page.js("document.querySelector('.cases a').click()")
            page.until("document.querySelector('.failures')")
            assert 'never said "go1"' in page.js("document.querySelector('.failures').innerText")
            page.js("location.hash = ''")
            (tmp_path / "go3").touch()
            page.until(f"{ending}.startsWith('2 failed, 1 passed in ')")
            out, err = running.communicate(timeout=30)
            assert (running.returncode, err) == (1, "")
            assert out.splitlines()[-1].startswith("2 failed, 1 passed in ")
            assert page.complaints == []
            assert [each for each in page.requests if not each.startswith((url.rpartition("run/")[0], "data:,"))] == []
            # The page is still there, and asks.
            view.send_signal(signal.SIGINT)
            assert view.communicate(timeout=10)[0] == ""
            assert view.returncode == 130
    finally:
        for process in (running, view):
            process.kill()
            process.communicate()
