"""The client's side of a WebSocket, of which every byte can be chosen, and what is played with it. Standard library only."""

import base64
import dataclasses
import hashlib
import os
import select
import socket
import time
import zlib

WAIT = 60
# How long to wait for what should come at once, where its absence is no failure.
SHORT = 0.4
# The server's own limit of a message, and the shortest that it compresses.
LIMIT, THRESHOLD = 1_000_000, 1024
CONTINUATION, TEXT, BINARY, CLOSE, PING, PONG = 0, 1, 2, 8, 9, 10
# The reserved bit of a frame that begins a compressed message.
COMPRESSED = 4
KIB, MIB = 1024, 1024 * 1024
# An offer that a server with compression takes, and one that each declines.
OFFER = "permessage-deflate; client_no_context_takeover; client_max_window_bits"
DECLINED = "permessage-deflate; server_max_window_bits=7"


# MARK: The client's side of RFC 6455

def masked(payload, key):
    """The payload under the key, four bytes at a time."""
    whole = (key * (len(payload) // 4 + 1))[:len(payload)]
    return (int.from_bytes(payload, "big") ^ int.from_bytes(whole, "big")).to_bytes(len(payload), "big")


def size_field(length):
    if length <= 125:
        return bytes([0x80 | length])
    if length <= 0xFFFF:
        return b"\xfe" + length.to_bytes(2, "big")
    return b"\xff" + length.to_bytes(8, "big")


def frame(opcode, payload=b"", final=True, reserved=0):
    key = os.urandom(4)
    first = final << 7 | reserved << 4 | opcode
    return bytes([first]) + size_field(len(payload)) + key + masked(payload, key)


def fragments(opcode, parts, reserved=0):
    """The frames of one message that comes in parts, the reserved bits in the first."""
    last = len(parts) - 1
    return [frame(CONTINUATION if index else opcode, part, index == last, 0 if index else reserved)
            for index, part in enumerate(parts)]


def cut(data, size):
    return [data[at:at + size] for at in range(0, len(data), size)]


def close_payload(code, reason=b""):
    return code.to_bytes(2, "big") + reason


def farewell(code=1000, reason=b""):
    return frame(CLOSE, close_payload(code, reason))


# What RFC 7692 leaves out at the end of a compressed message.
TAIL = b"\0\0\xff\xff"


def compressed(payload, level=6, window=15, strategy=zlib.Z_DEFAULT_STRATEGY):
    """The payload of a compressed message, by RFC 7692 section 7.2.1."""
    encoder = zlib.compressobj(level, zlib.DEFLATED, -window, strategy=strategy)
    data = encoder.compress(payload) + encoder.flush(zlib.Z_SYNC_FLUSH)
    assert data.endswith(TAIL)
    return data[:-len(TAIL)]


class Broken(Exception):
    """The server did what RFC 6455 forbids."""


class CutOff(Broken):
    """The connection ended within a frame or without a Close frame."""


def handshake(port, offer=None):
    """Asks for a WebSocket. Returns the connection, the answer's head, the key it answers, and what came behind."""
    connection = socket.create_connection(("127.0.0.1", port), timeout=WAIT)
    connection.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
    key = base64.b64encode(os.urandom(16)).decode()
    lines = ["GET /engine.io/?EIO=4&transport=websocket HTTP/1.1", "Host: 127.0.0.1", "Upgrade: websocket",
             "Connection: Upgrade", "Sec-WebSocket-Version: 13", f"Sec-WebSocket-Key: {key}"]
    lines += [f"Sec-WebSocket-Extensions: {offer}"] if offer is not None else []
    connection.sendall(("\r\n".join(lines) + "\r\n\r\n").encode())
    data = b""
    while b"\r\n\r\n" not in data:
        more = connection.recv(1 << 16)
        if not more:
            raise Broken("the connection ended within the handshake")
        data += more
    head, _, rest = data.partition(b"\r\n\r\n")
    return connection, head.decode(), key, rest


class Peer:
    """One WebSocket to the server, and every byte that went by it after its opening."""

    def __init__(self, port, offer=None, is_taken=False):
        self.port = port
        self.sent, self.received = bytearray(), bytearray()
        # Whether the last message was compressed.
        self.was_compressed = False
        self._socket, head, key, rest = handshake(port, offer)
        self._unread = bytearray(rest)
        extension = check_answer(head, key)
        if bool(extension) != is_taken:
            raise Broken(f"the offer {offer} was answered with {extension}")
        # Of the server's compressor, as a power of two; `None` if compression was not negotiated.
        self.window = int(parameters(extension).get("server_max_window_bits", 15)) if extension else None
        opcode, payload = self.next()
        if opcode != TEXT or not payload.startswith(b"0{"):
            raise Broken("no Engine.IO open packet came")
        self.received.clear()

    def send(self, *writes, pause=0.0):
        """Each of `writes` in a segment of its own, as far as that can be arranged. The server may have left before."""
        for data in writes:
            self.sent += data
            try:
                self._socket.sendall(data)
            except (BrokenPipeError, ConnectionResetError):
                return
            if pause:
                time.sleep(pause)

    def _fill(self, end):
        """Whether more came, and not the end of the connection."""
        ready, _, _ = select.select([self._socket], [], [], max(0, end - time.monotonic()))
        if not ready:
            raise TimeoutError
        data = self._socket.recv(1 << 18)
        self._unread += data
        self.received += data
        return bool(data)

    def _take_frame(self):
        """The next whole frame of what has come, checked by the rules for a server's frames."""
        data = self._unread
        if len(data) < 2:
            return None
        is_compressed = data[0] & 0x70 == 0x40 and data[0] & 15 in (TEXT, BINARY) and self.window is not None
        if data[0] & 0x70 and not is_compressed or data[1] & 0x80 or not data[0] & 0x80:
            raise Broken("a frame of the server's is masked, has a reserved bit, or is a fragment")
        length, start = data[1], 2
        if length >= 126:
            start = 4 if length == 126 else 10
            length = int.from_bytes(data[2:start], "big")
            if len(data) < start:
                return None
            if length <= (125 if start == 4 else 0xFFFF):
                raise Broken("the server wrote a length in more bytes than it needs")
        if len(data) < start + length:
            return None
        result = data[0] & 15, bytes(data[start:start + length])
        del data[:start + length]
        self.was_compressed = is_compressed
        return (result[0], self._inflated(result[1])) if is_compressed else result

    def _inflated(self, payload):
        """The message, by a decoder that remembers nothing and has no larger window than the server promised."""
        decoder = zlib.decompressobj(-self.window)
        try:
            message = decoder.decompress(payload + TAIL)
        except zlib.error as error:
            raise Broken(f"the server's message cannot be inflated: {error}") from None
        if decoder.unused_data or not THRESHOLD <= len(message) or len(message) <= len(payload):
            raise Broken(f"a message of {len(message)} bytes was compressed to {len(payload)}")
        return message

    def next(self, wait=WAIT):
        """The next frame as its opcode and payload; `None` at the end of the connection. Answers Engine.IO's own pings."""
        end = time.monotonic() + wait
        while True:
            found = self._take_frame()
            if found == (TEXT, b"2"):
                self.send(frame(TEXT, b"3"))
            elif found:
                return found
            elif not self._fill(end):
                return None

    def rest(self):
        """All frames until the server ends the connection."""
        found = []
        while one := self.next():
            found.append(one)
        if self._unread:
            raise CutOff(f"the connection ended within a frame; before it came {show(found)}")
        return found

    def end(self):
        self._socket.close()


def parameters(extension):
    """The parameters of an extension, each with its value."""
    pairs = (one.partition("=") for one in extension.split(";")[1:])
    return {name.strip(): value.strip() for name, _, value in pairs}


def check_answer(head, key):
    """The answer takes the WebSocket, and no protocol with it. Returns the extension that it takes, if any."""
    first, *lines = head.split("\r\n")
    fields = {name.strip().lower(): value.strip() for name, _, value in (line.partition(":") for line in lines)}
    digest = hashlib.sha1((key + "258EAFA5-E914-47DA-95CA-C5AB0DC85B11").encode()).digest()
    for holds, what in [
        (first.split()[:2] == ["HTTP/1.1", "101"], f"the answer is {first}"),
        (fields.get("upgrade", "").lower() == "websocket", "no Upgrade: websocket"),
        ("upgrade" in fields.get("connection", "").lower(), "no Connection: Upgrade"),
        (fields.get("sec-websocket-accept") == base64.b64encode(digest).decode(), "Sec-WebSocket-Accept is wrong"),
        ("sec-websocket-protocol" not in fields, "a protocol was chosen"),
    ]:
        if not holds:
            raise Broken(what)
    return fields.get("sec-websocket-extensions")


# MARK: Cases

@dataclasses.dataclass
class Case:
    """What is played under one of Autobahn's numbers."""
    name: str
    # Each takes a `Peer` and raises `Broken` if the server errs. It may return another outcome than "passed", and why.
    plays: list
    offer: str | None = None
    # Whether it is to be played without compression only.
    is_plain: bool = False
    # Why the case cannot be played as Autobahn has it: then this stands in its place.
    in_place: str | None = None


def show(frames):
    """Each frame as its opcode and its payload in hex."""
    def words(one):
        return "the end" if one is None else f"{one[0]}:{one[1].hex() if len(one[1]) <= 32 else f'{len(one[1])} bytes'}"
    return ", ".join(map(words, frames)) or "nothing"


def same(found, wanted):
    if found != wanted:
        raise Broken(f"came {show(found)} instead of {show(wanted)}")


def ends(peer, before, *payloads):
    """The server sends `before`, a Close frame with one of `payloads`, nothing more, and ends the connection."""
    frames = peer.rest()
    if not frames or frames[-1][0] != CLOSE:
        raise CutOff(f"the connection ended without a Close frame; came {show(frames)}")
    same(frames[:-1], list(before))
    if frames[-1][1] not in payloads:
        raise Broken(f"closed with {frames[-1][1].hex() or 'no code'} instead of {' or '.join(p.hex() for p in payloads)}")


def echo(writes, *wanted, pause=0.0):
    """The server answers with these frames; then the client closes, and the server closes with it."""
    def play(peer):
        peer.send(*writes, pause=pause)
        same([peer.next() for _ in wanted], list(wanted))
        peer.send(farewell())
        ends(peer, [], close_payload(1000))
    return play


def failing(writes, code, *before, pause=0.0):
    """The server fails the connection with this code, once it has answered what came before in order."""
    def play(peer):
        peer.send(*writes, pause=pause)
        ends(peer, before, close_payload(code))
    return play


def closing(writes, *payloads):
    """The writes hold the client's Close frame, which the server answers with one of these payloads."""
    def play(peer):
        peer.send(*writes)
        ends(peer, [], *payloads)
    return play


def empty_text(writes):
    """A text without a type is no Engine.IO packet: the server closes first, with no code, and the client with it."""
    def play(peer):
        peer.send(*writes)
        same([peer.next()], [(CLOSE, b"")])
        peer.send(frame(CLOSE))
        same(peer.rest(), [])
    return play


NO_TYPE = "an empty text is no Engine.IO packet: the server has to close; the packet 4 without data stands in its place"
TOO_LARGE = f"larger than the server's limit: it has to close with 1009; {LIMIT:,} bytes stand in its place"
HELLO = (TEXT, b"4Hello, world!")
# With the accent of ancient Greek, three bytes long.
KOSME = "κ\u1f79σμε".encode()


def message(*, binary=False, size=0):
    """Opcode and payload of a message of this size; text begins with the type of an Engine.IO message."""
    pattern = bytes([0, 254, 35, 250, 240]) if binary else "Ab7&%zQ31+".encode()
    payload = (pattern * (size // len(pattern) + 1))[:size]
    return (BINARY, payload) if binary else (TEXT, (b"4" + payload)[:max(size, 1)])


def is_worth_compressing(payload, window):
    """Whether the server has to compress it: it is long enough, becomes smaller, and fits into the client's window."""
    fits = window == 15 or len(payload) < 1 << window
    return fits and len(payload) >= THRESHOLD and len(compressed(payload)) < len(payload)


def back_and_forth(messages, count, step=None):
    """Messages one after the other, each when the one before it was answered. Compressed if that was negotiated, both ways."""
    def play(peer):
        for index in range(count):
            one = messages[index % len(messages)]
            payload = one[1] if peer.window is None else compressed(one[1])
            parts = cut(payload, step) if step else [payload]
            peer.send(b"".join(fragments(one[0], parts, 0 if peer.window is None else COMPRESSED)))
            same([peer.next()], [one])
            if peer.was_compressed != (peer.window is not None and is_worth_compressing(one[1], peer.window)):
                raise Broken(f"a message of {len(one[1])} bytes was compressed, or was not, against the rules")
        echo([])(peer)
    return play
