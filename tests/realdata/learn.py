"""What the vote on absence has learned (`brute.eval.leaning`), from the replies that may be tuned on.

`python -m tests.realdata.learn` writes `src/brute/eval/leaning.tsv`, and prints what is to be expected of the reading on replies of
another hand: those of each hand of `hands.tsv` are put to a vote that learned from the others. It wants scikit-learn, which nothing
else here does. What the voice of a phrase is worth is learned from `hands.tsv` alone, since the phrases were tuned on all the others.
"""

from __future__ import annotations

import itertools
import math
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy
from sklearn.feature_extraction.text import CountVectorizer
from sklearn.linear_model import LogisticRegression

import brute.eval.leaning
from brute.eval.absence import phrased, plain
from brute.eval.leaning import ALWAYS, PHRASED, groups, spelled
from tests.eval.absence_replies import HAS_SOMETHING, SAYS_NOTHING
from tests.realdata.test_replies import HANDS, MORE, Row, replies, rows

OFTEN = 3
"""In how many replies a group of words has to stand."""
STRENGTH = 0.3
"""How far the weights may go (the inverse of the regularisation)."""
WRITTEN = 3
"""How often a reply of absence_replies.py counts, which says what was promised."""
DOUBT = math.log(4 / 3)
"""How much likelier than not it has to be: in doubt, it was not said."""
SMALLEST = 5
"""The least weight that is kept, in hundredths."""


class Vote:
    """What is learned of some replies."""

    def __init__(self, learned_of: Sequence[Row]) -> None:
        own = [*((True, text) for text in SAYS_NOTHING), *((False, text) for text in HAS_SOMETHING)]
        every = [*learned_of, *own]
        counted = [1] * len(learned_of) + [WRITTEN] * len(own)
        self.counting = CountVectorizer(analyzer=_groups, binary=True, min_df=OFTEN)
        found = self.counting.fit_transform([text for _, text in every])
        self.model = LogisticRegression(C=STRENGTH, max_iter=3000, tol=1e-3)
        self.model.fit(found, [says for says, _ in every], sample_weight=counted)

    def odds(self, of: Sequence[Row]) -> Any:
        """How far each of the replies leans."""
        return self.model.decision_function(self.counting.transform([text for _, text in of]))

    def weights(self) -> dict[str, float]:
        """The weight of each group."""
        return dict(zip(self.counting.get_feature_names_out(), self.model.coef_[0], strict=True))


def _groups(reply: str) -> set[str]:
    return set(groups(spelled(plain(reply))))


def main() -> None:
    """Write the weights, and print what is to be expected."""
    others = [*replies(file=MORE), *replies(False)]
    by_hand = [[*each] for _, each in itertools.groupby(rows(HANDS), lambda row: row[1])]
    parts = [[(label == "+", text) for label, _, text in each] for each in by_hand]
    voices = _voices(others, parts)
    says = [label for part in parts for label, _ in part]
    voice = LogisticRegression(C=10).fit(voices, says)
    odds = voice.decision_function(voices)
    _print([hand for each in by_hand for _, hand, _ in each], says, [one > DOUBT for one in odds])
    (slope, worth), bar = voice.coef_[0], voice.intercept_[0] - DOUBT
    vote = Vote([*others, *itertools.chain(*parts)])
    always = vote.model.intercept_[0] + bar / slope
    _write({**vote.weights(), ALWAYS: always, PHRASED: worth / slope})


def _voices(others: Sequence[Row], parts: Sequence[Sequence[Row]]) -> Any:
    """How far each reply leans by a vote of all others and of the other hands, and whether a phrase says so."""
    leant = [
        Vote([*others, *itertools.chain(*(each for each in parts if each is not part))]).odds(part) for part in parts
    ]
    return numpy.column_stack([numpy.concatenate(leant), [phrased(text) for part in parts for _, text in part]])


def _print(hands: Sequence[str], says: Sequence[bool], read: Sequence[bool]) -> None:
    """How well replies of a new hand are read."""
    told = [*zip(hands, says, read, strict=True)]
    for hand in dict.fromkeys(hands):
        print(f"{hand}: {_figures([(says, said) for name, says, said in told if name == hand])}")
    print(f"each hand by what others taught: {_figures([(says, said) for _, says, said in told])}")


def _figures(read: Sequence[tuple[bool, bool]]) -> str:
    right = sum(says and said for says, said in read)
    of_said, of_says = sum(said for _, said in read), sum(says for says, _ in read)
    return (
        f"precision {right / of_said:.1%} ({right} of {of_said}), recall {right / of_says:.1%} ({right} of {of_says})"
    )


def _write(weights: dict[str, float]) -> None:
    lines = [
        f"{group}\t{100 * weight:.0f}\n" for group, weight in sorted(weights.items()) if abs(100 * weight) >= SMALLEST
    ]
    home = Path(brute.eval.leaning.__file__).with_name("leaning.tsv")
    home.write_text("".join(lines), encoding="utf-8", newline="\n")
    print(f"{len(lines):,} weights, {home.stat().st_size:,} bytes")


if __name__ == "__main__":
    main()
