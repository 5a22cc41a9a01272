"""The live view in a real headless Chromium, on a real server on loopback."""

from __future__ import annotations

import asyncio
import contextlib
import dataclasses
import json
import os
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from brute import Usage
from brute.eval import Attempt, Case, Failure, Report, Verdict
from brute.eval.logrows import attempt_row, packed, sealed, transcript_row
from brute.eval.logschema import SERIALS
from brute.eval.reporters.html import html
from brute.eval.runlog import RunLog
from brute.eval.spent import Spent
from tests.eval.logged import attempts, database, recorded, run_of
from tests.eval.reporters.sample import ATTEMPTS, transcript
from tests.eval.reporters.test_html import EVIL
from tests.eval.reporters.test_page import TURN, WRONG
from tests.support.browser import Page, browsing, program

pytestmark = pytest.mark.browser
pytest.importorskip("uvicorn")
from tests.support.viewing import viewing  # noqa: E402

ROWS = "document.querySelectorAll('.cases li').length"
HOSTILE = EVIL.replace("alert(1)", "window.owned=1")


@pytest.fixture(scope="module")
def window(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Page]:
    """One browser for all of these; where there must be one, its absence is a failure."""
    if program() is None:
        assert not os.environ.get("CI"), "no Chromium is installed"
        pytest.skip("no Chromium is installed")
    with browsing(tmp_path_factory.mktemp("browser")) as page:
        page.size(1300, 900)
        yield page


@pytest.fixture
def browser(window: Page) -> Iterator[Page]:
    """It, with nothing left in it that still asks a server."""
    yield window
    window.open("about:blank")


@pytest.fixture
def path(tmp_path: Path) -> Path:
    """Where a log is to be."""
    return tmp_path / "runs.db"


def quiet(page: Page, url: str) -> None:
    """The console is empty, and nothing but this very server was asked."""
    assert page.complaints == []
    assert [each for each in page.requests if not each.startswith((url, "data:,"))] == []


def asked(page: Page, what: str) -> list[str]:
    """The requests for something."""
    return [each for each in page.requests if f"/data/{what}" in each]


def opened(page: Page, url: str, rows: int = 1) -> None:
    """Open a page, and wait for its list."""
    page.open(url)
    page.until(f"{ROWS} >= {rows}")


def test_the_list_of_runs_leads_to_a_run_by_keyboard_alone(path: Path, browser: Page) -> None:
    """The last one first; j, Enter, j, Enter, and back."""
    for count in (3, 8):
        run_of(attempts(count), path)
    with viewing(path) as url:
        opened(browser, url, 2)
        assert "8 attempts: 4 passed, 2 failed, 2 errors" in browser.js("document.querySelector('.runs li').innerText")
        browser.key("j")
        assert browser.js("document.activeElement.id") == "run2"
        quiet(browser, url)
        before = browser._loaded
        browser.key("Enter")
        while browser._loaded == before:
            browser.js("1")
        browser.until(f"{ROWS} == 8")
        assert browser.js("location.pathname").endswith("/run/2")
        browser.key("j")
        assert browser.js("document.activeElement.querySelector('b').textContent") == "case 2"
        browser.key("Enter")
        browser.until("document.querySelector('.step')")
        assert browser.js("document.querySelector('.failures strong').textContent") == "mentions in 2"
        browser.key("Escape")
        browser.until("document.querySelector('#list')")
        assert browser.js("document.activeElement.querySelector('b').textContent") == "case 2"
        browser.key("/")
        browser.until("document.activeElement.id === 'search'")
        browser.type("reply 5")
        browser.until(f"{ROWS} == 1")
        quiet(browser, url)


