"""One report that has everything in it: each status, each kind of remark, and hostile text wherever text can come from outside."""

from __future__ import annotations

from typing import Any

from brute import Message, ToolCall, Usage
from brute.eval import Attempt, Budget, Call, Case, Failure, Report, Request, Transcript, Verdict
from brute.eval.arguments import Place
from brute.eval.attempt import Job
from brute.eval.verdict import Status

HOSTILE = "\x1b[2J\x1b]0;owned\x07[bold red]x[/] ##vso[task.complete] \u202egnp.exe \ud800 \x00\r\n   ::error::forged\n##[error]forged"
"""What a model might say to fool a terminal, a CI log, rich or a reader."""


def transcript(reply: str = "", **more: Any) -> Transcript:
    """A transcript of one iteration that ends in `reply`."""
    values: dict[str, Any] = {
        "messages": [Message(role="user", content="hi"), Message(role="assistant", content=reply)],
        "requests": [Request(usage=Usage(input=100, output=20, cost=0.0012))],
        "iterations": 1,
        "seconds": 0.42,
        **more,
    }
    return Transcript(**values)


def attempt(
    case: Case, status: Status, *failures: Failure, number: int = 1, seen: Transcript | None = None, **more: Any
) -> Attempt:
    """An attempt with these failures, or errors where their kind says so."""
    verdict = Verdict(tuple(failures))
    return Attempt(case, number, status, verdict, seen if seen is not None else transcript("Held at 4.25%."), **more)


SEARCHES = Case("searches for what it cannot know", said="rates?", budget=Budget(iterations=2, tokens=2000), runs=2)
KNOWS = Case("does not search for what it knows", said="60?", budget=Budget(iterations=2, tool_calls=0, seconds=30))
FORGED = Case(f"forged {HOSTILE}", said="?", budget=Budget(seconds=0.4))
RAISES = Case("raises", said="?")
DOWN = Case("is down", said="?", budget=Budget(tokens=10))
UNBUILT = Case("is not built", said="?")
UNFINISHED = Case("was not finished", said="?")

STUBBED = [Call(name="search", outcome="stubbed"), Call(name="search", outcome="stubbed")]
MIXED = [
    Call(name="search"),
    Call(name="search", outcome="failed", error="KeyError: 'id'"),
    Call(name=HOSTILE, outcome="denied"),
]

ATTEMPTS = (
    attempt(SEARCHES, "passed", seen=transcript("Held at 4.25%.\nAs expected.", calls=STUBBED)),
    attempt(
        SEARCHES,
        "failed",
        Failure("mentions", 'never said "4.25"; the reply was "It held."'),
        Failure("check", "the diff is wrong\n- a\n+ b"),
        number=2,
        seen=transcript(
            "It held.\n\n  Twice.",
            calls=MIXED,
            iterations=2,
            requests=[Request(retries=["429 slow down", HOSTILE]), Request()],
        ),
    ),
    attempt(
        KNOWS,
        "passed",
        seen=transcript("60", notes=["left a thread behind in search"], requests=[Request(retries=["429"])]),
    ),
    attempt(
        FORGED,
        "failed",
        Failure("budget.seconds", "spent 0.42 seconds, budget 0.4"),
        Failure("check", HOSTILE, detail=HOSTILE),
        seen=transcript(HOSTILE, notes=[HOSTILE], published=[HOSTILE], stopped="MaxIterations"),
    ),
    attempt(
        RAISES,
        "failed",
        Failure("turn.raised", "the turn raised KeyError: 'id'", detail="agent.py:30 in search\nagent.py:12 in parse"),
        seen=transcript(blind=["calls", "iterations", "usage"], requests=[], seconds=None),
    ),
    attempt(
        DOWN,
        "error",
        Failure("error.model", "the model call failed: 529 overloaded"),
        seen=transcript(requests=[Request()]),
    ),
    attempt(
        UNBUILT, "error", Failure("error.build", "the agent could not be built: KeyError: 'KEY'"), seen=Transcript()
    ),
    attempt(UNFINISHED, "cancelled", Failure("cancelled", "not finished: the run was interrupted"), seen=Transcript()),
)

