"""Failures that a test chooses."""

from __future__ import annotations

import datetime
from dataclasses import dataclass
from typing import Any, Dict, List, Mapping, Optional, Union

from .clock import Develop
from .durations import Duration, milliseconds, moment
from .shown import shown


@dataclass(frozen=True)
class Fault:
    """A rule as it was when it was read."""

    id: int
    kind: str
    effect: Mapping[str, Any]
    match: Mapping[str, Any]
    matched: int
    """How many requests or packets it matched."""
    applied: int
    """To how many of them the effect was applied."""

    def __str__(self) -> str:
        return f"fault {self.id} {shown(self.kind)}: matched {self.matched}, applied {self.applied}"


class Faults:
    """The faults of a world. docs/reference/dev.md of Madang describes each kind."""

    def __init__(self, develop: Develop) -> None:
        self._develop = develop

    def add(
        self, kind: str, *,
        operation: Optional[str] = None, method: Optional[str] = None, path: Optional[str] = None,
        account: Optional[str] = None, edition: Optional[str] = None, header: Optional[Mapping[str, str]] = None,
        namespace: Optional[str] = None, event: Optional[str] = None, packet: Optional[str] = None,
        direction: Optional[str] = None, transport: Optional[str] = None, nth: Optional[int] = None,
        every: Optional[int] = None, probability: Optional[float] = None, seed: Optional[int] = None,
        times: Optional[int] = None, until: Union[str, datetime.datetime, None] = None,
        match: Optional[Mapping[str, Any]] = None,
        time: Optional[Duration] = None, jitter: Optional[Duration] = None, bytes: Optional[int] = None,
        bytes_per_second: Optional[int] = None, status: Optional[int] = None, code: Optional[str] = None,
        body: Optional[str] = None, content_type: Optional[str] = None, retry_after: Optional[int] = None,
        after: Optional[bool] = None, count: Optional[int] = None, close_code: Optional[int] = None,
        message: Optional[str] = None, overtaken: Optional[bool] = None,
    ) -> Fault:
        """Adds a rule, such as `add("answerLost", operation="postToChannel", nth=2)`.

        The arguments up to `match` say which requests or packets; `match` has further fields, such as a `body`. The
        others belong to the effect. `time` and `jitter` are real time; `retry_after` is in seconds.
        """
        effect: Dict[str, Any] = {
            "kind": kind, "milliseconds": None if time is None else milliseconds(time),
            "jitter": None if jitter is None else milliseconds(jitter), "bytes": bytes,
            "bytesPerSecond": bytes_per_second, "status": status, "code": code, "body": body,
            "contentType": content_type, "retryAfter": retry_after, "after": after, "count": count,
            "closeCode": close_code, "message": message, "overtaken": overtaken}
        matched: Dict[str, Any] = {
            "operation": operation, "method": method, "path": path, "account": account, "edition": edition,
            "header": header, "namespace": namespace, "event": event, "packet": packet, "direction": direction,
            "transport": transport, "nth": nth, "every": every, "probability": probability, "seed": seed,
            "times": times, "until": None if until is None else moment(until), **(match or {})}
        effect, matched = _given(effect), _given(matched)
        number = self._develop("POST", "faults", {"match": matched, "effect": effect})["id"]
        return Fault(number, kind, effect, matched, 0, 0)

    def rules(self) -> List[Fault]:
        """All rules in the order of creation, with how often each `matched` and was `applied`."""
        return [
            Fault(rule["id"], rule["effect"]["kind"], rule["effect"], rule["match"], rule["matched"], rule["applied"])
            for rule in self._develop("GET", "faults")["faults"]]

    def remove(self, fault: Union[Fault, int]) -> None:
        """Removes a rule, by itself or its id."""
        self._develop("DELETE", f"faults/{fault.id if isinstance(fault, Fault) else fault}")

    def remove_all(self) -> None:
        """Removes all rules."""
        self._develop("DELETE", "faults")


def _given(fields: Mapping[str, Any]) -> Dict[str, Any]:
    return {name: value for name, value in fields.items() if value is not None}
