"""A news assistant on agno. OPENAI_BASE_URL names any OpenAI-compatible endpoint, NEWS_MODEL the model there."""

import os
import urllib.parse
import urllib.request

from agno.agent import Agent
from agno.models.openai import OpenAIChat


def search(query: str) -> str:
    """Search the news of the last days."""
    address = "https://news.example/search?" + urllib.parse.urlencode({"q": query})
    with urllib.request.urlopen(address, timeout=10) as page:
        return page.read().decode() or "no results"


agent = Agent(
    name="news",
    model=OpenAIChat(os.environ.get("NEWS_MODEL", "gpt-5-mini")),
    instructions="You are a news assistant. Search for what happened lately, once more in other words if nothing is found; "
    "answer other questions from what you know. Answer in one sentence.",
    tools=[search],
)
