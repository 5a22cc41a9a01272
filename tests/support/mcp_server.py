"""A stdio MCP server with one tool, `search`, in nothing but Python: it notes each run of the tool in the file that it is given."""

from __future__ import annotations

import json
import sys
from typing import Any

TOOL = {
    "name": "search",
    "description": "Search the news.",
    "inputSchema": {"type": "object", "properties": {"query": {"type": "string"}}, "required": ["query"]},
}


def answer(request: dict[str, Any]) -> Any:
    """The result of a request; None where there is no such method."""
    method, given = request["method"], request.get("params") or {}
    if method == "initialize":
        return {
            "protocolVersion": given["protocolVersion"],
            "capabilities": {"tools": {}},
            "serverInfo": {"name": "news", "version": "1"},
        }
    if method == "ping":
        return {}
    if method == "tools/list":
        return {"tools": [TOOL]}
    if method == "tools/call":
        query = given["arguments"].get("query")
        with open(sys.argv[1], "a") as file:
            file.write(f"{query}\n")
        return {"content": [{"type": "text", "text": f"live {query}"}]}
    return None


def main() -> None:
    """Answer line by line until the input ends."""
    for line in sys.stdin:
        request = json.loads(line)
        if "id" not in request:
            continue
        result = answer(request)
        said = {"error": {"code": -32601, "message": "no such method"}} if result is None else {"result": result}
        print(json.dumps({"jsonrpc": "2.0", "id": request["id"], **said}), flush=True)


if __name__ == "__main__":
    main()
