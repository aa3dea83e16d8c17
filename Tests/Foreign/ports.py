"""Ports for servers under test."""

import contextlib
import random
import socket

# Below those that Linux gives to connections and to listeners at port 0: none of them takes one before its server does.
PORTS = range(20000, 32000)


def free_ports(count):
    """As many ports that nothing uses, each of them once."""
    found = []
    while len(found) < count:
        port = random.SystemRandom().choice(PORTS)
        with socket.socket() as one, contextlib.suppress(OSError):
            one.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
            one.bind(("", port))
            if port not in found:
                found.append(port)
    return found


def free_port():
    """A port that nothing uses."""
    return free_ports(1)[0]