def test_a_run_says_what_its_report_in_a_file_says(path: Path, tmp_path: Path, browser: Page) -> None:
    """Word for word: the counts, the charts, the sentences, the attempts."""
    # But for a lone surrogate, which each of them clips at another place.
    plain = (dataclasses.replace(ATTEMPTS[1], transcript=transcript("It held.")), *ATTEMPTS[2:3], *ATTEMPTS[4:])
    made = (ATTEMPTS[0], *plain, WRONG, dataclasses.replace(WRONG, case=Case("asks again", said="?", runs=2)))
    made = (*made, dataclasses.replace(made[-1], number=2, status="passed", verdict=Verdict()))
    # A judge's part, a try before, a known price of nothing, and thousands of dollars.
    used = [{"judged": Spent(2, 1, 1, 1005, 1234.5)}, {"earlier": Usage(input=1000, output=1, cost=0.0)}]
    made = (
        *made,
        *(dataclasses.replace(WRONG, case=Case(f"beside {n}", said="?"), **each) for n, each in enumerate(used)),
    )
    run_of(made, path)
    told, times = {}, 0
    (tmp_path / "report.html").write_text(
        "".join(html(Report(attempts=made, seconds=1.5, notes=("a note",)), {})), encoding="utf-8"
    )
    with viewing(path) as url:
        for name, at in (("file", (tmp_path / "report.html").as_uri()), ("live", f"{url}run/1")):
            opened(browser, at, 10)
            timed = "[...document.querySelectorAll('.cases .chart:last-child .told')].filter(each => !/^[?≥]/.test(each.textContent)).length"
            times = times or browser.js(timed)
            # What is said of transcripts comes after the list.
            browser.until(f"{timed} >= {times}")
            told[name] = [browser.js("document.querySelector('#list').innerText")]
            rows = browser.js("[...document.querySelectorAll('.cases a')].map(a => a.getAttribute('href'))")
            for row in rows:
                browser.js(f"location.hash = {json.dumps(row)}")
                browser.until("document.querySelector('#case .attempt') && !document.querySelector('.waiting')")
                # On a busy machine the live page may still be about to draw: what it comes to is what counts.
                if name == "live":
                    wanted = json.dumps(told["file"][len(told["live"])])
                    with contextlib.suppress(RuntimeError):
                        browser.until(f"document.querySelector('#case').innerText === {wanted}")
                told[name].append(browser.js("document.querySelector('#case').innerText"))
                browser.js("location.hash = ''")
                browser.until("document.querySelector('#list')")
        assert len(told["live"]) == 11
        assert "(the judge: 2 votes, at least 1,005 tokens, $1,234.50)" in told["live"][0]
        for live, file in zip(told["live"], told["file"], strict=True):
            assert live.splitlines() == file.splitlines()
        assert browser.complaints == []


def test_a_failure_leads_to_its_step_and_asks_for_one_transcript(path: Path, browser: Page) -> None:
    """No other is read for it; the address of the step leads there from anywhere."""
    run_of([*attempts(20), WRONG], path)
    with viewing(path) as url:
        opened(browser, f"{url}run/1", 21)
        assert asked(browser, "attempt") == []
        row = "[...document.querySelectorAll('.cases a')].find(a => a.textContent.includes('asks the right thing'))"
        browser.js(f"{row}.click()")
        browser.until("document.querySelector('.failures .to')")
        assert len(asked(browser, "attempt")) == 1
        browser.js("document.querySelector('.failures .to').click()")
        browser.until("document.querySelector('.aimed')")
        assert browser.js("document.querySelector('.aimed .because').textContent").startswith("✗ called search 1 time")
        here = browser.js("location.href")
        quiet(browser, url)
        browser.open("about:blank")
        browser.open(here)
        browser.until("document.querySelector('.aimed')")
        assert browser.js("document.activeElement === document.querySelector('.aimed')")
        assert len(asked(browser, "attempt")) == 1
        quiet(browser, url)


def test_an_attempt_appears_while_the_run_goes_on(path: Path, browser: Page) -> None:
    """In the list, in the open case, and at its end; what one does meanwhile stays as it is."""
    recording = RunLog(path).begin(["brute", "eval", "x.py"])
    case = Case("often", said="?", runs=4)

    def write(number: int, failed: bool) -> None:
        verdict = Verdict((Failure("check", f"no {number}"),) if failed else ())
        each = Attempt(case, number, verdict.status, verdict, TURN)
        asyncio.run(recorded(recording, [each], suite=f"part {number}" if number > 9 else ""))

    with viewing(path) as url:
        browser.open(f"{url}run/1")
        browser.until("document.querySelector('.ending').textContent === 'running: no attempt has ended'")
        write(1, False)
        browser.until(f"{ROWS} == 1")
        assert browser.js("document.querySelector('.left').textContent").strip() == "1 of 4 attempts so far"
        assert browser.js("document.querySelector('.ending').textContent").startswith("running: 1 passed")
        browser.js("document.querySelector('.cases a').focus()")
        write(2, True)
        browser.until("document.querySelector('.cases .failed')")
        assert browser.js("document.activeElement.querySelector('b').textContent") == "often"
        browser.key("Enter")
        browser.until("document.querySelectorAll('.attempt .step').length > 5")
        browser.js("window.kept = document.querySelector('.attempt')")
        write(3, True)
        browser.until(
            "document.querySelectorAll('.attempts .chip').length == 3 && document.querySelectorAll('.attempt').length == 3"
        )
        assert browser.js("window.kept.isConnected")
        browser.js("document.querySelector('#chip1').click()")
        browser.js("document.querySelector('#chip1').focus()")
        write(4, False)
        browser.until("document.querySelectorAll('.attempts .chip').length == 4")
        # Whoever has chosen what is shown has it so; and the focus is where it was.
        assert browser.js("[...document.querySelectorAll('.attempt h3')].map(each => each.textContent)") == [
            "✗ failed Attempt 2 of 4", "✗ failed Attempt 3 of 4",
        ]  # fmt: skip
        assert browser.js("document.activeElement.id") == "chip1"
        recording.end(Report(attempts=(), seconds=2.0), how="finished")
        browser.js("location.hash = ''")
        browser.until("document.querySelector('.ending').textContent === '1 failed in 2.0 s'")
        assert browser.js("document.querySelector('.left')") is None
        quiet(browser, url)


