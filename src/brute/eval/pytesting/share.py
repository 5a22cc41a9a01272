"""Which items' attempts are made together: all that pytest selected, or a worker's share of them under xdist."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

import pytest
from _pytest.skipping import evaluate_skip_marks, evaluate_xfail_marks

from .collecting import EvalItem


def share(item: EvalItem) -> list[EvalItem]:
    """The item, and the others whose attempts are made with it: those that this process will set up, as far as it knows."""
    ahead = _all(item) if worker(item.config) is None else _queued(item)
    return [each for each in ahead if isinstance(each, EvalItem) and (each is item or not skipped(each))]


def skipped(item: pytest.Item) -> bool:
    """Whether pytest will not run the item because of its marks; one whose condition is broken is left to pytest to refuse."""
    try:
        xfail = evaluate_xfail_marks(item)
        return evaluate_skip_marks(item) is not None or (
            xfail is not None and not xfail.run and not item.config.option.runxfail
        )
    except (Exception, pytest.fail.Exception):
        return True


def may_fail(item: pytest.Item) -> bool:
    """Whether a failure of the item is expected, and counts for none of `-x`."""
    return not item.config.option.runxfail and evaluate_xfail_marks(item) is not None


def worker(config: pytest.Config) -> Mapping[str, Any] | None:
    """What xdist tells its worker, where this process is one."""
    return getattr(config, "workerinput", None)


def dist(config: pytest.Config) -> str:
    """How xdist distributes items over its workers."""
    return str(config.getoption("dist", "no"))


def width(config: pytest.Config, wanted: int) -> int:
    """How many attempts at a time are this process's share of those that are wanted at a time in all."""
    told = worker(config)
    return wanted if told is None else max(1, wanted // int(told["workercount"]))


def _all(item: EvalItem) -> Iterator[pytest.Item]:
    """From the item on: what a plugin put before it meanwhile was asked for already."""
    items = item.session.items
    return iter(items[items.index(item) :] if item in items else [item])


def _queued(item: EvalItem) -> Iterator[pytest.Item]:
    """What the worker was sent to run by now. Another may steal what is in its queue, where that is allowed."""
    yield item
    told = worker(item.config) or {}
    plugins = item.config.pluginmanager.get_plugins()
    xdist = next((each for each in plugins if type(each).__name__ == "WorkerInteractor"), None)
    queue = getattr(xdist, "torun", None)
    if xdist is None or queue is None:
        return
    with queue.lock() as waiting:
        indices = [xdist.nextitem_index, *(() if told.get("brute_dist") == "worksteal" else waiting)]
    for index in indices:
        if isinstance(index, int) and item.session.items[index] is not item:
            yield item.session.items[index]
