"""The tests talk to nobody: a socket to anywhere but this machine is refused."""

from __future__ import annotations

import ipaddress
import signal
import socket
from typing import Any

import pytest

from brute.completion import embedded
from brute.eval import places

# Whoever starts the tests in the background of a shell has them ignore Ctrl-C, and so everything that they start.
if signal.getsignal(signal.SIGINT) is signal.SIG_IGN:
    signal.signal(signal.SIGINT, signal.default_int_handler)

_connect = socket.socket.connect
_connect_ex = socket.socket.connect_ex


class Offline(RuntimeError):
    """A test that reached for the network."""


def _local(address: Any) -> bool:
    if not isinstance(address, tuple):  # a Unix socket
        return True
    try:
        return ipaddress.ip_address(address[0]).is_loopback
    except ValueError:
        return address[0] in ("localhost", "")


@pytest.fixture(autouse=True)
def _offline(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> None:
    """Refuse what leaves this machine; tests of the real embedded model may fetch it."""
    if request.node.get_closest_marker("model"):
        return

    def connect(self: socket.socket, address: Any) -> None:
        if not _local(address):
            raise Offline(f"a test reached for {address!r}")
        _connect(self, address)

    def connect_ex(self: socket.socket, address: Any) -> int:
        if not _local(address):
            raise Offline(f"a test reached for {address!r}")
        return _connect_ex(self, address)

    monkeypatch.setattr(socket.socket, "connect", connect)
    monkeypatch.setattr(socket.socket, "connect_ex", connect_ex)


@pytest.fixture(autouse=True)
def _log_elsewhere(tmp_path_factory: pytest.TempPathFactory, monkeypatch: pytest.MonkeyPatch) -> None:
    """The runs of the tests are logged, and not in the folder that the tests are run from."""
    monkeypatch.setattr(places, "LOG", str(tmp_path_factory.getbasetemp() / "runs.db"))


@pytest.fixture(autouse=True)
def _unhurried(monkeypatch: pytest.MonkeyPatch) -> None:
    """No report remarks that this machine was busy; tests of that remark set their own limit."""
    monkeypatch.setattr("brute.eval.lag.NOTED", 60.0)


@pytest.fixture(autouse=True)
def _nothing_to_fetch_yet(monkeypatch: pytest.MonkeyPatch) -> None:
    """A test does not fetch the model that another one named, nor say so on its standard error."""
    monkeypatch.setattr(embedded, "_asked_for", set())