def test_attempts_that_were_made_again_take_the_place_of_the_old_ones(path: Path, browser: Page) -> None:
    """What counts no more is on no page."""
    run_of(attempts(4), path, ended=False)
    with viewing(path) as url:
        opened(browser, f"{url}run/1", 4)
        with database(path) as connection:
            connection.execute("UPDATE attempt SET stale = 1 WHERE status = 'failed'")
        browser.until(f"{ROWS} == 3")
        assert "failed" not in browser.js("document.querySelector('.ending').textContent")
        quiet(browser, url)


def test_a_damaged_run_is_not_taken_for_a_whole_one(path: Path, browser: Page) -> None:
    """That something can't be read stands where one looks for what came of it, also after it was asked again."""
    run_of([each for each in attempts(4) if each.passed], path)
    with database(path) as connection:
        connection.execute("DELETE FROM attempt WHERE id % 4294967296 = 1")
    with viewing(path) as url:
        browser.open(f"{url}run/1")
        ending = "the log is damaged, and not all of the run can be read: 1 passed in 1.5 s"
        browser.until(f"document.querySelector('.ending').textContent === {json.dumps(ending)}")
        assert "1 attempt of this run can't be read" in browser.js("document.querySelector('.notes').innerText")
        with database(path) as connection:
            connection.execute("UPDATE run SET counts = NULL")
            connection.execute("UPDATE attempt SET tokens = 7")
        browser.open("about:blank")
        browser.open(f"{url}run/1")
        ending = "the log is damaged, and not all of the run can be read: no attempt can be read in 1.5 s"
        browser.until(f"document.querySelector('.ending').textContent === {json.dumps(ending)}")
        before = len(asked(browser, "run/1?"))
        browser.js("document.dispatchEvent(new Event('visibilitychange'))")
        while len(asked(browser, "run/1?")) == before:
            browser.js("1")
        browser.until("document.querySelector('.trouble').hidden")
        assert browser.js("document.querySelector('.ending').textContent") == ending
        browser.key("Escape")
        browser.until("document.querySelector('.runs li')")


def _compared(path: Path) -> None:
    """Two runs: one case is broken, one fixed, one is worse, one is new, one gone; one came to the same."""

    def made(name: str, *passed: bool, tokens: int = 100) -> list[Attempt]:
        case = Case(name, said="?", runs=len(passed))
        turn = dataclasses.replace(TURN, requests=[dataclasses.replace(TURN.requests[0], usage=dataclasses.replace(TURN.requests[0].usage, input=tokens, output=0))])  # fmt: skip
        verdicts = [Verdict(() if good else (Failure("check", "no"),)) for good in passed]
        return [Attempt(case, n, verdict.status, verdict, turn) for n, verdict in enumerate(verdicts, 1)]

    same = made("is the same", True)
    run_of(
        [
            *same,
            *made("breaks", True),
            *made("is mended", False),
            *made("slips", True, True, False),
            *made("goes", True),
        ],
        path,
    )
    run_of([*same, *made("breaks", False), *made("is mended", True, tokens=150), *made("slips", True, False, False), *made("comes", True)], path)  # fmt: skip


