"""A news assistant on pydantic-ai. OPENAI_BASE_URL names any OpenAI-compatible endpoint, NEWS_MODEL the model there."""

import os
import urllib.parse
import urllib.request

from pydantic_ai import Agent
from pydantic_ai.models.openai import OpenAIChatModel

agent = Agent(
    OpenAIChatModel(os.environ.get("NEWS_MODEL", "gpt-5-mini")),
    instructions="You are a news assistant. Search for what happened lately, once more in other words if nothing is found; "
    "answer other questions from what you know. Answer in one sentence.",
)


@agent.tool_plain
def search(query: str) -> str:
    """Search the news of the last days."""
    address = "https://news.example/search?" + urllib.parse.urlencode({"q": query})
    with urllib.request.urlopen(address, timeout=10) as page:
        return page.read().decode() or "no results"
