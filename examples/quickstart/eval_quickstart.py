"""What the news assistant must do: real turns of the real model, graded by what each turn did."""

import re

from brute.eval import Budget, Case, Suite, World, in_turn

RATE_DECISION = "The Bank of England held its main interest rate at 4.25% on Thursday."
MAYOR = "Anna Holt was elected mayor of Leeds with 54% of the vote."
OIL = "Oil fell by 2% to 71 dollars a barrel."
LAPTOP = "Apple announced a laptop with a 20 hour battery."
CUP = "Hull won the cup on penalties."


class Archive(World):
    """A world with a few articles in it: `search` finds the one that has the most words of the query."""

    def stub(self, agent, stubs):
        """Search this world's articles, unless the case has a stub of its own."""
        super().stub(agent, {"search": self.search, **stubs})

    def search(self, query):
        """The article that fits the query best."""
        asked = set(query.lower().split())
        articles = [path.read_text() for path in sorted(self.folder.glob("*.txt"))]
        hits, article = max((len(asked & set(text.lower().split())), text) for text in articles)
        return article if hits else "no results"


def only_figures_from_the_article(transcript):
    """Every number in the reply stands in what the search found."""
    found = re.findall(r"[\d.,]*\d", transcript.calls[0].result)
    return [f"made up the figure {n}" for n in re.findall(r"[\d.,]*\d", transcript.reply) if n not in found]


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
        budget=Budget(iterations=2, tool_calls=0),
    ),
    Case(
        "searches once more when the first search finds nothing",
        said="who won the cup last night?",
        stubs={"search": in_turn("no results", CUP)},
        order=["search", "search"],
        mentions=["Hull"],
        budget=Budget(iterations=3),
    ),
    Case(
        "says so when there is nothing to be found",
        said="is there any news about the ferry?",
        stubs={"search": "no results"},
        absent=True,
        budget=Budget(tool_calls=3),
    ),
    Case(
        "names the new mayor, every time",
        said="who was elected mayor on Thursday?",
        stubs={"search": MAYOR},
        mentions=["Anna Holt"],
        runs=3,
    ),
    Case(
        "finds the right article among others",
        said="what did Apple announce yesterday?",
        files={"apple.txt": LAPTOP, "leeds.txt": MAYOR, "oil.txt": OIL},
        order=["search"],
        mentions=[("laptop", "battery")],
    ),
    Case(
        "makes up no figures",
        said="what is the price of oil now?",
        stubs={"search": OIL},
        mentions=["71"],
        check=only_figures_from_the_article,
    ),
]


@Case("asks for what the question is about", said="did the Fed raise rates this week?", stubs={"search": "no results"})
def asks_for_it(transcript):
    """A check can also stand over its case, append to the failures, or answer False."""
    queries = [call.arguments["query"] for call in transcript.calls]
    if not any("fed" in query.lower() for query in queries):
        transcript.failures.append(f"never asked for the Fed; asked for {queries}")


SUITE = Suite(agent="agent.py", world=Archive, cases=[*CASES, asks_for_it])

if __name__ == "__main__":
    raise SystemExit(SUITE.run())
