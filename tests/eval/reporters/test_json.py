"""The report as JSON: the golden file, and the published schema."""

from __future__ import annotations

import copy
import dataclasses
import json as reading
import re
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from brute import Message, ToolCall, Usage
from brute.eval import Attempt, Call, Failure, Report, Request, Transcript
from brute.eval.reporters.json import json
from tests.eval.reporters.sample import ATTEMPTS, HOSTILE, KNOWS, PLACES, REPORT, attempt, transcript
from tests.support.golden import same_as_golden

jsonschema = pytest.importorskip("jsonschema")

GOLDEN = Path(__file__).parent / "golden"
SCHEMA = reading.loads((Path(__file__).parents[3] / "docs" / "report.schema.json").read_text(encoding="utf-8"))


def closed(schema: Any) -> Any:
    """The schema, which for the future lets more fields through than it names, without that: so that it names every one of today's."""
    if isinstance(schema, list):
        return [closed(each) for each in schema]
    if not isinstance(schema, dict):
        return schema
    made = {key: closed(value) for key, value in schema.items()}
    return {**made, "additionalProperties": False} if "properties" in schema and "type" in schema else made


CLOSED = jsonschema.Draft202012Validator(closed(copy.deepcopy(SCHEMA)))


def written(report: Report = REPORT) -> str:
    """The file that is written about a run."""
    return "".join(json(report, PLACES))


def read(report: Report = REPORT) -> Any:
    """What another program reads, found valid."""
    text = written(report)
    assert text.isascii()
    data = reading.loads(text)
    CLOSED.validate(data)
    return data


def only(*made: Attempt) -> Any:
    """The only case."""
    (case,) = read(Report(attempts=made))["cases"]
    return case


def test_a_run_with_everything_in_it() -> None:
    """The whole of it on the sample, hostile text included, is the golden one, and valid."""
    read()
    same_as_golden(re.sub(r'"brute":"[^"]*"', '"brute":"x"', written()), GOLDEN / "report.json")


def test_the_schema_is_one() -> None:
    """And needs nothing from anywhere else; a field that is missing, or of another kind, is refused."""
    jsonschema.Draft202012Validator.check_schema(SCHEMA)
    assert all(ref.startswith("#/") for ref in re.findall(r'"\$ref": "([^"]+)"', reading.dumps(SCHEMA)))
    data = read()
    for path, wrong in (
        (["passed"], "yes"),
        (["cases", 0, "attempts", 0, "status"], "green"),
        (["cases", 0, "place"], "here"),
    ):
        spoilt = copy.deepcopy(data)
        at = spoilt
        for step in path[:-1]:
            at = at[step]
        at[path[-1]] = wrong
        assert not jsonschema.Draft202012Validator(SCHEMA).is_valid(spoilt)
        del at[path[-1]]
        assert not jsonschema.Draft202012Validator(SCHEMA).is_valid(spoilt)


def test_what_a_run_came_to() -> None:
    """The head says it without a look at the cases."""
    data = read()
    assert (data["exit_status"], data["passed"], data["attempts"]) == (1, False, 8)
    assert data["counts"] == {"passed": 1, "failed": 3, "error": 2, "cancelled": 1}
    assert data["pass_k"] == {"k": 2, "share": 0.0}
    assert data["tokens"] == {"known": 240, "unknown": 5}
    assert [case["place"] for case in data["cases"]][:2] == [None, {"file": "evals/eval_agent.py", "line": 10}]


@pytest.mark.parametrize(
    ("report", "status"),
    [
        (Report(), 5),
        (Report(interrupted=True), 130),
        (Report(attempts=ATTEMPTS[:1]), 0),
        (Report(attempts=ATTEMPTS[7:]), 3),
    ],
)
def test_the_exit_status_is_that_of_the_run(report: Report, status: int) -> None:
    """Also of one in which nothing ran."""
    assert read(report)["exit_status"] == status


def test_a_stopped_run_says_why() -> None:
    """And its remarks are kept apart from that."""
    data = read(dataclasses.replace(REPORT, stopped="a cap", notes=("one",)))
    assert (data["stopped"], data["notes"]) == ("a cap", ["one"])


SEEN = Transcript(
    said="hi",
    messages=[
        Message(role="user", content="hi"),
        Message(role="assistant", tool_calls=(ToolCall(id="1", name="search", arguments="{oops"), ToolCall(name="x"))),
        Message(role="tool", content="no", tool_call_id="1", failed=True),
        Message(role="assistant", content="ok", usage=Usage(input=1, output=2, cache_read=3, cost=0.5), model="m"),
    ],
    calls=[
        Call(
            name="search",
            arguments=None,
            malformed="{oops",
            result={1, 2},
            outcome="failed",
            error="no",
            started=0.1,
            agent="inner",
        )
    ],
    requests=[
        Request(usage=Usage(input=1, output=2), model="m", retries=["429"], error="down", started=0.1, ended=0.2)
    ],
    iterations=2,
    seconds=0.5,
    published=[object, b"x", float("nan")],
    failures=["said", Failure("check", "no", {1}, re.compile("x"))],
    error=Failure("turn.raised", "it raised", detail="at"),
    stopped="MaxIterations",
    tools=["search"],
    blind=["usage"],
    notes=["a note"],
)


def test_a_transcript_comes_back_as_it_was() -> None:
    """Whatever a tool handed out is read again as the transcript has it."""
    made = only(
        attempt(KNOWS, "failed", Failure("check", "no", re.compile("a|b", re.I), ("x", re.compile("y"))), seen=SEEN)
    )
    assert Transcript.from_json(made["attempts"][0]["transcript"]) == Transcript.from_json(SEEN.to_json())
    assert made["attempts"][0]["failures"][0]["expected"] == "/a|b/i"


def test_a_secret_is_masked_in_the_keys_of_arguments_too(monkeypatch: pytest.MonkeyPatch) -> None:
    """And where JSON writes it in another way."""
    secret = 'qu"o\\te-92'
    monkeypatch.setenv("MY_API_KEY", secret)
    seen = transcript(f"it is {secret}", calls=[Call(name="f", arguments={secret: [secret]}, result=secret)])
    text = written(
        Report(
            attempts=(attempt(KNOWS, "failed", Failure("check", secret, secret, secret, secret), seen=seen),),
            notes=(secret,),
        )
    )
    assert "te-92" not in text
    assert text.count("***MY_API_KEY***") == 9


def test_ten_megabytes_are_written_whole() -> None:
    """Nothing is left out of this report."""
    huge = HOSTILE * 100_000
    reply = only(attempt(KNOWS, "passed", seen=transcript(huge)))["attempts"][0]["transcript"]["messages"][1]["content"]
    assert len(reply) > 10_000_000


ANYTHING = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(st.characters(codec=None)) | st.binary(),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(st.characters(codec=None)), inner, max_size=3),
    max_leaves=8,
)


@settings(max_examples=60, deadline=None)
@given(ANYTHING, st.text(st.characters(codec=None)))
def test_whatever_there_is(value: Any, text: str) -> None:
    """Any value in any place that a tool or a check can put it into."""
    seen = transcript(
        text, calls=[Call(name=text, arguments={text: value}, result=value)], published=[value], failures=[text]
    )
    read(
        Report(
            attempts=(attempt(KNOWS, "failed", Failure("check", text, value, value, text), seen=seen),), notes=(text,)
        )
    )
