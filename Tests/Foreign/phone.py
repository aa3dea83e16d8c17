"""A scripted phone: it puts on the wire what an iOS app with URLSession and socket.io-client-swift puts there.

Version 16 of that client speaks Engine.IO 4 (revision 4 here), version 15 speaks Engine.IO 3 (revision 3). The client
opens by polling and upgrades while it already joins its rooms, so several requests of one session are under way at a
time, and one may overtake another. The order in which this file does things is the client's, not a careful one.

Standard library only, so that nothing but this file decides what is sent.
"""

import asyncio
import base64
import dataclasses
import itertools
import json
import os
import ssl
import time
import typing
import urllib.parse
import zlib

# How long a call, a room or a message may take, in seconds. A busy machine is no failure.
PATIENCE = 60
# URLSession's limit of connections to one host.
CONNECTIONS = 6
RECORD_SEPARATOR = "\x1e"


class CookieStore:
    """Keeps cookies as HTTPCookieStorage does: one store for REST calls, polling and WebSocket requests."""

    def __init__(self):
        self._cookies = {}
        self.is_on = True
        """An app may give its URLSession no store: then nothing is kept and nothing sent."""

    def take(self, header):
        """Stores one `Set-Cookie` header, or forgets the cookie that it ends."""
        if not self.is_on:
            return
        pair, *attributes = header.split(";")
        name, _, value = pair.strip().partition("=")
        options = {}
        for attribute in attributes:
            key, _, text = attribute.strip().partition("=")
            options[key.lower()] = text
        path = options.get("path", "/")
        age = options.get("max-age")
        if age is not None and int(age) <= 0:
            self._cookies.pop((name, path), None)
            return
        end = time.monotonic() + int(age) if age is not None else float("inf")
        self._cookies[name, path] = (value, end)

    def header(self, target):
        """The `Cookie` header of a request, "" if no cookie belongs to its path."""
        if not self.is_on:
            return ""
        path = target.partition("?")[0]
        now = time.monotonic()
        return "; ".join(
            f"{name}={value}" for (name, scope), (value, end) in self._cookies.items()
            if end > now and self._covers(scope, path))

    @staticmethod
    def _covers(scope, path):
        return path == scope or path.startswith(scope if scope.endswith("/") else scope + "/")


@dataclasses.dataclass
class Answer:
    """An HTTP answer."""

    status: int
    headers: list
    body: bytes

    def header(self, name):
        return next((value for key, value in self.headers if key == name), None)

    @property
    def json(self):
        return json.loads(self.body)


@dataclasses.dataclass
class Body:
    """A request's body with its declared type; None declares nothing."""

    type: str | None
    data: bytes


@dataclasses.dataclass
class Part:
    """One part of a multipart body. A part without a filename is a text."""

    name: str
    data: bytes
    filename: str | None = None
    type: str | None = None


def json_body(value, type="application/json"):
    return Body(type, json.dumps(value, ensure_ascii=False).encode())


def form_body(fields):
    return Body("application/x-www-form-urlencoded; charset=utf-8", urllib.parse.urlencode(fields).encode())


def text_part(name, text, filename=None, type=None):
    return Part(name, text.encode(), filename, type)


def file_part(name, data, filename="image.jpeg", type="image/jpeg"):
    return Part(name, data, filename, type)


def multipart_body(*parts):
    boundary = f"alamofire.boundary.{os.urandom(8).hex()}"
    lines = []
    for part in parts:
        filename = "" if part.filename is None else f'; filename="{part.filename}"'
        lines.append(f'--{boundary}\r\nContent-Disposition: form-data; name="{part.name}"{filename}\r\n'.encode())
        if part.type:
            lines.append(f"Content-Type: {part.type}\r\n".encode())
        lines += [b"\r\n", part.data, b"\r\n"]
    lines.append(f"--{boundary}--\r\n".encode())
    return Body(f"multipart/form-data; boundary={boundary}", b"".join(lines))


