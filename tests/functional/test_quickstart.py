"""The quickstart, and the embedded model behind it: real turns of the real model."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import anyio
import pytest

from brute import Message, ModelError, Usage, UsageError, load_agent
from brute.completion import engine
from brute.completion.local import Completed, Local

QUICKSTART = Path(__file__).parents[2] / "examples" / "quickstart"

pytestmark = pytest.mark.model
pytest.importorskip("xllamacpp")


def python(*arguments: str) -> subprocess.CompletedProcess[str]:
    """A Python of its own, in which every warning is an error."""
    command = [sys.executable, "-W", "error", *arguments]
    plain = {**os.environ, "NO_COLOR": "1"}
    return subprocess.run(command, capture_output=True, text=True, timeout=300, check=False, env=plain)


def completed(prompt: str, local: Local | None = None, **options: object) -> Completed:
    """What the embedded model writes after a prompt."""

    async def main() -> Completed:
        return await (local or Local("smollm2")).complete(prompt, **options)  # type: ignore[arg-type]

    return anyio.run(main)


def test_every_case_of_the_quickstart_passes() -> None:
    """The first command of the README ends with status 0."""
    ended = python("-m", "brute", "eval", str(QUICKSTART / "eval_quickstart.py"))
    assert ended.returncode == 0, ended.stdout + ended.stderr
    assert "8 of 8 cases passed" in ended.stdout


def test_an_eval_file_is_a_script_too() -> None:
    """Run as `python eval_untruths.py`, its status is the exit status."""
    ended = python(str(QUICKSTART / "eval_untruths.py"))
    assert ended.returncode == 1, ended.stdout + ended.stderr
    assert "2 failed" in ended.stdout


def test_the_untruths_are_caught() -> None:
    """Each fails, for the reason that it was written for."""
    ended = python("-m", "brute", "eval", str(QUICKSTART / "eval_untruths.py"))
    assert ended.returncode == 1, ended.stdout + ended.stderr
    assert 'never said "1440" or "1,440"; the reply was' in ended.stdout
    assert "raised rates" in ended.stdout
    assert 'where the article says "Rates were left at 4.25%' in ended.stdout


def test_a_turn_reports_the_usage_of_its_calls() -> None:
    """What llama.cpp counted is on each message, under the model's name."""
    agent = load_agent(QUICKSTART / "agent.py")
    agent.on("before_tool", lambda event: event.answer("Hull won the cup on penalties."))
    env = agent.start("who won the cup last night?")
    replies = [message for message in env.messages if message.role == "assistant"]
    assert [message.tool_calls[0].name for message in replies[:-1]] == ["search"]
    assert "Hull" in env.reply
    for message in replies:
        assert message.model == "smollm2"
        assert isinstance(message.usage, Usage)
        assert (message.usage.input or 0) > 400
        assert 0 < (message.usage.output or 0) <= 60


def test_the_model_can_be_loaded_before_the_first_turn() -> None:
    """So that fetching and loading it is nobody's turn's time."""
    agent, before = load_agent(QUICKSTART / "agent.py"), set(engine._engines)
    local = Local("smollm2", context=64)
    anyio.run(local.ready)
    (loaded,) = set(engine._engines) - before
    assert loaded[1].context == 64
    anyio.run(agent.ready)


def test_attempts_share_one_loaded_model() -> None:
    """It is loaded once, whatever the number of agents."""
    completed("one", max_tokens=1)
    before = dict(engine._engines)
    completed("two", max_tokens=1)
    assert engine._engines == before


def test_the_same_prompt_gets_the_same_text_in_a_crowd() -> None:
    """With `exact`, to the token: alone, among others, and on another number of threads."""
    prompts = [f"Question: what is {n} plus {n}?\nAnswer:" for n in range(4)]

    async def main(local: Local) -> list[str]:
        texts = [""] * 8

        async def one(index: int) -> None:
            texts[index] = (await local.complete(prompts[index % 4], max_tokens=8)).text

        async with anyio.create_task_group() as group:
            for index in range(8):
                group.start_soon(one, index)
        return texts

    crowd = anyio.run(main, Local("smollm2", exact=True, threads=2))
    alone = [completed(prompt, Local("smollm2", exact=True, threads=1), max_tokens=8).text for prompt in prompts]
    assert crowd == alone * 2


def test_a_grammar_leaves_the_model_no_other_words() -> None:
    """Whatever it would have said."""
    said = completed("The sky is", grammar='root ::= " green" | " violet"')
    assert said.text in (" green", " violet")


def test_a_prompt_that_is_too_long_is_one_sentence() -> None:
    """With both numbers, and the option that helps."""
    with pytest.raises(ModelError, match=r"^the prompt has 30\d\d tokens, and smollm2 was given a context of 2048 \("):
        completed("a " * 3000)


def test_smollm2_refuses_tools() -> None:
    """Its template has no place for them, and offered all the same they get nonsense."""
    agent = load_agent(QUICKSTART / "agent.py").run(Local("smollm2"))
    with pytest.raises(UsageError, match=r"^smollm2 can't choose tools; .* see examples/quickstart/agent\.py$"):
        agent.start("who won the cup last night?")


def test_a_conversation_is_answered() -> None:
    """Without tools it is a chat model."""

    async def main() -> Message:
        from brute.env import Env
        from brute.hooks import Registry

        return await Local("smollm2", max_tokens=8)(Env([Message(role="user", content="Hello!")], Registry()))

    reply = anyio.run(main)
    assert reply.content.strip()
    assert 0 < ((reply.usage or Usage()).output or 0) <= 8


@pytest.mark.parametrize("ending", ["pass", "sys.exit(3)", "raise KeyboardInterrupt"])
def test_an_exit_under_an_abandoned_request_is_prompt_and_silent(ending: str) -> None:
    """Llama.cpp crashes when its process ends under a request; it is stopped before that."""
    code = f"""
import sys, anyio
from brute import Local
async def main():
    local = Local("smollm2")
    await local.complete("Once upon a time", max_tokens=1)
    with anyio.move_on_after(0.2):
        async with anyio.create_task_group() as group:
            for n in range(4):
                group.start_soon(lambda: local.complete("Count: 1 2 3", max_tokens=1800))
    print("left", flush=True)
    {ending}
anyio.run(main)
"""
    ended = python("-c", code)
    assert ended.stdout == "left\n"
    assert ended.returncode in {"pass": (0,), "sys.exit(3)": (3,)}.get(ending, (1, 130, -2))
    assert ending.startswith("raise") or ended.stderr == ""


def test_nothing_can_be_reached_from_outside() -> None:
    """Llama.cpp's server wants to listen; where it does, it is a file that is gone."""
    code = """
import brute, anyio, pathlib
anyio.run(brute.Local("smollm2").complete, "a")
own = {p.resolve().name for p in pathlib.Path("/proc/self/fd").iterdir() if "socket" in str(p.resolve())}
listening = [line.split() for line in pathlib.Path("/proc/self/net/tcp").read_text().splitlines()[1:]]
print([row[1] for row in listening if row[3] == "0A" and f"socket:[{row[9]}]" in own])
"""
    if not Path("/proc/self/net/tcp").exists():
        pytest.skip("needs /proc")
    assert python("-c", code).stdout == "[]\n"
