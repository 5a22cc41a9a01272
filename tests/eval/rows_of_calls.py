"""More rows of that table: what a case can say of calls and of their order beyond names and arguments."""

from __future__ import annotations

import re

from brute.eval import Call, any_of, any_order, near, only, optional, parallel, same_text, with_defaults
from brute.eval import call as wanted
from tests.eval.rows import TOOLS, Row, row
from tests.support.make import call, case, transcript


def at(iteration: int, name: str) -> Call:
    """A call in a batch of its own."""
    return Call(name=name, iteration=iteration)


EVERY = {
    "a": any_of("x", re.compile("y")), "b": near(4.25, 0.01), "c": same_text("New York"), "d": any_order([1, 2]), "e": optional(3),
}  # fmt: skip

MORE: list[Row] = [
    row(
        "calls", "what may be left out, of arguments that can't be read", case(calls={"f": {"limit": optional(3)}}),
        transcript(call("f")), transcript(call("f", malformed='{"limit": 9')),
        "call.arguments", 'called f 1 time with malformed arguments: "{\\"limit\\": 9"',
    ),
    row(
        "calls", "one of several calls left without, the nearest marked", case(calls={"f": [{"a": 1, "b": 2}, {"a": 3, "b": 4}]}),
        transcript(call("f", a=3, b=4), call("f", a=1, b=2)),
        transcript(call("f", a=1, b=2), call("f", a=3, b=5), call("f", a=9, b=9)),
        "call.arguments", 'called f 3 times, never with b 4; b was 2, 5, 9; the nearest was call 2: {"a": 3, "b": 5 (wanted 4)}',
    ),
    row(
        "calls", "another argument where none is wanted", case(calls={"f": only({"a": 1})}), transcript(call("f", a=1)),
        transcript(call("f", a=1, b=2)),
        "call.arguments", 'called f 1 time, never with only {"a": 1}; the nearest was {"a": 1, "b": 2 (not wanted)}',
    ),
    row(
        "calls", "wishes of every kind", case(calls={"f": EVERY}),
        transcript(call("f", a="yes", b=4.26, c="new-york", d=[2, 1])),
        transcript(call("f", a="z", b=4.27, c="york", d=[2, 2], e=4)),
        "call.arguments",
        'called f 1 time, never with a any of "x", /y/ and b 4.25 within 0.01 and c the words "New York" and d [1, 2] in any order '
        'and e 3 or left out; a was "z"; b was 4.27; c was "york"; d was [2, 2]; e was 4',
    ),
    row(
        "calls", "any of several wishes for a whole call", case(calls={"f": any_of({"a": 1}, {"b": 2})}), transcript(call("f", b=2)),
        transcript(call("f", a=2)),
        "call.arguments", 'called f 1 time, never with any of {"a": 1}, {"b": 2}; arguments were {"a": 2}',
    ),
    row(
        "calls", "a default that is another", case(calls={"f": with_defaults({"q": "x", "n": 10})}),
        transcript(call("f", q="x"), defaults={"f": {"n": 10}}), transcript(call("f", q="x"), defaults={"f": {"n": 3}}),
        "call.arguments", "called f 1 time, never with n 10; n was 3",
    ),
    row(
        "calls", "another argument that is no default", case(calls={"f": with_defaults(only({"q": "x"}))}),
        transcript(call("f", q="x", n=3), defaults={"f": {"n": 3}}), transcript(call("f", q="x", n=4), defaults={"f": {"n": 3}}),
        "call.arguments",
        'called f 1 time, never with only {"q": "x"}, defaults filled in; the nearest was {"n": 4 (not wanted), "q": "x"}',
    ),
    row(
        "calls", "a list of more than the default's", case(calls={"f": with_defaults(only({"q": "x"}))}),
        transcript(call("f", q="x", o=[{"a": 1}]), defaults={"f": {"o": [{"a": 1}]}}),
        transcript(call("f", q="x", o=[{"a": 1, "b": True}]), defaults={"f": {"o": [{"a": 1}]}}),
        "call.arguments",
        'called f 1 time, never with only {"q": "x"}, defaults filled in; the nearest was {"o": [{"a": 1, "b": true}] (not wanted), "q": "x"}',
    ),
    row(
        "calls", "defaults that were not seen", case(calls={"f": with_defaults({"n": 3})}),
        transcript(call("f"), defaults={"f": {"n": 3}}), transcript(call("f")),
        "error.blind", "cannot tell the defaults of f: the adapter can't see it",
    ),
    row(
        "calls", "too few", case(calls={"f": wanted({"a": 1}, times=2)}), transcript(call("f", a=1), call("f", a=1)),
        transcript(call("f", a=1), call("f", a=2)),
        "call.missing",
        'wanted exactly 2 calls to f with a 1; called f 2 times, 1 of them so; the nearest was call 2: {"a": 2 (wanted 1)}',
    ),
    row(
        "calls", "too few of any", case(calls={"f": wanted(at_least=3)}), transcript("f", "f", "f", "f"), transcript("f", "g"),
        "call.missing", "wanted at least 3 calls to f; called f 1 time",
    ),
    row(
        "calls", "too few, with one taken by another wish", case(calls={"f": [wanted({"a": 1}, times=1), wanted(times=1)]}),
        transcript(call("f", a=1), call("f", a=2)), transcript(call("f", a=1)),
        "call.missing", "wanted exactly 1 call to f; called f 1 time and none was left",
    ),
    row(
        "calls", "none of several wanted", case(calls={"serch": wanted(times=2)}), transcript("serch", "serch"),
        transcript("fetch", tools=TOOLS),
        "call.missing", 'wanted exactly 2 calls to serch, which is no tool of this agent (did you mean "search"?); called fetch',
    ),
    row(
        "calls", "too many", case(calls={"f": wanted({"a": 1}, at_most=1)}), transcript(call("f", a=1), call("f", a=2)),
        transcript(call("f", a=1), "g", call("f", a=1)),
        "call.unwanted", "wanted at most 1 call to f with a 1; called so 2 times (calls 1, 3 of 3)",
    ),
    row(
        "calls", "between", case(calls={"f": wanted(at_least=1, at_most=2)}), transcript("f", "f"), transcript("f", "f", "f"),
        "call.unwanted", "wanted 1 to 2 calls to f; called so 3 times (calls 1, 2, 3 of 3)",
    ),
    row(
        "calls", "arguments that are forbidden", case(calls={"f": wanted({"a": 1}, times=0)}), transcript(call("f", a=2)),
        transcript(call("f", a=1)),
        "call.unwanted", "wanted no call to f with a 1; called so 1 time (call 1 of 1)",
    ),
    row(
        "calls", "a predicate that raises, of calls that are limited",
        case(calls={"f": wanted({"a": lambda given: given.startwith("/")}, times=0)}), transcript("g"), transcript("g", call("f", a="/x")),
        "error.check",
        "cannot tell whether call 2 of 2 (f) is one of those that are limited: what it is asked by raised "
        "AttributeError: 'str' object has no attribute 'startwith'",
    ),
    row(
        "calls", "a predicate that raises, where one more may be", case(calls={"f": wanted({"a": lambda given: given.endswith("x")}, at_most=1)}),
        transcript(call("f", a=3)), transcript(call("f", a=3), call("f", a="x")),
        "error.check",
        "cannot tell whether call 1 of 2 (f) is one of those that are limited: what it is asked by raised "
        "AttributeError: 'int' object has no attribute 'endswith'",
    ),
    row(
        "calls", "malformed arguments, of calls that are limited", case(calls={"f": wanted({"a": 1}, times=0)}),
        transcript(call("f", a=2)), transcript(call("f", malformed='{"a": 1')),
        "error.blind", "cannot tell whether call 1 of 1 (f) is one of those that are limited: its arguments can't be read",
    ),
    row(
        "calls", "an outcome", case(calls={"f": wanted(outcome="failed")}), transcript(call("f", "failed"), "f"), transcript("f", "f"),
        "call.missing", "wanted a call to f that failed; called f 2 times, never so",
    ),
    row(
        "calls", "an outcome and arguments", case(calls={"f": wanted({"a": 1}, outcome="ran")}),
        transcript(call("f", "failed", a=1), call("f", "stubbed", a=1)), transcript(call("f", "failed", a=1), call("f", a=2)),
        "call.arguments",
        'wanted a call to f with a 1 that ran; called f 2 times, never so; the nearest was call 2: {"a": 2 (wanted 1)}',
    ),
    row(
        "calls", "denied as wanted", case(calls={"f": wanted(outcome="denied")}), transcript(call("f", "denied")), transcript("g"),
        "call.missing", "wanted a call to f that was denied; called g",
    ),
    row(
        "calls", "another call where none is wanted", case(calls=only({"f": {}})), transcript("f"), transcript("f", call("g", x=1)),
        "call.unwanted", 'called g besides what this case wants (call 2 of 2: {"x": 1})',
    ),
    row(
        "calls", "one more of the same", case(calls=only({"f": [{}, {}]})), transcript("f", "f"), transcript("f", "f", call("f", "failed")),
        "call.unwanted", "called f besides what this case wants (call 3 of 3, failed: {})",
    ),
    row(
        "calls", "no calls at all", case(calls=only({})), transcript(), transcript("f"),
        "call.unwanted", "called f besides what this case wants (call 1 of 1: {})",
    ),
    row(
        "calls", "no other to some tools", case(calls=only({"f": {}}, among=["f", "write_*"])), transcript("f", "read"),
        transcript("f", "read", "write_file"),
        "call.unwanted", "called write_file besides what this case wants (call 3 of 3: {})",
    ),
    row(
        "calls", "the wrong call is told once", case(calls=only({"f": {"a": 1, "b": 2}})), transcript(call("f", a=1, b=2)),
        transcript(call("f", a=1, b=3)),
        "call.arguments", "called f 1 time, never with b 2; b was 3",
    ),
    row(
        "calls", "names that mean several tools", case(calls={"mcp__mail__*": {"to": "a"}}), transcript(call("mcp__mail__send", to="a")),
        transcript("mcp__web__get", tools=["mcp__mail__send", "mcp__web__get"]),
        "call.missing", "never called mcp__mail__*; called mcp__web__get",
    ),
    row(
        "calls", "a glob that means no tool", case(calls={"mail_*": {}}), transcript("mail_send"),
        transcript("mailsend", tools=["mailsend"]),
        "call.missing", 'never called mail_*, which suits no tool of this agent (did you mean "mailsend"?); called mailsend',
    ),
    row(
        "calls", "a glob denied", case(calls={"mail_*": {}}), transcript("mail_send"), transcript(call("mail_send", "denied")),
        "call.missing", "called mail_* 1 time, denied",
    ),
    row(
        "calls", "that there were no others can't be seen", case(calls=only({"f": {}})), transcript("f"), transcript("f", blind=["calls"]),
        "error.blind", "cannot tell whether there were other calls: the adapter can't see it",
    ),
    row(
        "calls", "that it was called so often can't be seen", case(calls={"f": wanted(at_least=2)}), transcript("f", "f"),
        transcript("f", blind=["calls"]),
        "error.blind", "cannot tell whether f was called: the adapter can't see it",
    ),
    row(
        "never", "a name that means several tools", case(never=["mcp__mail__*"]), transcript("mcp__web__get"),
        transcript(call("mcp__mail__send", to="a")),
        "call.forbidden", 'called mcp__mail__send, which this case forbids by mcp__mail__* (call 1 of 1: {"to": "a"})',
    ),
    row(
        "never", "a glob that means no tool, near one", case(never=["mcp_mail_*"]), transcript(tools=["mcp_mail_send"]),
        transcript(tools=["mcp__mail__send"]),
        "error.tool", 'never forbids "mcp_mail_*", which suits no tool of this agent (did you mean "mcp__mail__send"?)',
    ),
    row(
        "order", "at once, in any order", case(order=["a", parallel("b", "c"), "d"]),
        transcript(call("a"), at(2, "c"), at(2, "b"), at(3, "d")), transcript(call("a"), at(2, "b"), at(3, "c"), at(4, "d")),
        "order", "wanted b and c at once; they came in iterations 2, 3",
    ),
    row(
        "order", "at once, one missing", case(order=["a", parallel("b", "c")]), transcript("a", "c", "b"), transcript("a", "b"),
        "order", "wanted a, b and c at once in that order; got a, b; c was never called",
    ),
    row(
        "order", "in any order among themselves", case(order=[any_order(["a", "b"]), "c"]), transcript("b", "b", "a", "c"),
        transcript("a", "c", "b"),
        "order", "wanted a and b in any order, c in that order; got a, c, b",
    ),
    row(
        "order", "a step that may be left out, in the wrong place", case(order=["a", optional("b"), "c"]), transcript("a", "c"),
        transcript("b", "a", "c"),
        "order", "wanted a, b (or not), c in that order; got b, a, c",
    ),
    row(
        "order", "a name that means several tools", case(order=["read_*", "write"]), transcript("read_a", "read_b", "other", "write"),
        transcript("write", "read_a"),
        "order", "wanted read_*, write in that order; got write, read_a",
    ),
    row(
        "order", "a step denied", case(order=["read_*", "write"]), transcript("read_a", "write"),
        transcript("read_a", call("write", "denied")),
        "order", "wanted read_*, write in that order; write was denied",
    ),
    row(
        "order", "a step that is no tool", case(order=["read_*", "wirte"]), transcript("read_a", "wirte"),
        transcript("read_a", call("wirte", "failed"), tools=["read_a", "write"]),
        "order", 'wanted read_*, wirte in that order; wirte, which is no tool of this agent (did you mean "write"?)',
    ),
    row(
        "order", "what came at once can't be seen", case(order=[parallel("a", "b")]), transcript("a", "b"),
        transcript("a", "b", blind=["iterations"]),
        "error.blind", "cannot tell which calls were asked for at once: the adapter can't see it",
    ),
]  # fmt: skip
