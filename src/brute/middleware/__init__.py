"""The layers that most agents are built of; each stands in a file of its own."""

from .max_iterations import MaxIterations
from .system_prompt import SystemPrompt
from .tool_loop import ToolLoop
from .tools import Tools

__all__ = ["MaxIterations", "SystemPrompt", "ToolLoop", "Tools"]
