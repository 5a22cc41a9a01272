"""What says that there is nothing, and what only speaks of it."""

from __future__ import annotations

import re
import time

import pytest

from brute.eval.absence import MOST, READ, says_nothing_found, weighed
from tests.eval.absence_replies import HAS_SOMETHING, SAYS_NOTHING


@pytest.mark.parametrize("reply", SAYS_NOTHING)
def test_a_reply_that_says_there_is_nothing(reply: str) -> None:
    """It is read as absence."""
    assert says_nothing_found(reply)


@pytest.mark.parametrize("reply", HAS_SOMETHING)
def test_a_reply_that_has_something_to_say(reply: str) -> None:
    """It is not read as absence. Seen in the original: "not bad" was."""
    assert not says_nothing_found(reply)


def test_absence_of_your_own_is_all_that_counts() -> None:
    """Where the case brings a pattern, the built-in reading is not asked."""
    assert says_nothing_found("Leider nichts.", re.compile("nichts"))
    assert not says_nothing_found("No results.", re.compile("nichts"))


@pytest.mark.parametrize("pattern", ["", ".*", "x*"])
def test_a_blank_reply_says_nothing_at_all(pattern: str) -> None:
    """A pattern that would match nothing doesn't make silence a word of absence."""
    assert not says_nothing_found(" \u200b", re.compile(pattern))


HOSTILE = {
    "no": "no " * 30_000,
    "results": "no results " * 9_000,
    "could not": "i could not " * 9_000,
    "there": "there is " * 11_000,
    "commas": ", no " * 25_000,
    "stops": "." * 100_000,
    "box": "the a inbox is is " * 5_000,
    "exist": "does not exis " * 7_000,
    "ly": "really " * 14_000,
    "if": "if " * 30_000 + "no results found",
    "but": "i found nothing. " + "but " * 25_000,
    "lines": "a\n" * 50_000,
    "sentences": "no problem. " * 9_000,
    "found": "no results. " + "i found " * 12_000,
    "figures": "no results. " + "is about " * 11_000,
    "anything": "i could not find anything. " + "find the a " * 9_000,
    "the": "the list " * 11_000,
    "neither": "neither a " * 10_000,
    "with": "no file with " * 8_000,
    "has not": "has not placed " * 7_000,
    "colons": "no results" + ": a" * 30_000,
    "one word": "there is no " + "a" * 90_000,
    "a long name": "there is no " + "parse_header_from_response_" * 3 + " (results)",
    "single": "there is not a single " * 4_500,
    "rows": "no results.\n" + "| a | 1 |\n" * 10_000,
    "plurals": "no results. " + "new items " * 10_000,
    "reasons": "no results. " + "it is broken. " * 7_000,
    "long names": "no results in " + "the list " * 5_000 + ". " + "it is broken. " * 1_900,
    "states": "no results. " + "the list is really " * 5_000,
    "neither of": "neither of the lists " * 5_000,
    "clauses": "a list, and no " * 6_000,
}


@pytest.mark.parametrize("reply", HOSTILE.values(), ids=HOSTILE)
def test_reading_takes_time_that_grows_with_the_length_only(reply: str) -> None:
    """A tenth of a megabyte of anything is read at once."""
    began = time.process_time()
    says_nothing_found(reply)
    assert time.process_time() - began < 2


@pytest.mark.parametrize("unit", ["1,", "\x1b[31m", "x", "\u0301", "no ", "no problem. ", "a\n"], ids=ascii)
def test_ten_megabytes_of_anything_are_read_in_a_moment(unit: str) -> None:
    """A second or two, also of what speaks of "no" all along."""
    reply = unit * (10_000_000 // len(unit))
    began = time.process_time()
    assert not says_nothing_found(reply)
    assert time.process_time() - began < 8


def test_what_is_said_after_a_flood_of_words_is_no_absence() -> None:
    """The built-in reading ends somewhere, and then it was not said."""
    assert says_nothing_found("No problem. " * 100 + "No results.")
    assert not says_nothing_found("No problem. " * (READ // 11) + "No results.")
    assert says_nothing_found("No results. " + "It is broken. " * 100)
    assert not says_nothing_found("No results. " + "It is broken. " * MOST)


@pytest.mark.parametrize("unit", ["no results?", "no <!-- ", "| no | 0 |\n", "no results—"], ids=ascii)
def test_a_megabyte_of_short_sentences_is_no_absence_and_read_at_once(unit: str) -> None:
    """What has too many sentences to be one is not read sentence by sentence."""
    reply = unit * (1_000_000 // len(unit))
    began = time.process_time()
    assert not says_nothing_found(reply)
    assert time.process_time() - began < 1.5


@pytest.mark.parametrize(
    "reply",
    [
        "No results found.",
        "I found no errors in the report.",
        "Done.",
        "",
        "I checked it all for you and there.",
        "A day at a time. " * 60,
        "There was nothing. " + "It is broken. " * 100,
        "Nothing was lost or left out. " * 100,
    ],
)
def test_what_speaks_for_and_against_adds_up_to_what_is_read(reply: str) -> None:
    """Also of a reply without a word of lack, and of one that is too long for a vote."""
    assert (sum(weight for _, weight in weighed(reply)) > 0) is says_nothing_found(reply)


def test_without_a_word_of_lack_nothing_speaks() -> None:
    """Whatever its other words would add up to."""
    assert weighed("The report was sent at 10:30.") == []
