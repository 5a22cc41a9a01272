"""What a model's provider runs by itself is known beforehand."""

from __future__ import annotations

from brute.completion import hosting


def test_the_tools_that_settings_have_the_provider_run_are_known() -> None:
    """No hook hears of them; functions are the agent's to run, whoever names them."""
    function = {"type": "function", "function": {"name": "f"}}
    body = {
        "tools": [function, {"type": "web_search_20250305", "name": "web_search"}, 3],
        "mcp_servers": [{"url": "x"}],
    }
    assert hosting.hosted({"extra_body": body, "temperature": 0}) == ("web_search", "mcp_servers", "*")
    assert hosting.hosted({"openai_native_tools": [{"type": "file_search"}], "openai_builtin_tools": None}) == (
        "file_search",
    )
    assert hosting.hosted({"extra_body": "x"}) == ()
    # A server's own tools may have any name.
    server = {"type": "mcp", "server_label": "github", "name": "hub"}
    assert hosting.hosted({"openai_native_tools": [server]}) == ("mcp", "*")
    # As Gemini has them, the name is the key.
    own = [
        {"google_search": {}, "codeExecution": {}},
        {"functionDeclarations": [{"name": "f"}]},
        {"name": "g", "input_schema": {}},
    ]
    assert hosting.hosted({"extra_body": {"tools": own}}) == ("google_search", "codeExecution")
