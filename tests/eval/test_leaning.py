"""The vote of the words of a reply."""

from __future__ import annotations

from importlib import resources

import pytest

from brute.eval import leaning as module
from brute.eval.absence import says_nothing_found
from brute.eval.leaning import ALWAYS, LONGEST, PHRASED, groups, heard, leans, spelled, voices

WEIGHTS = {ALWAYS: -100, PHRASED: 250, "not": 70, "see _ hits": 40, "no ~ hits": 30, "^ i": -5}


@pytest.fixture
def weighed(monkeypatch: pytest.MonkeyPatch) -> None:
    """A vote with weights that can be added up by hand."""
    monkeypatch.setattr(module, "_weights", lambda: WEIGHTS)


def test_words_are_spelled_as_the_groups_have_them() -> None:
    """Contractions are written out, a number is a 0, a heading no sign at all."""
    assert spelled("## can't, won't, isn't 1,234.5 of 2026-11-30") == [
        *("can", "not", ",", "will", "not", ",", "is", "not", "0", "of", "0")
    ]


def test_groups_are_words_pairs_triples_and_what_a_negation_reaches() -> None:
    """To the end of its sentence; with the edges of the reply as words."""
    assert sorted(groups(["no", "hit", ".", "ok"])) == sorted(
        [
            *("^", "no", "hit", ".", "ok", "$"),
            *("^ no", "no hit", "hit .", ". ok", "ok $"),
            *("^ no hit", "no hit .", "hit . ok", ". ok $"),
            *("^ _ hit", "no _ .", "hit _ ok", ". _ $"),
            "no ~ hit",
        ]
    )


def test_a_negation_reaches_eight_words() -> None:
    """What comes later is of something else."""
    reached = [group for group in groups(["not", *"abcdefghi"]) if group.startswith("no ~ ")]
    assert reached == [f"no ~ {each}" for each in "abcdefgh"]


@pytest.mark.usefixtures("weighed")
def test_a_vote_is_the_sum_of_the_weights() -> None:
    """Each group counts once, however often it stands there; a phrase that says so has a voice of its own."""
    words = spelled("i can't see 3 hits, not 3 hits.")
    assert sum(voices(words, phrased=False).values()) == -100 - 5 + 70 + 30 + 40
    assert sum(voices(words, phrased=True).values()) == -100 - 5 + 70 + 30 + 40 + 250


@pytest.mark.usefixtures("weighed")
@pytest.mark.parametrize("text", ["", "not " * (LONGEST + 1), "x" * 30 * LONGEST])
def test_of_what_is_no_matter_of_words_the_phrase_alone_is_heard(text: str) -> None:
    """So that what is shown of a vote always adds up to what was decided."""
    assert heard(text, phrased=True) == {PHRASED: 250}
    assert heard(text, phrased=False) == {}


@pytest.mark.usefixtures("weighed")
@pytest.mark.parametrize(
    ("text", "phrased", "told"), [("not", False, False), ("not", True, True), ("x", True, True), ("x", False, False)]
)
def test_it_leans_where_the_sum_is_over_nothing(text: str, phrased: bool, told: bool) -> None:
    """In doubt, it was not said."""
    assert leans(text, phrased) is told


@pytest.mark.parametrize("text", ["", " ", "not found " * LONGEST, "x" * 30 * LONGEST])
def test_what_is_no_matter_of_words_is_what_the_phrases_say(text: str) -> None:
    """A reply without words, one with more than it has learned from, and one that is no text at all."""
    assert leans(text, phrased=True)
    assert not leans(text, phrased=False)


def test_the_weights_are_sound() -> None:
    """Whole numbers, none twice, none that does nothing; what there is always speaks against it, a phrase for it."""
    lines = resources.files("brute.eval").joinpath("leaning.tsv").read_text(encoding="utf-8").splitlines()
    rows = dict(line.rsplit("\t", 1) for line in lines)
    assert len(rows) == len(lines) > 10_000
    assert all(int(weight) for weight in rows.values())
    assert int(rows[ALWAYS]) < 0 < 100 < int(rows[PHRASED])
    assert max(abs(int(weight)) for group, weight in rows.items() if group not in (ALWAYS, PHRASED)) < 300


@pytest.mark.parametrize(
    "text", ["Leider nichts gefunden.", "Je n'ai rien trouvé.", "asdf qwer zxcv no", "知らない no", "Now."]
)
def test_words_that_it_never_saw_say_nothing(text: str) -> None:
    """Another language and no language are no absence."""
    assert not says_nothing_found(text)


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ("no viruses were found on your laptop.", False),
        ("there are no typos in your text.", False),
        ("no leaks were found.", False),
        ("there's no bug report about it.", True),
        ("no article about leaks was found.", True),
    ],
)
def test_what_one_is_glad_not_to_find_is_no_absence(text: str, told: bool) -> None:
    """As the phrases have it; a report of it is a thing that one may miss."""
    assert says_nothing_found(text) is told
