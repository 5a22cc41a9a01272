"""One report that has everything in it: each status, each kind of remark, and hostile text wherever text can come from outside."""

from __future__ import annotations

from typing import Any

from brute import Message, Usage
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


def told_to(reporter: Any, report: Report = REPORT) -> None:
    """Tell a reporter of a whole run that comes to `report`."""
    plan = [Job(each.case, each.number) for each in report.attempts]
    reporter.started(plan, 4, "")
    for each in report.attempts:
        reporter.began(Job(each.case, each.number))
        reporter.attempted(each)
    reporter.finished(report)
