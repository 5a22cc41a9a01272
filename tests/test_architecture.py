"""The house keeps its layers, its sizes, and its lightness."""

from __future__ import annotations

import ast
import json
import re
import subprocess
import sys
import textwrap
from collections.abc import Iterator
from pathlib import Path

import pytest

SRC = Path(__file__).parents[1] / "src"
FILES = sorted((SRC / "brute").rglob("*.py"))
MODULES = {".".join(path.relative_to(SRC).with_suffix("").parts).removesuffix(".__init__"): path for path in FILES}

RUNTIME, VALUES, JUDGEMENT, EFFECTS, LEAVES, CONDUCTOR, DOORS = range(7)
"""A lower line never imports a higher one."""

LAYERS = {
    VALUES: "answers arguments attempt budget case casecheck contradictions filepaths jsonable report transcript verdict wishcheck",
    JUDGEMENT: "absence afterall denials denialwords denied edges grading lacks leaning matching negations reasons remarks searching showing spending spoken stopwording tags unmade unreached wording words",
    EFFECTS: "bounding building callbook caps checking children collecting copying daemons defaults ending factories faults frozen guarding lag leaving limits observer retries runner "
    "signals sparing stepping stubs subject threads tls trouble "
    "underway unhooked world stages",
    LEAVES: "adapters executors reporters",
    CONDUCTOR: "abreast isolated running scripts suite suitecheck",
    DOORS: "cli pytesting view",
}
# The run log, and what is read from it.
LAYERS[VALUES] += (
    " judgement spent callwishes casefiles faulty rules globs likeness masking places schemawish steps wishes"
)
LAYERS[JUDGEMENT] += (
    " judgewording escapes calling callwording checkwording counting countwording nearness ordering outcomes proposing rulewording sharding"
)
LAYERS[EFFECTS] += (
    " beyond fingerprint importable keeping keying logcases logchanges logearlier logpart logreading logrows logschema logslices logtally logvalues logwriter merging named owning provenance regrading"
    " resuming ruling runlog sealing sources stored"
)
# Agents of other frameworks.
LAYERS[EFFECTS] += " judging cassettes asked bridging claims foreign frameworks known reaching trace versions whose"

OPEN = {"brute.eval.matching", "brute.eval.words"}
"""The rules of what agrees with what import nothing of ours, and so are open to every line: a transcript answers
`called("search", query=...)` by them, and a case refuses a wish that nothing could meet."""

ALLOWED = {
    # The program is a door, though it stands in the runtime.
    ("brute.__main__", "brute.eval.cli"),
}


def layer(module: str) -> int:
    """The line that a module stands on."""
    parts = module.split(".")
    if parts[:2] != ["brute", "eval"]:
        return RUNTIME
    if len(parts) == 2:
        return DOORS
    for line, names in LAYERS.items():
        if parts[2] in names.split():
            return line
    raise AssertionError(f"{module} stands on no line; add it to LAYERS in {Path(__file__).name}")


def imports(module: str) -> Iterator[str]:
    """The modules of ours that a module imports, functions' own imports included; those for types alone are left out."""
    path = MODULES[module]
    package = module if path.name == "__init__.py" else module.rpartition(".")[0]
    for node in _walk(ast.parse(path.read_text())):
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names if alias.name.split(".")[0] == "brute")
        elif isinstance(node, ast.ImportFrom):
            above = package.split(".")[: len(package.split(".")) - node.level + 1] if node.level else []
            base = ".".join([*above, *([node.module] if node.module else [])])
            if base.split(".")[0] == "brute":
                yield from (
                    f"{base}.{alias.name}" if f"{base}.{alias.name}" in MODULES else base for alias in node.names
                )


def _walk(tree: ast.AST) -> Iterator[ast.AST]:
    for node in ast.iter_child_nodes(tree):
        if isinstance(node, ast.If) and ast.unparse(node.test) == "TYPE_CHECKING":
            continue
        yield node
        yield from _walk(node)


@pytest.mark.parametrize("module", MODULES)
def test_a_lower_line_never_imports_a_higher_one(module: str) -> None:
    """And the runtime never imports the harness."""
    for other in imports(module):
        if (module, other) in ALLOWED or other == module or other in OPEN:
            continue
        assert layer(other) <= layer(module), f"{module} imports {other}, which stands above it"


@pytest.mark.parametrize(
    "module",
    [module for module in MODULES if module.split(".")[2:3] and module.split(".")[2] in LAYERS[LEAVES].split()],
)
def test_leaves_never_import_each_other(module: str) -> None:
    """An adapter knows no reporter, and one adapter no other."""
    for other in imports(module):
        if layer(other) == LEAVES:
            assert other.split(".")[2] == module.split(".")[2], f"{module} imports {other}"


@pytest.mark.parametrize("path", FILES, ids=lambda path: str(path.relative_to(SRC)))
def test_modules_and_functions_stay_small(path: Path) -> None:
    """No module over 250 lines, no function over 60."""
    text = path.read_text()
    lines = len(text.splitlines())
    assert lines <= 250, f"{path} has {lines} lines; split it by what its parts do"
    for node in ast.walk(ast.parse(text)):
        if isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef)):
            length = (node.end_lineno or 0) - node.lineno + 1
            assert length <= 60, f"{path}:{node.lineno} {node.name} has {length} lines"