def test_two_runs_side_by_side(path: Path, browser: Page) -> None:
    """Ticked in the list: what got worse first, what each spent, and a way to each."""
    _compared(path)
    with viewing(path) as url:
        opened(browser, url, 2)
        assert browser.js("document.querySelector('.compare').hasAttribute('href')") is False
        for number in (2, 1):
            browser.js(f"document.getElementById('pick{number}').click()")
        browser.until("document.querySelectorAll('.runs input:checked').length == 2")
        target = browser.js("document.querySelector('.compare').href")
        assert target == f"{url}compare/1/2"
        browser.open(target)
        browser.until(
            "document.querySelectorAll('tbody tr').length == 5 && document.querySelector('tbody').innerText.includes('0.4 s')"
        )
        rows = "[...document.querySelectorAll('tbody tr')].map(tr => [...tr.cells].map(cell => cell.innerText.replace(/\\s+/g, ' ')))"
        found = {row[0].split(" the case")[0]: row for row in browser.js(rows)}
        assert [row[1] for row in found.values()] == ["broken", "worse", "gone", "new", "fixed"]
        assert found["breaks"][2:] == ["✓ passed → ✗ failed", "1/1 → 0/1", "100 → 100", "? → ?", "0.4 s → 0.4 s"]
        assert found["slips"][2:4] == ["✗ failed → ✗ failed", "2/3 → 1/3"]
        assert found["is mended"][4] == "100 → 150 +50 %"
        assert found["goes"][2:5] == ["✓ passed → not there", "1/1 → ?", "100 → ?"]
        assert (
            browser.js("document.querySelector('.counted').textContent")
            == "6 cases: 1 broken, 1 worse, 1 fixed, 1 gone, 1 new"
        )
        assert "the agent can't be compared" in browser.js("document.querySelector('.differs').innerText")
        browser.js("document.getElementById('all').click()")
        assert browser.js("document.querySelectorAll('tbody tr').length") == 6
        browser.js(
            "(s => { s.value = 'tokens'; s.dispatchEvent(new Event('change')); })(document.querySelector('select'))"
        )
        assert browser.js("document.querySelector('tbody th').innerText") == "is mended"
        browser.key("j")
        browser.key("j")
        assert asked(browser, "attempt") == []
        quiet(browser, url)
        browser.open(browser.js("document.activeElement.href"))
        browser.until("document.querySelector('.step')")
        assert browser.js("document.querySelector('h2').textContent") == "✓ passed is mended"
        assert browser.js("[...document.querySelectorAll('.above a')].at(-1).href") == target
        assert browser.js("document.querySelector('.above a:last-child').hidden") is False
        quiet(browser, url)


def test_no_script_from_the_log_ever_runs(path: Path, browser: Page) -> None:
    """Whatever a model, a case, a check or a command line wrote, on any of the pages."""
    case = Case(f"a {HOSTILE}", said=HOSTILE, runs=2)
    failed = Verdict((Failure("check", HOSTILE, HOSTILE, f"not {HOSTILE}", HOSTILE),))
    for _ in range(2):
        run_of(
            [Attempt(case, 1, "failed", failed, transcript(HOSTILE, notes=[HOSTILE], published=[HOSTILE]), HOSTILE)],
            path,
        )
    text = HOSTILE.replace("\u2028", "")
    with database(path) as connection:
        connection.execute("UPDATE run SET command = ?, notes = ?, id = number || ?", (text, json.dumps([text]), text))
    with viewing(path) as url:
        for at, there in (("", ".runs li"), ("run/1", ".cases li"), ("run/1#c1", ".step"), ("compare/1/2", ".side h3")):
            browser.open("about:blank")
            browser.open(url + at)
            browser.until(f"document.querySelector({json.dumps(there)})")
            assert browser.js("window.owned === undefined")
            assert browser.js("document.querySelectorAll('img, iframe, object, embed, b > *, base, svg a').length") == 0
            links = browser.js("[...document.querySelectorAll('a[href]')].map(a => a.href)")
            assert all(each.startswith(url) for each in links)
            assert browser.js("document.body.innerText.includes('<img src=x')") or at == ""
            quiet(browser, url)


def test_the_policy_holds(path: Path, browser: Page) -> None:
    """No script that is put into it runs, and no request leaves for another port of this machine, let alone another."""
    run_of(attempts(2), path)
    with viewing(path) as url, viewing(path) as other:
        opened(browser, f"{url}run/1", 2)
        for code, error in {
            "s = document.createElement('script'), s.text = 'window.owned = 1', document.body.append(s)": "TypeError",
            "document.body.innerHTML = '<b>x</b>'": "TypeError",
            "eval('window.owned = 1')": "EvalError",
        }.items():
            assert (
                browser.js(f"(() => {{ let s; try {{ {code}; return ''; }} catch (e) {{ return e.name; }} }})()")
                == error
            )
        for target in (f"{other}data/runs", "http://127.0.0.1:9/", "https://example.invalid/"):
            assert browser.js(f"fetch({json.dumps(target)}).then(() => 'done', () => 'refused')") == "refused"
        assert browser.js("fetch(location.href, {method: 'POST'}).then((answer) => answer.status)") == 405
        assert browser.js("window.owned === undefined")


