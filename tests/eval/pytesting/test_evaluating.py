"""One case inside an ordinary test."""

from __future__ import annotations

from pathlib import Path

from tests.eval.pytesting.conftest import Run

HEAD = "import pytest\nfrom brute.eval import Case\n"


def test_the_test_passes_where_the_case_does(run: Run, folder: Path) -> None:
    """It answers the report, and writes no log; nobody has to ask for evals."""
    text = HEAD + (
        "def test_a(evaluate):\n"
        "    report = evaluate(Case('a', said='search', stubs={'search': 'held'}, mentions=['4.25'], runs=2), agent='agent.py')\n"
        "    assert [attempt.transcript.names for attempt in report.attempts] == [['search'], ['search']]\n"
    )
    run(brute=False, test_a=text).assert_outcomes(passed=1)
    assert not (folder / ".brute").exists()


def test_the_test_fails_with_the_sentences(run: Run) -> None:
    """At the line of the test, without a frame of ours."""
    text = HEAD + (
        "def test_a(evaluate):\n"
        "    evaluate(Case('a', said='x', mentions=['4.5'], calls={'search': None}), agent='agent.py')\n"
    )
    result = run(brute=False, test_a=text)
    result.assert_outcomes(failed=1)
    result.stdout.fnmatch_lines(
        [
            ">*evaluate(Case('a', *",
            "E*CaseFailed: never called search; called no tools",
            "E*- never called search; called no tools",
            'E*- never said "4.5"; the reply was "Rates were held at 4.25%."',
            "test_a.py:4: CaseFailed",
        ]
    )
    assert "evaluating.py" not in result.stdout.str()


def test_what_could_not_be_graded_is_no_assertion(run: Run) -> None:
    """A test that expects a failure does not pass by it."""
    text = HEAD + (
        "def boom(transcript): raise KeyError('id')\n"
        "def test_a(evaluate):\n"
        "    with pytest.raises(AssertionError): evaluate(Case('a', said='x', mentions=['4.5']), agent='agent.py')\n"
        "def test_b(evaluate):\n"
        "    with pytest.raises(AssertionError): evaluate(Case('a', said='x', check=boom), agent='agent.py')\n"
    )
    result = run(brute=False, test_a=text)
    result.assert_outcomes(passed=1, failed=1)
    assert "CaseUngraded: could not be graded: the check \"a\" raised KeyError: 'id'" in result.stdout.str()


def test_an_async_test_awaits_it(run: Run) -> None:
    """On its own loop, under whichever plugin runs it."""
    text = HEAD + (
        "@pytest.fixture\ndef anyio_backend(): return 'asyncio'\n"
        "@pytest.mark.anyio\nasync def test_a(aevaluate):\n"
        "    await aevaluate(Case('a', said='x'), agent='agent.py')\n"
        "@pytest.mark.anyio\nasync def test_b(aevaluate):\n"
        "    await aevaluate(Case('a', said='x', silent=True), agent='agent.py')\n"
        "@pytest.mark.anyio\nasync def test_c(evaluate):\n"
        "    evaluate(Case('a', said='x'), agent='agent.py')\n"
    )
    result = run("-p", "anyio", brute=False, test_a=text)
    result.assert_outcomes(passed=1, failed=2)
    assert "CaseFailed: answered when it should have stayed silent" in result.stdout.str()
    assert "evaluate() was called inside a running event loop; write: await aevaluate(...)" in result.stdout.str()


def test_an_agent_file_is_found_beside_the_test(run: Run, folder: Path) -> None:
    """Or it is a function, as of a suite; what a suite takes is taken."""
    text = HEAD + (
        "import brute\n"
        "def test_a(evaluate): evaluate(Case('a', said='x'), agent='agent.py', deadline=5, log='a.db')\n"
        "def test_b(evaluate): evaluate(Case('a', said='x'), agent=lambda: brute.agent().run(lambda env: 'hi'))\n"
        "def test_c(evaluate): evaluate(Case('a', said='x'), agent='agnet.py')\n"
        "def test_d(evaluate): evaluate(Case('a', said='x'), agent='agent.py', dedline=5)\n"
        "def test_e(evaluate): evaluate(Case('a', said='x'))\n"
        "def test_f(evaluate): evaluate(Case('a', said='x'), agent='agent.py', runs=3)\n"
        "def test_g(evaluate): evaluate([Case('a', said='x')], agent='agent.py')\n"
        "def test_h(evaluate): evaluate(Case('a', said='x'), agent='agent.py', jobs=0)\n"
    )
    (folder / "deep").mkdir()
    (folder / "deep" / "test_a.py").write_text(text)
    (folder / "agent.py").rename(folder / "deep" / "agent.py")
    result = run("deep", brute=False)
    result.assert_outcomes(passed=2, failed=6)
    for sentence in (
        "no such agent file: agnet.py",
        'evaluate has no argument "dedline" (did you mean "deadline"?)',
        'evaluate needs an agent: evaluate(case, agent="agent.py")',
        'evaluate has no argument "runs"; it is one of the case: Case(..., runs=...)',
        "evaluate takes one case: evaluate(Case(...), agent=...); got [Case(",
        "jobs must be",
    ):
        assert sentence in result.stdout.str()
    # The lines of the test, and none of ours.
    assert "src/brute" not in result.stdout.str()
    assert "site-packages/brute" not in result.stdout.str()
    assert (folder / "a.db").exists()


def test_it_may_be_isolated(run: Run) -> None:
    """The case and the agent then stand at the top level of the test's file, as in an eval file."""
    text = HEAD + (
        "import os, brute\n"
        "def agent(): return brute.agent().run(lambda env: os._exit(3))\n"
        "DIES = Case('dies', said='x')\n"
        "def test_a(evaluate): evaluate(DIES, agent=agent, executor='process')\n"
    )
    result = run(brute=False, apart=True, test_a=text)
    result.assert_outcomes(failed=1)
    assert "the turn ended its process with exit code 3" in result.stdout.str()
