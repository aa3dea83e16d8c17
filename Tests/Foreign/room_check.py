"""A room of 300 clients of python-socketio: each joins the room and broadcasts to its rooms in one handler of the server.

    python3 -m venv /tmp/clients && /tmp/clients/bin/pip install "python-socketio[client]" aiohttp
    swift build --product socketio-echo
    /tmp/clients/bin/python Tests/Foreign/room_check.py .build/debug/socketio-echo

First all enter at once: of any two, at least one hears of the other. Then all enter a second room one after the other: each is heard by
exactly those that came before it. Exits 0 when every check held.
"""

import asyncio
import sys

import socketio

from python_socketio_check import Rig, check

CLIENTS = 300
WAIT = 300


class Guest:
    """A client that notes who enters after it."""

    def __init__(self):
        self.client = socketio.AsyncClient(reconnection=False)
        self.client.on("entered", self.entered, namespace="/bench")
        self.heard, self.id, self.changed = set(), None, asyncio.Event()

    async def connect(self, url):
        await self.client.connect(url, transports=["websocket"], namespaces=["/bench"], wait_timeout=WAIT)

    async def entered(self, guest):
        check(guest not in self.heard, f"{guest} entered twice")
        self.heard.add(guest)
        self.changed.set()

    async def enter(self, room):
        self.id = await self.client.call("enter", room, namespace="/bench", timeout=WAIT)

    async def hears(self, count):
        while len(self.heard) < count:
            self.changed.clear()
            await asyncio.wait_for(self.changed.wait(), WAIT)

    async def settles(self):
        """What was sent to this client before has arrived when this is answered."""
        await self.client.call("echo", 1, namespace="/bench", timeout=WAIT)


async def run(url):
    guests = [Guest() for _ in range(CLIENTS)]
    for first in range(0, CLIENTS, 50):
        await asyncio.gather(*(guest.connect(url) for guest in guests[first:first + 50]))
    await asyncio.gather(*(guest.enter("first") for guest in guests))
    # Twice: a broadcast of one event loop may reach another one after that one has answered.
    for _ in range(2):
        await asyncio.gather(*(guest.settles() for guest in guests))
    for index, guest in enumerate(guests):
        for other in guests[:index]:
            check(other.id in guest.heard or guest.id in other.heard, f"{guest.id} and {other.id} do not hear each other")
    print("ok all at once", sum(len(guest.heard) for guest in guests), "events", flush=True)
    for guest in guests:
        await guest.client.call("leave", "first", namespace="/bench", timeout=WAIT)
        guest.heard.clear()
    for index, guest in enumerate(guests):
        await guest.enter("second")
        await asyncio.gather(*(former.hears(index - place) for place, former in enumerate(guests[:index])))
    for index, guest in enumerate(guests):
        await guest.settles()
        check(guest.heard == {other.id for other in guests[index + 1:]}, f"{guest.id} heard {len(guest.heard)}")
    print("ok one after the other", flush=True)
    await asyncio.gather(*(guest.client.disconnect() for guest in guests))


def main():
    rig = Rig(sys.argv[1], options=("--ping-interval", "3600000"))
    try:
        asyncio.run(run(rig.url))
    finally:
        rig.stop()


if __name__ == "__main__":
    main()
