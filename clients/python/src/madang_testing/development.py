"""Development calls of a server, which may be hung or have ended."""

from __future__ import annotations

import json
import pathlib
from typing import Any, Mapping, Optional, Sequence, Union

from .http import WAIT, Connection, MadangError, refuse
from .started import fate

FIND = 30.0
"""How long a server may take to say that it is there when it is looked for, in seconds."""

ABOUT = 5.0
"""How long it may take to say so after a call without an answer, in seconds."""


class Development(Connection):
    """The development calls of a server. `folder` is that of a server that was started.

    After a call without an answer, the server is first asked whether it is there, so that each later call of a hung
    server fails after `ABOUT`, not after `WAIT`.
    """

    def __init__(self, base: str, token: Optional[str] = None, folder: Optional[pathlib.Path] = None) -> None:
        super().__init__(base, {"Authorization": f"Bearer {token}"} if token else {})
        self.folder = folder
        self._is_doubtful = False

    def call(
        self, method: str, path: str, body: Any = None, query: Optional[Mapping[str, Union[str, int, None]]] = None,
        headers: Optional[Mapping[str, str]] = None, accept: Sequence[int] = (),
    ) -> Any:
        """A call's JSON, or its text if it is not JSON. Raises `MadangError`, without a status if no answer came."""
        if self._is_doubtful:
            self.about(ABOUT)
        return self._call(method, path, body, query, headers, accept, WAIT)

    def about(self, limit: float) -> Any:
        """What the server says about itself. Raises `MadangError` if it takes longer than the limit, in seconds."""
        return self._call("GET", "_dev/about", None, None, None, (), limit)

    def silence(self, is_certain: bool = False) -> Optional[str]:
        """Why the server cannot be used; None if it answers. It is asked only after a call without an answer, and if
        `is_certain` is true."""
        try:
            if self._is_doubtful or is_certain:
                self.about(ABOUT)
        except MadangError as failure:
            if failure.status is None:
                return f"the server at {self.base} does not answer: {failure}"
        return None

    def _call(
        self, method: str, path: str, body: Any, query: Optional[Mapping[str, Union[str, int, None]]],
        headers: Optional[Mapping[str, str]], accept: Sequence[int], timeout: float,
    ) -> Any:
        data = None if body is None else body if isinstance(body, bytes) else json.dumps(body).encode()
        try:
            answer = self.send(method, path, data, query=query, headers=headers, timeout=timeout)
        except OSError as failure:
            self._is_doubtful = True
            # A server that has ended is not slow.
            end = "" if isinstance(failure, TimeoutError) else fate(self.folder)
            raise MadangError(f"{failure}{end}") from None
        self._is_doubtful = False
        if answer.status not in (200, *accept):
            refuse(f"{method} /{path}", answer)
        if not (answer.header("Content-Type") or "").startswith("application/json"):
            return answer.text
        try:
            return answer.json()
        except ValueError:
            raise MadangError(f"{method} /{path}: the answer is cut or is not JSON: {answer.text[-100:]!r}") from None
