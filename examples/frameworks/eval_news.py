"""What a news assistant must do, whatever framework it was built with: `python eval_news.py pydantic_ai` (a folder beside this file)."""

import re
import sys

from brute.eval import Budget, Case, Suite, in_turn

RATE_DECISION = "The Bank of England held its main interest rate at 4.25% on Thursday."
CUP = "Hull won the cup on penalties."

CASES = [
    Case(
        "searches for what it cannot know",
        said="what did the Bank of England do yesterday?",
        stubs={"search": RATE_DECISION},
        calls={"search": {"query": re.compile(r"bank|rate", re.I)}},
        mentions=["4.25"],
    ),
    Case(
        "does not search for what it already knows",
        said="how many minutes are there in an hour?",
        never=["search"],
        mentions=["60"],
        budget=Budget(iterations=2, tool_calls=0),
    ),
    Case(
        "searches once more when the first search finds nothing",
        said="who won the cup last night?",
        stubs={"search": in_turn("no results", CUP)},
        order=["search", "search"],
        mentions=["Hull"],
        budget=Budget(iterations=3, tokens=10_000),
    ),
]

if __name__ == "__main__":
    framework = sys.argv[1] if len(sys.argv) > 1 else "pydantic_ai"
    raise SystemExit(Suite(agent=f"{framework}/agent.py", cases=CASES, unstubbed="refuse").run())
