"""Prints what python-socketio hears in a namespace, a line of JSON each, after a line that says it has joined.

    python Tests/Foreign/nodes_listener.py URL NAMESPACE HEADERS TRANSPORT...
"""

import json
import os
import sys

import engineio
import socketio


class InOrder(engineio.Client):
    """Hands messages over one after the other. Else each has a thread of its own, and a later one may come first."""

    def _trigger_event(self, event, *arguments, **options):
        return super()._trigger_event(event, *arguments, **{**options, "run_async": False})


class Client(socketio.Client):
    def _engineio_client_class(self):
        return InOrder


url, namespace, headers, *transports = sys.argv[1:]
client = Client(reconnection=False, request_timeout=60)


def tell(line):
    """Writes a line at once."""
    os.write(1, (line + "\n").encode())


client.on("channel", lambda chat: tell(json.dumps(chat)), namespace=namespace)
client.connect(url, headers=json.loads(headers), transports=transports, namespaces=[namespace], wait_timeout=60)
tell(client.transport())
client.wait()
