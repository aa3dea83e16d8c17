"""Lengths of time, written as in Madang's settings."""

from __future__ import annotations

import datetime
import re
from typing import Dict, Optional, Union

Duration = Union[str, int, float, datetime.timedelta]
"""`"500ms"`, `"5s"`, `"10m"`, `"25h"`, `"30d"`, a number of seconds, or a `timedelta`."""

_UNITS = {"ms": 0.001, "s": 1, "m": 60, "h": 3600, "d": 86400, "w": 604800}


def seconds(duration: Duration) -> float:
    """The duration as a number of seconds. Raises `ValueError` for a wrong notation, and for a negative duration."""
    if isinstance(duration, datetime.timedelta):
        value = duration.total_seconds()
    elif isinstance(duration, str):
        parts = re.fullmatch(r"([0-9]+(?:\.[0-9]+)?)(ms|s|m|h|d|w)", duration)
        if parts is None:
            raise ValueError(
                f"'{duration}' is not a duration: write 500ms, 5s, 10m, 25h or 30d, or a number of seconds")
        value = round(float(parts[1]) * _UNITS[parts[2]], 3)
    else:
        value = duration
    if not 0 <= value < float("inf"):
        raise ValueError(f"{duration!r} is not a duration: it must not be negative or infinite")
    return value


def milliseconds(duration: Duration) -> int:
    """The duration in whole milliseconds."""
    return round(seconds(duration) * 1000)


def text(duration: Duration) -> str:
    """The duration in the notation of the server."""
    return f"{milliseconds(duration)}ms"


def waiting(within: Optional[Duration], count: int) -> Dict[str, Union[str, int]]:
    """The parameters of a call that waits for so many; none without a time."""
    return {} if within is None else {"wait": text(within), "count": count}


def moment(date: Union[str, datetime.datetime]) -> str:
    """A date in the notation of the server. A `datetime` must have a time zone."""
    if isinstance(date, str):
        return date
    if date.tzinfo is None:
        raise ValueError(f"{date} has no time zone: add tzinfo=datetime.timezone.utc")
    utc = date.astimezone(datetime.timezone.utc)
    return f"{utc:%Y-%m-%dT%H:%M:%S}.{utc.microsecond // 1000:03}Z"


def parsed(moment: str) -> datetime.datetime:
    """A date of the server, in UTC."""
    return datetime.datetime.strptime(moment, "%Y-%m-%dT%H:%M:%S.%fZ").replace(tzinfo=datetime.timezone.utc)
