"""A world: the server of one test."""

from __future__ import annotations

import datetime
import os
import socket
import urllib.parse
from dataclasses import dataclass
from types import TracebackType
from typing import Any, Callable, Dict, List, Mapping, Optional, Sequence, Type, Union

from .client import Client, Query
from .clock import Clock
from .development import Development
from .durations import Duration, milliseconds, parsed, text, waiting
from .expect import Expected
from .faults import Faults
from .http import Connection, MadangError, segment
from .journal import Filter, Journal
from .people import Person, accounts
from .scripts import Scripts
from .shown import shown
from .sockets import Sockets

Seed = Union[str, Mapping[str, Any], "os.PathLike[str]"]
"""`courtyard`, `empty`, `crowded` or `edge`; a seed of one's own as YAML, as a dictionary, or as a path of a file."""

Settings = Mapping[str, Union[str, int, float, bool]]
"""Names and values of settings, as in docs/reference/settings.md."""


@dataclass(frozen=True)
class Finding:
    """A habit of a client that will cause trouble in production."""

    habit: str
    account: Optional[str]
    what: str
    cure: str
    rule: str
    """The rule of the wire contract."""
    entries: List[int]
    """Numbers of the journal's entries; at most the first 100."""

    def __str__(self) -> str:
        more = f" and {len(self.entries) - 5} more" if len(self.entries) > 5 else ""
        who = f" of {self.account}" if self.account else ""
        numbers = ", ".join(map(str, self.entries[:5]))
        return shown(f"{self.habit}{who}: {self.what} (entries {numbers}{more}). Instead: {self.cure}")

    def __repr__(self) -> str:
        # Short enough for what pytest shows of a failed `assert world.review() == []`.
        return shown(f"<{self.habit}: {self.what}. Instead: {self.cure}>")


