"""Whole attempts of brute's own agents, recorded and replayed: what is frozen, what runs, and what is an error."""

from __future__ import annotations

import datetime
import json
import re
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

import brute
from brute import Message, Usage
from brute.errors import TurnStopped
from brute.eval import Budget, Case, Faults, World, in_turn, when
from tests.support.agents import Live, asks, build, makes, speaks, tool
from tests.support.taped import files, made, ran, taped, unplugged

CASE = Case("asks once", said="bank rate")
USED = Usage(input=10, output=2, cost=0.25)


def searching(env: Any) -> Message:
    """A model that searches for what was said, and repeats what it found."""
    last = env.messages[-1]
    if last.role == "tool":
        return Message(role="assistant", content=f"found {last.content}", usage=USED)
    return asks(("search", {"query": last.content}), usage=USED)


def agent(*tools: Any, model: Callable[[Any], Any] = searching, layers: Any = ()) -> Any:
    """A factory of agents with these tools."""
    return speaks(model, [each.tool if isinstance(each, Live) else each for each in tools], layers)


class TestBoth:
    """Both sides frozen: a free and deterministic run."""

    def test_neither_the_model_nor_a_tool_is_asked_and_the_verdict_is_the_same(
        self, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        """And no socket is opened."""
        live = Live("search", {"b": [1, 2.5], "a": None})
        case = Case("asks once", said="bank rate", mentions=["never said this"], runs=2)
        first = ran(taped(tmp_path, agent(live), [case], record=True))
        assert (len(live.ran), len(files(tmp_path))) == (2, 2)
        tried = unplugged(monkeypatch)

        def silent(env: Any) -> Message:
            raise AssertionError("the model was asked")

        again = [ran(taped(tmp_path, agent(live, model=silent), [case], replay=True)) for _ in range(2)]
        assert (len(live.ran), tried) == (2, [])
        for attempts in again:
            assert [each.verdict for each in attempts] == [each.verdict for each in first]
            assert [each.transcript.replayed for each in attempts] == [["model", "tools"]] * 2
        assert first[0].verdict.sentences == again[0][0].verdict.sentences != []

    def test_a_replayed_call_is_seen_as_it_was(self, tmp_path: Path) -> None:
        """As one that ran or failed, not as one that was stubbed: a check may look at it."""
        live = Live("search", ("a", {"b"}))

        @tool
        async def fetch(url: str = "") -> str:
            raise KeyError(url)

        def model(env: Any) -> Any:
            if env.messages[-1].role == "tool":
                return env.messages[-1].content
            return asks(("search", {"query": "x"}), ("fetch", {"url": "u"}))

        one = made(tmp_path, agent(live, fetch, model=model), CASE, record=True)
        two = made(tmp_path, agent(live, fetch, model=model), CASE, replay=True)
        seen = [[(c.name, c.outcome, c.result, c.error) for c in each.transcript.calls] for each in (one, two)]
        assert seen[0] == seen[1]
        assert [(outcome, error) for _, outcome, _, error in seen[1]] == [("ran", None), ("failed", "KeyError: 'u'")]
        assert one.transcript.reply == two.transcript.reply == "error: KeyError: 'u'"
        assert len(live.ran) == 1

    def test_each_of_several_runs_has_its_own_recording(self, tmp_path: Path) -> None:
        """Though both asked the same."""
        answers = iter(["first", "second"])

        @tool
        async def search(query: str) -> str:
            return next(answers)

        case = Case("asks once", said="bank rate", runs=2)
        ran(taped(tmp_path, agent(search), [case], record=True, jobs=1))
        again = ran(taped(tmp_path, agent(search), [case], replay=True))
        assert [each.transcript.reply for each in again] == ["found first", "found second"]

    def test_calls_are_matched_by_arguments_and_then_by_occurrence(self, tmp_path: Path) -> None:
        """Never first in, first out: another order gets the same answers."""
        count = iter(range(9))

        @tool
        async def search(query: str) -> str:
            return f"{query} {next(count)}"

        def model(*queries: str) -> Callable[[Any], Any]:
            def said(env: Any) -> Any:
                if env.messages[-1].role != "tool":
                    return asks(*[("search", {"query": each}) for each in queries])
                return ", ".join(each.content for each in env.messages if each.role == "tool")

            return said

        made(tmp_path, agent(search, model=model("a", "b", "a")), CASE, record="tools")
        other = made(tmp_path, agent(search, model=model("b", "a", "a")), CASE, replay="tools")
        assert other.transcript.reply == "b 1, a 0, a 2"

    def test_seconds_are_those_of_the_recording_so_that_a_budget_means_the_same(self, tmp_path: Path) -> None:
        """A replay that takes no time does not pass a budget that the recorded turn would not have."""
        live = Live("search")
        made(tmp_path, agent(live), CASE, record=True)
        path = files(tmp_path)[0]
        path.write_text(path.read_text().replace('"seconds": 0.', '"seconds": 7.'))
        case = Case("asks once", said="bank rate", budget=Budget(seconds=5))
        attempt = made(tmp_path, agent(live), case, replay=True)
        assert [each.kind for each in attempt.verdict.failures] == ["budget.seconds"]

    def test_a_recording_that_others_held_up_fails_no_budget_that_it_may_have_kept(self, tmp_path: Path) -> None:
        """Nor does it pass: the loop stood still for so long, and what the turn would have waited anyway nobody saw."""
        live = Live("search")
        made(tmp_path, agent(live), CASE, record=True)
        path = files(tmp_path)[0]
        path.write_text(re.sub(r'"seconds": [0-9.]+', '"seconds": 7.0, "held": 6.0', path.read_text()))
        for budget, kinds in ((8, []), (5, ["error.blind"]), (0.5, ["budget.seconds"])):
            case = Case("asks once", said="bank rate", budget=Budget(seconds=budget))
            attempt = made(tmp_path, agent(live), case, replay=True)
            assert [each.kind for each in attempt.verdict.failures] == kinds
            assert (attempt.transcript.seconds, attempt.transcript.held) == (7.0, 6.0)

    @pytest.mark.parametrize(
        ("budget", "kind"),
        [
            (Budget(tokens=23), "budget.tokens"),
            (Budget(iterations=1), "budget.iterations"),
            (Budget(tool_calls=0), "budget.tool_calls"),
        ],
    )
    def test_a_spent_budget_is_spent_in_a_replay(self, tmp_path: Path, budget: Budget, kind: str) -> None:
        """By what the recording used; and what failed for it is recorded like any other."""
        live = Live("search")
        case = Case("asks once", said="bank rate", budget=budget)
        one = made(tmp_path, agent(live), case, record=True)
        two = made(tmp_path, agent(live), case, replay=True)
        assert one.verdict == two.verdict
        assert [each.kind for each in two.verdict.failures] == [kind]

    def test_caps_don_t_count_what_nobody_paid(self, tmp_path: Path) -> None:
        """Though the attempt's cost is the recorded one, and the report says which it is."""
        cases = [Case(f"case {number}", said="bank rate") for number in range(4)]
        ran(taped(tmp_path, agent(Live("search")), cases, record=True))
        suite = taped(tmp_path, agent(Live("search")), cases, replay=True, max_cost=0.6, jobs=1)
        assert [(each.status, each.transcript.cost) for each in ran(suite)] == [("passed", 0.5)] * 4
        assert suite.report is not None
        assert [note for note in suite.report.notes if "replayed" in note] == [
            (
                "replayed 4 attempts from recordings; the tokens and the cost of their models are those of the "
                "recordings, and nothing was paid"
            )
        ]

    def test_caps_count_a_live_model(self, tmp_path: Path) -> None:
        """Where only the tools are frozen."""
        cases = [Case(f"case {number}", said="bank rate") for number in range(4)]
        ran(taped(tmp_path, agent(Live("search")), cases, record=True))
        attempts = ran(taped(tmp_path, agent(Live("search")), cases, replay="tools", max_cost=0.6, jobs=1))
        assert [each.status for each in attempts][-1] == "cancelled"


class TestOneSide:
    """One side frozen, the other live."""

    def test_live_tools_under_a_frozen_model(self, tmp_path: Path) -> None:
        """They run."""
        live = Live("search", "held")
        made(tmp_path, agent(live), CASE, record=True)
        attempt = made(tmp_path, agent(live), CASE, replay="model")
        assert (attempt.status, len(live.ran), attempt.transcript.replayed) == ("passed", 2, ["model"])
        assert attempt.transcript.notes[-1].endswith(": model, the tools live")

    def test_a_live_tool_that_answers_otherwise_is_a_miss_of_the_model(self, tmp_path: Path) -> None:
        """The model was never asked about that."""
        made(tmp_path, agent(Live("search", "held")), CASE, record=True)
        attempt = made(tmp_path, agent(Live("search", "raised")), CASE, replay="model")
        assert attempt.verdict.sentences == [
            (
                "the request to the model was not recorded: it differs from the nearest one (2 of 2) at "
                'messages[2].content: recorded "held", now "raised"'
            )
        ]

    def test_a_side_that_was_not_recorded_can_t_be_replayed(self, tmp_path: Path) -> None:
        """Before anything is asked."""
        live = Live("search")
        made(tmp_path, agent(live), CASE, record="tools")
        attempt = made(tmp_path, agent(live), CASE, replay=True)
        (failure,) = attempt.verdict.failures
        assert (failure.kind, len(live.ran)) == ("error.replay", 1)
        assert "has only the tools, not the model; record both with --record" in failure.message


class TestMisses:
    """What was not recorded is an error, and is never asked for real."""

    def test_another_prompt(self, tmp_path: Path) -> None:
        """With the nearest request, and where they differ."""
        live = Live("search")
        made(tmp_path, agent(live), CASE, record=True)
        attempt = made(tmp_path, agent(live), Case("asks once", said="bond rate"), replay=True)
        assert (attempt.status, len(live.ran)) == ("error", 1)
        assert attempt.verdict.sentences == [
            (
                "the request to the model was not recorded: it differs from the nearest one (1 of 2) at "
                'messages[0].content: recorded "bank rate", now "bond rate"'
            )
        ]

    @pytest.mark.parametrize(
        ("query", "told"),
        [
            (
                {"query": "rate bank"},
                (
                    'no recording of search with {"query": "rate bank"}; the nearest has {"query": "bank rate"}, and differs at '
                    'query: recorded "bank rate", now "rate bank"'
                ),
            ),
            (
                {"query": "bank rate", "limit": 3},
                (
                    'no recording of search with {"limit": 3, "query": "bank rate"}; the nearest has {"query": "bank rate"}, '
                    "and differs at limit: recorded nothing, now 3"
                ),
            ),
        ],
    )
    def test_other_arguments(self, tmp_path: Path, query: Any, told: str) -> None:
        """With the nearest call."""
        made(tmp_path, agent(Live("search")), CASE, record="tools")
        live = Live("search")
        attempt = made(tmp_path, agent(live, model=lambda env: asks(("search", query))), CASE, replay="tools")
        assert (attempt.status, live.ran) == ("error", [])
        assert (
            attempt.verdict.sentences[0].replace(
                '{"query": "bank rate", "limit": 3}', '{"limit": 3, "query": "bank rate"}'
            )
            == told
        )

    def test_another_tool(self, tmp_path: Path) -> None:
        """With those that there are."""
        made(tmp_path, agent(Live("search")), CASE, record="tools")
        live = Live("fetch")
        attempt = made(tmp_path, agent(live, model=lambda env: asks("fetch")), CASE, replay="tools")
        assert (live.ran, attempt.verdict.sentences) == ([], ["no recording of fetch; recorded were search"])

    def test_once_more_than_recorded(self, tmp_path: Path) -> None:
        """An answer is given once."""
        made(tmp_path, agent(Live("search")), CASE, record="tools")
        again = lambda env: asks(("search", {"query": "bank rate"}))  # noqa: E731
        attempt = made(tmp_path, agent(Live("search"), model=again), CASE, replay="tools")
        assert attempt.verdict.sentences == [
            'search with {"query": "bank rate"} was asked once more than it was recorded (1 time)'
        ]

    def test_an_agent_that_swallows_everything_gets_no_further(self, tmp_path: Path) -> None:
        """The miss is the verdict, whatever it then says."""
        made(tmp_path, agent(Live("search")), CASE, record=True)

        class Swallows:
            def __init__(self, app: Any) -> None:
                self.app = app

            async def __call__(self, env: Any) -> None:
                try:
                    await self.app(env)
                except BaseException:
                    env.messages.append(Message(role="assistant", content="all is well"))

        other = Case("asks once", said="else", mentions=["all is well"])
        attempt = made(tmp_path, agent(Live("search"), layers=[Swallows]), other, replay=True)
        assert [each.kind for each in attempt.verdict.failures] == ["error.replay"]

    def test_a_wrong_turn_is_still_failed_where_no_later_step_could_mend_it(self, tmp_path: Path) -> None:
        """The miss does not hide it."""
        made(tmp_path, agent(Live("search")), CASE, record=True)
        case = Case("asks once", said="bank rate", never=["search"])
        path = files(tmp_path)[0]
        data = json.loads(path.read_text())
        del data["model"][1]
        path.write_text(json.dumps(data))
        attempt = made(tmp_path, agent(Live("search")), case, replay=True)
        assert (attempt.status, [each.kind for each in attempt.verdict.failures]) == (
            "failed",
            ["error.replay", "call.forbidden"],
        )


class TestWithEverythingElse:
    """Stubs, faults, hooks, worlds."""

    def test_stubs_are_served_as_ever_and_never_recorded(self, tmp_path: Path) -> None:
        """In turns and by rules; what a rule lets through is recorded, and frozen."""
        live, other = Live("search", "live"), Live("fetch", "never")

        def model(env: Any) -> Any:
            tools = [each.content for each in env.messages if each.role == "tool"]
            return ", ".join(tools) if len(tools) == 4 else asks(
                ("search", {"query": f"q{len(tools)}"}), ("fetch", {"n": len(tools)})
            )  # fmt: skip

        case = Case(
            "asks once",
            said="x",
            stubs={
                "fetch": in_turn("one", "two"),
                "search": [when(query="q0").returns("canned"), when().passes_through()],
            },
        )
        first = made(tmp_path, agent(live, other, model=model), case, record=True)
        assert [each["tool"] for each in json.loads(files(tmp_path)[0].read_text())["tools"]] == ["search"]
        again = made(tmp_path, agent(live, other, model=model), case, replay=True)
        assert first.transcript.reply == again.transcript.reply == "canned, one, live, two"
        assert (len(live.ran), other.ran) == (1, [])
        assert [each.outcome for each in again.transcript.calls] == [each.outcome for each in first.transcript.calls]

    def test_faults_strike_the_same_calls_and_are_not_looked_for_in_the_recording(self, tmp_path: Path) -> None:
        """A struck call never ran, and so was never recorded."""
        live = Live("search", "live")

        def model(env: Any) -> Any:
            tools = [each.content for each in env.messages if each.role == "tool"]
            return " | ".join(tools) if len(tools) == 6 else asks(("search", {"query": str(len(tools))}))

        faults = Faults("timeout", share=0.5, seed=3)
        one = made(tmp_path, agent(live, model=model), CASE, record=True, faults=faults)
        count = len(live.ran)
        two = made(tmp_path, agent(live, model=model), CASE, replay=True, faults=faults)
        assert 0 < count < 6
        assert len(live.ran) == count
        assert one.transcript.reply == two.transcript.reply
        assert [each.fault for each in one.transcript.calls] == [each.fault for each in two.transcript.calls]

    def test_a_call_that_the_agent_s_own_hook_denies_is_denied_again(self, tmp_path: Path) -> None:
        """It has no recording, and needs none."""

        def deny(event: Any) -> None:
            event.deny("not now")

        live = Live("search")

        async def factory() -> Any:
            return build(searching, [live.tool]).on("approve_tool", deny)

        one, two = (made(tmp_path, factory, CASE, **how) for how in ({"record": True}, {"replay": True}))
        assert (one.transcript.reply, two.transcript.reply, live.ran) == ("found denied: not now",) * 2 + ([],)
        assert (one.status, two.status) == ("passed", "passed")

    def test_arguments_that_a_hook_changes_are_those_that_count(self, tmp_path: Path) -> None:
        """As executed, not as asked for."""

        def change(event: Any) -> None:
            event.arguments["query"] = "changed"

        live = Live("search")

        async def factory() -> Any:
            return build(searching, [live.tool]).on("before_tool", change)

        made(tmp_path, factory, CASE, record=True)
        assert json.loads(files(tmp_path)[0].read_text())["tools"][0]["arguments"] == {"query": "changed"}
        assert made(tmp_path, factory, CASE, replay=True).status == "passed"

    def test_refused_without_a_stub_stays_refused(self, tmp_path: Path) -> None:
        """A recording is no stub."""
        live = Live("search")
        made(tmp_path, agent(live), CASE, record=True)
        attempt = made(tmp_path, agent(live), CASE, replay=True, unstubbed="refuse")
        assert [each.kind for each in attempt.verdict.failures] == ["error.unstubbed"]

    def test_bad_arguments_are_refused_by_the_tool_s_signature_in_a_replay_too(self, tmp_path: Path) -> None:
        """They never came to the tool, and are in no recording."""

        @brute.tool
        async def search(query: str) -> str:
            """Search."""
            return query

        def model(env: Any) -> Any:
            return env.messages[-1].content if env.messages[-1].role == "tool" else asks(("search", {"quary": "x"}))

        one, two = (
            made(tmp_path, agent(search, model=model), CASE, **how) for how in ({"record": True}, {"replay": True})
        )
        assert one.transcript.reply == two.transcript.reply
        assert one.transcript.reply.startswith("error: ")

    def test_a_tool_that_calls_another_is_told_again(self, tmp_path: Path) -> None:
        """Neither runs, and the inner call is seen, for a case may forbid it."""
        inner = Live("inner", "secret")

        @tool
        async def search(query: str) -> Any:
            return await inner.tool.call({"of": query})

        live = made(tmp_path, agent(search, inner), CASE, record=True)
        frozen = made(tmp_path, agent(search, inner), Case("asks once", said="bank rate", never=["inner"]), replay=True)
        assert (inner.ran, [each.kind for each in frozen.verdict.failures]) == (
            [{"of": "bank rate"}],
            ["call.forbidden"],
        )
        for attempt in (live, frozen):
            assert [(c.name, c.outcome, c.result) for c in attempt.transcript.calls] == [
                ("search", "ran", "secret"), ("inner", "ran", "secret")
            ]  # fmt: skip

    def test_a_tool_in_which_an_agent_works_runs_and_that_agent_is_frozen(self, tmp_path: Path) -> None:
        """Its model and its tools are answered, so that all that it does is seen."""
        deep, worked = Live("fetch", "page"), []

        def inner_model(env: Any) -> Any:
            return (
                env.messages[-1].content if env.messages[-1].role == "tool" else asks(("fetch", {"n": 1}), usage=USED)
            )

        @tool
        async def search(query: str) -> str:
            worked.append(query)
            return (await build(inner_model, [deep.tool]).astart(query)).reply

        one = made(tmp_path, agent(search), CASE, record=True)
        two = made(tmp_path, agent(search), CASE, replay=True)
        assert (len(worked), len(deep.ran)) == (2, 1)
        assert one.transcript.reply == two.transcript.reply == "found page"
        assert [c.name for c in one.transcript.calls] == [c.name for c in two.transcript.calls] == ["search", "fetch"]
        assert two.transcript.notes[-1].endswith("model and tools; search ran, for an agent works in it")

    def test_a_world_is_prepared_and_closed_as_ever(self, tmp_path: Path) -> None:
        """And what a stub function asks of the network is the case's own business."""
        closed: list[str] = []

        class Room(World):
            def close(self) -> None:
                closed.append("closed")

        made(tmp_path, agent(Live("search")), CASE, record=True, world=Room)
        attempt = made(tmp_path, agent(Live("search")), CASE, replay=True, world=Room)
        assert (attempt.status, closed) == ("passed", ["closed", "closed"])

    def test_a_layer_that_runs_the_tool_by_itself_meets_a_seal(self, tmp_path: Path) -> None:
        """Frozen tools never run, whoever has them in hand."""
        live = Live("search")
        made(tmp_path, agent(live), CASE, record=True)

        async def run_it(event: Any) -> None:
            event.answer(await event.tool.call(event.arguments))

        async def factory() -> Any:
            return build(searching, [live.tool]).on("before_tool", run_it)

        attempt = made(tmp_path, factory, CASE, replay=True)
        assert (attempt.status, len(live.ran)) == ("error", 1)
        assert attempt.verdict.sentences == ["the call of search came to the tool itself in a replay; it was not run"]

    def test_a_thousand_attempts_side_by_side_each_get_their_own(self, tmp_path: Path) -> None:
        """At 64 jobs."""

        @tool
        async def search(query: str) -> str:
            return f"news on {query}"

        cases = [Case(f"case {number}", said=f"topic {number}", mentions=[f"topic {number}"]) for number in range(200)]
        first = ran(taped(tmp_path, agent(search), cases, record=True, jobs=64))
        again = ran(taped(tmp_path, agent(search), cases, replay=True, jobs=64))
        assert {each.status for each in (*first, *again)} == {"passed"}
        assert [each.transcript.reply for each in again] == [each.transcript.reply for each in first]


class TestWhatIsNotRecorded:
    """An attempt that is no use as a recording leaves the old one as it was, and says why."""

    def test_an_error(self, tmp_path: Path) -> None:
        """The next replay would replay that."""
        made(tmp_path, agent(Live("search")), CASE, record=True)
        before = files(tmp_path)[0].read_bytes()

        def down(env: Any) -> Message:
            raise brute.ModelError("529 overloaded")

        attempt = made(tmp_path, agent(Live("search"), model=down), CASE, record=True)
        assert attempt.transcript.notes == ["not recorded: the attempt could not be graded (error.model)"]
        assert [each.read_bytes() for each in files(tmp_path)] == [before]

    def test_an_attempt_that_the_clock_stopped(self, tmp_path: Path) -> None:
        """A replay takes no time."""
        import anyio

        async def slow(env: Any) -> Any:
            await anyio.sleep_forever()

        attempt = made(tmp_path, agent(Live("search"), model=slow), CASE, record=True, deadline=0.05)
        assert (attempt.status, files(tmp_path)) == ("failed", [])
        assert attempt.transcript.notes == [
            "not recorded: the attempt was stopped by the clock, which no recording holds"
        ]

    def test_a_failed_attempt_is_recorded(self, tmp_path: Path) -> None:
        """What the agent did wrong is what one wants to look at again."""
        case = Case("asks once", said="bank rate", never=["search"])
        one = made(tmp_path, agent(Live("search")), case, record=True)
        two = made(tmp_path, agent(Live("search")), case, replay=True)
        assert (one.status, two.status, one.verdict) == ("failed", "failed", two.verdict)

    def test_a_model_failure_that_the_agent_made_good_is_replayed(self, tmp_path: Path) -> None:
        """As the failure that it was, so that the agent makes it good again."""
        tries: list[Any] = []

        class Retries:
            def __init__(self, app: Any) -> None:
                self.app = app

            async def __call__(self, env: Any) -> None:
                try:
                    await self.app(env)
                except brute.ModelError as error:
                    tries.append((error.status, error.transient, str(error)))
                    await self.app(env)

        replies: Iterator[Any] = iter([brute.ModelError("overloaded", status=529, transient=True), "well"])

        def model(env: Any) -> str:
            said = next(replies)
            if isinstance(said, Exception):
                raise said
            return str(said)

        one = made(tmp_path, agent(model=model, layers=[Retries]), CASE, record=True)
        two = made(tmp_path, agent(model=model, layers=[Retries]), CASE, replay=True)
        assert (one.status, two.status, two.transcript.reply) == ("passed", "passed", "well")
        assert tries == [(529, True, "overloaded")] * 2


class TestWhatMayDiffer:
    """What no provider looks at makes no miss."""

    def test_ids_made_at_random(self, tmp_path: Path) -> None:
        """`asks` numbers its calls anew each time."""
        made(tmp_path, agent(Live("search", "x")), CASE, record="model")
        path = files(tmp_path)[0]
        path.write_text(path.read_text().replace('"call_', '"toolu_'))
        assert made(tmp_path, agent(Live("search", "x")), CASE, replay="model").status == "passed"

    def test_the_day_of_the_run(self, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
        """Many a prompt says what day it is; a date that was asked about is another matter."""
        made(tmp_path, agent(Live("search", "x")), self._on(datetime.date.today()), record=True)
        path = files(tmp_path)[0]
        today, then = datetime.date.today(), datetime.date(2020, 2, 3)
        text = (
            path.read_text().replace(today.isoformat(), then.isoformat()).replace(self._long(today), self._long(then))
        )
        path.write_text(text)
        assert self._long(then) in text
        assert made(tmp_path, agent(Live("search", "x")), self._on(today), replay=True).status == "passed"
        other = made(tmp_path, agent(Live("search", "x")), self._on(datetime.date(2020, 2, 4)), replay=True)
        assert [each.kind for each in other.verdict.failures] == ["error.replay"]

    @staticmethod
    def _long(day: datetime.date) -> str:
        return f"{day:%A}, {day:%B} {day.day}, {day.year}"

    def _on(self, day: datetime.date) -> Case:
        return Case("asks once", said=f"Today is {self._long(day)} ({day.isoformat()}). What changed?")


class TestSecrets:
    """None is written, and what was masked still matches itself."""

    def test_a_secret_in_a_prompt_a_result_and_an_answer(self, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
        """By the value of a variable, and by its shape."""
        monkeypatch.setenv("NEWS_API_KEY", "k-41b7de05f9")
        key = "sk-ant-api03-" + "AbCdEfGhIjKlMnOpQrStUv"
        case = Case("asks once", said=f"use k-41b7de05f9 and {key}")
        one = made(tmp_path, agent(Live("search", {"key": key})), case, record=True)
        assert one.status == "passed"
        text = files(tmp_path)[0].read_text()
        assert "k-41b7de05f9" not in text
        assert key not in text
        assert "***NEWS_API_KEY***" in text
        assert made(tmp_path, agent(Live("search", {"key": key})), case, replay=True).status == "passed"


def test_hostile_text_is_inert_in_the_file_and_in_a_miss(tmp_path: Path) -> None:
    """Terminal escapes, half a character, text that runs backwards, and what looks like a mark of ours."""
    said = 'x\x1b[31m\ud800\u202e</script>{"$first": 3, "$of": 1}'
    case = Case("../../etc/\x00\u202epasswd CON", said=said)
    one = made(tmp_path, agent(Live("search", [{"$first": 9, "$of": 9}])), case, record=True)
    assert one.status == "passed"
    (path,) = files(tmp_path)
    assert path.parent == tmp_path / "cassettes" / "eval_x"
    raw = path.read_text()
    assert not set("\x1b\u202e\ud800\x00") & set(raw)
    assert made(tmp_path, agent(Live("search")), case, replay=True).verdict.failures == ()
    other = made(tmp_path, agent(Live("search")), Case(case.name, said=said + "\x1b[2J"), replay=True)
    assert not {"\x1b", "\u202e", "\n"} & set(other.verdict.sentences[0])


def test_what_a_turn_leaves_running_is_not_recorded(tmp_path: Path) -> None:
    """A call that never ended has no answer."""

    def stop(event: Any) -> None:
        raise TurnStopped("enough")

    async def factory() -> Any:
        return build(searching, [Live("search").tool]).on("approve_tool", stop)

    attempt = made(tmp_path, factory, CASE, record=True)
    assert attempt.status != "passed"
    for path in files(tmp_path):
        assert json.loads(path.read_text())["tools"] == []


def test_a_suite_records_or_replays_and_never_both(tmp_path: Path) -> None:
    """And only what there is."""
    for options, told in (
        ({"record": True, "replay": "tools"}, "record and replay exclude each other"),
        ({"record": "modell"}, 'record must be True, "model" or "tools", got "modell" (did you mean "model"?)'),
        ({"replay": 3}, 'replay must be True, "model" or "tools", got 3'),
    ):
        with pytest.raises(brute.UsageError, match="Suite: ") as refused:
            taped(tmp_path, makes("hi"), [CASE], **options)
        assert told in str(refused.value).replace("'", '"')


@pytest.mark.parametrize(
    "odd",
    [
        {"answered": []},
        {"answered": [{"role": "assistant", "content": 3}]},
        {"answered": [{"role": "assistant", "content": None}]},
        {"answered": [{"role": "assistant", "tool_calls": [{"id": "c", "name": "search", "arguments": 3}]}]},
        {"answered": [{"role": "assistant", "tool_calls": [{"id": "c", "name": "search", "arguments": [1]}]}]},
        {"raised": {"type": "KeyError", "text": None}},
    ],
    ids=ascii,
)
def test_an_answer_that_was_damaged_by_hand_is_the_recording_s_fault(tmp_path: Path, odd: dict[str, Any]) -> None:
    """An error, and no failure of the agent's, which never said that."""
    case = Case("a", said="rate")
    made(tmp_path, agent(Live("search")), case, record=True)
    path = files(tmp_path)[0]
    data = json.loads(path.read_text())
    data["model"][0] = {"of": "completion", "asked": data["model"][0]["asked"], **odd}
    path.write_text(json.dumps(data))
    again = made(tmp_path, agent(Live("search")), case, replay=True)
    assert [each.kind for each in again.verdict.failures] == ["error.replay"]
    assert "an answer in the recording of this attempt can't be read" in again.verdict.sentences[0]
