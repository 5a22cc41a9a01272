"""The double that our tests, our docs and users' tests share: a completion that plays a list of replies."""

from __future__ import annotations

from collections.abc import Iterable

from .env import Env
from .errors import UsageError, literal
from .messages import Message

Reply = Message | str | BaseException


class Script:
    """A completion that plays a list of replies, one a model call: messages, texts, or exceptions to raise.

    `calls` counts the model calls so far. Raises `UsageError` for an entry of another kind, and when a call comes
    for which no reply is left.

    >>> import brute
    >>> brute.agent().run(Script(["hello"])).start("hi").reply
    'hello'
    """

    def __init__(self, replies: Iterable[Reply]) -> None:
        if isinstance(replies, (str, Message, BaseException)):
            raise UsageError(f"Script takes a list of replies, got one {type(replies).__name__}; write Script([...])")
        if not isinstance(replies, Iterable):
            raise UsageError(f"Script takes a list of replies, got {literal(replies)}")
        self.replies = list(replies)
        self.calls = 0
        for reply in self.replies:
            if not isinstance(reply, (Message, str, BaseException)):
                raise UsageError(f"a reply of a Script is a Message, a text or an exception, got {literal(reply)}")

    async def __call__(self, env: Env) -> Message:
        """Play the next reply."""
        if self.calls >= len(self.replies):
            raise UsageError(f"the Script has no reply left; it holds {len(self.replies)}")
        reply = self.replies[self.calls]
        self.calls += 1
        if isinstance(reply, BaseException):
            raise reply
        return Message(role="assistant", content=reply) if isinstance(reply, str) else reply
