"""Runs `socketio-echo --client` against a server of python-socketio, by JSON and by MessagePack, in all three transport modes.

    python3 -m venv /tmp/clients && /tmp/clients/bin/pip install "python-socketio[client]" aiohttp msgpack
    swift build --product socketio-echo
    /tmp/clients/bin/python Tests/Foreign/python_server_check.py .build/debug/socketio-echo

Exits 0 when every check held.
"""

import asyncio
import sys

import socketio
from aiohttp import web

WAIT = 60
ARGUMENTS = ("é😀", {"b": [1, -1, 2**53, 1.5, None, True], "": {}}, b"\x00\xff", [{"k": b""}])


def check(condition, what):
    if not condition:
        raise AssertionError(what)


class Server:
    """Lets the client in that shows the good token, and exchanges events with it."""

    def __init__(self, serializer):
        self.sockets = socketio.AsyncServer(async_mode="aiohttp", serializer=serializer)
        self.joined, self.echoes, self.refused = asyncio.Queue(), asyncio.Queue(), 0
        self.sockets.on("connect", self.connect, namespace="/echo")
        self.sockets.on("echo-back", self.echoed, namespace="/echo")

    async def connect(self, sid, environ, auth):
        if auth != {"token": "good"}:
            self.refused += 1
            raise socketio.exceptions.ConnectionRefusedError("not authorized", {"code": 401})
        # It travels before the answer to CONNECT, as python-socketio answers when this handler has ended.
        await self.sockets.emit("event", "welcome", to=sid, namespace="/echo")
        self.joined.put_nowait(sid)

    async def echoed(self, _, *arguments):
        self.echoes.put_nowait(arguments)

    async def exchange(self, polls):
        sid = await asyncio.wait_for(self.joined.get(), WAIT)
        welcome = await asyncio.wait_for(self.echoes.get(), WAIT)
        check(welcome == ("welcome",), f"{welcome!r:.200} instead of the welcome")
        # python-engineio takes the first segment of a POST for all of it, so nothing is larger by polling.
        for arguments in (ARGUMENTS, (), (b"x" * (20_000 if polls else 100_000),)):
            await self.sockets.emit("event", arguments, to=sid, namespace="/echo")
            echo = await asyncio.wait_for(self.echoes.get(), WAIT)
            check(echo == arguments, f"{echo!r:.200} is not {arguments!r:.200}")
        answer = await self.sockets.call("event", ARGUMENTS, to=sid, namespace="/echo", timeout=WAIT)
        check(tuple(answer) == ARGUMENTS, f"acknowledged by {answer!r:.200}")
        for number in range(50):
            await self.sockets.emit("event", number, to=sid, namespace="/echo")
        numbers = [(await asyncio.wait_for(self.echoes.get(), WAIT))[0] for _ in range(50)]
        check(sorted(numbers) == list(range(50)), f"echoes of {numbers}")
        await self.sockets.disconnect(sid, namespace="/echo")


async def run(program, serializer, *options):
    server, application = Server(serializer), web.Application()
    server.sockets.attach(application)
    # Its handlers live on until the next ping.
    runner = web.AppRunner(application, shutdown_timeout=0.1)
    await runner.setup()
    site = web.TCPSite(runner, "127.0.0.1", 0)
    await site.start()
    url = f"http://127.0.0.1:{runner.addresses[0][1]}"
    client = await asyncio.create_subprocess_exec(program, "--client", url, *options)
    try:
        for mode in ("websocket", "polling", "upgrade"):
            await server.exchange(polls=mode != "websocket")
            print("ok", serializer, mode, flush=True)
        check(await asyncio.wait_for(client.wait(), WAIT) == 0, "the client failed")
        check(server.refused == 3, "the bad token was let in")
    finally:
        if client.returncode is None:
            client.kill()
            await client.wait()
        await runner.cleanup()


async def main():
    await run(sys.argv[1], "default")
    await run(sys.argv[1], "msgpack", "--msgpack")


if __name__ == "__main__":
    asyncio.run(main())
