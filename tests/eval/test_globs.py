"""Names that stand for several tools."""

from __future__ import annotations

from brute.eval.globs import is_known, meant, served, suits


def test_a_glob_suits_names_letter_by_letter() -> None:
    """Case counts, and a name that is no glob suits itself alone."""
    assert suits("mcp__mail__*", "mcp__mail__send")
    assert suits("mcp__*__send", "mcp__mail__send")
    assert suits("read_?", "read_a")
    assert not suits("read_?", "read_ab")
    assert suits("read_[ab]", "read_b")
    assert not suits("MCP__*", "mcp__mail")
    assert not suits("calendar.delete", "calendarxdelete")
    assert suits("*", "anything\nat all")
    assert suits("[", "[")


def test_a_name_of_its_own_comes_first_then_the_first_glob() -> None:
    """Whatever their order."""
    stubs = {"mail_*": 1, "mail_send": 2, "*": 3}
    assert [served(stubs, name) for name in ("mail_send", "mail_read", "web")] == [2, 1, 3]
    assert served({"a": 1}, "b", "none") == "none"
    assert meant(["a"], "b") is None


def test_a_glob_is_known_where_it_means_a_tool() -> None:
    """Another name where it is one."""
    assert is_known("mail_*", ["mail_send"])
    assert not is_known("mail_*", ["web"])
    assert not is_known("mail", ["mail_send"])
