"""Which files are eval files to pytest, and what their items are called and marked."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.eval.pytesting.conftest import GREEN, RED, Run

SEVERAL = """
from brute.eval import Case, Suite

ONE = Suite(agent="agent.py", cases=[Case("answers", said="rates?")])
TWO = Suite(agent="agent.py", cases=[Case("answers", said="rates?")])
"""

MARKED = """
import pytest
from brute.eval import Case

AGENT = "agent.py"
CASES = [Case("answers", said="rates?")]
pytestmark = pytest.mark.slow


@Case("is red", said="rates?")
@pytest.mark.red
def is_red(transcript):
    return False
"""

MARKERS = "[pytest]\nmarkers =\n    slow\n    red\n"


def ids(result: pytest.RunResult) -> list[str]:
    """The ids that `--collect-only -q` wrote."""
    return [line for line in result.outlines if "::" in line]


def test_names_with_square_brackets_are_found_again(run: Run) -> None:
    """pytest takes what stands in them for a parameter's value; what failed last time is run again, all of it."""
    red = RED.replace("says 4.5", "says [4.5]").replace(
        'Case("answers", said="rates?")', 'Case("plain", said="x", mentions=["9"])'
    )
    run(eval_red=red).assert_outcomes(failed=2)
    assert ids(run("--lf", "--collect-only", "-q", eval_red=red)) == ["eval_red.py::plain", "eval_red.py::says (4.5)"]


def test_nothing_is_collected_that_was_not_asked_for(run: Run) -> None:
    """An eval costs money: whoever only runs the tests runs the tests."""
    result = run(brute=False, eval_green=GREEN, test_a="def test_a(): pass")
    result.assert_outcomes(passed=1)
    assert "eval_green" not in result.stdout.str()


def test_the_option_asks_for_eval_files_of_both_names(run: Run) -> None:
    """And ordinary tests stay what they are."""
    result = run("--collect-only", "-q", eval_green=GREEN, red_eval=RED, test_a="def test_a(): pass")
    assert ids(result) == [
        "eval_green.py::answers", "eval_green.py::says the rate", "red_eval.py::answers", "red_eval.py::says 4.5",
        "test_a.py::test_a",
    ]  # fmt: skip


def test_so_does_the_setting(run: Run, folder: Path) -> None:
    """In a project that wants them always."""
    (folder / "pytest.ini").write_text("[pytest]\nbrute_evals = true\n")
    run(brute=False, eval_green=GREEN).assert_outcomes(passed=2)


def test_a_file_with_several_suites_has_them_in_its_ids(run: Run) -> None:
    """Two cases of one name are two items."""
    result = run("--collect-only", "-q", eval_two=SEVERAL)
    assert ids(result) == ["eval_two.py::ONE::answers", "eval_two.py::TWO::answers"]


def test_a_failure_stands_under_the_name_of_its_suite(run: Run) -> None:
    """Where the file has several."""
    result = run(eval_two=SEVERAL.replace("said=", "silent=True, said="), eval_red=RED)
    result.stdout.fnmatch_lines(["*_ eval_red.py: says 4.5 _*"])
    result.stdout.fnmatch_lines(["*_ eval_two.py: ONE: answers _*", "*_ eval_two.py: TWO: answers _*"])


def test_an_id_selects_its_case(run: Run) -> None:
    """Spaces, dots and brackets in it too; square ones are round in it."""
    text = GREEN.replace('"answers"', '"has [a bracket] and 4.25"')
    run("eval_green.py::has (a bracket) and 4.25", eval_green=text).assert_outcomes(passed=1)
    run("eval_two.py::TWO::answers", eval_two=SEVERAL).assert_outcomes(passed=1)


