"""What record and replay do for every framework: the rows that `Rows` has besides those of the table."""

from __future__ import annotations

import gc
from pathlib import Path
from typing import Any

import pytest

from brute import Tool
from brute.eval import Attempt, Case
from tests.support.cassettes import serve
from tests.support.frameworks import Kit, ran
from tests.support.recorded import Turn, complete_turns, turn_tools
from tests.support.taped import files, made, unplugged

quietly = pytest.mark.filterwarnings(
    "ignore:The model 'claude:DeprecationWarning",
    "ignore:Inheritance class AiohttpClientSession:DeprecationWarning",
    # The clients' own connections, which nobody closes but the collector.
    "ignore:unclosed:ResourceWarning",
    "ignore:Exception ignored:pytest.PytestUnraisableExceptionWarning",
)


class Counted:
    """The tools of a recorded turn, and how often they ran."""

    def __init__(self, turn: Turn) -> None:
        self.ran = 0
        self.tools = [self._counting(tool) for tool in turn_tools(turn)]

    def _counting(self, tool: Tool) -> Tool:
        real = tool.function

        async def function(**arguments: Any) -> Any:
            self.ran += 1
            return await real(**arguments)

        return Tool(name=tool.name, description=tool.description, parameters=tool.parameters, function=function)


class Replays:
    """Record and replay, on the framework's real client and on its scripted model."""

    kit: Kit

    def turns(self) -> list[tuple[Turn, str]]:
        """One recorded turn of each wire that the framework speaks, with calls in it."""
        found: dict[str, Turn] = {}
        for turn in complete_turns():
            wire = next((each for each in self.kit.talks if turn.exchanges[0].path.endswith(each)), None)
            if wire is not None and turn.calls:
                found.setdefault(wire, turn)
        return [(turn, wire) for wire, turn in found.items()]

    def agent(self, turn: Turn, wire: str, at: str, tools: list[Tool]) -> Any:
        """A factory of the framework's agent on the real client."""
        path = turn.exchanges[0].path

        async def build() -> Any:
            return self.kit.real(turn.model, at + path.removesuffix(wire).partition("/models/")[0], path, tools)

        return build

    def case(self, turn: Turn, **more: Any) -> Case:
        """What the turn began with."""
        return Case("a turn", said=turn.said[-1], **more)

    @quietly
    def test_a_turn_on_the_real_client_is_replayed_without_a_socket(
        self, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        """The same calls, results, tokens and reply, twice, from an address at which nobody is; and no tool runs."""
        for turn, wire in self.turns():
            folder = tmp_path / wire.strip("/:").replace("/", "-")
            live = Counted(turn)
            with serve(*turn.exchanges, closes=True) as server:
                first = made(folder, self.agent(turn, wire, server.url, live.tools), self.case(turn), record=True)
            assert (wire, first.status, first.verdict.failures) == (wire, "passed", ())
            assert (wire, len(files(folder)), live.ran > 0) == (wire, 1, True), first.transcript.notes
            with monkeypatch.context() as patched:
                tried = unplugged(patched)
                frozen = Counted(turn)
                agent = self.agent(turn, wire, "http://127.0.0.1:9", frozen.tools)
                again = [made(folder, agent, self.case(turn), replay=True) for _ in range(2)]
            assert (tried, frozen.ran) == ([], 0)
            assert [self.told(each) for each in again] == [self.told(first)] * 2
            assert again[0].verdict == again[1].verdict == first.verdict
        gc.collect()

    def told(self, attempt: Attempt) -> Any:
        """What an attempt came to, without its clock, and without ids that a framework makes at random."""
        seen = attempt.transcript
        calls = [(call.name, call.arguments, call.result, call.outcome, call.error) for call in seen.calls]
        return attempt.status, calls, seen.reply, seen.tokens, seen.cost, seen.iterations

    @quietly
    def test_a_model_frozen_with_live_tools_runs_them(self, tmp_path: Path) -> None:
        """And tools frozen with a live model don't."""
        for turn, wire in self.turns()[:1]:
            with serve(*turn.exchanges, *turn.exchanges, closes=True) as server:
                case, tools = self.case(turn), Counted(turn)
                made(tmp_path, self.agent(turn, wire, server.url, tools.tools), case, record=True)
                ran_live, tools.ran = tools.ran, 0
                one = made(tmp_path, self.agent(turn, wire, server.url, Counted(turn).tools), case, replay="tools")
                assert (one.status, server.left, tools.ran) == ("passed", 0, 0), one.verdict.failures
            tools = Counted(turn)
            two = made(
                tmp_path, self.agent(turn, wire, "http://127.0.0.1:9", tools.tools), self.case(turn), replay="model"
            )
            assert (two.status, tools.ran) == ("passed", ran_live), two.verdict.failures
        gc.collect()

    @quietly
    def test_another_prompt_is_a_miss_that_says_where(self, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
        """However the framework wraps, retries or swallows what its client raises, nothing is sent."""
        for turn, wire in self.turns():
            folder = tmp_path / wire.strip("/:").replace("/", "-")
            with serve(*turn.exchanges, closes=True) as server:
                made(folder, self.agent(turn, wire, server.url, Counted(turn).tools), self.case(turn), record=True)
            with monkeypatch.context() as patched:
                tried = unplugged(patched)
                other = Case("a turn", said="something else entirely")
                agent = self.agent(turn, wire, "http://127.0.0.1:9", Counted(turn).tools)
                attempt = made(folder, agent, other, replay=True)
            (failure,) = attempt.verdict.failures
            assert (wire, attempt.status, failure.kind, tried) == (wire, "error", "error.replay", [])
            assert "it differs from the nearest one (1 of " in failure.message
            assert failure.message.partition(", now ")[2].endswith('something else entirely"')
        gc.collect()

    @quietly
    def test_an_answer_of_429_is_tried_again_in_a_replay_as_it_was(self, tmp_path: Path) -> None:
        """By the client itself, where that tries again; at once, and not after the wait that was asked for."""
        from tests.support.cassettes import Fault

        turn, wire = (self.turns() or [(None, None)])[0]
        if turn is None or wire is None:
            pytest.skip("speaks no wire")
        busy = Fault(status=429, body='{"error": {"message": "slow down"}}', headers={"retry-after-ms": "1"})
        with serve(busy, *turn.exchanges, closes=True) as server:
            live = made(
                tmp_path,
                self.agent(turn, wire, server.url, Counted(turn).tools),
                self.case(turn),
                record=True,
                retries=0,
            )
        if live.status == "error":
            assert "not recorded" in live.transcript.notes[-1]
            assert not files(tmp_path)
            return
        again = made(
            tmp_path, self.agent(turn, wire, "http://127.0.0.1:9", Counted(turn).tools), self.case(turn), replay=True
        )
        assert self.told(again) == self.told(live)
        gc.collect()

    def test_a_model_in_this_process_is_not_recorded_and_says_so(self, tmp_path: Path) -> None:
        """Nothing of it was seen on a wire."""

        async def build() -> Any:
            return self.kit.agent([[("search", {"query": "bank"})], "done"])

        attempt = made(tmp_path, build, Case("a turn", said="hello"), record=True)
        assert attempt.status == "passed"
        assert files(tmp_path) == []
        assert attempt.transcript.notes[-1].startswith("not recorded: a model call was made inside this process")

    def test_its_tools_can_be_frozen_all_the_same(self, tmp_path: Path) -> None:
        """Async and sync ones, and one that raises."""
        steps = [[("search", {"query": "bank"}), ("lookup", {"word": "rate"})], "done"]

        async def build() -> Any:
            return self.kit.agent(steps)

        ran.clear()
        live = made(tmp_path, build, Case("a turn", said="hello"), record="tools")
        assert (len(ran), len(files(tmp_path))) == (2, 1), live.transcript.notes
        ran.clear()
        frozen = made(tmp_path, build, Case("a turn", said="hello"), replay="tools")
        assert ran == []
        assert self.told(frozen) == self.told(live)

    def test_an_inner_agent_works_and_its_tools_are_frozen(self, tmp_path: Path) -> None:
        """What the inner agent called is still seen, so that `never` holds of it too."""
        inner = [[("search", {"query": "bank"})], "inner done"]

        async def build() -> Any:
            return self.kit.inner([[("ask", {"question": "rates?"})], "done"], inner)

        if self.kit.inner([["x"]], [["x"]]) is None:  # type: ignore[list-item]
            pytest.skip("no inner agents")
        ran.clear()
        live = made(tmp_path, build, Case("a turn", said="hello"), record="tools")
        assert (len(ran), len(files(tmp_path))) == (1, 1), live.transcript.notes
        ran.clear()
        frozen = made(tmp_path, build, Case("a turn", said="hello", never=["search"]), replay="tools")
        assert (ran, [each.kind for each in frozen.verdict.failures]) == ([], ["call.forbidden"])
        assert [call.name for call in frozen.transcript.calls] == [call.name for call in live.transcript.calls]

    def test_who_was_handed_over_to_goes_on_in_a_replay(self, tmp_path: Path) -> None:
        """A handover is the agent's own doing, and its tools are frozen on either side of it."""
        plans = [[self.kit.hands_over], "over"], [[("search", {"query": "bank"})], "the other is done"]
        if self.kit.handoff(*plans) is None:
            pytest.skip("no handoffs")

        async def build() -> Any:
            return self.kit.handoff(*plans)

        ran.clear()
        live = made(tmp_path, build, Case("a turn", said="hello"), record="tools")
        assert (live.transcript.reply, len(ran)) == ("the other is done", 1), live.verdict.failures
        ran.clear()
        frozen = made(tmp_path, build, Case("a turn", said="hello"), replay="tools")
        assert (frozen.verdict.failures, ran) == ((), [])
        assert frozen.transcript.reply == "the other is done"
        assert frozen.transcript.names == live.transcript.names

    def test_a_tool_that_the_provider_runs_is_frozen_with_the_model_alone(self, tmp_path: Path) -> None:
        """It is a part of what the model answers; under a live model nobody can keep it from running."""

        async def build() -> Any:
            return self.kit.hosted()

        if self.kit.hosted() is None:
            pytest.skip("no hosted tools")
        made(tmp_path, build, Case("a turn", said="hello"), record="tools")
        attempt = made(tmp_path, build, Case("a turn", said="hello"), replay="tools")
        told = attempt.verdict.sentences
        assert [each.kind for each in attempt.verdict.failures] == ["error.replay"], told
        assert told[0].endswith(
            "can't be frozen: the model's provider runs it, or the framework does so past its hooks"
        )
