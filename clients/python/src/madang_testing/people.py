"""People of a world, who act without a client."""

from __future__ import annotations

from typing import Any, Dict, List, Optional

from .client import below_version
from .clock import Develop
from .http import segment

Chat = Dict[str, Any]
"""A chat as clients of the edition 2024-10 get it."""


class Person:
    """A person of a world, by an e-mail or the text before its `@`.

    A place is a channel, such as `Weekend/ios`, or a workspace for its default channel. What the rules forbid is a
    `MadangError` with the contract's code.
    """

    def __init__(self, develop: Develop, who: str, account: Optional[Dict[str, Any]] = None) -> None:
        self._develop = develop
        self._who = who
        self._account = account

    def __repr__(self) -> str:
        return f"Person({self._who!r})"

    @property
    def email(self) -> str:
        return str(self._data["email"])

    @property
    def id(self) -> str:
        """The id in the edition 2024-10."""
        return str(self._data["id"])

    @property
    def number(self) -> int:
        """The id in the edition 2024-01."""
        return int(self._data["number"])

    @property
    def nickname(self) -> str:
        return str(self._data["nickname"])

    @property
    def workspaces(self) -> List[str]:
        """The names of the person's workspaces, as they were when the person was first asked."""
        return [str(name) for name in self._data["workspaces"]]

    def post(self, text: str, in_: str, files: int = 0) -> Chat:
        """Posts in a channel, with so many generated pictures."""
        return self._act("post", {"in": in_, "text": text, "files": files})

    def write(self, text: str, to: str, in_: Optional[str] = None, files: int = 0) -> Chat:
        """Writes a direct message in a workspace; in the oldest common one if none is named."""
        place = {} if in_ is None else {"in": in_}
        return self._act("post", {"to": to, "text": text, "files": files, **place})

    def join(self, place: str) -> None:
        """Joins a channel, or a workspace by an invitation of its owner."""
        self._act("join", {"in": place})

    def leave(self, place: str) -> None:
        """Leaves a channel or a workspace."""
        self._act("leave", {"in": place})

    def call(self, method: str, path: str, body: Any = None, edition: str = "2024-10") -> Any:
        """Any call of the API as this person, with a path below `/v1`. Returns the JSON of the answer."""
        return self._develop(
            method, f"people/{segment(self._who)}/v1/{below_version(path)}", body, query={"edition": edition})

    def _act(self, act: str, body: Dict[str, Any]) -> Dict[str, Any]:
        done: Dict[str, Any] = self._develop("POST", f"people/{segment(self._who)}/{act}", body)
        return done

    @property
    def _data(self) -> Dict[str, Any]:
        if self._account is None:
            self._account = next(
                (account for account in accounts(self._develop)
                 if self._who in (account["email"], account["email"].split("@")[0])), None)
        if self._account is None:
            raise LookupError(f"there is no person '{self._who}' in this world")
        return self._account


def accounts(develop: Develop) -> List[Dict[str, Any]]:
    """All accounts of a world, as the server describes them."""
    found: List[Dict[str, Any]] = []
    while True:
        page = develop("GET", "people", query={"after": found[-1]["number"] if found else None})
        found += page
        if len(page) < 1000:
            return found
