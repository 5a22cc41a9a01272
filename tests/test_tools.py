"""Tools: a schema and a check of arguments from a signature, or a schema of one's own."""

from __future__ import annotations

import dataclasses
import datetime
import enum
import functools
from typing import Any, Literal

import anyio
import pydantic
import pytest

import brute
from brute import Tool, UsageError, tool
from brute.calling import as_text
from brute.middleware import Tools
from brute.tools import BadArguments, tools_of


class Color(enum.Enum):
    """A choice."""

    RED = "red"


@dataclasses.dataclass
class Filter:
    """A value with fields."""

    since: datetime.date
    limit: int = 3


@tool
async def search(
    query: str, filter: Filter | None = None, color: Color = Color.RED, schema: Literal["a", "b"] = "a", **more: Any
) -> Any:
    """Search
    the news.

    Longer words.

    Args:
        query: what to look for
        schema (str): an argument that pydantic has a word of its own for
    """
    return query, filter, color, schema, more


@tool
def ranked(first: int, second: float = 1.5) -> str:
    """Rank.

    :param first: the first
    :param float second: the second
    """
    return f"{first} {second}"


def call(of: Tool, **arguments: Any) -> Any:
    """What the tool answers."""
    return anyio.run(functools.partial(of.call, arguments))


def test_name_description_and_schema_come_from_the_function() -> None:
    """The first paragraph, and what the docstring says of each argument."""
    assert (search.name, search.description) == ("search", "Search the news.")
    properties = search.parameters["properties"]
    assert list(properties) == ["query", "filter", "color", "schema"]
    assert properties["query"] == {"description": "what to look for", "type": "string"}
    assert properties["schema"]["description"] == "an argument that pydantic has a word of its own for"
    assert search.parameters["required"] == ["query"]
    described = ranked.parameters["properties"]
    assert [described[name]["description"] for name in ("first", "second")] == ["the first", "the second"]


def test_a_name_and_a_description_may_be_given() -> None:
    """For the model to read."""
    made = tool(name="find", description="Find.")(lambda: None)
    assert (made.name, made.description, made.parameters["properties"]) == ("find", "Find.", {})


def test_arguments_are_checked_and_coerced_before_the_call() -> None:
    """The function gets what its annotations say; its own defaults stay its own business."""
    query, found, color, schema, more = call(
        search, query="x", filter={"since": "2026-01-02"}, color="red", schema="b", extra=1
    )
    assert (query, found, color, schema, more) == ("x", Filter(datetime.date(2026, 1, 2)), Color.RED, "b", {"extra": 1})
    assert call(ranked, first=2) == "2 1.5"


@pytest.mark.parametrize(
    ("arguments", "sentence"),
    [
        ({}, "first: Field required"),
        ({"first": "x"}, "first: Input should be a valid integer, unable to parse string as an integer"),
        ({"first": 1, "third": 2}, "third: Extra inputs are not permitted"),
    ],
)
def test_arguments_that_the_signature_refuses_are_told(arguments: dict[str, Any], sentence: str) -> None:
    """In words for the model."""
    with pytest.raises(BadArguments) as caught:
        call(ranked, **arguments)
    assert str(caught.value) == sentence


def test_a_tool_with_a_schema_of_its_own_is_called_with_what_came() -> None:
    """What the schema requires has to be there."""
    made = Tool(name="f", parameters={"type": "object", "required": ["a"]}, function=lambda **given: given)
    assert call(made, a="1", b=2) == {"a": "1", "b": 2}
    with pytest.raises(BadArguments, match=r"^missing a$"):
        call(made, b=2)


@pytest.mark.parametrize(
    ("given", "sentence"),
    [
        ({"name": " ", "function": print}, "a tool's name must be a text that is not blank, got ' '"),
        ({"name": None, "function": print}, "a tool's name must be a text that is not blank, got None"),
        ({"name": "f", "function": 3}, "the function of tool f must be callable, got 3"),
        (
            {"name": "f", "function": print, "parameters": []},
            "the parameters of tool f must be a JSON schema (a mapping), got []",
        ),
    ],
    ids=str,
)
def test_what_is_no_tool_is_refused(given: dict[str, Any], sentence: str) -> None:
    """When it is made."""
    with pytest.raises(UsageError) as caught:
        Tool(**given)
    assert str(caught.value) == sentence


def test_a_function_that_can_not_be_called_with_keywords_is_refused() -> None:
    """As is one whose signature nobody can read, or nobody can make a schema of."""
    with pytest.raises(UsageError, match=r"so it can't take \*args by position"):
        tool(name="f")(lambda *args: None)
    with pytest.raises(UsageError, match="a tool must be a Tool or a function, got 3"):
        tool(3)  # type: ignore[call-overload]
    with pytest.raises(UsageError, match="the tool dict has no signature to read"):
        tool(dict)

    def unknown(x: Missing) -> None:  # type: ignore[name-defined]  # noqa: F821
        """Of a type that there is not."""

    with pytest.raises(
        UsageError,
        match="the tool unknown annotates x with Missing, which can't be read: name 'Missing' is not defined",
    ):
        _ = tool(unknown).parameters

    def odd(x: threading_lock) -> None:  # type: ignore[valid-type]
        """Of a type that JSON has no schema for."""

    with pytest.raises(UsageError, match="the signature of tool odd can't be made a schema"):
        _ = tool(odd).parameters


