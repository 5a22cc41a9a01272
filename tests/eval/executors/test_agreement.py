"""Made-up attempts come to the same under every executor."""

from __future__ import annotations

import json
import os
import tempfile
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, assume, given, settings
from hypothesis import strategies as st

from brute import UsageError
from brute.loading import load_file
from tests.eval.executors.contract import run, told

SUITE = """
import json
from pathlib import Path
from brute.eval import Budget, Case, Suite
from tests.eval.executors.sample import obedient

TOLD = json.loads(Path(__file__).with_name("cases.json").read_text())
CASES = [Case(f"case {n}", said=json.dumps(each["said"]), **each["wants"]) for n, each in enumerate(TOLD)]
SUITE = Suite(obedient, CASES, deadline=5, jobs=3)
"""

CALLS = st.tuples(
    st.sampled_from(["search", "breaks", "zzz"]),
    st.one_of(st.dictionaries(st.sampled_from(["query", "n"]), st.one_of(st.integers(), st.text(), st.none()))),
)
CASES = st.fixed_dictionaries(
    {
        "said": st.fixed_dictionaries(
            {"reply": st.text(max_size=20), "calls": st.lists(st.lists(CALLS, min_size=1, max_size=3), max_size=3)}
        ),
        "wants": st.fixed_dictionaries(
            {},
            optional={
                "never": st.just(["breaks"]),
                "mentions": st.just(["a"]),
                "silent": st.booleans(),
                "stubs": st.fixed_dictionaries({"search": st.one_of(st.none(), st.text(), st.lists(st.integers()))}),
                "order": st.lists(st.sampled_from(["search", "breaks"]), min_size=1, max_size=3),
            },
        ),
    }
)


@pytest.mark.parametrize(
    "executor",
    ["local", pytest.param("process", marks=pytest.mark.skipif(os.name != "posix", reason="needs process groups"))],
)
@settings(max_examples=6, deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(cases=st.lists(CASES, min_size=1, max_size=6))
def test_made_up_attempts_are_those_of_the_serial_one(executor: str, cases: list[Any]) -> None:
    """Whatever an agent is told to do."""
    with tempfile.TemporaryDirectory() as folder:
        (Path(folder) / "cases.json").write_text(json.dumps(cases))
        (Path(folder) / "suite.py").write_text(SUITE)
        try:
            suite = load_file(Path(folder) / "suite.py").SUITE
        except UsageError:
            assume(False)
        serial, made = (run(suite, each)[0] for each in ("serial", executor))
    assert [told(attempt) for attempt in made.attempts] == [told(attempt) for attempt in serial.attempts]
