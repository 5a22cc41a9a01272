"""Hypothesis strategies for the values that tests are about."""

from __future__ import annotations

from typing import Any

from hypothesis import strategies as st

from brute import Message, ToolCall, Usage
from brute.eval import Call, Failure, Request, Transcript
from brute.eval.judgement import Judgement, Vote

TOOLS = ["search", "fetch", "read", "write"]

texts = st.text(st.characters(exclude_categories=["Cs"]), max_size=12)
scalars = st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False, allow_infinity=False) | texts
json_values: st.SearchStrategy[Any] = st.recursive(
    scalars, lambda inner: st.lists(inner, max_size=3) | st.dictionaries(texts, inner, max_size=3), max_leaves=8
)
tools = st.sampled_from(TOOLS)
arguments = st.dictionaries(
    st.sampled_from(["query", "limit", "path"]), scalars | st.lists(scalars, max_size=2), max_size=3
)
outcomes = st.sampled_from(["ran", "stubbed", "denied", "failed"])
numbers = st.none() | st.integers(0, 10**6)
usages = st.builds(Usage, input=numbers, output=numbers, cost=st.none() | st.floats(0, 10))
calls = st.builds(
    Call,
    name=tools,
    arguments=arguments,
    outcome=outcomes,
    result=json_values,
    iteration=st.integers(1, 3),
    error=st.none() | texts,
)
messages = st.builds(
    Message,
    role=st.sampled_from(["system", "user", "assistant", "tool"]),
    content=texts,
    tool_calls=st.lists(st.builds(ToolCall, name=tools, arguments=arguments, id=texts), max_size=2),
    usage=st.none() | usages,
)
failures = st.builds(Failure, kind=st.just("check"), message=texts, expected=json_values, actual=json_values)
transcripts = st.builds(
    Transcript,
    said=st.none() | texts,
    messages=st.lists(messages, max_size=4),
    calls=st.lists(calls, max_size=5),
    requests=st.lists(st.builds(Request, usage=st.none() | usages), max_size=3),
    iterations=st.integers(0, 5),
    seconds=st.none() | st.floats(0, 1000),
    published=st.lists(json_values, max_size=2),
    failures=st.lists(failures | texts, max_size=1),
    error=st.none()
    | st.builds(Failure, kind=st.sampled_from(["turn.raised", "error.model", "cancelled"]), message=texts),
    stopped=st.none() | st.sampled_from(["MaxIterations(3)", "budget.tokens", "budget.seconds"]),
    tools=st.none() | st.just(TOOLS),
    judgements=st.lists(
        st.builds(
            Judgement,
            rubric=st.sampled_from(["a", "b"]),
            votes=st.lists(
                st.builds(Vote, met=st.none() | st.booleans(), reason=texts, usage=st.none() | usages), max_size=3
            ),
            of=st.integers(1, 3),
            error=st.none() | texts,
        ),
        max_size=2,
    ),
    blind=st.lists(st.sampled_from(["calls", "order", "usage", "iterations", "messages"]), max_size=1),
)
orders = st.none() | st.lists(tools, min_size=1, max_size=4)
expectations: st.SearchStrategy[dict[str, Any]] = st.fixed_dictionaries(
    {},
    optional={
        "calls": st.dictionaries(
            tools, st.none() | arguments | st.lists(arguments, min_size=1, max_size=3), max_size=2
        ),
        "never": st.lists(tools, max_size=2),
        "order": orders,
        "mentions": st.lists(st.sampled_from(["done", "4.25", ("a", "b")]), max_size=2),
        "silent": st.booleans(),
        "absent": st.booleans(),
        "judge": st.sampled_from([[], ["a"], ["a", "b"]]),
    },
)
