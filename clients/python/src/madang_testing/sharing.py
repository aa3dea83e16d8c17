"""One server for all workers of pytest-xdist: the controller finds or starts it when the first worker asks."""

from __future__ import annotations

import pathlib
import secrets
import threading
from multiprocessing.connection import Client, Listener
from typing import Any, Dict, Optional

from .http import MadangError
from .server import MadangServer, find_or_start


class Broker:
    """The controller's side."""

    def __init__(self) -> None:
        self._key = secrets.token_bytes(16)
        self._listener = Listener(("127.0.0.1", 0), backlog=64, authkey=self._key)
        self._server: Optional[MadangServer] = None
        self._failure: Optional[str] = None
        self._is_closed = False
        threading.Thread(target=self._answer, name="madang-broker", daemon=True).start()

    @property
    def place(self) -> Dict[str, Any]:
        """What a worker needs to ask, in types that xdist sends."""
        host, port = self._listener.address
        return {"host": host, "port": port, "key": self._key.hex()}

    @property
    def story(self) -> Optional[str]:
        return self._server.story if self._server else None

    def close(self) -> None:
        self._is_closed = True
        self._listener.close()
        if self._server:
            self._server.close()

    def _answer(self) -> None:
        while not self._is_closed:
            try:
                with self._listener.accept() as worker:
                    worker.send(self._find())
            except Exception:  # A worker that ended, or another program at this port.
                continue

    def _find(self) -> Any:
        if self._server is None and self._failure is None:
            try:
                self._server = find_or_start()
            except (MadangError, OSError) as failure:
                self._failure = str(failure)
        if self._server is None:
            return self._failure
        return self._server.url, self._server.token, self._server.story, self._server.folder


def ask(place: Dict[str, Any]) -> MadangServer:
    """The worker's side: the controller's server. Raises `MadangError` if there is none."""
    with Client((place["host"], place["port"]), authkey=bytes.fromhex(place["key"])) as controller:
        answer = controller.recv()
    if isinstance(answer, str):
        raise MadangError(answer)
    return SharedServer(*answer)


class SharedServer(MadangServer):
    """The controller's server in a worker, which does not end it."""

    def __init__(self, url: str, token: Optional[str], story: str, folder: Optional[pathlib.Path]) -> None:
        super().__init__(url, token, story)
        self._development.folder = folder

    @property
    def was_started(self) -> bool:
        return self.folder is not None
