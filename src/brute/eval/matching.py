"""Whether what was wanted and what was called agree: the rules for one argument, for a call, and for several calls.

Nothing that a model asks for can make these raise, and what can't be compared is no match.
"""

from __future__ import annotations

import contextlib
import contextvars
import inspect
import numbers
import re
import types
from collections import deque
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from typing import Any


class Wish:
    """A wish that says itself what agrees with it: the base of the small values in `wishes.py`.

    `may_be_left_out` says that an argument (or a key) which is not there agrees too; `of_call`, that it is about a call, and no value;
    `may_lack`, that a wish inside it may be such a one.
    """

    __slots__ = ()
    may_be_left_out = False
    of_call = False
    may_lack = False

    def agrees(self, got: Any) -> bool:
        """Whether the value is what was wanted."""
        raise NotImplementedError

    def takes(self, arguments: Mapping[str, Any] | None, defaults: Mapping[str, Any] | None = None) -> bool:
        """Whether a call's arguments, taken together, are what was wanted; malformed ones (None) never are."""
        return arguments is not None and self.agrees(arguments)

    def words(self, show: Callable[[Any], str]) -> str:
        """What is wanted, for a sentence; `show` tells the values inside."""
        raise NotImplementedError

    @property
    def inner(self) -> Iterable[Any]:
        """The wishes inside."""
        return ()


def matches(wanted: Any, got: Any) -> bool:
    """Whether one value is what was wanted.

    A compiled pattern is searched in the text; a type means isinstance; a callable is a predicate; a dict is a subset, nested; a
    list is elementwise, of the same length; a range contains; anything else is compared with `==`, where `1 == 1.0`,
    but True is not 1 and "1" is not 1.

    >>> matches(re.compile("bank|rate", re.I), "Bank of England"), matches({"a": {"b": int}}, {"a": {"b": 3, "c": 4}})
    (True, True)
    >>> matches(1, True), matches("1", 1), matches(1, 1.0)
    (False, False, True)
    """
    try:
        return _matches(wanted, got)
    except RecursionError:
        # Nested too deep to be compared; what can't be seen to agree does not.
        return False


def _matches(wanted: Any, got: Any) -> bool:
    kind = type(wanted)
    if kind is str:  # first what most wishes are
        return _equal(wanted, got)
    if kind is re.Pattern:
        return _searched(wanted, got)
    if isinstance(wanted, Wish):
        return wanted.agrees(got)
    if isinstance(wanted, type) and type(wanted).__eq__ is type.__eq__:
        return _is_a(wanted, got)
    if isinstance(wanted, types.UnionType):
        return any(_matches(each, got) for each in wanted.__args__)
    if isinstance(wanted, (dict, Mapping)):
        return isinstance(got, Mapping) and holds(wanted, got)
    if isinstance(wanted, (list, tuple)):
        return isinstance(got, (list, tuple)) and len(wanted) == len(got) and all(map(_matches, wanted, got))
    if isinstance(wanted, range):
        return _contains(wanted, got)
    if is_predicate(wanted):
        return _holds(wanted, got)
    return _equal(wanted, got)


def holds(wanted: Mapping[Any, Any], got: Mapping[Any, Any]) -> bool:
    """Whether all keys that are wanted are there and agree, or may be left out and are."""
    for key, value in wanted.items():
        if not (_matches(value, got[key]) if key in got else isinstance(value, Wish) and value.may_be_left_out):
            return False
    return True


def matches_arguments(
    wanted: Mapping[str, Any] | Wish, arguments: Mapping[str, Any] | None, defaults: Mapping[str, Any] | None = None
) -> bool:
    """Whether a call's arguments hold all that was wanted; arguments left out of `wanted` are unconstrained.

    Malformed arguments (None) match only where nothing is wanted of them. `defaults` are those of the tool's own schema, for a wish
    that asks for them.
    """
    try:
        if type(wanted) is not dict and isinstance(wanted, Wish):
            return wanted.takes(arguments, defaults)
        # What can't be read can't be seen to leave out what may be left out.
        return holds(wanted, arguments) if arguments is not None else not wanted
    except RecursionError:
        return False


def pair(wanted: Sequence[Mapping[str, Any]], made: Sequence[Mapping[str, Any] | None]) -> list[int | None]:
    """The best pairing: for each wanted call the index of a call of its own, None where none is left for it.

    As many wanted calls as possible are paired, whatever their order: a loose wish never takes the only call that a strict one could have.

    >>> pair([{"a": 1}, {"a": 1, "b": 2}], [{"a": 1, "b": 2}, {"a": 1}])
    [1, 0]
    """
    if len(wanted) == 1:  # as most cases have it, and nobody to share with
        return [next((at for at, arguments in enumerate(made) if matches_arguments(wanted[0], arguments)), None)]
    return paired([[at for at, arguments in enumerate(made) if matches_arguments(one, arguments)] for one in wanted])


