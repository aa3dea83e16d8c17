"""What a client should have done."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, Dict, Mapping, Optional

from .durations import Duration, text
from .journal import Filter

if TYPE_CHECKING:
    from typing_extensions import Unpack


@dataclass(frozen=True)
class Expected:
    """A filter, and how many entries should match it. `once`, `times`, `at_least`, `at_most` and `never` make one."""

    filter: Filter
    least: int
    most: Optional[int]
    spacing: Optional[Mapping[str, str]] = None

    def spaced(self, at_least: Optional[Duration] = None, at_most: Optional[Duration] = None) -> Expected:
        """The same, with limits for the real time between one match and the next."""
        limits = {"atLeast": at_least, "atMost": at_most}
        return replace(self, spacing={name: text(time) for name, time in limits.items() if time is not None})

    def json(self) -> Dict[str, Any]:
        """In the form of `POST /_dev/expect`."""
        times: Dict[str, int] = {"min": self.least}
        if self.most is not None:
            times["max"] = self.most
        spacing = {} if self.spacing is None else {"spacing": self.spacing}
        return {**self.filter, "times": times, **spacing}


def once(**filter: Unpack[Filter]) -> Expected:
    """Exactly once."""
    return Expected(filter, 1, 1)


def times(count: int, **filter: Unpack[Filter]) -> Expected:
    """Exactly `count` times."""
    return Expected(filter, count, count)


def at_least(count: int, **filter: Unpack[Filter]) -> Expected:
    """`count` times or more."""
    return Expected(filter, count, None)


def at_most(count: int, **filter: Unpack[Filter]) -> Expected:
    """`count` times or less."""
    return Expected(filter, 0, count)


def never(**filter: Unpack[Filter]) -> Expected:
    """Not at all. The whole time of `within` is watched."""
    return Expected(filter, 0, 0)
