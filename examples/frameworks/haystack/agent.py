"""A news assistant on Haystack. OPENAI_BASE_URL names any OpenAI-compatible endpoint, NEWS_MODEL the model there."""

import os
import urllib.parse
import urllib.request
from typing import Annotated

from haystack.components.agents import Agent
from haystack.components.generators.chat import OpenAIChatGenerator
from haystack.tools import tool


@tool
def search(query: Annotated[str, "what to look for"]) -> str:
    """Search the news of the last days."""
    address = "https://news.example/search?" + urllib.parse.urlencode({"q": query})
    with urllib.request.urlopen(address, timeout=10) as page:
        return page.read().decode() or "no results"


agent = Agent(
    chat_generator=OpenAIChatGenerator(
        model=os.environ.get("NEWS_MODEL", "gpt-5-mini"), api_base_url=os.environ.get("OPENAI_BASE_URL")
    ),
    system_prompt="You are a news assistant. Search for what happened lately, once more in other words if nothing is found; "
    "answer other questions from what you know. Answer in one sentence.",
    tools=[search],
)