def test_another_page_gets_nothing(path: Path, tmp_path: Path, browser: Page) -> None:
    """Even one that knows the address: not by a script, a frame, an image or a style; and it is told no address either."""
    run_of(attempts(2), path)
    with viewing(path) as url:
        (tmp_path / "evil.html").write_text("<!doctype html><title>evil</title>")
        browser.open((tmp_path / "evil.html").as_uri())
        at = json.dumps(f"{url}data/runs")
        assert browser.js(f"fetch({at}).then(() => 'done', () => 'refused')") == "refused"
        assert browser.js(f"fetch({at}, {{mode: 'no-cors'}}).then(() => 'done', () => 'refused')") in (
            "refused",
            "done",
        )
        assert browser.js(f"new Promise(end => {{ const s = document.createElement('script'); s.onload = () => end('run'); s.onerror = () => end('refused'); s.src = {at}; document.head.append(s); }})") == "refused"  # fmt: skip
        framed = f"new Promise(end => {{ const f = document.createElement('iframe'); f.onload = () => end((() => {{ try {{ return f.contentDocument === null ? 'closed' : f.contentDocument.body.innerText; }} catch {{ return 'closed'; }} }})()); f.src = {json.dumps(url)}; document.body.append(f); }})"  # fmt: skip
        assert browser.js(framed) in ("closed", "")


def _many(path: Path, count: int) -> None:
    """A run of so many attempts, each of a case of its own, written at one go."""
    run_of(attempts(4), path)
    four = attempts(4)
    bodies = [packed(each.transcript)[0] for each in four]
    with database(path) as connection:
        for n in range(4, count):
            id, cased, sample = SERIALS + 1 + n, 1 + n % 4, four[n % 4]
            row = attempt_row(dataclasses.replace(sample, number=1 + n // 4), n, None)
            connection.execute(_INSERT, sealed(id, cased, row))
            connection.execute("INSERT INTO transcript VALUES (?, ?, ?, ?)", transcript_row(id, bodies[n % 4], False))
        connection.execute(
            "UPDATE run SET counts = ?",
            (json.dumps({"passed": count // 2, "failed": count // 4, "error": count // 4}),),
        )


_INSERT = (
    "INSERT INTO attempt (id, cased, number, status, key, tokens, cost, left_behind, verdict, place, earlier, sum) "
    "VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)"
)


def test_a_hundred_thousand_attempts_open_at_once(path: Path, browser: Page) -> None:
    """The first are there before the others are read; no transcript is, until somebody looks at one or asks for them."""
    _many(path, 100_000)
    with viewing(path) as url:
        began = time.monotonic()
        opened(browser, f"{url}run/1", 4)
        assert time.monotonic() - began < 5  # a quarter of a second where nobody else is about
        assert len(asked(browser, "run/1?")) < 10
        browser.until("document.querySelector('.above .more') && !document.querySelector('.above .more').hidden")
        began = time.monotonic()
        browser.js("document.querySelector('.cases a').click()")
        browser.until("document.querySelector('.step')")
        assert time.monotonic() - began < 10
        browser.js("location.hash = ''")
        while browser.js("document.querySelector('.ending').textContent.startsWith('reading')"):
            browser.until("document.querySelector('.ending')")
        assert browser.js("document.querySelector('.totals, header p:nth-of-type(2)').textContent").startswith(
            "2 of 4 cases passed (100,000 attempts)"
        )
        assert asked(browser, "run/1/gist") == []
        assert 1 <= len(asked(browser, "attempt")) <= 3
        quiet(browser, url)


def test_a_server_that_has_ended_is_said_to_have(path: Path, browser: Page) -> None:
    """What was there stays to be read."""
    run_of(attempts(2), path)
    with viewing(path) as url:
        opened(browser, url, 1)
        quiet(browser, url)
    browser.js("document.dispatchEvent(new Event('visibilitychange'))")
    browser.until("document.querySelector('.trouble') && !document.querySelector('.trouble').hidden")
    assert browser.js("document.querySelector('.trouble').textContent").startswith(
        "the server does not answer; it may have been ended"
    )
    assert browser.js(ROWS) == 1


def test_on_a_narrow_screen(path: Path, browser: Page) -> None:
    """Nothing but the table of two runs has to be scrolled sideways."""
    _compared(path)
    with viewing(path) as url:
        browser.size(320, 700, mobile=True)
        for at, there in (("", ".runs li"), ("run/1", ".cases li"), ("compare/1/2", "tbody tr")):
            browser.open(url + at)
            browser.until(f"document.querySelector({json.dumps(there)})")
            assert browser.js("document.documentElement.scrollWidth <= document.documentElement.clientWidth"), at
        browser.size(1300, 900)
