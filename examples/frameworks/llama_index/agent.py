"""A news assistant on LlamaIndex. OPENAI_BASE_URL names any OpenAI-compatible endpoint, NEWS_MODEL the model there."""

import os
import urllib.parse
import urllib.request

from llama_index.core.agent.workflow import FunctionAgent
from llama_index.llms.openai_like import OpenAILike


def search(query: str) -> str:
    """Search the news of the last days."""
    address = "https://news.example/search?" + urllib.parse.urlencode({"q": query})
    with urllib.request.urlopen(address, timeout=10) as page:
        return page.read().decode() or "no results"


agent = FunctionAgent(
    name="news",
    llm=OpenAILike(
        model=os.environ.get("NEWS_MODEL", "gpt-5-mini"),
        api_base=os.environ.get("OPENAI_BASE_URL", "https://api.openai.com/v1"),
        api_key=os.environ.get("OPENAI_API_KEY"),
        is_chat_model=True,
        is_function_calling_model=True,
    ),
    system_prompt="You are a news assistant. Search for what happened lately, once more in other words if nothing is found; "
    "answer other questions from what you know. Answer in one sentence.",
    tools=[search],
    streaming=False,  # so that it is told what was used
)
