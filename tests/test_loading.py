"""A file is executed afresh on every load: nothing carries from one to the next."""

from __future__ import annotations

import os
import sys
import textwrap
from pathlib import Path
from typing import Any

import pytest

import brute
from brute import Agent, UsageError, load_agent
from brute.loading import LoadError, load_file


def write(folder: Path, **files: str) -> Path:
    """Files in the folder; answers the path of the first."""
    for name, text in files.items():
        (folder / f"{name}.py").write_text(textwrap.dedent(text), encoding="utf-8")
    return folder / f"{next(iter(files))}.py"


AGENT = """
    import brute
    from brute.testing import Script

    count = []
    count.append(1)
    agent = brute.agent().run(Script(["hello"]))

    def other():
        return brute.agent().run(Script([f"other {len(count)}"]))

    class Maker:
        def make(self):
            return other()

    make = Maker().make
"""


@pytest.mark.parametrize(
    ("name", "reply"), [("", "hello"), (":agent", "hello"), (":other", "other 1"), (":make", "other 1")]
)
def test_an_agent_file_defines_an_agent_or_a_function_that_answers_one(tmp_path: Path, name: str, reply: str) -> None:
    """By the name `agent`, or by the one that is given."""
    path = write(tmp_path, agent=AGENT)
    for _ in range(2):
        made = load_agent(f"{path}{name}")
        assert isinstance(made, Agent)
        assert made.start("hi").reply == reply


def test_nothing_carries_from_one_load_to_the_next(tmp_path: Path) -> None:
    """Neither the file's own state nor that of the modules beside it. Seen in the original: both did."""
    path = write(
        tmp_path, agent="from beside_it import seen\nseen.append(1)\nagent = list(seen)", beside_it="seen = []"
    )
    assert [load_agent(path), load_agent(path)] == [[1], [1]]
    write(tmp_path, beside_it="seen = [7]\n")
    assert load_agent(path) == [7, 1]


def test_two_folders_may_hold_modules_of_one_name(tmp_path: Path) -> None:
    """Each file gets its own."""
    paths = []
    for name in ("one", "two"):
        folder = tmp_path / name
        folder.mkdir()
        paths.append(write(folder, agent="from shared_name import agent", shared_name=f"agent = {name!r}"))
    assert [load_agent(path) for path in (*paths, *paths)] == ["one", "two", "one", "two"]


def test_annotations_of_a_loaded_file_are_read_later(tmp_path: Path) -> None:
    """Also where they are texts, and name classes of the file."""
    path = write(
        tmp_path,
        agent="""
        from __future__ import annotations
        import dataclasses
        from brute import tool

        @dataclasses.dataclass
        class Filter:
            inner: Inner

        @dataclasses.dataclass
        class Inner:
            limit: int

        @tool
        def search(filter: Filter) -> str:
            '''Search.'''
            return str(filter.inner.limit)

        agent = search
        """,
    )
    for _ in range(2):
        made = load_agent(path)
        assert made.validated({"filter": {"inner": {"limit": "3"}}})["filter"].inner.limit == 3


def test_a_module_and_a_name_in_it() -> None:
    """As `package.module:name`."""
    assert load_agent("brute.agent:agent").start is not None


@pytest.mark.parametrize(
    ("text", "sentence"),
    [
        (None, "no such file: {path}"),
        ("agnt = 1", '{path} defines no "agent" (did you mean "agnt"?)'),
        ("def f(:\n", "{path}, line 1 is not Python: invalid syntax"),
        (
            "import sys\n\ndef inner():\n    raise KeyError('id')\n\ninner()\n",
            "{path} raised KeyError: 'id' ({path}:4 in inner)",
        ),
        (
            "import no_such_module_at_all\n",
            "{path} raised ModuleNotFoundError: No module named 'no_such_module_at_all' ({path}:1 in <module>)",
        ),
        (
            "raise SystemExit(0)",
            (
                "{path} ended the process (exit status 0) while it was loaded; "
                'put what is to run only as a script under if __name__ == "__main__":'
            ),
        ),
    ],
)
def test_a_file_that_can_not_be_loaded_is_refused(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, text: str | None, sentence: str
) -> None:
    """In one sentence, with the user's own frames; one that ends the program too: it would be green, and have run nothing."""
    monkeypatch.chdir(tmp_path)
    if text is not None:
        (tmp_path / "agent.py").write_text(text)
    with pytest.raises(UsageError) as caught:
        load_agent("agent.py")
    assert str(caught.value) == sentence.format(path="agent.py")


