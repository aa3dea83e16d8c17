"""Prints what python-socketio hears in a namespace, a line of JSON each, after a line that says it has joined.

    python Tests/Foreign/nodes_listener.py URL NAMESPACE HEADERS TRANSPORT...
"""

import json
import sys

import socketio

url, namespace, headers, *transports = sys.argv[1:]
client = socketio.Client(reconnection=False)
client.on("channel", lambda chat: print(json.dumps(chat), flush=True), namespace=namespace)
client.connect(url, headers=json.loads(headers), transports=transports, namespaces=[namespace], wait_timeout=10)
print(client.transport(), flush=True)
client.wait()