REPORT = Report(
    attempts=ATTEMPTS, seconds=4.2, notes=("the agent makes a TLS context of its own in each attempt", HOSTILE)
)
PLACES = {
    ("", each.case.name): Place("evals/eval_agent.py", 10 * number)
    for number, each in enumerate((ATTEMPTS[0], *ATTEMPTS[2:4], ATTEMPTS[4], ATTEMPTS[5]))
    if number
}
PLAN = [Job(each.case, each.number) for each in ATTEMPTS]

LONG = (
    "The Bank of England has left its main interest rate where it was for the third time in a row, "
    "at 4.25%, which the markets (see https://bank.example/decisions/2026/november/minutes-of-the-meeting-in-full.html) had expected."
)
JAPANESE = (
    "\u30a4\u30f3\u30b0\u30e9\u30f3\u30c9\u9280\u884c\u306f\u91d1\u66dc\u65e5\u306b\u653f\u7b56\u91d1\u5229\u3092\u636e\u3048\u7f6e\u3044\u305f\u3002"
    * 3
)
"""Sixty-nine characters without a space, each two cells wide."""
EMOJI = "\U0001f600 \U0001f44d\U0001f3fd \u2764\ufe0f \U0001f1ec\U0001f1e7 e\u0301 " * 8
"""Some are two cells wide, of one character or of two; an accent of its own takes none."""


def _asks(id: str, name: str, **arguments: Any) -> Message:
    call = ToolCall(id=id, name=name, arguments=arguments)
    return Message(role="assistant", tool_calls=(call,), usage=Usage(input=100, output=20))


WIDE_TURN = Transcript(
    messages=[
        Message(role="system", content=LONG),
        Message(role="user", content=JAPANESE),
        _asks("1", "search", query=EMOJI),
        Message(role="tool", content=JAPANESE, tool_call_id="1"),
        _asks("2", "search", query=JAPANESE, language="ja"),
        Message(role="tool", content="x", tool_call_id="2"),
        Message(role="assistant", content=f"{LONG}\n\n{EMOJI}\n    {JAPANESE}", usage=Usage(input=150, output=8)),
    ],
    calls=[
        Call(name="search", arguments={"query": EMOJI}, result=JAPANESE, outcome="stubbed", id="1"),
        Call(name="search", arguments={"query": JAPANESE}, outcome="failed", error=f"ValueError: {LONG}", id="2"),
    ],
    requests=[Request(usage=Usage(input=100, output=20))] * 2 + [Request(usage=Usage(input=150, output=8))],
    iterations=3,
    seconds=1.25,
    tools=["search", "fetch"],
    notes=[LONG],
)
WIDE = Report(
    attempts=(
        attempt(Case(f"answers in full {EMOJI}", said="?"), "passed", seen=transcript(JAPANESE)),
        attempt(
            Case(f"{JAPANESE} in a case whose name is long as well", said=JAPANESE, runs=2),
            "failed",
            Failure(
                "call.arguments",
                f'called search 2 times, never with query "boe"; query was "{JAPANESE}"',
                {"search": "x"},
            ),
            Failure("mentions", f'never said "4.5"; the reply was "{LONG}"'),
            Failure("check", f"{EMOJI} are none of the figures", detail=f"{JAPANESE}\n{LONG}"),
            seen=WIDE_TURN,
        ),
    ),
    seconds=61.5,
    notes=(LONG,),
)
"""A report whose lines are too long for a terminal, in characters of every width."""


def told_to(reporter: Any, report: Report = REPORT) -> None:
    """Tell a reporter of a whole run that comes to `report`."""
    plan = [Job(each.case, each.number) for each in report.attempts]
    reporter.started(plan, 4, "")
    for each in report.attempts:
        reporter.began(Job(each.case, each.number))
        reporter.attempted(each)
    reporter.finished(report)