def test_a_name_that_pytest_would_take_for_a_path_or_a_terminal_for_an_order_is_written_out(run: Run) -> None:
    """Every item has an id of its own, on one line."""
    names = r'"a::b", "a: :b", "line\nbreak \x1b[31m"'
    text = f'from brute.eval import Case\nAGENT = "agent.py"\nCASES = [Case(name, said="x") for name in ({names})]\n'
    result = run("--collect-only", "-q", eval_odd=text)
    assert ids(result) == ["eval_odd.py::a: :b", "eval_odd.py::a: :b (2)", r"eval_odd.py::line\nbreak \u001b(31m"]
    run("eval_odd.py::a: :b (2)").assert_outcomes(passed=1)


class TestAFileThatIsNamed:
    """pytest collects whatever Python file is named on the command line as a module of tests."""

    def test_is_collected_once_and_as_an_eval_file(self, run: Run) -> None:
        """It is not executed a second time, as a module."""
        loud = GREEN + "print('loaded', __name__.partition('_')[0])\ndef test_a(): pass\n"
        result = run("eval_green.py", "--collect-only", "-q", "-s", eval_green=loud)
        assert ids(result) == ["eval_green.py::answers", "eval_green.py::says the rate"]
        assert result.outlines.count("loaded brute") == 1
        assert "loaded eval" not in result.outlines

    def test_is_a_module_of_tests_too_where_the_project_says_so(self, run: Run, folder: Path) -> None:
        """No test is left out silently."""
        (folder / "pytest.ini").write_text("[pytest]\npython_files = test_*.py *_eval.py\n")
        result = run("--collect-only", "-q", a_eval=GREEN + "def test_a(): pass\n")
        assert ids(result) == ["a_eval.py::test_a", "a_eval.py::answers", "a_eval.py::says the rate"]

    def test_python_files_may_name_a_folder(self, run: Run, folder: Path) -> None:
        """Such a pattern is for the path, as in pytest."""
        (folder / "pytest.ini").write_text("[pytest]\npython_files = evals/*.py\n")
        (folder / "evals").mkdir()
        (folder / "evals" / "eval_in.py").write_text(
            "from brute.eval import Case\nAGENT = '../agent.py'\nCASES = [Case('a', said='x')]\ndef test_a(): pass\n"
        )
        result = run("--collect-only", "-q", eval_out=GREEN + "def test_a(): pass\n")
        assert [each for each in ids(result) if "test_a" in each] == ["evals/eval_in.py::test_a"]

    def test_keeps_its_doctests(self, run: Run) -> None:
        """They are what another option asks for."""
        result = run("--doctest-modules", "eval_green.py", eval_green='"""\n>>> 1\n1\n"""\n' + GREEN)
        result.assert_outcomes(passed=3)


class TestWhatIsWrongWithAFile:
    """It is an error of its collection, in the sentences of `brute eval`."""

    @pytest.mark.parametrize(
        ("text", "sentence"),
        [
            ("x = 1\n", "eval_bad.py offers no suite; it must define a Suite, or CASES with AGENT"),
            ("1 / 0\n", "eval_bad.py raised ZeroDivisionError: division by zero (eval_bad.py:1 in <module>)"),
            (GREEN.replace("agent.py", "agnet.py"), 'no such agent file: agnet.py (did you mean "agent.py"?)'),
            (GREEN.replace("AGENT", "AGNET"), 'eval_bad.py has cases and no AGENT; add AGENT = "agent.py"'),
            (GREEN + "MORE = [Case('lost', said='x')]\n", 'case "lost" in MORE[0] would not run; put it into CASES'),
            (GREEN + "pytestmark = ['slow']\n", "eval_bad.py: pytestmark must be a mark or a list of marks"),
        ],
    )
    def test_is_told(self, run: Run, text: str, sentence: str) -> None:
        """And the run goes red."""
        result = run(eval_bad=text)
        result.assert_outcomes(errors=1)
        assert sentence in result.stdout.str()
        assert "Traceback" not in result.stdout.str()
        # Which is no option of pytest's.
        assert "--agent" not in result.stdout.str()

    def test_an_agent_file_that_raises_is_told_before_anything_runs(self, run: Run, folder: Path) -> None:
        """Nothing is spent on the other files."""
        (folder / "broken.py").write_text("1 / 0\n")
        result = run(eval_bad=GREEN.replace("agent.py", "broken.py"), eval_green=GREEN)
        result.assert_outcomes(errors=1)
        result.stdout.fnmatch_lines(["broken.py raised ZeroDivisionError*"])
        assert not (folder / ".brute").exists()

    def test_hostile_text_in_it_is_inert(self, run: Run) -> None:
        """An exception may say anything."""
        result = run(eval_bad=r"raise ValueError('\x1b[2J\n::error::gone ##[error]')")
        assert "\x1b[2J" not in result.stdout.str()
        assert not any(line.startswith("::error") for line in result.outlines)
        assert r"\u001b[2J" in result.stdout.str()


