"""The record of what a world's clients did."""

from __future__ import annotations

import json
import urllib.parse
from dataclasses import dataclass, fields
from typing import TYPE_CHECKING, Any, Dict, List, Mapping, Optional, TypedDict, Union

from .clock import Develop
from .durations import Duration, text
from .shown import shown

if TYPE_CHECKING:
    from typing_extensions import Unpack

_PAGE = 20_000
"""The most entries of one answer."""


class Filter(TypedDict, total=False):
    """Selects entries: all given fields must match. In texts `*` matches any text."""

    kind: str
    """`request`, `connection`, `packet`, `push`, `mail` or `payment`."""
    operation: str
    """An `operationId`, or method and path of the OpenAPI documents."""
    edition: str
    method: str
    path: str
    status: Union[int, str]
    code: str
    account: str
    """An e-mail, or the text before its `@`."""
    event: str
    packet: str
    namespace: str
    direction: str
    """`fromClient` or `toClient`."""
    transport: str
    session: str
    fault: str
    """The kind of a fault that applied; `*` is any."""
    body: Any
    """JSON whose fields the body of a request or push, or the first argument of an event, must have."""
    answer: Any
    """JSON whose fields the body of the answer must have."""


@dataclass(frozen=True)
class Entry:
    """One entry of a journal. Secrets are `***`. Which fields are set depends on the kind."""

    number: int
    kind: str
    at: str
    """The start, by the world's clock."""
    elapsed: float
    """The start, in real milliseconds since the world was made."""
    raw: Mapping[str, Any]
    """The whole entry, as the server sent it."""
    account: Optional[str] = None
    edition: Optional[str] = None
    operation: Optional[str] = None
    method: Optional[str] = None
    path: Optional[str] = None
    query: Optional[str] = None
    status: Optional[int] = None
    """None if the client got no answer."""
    code: Optional[str] = None
    milliseconds: Optional[float] = None
    """The duration of a request, in real time."""
    session: Optional[str] = None
    transport: Optional[str] = None
    reason: Optional[str] = None
    direction: Optional[str] = None
    packet: Optional[str] = None
    namespace: Optional[str] = None
    event: Optional[str] = None
    payload: Optional[str] = None

    @property
    def fault(self) -> Optional[str]:
        """The kind of the fault that applied."""
        fault = self.raw.get("fault")
        return str(fault["kind"]) if fault else None

    @property
    def body(self) -> Any:
        """The body of a request, as JSON or else as text; None if there is none or it is multipart."""
        return _read(self.raw.get("request", {}).get("body"))

    @property
    def answer(self) -> Any:
        """The body of an answer, as JSON or else as text; None if there is none."""
        return _read(self.raw.get("answer", {}).get("body"))

    def __str__(self) -> str:
        who = self.account or "-"
        if self.kind == "request":
            outcome = "no answer" if self.status is None else " ".join(
                str(part) for part in (self.status, self.code) if part is not None)
            what = f"{self.method} {self.path} ({self.operation or 'no operation'}): {outcome}"
        elif self.kind == "packet":
            sender = "from the client" if self.direction == "fromClient" else "to the client"
            what = " ".join(part for part in (self.packet, self.event, self.namespace, sender, self.payload) if part)
        else:
            kind = f"push to {self.raw['deviceToken']}" if self.kind == "push" else self.kind
            what = " ".join(part for part in (kind, self.event, self.reason, self.payload) if part)
        fault = f", fault {self.fault}" if self.fault else ""
        return f"{self.number:4}  +{self.elapsed / 1000:.3f} s  {shown(who)}  {shown(what[:300])}{shown(fault)}"


class Journal:
    """The journal of a world: requests with their answers, sockets and their packets, notifications, payments."""

    def __init__(self, develop: Develop, url: str) -> None:
        self._develop = develop
        self._host = urllib.parse.urlsplit(url).netloc

    def entries(self, *, after: int = 0, **filter: Unpack[Filter]) -> List[Entry]:
        """The entries so far, oldest first; only those with a number above `after`."""
        if _has_json(filter):
            return self._numbered(self._outcome(filter, 0, after, 0)["matched"][0]["entries"])
        found: List[Entry] = []
        while True:
            page = self._page(filter, after, limit=_PAGE)
            found += [_entry(entry) for entry in page["entries"]]
            if len(page["entries"]) < _PAGE:
                return found
            after = page["last"]

    def wait(
        self, *, within: Duration = "5s", count: int = 1, after: int = 0, **filter: Unpack[Filter]
    ) -> List[Entry]:
        """Waits until `count` entries match, also earlier ones above `after`, at most 60 s of real time.

        Raises `AssertionError` if they do not come.
        """
        __tracebackhide__ = True
        if _has_json(filter):
            outcome = self._outcome(filter, count, after, within)
            found = self._numbered(outcome["matched"][0]["entries"])
        else:
            page = self._page(filter, after, limit=_PAGE, wait=text(within), count=count)
            found = [_entry(entry) for entry in page["entries"]]
        if len(found) < count:
            wanted = ", ".join(f"{name} {_shown(value)}" for name, value in filter.items()) or "any entry"
            raise AssertionError(f"came {len(found)} of {count} times within {within}: {wanted}")
        return found

    @property
    def last(self) -> int:
        """The number of the newest entry; later ones have higher numbers."""
        return int(self._develop("POST", "journal", {})["last"])

    def clear(self) -> None:
        """Empties it. Numbers continue."""
        self._develop("DELETE", "journal")

    def har(self) -> Dict[str, Any]:
        """The entries as an HTTP archive, which browsers open."""
        # The archive's URLs begin with the host that was asked.
        archive: Dict[str, Any] = self._develop(
            "GET", "journal", query={"format": "har", "limit": _PAGE}, headers={"Host": self._host})
        return archive

    def lines(self) -> str:
        """The entries as JSON, one per line."""
        return "".join(json.dumps(entry.raw, ensure_ascii=False) + "\n" for entry in self.entries())

    def _page(self, filter: Filter, after: int, **more: Union[str, int]) -> Dict[str, Any]:
        page: Dict[str, Any] = self._develop("GET", "journal", query={**filter, "after": after, **more})
        return page

    def _outcome(self, filter: Filter, count: int, after: int, within: Duration) -> Dict[str, Any]:
        """Only expectations look into bodies."""
        outcome: Dict[str, Any] = self._develop(
            "POST", "expect",
            {"expected": [{**filter, "times": {"min": count}}], "after": after, "wait": text(within)}, accept=(409,))
        return outcome

    def _numbered(self, numbers: List[int]) -> List[Entry]:
        if not numbers:
            return []
        wanted = set(numbers)
        return [entry for entry in self.entries(after=min(wanted) - 1) if entry.number in wanted]


def _entry(raw: Mapping[str, Any]) -> Entry:
    names = {field.name for field in fields(Entry)} - {"raw"}
    return Entry(raw=raw, **{name: value for name, value in raw.items() if name in names})


def _has_json(filter: Filter) -> bool:
    return "body" in filter or "answer" in filter


def _shown(value: Any) -> str:
    return value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)


def _read(body: Optional[str]) -> Any:
    try:
        return None if body is None else json.loads(body)
    except ValueError:
        return body
