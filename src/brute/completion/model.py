"""A model behind an API, as an agent's completion."""

from __future__ import annotations

import functools
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

import anyio

from ..errors import ModelError, UsageError, literal
from ..leaves import in_thread
from ..tapping import Messages, asked, conversation
from . import hosting, limiting, providers
from .retrying import Retrying

if TYPE_CHECKING:
    from pydantic_ai.messages import ModelResponse
    from pydantic_ai.models import Model as Speaker

    from ..env import Env
    from ..hooks import LlmEvent
    from ..messages import Message
    from .wire import Answer

_SAID = "brute.model"
"""Where an env keeps the responses of this turn."""

_met: set[str] = set()


class Model:
    """A model behind an API, named `provider:model`, as an agent's completion.

    `base_url` is the address of a server that speaks the provider's language: with `openai:` any server that imitates
    OpenAI's chat API (Ollama, vLLM, llama.cpp), which then needs no key. The key is `api_key` or the environment's
    (`OPENAI_API_KEY`, `ANTHROPIC_API_KEY`, `GOOGLE_API_KEY`, ...). `retries` is how many more tries follow one that
    failed for a passing reason, or a `Retrying` for full control; `timeout` is how many seconds one try may take;
    `settings` go to the model (`{"temperature": 0}`).

    A completion: `await model(env)` answers what the model said, as a `Message` with its usage. Raises `UsageError`
    for a slip in a name or an option and for a missing key, `MissingExtra` where the extra `models` is not installed,
    and, when called, `ModelError` for a call that failed.

    >>> Model("openai:qwen3:4b", base_url="http://localhost:11434/v1")
    Model('openai:qwen3:4b', base_url='http://localhost:11434/v1')
    >>> Model("gpt-5")
    Traceback (most recent call last):
    brute.errors.UsageError: the model "gpt-5" is named without its provider; write "openai:gpt-5"
    """

    def __init__(
        self,
        name: str,
        *,
        base_url: str | None = None,
        api_key: str | None = None,
        retries: int | Retrying = 2,
        timeout: float = 300.0,
        settings: Mapping[str, Any] | None = None,
    ) -> None:
        self.provider, self.model = providers.parted(name)
        self.name = f"{self.provider}:{self.model}"
        self.base_url = providers.address(self.provider, base_url)
        self.retrying = retries if isinstance(retries, Retrying) else Retrying(limit=retries)
        if isinstance(timeout, bool) or not isinstance(timeout, (int, float)) or not timeout > 0:
            raise UsageError(f"timeout must be a number of seconds above 0, got {literal(timeout)}")
        self.timeout = float(timeout)
        self.settings = providers.checked(settings, self.provider)
        self.hosted = hosting.hosted(self.settings)
        self._key = providers.key(self.provider, api_key, self.base_url)
        providers.check_installed(self.provider)

    def __repr__(self) -> str:
        at = f", base_url={self.base_url!r}" if self.base_url else ""
        return f"Model({self.name!r}{at})"

    async def ready(self) -> None:
        """Import the provider's client, which takes a second or two the first time."""
        await self._speaker()

    async def __call__(self, env: Env) -> Message:
        """What the model says to the conversation so far, having been offered the env's tools."""
        message: Message = await asked("model", lambda: self._asked(env), lambda: self._answer(env), Messages())
        return message

    def _asked(self, env: Env) -> dict[str, Any]:
        """All that the answer depends on."""
        settings = {"settings": dict(self.settings)} if self.settings else {}
        return {"model": self.name, **settings, **conversation(env)}

    async def _answer(self, env: Env) -> Message:
        from . import translate

        speaker = await self._speaker()
        said: translate.Said = env.metadata.setdefault(_SAID, {})
        history, parameters = translate.history(env.messages, said), translate.parameters(env.tools)
        record = env.request.retries.append if env.request is not None else _forget
        response, message = await self.retrying.run(
            functools.partial(self._turn, env.request, speaker, history, parameters), record
        )
        said[id(message)] = (message, response)
        return message

    async def _speaker(self) -> Speaker:
        from . import wire

        made = functools.partial(wire.speaker, self.provider, self.model, self.base_url, self._key)
        try:
            if self.provider not in _met:
                # The first of a provider's models imports its client, a second or two of work: not on the loop, where
                # other attempts would stand still for it.
                await in_thread(made)
                _met.add(self.provider)
            return made()
        except ImportError as error:
            raise UsageError(f"the provider {self.provider} needs what is not installed: {error}") from error
        except Exception as error:
            raise self._trouble(error, None) from error

    async def _turn(
        self, request: LlmEvent | None, speaker: Speaker, history: Any, parameters: Any
    ) -> tuple[ModelResponse, Message]:
        """One try, when it comes to its turn among all calls to this provider."""
        async with limiting.limiter(self.provider, self.base_url).call(request):
            return await self._try(speaker, history, parameters)

    async def _try(self, speaker: Speaker, history: Any, parameters: Any) -> tuple[ModelResponse, Message]:
        from . import translate, trouble, usage, wire

        answers: list[Answer] = []
        token = wire.answers.set(answers)
        try:
            response = await self._ask(speaker, history, parameters)
            answer = answers[-1] if answers else None
            if answer is not None:
                trouble.check(answer, self._secrets)
            translate.check_ended(response)
            # Here too the library may stumble over what it made of an odd answer, which is not the agent's slip.
            return response, translate.message(response, usage.used(response, answer, self.base_url))
        except (ModelError, UsageError):
            raise
        except Exception as error:
            raise self._trouble(error, answers[-1] if answers else None) from error
        finally:
            wire.answers.reset(token)

    async def _ask(self, speaker: Speaker, history: Any, parameters: Any) -> ModelResponse:
        from pydantic_ai.direct import model_request

        settings: Any = {**self.settings, "timeout": self.timeout}
        with anyio.move_on_after(self.timeout):
            return await model_request(speaker, history, model_settings=settings, model_request_parameters=parameters)
        raise ModelError(f"no answer within {self.timeout:g} seconds", transient=True)

    def _trouble(self, error: Exception, answer: Answer | None) -> Exception:
        from . import trouble

        return trouble.trouble(error, answer, where=self.base_url or self.provider, secrets=self._secrets)

    @property
    def _secrets(self) -> tuple[str, ...]:
        return (self._key,) if self._key else ()


def _forget(sentence: str) -> None:
    """Nowhere to record a retry: the model was called outside a pipeline."""
