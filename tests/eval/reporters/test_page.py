"""The page of a report in a real headless Chromium: what one does with it, and what no reply makes it do."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from brute import Message, ToolCall, Usage
from brute.eval import Attempt, Call, Case, Failure, Report, Request, Transcript
from brute.eval.reporters.html import html
from tests.eval.reporters.sample import PLACES, REPORT, attempt, transcript
from tests.eval.reporters.test_html import EVIL
from tests.support.browser import Page, browsing, program

pytestmark = pytest.mark.browser
ROWS = "document.querySelectorAll('.cases li').length"
HEADING = "document.querySelector('h2').textContent"


@pytest.fixture(scope="module")
def browser(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Page]:
    """One browser for all of these; where there must be one, its absence is a failure."""
    if program() is None:
        assert not os.environ.get("CI"), "no Chromium is installed"
        pytest.skip("no Chromium is installed")
    with browsing(tmp_path_factory.mktemp("browser")) as page:
        yield page


Opened = Callable[[Report], Page]


@pytest.fixture
def opened(browser: Page, tmp_path: Path) -> Opened:
    """The browser, with the page of a report in it."""

    def open(report: Report) -> Page:
        path = tmp_path / "report.html"
        path.write_text("".join(html(report, PLACES)), encoding="utf-8")
        browser.size(1300, 900)
        browser.prefers("light")
        browser.open(path.as_uri())
        browser.until("document.querySelector('#list')")
        return browser

    return open


def quiet(page: Page) -> None:
    """The console is empty, and nothing but the file was asked for."""
    assert page.complaints == []
    assert [url for url in page.requests if not url.startswith(("file://", "data:,"))] == []
    assert len([url for url in page.requests if url.startswith("file://")]) == 1


TURN = Transcript(
    said="rates?",
    messages=[
        Message(role="user", content="rates?"),
        Message(
            role="assistant",
            tool_calls=(ToolCall(id="1", name="search", arguments={"query": "boe"}),),
            usage=Usage(input=9, output=1),
        ),
        Message(role="tool", content="Held.", tool_call_id="1"),
        Message(role="assistant", content="It held.", usage=Usage(input=9, output=1)),
    ],
    calls=[
        Call(
            name="search",
            arguments={"query": "boe"},
            executed={"query": "boe"},
            result="Held.",
            outcome="stubbed",
            id="1",
            started=0.2,
            ended=0.3,
        )
    ],
    requests=[
        Request(usage=Usage(input=9, output=1), started=0.0, ended=0.2),
        Request(usage=Usage(input=9, output=1), started=0.3, ended=0.4),
    ],
    iterations=2,
    seconds=0.4,
)
WRONG = attempt(
    Case("asks the right thing", said="rates?"),
    "failed",
    Failure(
        "call.arguments",
        "called search 1 time, never with query matching /bank/",
        {"search": "query matching /bank/"},
        [{"query": "boe"}],
    ),
    Failure("mentions", 'never said "4.25"; the reply was "It held."', "4.25", "It held."),
    seen=TURN,
)


def test_it_opens(opened: Opened) -> None:
    """With a line for each case, and what the run came to."""
    page = opened(REPORT)
    assert page.js(ROWS) == 7
    assert (
        page.js("document.querySelector('.ending').textContent") == "3 failed, 1 passed, 2 errors, 1 cancelled in 4.2 s"
    )
    assert page.js("document.querySelectorAll('.attempt').length") == 0
    quiet(page)


def test_filters(opened: Opened) -> None:
    """By status, by tool and by text, all of them together."""
    page = opened(REPORT)
    page.js("document.querySelector('.chip.failed').click()")
    assert page.js(ROWS) == 3
    page.js("(s => { s.value = 'search'; s.dispatchEvent(new Event('change')); })(document.querySelector('select'))")
    assert page.js(ROWS) == 1
    page.js("(s => { s.value = ''; s.dispatchEvent(new Event('change')); })(document.querySelector('select'))")
    page.key("/")
    page.until("document.activeElement.id === 'search'")
    page.type("KeyError")
    assert page.js(ROWS) == 1
    assert page.js("document.querySelector('.counted').textContent") == "1 case, 1 attempt"
    page.type(" nothing of the kind")
    assert page.js(ROWS) == 0
    quiet(page)


def test_a_failure_leads_to_the_step_that_caused_it(opened: Opened) -> None:
    """Wanted against got is marked, and the link goes to the call, which says what is wrong with it."""
    page = opened(Report(attempts=(WRONG,)))
    page.js("document.querySelector('.cases a').click()")
    page.until("document.querySelector('.attempt')")
    assert page.js("[...document.querySelectorAll('.failures .to')].map(a => a.textContent)") == [
        "→ call 1",
        "→ message 4",
    ]
    assert page.js("document.querySelector('.wanted ins').textContent") == "search with query matching /bank/"
    assert page.js("document.querySelector('.got del').textContent") == "query: boe"
    page.js("document.querySelector('.failures .to').click()")
    page.until("document.querySelector('.aimed')")
    assert page.js("document.querySelector('.aimed .who b').textContent") == "search"
    assert page.js("document.querySelector('.aimed .outcome').textContent") == "stubbed"
    assert page.js("document.querySelector('.aimed .because').textContent").startswith("✗ called search 1 time")
    assert page.js("document.activeElement === document.querySelector('.aimed')")
    assert page.js("document.querySelectorAll('.waterfall li').length") == 3
    quiet(page)


def test_an_address_leads_back_to_where_it_was_taken(opened: Opened) -> None:
    """Also when the page is opened with it; one that leads nowhere is the list."""
    page = opened(Report(attempts=(WRONG,)))
    url = page.js("location.href")
    page.open("about:blank")
    page.open(f"{url}#c0.1.c1")
    page.until("document.querySelector('.aimed')")
    page.js("location.hash = '#c99'")
    page.until("document.querySelector('#list')")
    page.js("location.hash = '#__proto__'")
    page.until("document.querySelector('#list')")
    assert page.complaints == []


def test_by_keyboard_alone(opened: Opened) -> None:
    """Down the list, into a case, through its failures, and back to where one was."""
    page = opened(REPORT)
    page.key("j")
    page.key("j")
    row = page.js("document.activeElement.id")
    assert row == "row2"  # the second that failed
    page.key("Enter")
    page.until("document.querySelector('.attempt')")
    assert page.js("document.activeElement.tagName") == "H2"
    page.key("j")
    assert page.js("document.activeElement.matches('.to, .blamed')")
    page.key("Escape")
    page.until("document.querySelector('#list')")
    assert page.js("document.activeElement.id") == row
    page.key("k")
    assert page.js("document.activeElement.id") != row
    quiet(page)


def test_attempts_stand_side_by_side(opened: Opened) -> None:
    """Those that did not pass first; others are taken in and out."""
    case = Case("often", said="?", runs=6)
    made = [
        attempt(case, "failed" if n > 4 else "passed", *([Failure("check", "no")] if n > 4 else []), number=n)
        for n in range(1, 7)
    ]
    page = opened(Report(attempts=tuple(made)))
    page.js("document.querySelector('.cases a').click()")
    page.until("document.querySelector('.attempt')")
    heads = "[...document.querySelectorAll('.attempt h3')].map(each => each.textContent)"
    assert page.js(heads) == ["✗ failed Attempt 5 of 6", "✗ failed Attempt 6 of 6", "✓ passed Attempt 1 of 6"]
    tops = page.js("[...document.querySelectorAll('.attempt')].map(each => each.getBoundingClientRect().top)")
    assert len(set(tops)) == 1
    page.js("document.querySelectorAll('.attempts .chip')[3].click()")
    assert page.js(heads)[-1] == "✓ passed Attempt 4 of 6"
    page.js("document.querySelectorAll('.attempts .chip')[0].click()")
    assert page.js("document.querySelectorAll('.attempt').length") == 3
    quiet(page)


def test_no_script_from_a_reply_ever_runs(opened: Opened) -> None:
    """Whatever a model, a tool, a check or a case wrote, wherever it is shown."""
    text = EVIL.replace("alert(1)", "window.owned=1")
    seen = Transcript(
        said=text,
        messages=[Message(role="user", content=text), Message(role="assistant", content=text, model=text, usage=Usage(input=1, output=1))],
        calls=[Call(name=text, arguments={text: text}, executed={text: 1}, result=text, error=f"no {text}", agent=text, started=0.0, ended=0.1)],
        requests=[Request(usage=Usage(input=1, output=1), error=text, retries=[text], started=0.0, ended=0.1)],
        published=[text], stopped=text, notes=[text], error=Failure("turn.raised", text), seconds=0.1,
    )  # fmt: skip
    made = attempt(
        Case(f"a {text}", said=text, runs=2),
        "failed",
        Failure("check", text, text, f"not {text}", text),
        seen=seen,
        suite=text,
    )
    page = opened(Report(attempts=(made,), notes=(text,), stopped=text))
    page.js("document.querySelector('.cases a').click()")
    page.until("document.querySelector('.attempt')")
    page.js("document.querySelectorAll('details').forEach(each => { each.open = true; })")
    page.until("document.querySelectorAll('.step').length >= 5")
    assert page.js("window.owned === undefined")
    assert page.js("document.querySelectorAll('img, iframe, object, embed, form:not(.filters)').length") == 0
    assert page.js("[...document.querySelectorAll('a')].every(a => a.getAttribute('href').startsWith('#'))")
    assert "<img src=x" in page.js("document.body.innerText")
    quiet(page)


def test_the_policy_holds_what_the_page_would_not_do_anyway(opened: Opened) -> None:
    """No script that is put into it runs, no text becomes HTML, and nothing is fetched."""
    page = opened(REPORT)
    tries = {
        "s = document.createElement('script'), s.text = 'window.owned = 1', document.body.append(s)": "TypeError",
        "document.body.innerHTML = '<b>x</b>'": "TypeError",
        "eval('window.owned = 1')": "EvalError",
        "setTimeout('window.owned = 1')": "TypeError",
    }
    for code, error in tries.items():
        assert page.js(f"(() => {{ let s; try {{ {code}; return ''; }} catch (e) {{ return e.name; }} }})()") == error
    for code in ("fetch('http://127.0.0.1:9/')", "fetch('file:///etc/hostname')", "import('data:text/javascript,1')"):
        assert page.js(f"{code}.then(() => 'done', () => 'refused')") == "refused"
    page.js(
        "new Promise(end => { const i = new Image(); i.onerror = i.onload = end; i.src = 'http://127.0.0.1:9/x.png'; })"
    )
    assert page.js("window.owned === undefined")
    assert any("Content Security Policy" in each for each in page.complaints)


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_light_and_dark_can_be_read(scheme: str, opened: Opened) -> None:
    """The words stand out from what is behind them, by the 4.5 to 1 of WCAG."""
    page = opened(REPORT)
    page.prefers(scheme)
    page.js("document.querySelector('.cases a').click()")
    page.until("document.querySelector('.attempt')")
    ratios = page.js("""(() => {
        const light = (text) => { const [r, g, b] = text.match(/[\\d.]+/g).map(Number).map((n) => n / 255)
            .map((c) => (c <= 0.04045 ? c / 12.92 : ((c + 0.055) / 1.055) ** 2.4)); return 0.2126 * r + 0.7152 * g + 0.0722 * b; };
        const back = (e) => { for (; e; e = e.parentElement) { const c = getComputedStyle(e).backgroundColor;
            if (c.startsWith("rgb(")) return c; } return "rgb(255, 255, 255)"; };
        return [...document.querySelectorAll(".status, .kind, .who, .label, a, .spent, pre, .outcome, .failures strong")].map((e) => {
            const [a, b] = [light(getComputedStyle(e).color), light(back(e))].sort((x, y) => y - x); return (a + 0.05) / (b + 0.05); });
    })()""")
    assert len(ratios) > 20
    assert min(ratios) >= 4.5
    dark = page.js("getComputedStyle(document.body).backgroundColor.match(/\\d+/)[0] < 128")
    assert dark == (scheme == "dark")


@pytest.mark.parametrize("width", [320, 700])
def test_on_a_narrow_screen(width: int, opened: Opened) -> None:
    """Nothing has to be scrolled sideways, and what is pressed is big enough for a thumb."""
    page = opened(REPORT)
    page.size(width, 700, mobile=True)
    fits = "document.documentElement.scrollWidth <= document.documentElement.clientWidth"
    assert page.js(fits)
    if width < 600:
        assert (
            page.js(
                "Math.min(...[...document.querySelectorAll('button, select, input')].filter(e => !e.hidden).map(e => e.getBoundingClientRect().height))"
            )
            >= 40
        )
    page.js("document.querySelector('.cases a').click()")
    page.until("document.querySelector('.attempt')")
    assert page.js(fits)


def many(cases: int, runs: int) -> Report:
    """A report of so many attempts, of some kilobytes each."""
    made: list[Attempt] = []
    for n in range(cases):
        case = Case(f"case {n}", said="?", runs=runs)
        for k in range(1, runs + 1):
            seen = transcript(
                f"reply {n} {k} " + "word " * 300,
                calls=[Call(name=f"tool{n % 7}", arguments={"n": n}, result="r" * 500)],
            )
            failures = [Failure("check", f"wrong {n}")] if n % 10 == 0 else []
            made.append(attempt(case, "failed" if failures else "passed", *failures, number=k, seen=seen))
    return Report(attempts=tuple(made))


@pytest.mark.parametrize(("cases", "runs"), [(10_000, 1), (10, 1_000)])
def test_ten_thousand_attempts(cases: int, runs: int, opened: Opened) -> None:
    """They open and filter without a stall: only what is looked at is drawn."""
    page = opened(many(cases, runs))
    # From the address to the list on the screen; the limits are far above what an idle machine takes.
    assert page.js("performance.getEntriesByType('navigation')[0].domContentLoadedEventEnd") < 15_000
    assert page.js("document.querySelectorAll('*').length - document.scripts.length") < 8_000
    took = page.js("""(() => {
        const search = document.getElementById("search"), took = [];
        for (const text of ["c", "case 9", "reply 77", "wrong", "nothing at all", ""]) {
            const began = performance.now();
            search.value = text;
            search.dispatchEvent(new Event("input"));
            document.body.getBoundingClientRect();
            took.push(performance.now() - began);
        }
        return Math.max(...took);
    })()""")
    assert took < 1_500
    began = page.js("performance.now()")
    page.js("document.querySelector('.cases a').click()")
    page.until("document.querySelector('.attempt')")
    assert page.js("performance.now()") - began < 3_000
    assert page.js("document.querySelectorAll('.attempt').length") == min(runs, 3)
    quiet(page)


def test_all_of_a_long_list_can_be_had(opened: Opened) -> None:
    """A part at a time."""
    page = opened(many(250, 1))
    assert page.js(ROWS) == 100
    page.js("document.querySelector('.more').click()")
    page.js("document.querySelector('.more').click()")
    assert page.js(ROWS) == 250
    assert page.js("document.querySelector('.more').hidden")


def test_the_order_of_the_list(opened: Opened) -> None:
    """By what one asks for, such as what cost most."""
    page = opened(REPORT)
    page.js(
        "(s => { s.value = 'plan'; s.dispatchEvent(new Event('change')); })(document.querySelectorAll('select')[1])"
    )
    assert page.js("[...document.querySelectorAll('.cases a')].map(a => a.id)") == [f"row{n}" for n in range(7)]
    page.js(
        "(s => { s.value = 'rate'; s.dispatchEvent(new Event('change')); })(document.querySelectorAll('select')[1])"
    )
    assert page.js("[...document.querySelectorAll('.cases .chart:first-child .told')].map(each => each.textContent)") == [
        "0 of 1 passed", "0 of 1 passed", "1 of 2 passed", "1 of 1 passed", "none graded", "none graded", "none graded",
    ]  # fmt: skip


def test_the_chart_of_the_pass_rate_has_its_interval(opened: Opened) -> None:
    """In words for whoever can't see it."""
    page = opened(REPORT)
    title = page.js("document.querySelector('#row0 .chart').title")
    assert title == "1 of 2 passed, 95 % between 9 and 91 %"


def test_without_scripts_it_says_so() -> None:
    """Whoever has switched them off is told why there is nothing to see."""
    assert "scripts are switched off" in "".join(html(REPORT, PLACES))