threading_lock = type("Lock", (), {})


class Shown(pydantic.BaseModel):
    """A result of pydantic's."""

    x: int


class Unreadable:
    """A result whose text raises."""

    def __str__(self) -> str:
        raise RuntimeError("no")


@pytest.mark.parametrize(
    ("result", "text"),
    [
        ("é", "é"),
        (None, "null"),
        ({"a": [1, "é"]}, '{"a": [1, "é"]}'),
        (Shown(x=1), '{"x": 1}'),
        (Filter(datetime.date(2026, 1, 2)), '{"since": "2026-01-02", "limit": 3}'),
        ([{1, 2}], "[[1, 2]]"),
        ({(1, 2): 3}, "{(1, 2): 3}"),
        (b"x", "\"b'x'\""),
        (Unreadable(), "<Unreadable>"),
    ],
    ids=lambda each: type(each).__name__,
)
def test_a_result_is_told_as_text_or_json_and_never_raises(result: Any, text: str) -> None:
    """Whatever the tool answers."""
    assert as_text(result) == text


def test_a_circle_is_told_as_python_writes_it() -> None:
    """JSON has no word for it."""
    circle: list[Any] = []
    circle.append(circle)
    assert as_text(circle) == "[[...]]"


def local_tool() -> Tool:
    """A tool that takes what only its own function knows."""

    class Known(pydantic.BaseModel):
        """A value that is in nobody's module."""

        x: int

    def taking(u: Known, more: list[Known] | None = None) -> int:
        """Take one."""
        return u.x

    return tools_of([taking])[0]


def test_a_class_of_the_function_around_a_tool_is_found() -> None:
    """Although `from __future__ import annotations` leaves its name alone, and the function has ended since."""
    made = local_tool()
    assert set(made.resolve()) == {"u", "more"}
    assert call(made, u={"x": 3}) == 3
    assert made.parameters["required"] == ["u"]


def test_an_annotation_that_names_nothing_is_refused_by_the_agent() -> None:
    """When its tools are asked for, and without pydantic: no model is offered a tool that could never work."""

    def unknown(x: int, y: list[Missing]) -> None:  # type: ignore[name-defined]  # noqa: F821
        """Of a type that there is not."""

    agent = brute.agent().use(Tools, [unknown])
    with pytest.raises(UsageError) as caught:
        _ = agent.tools
    sentence = "the tool unknown annotates y with list[Missing], which can't be read: name 'Missing' is not defined"
    assert str(caught.value) == sentence


def test_an_annotation_of_what_is_returned_is_nobodys_business() -> None:
    """As is one of a tool with a schema of its own."""

    def fine(x: int) -> Missing:  # type: ignore[name-defined]  # noqa: F821
        """Return what only a type checker knows."""
        return x

    def own(x: Missing) -> int:  # type: ignore[name-defined]  # noqa: F821
        """Take it."""
        return int(x)

    schema = Tool(name="own", parameters={"type": "object"}, function=own)
    assert [each.name for each in brute.agent().use(Tools, [fine, schema]).tools] == ["fine", "own"]
    assert (call(tool(fine), x=1), call(schema, x=1)) == (1, 1)


def yields() -> Any:
    """A generator function."""
    yield 1


async def yields_later() -> Any:
    """An async one."""
    yield 1


class Searcher:
    """A thing with a method."""

    def search(self, query: str) -> str:
        """Search."""
        return query

    def __call__(self) -> Any:
        """Yield."""
        yield 1


@pytest.mark.parametrize("function", [yields, yields_later, functools.partial(yields), Searcher()])
def test_a_generator_function_is_no_tool(function: Any) -> None:
    """A model would read the words "generator object", whoever made the tool."""
    sentence = "the tool f is a generator function, of which a model would read nothing; return a text or a list"
    for make in (tool(name="f"), lambda made: Tool(name="f", function=made, parameters={})):
        with pytest.raises(UsageError) as caught:
            make(function)
        assert str(caught.value) == sentence


def test_a_method_is_a_tool_only_where_it_is_bound() -> None:
    """No model can give `self`."""
    sentence = "the tool search is a method, and no model can give its self; make the tool of the bound method: tool(thing.search)"
    for make in (tool, lambda made: Tool(name="search", function=made, parameters={})):
        with pytest.raises(UsageError) as caught:
            make(Searcher.search)
        assert str(caught.value) == sentence
    assert call(tool(Searcher().search), query="x") == "x"


def test_no_sentence_holds_an_address() -> None:
    """The same slip is told in the same bytes."""
    with pytest.raises(UsageError) as caught:
        tools_of(object())  # type: ignore[arg-type]
    assert str(caught.value) == "tools come as a list, got <object object>; write [...]"
