"""Names of tests by their parameters, the same in every process: xdist compares them."""

from __future__ import annotations

import re
from typing import Any


def steady(value: Any) -> str:
    """The value's text without the address of anything: `<function <lambda>>`."""
    return re.sub(r" at 0x[0-9a-f]+", "", repr(value))
