"""Ports for servers under test."""

import asyncio
import contextlib
import random
import socket
import time

# Below those that Linux gives to connections and to listeners at port 0: none of them takes one before its server does.
PORTS = range(20000, 32000)
TRIES = 1000
given = set()


def free_port():
    """A port that nothing uses by TCP or UDP, and that this program was not given before."""
    for _ in range(TRIES):
        port = random.SystemRandom().choice(PORTS)
        with contextlib.suppress(OSError), socket.socket() as tcp, socket.socket(type=socket.SOCK_DGRAM) as udp:
            tcp.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
            tcp.bind(("", port))
            udp.bind(("", port))
            if port not in given:
                given.add(port)
                return port
    raise OSError(f"no free port in {TRIES} tries between {PORTS.start} and {PORTS.stop}")


def free_ports(count):
    """As many ports of ``free_port``."""
    return [free_port() for _ in range(count)]


async def accepts(port, process, limit=60):
    """Whether a process of asyncio accepts connections at the port within `limit` seconds."""
    deadline = time.monotonic() + limit
    while process.returncode is None and time.monotonic() < deadline:
        with contextlib.suppress(OSError):
            _, writer = await asyncio.open_connection("127.0.0.1", port)
            writer.close()
            return True
        await asyncio.sleep(0.05)
    return False