class Server:
    """Where a server listens, and the address on this machine from which it is called.

    A server of `https` is believed if its certificate is of the authorities in the PEM file `AUTHORITIES`, or if that is
    None of those the system believes.
    """

    AUTHORITIES = None

    def __init__(self, url, address=None):
        parts = urllib.parse.urlsplit(url)
        self.is_secure = parts.scheme == "https"
        self.host = parts.hostname
        self.port = parts.port or (443 if self.is_secure else 80)
        # Without the port where it goes without saying.
        self.authority = parts.netloc
        self._address = address

    def _trust(self):
        return ssl.create_default_context(cafile=self.AUTHORITIES) if self.is_secure else None

    async def connect(self):
        local = (self._address, 0) if self._address else None
        return await asyncio.open_connection(self.host, self.port, local_addr=local, ssl=self._trust())


async def send_request(writer, method, target, headers, data=b""):
    lines = [f"{method} {target} HTTP/1.1", *(f"{name}: {value}" for name, value in headers.items())]
    # Header values may be anything the app stored for a token, Korean words included.
    writer.write("\r\n".join(lines).encode() + b"\r\n\r\n" + data)
    await writer.drain()


async def read_head(reader):
    """The status and the headers of an answer, names in lower case."""
    head = (await reader.readuntil(b"\r\n\r\n")).decode("latin-1")
    status, *lines = head[:-4].split("\r\n")
    pairs = (line.partition(":") for line in lines)
    return int(status.split(" ")[1]), [(name.lower(), value.strip()) for name, _, value in pairs]


async def read_answer(reader):
    status, headers = await read_head(reader)
    answer = Answer(status, headers, b"")
    if status in (204, 304):
        return answer
    if (answer.header("transfer-encoding") or "").lower() == "chunked":
        while size := int((await reader.readline()).partition(b";")[0], 16):
            answer.body += await reader.readexactly(size)
            await reader.readexactly(2)
        await reader.readuntil(b"\r\n")
    else:
        answer.body = await reader.readexactly(int(answer.header("content-length") or 0))
    if answer.header("content-encoding") in ("gzip", "deflate"):
        answer.body = zlib.decompress(answer.body, zlib.MAX_WBITS | 32)
    return answer


class HTTPSession:
    """A URLSession: a few connections that are kept open, and the phone's cookies."""

    def __init__(self, server, cookies):
        self._server = server
        self._cookies = cookies
        self._idle = []
        self._slots = asyncio.Semaphore(CONNECTIONS)

    async def request(self, method, target, headers, data=b""):
        async with self._slots:
            connection = self._reusable() or await self._server.connect()
            is_reusable = False
            try:
                reader, writer = connection
                await send_request(writer, method, target, self._complete(method, target, headers, data), data)
                answer = await read_answer(reader)
                is_reusable = (answer.header("connection") or "").lower() != "close"
            finally:
                # Also after a cancelled request: what is left of its answer must not be read as another's.
                if is_reusable:
                    self._idle.append(connection)
                else:
                    connection[1].close()
        for name, value in answer.headers:
            if name == "set-cookie":
                self._cookies.take(value)
        return answer

    def close(self):
        for _, writer in self._idle:
            writer.close()
        self._idle.clear()

    def _reusable(self):
        while self._idle:
            reader, writer = self._idle.pop()
            if not reader.at_eof():
                return reader, writer
            writer.close()
        return None

    def _complete(self, method, target, headers, data):
        complete = {
            "Host": self._server.authority, "Accept": "*/*", "Accept-Language": "ko-KR,ko;q=0.9",
            "Accept-Encoding": "gzip, deflate", "User-Agent": "Phone/1 CFNetwork/1498.700.2 Darwin/23.6.0",
            "Connection": "keep-alive", **headers}
        if cookie := self._cookies.header(target):
            complete["Cookie"] = cookie
        if data or method in ("POST", "PUT"):
            complete["Content-Length"] = len(data)
        return complete


class WebSocketRefused(Exception):
    """The server answered a WebSocket request with something else than 101."""