class TestMarks:
    """What carries them: a file's `pytestmark`, the function under `@Case(...)`, and whatever a conftest adds."""

    @pytest.mark.parametrize(
        ("expression", "passed", "failed"),
        [("slow", 1, 1), ("red", 0, 1), ("not red", 1, 0), ("brute", 1, 1), ("not brute", 0, 0)],
    )
    def test_they_select(self, run: Run, folder: Path, expression: str, passed: int, failed: int) -> None:
        """Every case is marked `brute`."""
        (folder / "pytest.ini").write_text(MARKERS)
        run("--strict-markers", "-m", expression, eval_marked=MARKED).assert_outcomes(
            passed=passed, failed=failed, deselected=2 - passed - failed
        )

    def test_a_list_of_marks(self, run: Run, folder: Path) -> None:
        """As in a module of tests."""
        (folder / "pytest.ini").write_text(MARKERS)
        text = GREEN + "import pytest\npytestmark = [pytest.mark.slow, pytest.mark.skip(reason='dear')]\n"
        result = run("-m", "slow", "-rs", eval_green=text)
        result.assert_outcomes(skipped=2)
        assert "dear" in result.stdout.str()

    def test_what_is_skipped_is_never_run(self, run: Run, folder: Path) -> None:
        """Not even with the others: it would cost what the mark is to save. So with `xfail(run=False)`."""
        text = GREEN + (
            "import pytest\n"
            "@Case('skipped', said='x')\n@pytest.mark.skip\ndef one(t): open('made', 'a').close()\n"
            "@Case('skipped if', said='x')\n@pytest.mark.skipif(True, reason='r')\ndef two(t): open('made', 'a').close()\n"
            "@Case('not run', said='x')\n@pytest.mark.xfail(run=False)\ndef three(t): open('made', 'a').close()\n"
        )
        run(eval_green=text).assert_outcomes(passed=2, skipped=2, xfailed=1)
        assert not (folder / "made").exists()

    def test_xfail_expects_a_failure(self, run: Run) -> None:
        """And a strict one fails where the case passes."""
        text = GREEN + (
            "import pytest\n"
            "@Case('known', said='x')\n@pytest.mark.xfail\ndef one(t): return False\n"
            "@Case('mended', said='x')\n@pytest.mark.xfail(strict=True)\ndef two(t): return True\n"
        )
        run(eval_green=text).assert_outcomes(passed=2, xfailed=1, failed=1)

    def test_xfail_expects_no_error(self, run: Run) -> None:
        """That a case could not be graded is not the failure that was expected."""
        text = GREEN + "import pytest\n@Case('down', said='x')\n@pytest.mark.xfail\ndef one(t): raise KeyError('id')\n"
        result = run(eval_green=text)
        result.assert_outcomes(passed=2, errors=1)
        assert result.ret == 1

    def test_a_condition_that_is_broken_is_told_by_pytest(self, run: Run) -> None:
        """And costs no other case its result."""
        text = GREEN + "import pytest\n@Case('odd', said='x')\n@pytest.mark.skipif('nonsense')\ndef one(t): pass\n"
        result = run(eval_green=text)
        result.assert_outcomes(passed=2, errors=1)
        assert "NameError" in result.stdout.str()

    def test_a_conftest_marks_by_the_case(self, run: Run, folder: Path) -> None:
        """`item.case` is the case."""
        (folder / "conftest.py").write_text(
            "import pytest\n"
            "def pytest_collection_modifyitems(items):\n"
            "    for item in items:\n"
            "        if item.case.mentions: item.add_marker(pytest.mark.skip)\n"
        )
        run(eval_green=GREEN).assert_outcomes(passed=1, skipped=1)

    @pytest.mark.parametrize(
        ("mark", "what"),
        [
            ("usefixtures('db')", "usefixtures, and takes no fixtures"),
            ("parametrize('a', [1, 2])", "parametrize, and takes no parameters; make a case for each"),
        ],
    )
    def test_what_a_case_can_not_heed_is_refused(self, run: Run, mark: str, what: str) -> None:
        """On the file and on the check's function."""
        function = f"import pytest\n@Case('more', said='x')\n@pytest.mark.{mark}\ndef one(t): pass\n"
        for text, case in (
            (GREEN + function, "more"),
            (GREEN + f"import pytest\npytestmark = pytest.mark.{mark}\n", "answers"),
        ):
            result = run(eval_green=text)
            result.assert_outcomes(errors=1)
            assert f'case "{case}" is marked with {what}' in result.stdout.str()

    def test_a_mark_above_the_case_is_refused(self, run: Run) -> None:
        """It would make something else of it, that nobody runs."""
        text = GREEN + "import pytest\n@pytest.mark.skip\n@Case('lost', said='x')\ndef one(t): pass\n"
        result = run(eval_green=text)
        result.assert_outcomes(errors=1)
        result.stdout.fnmatch_lines(
            [
                'eval_green.py:8: case "lost" would not run: one is a MarkDecorator by now; what else stands over the function belongs under @Case(...)'
            ]
        )


