"""A news assistant on smolagents. OPENAI_BASE_URL names any OpenAI-compatible endpoint, NEWS_MODEL the model there."""

import os
import urllib.parse
import urllib.request

from smolagents import LogLevel, OpenAIServerModel, ToolCallingAgent, tool


@tool
def search(query: str) -> str:
    """Search the news of the last days.

    Args:
        query: what to look for
    """
    address = "https://news.example/search?" + urllib.parse.urlencode({"q": query})
    with urllib.request.urlopen(address, timeout=10) as page:
        return page.read().decode() or "no results"


def agent():
    """Build the agent: a run leaves its memory on it."""
    return ToolCallingAgent(
        tools=[search],
        model=OpenAIServerModel(os.environ.get("NEWS_MODEL", "gpt-5-mini")),
        instructions="You are a news assistant. Search for what happened lately, once more in other words if nothing is found; "
        "answer other questions from what you know. Answer in one sentence.",
        verbosity_level=LogLevel.OFF,
    )
