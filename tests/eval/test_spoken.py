"""Whether a reply speaks for itself, and in English."""

from __future__ import annotations

import time

import pytest

from brute.eval.absence import phrased, says_nothing_found
from brute.eval.spoken import speaks

OTHERS = [
    "Here's a draft:\n\nHi Tom,\n\nI couldn't find the report. Could you send it again?\n\nBest,\nLena",
    "Sure! Here is your draft for Ann: there are no rooms left.",
    "Draft reply: Hi Kim, sorry, no rooms are free that week.",
    'I\'ve sent Kim this message: "There are no meetings tomorrow."',
    'The translation is: "There is nothing in the box."',
    "Translation: \u201cThe box is empty.\u201d",
    '"Nothing found" in Italian is "Nessun risultato".',
    '"No hay nadie" means "There is nobody."',
]
SPANISH = [
    "No puedo abrir el archivo.",
    "No puedo ayudarte con eso.",
    "No se puede cambiar la fecha.",
    "La cita es a las 9. No olvides que hay que pagar.",
]
ITS_OWN = [
    "No results found.",
    "The draft has no comments.",
    "Draft orders: none",
    "Draft: none",
    "I wrote to Ann, and there are no replies yet.",
    'I sent the query: "Falcon". There are no results.',
    'I found no mention of the word "budget" in the document.',
    "No flights from Las Vegas to El Paso.",
    "There are no hotels in Puerto del Carmen.",
]


@pytest.mark.parametrize("reply", OTHERS + SPANISH)
def test_what_somebody_else_says_is_no_phrase_of_the_reply(reply: str) -> None:
    """What it would be, were it the reply's own, counts for nothing."""
    assert not phrased(reply)
    assert not says_nothing_found(reply)


@pytest.mark.parametrize("reply", ITS_OWN)
def test_what_only_looks_like_it_is_the_replys_own(reply: str) -> None:
    """A draft that is spoken of, a query that was sent, a name."""
    assert speaks(reply.lower())
    assert phrased(reply)


@pytest.mark.parametrize("unit", ["draft ", '"', "i sent ", 'i sent: "', "se que ", "translation of the "], ids=ascii)
def test_reading_takes_time_that_grows_with_the_length_only(unit: str) -> None:
    """A megabyte of anything is read at once."""
    began = time.process_time()
    speaks(unit * (1_000_000 // len(unit)))
    assert time.process_time() - began < 0.5
