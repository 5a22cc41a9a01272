"""A judge under record and replay: what it said is in the attempt's cassette, and nobody is asked again."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

import brute
from brute import Message, Model, ModelError
from brute.env import Env
from brute.eval import Case
from brute.testing import Script
from tests.completion.faults import HELLO
from tests.support.agents import makes
from tests.support.cassettes import Fault, serve
from tests.support.taped import files, made, unplugged

MET, NOT = '{"met": true, "reason": "it does"}', '{"met": false, "reason": "it does not"}'
CASE = Case("a", said="x", judge="The reply apologises")
MEETS = Fault(body=HELLO.body.replace('"Hello there."', json.dumps(MET)))


def judge(*answers: Any) -> Script:
    """One that says this."""
    return Script(answers)


@pytest.mark.parametrize(("answer", "status"), [(MET, "passed"), (NOT, "failed"), ("who knows", "error")])
def test_a_judge_is_replayed_as_it_was_recorded(tmp_path: Path, answer: str, status: str) -> None:
    """The same verdict, votes and tokens, and the judge is not asked."""
    asked, dumb = judge(answer), judge()
    one = made(tmp_path, makes("Sorry!"), CASE, judge=asked, record=True)
    two = made(tmp_path, makes("Sorry!"), CASE, judge=dumb, replay=True)
    assert (one.status, two.status, asked.calls, dumb.calls) == (status, status, 1, 0)
    assert (one.verdict, one.judged) == (two.verdict, two.judged)
    assert one.transcript.judgements == two.transcript.judgements


def test_votes_and_rubrics_each_have_their_own_answer(tmp_path: Path) -> None:
    """By what is asked, then by occurrence; one vote more than was recorded is a miss."""
    case = Case("a", said="x", judge=["one", "two"])
    one = made(tmp_path, makes("Sorry!"), case, judge=judge(MET, NOT, MET, NOT, NOT), votes=3, record=True)
    turned = Case("a", said="x", judge=["two", "one"])
    two = made(tmp_path, makes("Sorry!"), turned, judge=judge(), votes=3, replay=True)
    assert [[vote.met for vote in each.votes] for each in one.transcript.judgements] == [
        [True, False, True],
        [False] * 2,
    ]
    assert one.transcript.judgements == two.transcript.judgements[::-1]
    more = made(tmp_path, makes("Sorry!"), case, judge=judge(), votes=5, replay=True)
    assert more.status == "error"
    assert more.verdict.sentences[0] == (
        'could not judge "one": the model was asked once more than it was recorded (3 times)'
    )


def test_another_reply_is_a_miss_that_says_where(tmp_path: Path) -> None:
    """A judgement of something else is none of this."""
    made(tmp_path, makes("Sorry!"), CASE, judge=judge(MET), record=True)
    path = files(tmp_path)[0]
    path.write_text(path.read_text().replace('"content": "Sorry!"', '"content": "Go away!"'))
    again = made(tmp_path, makes("Go away!"), CASE, judge=judge(MET), replay=True)
    assert (again.status, [each.kind for each in again.verdict.failures]) == ("error", ["error.judge"])
    assert "differs from the nearest one (1 of 1) at messages[1].content" in again.verdict.sentences[0]
    assert "now ..." in again.verdict.sentences[0]


def test_a_recording_without_a_judge_is_no_pass(tmp_path: Path) -> None:
    """It was made before the case had a rubric."""
    made(tmp_path, makes("Sorry!"), Case("a", said="x"), record=True)
    asked = judge(MET)
    again = made(tmp_path, makes("Sorry!"), CASE, judge=asked, replay=True)
    assert (again.status, asked.calls) == ("error", 0)
    assert "has no answers of a judge; make it again with --record" in again.verdict.sentences[0]


def test_a_judge_that_failed_is_not_recorded(tmp_path: Path) -> None:
    """The turn is, and a note says that the judge is not."""
    one = made(tmp_path, makes("Sorry!"), CASE, judge=judge(ModelError("down")), record=True)
    assert one.transcript.notes[-1] == "the judge was not recorded: it could not be asked to the end"
    assert "judge" not in json.loads(files(tmp_path)[0].read_text())
    assert made(tmp_path, makes("Sorry!"), CASE, judge=judge(MET), replay=True).status == "error"


def test_a_judge_of_a_turn_that_was_not_recorded_leaves_the_old_cassette(tmp_path: Path) -> None:
    """What is kept belongs together."""
    made(tmp_path, makes("Sorry!"), CASE, judge=judge(MET), record=True)
    before = files(tmp_path)[0].read_bytes()

    def broken(transcript: Any) -> None:
        raise KeyError("id")

    odd = Case("a", said="x", judge="The reply apologises", check=broken)
    one = made(tmp_path, makes("Sorry!!"), odd, judge=judge(NOT), record=True)
    assert one.status == "failed"
    assert files(tmp_path)[0].read_bytes() == before


def test_tools_alone_leave_the_judge_live(tmp_path: Path) -> None:
    """It is a model."""
    made(tmp_path, makes("Sorry!"), CASE, judge=judge(MET), record="tools")
    assert "judge" not in json.loads(files(tmp_path)[0].read_text())
    asked = judge(NOT)
    again = made(tmp_path, makes("Sorry!"), CASE, judge=asked, replay="tools")
    assert (again.status, asked.calls) == ("failed", 1)


def test_what_a_replayed_judge_used_counts_into_no_cap(tmp_path: Path) -> None:
    """Nothing was paid."""
    case = Case("a", said="x", judge=["one", "two"])
    used = brute.Usage(input=50, output=50)
    votes = [Message(role="assistant", content=MET, usage=used) for _ in range(2)]
    made(tmp_path, makes("Sorry!"), case, judge=judge(*votes), record=True)
    again = made(tmp_path, makes("Sorry!"), case, judge=judge(), replay=True, max_tokens=60)
    assert (again.status, again.judged and again.judged.tokens) == ("passed", 200)


def test_a_judge_that_swallows_the_miss_is_an_error(tmp_path: Path) -> None:
    """It has made its answer up."""
    pytest.importorskip("httpx")
    import httpx

    made(tmp_path, makes("Sorry!"), CASE, judge=judge(MET), record=True)

    async def liar(env: Env) -> str:
        try:
            async with httpx.AsyncClient() as client:
                await client.post("http://127.0.0.1:9/v1/chat/completions", json={"model": "m", "messages": []})
        except BaseException:
            return MET
        return NOT

    path = files(tmp_path)[0]
    data = json.loads(path.read_text())
    data["judge"] = [{"of": "http", "asked": {"method": "POST"}, "answered": {}}]
    path.write_text(json.dumps(data))
    again = made(tmp_path, makes("Sorry!"), CASE, judge=liar, replay=True)
    assert (again.status, [each.kind for each in again.verdict.failures]) == ("error", ["error.judge"])


def test_a_model_judges_without_a_socket_or_a_key(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """On the provider's real client."""
    pytest.importorskip("openai")
    with serve(MEETS, closes=True) as server:
        who = Model("openai:gpt-4o", base_url=f"{server.url}/v1", api_key="k")
        one = made(tmp_path, makes("Sorry!"), CASE, judge=who, record=True)
    assert (one.status, one.judged and one.judged.tokens) == ("passed", 12)
    monkeypatch.delenv("OPENAI_API_KEY", raising=False)
    tried = unplugged(monkeypatch)
    two = made(tmp_path, makes("Sorry!"), CASE, judge="openai:gpt-4o", replay=True)
    assert (two.status, two.judged, two.transcript.judgements) == ("passed", one.judged, one.transcript.judgements)
    assert tried == []
