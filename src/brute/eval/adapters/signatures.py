"""What Python would say of a call with the wrong arguments, found out without making it."""

from __future__ import annotations

import functools
import inspect
from collections.abc import Callable
from typing import Any


def unfit(function: Callable[..., Any], arguments: dict[str, Any]) -> TypeError | None:
    """The error with which the function would refuse these arguments, in Python's own words; None where it takes them.

    >>> def search(query): pass
    >>> str(unfit(search, {"wrong": 1}))
    "search() got an unexpected keyword argument 'wrong'"
    >>> unfit(search, {"query": "rates"})
    """
    try:
        shell = _shell(getattr(function, "__func__", function), hasattr(function, "__func__"))
    except TypeError:  # it can't be hashed
        return None
    if shell is None:
        return None
    try:
        shell(**arguments)
    except TypeError as error:
        return TypeError(*error.args)
    return None


@functools.lru_cache(maxsize=1024)
def _shell(function: Any, bound: bool) -> Any:
    """A function with the same name and parameters that does nothing; None for what is no function of Python's own."""
    if not inspect.isfunction(function):
        return None
    parameters = list(inspect.signature(function, follow_wrapped=False).parameters.values())[bound:]
    plain = [
        each.replace(annotation=each.empty, default=each.empty if each.default is each.empty else None)
        for each in parameters
    ]
    made: dict[str, Any] = {}
    exec(f"def shell{inspect.Signature(plain)}: pass", made)
    shell = made["shell"]
    shell.__name__, shell.__qualname__ = function.__name__, function.__qualname__
    return shell
