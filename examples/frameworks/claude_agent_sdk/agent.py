"""A news assistant on the Claude Agent SDK. ANTHROPIC_BASE_URL names any Anthropic-compatible endpoint, NEWS_MODEL the model there."""

import asyncio
import os
import urllib.parse
import urllib.request

from claude_agent_sdk import ClaudeAgentOptions, create_sdk_mcp_server, tool


def read(query: str) -> str:
    """Search the news of the last days."""
    address = "https://news.example/search?" + urllib.parse.urlencode({"q": query})
    with urllib.request.urlopen(address, timeout=10) as page:
        return page.read().decode() or "no results"


@tool("search", "Search the news of the last days.", {"query": str})
async def search(given: dict) -> dict:
    """Search them on a thread."""
    return {"content": [{"type": "text", "text": await asyncio.to_thread(read, given["query"])}]}


agent = ClaudeAgentOptions(
    model=os.environ.get("NEWS_MODEL", "claude-haiku-4-5"),
    system_prompt="You are a news assistant. Search for what happened lately, once more in other words if nothing is found; "
    "answer other questions from what you know. Answer in one sentence.",
    mcp_servers={"news": create_sdk_mcp_server("news", tools=[search])},
    allowed_tools=["mcp__news__search"],
    tools=[],  # none of the CLI's own
    setting_sources=[],
)
