"""A failure of each kind: what the desk assistant gets wrong, and what a report says of it.

All of these are meant to be red. Each is a thing that one would ask of such an assistant, and that 135 million weights get wrong.
"""

import re

from brute.eval import Budget, Case, Suite, in_turn

RATES_LEFT = "Rates were left at 4.25% by the Bank of England, which had been expected to raise them."
ELECTION = "Anna Holt was elected mayor of Leeds with 54% of the vote."
WEATHER = {"Rome": "Rain until noon, then sun."}
MINUTES = "point of the minutes: the council has met to speak of the bridge, and has not come to a decision. " * 100


def does_not_turn_it_round(transcript):
    """The article says that rates were left where they are."""
    noted = [call.arguments["text"] for call in transcript.calls if call.name == "note"]
    return [f'noted "{text}" where the article says "{RATES_LEFT}"' for text in noted if "left" not in text]


CASES = [
    Case(
        "notes what it is told",
        said="note that the key is under the mat",
        calls={"note": {"text": re.compile("key.*mat", re.I)}},
    ),
    Case(
        "looks a price up before it notes it",
        said="note the price of gold today",
        stubs={"search": "Gold fell by 2% to 2,310 dollars an ounce."},
        calls={"search": {}},
    ),
    Case(
        "does sums by itself",
        said="what is the square root of 144?",
        stubs={"search": "no results"},
        never=["search"],
    ),
    Case(
        "notes the question before it looks for the answer",
        said="first note the question, then search: what is the price of oil now?",
        stubs={"search": "Oil fell by 2% to 71 dollars a barrel."},
        order=["note", "search"],
    ),
    Case(
        "knows how long a day is",
        said="how many minutes are there in a day?",
        mentions=[("1440", "1,440")],
    ),
    Case(
        "keeps quiet when nothing is asked",
        said="thanks, that was all",
        silent=True,
    ),
    Case(
        "says so when there is no news",
        said="what happened in Rome last night?",
        stubs={"search": in_turn("no results", "no results")},
        absent=True,
    ),
    Case(
        "answers within a thousand tokens",
        said="who won the election yesterday?",
        stubs={"search": ELECTION},
        mentions=["Anna Holt"],
        budget=Budget(tokens=1000),
    ),
    Case(
        "looks up and notes in two model calls",
        said="look up the weather for tomorrow, and note it",
        stubs={"search": "Rain until noon, then sun."},
        budget=Budget(iterations=2),
    ),
    Case(
        "says so when the news can't be reached",
        said="did the council meet today?",
        absent=True,
    ),
    Case(
        "does not turn the news round",
        said="did the Bank of England raise rates yesterday?",
        stubs={"search": RATES_LEFT},
        check=does_not_turn_it_round,
    ),
    Case(
        "is served a stub that is wrong",
        said="what is the weather in Rome today?",
        stubs={"search": lambda query: WEATHER[query]},
        mentions=["rain"],
    ),
    Case(
        "is given more than the model can read",
        said=f"what was decided? {MINUTES}",
        mentions=["nothing"],
    ),
]

SUITE = Suite(agent="agent.py", cases=CASES, jobs=1)

if __name__ == "__main__":
    raise SystemExit(SUITE.run())
