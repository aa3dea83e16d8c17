"""The server that makes worlds: found, or started for the run."""

from __future__ import annotations

import os
import pathlib
import re
import shutil
import subprocess
import tempfile
import threading
from types import TracebackType
from typing import Any, Dict, List, Optional, Type

from .durations import Duration, seconds, text
from .http import Connection, MadangError
from .world import Seed, Settings, World, call, seed_field

STANDARD = "http://127.0.0.1:8080"
"""Where `madang serve --dev` listens by default."""

LEASE = "10m"
"""How long a world outlives a runner that was killed."""

# The server ends with this process, however that ends: then the pipe to `cat` is closed. Only the server keeps stdout.
_SUPERVISE = (
    '"$0" serve --dev --port 0 --data "$1/data" </dev/null 2>"$1/log" & server=$!; '
    'exec >/dev/null; cat; kill $server; wait $server; rm -rf "$1"')


class MadangServer:
    """A server in development mode. `find_or_start` makes one; the fixture `madang` is one for the whole run."""

    def __init__(
        self, url: str, token: Optional[str] = None, story: str = "", process: Optional[subprocess.Popen[bytes]] = None
    ) -> None:
        self.url = url.rstrip("/")
        self.token = token
        self.story = story or f"madang: found at {self.url}"
        """One line: whether it was found or started, and where."""
        self._process = process
        self._connection = Connection(self.url, {"Authorization": f"Bearer {token}"} if token else {})
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
        return self._process is not None

    def dev(self, method: str, path: str, body: Any = None) -> Any:
        """Any development call of the server: `madang.dev("GET", "worlds")`."""
        return call(self._connection, method, f"_dev/{path}", body)

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
        world = World(self._connection, made, self._forget)
        with self._lock:
            if ttl is None:
                self._worlds[world.id] = world
                if self._renewal is None:
                    self._renewal = threading.Thread(target=self._renew, name="madang-leases", daemon=True)
                    self._renewal.start()
        return world

    def close(self) -> None:
        """Ends the server if it was started."""
        self._stopped.set()
        process, self._process = self._process, None
        if process is None or process.stdin is None or process.stdout is None:
            return
        process.stdin.close()
        process.wait(60)
        process.stdout.close()

    def check(self) -> None:
        """Raises `MadangError` if no server in development mode answers."""
        if "keys" not in self.dev("GET", "about"):
            raise MadangError(f"{self.url} is not a Madang server in development mode")

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
                except MadangError:
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
                    else f"start 'madang serve --dev' there, or unset MADANG_DEV_URL to have a server started")
            raise MadangError(f"no development server at {url} (MADANG_DEV_URL): {failure}; {cure}") from failure
        return server
    program = os.environ.get("MADANG_PROGRAM")
    if program:
        return start(program)
    server = MadangServer(STANDARD, token)
    try:
        server.check()
        return server
    except (MadangError, ValueError, TypeError):
        pass
    program = shutil.which("madang")
    if program is None:
        raise MadangError(
            f"no Madang server answers at {STANDARD}, and there is no program 'madang' on the PATH: start "
            "'madang serve --dev', or set MADANG_DEV_URL to the URL of a server, or MADANG_PROGRAM to the program")
    return start(program)


def start(program: str) -> MadangServer:
    """Starts `program serve --dev` on a free port, with data that is removed with it."""
    if shutil.which(program) is None:
        raise MadangError(f"there is no program {program}: set MADANG_PROGRAM to the path of 'madang'")
    folder = pathlib.Path(tempfile.mkdtemp(prefix="madang-test-"))
    process = subprocess.Popen(
        ["sh", "-c", _SUPERVISE, program, str(folder)], stdin=subprocess.PIPE, stdout=subprocess.PIPE,
        start_new_session=True)
    assert process.stdout is not None and process.stdin is not None
    line = _line(process, 60)
    url = re.search(r"http://\S+", line)
    if url is None:
        log = _read(folder / "log")
        process.stdin.close()
        process.wait(60)
        process.stdout.close()
        raise MadangError(f"{program} serve --dev did not start: {log or 'it said nothing'}")
    return MadangServer(url[0], None, f"madang: started {program} at {url[0]}", process)


def _line(process: subprocess.Popen[bytes], limit: float) -> str:
    """The first line of a program; empty if it ends or says nothing within so many seconds."""
    lines: List[bytes] = []
    reader = threading.Thread(
        target=lambda: lines.append(process.stdout.readline() if process.stdout else b""), daemon=True)
    reader.start()
    reader.join(limit)
    return lines[0].decode(errors="replace") if lines else ""


def _read(file: pathlib.Path) -> str:
    try:
        return " ".join(file.read_text(errors="replace").split("\n")[-10:]).strip()
    except OSError:
        return ""
