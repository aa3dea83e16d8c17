"""A small client of the API of apps."""

from __future__ import annotations

import json as encoding
from typing import Any, Dict, Mapping, Optional, Union

from .http import WAIT, Answer, Connection, refuse

Query = Mapping[str, Union[str, int, None]]


class Client:
    """A signed-in client of the API, for tests of the API itself. `World.sign_in` makes one.

    Paths are below `/v1`: `client.get("workspaces")`. Failures of the network are `ConnectionError` and `TimeoutError`.
    """

    def __init__(self, connection: Connection, edition: str) -> None:
        self._connection = connection
        self.edition = edition
        """`2024-10` or `2024-01`."""
        self.user: Dict[str, Any] = {}
        """The answer to the sign-in, without the tokens."""
        self.access_token = ""
        self.refresh_token = ""

    def sign_in(self, email: str, password: str) -> None:
        """Signs in, and sends the access token from now on."""
        answer = dict(self.post("users/login", {"email": email, "password": password}))
        # The edition 2024-01 has the tokens beside the other fields.
        tokens = answer.pop("token", None) or {
            name: answer.pop(name) for name in ("accessToken", "refreshToken") if name in answer}
        self.access_token, self.refresh_token, self.user = tokens["accessToken"], tokens["refreshToken"], answer

    def get(self, path: str, *, query: Optional[Query] = None, headers: Optional[Mapping[str, str]] = None) -> Any:
        """The JSON of the answer. Raises `MadangError` with status and code for every status that is not 2xx."""
        return self._read("GET", path, None, query, headers)

    def post(
        self, path: str, json: Any = None, *, query: Optional[Query] = None,
        headers: Optional[Mapping[str, str]] = None,
    ) -> Any:
        """Sends JSON; as `get`."""
        return self._read("POST", path, json, query, headers)

    def put(
        self, path: str, json: Any = None, *, query: Optional[Query] = None,
        headers: Optional[Mapping[str, str]] = None,
    ) -> Any:
        """Sends JSON; as `get`."""
        return self._read("PUT", path, json, query, headers)

    def delete(self, path: str, *, query: Optional[Query] = None, headers: Optional[Mapping[str, str]] = None) -> Any:
        """As `get`."""
        return self._read("DELETE", path, None, query, headers)

    def request(
        self, method: str, path: str, json: Any = None, *, query: Optional[Query] = None,
        headers: Optional[Mapping[str, str]] = None, timeout: float = WAIT,
    ) -> Answer:
        """The answer of any status."""
        sent = {"Authorization": self.access_token} if self.access_token else {}
        if json is not None:
            sent["Content-Type"] = "application/json"
        body = None if json is None else encoding.dumps(json).encode()
        return self._connection.send(
            method, f"v1/{below_version(path)}", body, query=query, headers={**sent, **(headers or {})},
            timeout=timeout)

    def _read(
        self, method: str, path: str, json: Any, query: Optional[Query], headers: Optional[Mapping[str, str]]
    ) -> Any:
        answer = self.request(method, path, json, query=query, headers=headers)
        if not 200 <= answer.status < 300:
            refuse(f"{method} /v1/{below_version(path)}", answer)
        return answer.json()


def below_version(path: str) -> str:
    """`workspaces` for `workspaces`, `/workspaces` and `/v1/workspaces`."""
    path = path.lstrip("/")
    return path[3:] if path.startswith("v1/") else path