CASEFILE = """agent: agent.py
cases:
  - {name: answers, said: "rates?"}
  - name: says 4.5
    said: "rates?"
    mentions: ["4.5"]
"""


def test_a_file_of_cases_is_collected_where_it_is_named(run: Run, folder: Path) -> None:
    """It tells of its lines, and runs as an eval file does, isolated too."""
    (folder / "cases.yaml").write_text(CASEFILE)
    (folder / "conftest.py").write_text(
        "def pytest_collection_modifyitems(items):\n    for item in items: print(item.name, 'at', item.reportinfo()[1])\n"
    )
    result = run("cases.yaml", "-s")
    result.assert_outcomes(passed=1, failed=1)
    # Counted from 0, as pytest does.
    assert [line for line in result.outlines if line.endswith((" at 2", " at 3"))] == ["answers at 2", "says 4.5 at 3"]
    run("cases.yaml", "--brute-isolate", apart=True).assert_outcomes(passed=1, failed=1)


def test_a_file_of_cases_in_a_folder_is_left_to_the_eval_file_that_loads_it(run: Run, folder: Path) -> None:
    """Else its cases would be there twice."""
    (folder / "cases.json").write_text('[{"name": "answers", "said": "rates?"}]')
    text = "from brute.eval import Case\nAGENT = 'agent.py'\nCASES = Case.load('cases.json')\n"
    run(eval_a=text).assert_outcomes(passed=1)


def test_a_file_of_cases_that_cant_be_meant(run: Run, folder: Path) -> None:
    """It is an error of its collection, with the line and the column."""
    (folder / "cases.json").write_text('{"agent": "agent.py", "cases": [{"name": "a", "said": "b", "runs": 0}]}')
    result = run("cases.json")
    result.assert_outcomes(errors=1)
    assert "cases.json:1:68: runs must be a whole number >= 1, got 0" in result.stdout.str()


def test_a_file_of_cases_without_evals_asked_for(run: Run, folder: Path) -> None:
    """It is nobody's."""
    (folder / "cases.json").write_text('{"agent": "agent.py", "cases": [{"name": "a", "said": "b"}]}')
    assert run("cases.json", brute=False).ret == pytest.ExitCode.USAGE_ERROR
