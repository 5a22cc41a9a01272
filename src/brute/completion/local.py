"""`Local(...)`: a GGUF model in this process, through llama.cpp."""

from __future__ import annotations

import asyncio
import dataclasses
import functools
import os
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from ..errors import ModelError, UsageError, literal
from ..leaves import in_thread
from ..messages import Message, ToolCall, Usage
from ..tapping import Messages, asked, conversation
from . import chat, embedded, gguf
from .engine import Engine, Options, Request, shared, threads_here

if TYPE_CHECKING:
    from ..env import Env


@dataclasses.dataclass(frozen=True, slots=True)
class Completed:
    """What a model wrote after a prompt, and what writing it used.

    `cut` says that it ran out of tokens before it was done.

    >>> Completed(" news: bank rate", Usage(input=9, output=4), "smollm2").message("Searching.").content
    'Searching.'
    """

    text: str
    usage: Usage | None
    model: str
    cut: bool = False

    def message(self, content: str | None = None, tool_calls: Iterable[ToolCall] = ()) -> Message:
        """The assistant message of this model call: its text as it stands unless `content` is given."""
        text = self.text if content is None else content
        return Message(role="assistant", content=text, tool_calls=tuple(tool_calls), usage=self.usage, model=self.model)


_MOST = {"context": 16_777_216, "slots": 1024}
"""More than any model was made for; llama.cpp takes the memory for both when it loads one, and nothing ends it while it does."""


class Local:
    """A model in this process: one that is known by name, or the path of a .gguf file.

    As the terminal of an agent it answers the conversation with the model's own chat template, and offers the agent's
    tools where that template has a place for them. `complete` continues a plain text instead, for few-shot prompts.

    Making one costs nothing: the model is fetched and loaded at the first call, and all that name the same one with the same
    options share it. `context` is the longest conversation in tokens, `slots` how many are worked on at once, `max_tokens`
    how long an answer may get. At temperature 0 the same prompt gets the same answer but for near ties: what else
    is in flight moves the last digits. `exact=True` rules that out, for about ten times the time on a long prompt.

    Raises `UsageError` for an unknown name, or a path that is no GGUF file.
    """

    def __init__(
        self,
        model: str | os.PathLike[str],
        *,
        context: int = 2048,
        slots: int = 2,
        threads: int | None = None,
        max_tokens: int = 256,
        temperature: float = 0.0,
        seed: int = 7,
        exact: bool = False,
    ) -> None:
        at_least_one = {"context": context, "slots": slots, "max_tokens": max_tokens}
        for name, value in (at_least_one | ({} if threads is None else {"threads": threads})).items():
            if not isinstance(value, int) or isinstance(value, bool) or value < 1:
                raise UsageError(f"Local's {name} must be a whole number of 1 or more, got {literal(value)}")
        for name, value in (("context", context), ("slots", slots)):
            if value > _MOST[name]:
                most = f"{_MOST[name]:,}"
                raise UsageError(
                    f"Local's {name} may be {most} at most, got {value:,}: the memory for it is taken at once"
                )
        _check_decoding(temperature, seed, exact)
        self._path = _path(model)
        self.name = str(model) if self._path is None else self._path.name
        self.max_tokens, self.temperature, self.seed, self.exact = max_tokens, temperature, seed, exact
        self._context, self._threads = context, threads
        self._slots = 1 if exact else slots

    def __repr__(self) -> str:
        return f"Local({self.name!r})"

    async def ready(self) -> None:
        """Fetch and load the model, so that the first turn's clock doesn't run meanwhile."""
        await in_thread(self._engine)

    async def __call__(self, env: Env) -> Message:
        """What the model answers to the conversation, as an assistant message."""
        message: Message = await asked(
            "local", lambda: {**self._usual(), **conversation(env)}, lambda: self._answer(env), Messages()
        )
        return message

    async def _answer(self, env: Env) -> Message:
        body: dict[str, Any] = {"messages": chat.spoken(env.messages)}
        if env.tools:
            await in_thread(self._refuse_tools)
            body["tools"] = chat.offered(env.tools)
        pieces = await self._ask(body, as_chat=True)
        message = chat.heard(pieces, self.name)
        chat.check_ended(message, pieces)
        return message

    async def complete(
        self,
        prompt: str,
        *,
        grammar: str | None = None,
        stop: Sequence[str] = (),
        max_tokens: int | None = None,
        temperature: float | None = None,
        seed: int | None = None,
    ) -> Completed:
        """What the model writes after `prompt`, up to a text in `stop`; only what `grammar` (GBNF) allows, if given."""
        body: dict[str, Any] = {"prompt": prompt, "stop": [stop] if isinstance(stop, str) else list(stop)}
        given = {"grammar": grammar, "max_tokens": max_tokens, "temperature": temperature, "seed": seed}
        body |= {name: value for name, value in given.items() if value is not None}
        completed: Completed = await asked(
            "local", lambda: {**self._usual(), **body}, lambda: self._completed(body), _Completions()
        )
        return completed

    async def _completed(self, body: dict[str, Any]) -> Completed:
        pieces = await self._ask(body, as_chat=False)
        choices = [choice for piece in pieces for choice in piece.get("choices") or ()]
        text = "".join(choice.get("text") or "" for choice in choices)
        cut = any(choice.get("finish_reason") == "length" for choice in choices)
        return Completed(text, chat.used(pieces), self.name, cut)

    def _usual(self) -> dict[str, Any]:
        return {
            "model": self.name,
            "max_tokens": self.max_tokens,
            "temperature": self.temperature,
            "seed": self.seed,
        }

    async def _ask(self, body: dict[str, Any], *, as_chat: bool) -> list[dict[str, Any]]:
        usual = self._usual()
        del usual["model"]
        request, whole = Request(), chat.whole({**usual, "cache_prompt": not self.exact, **body})
        try:
            pieces = await in_thread(functools.partial(self._blocking, request, whole, as_chat))
        except asyncio.CancelledError:
            request.stopped = True  # the thread is left behind; the model stops at its next token
            raise
        for piece in pieces:
            if "error" in piece:
                raise self._trouble(piece["error"])
        return list(pieces)

    def _blocking(self, request: Request, body: dict[str, Any], as_chat: bool) -> list[dict[str, Any]]:
        return self._engine().ask(request, body, chat=as_chat)

    def _engine(self) -> Engine:
        return shared(self._options(self._found()))

    def _found(self) -> Path:
        return embedded.fetch(self.name) if self._path is None else self._path

    def _options(self, path: Path) -> Options:
        return Options(
            path=path,
            context=self._context,
            slots=self._slots,
            threads=self._threads or threads_here(),
            cpu=self._path is None,  # the known models are small: a graphics card would only change their digits
            exact=self.exact,
        )

    def _refuse_tools(self) -> None:
        if not _header(self._found()).chooses_tools:
            raise UsageError(
                f"{self.name} can't choose tools; make the ToolCall from local.complete(prompt, grammar=...), "
                "see examples/quickstart/agent.py"
            )

    def _trouble(self, error: dict[str, Any]) -> Exception:
        if error.get("type") == "exceed_context_size_error":
            return ModelError(
                f"the prompt has {error.get('n_prompt_tokens')} tokens, and {self.name} was given a context of "
                f"{error.get('n_ctx')} (Local(..., context=...) sets it)"
            )
        told = str(error.get("message", error))
        if "grammar" in told:
            return UsageError(f"the grammar given to {self.name} is not GBNF that llama.cpp can read: {told}")
        return ModelError(f"llama.cpp refused the request to {self.name}: {told}")