class WebSocket:
    """A WebSocket as Starscream opens it: with an Origin of its own making, without compression."""

    TEXT, BINARY, CLOSE, PING, PONG = 1, 2, 8, 9, 10

    def __init__(self, reader, writer):
        self._reader = reader
        self._writer = writer

    @classmethod
    async def open(cls, server, target, headers):
        reader, writer = await server.connect()
        scheme = "wss" if server.is_secure else "ws"
        await send_request(writer, "GET", target, {
            "Host": server.authority, "Upgrade": "websocket", "Connection": "Upgrade", "Sec-WebSocket-Version": "13",
            "Sec-WebSocket-Key": base64.b64encode(os.urandom(16)).decode(), "Origin": f"{scheme}://{server.authority}",
            **headers})
        status, _ = await read_head(reader)
        if status != 101:
            writer.close()
            raise WebSocketRefused(f"HTTP {status}")
        return cls(reader, writer)

    def send(self, message):
        """Sends a text frame, or a binary one if the message is bytes, at once."""
        is_text = isinstance(message, str)
        self._frame(self.TEXT if is_text else self.BINARY, message.encode() if is_text else message)

    async def messages(self):
        """Yields text as str and binary as bytes until the server closes."""
        whole, kind = b"", None
        while True:
            try:
                first, second = await self._reader.readexactly(2)
                size = second & 0x7F
                if size >= 126:
                    size = int.from_bytes(await self._reader.readexactly(2 if size == 126 else 8))
                data = await self._reader.readexactly(size)
            except (asyncio.IncompleteReadError, ConnectionError):
                return
            opcode = first & 0x0F
            if opcode == self.PING:
                self._frame(self.PONG, data)
            elif opcode == self.CLOSE:
                self._frame(self.CLOSE, data[:2])
                return
            elif opcode != self.PONG:
                kind = opcode or kind
                whole += data
                if first & 0x80:
                    yield whole.decode() if kind == self.TEXT else whole
                    whole = b""

    def close(self):
        self._frame(self.CLOSE, (1000).to_bytes(2))
        self._writer.close()

    def _frame(self, opcode, data):
        size = len(data)
        if size < 126:
            head = bytes([0x80 | opcode, 0x80 | size])
        elif size < 65536:
            head = bytes([0x80 | opcode, 0x80 | 126]) + size.to_bytes(2)
        else:
            head = bytes([0x80 | opcode, 0x80 | 127]) + size.to_bytes(8)
        mask = os.urandom(4)
        self._writer.write(head + mask + bytes(byte ^ key for byte, key in zip(data, itertools.cycle(mask))))


def encode_payload(revision, packets):
    """Engine.IO packets as the body of a POST."""
    if revision == 4:
        return RECORD_SEPARATOR.join(packets).encode()
    # Revision 3 counts UTF-16 units.
    return "".join(f"{len(packet.encode('utf-16-le')) // 2}:{packet}" for packet in packets).encode()


def decode_payload(revision, body):
    """The Engine.IO packets of a poll's answer."""
    text = body.decode()
    if revision == 4:
        return text.split(RECORD_SEPARATOR) if text else []
    packets = []
    units = text.encode("utf-16-le")
    while units:
        length = units.decode("utf-16-le", "replace").partition(":")[0]
        start = 2 * len(length) + 2
        end = start + 2 * int(length)
        packets.append(units[start:end].decode("utf-16-le"))
        units = units[end:]
    return packets


class Pauses(typing.NamedTuple):
    """Seconds to wait at the three places where a network may be slow."""

    post: float = 0
    probe: float = 0
    upgrade: float = 0


@dataclasses.dataclass(frozen=True)
class Mode:
    """How an app set up its socket client, and how slow its network is."""

    transport: str
    """`polling` (forced), `upgrade` (the client's own choice: polling, then WebSocket) or `websocket` (forced)."""
    revision: int = 4
    pauses: Pauses = Pauses()
    posts_noop: bool = True
    """Whether the noop that follows `3probe` is POSTed, as the contract has servers expect. By the client's source no
    request leaves, for the flag that ends polling is up; only a noop that waits behind another POST is sent later."""

    def __str__(self):
        pauses = [f"{name} {seconds * 1000:.0f} ms late" for name, seconds in self.pauses._asdict().items() if seconds]
        return ", ".join([self.transport, f"revision {self.revision}", *pauses])


