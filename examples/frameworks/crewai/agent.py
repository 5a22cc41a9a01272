"""A news assistant on CrewAI. OPENAI_BASE_URL names any OpenAI-compatible endpoint, NEWS_MODEL the model there."""

import os
import urllib.parse
import urllib.request

from crewai import LLM, Agent
from crewai.tools import tool


@tool("search")
def search(query: str) -> str:
    """Search the news of the last days."""
    address = "https://news.example/search?" + urllib.parse.urlencode({"q": query})
    with urllib.request.urlopen(address, timeout=10) as page:
        return page.read().decode() or "no results"


def agent() -> Agent:
    """Build the agent, on which a run leaves something behind."""
    return Agent(
        role="news",
        goal="Answer the question in one sentence.",
        backstory="You are a news assistant. You search for what happened lately, once more in other words if nothing is "
        "found; you answer other questions from what you know.",
        llm=LLM(
            model=os.environ.get("NEWS_MODEL", "gpt-5-mini"),
            provider="openai",
            base_url=os.environ.get("OPENAI_BASE_URL"),
        ),
        tools=[search],
    )
