"""The processes under test, and what stands between them: nodes, the relay, and a payment provider."""

import asyncio
import contextlib
import json
import os
import pathlib
import signal
import subprocess
import sys
import time

import disk
import wire

sys.path.append(str(pathlib.Path(__file__).resolve().parents[1] / "Foreign"))
from ports import free_ports


class Relay:
    """Links that connections go over, each of which can be cut (relay.c)."""

    @staticmethod
    def build(folder):
        program = pathlib.Path(folder) / "relay"
        subprocess.run(
            [disk.compiler(), "-std=gnu11", "-O2", "-Wall", "-o", program,
             pathlib.Path(__file__).parent / "relay.c"], check=True)
        return program

    @classmethod
    async def start(cls, program, targets):
        self = cls()
        self._process = await asyncio.create_subprocess_exec(
            program, *map(str, targets), stdin=asyncio.subprocess.PIPE, stdout=asyncio.subprocess.PIPE)
        self.ports = [int(port) for port in (await self._process.stdout.readline()).split()]
        self._turn = asyncio.Lock()
        return self

    async def set(self, link, mode):
        async with self._turn:
            self._process.stdin.write(f"{link} {mode}\n".encode())
            await asyncio.wait_for(self._process.stdout.readline(), 10)

    async def stop(self):
        self._process.stdin.close()
        await self._process.wait()


class Provider:
    """PortOne, as far as nodes ask it: each payment is paid; its id tells the rest: `imp_<won>_<number>`."""

    async def __aenter__(self):
        self._server = await asyncio.start_server(self._serve, "127.0.0.1", 0)
        self.url = f"http://127.0.0.1:{self._server.sockets[0].getsockname()[1]}"
        return self

    async def __aexit__(self, *_):
        self._server.close()

    async def _serve(self, reader, writer):
        try:
            while True:
                first, headers = await wire.read_head(reader)
                await reader.readexactly(int(headers.get("content-length", 0)))
                path = first.split(" ")[1]
                now = int(time.time())
                if path == "/users/getToken":
                    told = {"access_token": "token", "now": now, "expired_at": now + 3600}
                else:
                    payment = path.rpartition("/")[2]
                    told = {"imp_uid": payment, "merchant_uid": f"m_{payment}", "amount": int(payment.split("_")[1]),
                            "status": "paid", "paid_at": now}
                body = json.dumps({"code": 0, "response": told}).encode()
                writer.write(b"HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nContent-Length: %d\r\n\r\n" % len(body) + body)
                await writer.drain()
        except (OSError, EOFError):
            pass
        finally:
            writer.close()


class DidNotStart(Exception):
    pass


class Node:
    """One `madang serve`. Clients call `port`, which leads over the relay."""

    def __init__(self, name, program, data, log, settings, disk=None, tries=1):
        self.name = name
        self.listen_port = free_ports(1)[0]
        self.port = None
        self._command = [program, "serve", "--port", str(self.listen_port), "--data", str(data)]
        self._settings = settings
        self._log = log
        self.disk = disk
        # Where the database may be away, a start that fails is tried again, as by a service manager.
        self._tries = tries
        self._process = None
        # When it could not do its work, as [begin, end] in seconds; `end` is None as long as it lasts.
        self._troubles = []

    def use_database(self, url):
        self._settings["MADANG_DATABASE_URL"] = url

    @property
    def is_running(self):
        return self._process is not None and self._process.returncode is None

    async def start(self):
        for left in reversed(range(self._tries)):
            try:
                return await self._start()
            except DidNotStart:
                if not left:
                    raise
                await asyncio.sleep(1)

    async def _start(self):
        environment = os.environ | self._settings | (self.disk.environment if self.disk else {})
        with open(self._log, "ab") as log:
            self._process = await asyncio.create_subprocess_exec(
                *self._command, env=environment, stdout=asyncio.subprocess.PIPE, stderr=log,
                # Who interrupts the torture at a terminal does not interrupt it.
                start_new_session=True)
        try:
            line = await asyncio.wait_for(self._process.stdout.readline(), 60)
        except TimeoutError:
            line = b""
        if b"listening" not in line:
            # Mostly it has ended by itself.
            with contextlib.suppress(TimeoutError):
                await asyncio.wait_for(self._process.wait(), 5)
            await self.kill()
            tail = pathlib.Path(self._log).read_text(errors="replace")[-1500:]
            raise DidNotStart(f"{self.name} did not start: {tail}")

    async def kill(self):
        if self.is_running:
            self._process.kill()
            await self._process.wait()

    def signal(self, number):
        if self.is_running:
            self._process.send_signal(number)

    async def stop(self):
        """Politely; as of a polite stop, status 0 is expected."""
        if not self.is_running:
            return
        self.signal(signal.SIGCONT)
        self.signal(signal.SIGTERM)
        try:
            await asyncio.wait_for(self._process.wait(), 20)
        except TimeoutError:
            await self.kill()

    async def is_ready(self):
        http = wire.HTTP(self.port)
        try:
            return (await http.request("GET", "/readyz", {}, limit=5)).status == 200
        except wire.Unanswered:
            return False
        finally:
            http.close()

    @contextlib.contextmanager
    def trouble(self):
        one = [time.time(), None]
        self._troubles.append(one)
        try:
            yield
        finally:
            one[1] = time.time()

    def was_calm(self, begin, end):
        return not any(start < end and (stop is None or stop > begin) for start, stop in self._troubles)
