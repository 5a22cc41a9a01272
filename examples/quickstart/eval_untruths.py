"""What the news assistant gets wrong: each case is red, and says what the model said.

The model is honest about what it can be: it has 135 million weights. A case that fails is what an eval is for.
"""

from brute.eval import Case, Suite

RATES_LEFT = "Rates were left at 4.25% by the Bank of England, which had been expected to raise them."


def does_not_turn_it_round(transcript):
    """The article says that rates were left where they are."""
    if "raised" in transcript.reply:
        return f'said "{transcript.reply}" where the article says "{RATES_LEFT}"'
    return None


CASES = [
    Case(
        "knows how long a day is",
        said="how many minutes are there in a day?",
        never=["search"],
        mentions=[("1440", "1,440")],
    ),
    Case(
        "reports what the article says",
        said="did the Bank of England raise rates yesterday?",
        stubs={"search": RATES_LEFT},
        check=does_not_turn_it_round,
    ),
]

SUITE = Suite(agent="agent.py", cases=CASES)

if __name__ == "__main__":
    raise SystemExit(SUITE.run())
