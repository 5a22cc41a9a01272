"""What the model is told before everything else."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from ..env import Env
from ..errors import UsageError, literal
from ..leaves import call_leaf
from ..messages import Message, plain
from ..pipeline import App


class SystemPrompt:
    """What the model is told before everything else: a text, or a function (sync or async) of the env that gives it."""

    def __init__(self, app: App, prompt: str | Callable[[Env], Any]) -> None:
        self.app = app
        self.prompt = prompt
        self._put: Message | None = None
        # Made once a turn, and not for all turns: code that changes it by force changes that of its own turn alone.
        self._told: Message | None = None

    @staticmethod
    def check_options(prompt: str | Callable[[Env], Any]) -> None:
        """Refuse a prompt that is neither a text nor a function when the agent is built."""
        if not isinstance(prompt, str) and not callable(prompt):
            raise UsageError(f"SystemPrompt takes a text or a function of the env, got {literal(prompt)}")

    async def __call__(self, env: Env) -> None:
        """Put the prompt first, once."""
        message, prompt = self._told, self.prompt
        if message is None or message.content is not prompt:
            if prompt.__class__ is str:
                message = self._told = plain("system", prompt)
            else:
                text = prompt if isinstance(prompt, str) else await call_leaf(prompt, env)
                message = Message(role="system", content=text)
        # Under a loop this layer is passed many times; the prompt stands there once, in its latest form.
        put, place, leading, said = self._put, None, 0, []
        for at, each in enumerate(env.messages):
            if each.role == "system":
                leading += leading == at
                said.append(each)
            if place is None and each is put:
                place = at
        if place is not None:
            env.messages[place] = self._put = message
        elif message not in said:
            # Of several, the outer stands first.
            env.messages.insert(leading, message)
            self._put = message
        await self.app(env)
