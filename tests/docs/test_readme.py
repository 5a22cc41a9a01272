"""The README's own files and commands: each example runs, and goes red against a wrong agent."""

from __future__ import annotations

import io
import re
import sys
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest

import brute
from brute import Message, ToolCall
from brute.eval import Attempt, Suite
from brute.eval.grading import EXPECTATIONS
from brute.hooks import EVENTS
from brute.loading import load_file
from brute.middleware import ToolLoop, Tools

ROOT = Path(__file__).resolve().parents[2]
README = (ROOT / "README.md").read_text(encoding="utf-8")
FILES = dict(re.findall(r"<!-- file: (\S+) -->\n```python\n(.*?)```", README, re.S))

ROOM = """
from brute.testing import Script
from brute import Message, ToolCall

REPLIES = {replies}

def completion():
    return Script(REPLIES)
"""


def call(name: str, **arguments: Any) -> Message:
    return Message(role="assistant", tool_calls=(ToolCall(id="1", name=name, arguments=arguments),))


def search(query: str) -> str:
    raise AssertionError("the tool ran live")


def right(env: brute.Env) -> Message | str:
    """What a good news assistant does."""
    last = env.messages[-1]
    if last.role == "tool":
        return "I found no results on that." if "No results" in last.content else "It held Bank Rate at 4.25%."
    return "There are 60." if "minutes" in last.content else call("search", query=f"bank {last.content}")


def wrong(env: brute.Env) -> Message | str:
    """What a bad one does: it searches for what it knows, and makes up what it does not."""
    last = env.messages[-1]
    if last.role == "tool":
        return "They voted to rise."
    return call("search", query="minutes") if "minutes" in last.content else "It cut the rate to 14.256%."


def laid_out(folder: Path, **more: str) -> None:
    for name, text in {**FILES, **more}.items():
        (folder / name).write_text(text, encoding="utf-8")


def attempts(suite: Suite) -> list[Attempt]:
    suite.out = io.StringIO()
    suite.run()
    assert suite.report is not None
    return list(suite.report.attempts)


def news_suite(module: ModuleType, completion: Any) -> Suite:
    return Suite(lambda: brute.agent().use(ToolLoop).use(Tools, [search]).run(completion), module.CASES)


def test_the_readme_names_its_two_commands_and_its_files() -> None:
    """The commands are marked for whoever runs them, and the examples are those of this test."""
    assert re.search(r"<!-- command: run -->\n```sh\npython3 dev.py quickstart\n```", README)
    assert re.search(r"<!-- command: test -->\n```sh\npython3 dev.py test\n```", README)
    assert set(FILES) == {"agent.py", "eval_agent.py", "eval_room.py"}


def test_the_agent_file_loads(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The README's agent is built, and has the tool that its eval stubs."""
    pytest.importorskip("pydantic_ai")
    monkeypatch.setenv("OPENAI_API_KEY", "none")
    laid_out(tmp_path)
    agent = brute.load_agent(tmp_path / "agent.py")
    assert [tool.name for tool in agent.tools] == ["search"]
    assert agent.tools[0].parameters["required"] == ["query"]


def test_the_first_suite_passes_a_good_agent(tmp_path: Path) -> None:
    """A good news assistant passes all cases of the README's suite, and the tool never runs."""
    laid_out(tmp_path)
    made = attempts(news_suite(load_file(tmp_path / "eval_agent.py"), right))
    assert [attempt.verdict.sentences for attempt in made] == [[], [], [], [], []]


def test_the_first_suite_fails_a_bad_agent(tmp_path: Path) -> None:
    """A bad one fails every case of it, with the sentences that say why."""
    laid_out(tmp_path)
    made = attempts(news_suite(load_file(tmp_path / "eval_agent.py"), wrong))
    assert {attempt.case.name: attempt.verdict.sentences for attempt in made} == {
        "searches for what it cannot know": [
            "never called search; called no tools",
            'never said "4.25" as a word of its own; the reply was "It cut the rate to 14.256%."',
        ],
        "does not search for what it already knows": [
            'called search, which this case forbids (call 1 of 1, denied: {"query": "minutes"})',
            "spent 1 tool call, budget 0",
        ],
        "admits that there is nothing": ['did not say it found nothing; the reply was "It cut the rate to 14.256%."'],
    }


@pytest.mark.parametrize(
    ("replies", "sentences"),
    [
        ('[Message(role="assistant", tool_calls=[ToolCall(id="1", name="read")]), ""]', []),
        (
            '[Message(role="assistant", tool_calls=[ToolCall(id="1", name="post", arguments={"text": "Yes!"})]), "Posted."]',
            [
                'answered when it should have stayed silent: "Posted."',
                'published 1 thing when it should have stayed silent: "Yes!"',
            ],
        ),
    ],
)
def test_the_room_tells_silence_from_chatter(tmp_path: Path, replies: str, sentences: list[str]) -> None:
    """The README's own world passes an agent that keeps quiet, and fails one that posts."""
    laid_out(tmp_path, **{"completion.py": ROOM.format(replies=replies)})
    module = load_file(tmp_path / "eval_room.py")
    suite = Suite(module.agent, module.CASES, world=module.Room)
    assert [attempt.verdict.sentences for attempt in attempts(suite)] == [sentences]


def test_the_tables_are_those_of_the_code() -> None:
    """The README's table of expectations has a row for each, in order, and it names every event."""
    table = README.split("## What a case can expect")[1].split("##")[0]
    rows = re.findall(r"^\| `?(?:the )?(\w+)", table, re.M)[1:]
    assert rows == list(EXPECTATIONS)
    assert all(event in README for event in EVENTS)


def test_the_files_that_the_readme_points_at_are_there() -> None:
    """No link of the README leads nowhere."""
    missing = [
        link for link in re.findall(r"\]\(([^)#]+)\)", README) if "://" not in link and not (ROOT / link).exists()
    ]
    assert missing == []


def test_python_is_new_enough_for_the_examples() -> None:
    """The version that the README names is the one that the project demands."""
    assert 'requires-python = ">=3.11"' in (ROOT / "pyproject.toml").read_text()
    assert sys.version_info >= (3, 11)
