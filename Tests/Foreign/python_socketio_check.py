"""Runs python-socketio against `socketio-echo --mode rig` in all three transport modes.

    python3 -m venv /tmp/clients && /tmp/clients/bin/pip install "python-socketio[client]" websocket-client msgpack
    swift build --product socketio-echo
    /tmp/clients/bin/python Tests/Foreign/python_socketio_check.py .build/debug/socketio-echo

With `--msgpack` both speak MessagePack. With python-socketio 4 (`"python-socketio[client]==4.6.1" "python-engineio==3.14.2"`) the same script checks Engine.IO 3.
Exits 0 when every check held.
"""

import functools
import queue
import subprocess
import sys
import threading
import urllib.request

import socketio

from attempts import tried
from ports import free_port

WAIT = 60
MSGPACK = ["--msgpack"] if "--msgpack" in sys.argv else []
IS_V4_CLIENT = int(getattr(socketio, "__version__", "5").split(".")[0]) < 5


class Rig:
    """The server under test, started on a given port or a free one."""

    def __init__(self, program, port=0, options=()):
        self.process = subprocess.Popen(
            [program, "--mode", "rig", "--eio3", "--port", str(port), *MSGPACK, *options], stdout=subprocess.PIPE, text=True)
        self.url = self.process.stdout.readline().split()[-1]
        self.port = int(self.url.rsplit(":", 1)[1])

    def stop(self, abruptly=False):
        self.process.kill() if abruptly else self.process.terminate()
        self.process.wait(WAIT)

    def emit(self, namespace, event, body, room=None):
        target = f"{self.url}/emit?nsp={namespace}&event={event}" + (f"&room={room}" if room else "")
        request = urllib.request.Request(target, data=body, headers={"Content-Type": "application/json"})
        with urllib.request.urlopen(request, timeout=WAIT) as response:
            assert response.status == 200


class Peer:
    """A client whose events land in one queue per event."""

    EVENTS = ("welcome", "echo-back", "news", "said", "question", "answer", "connect_error", "disconnect")

    def __init__(self, reconnection=False):
        self.inbox = {}
        self.silent, self.released = False, threading.Event()
        serializer = {"serializer": "msgpack"} if MSGPACK else {}
        self.client = socketio.Client(
            reconnection=reconnection, reconnection_delay=0.1, reconnection_delay_max=0.2, request_timeout=WAIT, **serializer)
        if not IS_V4_CLIENT:
            # Its reconnects do not take the time that is given to `connect`.
            self.client.connect = functools.partial(self.client.connect, wait_timeout=WAIT)
        for event in self.EVENTS:
            self.listen(event)
        if IS_V4_CLIENT:
            # It joins "/" by itself, and asks for others only once that has worked.
            self.client.on("connect_error", lambda *arguments: self.inbox["connect_error"].put(arguments))

    def connect(self, url, transports, headers=None, auth=None):
        options = {} if IS_V4_CLIENT else {"auth": auth}
        self.client.connect(url, transports=transports, namespaces=["/bench"], headers=headers or {}, **options)

    @classmethod
    def joined(cls, url, transports, **options):
        peer = cls(options.pop("reconnection", False))
        peer.connect(url, transports, **options)
        (peer.welcome,) = peer.next("welcome")
        return peer

    def listen(self, event):
        inbox = self.inbox.setdefault(event, queue.Queue())

        def handler(*arguments):
            inbox.put(arguments)
            if event == "question" and self.silent:
                # An acknowledgement later than the server waits for it.
                self.released.wait(WAIT)
            return arguments[0] * 2 if event == "question" else None

        self.client.on(event, handler, namespace="/bench")

    def next(self, event):
        return self.inbox[event].get(timeout=WAIT)

    def call(self, event, *arguments):
        return self.client.call(event, arguments, namespace="/bench", timeout=WAIT)


def check(condition, what):
    if not condition:
        raise AssertionError(what)


def same(value, expected):
    check(value == expected, f"{value!r} is not {expected!r}")


def same_numbers(values, count):
    """The client runs each handler in a thread of its own, so its order of events is not the wire's."""
    same(sorted(values), list(range(count)))


def connects(rig, transports):
    url = rig.url + "?room=a%20b"
    peer = Peer.joined(url, transports, headers={"X-Test": "yes", "Authorization": "Bearer t"}, auth={"id": 7})
    welcome = peer.welcome
    same(welcome["ns"], "/bench")
    same(welcome["xtest"], "yes")
    same(welcome["authorization"], "Bearer t")
    same(welcome["query"]["room"], "a b")
    same(welcome["eio"], 3 if IS_V4_CLIENT else 4)
    if not IS_V4_CLIENT:
        same(welcome["auth"], {"id": 7})
    wanted = "polling" if transports == ["polling"] else "websocket"
    same(peer.call("transport"), wanted)
    peer.client.disconnect()


