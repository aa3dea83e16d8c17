"""HTTP to a server, without proxies and redirects."""

from __future__ import annotations

import http.client
import json
import re
import socket
import urllib.error
import urllib.parse
import urllib.request
from dataclasses import dataclass
from typing import Any, Mapping, NoReturn, Optional, Union

from .shown import shown

WAIT = 75.0
"""The longest time that a call may take, in seconds. The server ends waiting calls after 60."""


class MadangError(Exception):
    """The server refused a call, or there is no server. The text names the cause and the cure.

    `status` is the HTTP status, if the server answered. `code` is the error code of the wire contract, such as `E13`,
    if a rule of the contract forbids the call. `body` is the answer's body.
    """

    def __init__(self, text: str, status: Optional[int] = None, code: Optional[str] = None, body: str = "") -> None:
        super().__init__(text)
        self.status = status
        self.code = code
        self.body = body


@dataclass(frozen=True)
class Answer:
    """An HTTP answer of any status."""

    status: int
    headers: Mapping[str, str]
    """The names are as the server sends them; `header` finds them in any case."""
    body: bytes

    @property
    def text(self) -> str:
        return self.body.decode("utf-8", "replace")

    def json(self) -> Any:
        """The body as JSON; None if it is empty."""
        return json.loads(self.body) if self.body else None

    def header(self, name: str) -> Optional[str]:
        return next((value for key, value in self.headers.items() if key.lower() == name.lower()), None)


class _NoRedirect(urllib.request.HTTPRedirectHandler):
    def redirect_request(self, *_: Any, **__: Any) -> None:
        return None


_opener = urllib.request.build_opener(urllib.request.ProxyHandler({}), _NoRedirect)


class Connection:
    """Sends requests to URLs that begin with `base`, each with `headers`."""

    def __init__(self, base: str, headers: Optional[Mapping[str, str]] = None) -> None:
        self.base = base.rstrip("/")
        self.headers = dict(headers or {})

    def send(
        self, method: str, path: str, body: Optional[bytes] = None, *,
        query: Optional[Mapping[str, Union[str, int, None]]] = None, headers: Optional[Mapping[str, str]] = None,
        timeout: float = WAIT,
    ) -> Answer:
        """The answer, of any status. Raises `ConnectionError` or `TimeoutError`, which name the call, if none comes."""
        given = {name: str(value) for name, value in (query or {}).items() if value is not None}
        url = f"{self.base}/{path}"
        if given:
            url += ("&" if "?" in path else "?") + urllib.parse.urlencode(given)
        request = urllib.request.Request(url, data=body, method=method, headers={**self.headers, **(headers or {})})
        try:
            try:
                with _opener.open(request, timeout=timeout) as response:
                    return Answer(response.status, dict(response.headers.items()), response.read())
            except urllib.error.HTTPError as refusal:
                with refusal:
                    return Answer(refusal.code, dict(refusal.headers.items()), refusal.read())
        except (OSError, http.client.HTTPException) as failure:
            raise _lost(f"{method} /{path}", failure, timeout) from None


def _lost(call: str, failure: Exception, timeout: float) -> OSError:
    """The failure of a call without an answer. Connections that are refused and reset keep their types."""
    reason = failure.reason if isinstance(failure, urllib.error.URLError) else failure
    # Its subclass TimeoutError since Python 3.10.
    if isinstance(reason, socket.timeout):
        return TimeoutError(f"{call}: no answer within {timeout:g} s")
    words = (isinstance(reason, OSError) and reason.strerror) or str(reason) or repr(reason)
    kind = type(reason) if isinstance(reason, ConnectionError) else ConnectionError
    return kind(f"{call}: no answer: {words}")


def segment(text: str) -> str:
    """A text as one segment of a path."""
    return urllib.parse.quote(text, safe="")


def refuse(call: str, answer: Answer) -> NoReturn:
    """Raises the `MadangError` for a refused call."""
    body = answer.text
    try:
        said = json.loads(body)
    except ValueError:
        said = None
    if isinstance(said, dict) and isinstance(said.get("error"), str):
        code = re.search(r"\((E\d\d)\)$", said["error"])
        raise MadangError(shown(said["error"]), answer.status, code[1] if code else None, body)
    if isinstance(said, dict) and isinstance(said.get("errorCode"), str):
        why = answer.header("X-Madang-Explanation") or said["errorCode"]
        raise MadangError(f"{call}: {answer.status} {shown(why)}", answer.status, said["errorCode"], body)
    raise MadangError(f"{call}: {answer.status} {shown(body[:1000])}".rstrip(), answer.status, None, body)
