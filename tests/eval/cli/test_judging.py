"""`brute eval --judge`, on a model behind a loopback address."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from brute.eval.logreading import Reading
from tests.eval.cli.conftest import Brute
from tests.support.cassettes import Fault, Loopback

JUDGED = """
from brute.eval import Case

AGENT = "agent.py"
CASES = [Case("is polite", said="rates?", judge="The reply says the rate")]
"""
PLACE = Path(".brute/runs.db")


def answers(*told: str) -> Loopback:
    """A server that imitates OpenAI's and answers this."""
    bodies = (
        {
            "id": "1", "object": "chat.completion", "created": 1, "model": "wise-1",
            "choices": [{"index": 0, "finish_reason": "stop", "message": {"role": "assistant", "content": each}}],
            "usage": {"prompt_tokens": 90, "completion_tokens": 10, "total_tokens": 100},
        }
        for each in told
    )  # fmt: skip
    return Loopback([Fault(status=200, body=json.dumps(each)) for each in bodies])


@pytest.fixture(autouse=True)
def _judged(folder: Path) -> None:
    (folder / "eval_judged.py").write_text(JUDGED)


def at(server: Loopback, monkeypatch: pytest.MonkeyPatch) -> None:
    """Let `openai:` be that server."""
    monkeypatch.setenv("OPENAI_BASE_URL", server.url)
    monkeypatch.setenv("OPENAI_API_KEY", "none")


def test_a_model_is_asked_and_decides(brute: Brute, monkeypatch: pytest.MonkeyPatch) -> None:
    """It sees the rubric and the reply; what it used is told apart."""
    with answers('{"met": false, "reason": "it says another"}', '{"met": false, "reason": "it does not"}') as server:
        at(server, monkeypatch)
        ended = brute("eval", "eval_judged.py", "--judge", "openai:wise-1", "--votes", "3")
    assert ended.status == 1
    assert 'did not meet "The reply says the rate" (2 of 2 votes): it says another' in ended.out
    assert "(the judge: 2 votes, 200 tokens)" in ended.out
    first = server.requests[0].body["messages"]
    assert "The reply says the rate" in first[1]["content"]
    assert "Rates were held at 4.25%." in first[1]["content"]
    assert "tools" not in server.requests[0].body


def test_the_log_knows_what_it_said_and_a_resumed_run_does_not_ask_again(
    brute: Brute, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Unless by another judge, or by more votes."""
    yes = '{"met": true, "reason": "it says 4.25"}'
    with answers(yes, yes, yes) as server:
        at(server, monkeypatch)
        assert brute("eval", "eval_judged.py", "--judge", "openai:wise-1").status == 0
        shown = brute("show", "last", "polite")
        assert 'judged "The reply says the rate" met (1 of 1 vote): it says 4.25' in shown.out
        with Reading(PLACE) as reading:
            name = reading.run("last").id
        assert brute("eval", "eval_judged.py", f"--resume={name}", "--judge", "openai:wise-1").status == 0
        assert len(server.requests) == 1
        again = brute("eval", "eval_judged.py", f"--resume={name}", "--judge", "openai:wise-1", "--votes", "2")
        assert len(server.requests) == 3
    assert again.status == 0
    assert '1 attempt made again, since the judge changed: "is polite"' in again.out + again.err


def test_grading_again_asks_nobody(brute: Brute, folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """And says that the judgements are those of the run; a rubric that is new is an error."""
    with answers('{"met": true, "reason": "it says 4.25"}') as server:
        at(server, monkeypatch)
        brute("eval", "eval_judged.py", "--judge", "openai:wise-1")
        ended = brute("grade", "last")
        assert (ended.status, len(server.requests)) == (0, 1)
        assert "judgements of 1 attempt are those of the run: no judge was asked again" in ended.out
        (folder / "eval_judged.py").write_text(JUDGED.replace("The reply says the rate", "It is short"))
        assert brute("grade", "last").status == 3
        assert len(server.requests) == 1


def test_a_run_without_a_judge_is_refused_before_anything_of_any_suite_runs(brute: Brute, folder: Path) -> None:
    """One sentence, status 2."""
    (folder / "agent.py").write_text(
        "import brute\n\ndef model(env):\n    open('ran', 'w').close()\n    return 'held at 4.25'\n\n"
        "def agent():\n    return brute.agent().run(model)\n"
    )
    ended = brute("eval", "eval_green.py", "eval_judged.py")
    assert (ended.status, ended.out) == (2, "")
    assert ended.err == (
        'Error: case "is polite" asks for a judge, and the run has none; '
        'name one: --judge provider:model, or Suite(judge="provider:model")\n'
    )
    assert not (folder / "ran").exists()
    assert not PLACE.exists()
    assert brute("eval", "eval_green.py", "eval_judged.py", "-k", "answers").status == 0
    assert (folder / "ran").exists()


@pytest.mark.parametrize(
    ("words", "says"),
    [
        (("--judge", "wise"), "Invalid value for '--judge': the model \"wise\" is named without its provider"),
        (("--judge", "openai:wise-1"), "no key for openai"),
        (("--judge", "openai:wise-1", "--votes", "0"), "0 is not in the range x>=1"),
    ],
    ids=str,
)
def test_a_judge_that_can_not_be_asked_is_refused(
    words: tuple[str, ...], says: str, brute: Brute, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Status 2 too."""
    monkeypatch.delenv("OPENAI_API_KEY", raising=False)
    monkeypatch.delenv("OPENAI_BASE_URL", raising=False)
    ended = brute("eval", "eval_judged.py", *words)
    assert ended.status == 2
    assert says in ended.err