@pytest.mark.parametrize(
    ("target", "sentence"),
    [
        ("agent", "agent is no agent; write a file (agent.py, agent.py:name) or package.module:name"),
        ("no_such_package.module:agent", "no_such_package.module:agent: No module named 'no_such_package'"),
        ("brute.agent:agnt", 'brute.agent defines no "agnt" (did you mean "agent"?)'),
        (".", ". is no agent"),
        ("", "an agent is named by a file (agent.py, agent.py:name) or package.module:name, got ''"),
        (3, "an agent is named by a file (agent.py, agent.py:name) or package.module:name, got 3"),
        (b"agent.py", "an agent is named by a file (agent.py, agent.py:name) or package.module:name, got b'agent.py'"),
        (".:agent", ".:agent is no agent; write a file (agent.py, agent.py:name) or package.module:name"),
    ],
)
def test_a_target_that_names_nothing_is_refused(target: Any, sentence: str) -> None:
    """With what one can write."""
    with pytest.raises(UsageError) as caught:
        load_agent(target)
    assert str(caught.value).startswith(sentence)


def test_a_folder_is_no_file(tmp_path: Path) -> None:
    """Also where it is called like one."""
    (tmp_path / "agent.py").mkdir()
    with pytest.raises(UsageError, match="is a folder, not a Python file"):
        load_agent(tmp_path / "agent.py")


def test_a_factory_that_wants_something_is_refused(tmp_path: Path) -> None:
    """In one sentence."""
    path = write(tmp_path, agent="def agent(model):\n    return model\n")
    with pytest.raises(
        UsageError,
        match=r"agent of .*agent\.py can't be called without arguments: missing a required argument: 'model'",
    ):
        load_agent(path)


def test_an_error_of_ours_in_a_file_is_not_wrapped(tmp_path: Path) -> None:
    """It says already what is wrong."""
    path = write(tmp_path, agent="import brute\nagent = brute.agent().use(3)\n")
    with pytest.raises(UsageError, match=r"^a middleware is a class") as caught:
        load_agent(path)
    assert not isinstance(caught.value, LoadError)


def test_a_loaded_file_is_not_the_main_program(tmp_path: Path) -> None:
    """What stands under `if __name__ == "__main__"` does not run, and the path is the way it was."""
    path = write(tmp_path, agent='agent = __name__\nif __name__ == "__main__":\n    raise SystemExit(3)\n')
    before = sys.path[0]
    assert load_file(path).agent.endswith("_agent")
    assert sys.path[0] == before
    assert brute.load_agent(path) != brute.load_agent(path)


def test_what_the_program_itself_imported_stays_what_it_was(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A module that the program holds is not exchanged under it."""
    path = write(tmp_path, agent="import held_by_the_program as held\nagent = held", held_by_the_program="x = []")
    monkeypatch.syspath_prepend(str(tmp_path))
    import held_by_the_program as mine  # type: ignore[import-not-found]

    loaded: Any = load_agent(path)
    assert loaded is not mine
    assert sys.modules["held_by_the_program"] is mine
    del sys.modules["held_by_the_program"]


def test_an_import_that_a_function_makes_later_finds_its_own_neighbours(tmp_path: Path) -> None:
    """Two folders may hold modules of one name, imported whenever: each agent gets its own, and each load a new one."""
    made = []
    for name in ("a", "b"):
        folder = tmp_path / name
        folder.mkdir()
        (folder / "helper.py").write_text(
            f"from deeper import counted\nWHO = {name!r}\n\n\ndef who():\n    import last\n    return last.NAME\n"
        )
        (folder / "deeper.py").write_text("counted = []\n")
        (folder / "last.py").write_text(f"NAME = {name!r}\n")
        (folder / "agent.py").write_text(
            "def agent():\n    from helper import WHO, counted, who\n    counted.append(1)\n    return WHO, who(), len(counted)\n"
        )
        made += [load_file(folder / "agent.py"), load_file(folder / "agent.py")]
    a, again, b, other = made
    assert [each.agent() for each in (b, a, again, other, a)] == [
        ("b", "b", 1),
        ("a", "a", 1),
        ("a", "a", 1),
        ("b", "b", 1),
        ("a", "a", 2),
    ]


def test_neighbours_may_import_each_other_in_a_circle(tmp_path: Path) -> None:
    """As ordinary modules may, at load and later."""
    (tmp_path / "one.py").write_text("import two\n\n\ndef name():\n    return two.NAME\n")
    (tmp_path / "two.py").write_text(
        "import one\nNAME = 'two'\n\n\ndef name():\n    import one as again\n    return again.name()\n"
    )
    (tmp_path / "agent.py").write_text("import one, two\nassert one.two is two and two.one is one\nagent = two.name\n")
    assert load_file(tmp_path / "agent.py").agent() == "two"


@pytest.mark.skipif(sys.platform == "win32", reason="pipes in folders are POSIX's")
def test_a_pipe_is_no_file(tmp_path: Path) -> None:
    """Nobody may ever write to it, so it is not waited for."""
    os.mkfifo(tmp_path / "agent.py")
    with pytest.raises(UsageError, match=r"agent\.py is no regular file$"):
        load_agent(tmp_path / "agent.py")
