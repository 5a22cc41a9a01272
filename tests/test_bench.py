"""The benchmarks, each at a tiny size, so that they can't rot; what their clocks say is no test's business."""

from __future__ import annotations

import importlib
import json
import os
import socket
import subprocess
import sys
import time
import urllib.error
import urllib.request
from pathlib import Path
from typing import Any

import pytest
from bench.__main__ import NEEDS, main
from bench.endpoint import apart, endpoint

ROOT = Path(__file__).resolve().parent.parent

TINY = {
    "harness": {"attempts": 5, "counts": (2,), "rounds": 1},
    "runlog": {"attempts": 20, "many": 200, "rounds": 1},
    "imports": {"rounds": 1},
    "executors": {"attempts": 5, "rounds": 1, "times": 2},
    "http": {"attempts": 3, "widths": (1, 2), "rounds": 1},
    "width": {"attempts": 10, "latency": 10, "counts": (2,), "rounds": 1},
    "tls": {"attempts": 4, "rounds": 1},
    "adapters": {"turns": 2, "rounds": 1},
}


@pytest.mark.parametrize("name", NEEDS)
def test_it_runs_and_says_what_it_found(name: str, capfd: pytest.CaptureFixture[str]) -> None:
    """Each benchmark runs to its end, prints its goals, and its status says whether one was missed."""
    for module in NEEDS[name]:
        pytest.importorskip(module, reason=f"the benchmark {name} needs {module}")
    status = importlib.import_module(f"bench.{name}").main(**TINY[name])
    told = capfd.readouterr()
    assert "goal" in told.out
    assert status == (1 if "MISSED" in told.out else 0)
    assert told.err == ""


def test_the_tax_is_named_where_it_is_paid(capfd: pytest.CaptureFixture[str]) -> None:
    """What bench/tls.py says of the reports is no matter of time, so here it must be right."""
    pytest.importorskip("openai")
    pytest.importorskip("pydantic_ai")
    importlib.import_module("bench.tls").main(**TINY["tls"])
    told = [line.rpartition("; ")[2] for line in capfd.readouterr().out.splitlines()[:3]]
    assert told == ["the report names the tax ok", "the report names no tax ok", "the report names no tax ok"]


def test_a_name_that_is_no_benchmark_is_refused(capsys: pytest.CaptureFixture[str]) -> None:
    """A slip in a name runs nothing."""
    assert main(["htttp"]) == 2
    assert "no benchmark htttp; benchmarks are harness" in capsys.readouterr().err


class TestEndpoint:
    """The fake model behind HTTP."""

    def test_it_asks_for_a_tool_and_then_answers_the_text(self) -> None:
        """Whose message stands last decides what it says."""
        with endpoint() as running:
            asks = _posted(running.url(), [{"role": "user", "content": "hm?"}])
            answers = _posted(running.url(1), [{"role": "user", "content": "hm?"}, {"role": "tool", "content": "4.25"}])
        assert asks["choices"][0]["message"]["tool_calls"][0]["function"]["name"] == "search"
        assert "4.25" in answers["choices"][0]["message"]["content"]
        assert all(said["usage"]["total_tokens"] for said in (asks, answers))

    def test_it_refuses_another_path(self) -> None:
        """There is one address, so that a slip in it is no answer."""
        with endpoint() as running, pytest.raises(urllib.error.HTTPError) as refused:
            _posted(running.url().replace("lat", "late"), [{"role": "user"}])
        assert refused.value.code == 404
        refused.value.close()

    @pytest.mark.skipif(os.name == "nt", reason="there, a signal is no question")
    def test_its_process_is_gone_afterwards(self) -> None:
        """Also where the benchmark came to grief."""
        with pytest.raises(KeyError), endpoint() as running:
            raise KeyError
        with pytest.raises(ProcessLookupError):
            os.kill(running.pid, 0)

    @pytest.mark.skipif(not hasattr(os, "sched_setaffinity"), reason="a system that can't be told")
    def test_it_has_a_processor_of_its_own(self) -> None:
        """Where there are two; and afterwards this process may go where it might before."""
        before = os.sched_getaffinity(0)
        with endpoint() as running, apart(running):
            mine, others = os.sched_getaffinity(0), os.sched_getaffinity(running.pid)
        assert (mine & others == set()) is (len(before) > 1)
        assert os.sched_getaffinity(0) == before

    @pytest.mark.skipif(os.name == "nt", reason="there, nothing is killed like this")
    def test_its_process_does_not_outlive_one_that_is_killed(self) -> None:
        """Whoever started it need not say goodbye."""
        code = "import time\nfrom bench.endpoint import endpoint\nwith endpoint() as e: print(e.port, flush=True); time.sleep(60)"
        with subprocess.Popen([sys.executable, "-c", code], stdout=subprocess.PIPE, cwd=ROOT) as owner:
            port = int(owner.stdout.readline())
            owner.kill()
        _await_end(port)


def _posted(url: str, messages: list[dict[str, str]]) -> Any:
    body = json.dumps({"model": "fake", "messages": messages}).encode()
    with urllib.request.urlopen(urllib.request.Request(f"{url}/chat/completions", body)) as response:
        return json.load(response)


def _await_end(port: int) -> None:
    """Return when nobody listens at the port any more."""
    until = time.monotonic() + 5
    while time.monotonic() < until:
        try:
            socket.create_connection(("127.0.0.1", port)).close()
        except ConnectionError:
            return
        time.sleep(0.01)
    raise AssertionError("the endpoint is still listening")
