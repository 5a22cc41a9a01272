"""A cassette as a file: read as it was written, refused in a sentence where it can't be."""

from __future__ import annotations

import datetime
import json
import os
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from brute.eval.cassettes import cassette
from brute.eval.cassettes.cassette import Cassette
from brute.eval.cassettes.repeats import folded, unfolded
from brute.eval.cassettes.sides import BOTH
from brute.eval.faulty import ReplayError

DAY = datetime.date(2026, 3, 6)


def asked(*messages: Any, kind: str = "model") -> dict[str, Any]:
    """An entry of the model's side."""
    body = {"model": "m", "messages": [{"role": "user", "content": each} for each in messages]}
    return {"of": kind, "asked": {"path": "/v1", "body": body} if kind == "http" else body, "answered": {"a": 1}}


def made(**fields: Any) -> Cassette:
    """A cassette."""
    return Cassette(**{"case": "a case", "attempt": 1, "sides": BOTH, "day": DAY, "seconds": 1.5, **fields})


def test_a_cassette_is_read_as_it_was_written(tmp_path: Path) -> None:
    """And written the same again."""
    one = made(
        model=[asked("a"), asked("a", "b", kind="http")],
        tools=[{"tool": "f", "arguments": {}, "result": {"b": 1, "a": 2}}],
    )
    one.write(tmp_path / "x.json")
    two = cassette.read(tmp_path / "x.json", "x.json")
    assert two == one
    assert two.text() == (tmp_path / "x.json").read_text()
    assert list(two.tools[0]["result"]) == ["b", "a"]


def test_an_old_file_is_replaced_whole_and_leftovers_are_taken_away(tmp_path: Path) -> None:
    """A run that was killed while it wrote, some time ago, leaves a part beside it."""
    path = tmp_path / "x.json"
    made().write(path)
    (tmp_path / ".x.json.abc.part").write_text("half")
    os.utime(tmp_path / ".x.json.abc.part", (0, 0))
    (tmp_path / ".y.json.abc.part").write_text("another's")
    made(attempt=2).write(path)
    assert cassette.read(path, "x").attempt == 2
    assert sorted(each.name for each in tmp_path.iterdir()) == [".y.json.abc.part", "x.json"]


def test_what_can_t_be_written_leaves_the_old_one(tmp_path: Path) -> None:
    """No half of it, and nothing beside it."""
    path = tmp_path / "x.json"
    made().write(path)
    before = path.read_bytes()
    with pytest.raises((TypeError, ValueError)):
        made(tools=[{"tool": "f", "arguments": {}, "result": object()}]).write(path)
    assert [each.read_bytes() for each in tmp_path.iterdir()] == [before]


WRONG = {
    "": "it is no JSON at line 1, column 1",
    '{"schema": 1,': "it is no JSON at line 1, column 14",
    "[]": "it is no JSON object",
    '{"schema": 1}': "a field of it is missing or odd (KeyError: 'sides')",
    '{"schema": 2}': "is of schema 2, and this version of brute reads schema 1; make it again with --record",
    "{}": "is of schema null, and this version",
    '{"schema": "\\u001b[31m"}': 'is of schema "\\u001b[31m", and',
}


@pytest.mark.parametrize("text", WRONG)
def test_a_file_that_is_none_is_refused_in_one_sentence(text: str, tmp_path: Path) -> None:
    """What is wrong with it, and what to do."""
    (tmp_path / "x.json").write_text(text)
    with pytest.raises(ReplayError) as refused:
        cassette.read(tmp_path / "x.json", "here/x.json")
    assert WRONG[text] in str(refused.value)
    assert str(refused.value).startswith("the recording here/x.json ")
    assert "\n" not in str(refused.value) and "\x1b" not in str(refused.value)  # noqa: PT018


@pytest.mark.parametrize(
    ("field", "value"),
    [
        ("sides", ["modell"]), ("sides", 3), ("day", "yesterday"), ("day", None), ("model", {}), ("model", ["x"]), ("tools", [{}]),
        ("tools", [{"tool": "f", "arguments": {}}]), ("model", [{"of": "http", "asked": {}}]), ("seconds", "long"), ("seconds", True),
        ("held", "long"), ("held", True), ("held", -1), ("held", 9),
        ("model", [{"of": "model", "asked": {"messages": [{"$first": 2, "$of": 9}]}, "answered": {}}]),
        ("model", [{"of": "model", "asked": {"messages": [{"$first": 2, "$of": -1}]}, "answered": {}}]), ("tools", None),
    ],
)  # fmt: skip
def test_a_field_that_somebody_has_edited_is_refused(field: str, value: Any, tmp_path: Path) -> None:
    """Not taken for something else."""
    data = {**json.loads(made().text()), field: value}
    (tmp_path / "x.json").write_text(json.dumps(data))
    with pytest.raises(ReplayError, match="is missing or odd"):
        cassette.read(tmp_path / "x.json", "x.json")


@given(st.data())
def test_a_cut_file_is_never_read_as_a_whole_one(data: Any) -> None:
    """At whatever character."""
    import tempfile

    text = made(model=[asked("a")]).text()
    at = data.draw(st.integers(0, len(text) - 3))
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder, "x.json")
        path.write_text(text[:at])
        with pytest.raises(ReplayError):
            cassette.read(path, "x.json")


CONTENT = st.sampled_from(["a", "b", "c"])


@given(st.lists(st.tuples(st.lists(CONTENT, max_size=5), st.sampled_from(["http", "model"])), max_size=6))
def test_what_is_left_out_as_repeated_comes_back(conversations: Any) -> None:
    """Whatever one conversation has in common with another."""
    entries = [asked(*messages, kind=kind) for messages, kind in conversations]
    assert unfolded(json.loads(json.dumps(folded(entries)))) == entries


def test_a_conversation_stands_in_the_file_once() -> None:
    """So each request shows what is new in it."""
    entries = [asked(*"abc"[:size]) for size in (1, 2, 3)]
    new = [[each for each in entry["asked"]["messages"] if "role" in each] for entry in folded(entries)]
    assert [[each["content"] for each in messages] for messages in new] == [["a"], ["b"], ["c"]]


def test_what_looks_like_our_mark_is_taken_for_what_it_is() -> None:
    """A message of somebody's may be just that."""
    entries = [asked("a"), {"of": "model", "asked": {"messages": [{"$first": 1, "$of": 1}]}, "answered": {}}]
    assert unfolded(folded(entries)) == entries


def test_an_entry_that_only_a_replay_finds_to_be_odd_is_an_error_of_that_attempt(tmp_path: Path) -> None:
    """The file can be read, an answer in it not."""
    from brute.eval import Case
    from tests.support.agents import speaks
    from tests.support.taped import files
    from tests.support.taped import made as attempt

    case = Case("a case", said="x")
    attempt(tmp_path, speaks(lambda env: "hi"), case, record=True)
    path = files(tmp_path)[0]
    path.write_text(path.read_text().replace('"role": "assistant"', '"role": "parrot"'))
    again = attempt(tmp_path, speaks(lambda env: "hi"), case, replay=True)
    assert [each.kind for each in again.verdict.failures] == ["error.replay"]
    assert "an answer in the recording of this attempt can't be read" in again.verdict.sentences[0]
