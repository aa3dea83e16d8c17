"""The server that makes worlds: found, or started for the run."""

from __future__ import annotations

import os
import pathlib
import shutil
import threading
from types import TracebackType
from typing import Any, Dict, Optional, Type

from .development import FIND, Development
from .durations import Duration, seconds, text
from .http import MadangError
from .started import StartedServer, start_program
from .world import Seed, Settings, World, seed_field

STANDARD = "http://127.0.0.1:8080"
"""Where `madang serve --dev` listens by default."""

LEASE = "10m"
"""How long a world outlives a runner that was killed."""


class MadangServer:
    """A server in development mode. `find_or_start` makes one; the fixture `madang` is one for the whole run."""

    def __init__(
        self, url: str, token: Optional[str] = None, story: str = "", started: Optional[StartedServer] = None
    ) -> None:
        self.url = url.rstrip("/")
        self.token = token
        self.story = story or f"madang: found at {self.url}"
        """One line: whether it was found or started, and where."""
        self._started = started
        self._development = Development(self.url, token, started.folder if started else None)
        self._worlds: Dict[str, World] = {}
        self._renewal: Optional[threading.Thread] = None
        self._stopped = threading.Event()
        self._lock = threading.Lock()

    def __enter__(self) -> MadangServer:
        return self

    def __exit__(
        self, kind: Optional[Type[BaseException]], error: Optional[BaseException], trace: Optional[TracebackType]
    ) -> None:
        self.close()

    @property
    def was_started(self) -> bool:
        """Whether it ends with the run."""
        return self._started is not None

    @property
    def folder(self) -> Optional[pathlib.Path]:
        """The folder of a server that was started, with its log."""
        return self._development.folder

    def dev(self, method: str, path: str, body: Any = None) -> Any:
        """Any development call of the server: `madang.dev("GET", "worlds")`."""
        return self._development.call(method, f"_dev/{path}", body)

    def make_world(
        self, seed: Seed = "courtyard", *, number: Optional[int] = None,
        settings: Optional[Settings] = None, name: Optional[str] = None, ttl: Optional[Duration] = None,
    ) -> World:
        """Makes a world. With a `number`, ids, tokens and dates are the same in each run, and the clock stands still.

        `settings` are names and values of settings for this world only. Without `ttl` the world has a lease that is
        renewed until the world or this process ends. Remove the world, or use it in `with`.
        """
        plan: Dict[str, Any] = {"seed": seed_field(seed), "number": number, "settings": settings, "name": name}
        plan["ttl"] = text(LEASE if ttl is None else ttl)
        made = self.dev("POST", "worlds", {field: value for field, value in plan.items() if value is not None})
        world = World(self._development, made, self._forget)
        with self._lock:
            if ttl is None:
                self._worlds[world.id] = world
                if self._renewal is None:
                    self._renewal = threading.Thread(target=self._renew, name="madang-leases", daemon=True)
                    self._renewal.start()
        return world

    def close(self) -> None:
        """Ends the server if it was started. One that does not end is killed. Raises `MadangError` if that fails."""
        self._stopped.set()
        started, self._started = self._started, None
        if started is not None:
            started.end()

    def check(self) -> None:
        """Raises `MadangError` if no server in development mode answers within 30 s."""
        about = self._development.about(FIND)
        if not isinstance(about, dict) or "keys" not in about:
            raise MadangError(f"{self.url} is not a Madang server in development mode")

    def silence(self, is_certain: bool = False) -> Optional[str]:
        """Why the server cannot be used; None if it answers, or if it answered the last call and `is_certain` is false.

        It is asked for at most 5 s.
        """
        return self._development.silence(is_certain)

    def _forget(self, world: World) -> None:
        with self._lock:
            self._worlds.pop(world.id, None)

    def _renew(self) -> None:
        """Any call about a world renews its lease; a test may stand in a debugger for an hour."""
        while not self._stopped.wait(seconds(LEASE) / 4):
            with self._lock:
                worlds = list(self._worlds.values())
            for world in worlds:
                try:
                    world.dev("GET", "clock")
                except Exception as failure:
                    # The world has ended. Other failures pass, and the lease lasts for more tries.
                    if isinstance(failure, MadangError) and failure.status == 400:
                        self._forget(world)


def find_or_start() -> MadangServer:
    """The server of `MADANG_DEV_URL`; else one that is started with the program of `MADANG_PROGRAM`; else the one at
    http://127.0.0.1:8080; else one that is started with `madang` of the PATH. Raises `MadangError` if there is none."""
    url, token = os.environ.get("MADANG_DEV_URL"), os.environ.get("MADANG_DEV_TOKEN")
    if url:
        server = MadangServer(url, token, f"madang: found at {url} (MADANG_DEV_URL)")
        try:
            server.check()
        except MadangError as failure:
            cure = ("set MADANG_DEV_TOKEN to the token that 'madang serve --dev --lan' prints" if failure.status
                    else "start 'madang serve --dev' there, or unset MADANG_DEV_URL to have a server started")
            raise MadangError(f"no development server at {url} (MADANG_DEV_URL): {failure}; {cure}") from None
        return server
    program = os.environ.get("MADANG_PROGRAM")
    if program:
        return start(program)
    server = MadangServer(STANDARD, token)
    # Another program may be there, or none: it is asked for 5 s only.
    if server.silence(is_certain=True) is None:
        try:
            server.check()
            return server
        except MadangError:
            pass
    program = shutil.which("madang")
    if program is None:
        raise MadangError(
            f"no Madang server answers at {STANDARD}, and there is no program 'madang' on the PATH: start "
            "'madang serve --dev', or set MADANG_DEV_URL to the URL of a server, or MADANG_PROGRAM to the program")
    return start(program)


def start(program: str) -> MadangServer:
    """Starts `program serve --dev` on a free port, with data that is removed with it."""
    started = start_program(program)
    return MadangServer(started.url, None, f"madang: started {program} at {started.url}", started)
