"""What clients put on the wire: calls over HTTP, and sockets over WebSocket or polling."""

import asyncio
import base64
import itertools
import json
import os

SEPARATOR = "\x1e"
KEYS = {"2024-10": "torture-key-of-2024-10", "2024-01": "torture-key-of-2024-01"}


class Unanswered(Exception):
    """No answer came, or none that tells: nobody knows what became of the call."""


class Answer:
    def __init__(self, status, body):
        self.status = status
        self.body = body

    @property
    def json(self):
        return json.loads(self.body)

    @property
    def code(self):
        """The error code; None for success."""
        return None if self.status == 200 else self.json.get("errorCode")


def _head(method, target, headers, data):
    lines = [f"{method} {target} HTTP/1.1", *(f"{name}: {value}" for name, value in headers.items())]
    if data or method != "GET":
        lines.append(f"Content-Length: {len(data)}")
    return "\r\n".join(lines).encode() + b"\r\n\r\n"


async def read_head(reader):
    head = (await reader.readuntil(b"\r\n\r\n")).decode("latin-1")
    first, *lines = head[:-4].split("\r\n")
    pairs = (line.partition(":") for line in lines)
    return first, {name.lower(): value.strip() for name, _, value in pairs}


class HTTP:
    """Calls to one port of this machine over connections that are kept."""

    def __init__(self, port):
        self.port = port
        self._idle = []

    async def request(self, method, target, headers, data=b"", limit=8):
        """Throws `Unanswered`."""
        try:
            async with asyncio.timeout(limit):
                return await self._request(method, target, headers, data)
        except (OSError, EOFError, ValueError, TimeoutError, asyncio.LimitOverrunError) as error:
            raise Unanswered(repr(error)) from error

    async def _request(self, method, target, headers, data):
        reader, writer = self._reusable() or await asyncio.open_connection("127.0.0.1", self.port)
        is_reusable = False
        try:
            headers = {"Host": f"127.0.0.1:{self.port}"} | headers
            writer.write(_head(method, target, headers, data) + data)
            await writer.drain()
            first, answer = await read_head(reader)
            if answer.get("transfer-encoding", "").lower() == "chunked":
                parts = []
                while size := int((await reader.readline()).partition(b";")[0], 16):
                    parts.append(await reader.readexactly(size))
                    await reader.readexactly(2)
                await reader.readuntil(b"\r\n")
                body = b"".join(parts)
            else:
                body = await reader.readexactly(int(answer.get("content-length", 0)))
            is_reusable = answer.get("connection", "").lower() != "close"
            return Answer(int(first.split(" ")[1]), body)
        finally:
            if is_reusable:
                self._idle.append((reader, writer))
            else:
                writer.close()

    def _reusable(self):
        while self._idle:
            reader, writer = self._idle.pop()
            if not reader.at_eof() and not writer.is_closing():
                return reader, writer
            writer.close()
        return None

    def close(self):
        for _, writer in self._idle:
            writer.close()
        self._idle.clear()


def multipart(content, files):
    """The type and the bytes of a body with a chat's text and files."""
    boundary = f"torture.{os.urandom(8).hex()}"
    parts = [f'--{boundary}\r\nContent-Disposition: form-data; name="content"\r\n\r\n{content}\r\n'.encode()]
    for data in files:
        parts.append(f'--{boundary}\r\nContent-Disposition: form-data; name="files"; filename="image.png"\r\n\r\n'.encode())
        parts += [data, b"\r\n"]
    return f"multipart/form-data; boundary={boundary}", b"".join([*parts, f"--{boundary}--\r\n".encode()])


class Closed(Exception):
    """The socket is gone."""