class _Completions:
    """How what a model wrote is told as plain data."""

    def told(self, answer: Completed) -> dict[str, Any]:
        """The text, and what writing it used."""
        return dataclasses.asdict(answer)

    def heard(self, data: Any) -> Completed:
        """What the model wrote."""
        used = data.get("usage")
        return Completed(**{**data, "usage": None if used is None else Usage(**used)})


def _check_decoding(temperature: Any, seed: Any, exact: Any) -> None:
    right = isinstance(temperature, (int, float)) and not isinstance(temperature, bool)
    if not right or not 0 <= temperature < float("inf"):
        raise UsageError(f"Local's temperature must be a number of 0 or more, got {literal(temperature)}")
    if not isinstance(seed, int) or isinstance(seed, bool):
        raise UsageError(f"Local's seed must be a whole number, got {literal(seed)}")
    if not isinstance(exact, bool):
        raise UsageError(f"Local's exact must be True or False, got {literal(exact)}")


@functools.lru_cache(maxsize=16)
def _header(path: Path) -> gguf.Header:
    return gguf.read(path)


def _path(model: str | os.PathLike[str]) -> Path | None:
    """The file that `model` is the path of; None for a model that is known by name."""
    text = os.fspath(model) if isinstance(model, (str, os.PathLike)) else None
    if not isinstance(text, str) or not text.strip():
        raise UsageError(f"Local takes the name of a model or the path of a .gguf file, got {literal(model)}")
    path = Path(text).expanduser()
    if text in embedded.KNOWN or not (path.suffix or len(path.parts) > 1 or path.exists()):
        embedded.ask_for(text)
        return None
    if not path.is_file():
        raise UsageError(f"no such model file: {path}")
    with path.open("rb") as file:
        if file.read(len(gguf.MAGIC)) != gguf.MAGIC:
            raise UsageError(f"{path} is not a GGUF model file (it doesn't begin with the bytes GGUF)")
    return path.resolve()