class Namespace:
    """What a socket of the app has seen of one namespace."""

    def __init__(self):
        self.is_joined = False
        self.changes = asyncio.Queue()
        self.events = asyncio.Queue()


class Engine:
    """One connection of the socket client: Engine.IO with the namespaces on top of it.

    The names of the flags are the client's: `probing` holds writes back while the WebSocket is tried out, `fastUpgrade`
    says that the server let the probe through and only the poll under way is still awaited.
    """

    def __init__(self, phone, mode, namespaces, headers):
        self.mode = mode
        self.errors = []
        """Everything that would have shown up as an error in the app or its log."""
        self.refused_posts = 0
        """POSTs that were refused after the upgrade. The client takes no notice, and what they held is lost."""
        self.overtaken_posts = 0
        """POSTs that were still unanswered when the upgrade was made."""
        self.upgraded = asyncio.Event()
        self.is_polling = mode.transport != "websocket"
        self._phone = phone
        self._http = HTTPSession(phone.server, phone.cookies)
        self._headers = headers or {}
        self._namespaces = {name: Namespace() for name in namespaces}
        self._websocket = None
        self._sid = None
        self._is_connected = self._is_closed = False
        self._is_probing = self._is_fast_upgrade = self._is_posting = False
        self._probe_wait = []
        self._post_wait = []
        self._tasks = set()

    async def __aenter__(self):
        self._spawn(self._poll() if self.is_polling else self._run_websocket())
        return self

    async def __aexit__(self, *_):
        await self.close()

    # What the app calls.

    def join(self, namespace):
        """Asks for a namespace, once the engine is open; ``outcome`` tells what became of it."""
        self._namespaces.setdefault(namespace, Namespace())
        # Revision 3: the server joins the main namespace by itself.
        if self.mode.revision == 3 and namespace == "/":
            return
        self._write(f"40{namespace},")

    def leave(self, namespace):
        self._namespaces.pop(namespace)
        self._write(f"41{namespace},")

    def emit(self, namespace, name, *arguments, attachment=None):
        """Emits an event, with binary data as its last argument if there is an attachment."""
        if attachment is None:
            self._write(f"42{namespace},{json.dumps([name, *arguments])}")
        else:
            event = [name, *arguments, {"_placeholder": True, "num": 0}]
            self._write(f"451-{namespace},{json.dumps(event)}", [attachment])

    async def outcome(self, namespace):
        """What next becomes of a namespace: "joined", "left", the words of a refusal, or "no answer"."""
        try:
            return await asyncio.wait_for(self._namespaces[namespace].changes.get(), PATIENCE)
        except TimeoutError:
            return "no answer"

    async def event(self, namespace):
        """The next event of a namespace: its name and its arguments."""
        return await asyncio.wait_for(self._namespaces[namespace].events.get(), PATIENCE)

    def has_events(self, namespace):
        return not self._namespaces[namespace].events.empty()

    async def close(self):
        """Closes the engine as the app going to the background does."""
        if not self._is_closed and self._is_connected:
            if self.is_polling:
                packets, self._post_wait = [*self._post_wait, "1"], []
                last = self._request("POST", encode_payload(self.mode.revision, packets))
                self._is_closed = True
                await asyncio.wait_for(last, PATIENCE)
            else:
                self._websocket.send("1")
        self._is_closed = True
        if self._websocket:
            self._websocket.close()
        for task in self._tasks:
            task.cancel()
        await asyncio.gather(*self._tasks, return_exceptions=True)
        self._http.close()

    # Polling.

    async def _poll(self):
        """Polls until the engine is closed or has moved to the WebSocket."""
        while self.is_polling and not self._is_closed:
            answer = await self._request("GET")
            if not self.is_polling or self._is_closed:
                return
            if answer.status != 200:
                return self._fail(f"a poll was answered {answer.status} {answer.body!r}")
            for packet in decode_payload(self.mode.revision, answer.body):
                self._take(packet)
            if self._is_fast_upgrade:
                await self._finish_upgrade()

    def _post(self, packet, attachments=()):
        self._post_wait.append(packet)
        prefix = "b" if self.mode.revision == 4 else "b4"
        self._post_wait += [prefix + base64.b64encode(data).decode() for data in attachments]
        if not self._is_posting:
            self._flush_post_wait()

    def _flush_post_wait(self):
        """Sends what waits: as one payload, or, once upgraded, packet by packet as text frames."""
        if not self._post_wait or not self._is_connected:
            return
        packets, self._post_wait = self._post_wait, []
        if not self.is_polling:
            for packet in packets:
                self._websocket.send(packet)
            return
        self._is_posting = True
        if self._is_fast_upgrade and not self.mode.posts_noop:
            return
        self._spawn(self._post_payload(encode_payload(self.mode.revision, packets)))

    async def _post_payload(self, payload):
        await self._pause(self.mode.pauses.post)
        answer = await self._request("POST", payload)
        if self._is_closed:
            return
        if answer.status != 200:
            if self.is_polling:
                self._fail(f"a POST was answered {answer.status} {answer.body!r}")
            else:
                self.refused_posts += 1
            return
        if answer.body != b"ok":
            self.errors.append(f"a POST was answered {answer.body!r}")
        self._is_posting = False
        if not self._is_fast_upgrade:
            self._flush_post_wait()

    def _request(self, method, payload=b""):
        headers = {"Content-Type": "text/plain; charset=UTF-8"} if method == "POST" else {}
        target = self._target("polling") + (f"&sid={self._sid}" if self._sid else "")
        return self._http.request(method, target, headers | self._headers, payload)

    def _target(self, transport):
        query = "transport=polling&b64=1" if transport == "polling" else "transport=websocket"
        # Version 15 names no revision.
        return f"/socket.io/?{query}" + ("&EIO=4" if self.mode.revision == 4 else "")

    # WebSocket.

    async def _run_websocket(self):
        target = self._target("websocket") + (f"&sid={self._sid}" if self._sid else "")
        cookie = self._phone.cookies.header(target)
        headers = self._headers | ({"Cookie": cookie} if cookie else {})
        try:
            self._websocket = await WebSocket.open(self._phone.server, target, headers)
        except WebSocketRefused as refusal:
            # The client shows nothing, and goes on polling if it did.
            self.errors.append(f"the WebSocket was refused: {refusal}")
            return
        if self.is_polling:
            self._is_probing = True
            await self._pause(self.mode.pauses.probe)
            self._websocket.send("2probe")
        else:
            self._is_connected = True
        async for message in self._websocket.messages():
            if isinstance(message, str):
                self._take(message)
        if self._is_closed:
            return
        if self.is_polling:
            self.errors.append("the WebSocket was closed during the upgrade")
            self._stop_probing()
        else:
            self._fail("the WebSocket was closed")

    async def _finish_upgrade(self):
        """Moves to the WebSocket, whether or not a POST is still unanswered."""
        await self._pause(self.mode.pauses.upgrade)
        self.overtaken_posts += self._is_posting
        self._websocket.send("5")
        self.is_polling = False
        self._is_fast_upgrade = False
        self._stop_probing()
        self._flush_post_wait()
        self.upgraded.set()

    def _stop_probing(self):
        self._is_probing = False
        waiting, self._probe_wait = self._probe_wait, []
        for packet, attachments in waiting:
            self._write(packet, attachments)

    # Packets of either transport.

    def _write(self, packet, attachments=()):
        if not self._is_connected or self._is_closed:
            return
        if self._is_probing:
            self._probe_wait.append((packet, attachments))
        elif self.is_polling:
            self._post(packet, attachments)
        else:
            self._websocket.send(packet)
            for data in attachments:
                # Revision 3 names the packet type in front of the data.
                self._websocket.send(data if self.mode.revision == 4 else b"\x04" + data)

    def _take(self, packet):
        match packet[:1]:
            case "0":
                self._open(json.loads(packet[1:]))
            case "1":
                self._fail("the server closed the engine")
            case "2" if self.mode.revision == 4:
                self._write("3")
            case "3":
                if packet == "3probe":
                    self._is_fast_upgrade = True
                    self._post("6")
            case "4":
                self._take_message(packet[1:])
            case "6" | "b":
                pass
            case _:
                self.errors.append(f"a packet that nobody knows: {packet[:80]!r}")

    def _open(self, handshake):
        """Starts everything at once; nothing waits for anything else."""
        self._sid = handshake["sid"]
        self._is_connected = True
        if self.mode.transport == "upgrade" and "websocket" in handshake["upgrades"]:
            self._spawn(self._run_websocket())
        if self.mode.revision == 3:
            # The first ping goes out at once, so that while polling a CONNECT has to wait for its answer.
            self._write("2")
            self._spawn(self._ping(handshake["pingInterval"] / 1000))
        for namespace in self._namespaces:
            self.join(namespace)

    async def _ping(self, interval):
        while not self._is_closed:
            await asyncio.sleep(interval)
            self._write("2")

    def _take_message(self, message):
        kind, rest = message[:1], message[1:]
        name, rest = "/", rest
        if rest.startswith("/"):
            name, _, rest = rest.partition(",")
        namespace = self._namespaces.get(name)
        if namespace is None:
            # The app left it, or, in revision 3, never asked for the main one.
            return
        match kind:
            case "0":
                if ("sid" in json.loads(rest)) if self.mode.revision == 4 else not rest:
                    namespace.is_joined = True
                    namespace.changes.put_nowait("joined")
                else:
                    self.errors.append(f"an odd answer to CONNECT: {message[:120]!r}")
            case "1":
                namespace.is_joined = False
                namespace.changes.put_nowait("left")
            case "2":
                if namespace.is_joined:
                    namespace.events.put_nowait(json.loads(rest))
                else:
                    self.errors.append(f"an event before the answer to CONNECT: {message[:120]!r}")
            case "4":
                # The client tells the app and keeps the engine.
                refusal = json.loads(rest)
                namespace.changes.put_nowait(refusal["message"] if isinstance(refusal, dict) else refusal)
            case _:
                self.errors.append(f"a packet that nobody asked for: {message[:120]!r}")

    def _fail(self, what):
        """Records an error after which the client closes the engine."""
        self.errors.append(what)
        self._is_closed = True

    async def _pause(self, seconds):
        # Not even a turn of the event loop where no pause is wanted.
        if seconds:
            await asyncio.sleep(seconds)

    def _spawn(self, work):
        task = asyncio.create_task(work)
        self._tasks.add(task)
        task.add_done_callback(self._finished)

    def _finished(self, task):
        self._tasks.discard(task)
        error = None if task.cancelled() else task.exception()
        if error and not self._is_closed:
            self._fail(f"the connection broke: {error!r}")


class Phone:
    """One phone with one app: REST calls and sockets that share a cookie store, and the session the app keeps."""

    def __init__(self, url, key, address=None):
        self.server = Server(url, address)
        self.cookies = CookieStore()
        self.key = key
        self.access_token = None
        self.refresh_token = None
        self._rest = HTTPSession(self.server, self.cookies)

    async def call(self, method, path, body=None, headers=None, **credentials):
        """Makes a REST call below `/v1`, or of a whole path that begins with a slash.

        `token` and `key` stand in for the app's own; None sends none.
        """
        target = path if path.startswith("/") else f"/v1/{path}"
        key = credentials.get("key", self.key)
        token = credentials.get("token", self.access_token)
        complete = {}
        if key is not None:
            complete["SesacKey"] = key
        if token is not None:
            complete["Authorization"] = token
        if body and body.type:
            complete["Content-Type"] = body.type
        complete |= headers or {}
        return await asyncio.wait_for(
            self._rest.request(method, target, complete, body.data if body else b""), PATIENCE)

    def socket(self, mode, *namespaces, headers=None):
        """An engine that asks for these namespaces as soon as it opens; use it with `async with`."""
        return Engine(self, mode, namespaces, headers)

    def close(self):
        self._rest.close()