def is_refused(rig, transports):
    peer = Peer()
    try:
        peer.connect(rig.url, transports, headers={"X-Reject": "1"})
    except socketio.exceptions.ConnectionError:
        pass
    (error,) = peer.next("connect_error")
    same(error, {"code": 401} if IS_V4_CLIENT else {"message": "Not authorized", "data": {"code": 401}})
    peer.client.disconnect()
    if IS_V4_CLIENT:
        return
    # An auth payload is refused as a header is, and an unknown namespace with the reference's words.
    for namespace, auth, expected in (
        ("/bench", {"token": "bad"}, {"message": "Not authorized", "data": {"code": 401}}),
        ("/nowhere", None, {"message": "Invalid namespace"}),
    ):
        peer = Peer()
        errors = queue.Queue()
        peer.client.on("connect_error", lambda *arguments: errors.put(arguments), namespace=namespace)
        try:
            peer.client.connect(rig.url, transports=transports, namespaces=[namespace], auth=auth, wait_timeout=WAIT)
            raise AssertionError("the client was let in")
        except socketio.exceptions.ConnectionError:
            same(errors.get(timeout=WAIT), (expected,))
        peer.client.disconnect()


def answers(peer, question, doubled):
    peer.client.emit("ask-me", question, namespace="/bench")
    same(peer.next("question"), (question,))
    same(peer.next("answer"), (doubled,))


def exchanges_events(rig, transports):
    peer = Peer.joined(rig.url, transports)
    peer.client.emit("echo", ("é😀", {"b": [1, None, True]}), namespace="/bench")
    same(peer.next("echo-back"), ("é😀", {"b": [1, None, True]}))
    same(peer.call("echo", 1, "two"), (1, "two"))
    same(peer.call("echo", b"\x00\xff", {"k": b"\x02"}), (b"\x00\xff", {"k": b"\x02"}))
    peer.client.emit("echo", b"x" * 100_000, namespace="/bench")
    same(peer.next("echo-back"), (b"x" * 100_000,))
    answers(peer, 21, 42)
    answers(peer, b"\x01\x00", b"\x01\x00\x01\x00")
    peer.silent = True
    peer.client.emit("ask-me", ("who?", 1000), namespace="/bench")
    same(peer.next("question"), ("who?",))
    same(peer.next("answer"), ("timeout",))
    peer.released.set()
    for number in range(100):
        peer.client.emit("echo", number, namespace="/bench")
    same_numbers([peer.next("echo-back")[0] for _ in range(100)], 100)
    peer.client.disconnect()


def broadcasts(rig, transports):
    first, second = Peer.joined(rig.url, transports), Peer.joined(rig.url, transports)
    for number in range(40):
        rig.emit("/bench", "news", b'{"n":%d}' % number)
    for peer in (first, second):
        same_numbers([peer.next("news")[0]["n"] for _ in range(40)], 40)
    same(first.call("join", "r"), "joined")
    same(second.call("join", "r"), "joined")
    first.client.emit("to-room", ("r", "said", "hello"), namespace="/bench")
    same(second.next("said"), ("hello",))
    first.client.emit("to-room", ("nobody", "said", "lost"), namespace="/bench")
    same(first.call("echo", "after"), "after")
    same(second.call("echo", "after"), "after")
    check(second.inbox["said"].empty() and first.inbox["said"].empty(), "a stray broadcast")
    rig.emit("/bench", "said", b'"to the room"', room="r")
    for peer in (first, second):
        same(peer.next("said"), ("to the room",))
    second.call("leave", "r")
    rig.emit("/bench", "said", b'"to who is left"', room="r")
    same(first.next("said"), ("to who is left",))
    same(second.call("echo", "after"), "after")
    check(second.inbox["said"].empty(), "a broadcast to a room that was left")
    first.client.disconnect()
    second.client.disconnect()


@tried
def survives_pings(_, transports):
    # Only here are pings frequent: python-engineio 3 gives up when one is not answered before the next is due.
    rig = Rig(sys.argv[1], options=("--ping-interval", "2000", "--ping-timeout", "2000"))
    try:
        peer = Peer.joined(rig.url, transports)
        # Longer than a session lives without them.
        peer.client.sleep(4.5)
        same(peer.call("echo", "alive"), "alive")
        peer.client.disconnect()
    finally:
        rig.stop()


def is_sent_away(rig, transports):
    peer = Peer.joined(rig.url, transports)
    peer.client.emit("bye", namespace="/bench")
    peer.next("disconnect")
    peer.client.disconnect()


def reconnects(rig, transports):
    peer = Peer.joined(rig.url, transports, reconnection=True)
    # python-engineio takes a close packet of polling for a wish not to be bothered again.
    rig.stop(abruptly=transports == ["polling"])
    peer.next("disconnect")
    again = Rig(sys.argv[1], rig.port)
    rig.process = again.process
    peer.next("welcome")
    same(peer.call("echo", "back"), "back")
    peer.client.disconnect()


SCENARIOS = (connects, is_refused, exchanges_events, broadcasts, survives_pings, is_sent_away, reconnects)


def main():
    # A port that no other program takes while the server restarts.
    rig = Rig(sys.argv[1], free_port())
    try:
        for transports in (["websocket"], ["polling"], None):
            for scenario in SCENARIOS:
                scenario(rig, transports)
                print("ok", "+".join(transports or ["upgrade"]), scenario.__name__, flush=True)
    finally:
        rig.stop()


if __name__ == "__main__":
    main()
