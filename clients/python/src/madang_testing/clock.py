"""The clock of a world."""

from __future__ import annotations

import datetime
from typing import Any, Callable, Union

from .durations import Duration, moment, parsed, seconds

Develop = Callable[..., Any]


class Clock:
    """The clock of a world. It stands still in a world with a number."""

    def __init__(self, develop: Develop) -> None:
        self._develop = develop

    @property
    def now(self) -> datetime.datetime:
        """The time, in UTC."""
        return parsed(self._develop("GET", "clock")["now"])

    @property
    def rate(self) -> float:
        """How many times as fast as real time it runs; 0 if it stands still."""
        return float(self._develop("GET", "clock")["rate"])

    def advance(self, by: Duration) -> None:
        """Moves it forward. Everything that is due happens at once."""
        self._develop("POST", "clock", {"advance": seconds(by)})

    def set(self, date: Union[str, datetime.datetime]) -> None:
        """Sets it, also back: a `datetime` with a time zone, or text such as `2026-01-05T09:00:00Z`."""
        self._develop("POST", "clock", {"set": moment(date)})

    def freeze(self) -> None:
        """Stops it."""
        self._develop("POST", "clock", {"freeze": True})

    def resume(self) -> None:
        """Runs it in real time."""
        self._develop("POST", "clock", {"resume": True})

    def run(self, at: float) -> None:
        """Runs it `at` times as fast as real time, 0 to 100000."""
        self._develop("POST", "clock", {"rate": at})