class WebSocket:
    """Engine.IO over a WebSocket."""

    @classmethod
    async def open(cls, port, headers):
        self = cls()
        self._reader, self._writer = await asyncio.open_connection("127.0.0.1", port)
        self._writer.write(_head("GET", "/socket.io/?EIO=4&transport=websocket", {
            "Host": f"127.0.0.1:{port}", "Upgrade": "websocket", "Connection": "Upgrade", "Sec-WebSocket-Version": "13",
            "Sec-WebSocket-Key": base64.b64encode(os.urandom(16)).decode()} | headers, b""))
        first, _ = await read_head(self._reader)
        if " 101 " not in first:
            self._writer.close()
            raise Closed(first)
        return self

    async def send(self, *packets):
        for packet in packets:
            self._frame(1, packet.encode())

    async def packets(self):
        """The packets of the next message; throws `Closed`."""
        while True:
            try:
                first, second = await self._reader.readexactly(2)
                size = second & 0x7F
                if size >= 126:
                    size = int.from_bytes(await self._reader.readexactly(2 if size == 126 else 8))
                data = await self._reader.readexactly(size)
            except (OSError, EOFError) as error:
                raise Closed(repr(error)) from error
            opcode = first & 0x0F
            if opcode == 9:
                self._frame(10, data)
            elif opcode == 8:
                raise Closed("by the server")
            elif opcode == 1:
                return [data.decode()]

    def close(self):
        self._writer.close()

    def _frame(self, opcode, data):
        size = len(data)
        head = bytes([0x80 | opcode, 0x80 | size]) if size < 126 else bytes([0x80 | opcode, 0xFE]) + size.to_bytes(2)
        mask = os.urandom(4)
        self._writer.write(head + mask + bytes(byte ^ key for byte, key in zip(data, itertools.cycle(mask))))


class Polling:
    """Engine.IO over polling."""

    @classmethod
    async def open(cls, port, headers):
        self = cls()
        self._http = HTTP(port)
        self._headers = headers
        self._target = "/socket.io/?EIO=4&transport=polling"
        return self

    async def send(self, *packets):
        await self._request("POST", SEPARATOR.join(packets).encode())

    async def packets(self):
        body = await self._request("GET")
        packets = body.decode().split(SEPARATOR)
        if packets[0].startswith("0"):
            self._target += f"&sid={json.loads(packets[0][1:])['sid']}"
        return packets

    def close(self):
        self._http.close()

    async def _request(self, method, data=b""):
        try:
            answer = await self._http.request(method, self._target, self._headers, data, limit=40)
        except Unanswered as error:
            raise Closed(repr(error)) from error
        if answer.status != 200:
            raise Closed(f"{method}: {answer.status}")
        return answer.body


class Socket:
    """Socket.IO to one port: asks for namespaces and tells what becomes of them."""

    def __init__(self, transport, patience):
        self._transport = transport
        self._patience = patience

    @classmethod
    async def open(cls, kind, port, patience):
        """Throws `Closed`. `patience` is how many seconds a server may be silent."""
        try:
            async with asyncio.timeout(patience):
                self = cls(await {"websocket": WebSocket, "polling": Polling}[kind].open(port, {}), patience)
                first, *rest = await self._transport.packets()
        except (OSError, EOFError, TimeoutError, asyncio.LimitOverrunError) as error:
            raise Closed(repr(error)) from error
        self._early = rest
        if not first.startswith("0"):
            raise Closed(f"begins with {first!r:.80}")
        return self

    async def join(self, namespaces, edition, token):
        credentials = json.dumps({"SesacKey": KEYS[edition], "token": token})
        await self._transport.send(*(f"40{name},{credentials}" for name in namespaces))

    async def changes(self):
        """Yields ("joined" | "left" | "refused" | "event", namespace, text) until `Closed` is thrown."""
        while True:
            packets, self._early = self._early, []
            if not packets:
                try:
                    async with asyncio.timeout(self._patience):
                        packets = await self._transport.packets()
                except TimeoutError as error:
                    raise Closed("silent") from error
            for packet in packets:
                if packet == "2":
                    await self._transport.send("3")
                elif packet == "1":
                    raise Closed("by the server")
                elif packet.startswith("4"):
                    name, _, text = packet[2:].partition(",")
                    kind = {"0": "joined", "1": "left", "2": "event", "4": "refused"}.get(packet[1])
                    if kind:
                        yield kind, name, text

    def close(self):
        self._transport.close()
