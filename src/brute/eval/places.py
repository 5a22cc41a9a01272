"""Where a run leaves what it leaves."""

from __future__ import annotations

import os

LOG = os.path.join(".brute", "runs.db")
"""The run log, from the working folder, unless another place is named."""
