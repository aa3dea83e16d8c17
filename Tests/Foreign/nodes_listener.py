"""Prints what python-socketio hears in a namespace, a line of JSON each, after a line that says it has joined.

    python Tests/Foreign/nodes_listener.py URL NAMESPACE HEADERS TRANSPORT...
"""

import json
import os
import sys

import socketio

url, namespace, headers, *transports = sys.argv[1:]
client = socketio.Client(reconnection=False)


def tell(line):
    """Writes a line at once: events come on threads of their own."""
    os.write(1, (line + "\n").encode())


client.on("channel", lambda chat: tell(json.dumps(chat)), namespace=namespace)
client.connect(url, headers=json.loads(headers), transports=transports, namespaces=[namespace], wait_timeout=10)
tell(client.transport())
client.wait()
