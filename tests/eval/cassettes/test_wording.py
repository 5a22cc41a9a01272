"""The sentences on recordings, read together."""

from __future__ import annotations

import inspect
from collections.abc import Callable
from pathlib import Path
from typing import Any

from brute.eval.cassettes import wording
from brute.eval.cassettes.comparing import MISSING
from brute.eval.cassettes.sides import BOTH
from tests.support.golden import same_as_golden

TOOLS = frozenset(("tools",))
LONG = "x" * 200

SENTENCES: list[tuple[Callable[..., str], tuple[Any, ...]]] = [
    (wording.never_recorded, ("fetch", ["search", "read"])),
    (wording.never_recorded, ("fetch", [])),
    (wording.unlike, ("search", {"query": "b"}, {"query": "a"}, "query", "a", "b")),
    (wording.unlike, ("search", {"query": "a", "limit": 3}, {"query": "a"}, "limit", MISSING, 3)),
    (wording.unlike, ("search\x1b[31m", "no object", {}, "", {}, "no object")),
    (wording.spent, ("the model", 1)),
    (wording.spent, (wording.call_again("search", {"query": "a"}), 3)),
    (wording.call_again, ("search", {})),
    (wording.request_unlike, (1, 3, "messages[1].content", "bank rate", "bond rate")),
    (wording.request_unlike, (2, 2, "messages[0].content", LONG + "recorded", LONG + "now")),
    (wording.request_unlike, (2, 2, "messages[0].content", LONG, LONG + " and more")),
    (wording.request_unlike, (1, 1, "tools[0]", MISSING, {"name": "search"})),
    (wording.nothing_asked, ("/v1/chat/completions",)),
    (wording.beside_the_recording, ("api.openai.com:443",)),
    (wording.in_process, ()),
    (wording.no_cassette, ("cassettes/eval_x/a-1234.1.json",)),
    (wording.no_side, ("a.json", TOOLS, BOTH)),
    (wording.damaged, ("a.json", "it is no UTF-8")),
    (wording.odd_entry, ("KeyError: 'status'",)),
    (wording.another_schema, ("a.json", 2, 1)),
    (wording.another_case, ("a.json", "another")),
    (wording.written, ("a.json",)),
    (wording.not_recorded, ("the attempt could not be graded (error.model)",)),
    (wording.judge_not_recorded, ("it could not be asked to the end",)),
    (wording.no_judge, ("a.json",)),
    (wording.replayed, (BOTH, "2026-03-06", [])),
    (wording.replayed, (TOOLS, "2026-03-06", ["research", "ask"])),
    (wording.replayed, (frozenset(("model",)), "2026-03-06", [])),
    (wording.steered, ("remember",)),
    (wording.unwritten, ("a.json", "No space left on device")),
]


def test_all_sentences_together() -> None:
    """A changed sentence is a changed line of this file."""
    text = "".join(f"{function.__name__}\n    {function(*given)}\n" for function, given in SENTENCES)
    same_as_golden(text, Path(__file__).parent / "golden" / "sentences.txt")


def test_no_sentence_is_left_out() -> None:
    """Each function of the module gives a line of that file."""
    ours = {
        name
        for name, function in vars(wording).items()
        if inspect.isfunction(function) and function.__module__ == wording.__name__ and name[0] != "_"
    }
    assert ours == {function.__name__ for function, _ in SENTENCES}
