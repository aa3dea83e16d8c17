"""A server under test."""

import asyncio
import contextlib
import os
import re
import subprocess
import sys

# The keys of development mode, for a server that is not in it: by them the checks know what to send.
KEYS = "dev-key-2024-10=2024-10,dev-key-2024-01=2024-01"


# Cheap passwords, because hashing would take most of the time. Patience for a disk that stands still, which is no fault of the server.
FOR_CHECKS = {"MADANG_PASSWORD_MEMORY": "8", "MADANG_PASSWORD_PASSES": "1", "MADANG_DATABASE_WAIT": "25s"}


@contextlib.contextmanager
def database(name):
    """The settings of a fresh database on the PostgreSQL server of MADANG_TEST_POSTGRES."""
    server = os.environ.get("MADANG_TEST_POSTGRES") or sys.exit("run this by Scripts/with-postgres")

    def ask(statement):
        subprocess.run(["psql", "-q", "-d", server, "-c", statement], check=True, capture_output=True)
    ask(f"CREATE DATABASE {name}")
    try:
        url = re.sub(r"(://[^/]*/)[^?]*", rf"\g<1>{name}", server)
        yield {"MADANG_DATABASE_URL": f"{url}{'&' if '?' in url else '?'}connect_timeout=60"}
    finally:
        ask(f"DROP DATABASE {name} WITH (FORCE)")


class Program:
    """A server under test on a free port of this machine. `settings` are names and values of its environment."""

    def __init__(self, *command, settings=None):
        self._command = command
        self._settings = settings or {}

    @classmethod
    def hosted(cls, madang, data, settings=None):
        """Madang as people host it: with keys, and not in development mode. Clients have loopback addresses of their own here."""
        own = {"MADANG_KEYS": KEYS, "MADANG_LOOPBACK_CLIENTS": "true"}
        return cls(madang, "serve", "--port", "0", "--data", data, settings=own | (settings or {}))

    @classmethod
    def development(cls, madang, data, settings=None):
        return cls(madang, "serve", "--dev", "--port", "0", "--data", data, settings=settings)

    async def __aenter__(self):
        environment = os.environ | FOR_CHECKS | self._settings
        self._process = await asyncio.create_subprocess_exec(
            *self._command, env=environment, stdout=asyncio.subprocess.PIPE, stderr=asyncio.subprocess.DEVNULL)
        line = await asyncio.wait_for(self._process.stdout.readline(), 60)
        if not line:
            sys.exit(f"{self._command[0]} did not start")
        self.url = line.decode().split()[-1]
        self.pid = self._process.pid
        return self

    async def __aexit__(self, *_):
        self._process.terminate()
        try:
            await asyncio.wait_for(self._process.wait(), 60)
        except TimeoutError:
            self._process.kill()
            await self._process.wait()
