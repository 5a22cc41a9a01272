"""The keys that clients of models ask for before anything is sent: where no model is asked, any word will do."""

from __future__ import annotations

import contextlib
import os
from collections.abc import Iterator

from ...completion.providers import PROVIDERS

WORD = "replayed"
"""What stands for a key; an ordinary word, which is masked nowhere."""

OFFLINE = {"LITELLM_LOCAL_MODEL_COST_MAP": "True"}
"""What keeps libraries from asking the network for something else than a model's answer: LiteLLM would fetch its prices as it is imported, in
whichever turn that is."""


_lasting = 0
_added: dict[str, str] = {}


@contextlib.contextmanager
def given() -> Iterator[None]:
    """A while in which each variable that a provider's key is looked for in is set, where nothing else is there: a machine that only replays
    has no keys. Runs may overlap.
    """
    global _lasting
    if _lasting == 0:
        lacking = [one.keys[0] for one in PROVIDERS.values() if one.keys and not any(map(os.environ.get, one.keys))]
        offline = {name: word for name, word in OFFLINE.items() if name not in os.environ}
        _added.update(dict.fromkeys(lacking, WORD), **offline)
        os.environ.update(_added)
    _lasting += 1
    try:
        yield
    finally:
        _lasting -= 1
        while _lasting == 0 and _added:
            name, word = _added.popitem()
            if os.environ.get(name) == word:
                del os.environ[name]
