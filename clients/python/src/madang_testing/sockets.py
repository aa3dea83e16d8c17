"""Open sockets of a world."""

from __future__ import annotations

from dataclasses import dataclass
from typing import List, Optional

from .clock import Develop
from .durations import Duration, waiting
from .http import segment


@dataclass(frozen=True)
class Socket:
    """A session of Engine.IO."""

    session: str
    transport: str
    """`polling` or `websocket`."""
    account: Optional[str]
    """The e-mail of its account."""
    namespaces: List[str]
    waiting_bytes: int
    """What the client has not received yet."""


class Sockets:
    """The open sockets of a world."""

    def __init__(self, develop: Develop) -> None:
        self._develop = develop

    def list(self, account: Optional[str] = None, within: Optional[Duration] = None, count: int = 1) -> List[Socket]:
        """The open sockets, or those of an account (an e-mail or the text before its `@`), the newest first, at most
        1000. With `within`, waits for `count` of them, at most so long in real time, and returns what is open: those
        of an account count once they have joined a room.
        """
        return [
            Socket(socket["session"], socket["transport"], socket.get("account"), socket["namespaces"],
                   socket["waitingBytes"])
            for socket in self._develop("GET", "sockets", query={"account": account, **waiting(within, count)})]

    def cut(self, *, account: Optional[str] = None, session: Optional[str] = None) -> int:
        """Ends sockets and resets their connections, as a network that fails: those of an account (an e-mail or the
        text before its `@`), or the one of a session. Returns how many were cut."""
        if (account is None) == (session is None):
            raise ValueError("name either an account or a session")
        if session is not None:
            self._develop("DELETE", f"sockets/{segment(session)}")
            return 1
        return int(self._develop("DELETE", "sockets", query={"account": account})["cut"])
