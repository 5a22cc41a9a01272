"""How well the built-in reading of absence does on 306 labelled replies of agents, of which a part is never tuned on.

`replies.tsv` has one reply a line: `+` it signals that there is nothing, `-` it does not, `?` out of scope (not English); the kind of
reply; the text. The labels were written before the reading was looked at (its table of phrases had been seen). Which part a reply is in is
a matter of its hash. Whoever changes the reading looks at what is wrong in the tuned part alone. `more.tsv` has 3,358 more of the same form, all of them
tuned on; each of its batches was labelled before the reading was changed for it. `fresh.tsv` has 145 that were written before the
last three rounds of changes, by whoever made the first, and were not looked at since. `unseen.tsv` has 300 by somebody who never read the code, of
which nobody who changes it has seen one, nor its kinds of errors but for their number. Of the batches up to row 1,520, five labels that
went against docs/expectations.md (a bound, faults that are not there) were changed after they were read, and two texts that stood by chance in a part that is
not tuned on were taken out, after the reading had been changed for their batches. Of those that follow, the first 672 were written by somebody who never read
the code, the others by whoever changed it; some twenty texts whose label went against docs/expectations.md (a bound, what is found nearby, faults that are not there) were left out after they were read.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterator
from pathlib import Path

import pytest

from brute.eval.absence import says_nothing_found

REPLIES = Path(__file__).with_name("replies.tsv")
MORE = Path(__file__).with_name("more.tsv")
FRESH = Path(__file__).with_name("fresh.tsv")
UNSEEN = Path(__file__).with_name("unseen.tsv")


def replies(held_out: bool | None = None, file: Path = REPLIES) -> Iterator[tuple[bool, str]]:
    """The English replies of a part (None: of both), with what they signal."""
    for line in file.read_text(encoding="utf-8").splitlines():
        label, _, text = line.split("\t")
        odd = hashlib.sha256(text.encode()).digest()[0] % 2 == 1
        if label != "?" and held_out in (None, odd):
            yield label == "+", text.replace("\\n", "\n")


def measured(held_out: bool | None, file: Path = REPLIES) -> tuple[float, float]:
    """Precision and recall of the reading on a part."""
    read = [(signals, says_nothing_found(text)) for signals, text in replies(held_out, file)]
    right = sum(signals and said for signals, said in read)
    return right / sum(said for _, said in read), right / sum(signals for signals, _ in read)


def test_there_are_enough_of_each() -> None:
    """At least 300, half and half, no text twice, both parts of some size."""
    labels = [signals for signals, _ in replies()]
    assert len(labels) >= 300
    assert 0.45 < sum(labels) / len(labels) < 0.55
    assert len({text for _, text in replies()}) == len(labels)
    assert min(len([*replies(True)]), len([*replies(False)])) > 120
    assert len([*replies(file=FRESH)]) >= 100
    tuned = {text for file in (REPLIES, MORE) for _, text in replies(file=file)}
    # Of what must not be looked at, a failure tells no more than how many.
    assert len(tuned & {text for file in (FRESH, UNSEEN) for _, text in replies(file=file)}) == 0


@pytest.mark.parametrize(
    ("held_out", "file", "precision", "recall"),
    [
        (False, REPLIES, 0.99, 0.98),
        (True, REPLIES, 0.96, 0.935),
        (None, MORE, 0.99, 0.97),
        (None, FRESH, 0.971, 0.93),
        (None, UNSEEN, 0.92, 0.7),
    ],
    ids=["tuned", "held out", "more, tuned", "fresh", "unseen"],
)
def test_precision_and_recall_do_not_fall(held_out: bool | None, file: Path, precision: float, recall: float) -> None:
    """Those that docs/expectations.md reports."""
    got = measured(held_out, file)
    assert (got[0] >= precision, got[1] >= recall) == (True, True), got
