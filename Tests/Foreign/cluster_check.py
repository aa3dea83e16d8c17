"""python-socketio against two `socketio-echo` on one PostgreSQL, behind nginx and haproxy set up as Adapters.md says.

    Scripts/with-postgres /tmp/clients/bin/python Tests/Foreign/cluster_check.py .build/debug/socketio-echo

Needs nginx and haproxy. Exits 0 when every check held.
"""

import json
import os
import pathlib
import re
import socket
import subprocess
import sys
import tempfile
import time
import urllib.request

from ports import free_port
from python_socketio_check import Peer, Rig, same

ROOT = pathlib.Path(__file__).parents[2]
PAGE = ROOT / "Sources/SocketIOServer/SocketIOServer.docc/Adapters.md"
MODES = ["polling"], None, ["websocket"]
# Of each mode, so that both servers have some.
PEERS = 4


def snippet(language, nodes):
    """The page's configuration for these servers."""
    text = re.search(rf"```{language}\n(.*?)```", PAGE.read_text(), re.DOTALL)[1]
    for number, node in enumerate(nodes, 1):
        text = text.replace(f"10.0.0.{number}:3000", f"127.0.0.1:{node.port}")
    return text


class Proxy:
    """A proxy on a free port."""

    def __init__(self, name, folder, nodes):
        self.port = free_port()
        self.url = f"http://127.0.0.1:{self.port}"
        configuration = pathlib.Path(folder) / f"{name}.conf"
        if name == "nginx":
            site = snippet(name, nodes).replace("server {\n", f"server {{\n  listen 127.0.0.1:{self.port};\n", 1)
            kinds = "client_body", "proxy", "fastcgi", "uwsgi", "scgi"
            configuration.write_text(f"""
                {"user root;" if os.geteuid() == 0 else ""} daemon off; pid {folder}/pid; error_log {folder}/errors;
                events {{ worker_connections 1024; }}
                http {{ access_log off; {" ".join(f"{kind}_temp_path {folder}/{kind};" for kind in kinds)} {site} }}""")
            command = ["nginx", "-e", f"{folder}/errors", "-c", configuration]
        else:
            configuration.write_text(f"""
defaults
  mode http
  timeout connect 5s
  timeout client 60s
  timeout server 60s
  timeout tunnel 60s
  option redispatch
frontend all
  bind 127.0.0.1:{self.port}
  default_backend socketio
{snippet(name, nodes)}""")
            command = ["haproxy", "-q", "-f", configuration]
        self.process = subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        deadline = time.monotonic() + 60
        while True:
            try:
                socket.create_connection(("127.0.0.1", self.port)).close()
                return
            except OSError:
                if self.process.poll() is not None or time.monotonic() > deadline:
                    sys.exit(f"{name} did not start")
                time.sleep(0.05)

    def stop(self):
        self.process.terminate()
        self.process.wait(60)


def meets(nodes, peers):
    """Waits until events of every server reach every client: a server says that it listens before it has its place in PostgreSQL."""
    heard = {peer: set() for peer in peers}
    deadline = time.monotonic() + 60
    while any(len(numbers) < len(nodes) for numbers in heard.values()):
        assert time.monotonic() < deadline, "the servers do not hear each other"
        for number, node in enumerate(nodes):
            node.emit("/bench", "said", str(number).encode())
        time.sleep(0.2)
        for peer, numbers in heard.items():
            while not peer.inbox["said"].empty():
                numbers.update(peer.next("said"))


def hears_once(nodes, peers):
    """Each server's broadcasts come to every client, and nothing comes twice."""
    for number, node in enumerate(nodes):
        node.emit("/bench", "news", str(number).encode())
    for peer in peers:
        same(sorted(peer.next("news")[0] for _ in nodes), list(range(len(nodes))))
    # What comes twice would come before the answer to this.
    for peer in peers:
        same(peer.call("echo", "x"), "x")
        same(peer.inbox["news"].qsize(), 0)


def survives_a_kill(nodes, peers):
    """The clients of a server that is killed come back on the other one; everybody hears its broadcasts."""
    nodes[1].stop(abruptly=True)
    deadline = time.monotonic() + 60
    while any(not peer.client.connected or nodes[0].sockets < len(peers) for peer in peers):
        assert time.monotonic() < deadline, f"{nodes[0].sockets} of {len(peers)} clients came back"
        time.sleep(0.1)
    hears_once(nodes[:1], peers)


class Node(Rig):
    def __init__(self, name):
        # Pings tell clients soon that their server is gone.
        options = "--node", name, "--postgres", os.environ["MADANG_TEST_POSTGRES"], "--ping-interval", "2000"
        super().__init__(sys.argv[1], options=options)

    @property
    def sockets(self):
        with urllib.request.urlopen(f"{self.url}/stats", timeout=30) as response:
            return json.load(response)["sockets"]


def run(name):
    nodes = [Node("a"), Node("b")]
    with tempfile.TemporaryDirectory() as folder:
        proxy = Proxy(name, folder, nodes)
        try:
            peers = [Peer.joined(proxy.url, mode, reconnection=True) for mode in MODES for _ in range(PEERS)]
            assert all(node.sockets > 0 for node in nodes), "one server has no client"
            meets(nodes, peers)
            for scenario in hears_once, survives_a_kill:
                scenario(nodes, peers)
                print("ok", name, scenario.__name__, flush=True)
            for peer in peers:
                peer.client.disconnect()
        finally:
            proxy.stop()
            for node in nodes:
                node.stop()


if __name__ == "__main__":
    for proxy_name in "nginx", "haproxy":
        run(proxy_name)
