"""What a compiled graph is made of: graphs inside it, tools, and the tools that stand for its structured output."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from langchain_core.tools import BaseTool
from langgraph.prebuilt import ToolNode
from langgraph.pregel import Pregel

from ..reaching import named, reached


def graphs(graph: Any) -> list[Any]:
    """The graph, those that are its nodes, and those that its nodes' and tools' functions name."""
    found = reached(graph, Pregel, _functions)
    for each in found:
        found += [
            inner
            for node in each.nodes.values()
            if isinstance(node.bound, Pregel)
            for inner in graphs(node.bound)
            if not any(inner is known for known in found)
        ]
    return found


def tools(graphs: list[Any]) -> list[BaseTool]:
    """The tools of the graphs' tool nodes, those that the functions of other nodes name, and those that the tools' own do."""
    found: dict[int, BaseTool] = {}
    for graph in graphs:
        for node in _nodes(graph):
            own = node.tools_by_name.values() if isinstance(node, ToolNode) else _tools_named(node)
            found |= {id(tool): tool for tool in own}
    waiting = list(found.values())
    while waiting:
        beside = {id(tool): tool for tool in _held(waiting.pop(0))}
        waiting += [tool for each, tool in beside.items() if each not in found]
        found |= beside
    return list(found.values())


def bound(graphs: list[Any]) -> bool:
    """Whether all tools of the first graph are known: it has a tool node, or nothing in it names a model that may have some."""
    return any(isinstance(node, ToolNode) for node in _nodes(graphs[0]))


def outputs(graphs: list[Any]) -> set[str]:
    """The names of the tools that are no tools but the form of the output: the framework's model node keeps them in its closure."""
    found: set[str] = set()
    for graph in graphs:
        for node in _nodes(graph):
            for function in (getattr(node, "func", None), getattr(node, "afunc", None)):
                found |= set(_enclosed(function, "structured_output_tools"))
    return found


def _enclosed(function: Any, name: str, depth: int = 3) -> Any:
    """What a function, or one that it encloses, has under this name; nothing where there is none."""
    code = getattr(function, "__code__", None)
    if code is None or not str(getattr(function, "__module__", "")).startswith("langchain."):
        return ()
    for free, cell in zip(code.co_freevars, function.__closure__ or (), strict=True):
        if free == name:
            return cell.cell_contents
        found = _enclosed(cell.cell_contents, name, depth - 1) if depth else ()
        if found:
            return found
    return ()


def _nodes(graph: Any) -> Iterator[Any]:
    """The runnables that the graph's nodes are, each part of a sequence on its own."""
    for node in graph.nodes.values():
        yield from getattr(node.bound, "steps", None) or [node.bound]


def _functions(graph: Any) -> Iterator[Any]:
    for node in _nodes(graph):
        if isinstance(node, ToolNode):
            for tool in node.tools_by_name.values():
                yield _body(tool)
        else:
            yield from _callables(node)


def _callables(node: Any) -> Iterator[Any]:
    for function in (getattr(node, "func", None), getattr(node, "afunc", None)):
        # What the framework's own nodes name is the framework's.
        if function is not None and not str(getattr(function, "__module__", "")).startswith(
            ("langchain.", "langgraph.")
        ):
            yield function


def _tools_named(node: Any) -> Iterator[BaseTool]:
    for function in _callables(node):
        yield from _tools_of(function)


def _body(tool: Any) -> Any:
    return getattr(tool, "coroutine", None) or getattr(tool, "func", None) or tool._run


def _held(tool: Any) -> Iterator[BaseTool]:
    body = _body(tool)
    if not str(getattr(body, "__module__", "")).startswith(("langchain.", "langgraph.")):
        yield from _tools_of(body)


def _tools_of(function: Any) -> Iterator[BaseTool]:
    """The tools that a function names, by themselves or in a list or dict."""
    for thing in named(function):
        held = thing.values() if isinstance(thing, dict) else thing if isinstance(thing, (list, tuple)) else [thing]
        yield from (each for each in held if isinstance(each, BaseTool))