@pytest.mark.parametrize("path", FILES, ids=lambda path: str(path.relative_to(SRC)))
def test_every_module_says_what_it_is(path: Path) -> None:
    """In a docstring whose first line is a sentence."""
    assert (ast.get_docstring(ast.parse(path.read_text())) or "").splitlines()[:1] != []


FRAMEWORKS = {
    "pydantic_ai",
    "agents",
    "langchain_core",
    "langgraph",
    "google",
    "strands",
    "agent_framework",
    "claude_agent_sdk",
    "haystack",
    "smolagents",
    "agno",
    "haystack",
    "llama_index",
    "crewai",
    "dspy",
    "agno",
    "llama_index",
}
"""The packages of the frameworks that there are adapters for; no environment has them all."""

IMPORTS = """
import importlib, json, sys
found = {}
for name in sys.argv[1:]:
    for loaded in [loaded for loaded in sys.modules if loaded.split(".")[0] == "brute"]:
        del sys.modules[loaded]
    try:
        importlib.import_module(name)
    except Exception as error:
        found[name] = f"{type(error).__name__}: {error}"
print(json.dumps(found))
"""


def run(code: str, *arguments: str) -> object:
    """What the code prints, as JSON, in a process where warnings are errors."""
    command = [sys.executable, "-W", "error", "-c", textwrap.dedent(code), *arguments]
    done = subprocess.run(command, capture_output=True, text=True, timeout=300, check=True)
    assert done.stderr == ""
    return json.loads(done.stdout)


def test_every_module_can_be_imported_alone() -> None:
    """Whichever comes first, and without a warning; an adapter for want of nothing but its framework."""
    found = run(IMPORTS, *[module for module in MODULES if module != "brute.__main__"])
    assert isinstance(found, dict)
    for module, told in found.items():
        assert module.startswith("brute.eval.adapters."), (module, told)
        assert re.fullmatch(rf"ModuleNotFoundError: No module named '({'|'.join(FRAMEWORKS)})[\w.]*'", told), (
            module,
            told,
        )


@pytest.mark.parametrize("module", ["brute", "brute.eval", "brute.eval.cli", "brute.testing", "brute.middleware"])
def test_what_everyone_imports_pulls_in_nothing_heavy(module: str) -> None:
    """No framework, no provider's client, no pydantic, no rich; asyncio is imported by the first turn."""
    light = {"click"} if module == "brute.eval.cli" else set()
    code = """
        import importlib, json, sys
        importlib.import_module(sys.argv[1])
        print(json.dumps(sorted({name.split(".")[0] for name in sys.modules})))
    """
    loaded = run(code, module)
    assert isinstance(loaded, list)
    heavy = {
        "asyncio",
        "anyio",
        "pydantic",
        "rich",
        "ssl",
        "click",
        "httpx",
        "openai",
        "anthropic",
        "google",
        "pydantic_ai",
    }
    heavy |= FRAMEWORKS
    heavy |= {"genai_prices", "xllamacpp", "hypothesis", "pytest", "numpy"}
    assert set(loaded) & (heavy - light) == set()


EVAL = """
import brute
from brute.eval import Case


def AGENT():
    return brute.agent().run(lambda env: "hello")


CASES = [Case("greets", said="hi", mentions=["hello"])]
"""


@pytest.mark.parametrize("words", [["--help"], ["eval", "--help"], ["eval", "FILE", "--log", "none"]], ids=" ".join)
def test_the_command_reads_no_file_of_cases_where_there_is_none(words: list[str], tmp_path: Path) -> None:
    """Nor does it load the pytest plugin, or what reads YAML."""
    code = """
        import contextlib, io, json, sys
        from brute.eval import *
        from brute.eval.cli import main
        sys.argv[:] = ["brute", *sys.argv[1:]]
        told = io.StringIO()
        with contextlib.redirect_stdout(told), contextlib.suppress(SystemExit):
            main()
        print(json.dumps([told.getvalue(), sorted(sys.modules)]))
    """
    (tmp_path / "eval_x.py").write_text(EVAL)
    given = [str(tmp_path / "eval_x.py") if word == "FILE" else word for word in words]
    told, loaded = run(code, *given)  # type: ignore[misc]
    assert ("1 of 1 case passed" if "FILE" in words else "Usage: brute") in told
    ours = [name for name in loaded if name.startswith(("brute.eval.casefiles.", "brute.eval.pytesting"))]
    assert ours + sorted({"yaml", "jsonschema", "pytest", "_pytest", "_brute_pytest"} & set(loaded)) == []


def test_every_test_that_the_index_names_is_there() -> None:
    """The list of what was seen in the original, in tests/README.md."""
    here = Path(__file__).parent
    named = re.findall(r"`((?:\w+/)*test_\w+\.py)((?:::\w+)*)`", (here / "README.md").read_text())
    assert len(named) > 15
    for path, names in named:
        path = path.removeprefix("tests/")
        text = (here / path).read_text()
        for name in filter(None, names.split("::")):
            assert re.search(rf"^ *(?:def|class) {name}\b", text, re.M), f"{path} has no {name}"
