"""The table that holds the table of expectations: for each row a case, transcripts that pass and fail it, and the exact sentences."""

from __future__ import annotations

import dataclasses
import re
from typing import Any

from brute.eval import Budget, Case, Failure, Transcript
from brute.eval.judgement import Judgement, Vote
from tests.support.make import call, case, message, request, transcript


@dataclasses.dataclass(frozen=True)
class Row:
    """One wrong turn: the row of the table it belongs to, its case, a right turn, the wrong one, and what is said of it."""

    row: str
    about: str
    case: Case
    right: Transcript
    wrong: Transcript
    kind: str
    sentence: str

    def __str__(self) -> str:
        return f"{self.row}: {self.about}"


def even(number: int) -> bool:
    """A predicate with a name."""
    return number % 2 == 0


BANK = {"query": re.compile("bank|rate", re.I)}
BOTH = [{"query": "bank"}, {"query": "rate"}]
TOOLS = ["search", "fetch", "read", "write"]
reads_writes = case(order=["read", "write"])
right_search = transcript(call("search", query="Bank of England"))


def judged(rubric: str, *sides: bool | None, also: Any = (), error: str | None = None, **fields: Any) -> Transcript:
    """A turn of which a judge said this, by these votes."""
    told = {True: "it says sorry", False: "it never says sorry", None: "sure, looks good!"}
    votes = [Vote(met=side, reason=told[side]) for side in sides]
    return transcript(judgements=[Judgement(rubric=rubric, votes=votes, of=len(sides), error=error), *also], **fields)


def row(row: str, about: str, of: Case, right: Transcript, wrong: Transcript, kind: str, sentence: str) -> Row:
    """A row, by position."""
    return Row(row, about, of, right, wrong, kind, sentence)


