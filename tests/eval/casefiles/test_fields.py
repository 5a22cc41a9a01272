"""What each field of a case takes in a file, and its sentences."""

from __future__ import annotations

import dataclasses
import re

import pytest

from brute import Message, ToolCall, Usage
from brute.eval import Budget, Case
from brute.eval.casefiles.fields import FIELDS, NOT_IN_FILES
from tests.eval.casefiles.files import case, load, refused, refused_in


def test_no_field_is_forgotten() -> None:
    """A new argument of `Case` is one that files have, or one of which they say why not."""
    names = {field.name for field in dataclasses.fields(Case)}
    assert names == {*FIELDS, *NOT_IN_FILES}


def test_everything_that_a_case_can_say() -> None:
    """As the same case in Python."""
    made = case(
        """
files: {notes/a.txt: hello, b.bin: {$base64: AAE=}}
conversation:
  - system: be brief
  - user: hi
  - {role: assistant, content: "", tool_calls: [{name: f, arguments: {q: {$raise: x}}, id: c}], usage: {input: 1}}
  - {role: tool, content: x, tool_call_id: c, failed: true}
stubs: {f: No results.}
runs: 3
calls: {f: {q: /a/i, n: [1, {b: null}]}, g: , h: [{}, null, {a: yes}]}
never: [no, off]
order: [f, g]
mentions: [4.25%, /x/, [held, "5", /y/]]
judge: [it is polite, /it is short/]
budget: {iterations: 3, tool_calls: 0, tokens: 100, seconds: 1.5}
""".strip().replace("{q: {$raise: x}}", "{q: 1}")
    )
    assert made == Case(
        "a",
        said="b",
        files={"notes/a.txt": "hello", "b.bin": b"\x00\x01"},
        conversation=[
            Message(role="system", content="be brief"),
            Message(role="user", content="hi"),
            Message(
                role="assistant", tool_calls=(ToolCall(name="f", arguments={"q": 1}, id="c"),), usage=Usage(input=1)
            ),
            Message(role="tool", content="x", tool_call_id="c", failed=True),
        ],
        stubs={"f": "No results."},
        runs=3,
        calls={"f": {"q": re.compile("a", re.I), "n": [1, {"b": None}]}, "g": None, "h": [{}, None, {"a": "yes"}]},
        never=["no", "off"],
        order=["f", "g"],
        mentions=["4.25%", re.compile("x"), ("held", "5", re.compile("y"))],
        judge=["it is polite", "/it is short/"],
        budget=Budget(iterations=3, tool_calls=0, tokens=100, seconds=1.5),
    )


def test_the_other_two_kinds_of_reply() -> None:
    """And a pattern of absence: between slashes as it stands, as a text without regard to case."""
    assert case("silent: true").silent
    assert case("absent: true\nabsence: /nichts/").absence == re.compile("nichts")
    assert case("absent: true\nabsence: nichts").absence == re.compile("nichts", re.I)
    assert case("absent: true\nabsence: {$pattern: a/b}").absence == re.compile("a/b")
    assert load("- name: a\n  said: null")[0].said is None


