"""A news assistant on DSPy. OPENAI_BASE_URL names any OpenAI-compatible endpoint, NEWS_MODEL the model there."""

import os
import urllib.parse
import urllib.request

import dspy


def search(query: str) -> str:
    """Search the news of the last days."""
    address = "https://news.example/search?" + urllib.parse.urlencode({"q": query})
    with urllib.request.urlopen(address, timeout=10) as page:
        return page.read().decode() or "no results"


class News(dspy.Signature):
    """You are a news assistant. Search for what happened lately, once more in other words if nothing is found;
    answer other questions from what you know. Answer in one sentence.
    """

    question: str = dspy.InputField()
    answer: str = dspy.OutputField()


model = dspy.LM(
    "openai/" + os.environ.get("NEWS_MODEL", "gpt-5-mini"), api_base=os.environ.get("OPENAI_BASE_URL"), cache=False
)
agent = dspy.ReAct(News, tools=[search], max_iters=2)
agent.set_lm(model)