def paired(fits: Sequence[Sequence[int]]) -> list[int | None]:
    """The best pairing where each wish has a list of the calls that suit it."""
    call_of: dict[int, int] = {}
    for wish in range(len(fits)):
        _augment(wish, fits, call_of)
    return [call_of.get(wish) for wish in range(len(fits))]


def _augment(start: int, fits: Sequence[Sequence[int]], call_of: dict[int, int]) -> None:
    """Find a call for the wish `start`, moving others to calls that suit them too (breadth first, so depth is no matter)."""
    wish_of = {call: wish for wish, call in call_of.items()}
    asked_by: dict[int, int] = {}
    asking = deque([start])
    while asking:
        wish = asking.popleft()
        for call in fits[wish]:
            if call in asked_by:
                continue
            asked_by[call] = wish
            if call not in wish_of:
                _hand_on(call, start, asked_by, call_of)
                return
            asking.append(wish_of[call])


def _hand_on(call: int, start: int, asked_by: dict[int, int], call_of: dict[int, int]) -> None:
    """Give the free `call` to the wish that asked for it, the one which that had to the wish before, and so on to `start`."""
    while True:
        wish = asked_by[call]
        before = call_of.get(wish)
        call_of[wish] = call
        if wish == start or before is None:
            return
        call = before


def is_predicate(wanted: Any) -> bool:
    """Whether `wanted` is a function to ask. An object with an `==` of its own (dirty-equals) is compared, callable or not."""
    if isinstance(wanted, type) or not callable(wanted):
        return False
    return inspect.isroutine(wanted) or type(wanted).__eq__ is _PLAIN_EQUALITY


_raised: contextvars.ContextVar[list[BaseException] | None] = contextvars.ContextVar("brute_raised", default=None)


@contextlib.contextmanager
def heard() -> Iterator[list[BaseException]]:
    """What predicates raise while this lasts: no match for a wish, and no proof that there was none."""
    found: list[BaseException] = []
    token = _raised.set(found)
    try:
        yield found
    finally:
        _raised.reset(token)


_PLAIN_EQUALITY: Any = object.__eq__


def _searched(wanted: re.Pattern[Any], got: Any) -> bool:
    if isinstance(got, (int, float)) and not isinstance(got, bool):
        try:
            got = str(got)
        except ValueError:  # more digits than Python writes
            return False
    return isinstance(got, str) and isinstance(wanted.pattern, str) and wanted.search(got) is not None


def _is_a(wanted: type, got: Any) -> bool:
    if wanted is Any:
        return True
    # JSON has one kind of number and True is none of it, so 3 is a float and True is not an int.
    if isinstance(got, bool):
        return wanted in (bool, object)
    try:
        return isinstance(got, wanted) or (wanted is float and isinstance(got, int))
    except TypeError:  # a class that refuses isinstance, such as a protocol
        return False


def _contains(wanted: range, got: Any) -> bool:
    # A float is made whole first: a range looks for one by going through all that it holds.
    if isinstance(got, float) and got.is_integer():
        got = int(got)
    return isinstance(got, int) and not isinstance(got, bool) and got in wanted


def _holds(predicate: Any, got: Any) -> bool:
    try:
        answer = predicate(got)
        if inspect.isawaitable(answer) or inspect.isgenerator(answer) or answer is NotImplemented:
            # Each of these is true whatever it would say, so taking it for an answer would pass every call.
            if inspect.iscoroutine(answer):
                answer.close()
            return False
        return bool(answer)
    except (Exception, SystemExit) as error:
        # A predicate is written for the right kind of value; one of another kind is no match.
        found = _raised.get()
        if found is not None:
            found.append(error)
        return False


def _equal(wanted: Any, got: Any) -> bool:
    if isinstance(wanted, bool) or isinstance(got, bool):
        return wanted is got or (not _is_plain(wanted) and _same(wanted, got))
    return _same(wanted, got)


def _is_plain(value: Any) -> bool:
    return value is None or isinstance(value, (numbers.Number, str, bytes))


def _same(wanted: Any, got: Any) -> bool:
    try:
        return bool(wanted == got)
    except RecursionError:
        raise
    except (Exception, SystemExit):
        return False
