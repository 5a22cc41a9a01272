"""Which model call a message came of, as far as that can be told: a transcript has both, and nothing that ties one to the other.

A call's iteration is that of its model call, so a message that asked for tools is known by them. What lies between two of those is told
apart by its place, and by what it used. Where there is more than one answer there is none: a wrong number is worse than no number.
"""

from __future__ import annotations

import bisect
import itertools
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence

from ...messages import Message
from ..transcript import Call, Request, Transcript

Pairs = dict[int, int]
"""By the place of a message, the number of the model call that it came of, from 1."""


def paired(transcript: Transcript, made: Mapping[int, Sequence[Call]]) -> Pairs:
    """The model calls of the messages; `made` are the calls that came of each message, by its place."""
    own = [at for at in _own(transcript) if transcript.messages[at].role == "assistant"]
    # One that failed said nothing.
    asked = [number for number, request in enumerate(transcript.requests, 1) if request.error is None]
    pairs = dict(_in_order(_known(transcript, own, asked, made)))
    edges = [(-1, 0), *pairs.items(), (len(transcript.messages), len(transcript.requests) + 1)]
    for (at, number), (next_at, next_number) in itertools.pairwise(edges):
        messages = own[bisect.bisect_right(own, at) : bisect.bisect_left(own, next_at)]
        requests = asked[bisect.bisect_right(asked, number) : bisect.bisect_left(asked, next_number)]
        pairs |= _in_order(_between(transcript, messages, requests, last=own[-1:]))
    return pairs


def _own(transcript: Transcript) -> range:
    """The places of the messages that came in this turn: what was said begins it, and all before is history."""
    messages = transcript.messages
    if transcript.stale:
        return range(0)
    said = [at for at, each in enumerate(messages) if each.role == "user" and each.content == transcript.said]
    return range(said[-1] + 1 if said else 0, len(messages))


def _known(
    transcript: Transcript, own: Iterable[int], asked: Iterable[int], made: Mapping[int, Sequence[Call]]
) -> Iterator[tuple[int, int]]:
    """The messages that are known by the calls that came of them."""
    times = Counter(request.iteration for request in transcript.requests)
    numbers = {transcript.requests[number - 1].iteration: number for number in asked}
    for at in own:
        iterations = {call.iteration for call in made.get(at, ())}
        if len(iterations) == 1 and times[iteration := iterations.pop()] == 1 and iteration in numbers:
            yield at, numbers[iteration]


def _between(
    transcript: Transcript, messages: Sequence[int], requests: Sequence[int], last: Sequence[int]
) -> Iterator[tuple[int, int]]:
    """Those that can be told apart among some messages, and the model calls that were made there, an inner agent's too."""
    said, asked = transcript.messages, transcript.requests
    if len(messages) == len(requests):
        both = zip(messages, requests, strict=True)
        yield from (pair for pair in both if _suits(said[pair[0]], asked[pair[1] - 1]))
        return
    alike: dict[object, tuple[list[int], list[int]]] = defaultdict(lambda: ([], []))
    for at in messages:
        alike[said[at].usage][0].append(at)
    for number in requests:
        alike[asked[number - 1].usage][1].append(number)
    for usage, (those, numbers) in alike.items():
        if usage is not None and len(those) == len(numbers):
            yield from zip(those, numbers, strict=True)
        elif usage is not None and numbers and those and those == [*last]:
            # The reply: what inner agents asked came before it.
            yield those[0], numbers[-1]


def _suits(message: Message, request: Request) -> bool:
    """Whether nothing speaks against it; many frameworks tell the usage of the model call alone."""
    usage = message.usage is None or request.usage is None or message.usage == request.usage
    return usage and (message.model is None or request.model is None or message.model == request.model)


def _in_order(pairs: Iterable[tuple[int, int]]) -> Iterator[tuple[int, int]]:
    """Those of the pairs that keep the order in which both happened."""
    before = 0
    for at, number in sorted(pairs):
        if number > before:
            before = number
            yield at, number