ROWS = [
    # --- calls
    row(
        "calls", "never called", case(calls={"search": BANK}), right_search, transcript("fetch", "read", "read"),
        "call.missing", "never called search; called fetch, read, read",
    ),
    row(
        "calls", "no call at all", case(calls={"search": None}), right_search, transcript(),
        "call.missing", "never called search; called no tools",
    ),
    row(
        "calls", "a name that is no tool", case(calls={"serch": {}}), transcript("serch"), transcript("search", tools=TOOLS),
        "call.missing", 'never called serch, which is no tool of this agent (did you mean "search"?); called search',
    ),
    row(
        "calls", "a tool that is none, called", case(calls={"serch": {}}), transcript("serch"),
        transcript(call("serch", "failed"), tools=TOOLS),
        "call.missing", 'called serch, which is no tool of this agent (did you mean "search"?)',
    ),
    row(
        "calls", "denied", case(calls={"search": BANK}), right_search, transcript(call("search", "denied", query="bank")),
        "call.missing", "called search 1 time, denied",
    ),
    row(
        "calls", "denied each time", case(calls={"search": {}}), transcript(call("search", "denied"), "search"),
        transcript(call("search", "denied"), call("search", "denied")),
        "call.missing", "called search 2 times, denied each time",
    ),
    row(
        "calls", "the right call denied, another made", case(calls={"search": {"query": "bank"}}),
        transcript(call("search", "failed", query="bank")),
        transcript(call("search", query="uk"), call("search", "denied", query="bank")),
        "call.arguments", 'called search 1 time, never with query "bank"; query was "uk"; a call with query "bank" was denied',
    ),
    row(
        "calls", "wrong arguments", case(calls={"search": BANK}), right_search,
        transcript(call("search", query="boe news"), call("search", query="uk gdp")),
        "call.arguments", 'called search 2 times, never with query matching /bank|rate/i; query was "boe news", "uk gdp"',
    ),
    row(
        "calls", "argument absent", case(calls={"search": BANK}), right_search, transcript(call("search", q="bank rate")),
        "call.arguments", 'called search without query; arguments were {"q": "bank rate"} (did you mean "q"?)',
    ),
    row(
        "calls", "argument misspelt", case(calls={"search": BANK}), right_search, transcript(call("search", kind="x", qeury="bank rate")),
        "call.arguments",
        'called search without query; arguments were {"kind": "x", "qeury": "bank rate"} (did you mean "qeury"?)',
    ),
    row(
        "calls", "two arguments absent", case(calls={"search": {"query": "x", "limit": 1}}),
        transcript(call("search", query="x", limit=1.0)), transcript("search"),
        "call.arguments", "called search without query and limit; arguments were {}",
    ),
    row(
        "calls", "each argument right, never together", case(calls={"search": {"query": "bank", "limit": 3}}),
        transcript(call("search", query="bank", limit=3)),
        transcript(call("search", query="bank", limit=5), call("search", query="rate", limit=3)),
        "call.arguments",
        'called search 2 times, never with query "bank" and limit 3 together; '
        'the nearest was call 1: {"query": "bank", "limit": 5 (wanted 3)}',
    ),
    row(
        "calls", "malformed arguments", case(calls={"search": BANK}), right_search, transcript(call("search", malformed='{"query": "ba')),
        "call.arguments", 'called search 1 time with malformed arguments: "{\\"query\\": \\"ba"',
    ),
    row(
        "calls", "a number as text", case(calls={"search": {"limit": 1}}), transcript(call("search", limit=1.0)),
        transcript(call("search", limit="1")),
        "call.arguments", 'called search 1 time, never with limit 1; limit was "1" ("1" is text, not 1)',
    ),
    row(
        "calls", "text as a number", case(calls={"search": {"limit": "1"}}), transcript(call("search", limit="1")),
        transcript(call("search", limit=1)),
        "call.arguments", 'called search 1 time, never with limit "1"; limit was 1 (1 is not text, as "1" is)',
    ),
    row(
        "calls", "a letter of another script", case(calls={"search": {"query": "\u0430b"}}), transcript(call("search", query="\u0430b")),
        transcript(call("search", query="ab")),
        "call.arguments", 'called search 1 time, never with query "\u0430b"; query was "ab" (character 1 is U+0061, not U+0430)',
    ),
    row(
        "calls", "a letter composed of two", case(calls={"search": {"query": "\u00e9"}}), transcript(call("search", query="\u00e9")),
        transcript(call("search", query="e\u0301")),
        "call.arguments", 'called search 1 time, never with query "\u00e9"; query was "e\u0301" (character 1 is U+0065, not U+00E9)',
    ),
    row(
        "calls", "True for 1", case(calls={"search": {"limit": 1}}), transcript(call("search", limit=1)),
        transcript(call("search", limit=True)),
        "call.arguments", "called search 1 time, never with limit 1; limit was true",
    ),
    row(
        "calls", "matchers of every kind",
        case(calls={"f": {"a": int, "b": range(3), "c": even, "d": {"e": [re.compile("x"), str]}, "f": int | None}}),
        transcript(call("f", a=1, b=2, c=4, d={"e": ["xx", "y"], "g": 1}, f=None)),
        transcript(call("f", a="1", b=3, c=5, d={"e": ["y", "y"]}, f="x")),
        "call.arguments",
        'called f 1 time, never with a of type int and b in range(0, 3) and c satisfying even and d {"e": [/x/, str]} '
        'and f of type int | None; a was "1"; b was 3; c was 5; d was {"e": ["y", "y"]}; f was "x"',
    ),
    row(
        "calls", "the same call wanted twice, made once", case(calls={"search": [{"query": "bank"}, {"query": "bank"}]}),
        transcript(call("search", query="bank"), call("search", query="bank")), transcript(call("search", query="bank")),
        "call.missing",
        'wanted 2 different calls to search, and none was left with query "bank"; called search 1 time, with {"query": "bank"}',
    ),
    row(
        "calls", "the same call wanted twice, made once besides another", case(calls={"search": [{"query": "bank"}, {"query": "bank"}]}),
        transcript(call("search", query="bank"), call("search", query="bank")),
        transcript(call("search", query="uk"), call("search", query="bank")),
        "call.missing",
        'wanted 2 different calls to search, and none was left with query "bank"; '
        'called search 2 times, with {"query": "uk"}, {"query": "bank"}',
    ),
    row(
        "calls", "so many calls, whatever they are", case(calls={"search": [None, {}, None]}), transcript("search", "search", "search"),
        transcript("search", "search"),
        "call.missing", "wanted 3 different calls to search; called search 2 times, with {}, {}",
    ),
    row(
        "calls", "a list of calls of which one is not made", case(calls={"search": BOTH}),
        transcript(call("search", query="rate"), call("search", query="bank")),
        transcript(call("search", query="rate"), call("search", query="uk")),
        "call.arguments", 'called search 2 times, never with query "bank"; query was "rate", "uk"',
    ),
    row(
        "calls", "one can't be seen", case(calls={"search": {}}), transcript("search", blind=["calls of search"]),
        transcript(blind=["calls of search"]),
        "error.blind", "cannot tell whether search was called: the adapter can't see it",
    ),
    row(
        "calls", "can't be seen", case(calls={"search": {}}), transcript("search", blind=["calls"]), transcript(blind=["calls"]),
        "error.blind", "cannot tell whether search was called: the adapter can't see it",
    ),
    # --- never
    row(
        "never", "called", case(never=["create_event"]), transcript("read"),
        transcript("read", "read", call("create_event", title="standup"), "read", "read"),
        "call.forbidden", 'called create_event, which this case forbids (call 3 of 5: {"title": "standup"})',
    ),
    row(
        "never", "called and denied", case(never=["rm"]), transcript(), transcript(call("rm", "denied")),
        "call.forbidden", "called rm, which this case forbids (call 1 of 1, denied: {})",
    ),
    row(
        "never", "called and failed, malformed", case(never=["rm"]), transcript(), transcript(call("rm", "failed", malformed="{")),
        "call.forbidden", 'called rm, which this case forbids (call 1 of 1, failed: "{")',
    ),
    row(
        "never", "a typo", case(never=["serch"]), transcript(tools=["read"]), transcript(tools=TOOLS),
        "error.tool", 'never forbids "serch", which is no tool of this agent (did you mean "search"?)',
    ),
    row(
        "never", "another case", case(never=["SEARCH"]), transcript(tools=["read"]), transcript(tools=TOOLS),
        "error.tool", 'never forbids "SEARCH", which is no tool of this agent (did you mean "search"?)',
    ),
    row(
        "never", "one can't be seen", case(never=["web_*", "rm"]), transcript(blind=["calls of mail"]),
        transcript(blind=["calls of web_search"]),
        "error.blind", "cannot tell whether web_* was called: the adapter can't see it",
    ),
    row(
        "never", "can't be seen", case(never=["rm"]), transcript(), transcript(blind=["calls"]),
        "error.blind", "cannot tell whether rm was called: the adapter can't see it",
    ),
    # --- order
    row(
        "order", "the other way round", reads_writes, transcript("read", "list", "read", "write"), transcript("write", "read"),
        "order", "wanted read, write in that order; got write, read",
    ),
    row(
        "order", "one never called", reads_writes, transcript("read", "write"), transcript("read"),
        "order", "wanted read, write in that order; write was never called",
    ),
    row(
        "order", "none called", reads_writes, transcript("read", "write"), transcript("list"),
        "order", "wanted read, write in that order; read was never called; write was never called",
    ),
    row(
        "order", "one alone", case(order=["read"]), transcript("list", "read"), transcript("list"),
        "order", "wanted read; read was never called",
    ),
    row(
        "order", "one alone, denied", case(order=["write"]), transcript("write"), transcript(call("write", "denied")),
        "order", "wanted write; write was denied",
    ),
    row(
        "order", "one too many", reads_writes, transcript("read", "write", "write"), transcript("read", "write", "read"),
        "order", "wanted read, write in that order; got read, write, read",
    ),
    row(
        "order", "repeats that count", case(order=["read", "read"]), transcript("read", "list", "read"), transcript("read"),
        "order", "wanted read, read in that order; got read",
    ),
    row(
        "order", "a name that is no tool", case(order=["write", "red", "write"]), transcript("write", "red", "write"),
        transcript("write", tools=TOOLS),
        "order",
        'wanted write, red, write in that order; got write; red was never called, which is no tool of this agent (did you mean "read"?)',
    ),
    row(
        "order", "denied", reads_writes, transcript("read", call("write", "denied"), "write"), transcript("read", call("write", "denied")),
        "order", "wanted read, write in that order; write was denied",
    ),
    row(
        "order", "can't be seen", reads_writes, transcript("read", "write"), transcript("read", "write", blind=["order"]),
        "error.blind", "cannot tell the order of the calls: the adapter can't see it",
    ),
    # --- mentions, and a reply at all
    row(
        "mentions", "another number", case(mentions=["4.25"]), transcript(reply="It held at £4.25%."), transcript(reply="It held at 4.5%."),
        "mentions", 'never said "4.25"; the reply was "It held at 4.5%."',
    ),
    row(
        "mentions", "a part of a word", case(mentions=["h"]), transcript(reply="an h"), transcript(reply="hi"),
        "mentions", 'never said "h" as a word of its own; the reply was "hi"',
    ),
    row(
        "mentions", "none of several", case(mentions=[("held", re.compile("kept|same", re.I))]), transcript(reply="KEPT"),
        transcript(reply="It rose."),
        "mentions", 'never said "held" or anything matching /kept|same/i; the reply was "It rose."',
    ),
    row(
        "mentions", "a blank reply", case(), transcript(), transcript(reply=" \n\u200b"),
        "reply.missing", "said nothing; the turn ended on a blank reply after 1 iteration",
    ),
    row(
        "mentions", "a tool result last", case(mentions=["x"]), transcript(reply="x"),
        transcript(reply=None, iterations=10, stopped="MaxIterations(10)"),
        "reply.missing", "said nothing; the turn ended on a tool result after 10 iterations (MaxIterations(10))",
    ),
    row(
        "mentions", "a request for a tool last", case(), transcript(),
        transcript(messages=[message("assistant", "I'll look.", "search", "fetch")]),
        "reply.missing", "said nothing; the turn ended on a request for search, fetch after 1 iteration",
    ),
    row(
        "mentions", "no message at all", case(), transcript(), transcript(messages=[], iterations=0),
        "reply.missing", "said nothing; the turn ended without a message after 0 iterations",
    ),
    row(
        "mentions", "only an earlier turn's reply", case(mentions=["done"]), transcript(), transcript(stale=True, iterations=0),
        "reply.missing", "said nothing; the turn ended with nothing added to its conversation after 0 iterations",
    ),
    row(
        "mentions", "only what the user said", case(), transcript(), transcript(messages=[message("user", "hello")]),
        "reply.missing", "said nothing; the turn ended on what the user said after 1 iteration",
    ),
    row(
        "mentions", "a long hostile reply", case(mentions=["x"]), transcript(reply="x"),
        transcript(reply="\x1b[2J\r\n::error::\u202e" + "y" * 3515),
        "mentions",
        'never said "x"; the reply was "\\u001b[2J\\r\\n::error::\\u202e' + "y" * 104 + '"... 3,411 more characters',
    ),
    row(
        "mentions", "can't be seen", case(mentions=["x"]), transcript(reply="x"), transcript(reply="x", blind=["messages"]),
        "error.blind", "cannot tell what the reply was: the adapter can't see it",
    ),
    # --- silent
    row(
        "silent", "answered", case(silent=True), transcript(reply=" "), transcript(reply="Nothing to report!"),
        "reply.unwanted", 'answered when it should have stayed silent: "Nothing to report!"',
    ),
    row(
        "silent", "published", case(silent=True), transcript(reply=""), transcript(reply="", published=["hi", {"to": "bob"}]),
        "reply.unwanted", 'published 2 things when it should have stayed silent: "hi", {"to": "bob"}',
    ),
    row(
        "silent", "cut off", case(silent=True), transcript(reply=None), transcript(reply=None, stopped="MaxIterations(3)", iterations=3),
        "reply.missing", "should have stayed silent, but was cut off by MaxIterations(3) after 3 iterations",
    ),
    row(
        "silent", "can't be seen", case(silent=True), transcript(reply=""), transcript(reply="", blind=["messages"]),
        "error.blind", "cannot tell whether the turn stayed silent: the adapter can't see it",
    ),
    # --- absent
    row(
        "absent", "not said", case(absent=True), transcript(reply="I couldn’t find anything."), transcript(reply="Not bad!"),
        "absent", 'did not say it found nothing; the reply was "Not bad!"',
    ),
    row(
        "absent", "blank", case(absent=True, absence=".*"), transcript(reply="Nichts."), transcript(reply=""),
        "absent", "did not say it found nothing; said nothing at all",
    ),
    row(
        "absent", "can't be seen", case(absent=True), transcript(reply="No results."), transcript(reply="No results.", blind=["messages"]),
        "error.blind", "cannot tell whether the reply said that there is nothing: the adapter can't see it",
    ),
    # --- budget
    row(
        "budget", "iterations", case(budget=Budget(iterations=1)), transcript(), transcript(iterations=2),
        "budget.iterations", "spent 2 iterations, budget 1",
    ),
    row(
        "budget", "tool calls", case(budget=Budget(tool_calls=0)), transcript(), transcript("search"),
        "budget.tool_calls", "spent 1 tool call, budget 0",
    ),
    row(
        "budget", "tokens", case(budget=Budget(tokens=1_000_000)), transcript(requests=[request(10), request(5)]),
        transcript(requests=[request(1_000_000), request(1)]),
        "budget.tokens", "spent 1,000,001 tokens, budget 1,000,000",
    ),
    row(
        "budget", "tokens not reported", case(budget=Budget(tokens=10)), transcript(requests=[]),
        transcript(requests=[request(3), request(), request()]),
        "error.blind", "cannot tell tokens spent: the model reported no usage on 2 of 3 calls",
    ),
    row(
        "budget", "tokens reported in part, and over already", case(budget=Budget(tokens=10)), transcript(),
        transcript(requests=[request(11), request()]),
        "budget.tokens", "spent 11 tokens, budget 10",
    ),
    row(
        "budget", "tokens can't be seen", case(budget=Budget(tokens=10)), transcript(), transcript(blind=["usage"]),
        "error.blind", "cannot tell tokens spent: the adapter can't see it",
    ),
    row(
        "budget", "seconds, a little", case(budget=Budget(seconds=180)), transcript(seconds=180.0), transcript(seconds=180.44),
        "budget.seconds", "spent 180.4 seconds, budget 180",
    ),
    row(
        "budget", "seconds, a hair", case(budget=Budget(seconds=180)), transcript(), transcript(seconds=180.0000000001),
        "budget.seconds", "spent 180.0000000001 seconds, budget 180",
    ),
    row(
        "budget", "seconds that others held up", case(budget=Budget(seconds=1)),
        transcript(seconds=1.0, held=0.5), transcript(seconds=2.6, held=1.5),
        "budget.seconds", "spent 2.6 seconds, budget 1",
    ),
    row(
        "budget", "seconds that others held up, of which some were its own", case(budget=Budget(seconds=1)),
        transcript(seconds=1.0, held=1.0), transcript(seconds=1.7, held=1.5),
        "error.blind", "cannot tell seconds spent: the event loop stood still for 1.5 of 1.7 seconds by another attempt's code; budget 1",
    ),
    row(
        "budget", "seconds that nobody knows who held up", case(budget=Budget(seconds=1)),
        transcript(seconds=1.0, unclear=0.5), transcript(seconds=1.6, unclear=0.75),
        "error.blind",
        "cannot tell seconds spent: the event loop stood still for 0.75 of 1.6 seconds, and by whose code is not known; budget 1",
    ),
    row(
        "budget", "more seconds than all that nobody knows who held up", case(budget=Budget(seconds=1)),
        transcript(seconds=1.0), transcript(seconds=2.0, unclear=0.5),
        "budget.seconds", "spent 2.0 seconds, budget 1",
    ),
    row(
        "budget", "seconds not known", case(budget=Budget(seconds=1)), transcript(), transcript(seconds=None),
        "error.blind", "cannot tell seconds spent: the adapter can't see it",
    ),
    row(
        "budget", "seconds that are no number", case(budget=Budget(seconds=1)), transcript(), transcript(seconds=float("nan")),
        "error.blind", "cannot tell seconds spent: the adapter can't see it",
    ),
    row(
        "budget", "some calls can't be seen", case(budget=Budget(tool_calls=3)), transcript("read"),
        transcript("read", blind=["calls of mail"]),
        "error.blind", "cannot tell tool calls spent: the adapter can't see it",
    ),
    row(
        "budget", "calls can't be seen", case(budget=Budget(tool_calls=3)), transcript("read"), transcript("read", blind=["calls"]),
        "error.blind", "cannot tell tool calls spent: the adapter can't see it",
    ),
    row(
        "budget", "cut off for a budget that the count does not show as spent", case(budget=Budget(seconds=2)), transcript(),
        transcript(seconds=1.9, stopped="budget.seconds", reply=None),
        "budget.seconds", "was stopped for having spent its budget of 2 seconds",
    ),
    row(
        "budget", "cut off for a budget that there is not", case(), transcript(), transcript(stopped="budget.tokens", reply=None),
        "budget.tokens", "was stopped for having spent its budget of tokens",
    ),
    # --- judge
    row(
        "judge", "not met", case(judge="apologises"), judged("apologises", True), judged("apologises", False),
        "judge", 'did not meet "apologises" (1 of 1 vote): it never says sorry',
    ),
    row(
        "judge", "not met by most", case(judge="apologises"), judged("apologises", True, False, True), judged("apologises", False, True, False),
        "judge", 'did not meet "apologises" (2 of 3 votes): it never says sorry',
    ),
    row(
        "judge", "one of two rubrics", case(judge=["a", "b"]), judged("a", True, also=[Judgement(rubric="b", votes=[Vote(met=True, reason="so")])]),
        judged("a", True, also=[Judgement(rubric="b", votes=[Vote(met=False, reason="no\n\x1b[31mway")])]),
        "judge", 'did not meet "b" (1 of 1 vote): no \\u001b[31mway',
    ),
    row(
        "judge", "an answer that can't be read", case(judge="is kind"), judged("is kind", True), judged("is kind", None),
        "error.judge", 'could not judge "is kind": the judge\'s answer can\'t be read: "sure, looks good!"',
    ),
    row(
        "judge", "a tie", case(judge="is kind"), judged("is kind", True, True), judged("is kind", True, False),
        "error.judge", 'could not judge "is kind": 1 of 2 votes for it, 1 against it',
    ),
    row(
        "judge", "most can't be read", case(judge="is kind"), judged("is kind", True, None, True), judged("is kind", None, True, None),
        "error.judge", 'could not judge "is kind": 1 of 3 votes for it, 0 against it, 2 that can\'t be read',
    ),
    row(
        "judge", "a judge that failed", case(judge="is kind"), judged("is kind", True, True),
        judged("is kind", True, error="the judge's model call failed: 529 overloaded"),
        "error.judge", 'could not judge "is kind": the judge\'s model call failed: 529 overloaded',
    ),
    row(
        "judge", "a judge that failed without a word", case(judge="is kind"), judged("is kind", True, True),
        judged("is kind", True, error="\x1f"), "error.judge", 'could not judge "is kind": the judge could not be asked',
    ),
    row(
        "judge", "nobody was asked", case(judge="is kind"), judged("is kind", True), judged("is kindly", True),
        "error.judge", 'could not judge "is kind": the transcript has no judgement of it, and only a run asks a judge',
    ),
    # --- check
    row(
        "check", "a sentence", case(check=lambda t: None), transcript(), transcript(failures=["the file was not patched"]),
        "check", "the file was not patched",
    ),
    row(
        "check", "lines and escapes", case(check=lambda t: None), transcript(), transcript(failures=["wrong:\n\x1b[31m  red"]),
        "check", "wrong: \\u001b[31m red",
    ),
    row(
        "check", "an empty sentence", case(check=lambda t: None), transcript(), transcript(failures=[""]),
        "check", "the check said that something is wrong, and not what",
    ),
    row(
        "check", "a crash", case(check=lambda t: None), transcript(),
        transcript(failures=[Failure("error.check", 'the check "a case" raised KeyError: \'id\'')]),
        "error.check", 'the check "a case" raised KeyError: \'id\'',
    ),
]  # fmt: skip
