"""The door to a loaded model, with a stand-in for llama.cpp behind it."""

from __future__ import annotations

import threading
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from brute import ModelError
from brute.completion import engine
from brute.completion.engine import Engine, Options, Request
from tests.support.gguf import model

Take = Callable[[dict[str, Any]], bool]


class Server:
    """What llama.cpp's server looks like from here: it hands out pieces until it is told to stop."""

    def __init__(self, pieces: int = 2) -> None:
        self.pieces = pieces
        self.asked: list[tuple[str, dict[str, Any]]] = []
        self.begun = threading.Semaphore(0)
        self.go_on = threading.Semaphore(0)

    def handle_completions(self, body: dict[str, Any], take: Take) -> None:
        """Hand out the pieces at once."""
        self.asked.append(("text", body))
        any(take({"n": number}) for number in range(self.pieces))

    def handle_chat_completions(self, body: dict[str, Any], take: Take) -> None:
        """Hand out a piece whenever the test lets it."""
        self.asked.append(("chat", body))
        self.begun.release()
        self.go_on.acquire()
        while not take({}):
            self.go_on.acquire()


class Waiting:
    """A request that is under way on a thread of its own."""

    def __init__(self, engine: Engine) -> None:
        self.request = Request()
        self.thread = threading.Thread(target=engine.ask, args=(self.request, {}), kwargs={"chat": True})
        self.thread.start()


def test_a_request_is_streamed_and_answered_whole() -> None:
    """Only a streamed request can be stopped, so all are; the usage is asked for."""
    server = Server()
    assert Engine(server, 1).ask(Request(), {"prompt": "a"}) == [{"n": 0}, {"n": 1}]
    body = {"prompt": "a", "stream": True, "stream_options": {"include_usage": True}}
    assert server.asked == [("text", body)]


def test_a_stopped_request_ends_at_its_next_piece() -> None:
    """Cancelled, it doesn't keep the model busy."""
    server = Server()
    one = Waiting(Engine(server, 1))
    server.begun.acquire()
    one.request.stopped = True
    server.go_on.release()
    one.thread.join()
    assert len(one.request.pieces) == 1


def test_no_more_are_under_way_than_there_are_slots() -> None:
    """The next one begins when a slot is free; one that was stopped before that never reaches the model."""
    server = Server()
    engine = Engine(server, 2)
    first, second, third = Waiting(engine), Waiting(engine), Waiting(engine)
    server.begun.acquire()
    server.begun.acquire()
    assert len(server.asked) == 2
    for one in (first, second, third):
        one.request.stopped = True
    for one in (first, second, third):
        server.go_on.release()
    for one in (first, second, third):
        one.thread.join()
    assert len(server.asked) == 2


def test_closing_stops_what_is_under_way_and_takes_no_more() -> None:
    """The model is let go only when nobody waits for it any longer."""
    server = Server()
    engine = Engine(server, 1)
    one = Waiting(engine)
    server.begun.acquire()
    closing = threading.Thread(target=engine.close)
    closing.start()
    server.go_on.release()
    while not one.request.stopped:
        server.go_on.release()
    one.thread.join()
    closing.join()
    assert engine._server is None
    with pytest.raises(ModelError, match="shutting down"):
        engine.ask(Request(), {})


def test_closing_gives_up_on_a_request_that_does_not_end() -> None:
    """An exit is never held up for longer than was said; the model is left as it is."""
    server = Server()
    engine = Engine(server, 1)
    one = Waiting(engine)
    server.begun.acquire()
    engine.close(patience=0)
    assert engine._server is server
    server.go_on.release()
    one.thread.join()


def options(path: Path, **changes: Any) -> Options:
    """How a model is loaded."""
    usual: dict[str, Any] = {"context": 64, "slots": 1, "threads": 1, "cpu": True, "exact": False}
    return Options(path=path, **{**usual, **changes})


def test_a_damaged_model_is_one_sentence(tmp_path: Path) -> None:
    """It has the header of a model, and nothing behind it."""
    pytest.importorskip("xllamacpp")
    path = model(tmp_path / "m.gguf", "{{ messages }}")
    with pytest.raises(ModelError, match=r"^llama.cpp could not load .*m\.gguf: the file is damaged, of a kind that"):
        engine.shared(options(path))
    assert not any(key[1].path == path for key in engine._engines)


def test_how_a_model_is_loaded(tmp_path: Path) -> None:
    """Silent, with nothing that depends on the machine, and with a listener that nobody can find."""
    llama = pytest.importorskip("xllamacpp")
    made = engine._parameters(llama.CommonParams(), options(tmp_path / "m", slots=3, threads=2), tmp_path)
    assert (made.n_ctx, made.n_parallel, made.cpuparams.n_threads) == (192, 3, 2)
    assert (made.verbosity, made.fit_params, made.n_gpu_layers, made.flash_attn_type) == (-1, False, 0, 0)
    assert made.hostnames == [str(tmp_path / "s.sock")] or made.hostnames == ["127.0.0.1"]
    assert len(made.api_keys[0]) == 32


def test_threads_are_those_that_this_process_may_use() -> None:
    """At least one, and no more than asked for."""
    assert engine.threads_here(1) == 1
    assert 1 <= engine.threads_here() <= 4