class World:
    """A server of its own, with people, a clock, faults and a journal.

    The fixtures `world` and `make_world` make worlds, and remove them after the test. What the server refuses is a
    `MadangError` with its text.
    """

    def __init__(self, server: Development, made: Mapping[str, Any], removed: Callable[[World], None]) -> None:
        self._server = server
        self._made = made
        self._removed = removed
        self._is_removed = False
        self._connection = _reachable(server.base, made)
        self.clock = Clock(self.dev)
        self.faults = Faults(self.dev)
        self.scripts = Scripts(self.dev)
        self.journal = Journal(self.dev, self.url)
        self.sockets = Sockets(self.dev)

    def __enter__(self) -> World:
        return self

    def __exit__(
        self, kind: Optional[Type[BaseException]], error: Optional[BaseException], trace: Optional[TracebackType]
    ) -> None:
        self.remove()

    def __str__(self) -> str:
        """Its URL, so that `f"{world}/v1/users/me"` is the address of a call."""
        return self.url

    def __repr__(self) -> str:
        return f"<World {self.id} at {self.url}>"

    @property
    def id(self) -> str:
        """Such as `w3`."""
        return str(self._made["id"])

    @property
    def name(self) -> str:
        return str(self._made["name"])

    @property
    def url(self) -> str:
        """The server's URL for the client under test."""
        host = self._connection.headers.get("Host")
        return f"http://{host}" if host else self._connection.base

    @property
    def number(self) -> Optional[int]:
        number: Optional[int] = self._made["number"]
        return number

    @property
    def now(self) -> datetime.datetime:
        """The time of its clock, in UTC."""
        return self.clock.now

    def key(self, edition: str = "2024-10") -> str:
        """The API key of an edition, for the header `SesacKey`."""
        return str(self._made["keys"][edition])

    def dev(
        self, method: str, path: str, body: Any = None, *, query: Optional[Query] = None,
        headers: Optional[Mapping[str, str]] = None, accept: Sequence[int] = (),
    ) -> Any:
        """Any development call of this world: `world.dev("GET", "clock")` is `GET /_dev/clock`.

        The body is JSON, or bytes as they are. Statuses in `accept` are no errors.
        """
        path = f"_dev/worlds/{segment(self.id)}" + (f"/{path}" if path else "")
        return self._server.call(method, path, body, query, headers, accept)

    def remove(self) -> None:
        """Ends it and removes its data. Does nothing if it has ended, also by its lease."""
        if self._is_removed:
            return
        self._removed(self)
        try:
            self.dev("DELETE", "")
        except MadangError as refusal:
            if refusal.status != 400:
                raise
        self._is_removed = True

    # People and clients

    def person(self, who: str) -> Person:
        """A person, by an e-mail or the text before its `@`."""
        return Person(self.dev, who)

    def people(self) -> List[Person]:
        """All people, ordered by number."""
        return [Person(self.dev, account["email"], account) for account in accounts(self.dev)]

    def sign_in(self, email: str, password: str = "Passw0rd!", edition: str = "2024-10") -> Client:
        """A client of the API that is signed in, by an e-mail or the text before its `@`."""
        if "@" not in email:
            email = str(self.person(email).call("GET", "users/me")["email"])
        headers = {**self._connection.headers, "SesacKey": self.key(edition)}
        client = Client(Connection(self._connection.base, headers), edition)
        client.sign_in(email, password)
        return client

    # State

    def reset(self, wait: Optional[Duration] = None) -> None:
        """Restores the first state. Faults stay. `wait` is how long calls in progress may go on; 2 s by default."""
        self.dev("POST", "reset", {} if wait is None else {"wait": text(wait)})

    def snapshot(self, name: str) -> None:
        """Saves the present state. An existing name is overwritten."""
        self.dev("POST", "snapshots", {"name": name})

    def restore(self, name: str, wait: Optional[Duration] = None) -> None:
        """Returns to a snapshot; `wait` as in `reset`."""
        self.dev("POST", f"snapshots/{segment(name)}/restore", {} if wait is None else {"wait": text(wait)})

    def snapshots(self) -> List[str]:
        """The names of the snapshots."""
        return [str(name) for name in self.dev("GET", "snapshots")]

    def remove_snapshot(self, name: str) -> None:
        self.dev("DELETE", f"snapshots/{segment(name)}")

    def export_seed(self) -> str:
        """The present state as a seed, in YAML."""
        return str(self.dev("GET", "seed"))

    def restart(self, down_for: Duration = "2s") -> None:
        """Ends all connections, and refuses new ones for this real time. Data stays."""
        self.dev("POST", "restart", {"milliseconds": milliseconds(down_for)})

    # Questions

    def expect(
        self, expected: Sequence[Expected], *, in_order: bool = False, only: bool = False,
        among: Optional[Filter] = None, after: int = 0, within: Duration = "5s", settling: Duration = 0,
    ) -> None:
        """Waits until all expectations are met, at most `within` in real time (60 s).

        Each entry counts for one item. With `only`, no other entry of these kinds may come, or no other one of `among`.
        Only entries with a number above `after` count. `settling` is how much longer to watch for entries that come
        too often. Raises `AssertionError` with the server's differences, one a line.
        """
        __tracebackhide__ = True
        if isinstance(expected, Expected):
            raise TypeError("expect takes a list: write world.expect([once(...)])")
        items = list(expected)
        if not all(isinstance(item, Expected) for item in items):
            raise TypeError("expect takes items such as once(operation=\"me\")")
        question: Dict[str, Any] = {
            "expected": [item.json() for item in items], "order": "strict" if in_order else "any", "only": only,
            "after": after, "wait": text(within), "settle": text(settling)}
        if among is not None:
            question["among"] = among
        outcome = self.dev("POST", "expect", question, accept=(409,))
        if not outcome["met"]:
            raise AssertionError("\n".join(map(shown, outcome["differences"])))

    def review(self, account: Optional[str] = None, after: int = 0) -> List[Finding]:
        """Habits of the clients that will cause trouble; empty for a good client."""
        found = self.dev("GET", "review", query={"account": account, "after": after})["findings"]
        return [
            Finding(one["habit"], one.get("account"), one["what"], one["cure"], one["rule"], one["calls"])
            for one in found]

    def expect_polite(self, account: Optional[str] = None, after: int = 0) -> None:
        """Fails if the review finds a habit: an `AssertionError` with the findings and their cures, one a line."""
        __tracebackhide__ = True
        findings = self.review(account, after)
        if findings:
            raise AssertionError("\n".join(map(str, findings)))

    def coverage(self) -> Dict[str, Any]:
        """How much of the API was used: `{"counts": ..., "report": ...}`."""
        coverage: Dict[str, Any] = self.dev("GET", "coverage")
        return coverage

    # Stand-ins

    def pay(self, amount: int, merchant_uid: str, status: str = "paid") -> str:
        """Records a payment in won, and returns the `imp_uid` that a client shows."""
        payment = {"merchant_uid": merchant_uid, "amount": amount, "status": status}
        return str(self.dev("POST", "payments", payment)["imp_uid"])

    def social_token(
        self, provider: str, subject: str, email: Optional[str] = None, nickname: Optional[str] = None
    ) -> str:
        """A token as `kakao` or `apple` would issue it."""
        person = {"provider": provider, "subject": subject, "email": email, "nickname": nickname}
        given = {name: value for name, value in person.items() if value is not None}
        return str(self.dev("POST", "social-tokens", given)["token"])

    def mails(
        self, to: Optional[str] = None, after: int = 0, within: Optional[Duration] = None, count: int = 1
    ) -> List[Dict[str, Any]]:
        """Mails that would have been sent, oldest first: `id`, `to`, `subject`, `body`, `html`, ...

        They are written shortly after the call that causes them: with `within`, waits for `count` of them, at most so
        long in real time, and returns those that came.
        """
        mails: List[Dict[str, Any]] = self.dev(
            "GET", "mails", query={"to": to, "after": after, **waiting(within, count)})
        return mails

    def pushes(self, after: int = 0, within: Optional[Duration] = None, count: int = 1) -> List[Dict[str, Any]]:
        """Notifications that would have been sent, oldest first: `id`, `deviceToken`, `payload`, ... As `mails`."""
        pushes: List[Dict[str, Any]] = self.dev("GET", "pushes", query={"after": after, **waiting(within, count)})
        return pushes


def seed_field(seed: Seed) -> Union[str, Mapping[str, Any]]:
    """A seed in the form of `POST /_dev/worlds`."""
    if isinstance(seed, os.PathLike):
        with open(seed, encoding="utf-8") as file:
            return file.read()
    return seed


def _reachable(server: str, made: Mapping[str, Any]) -> Connection:
    """A connection to a world: at its own port, or by host name at the server's port where only that is published."""
    own = urllib.parse.urlsplit(made["url"])
    try:
        socket.create_connection((own.hostname or "", own.port or 80), timeout=2).close()
        return Connection(made["url"])
    except OSError:
        return Connection(server, {"Host": f"{made['id']}.localhost:{urllib.parse.urlsplit(server).port or 80}"})
