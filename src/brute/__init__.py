"""A small agent runtime in the manner of Rack: an env flows through middleware toward a terminal completion.

```python
import brute
from brute.middleware import MaxIterations, SystemPrompt, ToolLoop, Tools

agent = brute.agent().use(SystemPrompt, "Be brief.").use(ToolLoop).use(Tools, [search]).run(completion)
env = agent.start("what changed?")
```

`brute.eval` is the harness that grades such an agent, or another framework's.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from .agent import Agent, agent
from .env import Env
from .errors import BruteError, HookError, MissingExtra, ModelError, UsageError
from .hooks import EVENTS
from .loading import load_agent
from .messages import Message, Messages, ToolCall, Usage
from .tools import Tool, tool

if TYPE_CHECKING:
    from .completion.local import Local
    from .completion.model import Model

__version__ = "0.1.0"

__all__ = [
    "EVENTS",
    "Agent",
    "BruteError",
    "Env",
    "HookError",
    "Local",
    "Message",
    "Messages",
    "MissingExtra",
    "Model",
    "ModelError",
    "Tool",
    "ToolCall",
    "Usage",
    "UsageError",
    "agent",
    "load_agent",
    "tool",
]


def __getattr__(name: str) -> Any:
    # The completions are imported when they are asked for: most programs need one of them at the most.
    if name == "Local":
        from .completion.local import Local

        return Local
    if name == "Model":
        from .completion.model import Model

        return Model
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