@pytest.mark.parametrize(
    ("text", "sentence"),
    [
        ("mention: [a]", '3:3: a case has no "mention" (did you mean "mentions"?); it takes name, said, conversation, files, stubs, runs, calls, never, order, mentions, silent, absent, absence, judge, budget'),
        ("check: f", "3:3: check is a function, which a file can't hold; load the cases in an eval file, and put it over one: case(check)"),
        ("files: [a]", "3:10: files takes a mapping of paths to contents, got a list"),
        ("files: {a: 7}", '3:14: a file holds a text or {$base64: ...}, got 7; write "7"'),
        ("files: {../a: b}", "3:10: files must stay inside the world's folder; \"../a\" does not"),
        ("conversation: hi", '3:17: conversation takes a list of messages, got "hi"; write ["hi"]'),
        ("conversation: [hi]", '3:18: a message is a mapping, such as {user: hello}, got "hi"'),
        ("conversation: [{user: 7}]", '3:25: what the user said must be a text, got 7; write "7"'),
        ("conversation: [{role: usr}]", "3:18: a message's role must be one of system, user, assistant, tool; got 'usr' (did you mean \"user\"?)"),
        ("conversation: [{role: user, contnt: a}]", '3:31: a message has no "contnt" (did you mean "content"?); it takes role, content, tool_calls, tool_call_id, usage, model, failed'),
        ("conversation: [{role: assistant, tool_calls: [{nam: f}]}]", '3:50: a tool call has no "nam" (did you mean "name"?); it takes name, arguments, id'),
        ("conversation: [{role: assistant, tool_calls: [{id: f}]}]", "3:49: ToolCall needs name="),
        ("stubs: f", '3:10: stubs takes a mapping of tool names to what is served, got "f"'),
        ("runs: 0", "3:9: runs must be a whole number >= 1, got 0"),
        ("runs: many", '3:9: runs must be a whole number >= 1, got "many"'),
        ("calls: [f]", "3:10: calls takes a mapping of tool names to arguments (each tool with a colon behind it, for a call with any arguments), got a list"),
        ("calls: {f: 7}", "3:14: a call takes a mapping of arguments, or null for any, got 7"),
        ("calls: {f: [7]}", "3:15: a call takes a mapping of arguments, or null for any, got 7"),
        ("calls: {f: []}", '3:10: calls asks for no call to "f" ([]); to forbid the tool, write never=["f"]'),
        ("never: f", '3:10: never takes a list of tool names, got "f"; write ["f"]'),
        ("never: [7]", '3:11: never takes tool names, got 7; write "7"'),
        ("order: []", "3:10: order must name at least one tool, got []"),
        ("order: [7]", "3:11: order takes tool names, got 7; write \"7\""),
        ("mentions: held", '3:13: mentions takes a list of words, got "held"; write ["held"]'),
        ("mentions: [4.10]", '3:14: mentions takes words, patterns, and lists of which any will do, got 4.10; write "4.10"'),
        ("mentions: [[[a]]]", "3:15: mentions takes words, patterns, and lists of which any will do, got a list"),
        ("mentions: [[]]", "3:13: mentions has an empty tuple, of which no word can be said"),
        ("silent: yes", '3:11: silent must be true or false, got "yes"; write true'),
        ("absent: 1", "3:11: absent must be true or false, got 1"),
        ("absent: true\nabsence: 4", "4:12: absence must be a pattern, got 4"),
        ("absence: a", '1:3: case "a": absence is read only with absent=True'),
        ("judge: 3", '3:10: judge takes a rubric, a text, or a list of those, got 3; write "3"'),
        ("judge: [a, {b: c}]", "3:14: judge takes a rubric, a text, or a list of those, got a mapping"),
        ("judge: [a, a]", "3:10: judge has the same rubric twice: ['a', 'a']"),
        ("budget: 3", "3:11: budget takes a mapping, such as {iterations: 3}, got 3"),
        ("budget: {itrations: 3}", '3:12: budget has no "itrations" (did you mean "iterations"?); it takes iterations, tool_calls, tokens, seconds'),
        ("budget: {tokens: 0}", "3:20: budget: tokens must be a whole number >= 1 or null, got 0"),
        ("silent: true\nmentions: [a]", '1:3: case "a": silent=True wants no reply and mentions wants one; leave one of them out'),
        ("never: [f]\ncalls: {f: }", '1:3: case "a": "f" is both wanted and in never'),
    ],
)  # fmt: skip
def test_what_cant_be_meant(text: str, sentence: str) -> None:
    """The line, the column, and what is allowed."""
    assert refused_in(text) == sentence


@pytest.mark.parametrize(
    ("text", "sentence"),
    [
        ("- name: a", "cases.yaml:1:3: a case needs said:, the prompt handed to the agent (null: none)"),
        ("- said: a", "cases.yaml:1:3: a case needs name:, what it is called"),
        ("- {name: 7, said: a}", 'cases.yaml:1:10: a case\'s name must be a text, got 7; write "7"'),
        ("- {name: ' ', said: a}", 'cases.yaml:1:3: a case\'s name must be a text that is not blank, got " "'),
        ("- {name: a, said: 7}", 'cases.yaml:1:19: said must be a text or null, got 7; write "7"'),
        ("- a", 'cases.yaml:1:3: a case is a mapping with at least name and said, got "a"'),
    ],
)
def test_a_name_and_what_was_said(text: str, sentence: str) -> None:
    """Both are needed."""
    assert refused(text) == sentence
