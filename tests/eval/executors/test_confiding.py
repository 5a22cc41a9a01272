"""What a process tells the run of the credentials that it has come to know."""

from __future__ import annotations

import json
import os
import socket
from collections.abc import Iterator

import pytest

from brute.eval.executors.confiding import SECRETS, Confidant, heard
from brute.eval.executors.frames import Frames
from brute.eval.masking import masked


@pytest.fixture
def channel() -> Iterator[tuple[socket.socket, socket.socket]]:
    """Both ends of one."""
    ours, theirs = socket.socketpair()
    with ours, theirs:
        yield ours, theirs


def came(channel: socket.socket) -> list[tuple[bytes, object]]:
    """The frames that have come in, without what was known before a test."""
    return [(kind, json.loads(body or b"null")) for kind, body in Frames().fed(channel.recv(1 << 20))]


def test_a_credential_is_told_before_the_frame_that_it_may_stand_in(
    channel: tuple[socket.socket, socket.socket], monkeypatch: pytest.MonkeyPatch
) -> None:
    """Once, and only what is new."""
    ours, theirs = channel
    confidant = Confidant(theirs)
    confidant.send(b"a")
    assert came(ours)[-1] == (b"a", None)
    monkeypatch.setenv("FRESH_API_KEY", "confided-1-0a1b2c")
    confidant.send(b"g", {"said": "confided-1-0a1b2c"})
    confidant.send(b"d")
    assert came(ours) == [
        (SECRETS, {"confided-1-0a1b2c": "FRESH_API_KEY"}),
        (b"g", {"said": "confided-1-0a1b2c"}),
        (b"d", None),
    ]


def test_one_that_is_set_is_told_at_once(
    channel: tuple[socket.socket, socket.socket], monkeypatch: pytest.MonkeyPatch
) -> None:
    """Nothing more may come: the process prints it and ends. What is no credential is not told."""
    ours, theirs = channel
    monkeypatch.setattr(os, "putenv", os.putenv)
    Confidant(theirs).listen()
    os.environ["SET_API_KEY"] = "confided-2-0a1b2c"
    os.environ["SET_HOME"] = "confided-3-0a1b2c"
    del os.environ["SET_API_KEY"], os.environ["SET_HOME"]
    assert came(ours) == [(SECRETS, {"confided-2-0a1b2c": "SET_API_KEY"})]


def test_what_was_told_is_masked(channel: tuple[socket.socket, socket.socket]) -> None:
    """Though it stands in no variable of this process; what is no such thing is passed over."""
    heard(json.dumps({"confided-4-0a1b2c": "THEIR_KEY", "confided-5-0a1b2c": 5}).encode())
    heard(b"[]")
    assert masked("confided-4-0a1b2c confided-5-0a1b2c") == "***THEIR_KEY*** confided-5-0a1b2c"
