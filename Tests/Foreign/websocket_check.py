"""The cases of Autobahn's WebSocket test suite, played anew against `socketio-echo --mode engine`.

    swift build --product socketio-echo
    python3 Tests/Foreign/websocket_check.py .build/debug/socketio-echo [--class 6] [--json]

Python's standard library only: the client's side of RFC 6455 is written here, so that every byte can be chosen. The numbers
are Autobahn's (autobahntestsuite 25.10.1); docs/websocket-cases.md tells what differs, as all text travels in Engine.IO
packets. Takes about half a minute, ten at most. Exits 0 when every case held.
"""

import argparse
import base64
import collections
import dataclasses
import hashlib
import json
import os
import select
import socket
import subprocess
import sys
import time

WAIT = 10
LONGEST = 600
# How long to wait for what should come at once, where its absence is no failure.
SHORT = 0.4
# The server's own limit of a message.
LIMIT = 1_000_000
CONTINUATION, TEXT, BINARY, CLOSE, PING, PONG = 0, 1, 2, 8, 9, 10
KIB, MIB = 1024, 1024 * 1024


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


def fragments(opcode, parts):
    """The frames of one message that comes in parts."""
    last = len(parts) - 1
    return [frame(CONTINUATION if index else opcode, part, index == last) for index, part in enumerate(parts)]


def cut(data, size):
    return [data[at:at + size] for at in range(0, len(data), size)]


def close_payload(code, reason=b""):
    return code.to_bytes(2, "big") + reason


def farewell(code=1000, reason=b""):
    return frame(CLOSE, close_payload(code, reason))


class Broken(Exception):
    """The server did what RFC 6455 forbids."""


class CutOff(Broken):
    """The connection ended within a frame or without a Close frame."""


class Peer:
    """One WebSocket to the server, and every byte that went by it after its opening."""

    def __init__(self, port, offer=None):
        self.sent, self.received = bytearray(), bytearray()
        self._unread = bytearray()
        self._socket = socket.create_connection(("127.0.0.1", port), timeout=WAIT)
        self._socket.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        self._open(offer)
        opcode, payload = self.next()
        if opcode != TEXT or not payload.startswith(b"0{"):
            raise Broken("no Engine.IO open packet came")
        self.received.clear()

    def _open(self, offer):
        key = base64.b64encode(os.urandom(16)).decode()
        lines = ["GET /engine.io/?EIO=4&transport=websocket HTTP/1.1", "Host: 127.0.0.1", "Upgrade: websocket",
                 "Connection: Upgrade", "Sec-WebSocket-Version: 13", f"Sec-WebSocket-Key: {key}"]
        lines += [f"Sec-WebSocket-Extensions: {offer}"] if offer else []
        self._socket.sendall(("\r\n".join(lines) + "\r\n\r\n").encode())
        while b"\r\n\r\n" not in self._unread:
            if not self._fill(time.monotonic() + WAIT):
                raise Broken("the connection ended within the handshake")
        head, _, rest = bytes(self._unread).partition(b"\r\n\r\n")
        self._unread = bytearray(rest)
        check_answer(head.decode(), key)

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
        if data[0] & 0x70 or data[1] & 0x80 or not data[0] & 0x80:
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
        return result

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


def check_answer(head, key):
    """The answer takes the WebSocket, and no extension or protocol with it."""
    first, *lines = head.split("\r\n")
    fields = {name.strip().lower(): value.strip() for name, _, value in (line.partition(":") for line in lines)}
    digest = hashlib.sha1((key + "258EAFA5-E914-47DA-95CA-C5AB0DC85B11").encode()).digest()
    for holds, what in [
        (first.split()[:2] == ["HTTP/1.1", "101"], f"the answer is {first}"),
        (fields.get("upgrade", "").lower() == "websocket", "no Upgrade: websocket"),
        ("upgrade" in fields.get("connection", "").lower(), "no Connection: Upgrade"),
        (fields.get("sec-websocket-accept") == base64.b64encode(digest).decode(), "Sec-WebSocket-Accept is wrong"),
        ("sec-websocket-extensions" not in fields, "an extension was taken"),
        ("sec-websocket-protocol" not in fields, "a protocol was chosen"),
    ]:
        if not holds:
            raise Broken(what)


# MARK: Cases

@dataclasses.dataclass
class Case:
    """What is played under one of Autobahn's numbers."""
    name: str
    # Each takes a `Peer` and raises `Broken` if the server errs. It may return another outcome than "passed", and why.
    plays: list
    offer: str | None = None
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
NOT_COMPRESSED = "the server has no compression: it has to answer without; the messages go uncompressed"
HELLO = (TEXT, b"4Hello, world!")


def message(*, binary=False, size=0):
    """Opcode and payload of a message of this size; text begins with the type of an Engine.IO message."""
    pattern = bytes([0, 254, 35, 250, 240]) if binary else "Ab7&%zQ31+".encode()
    payload = (pattern * (size // len(pattern) + 1))[:size]
    return (BINARY, payload) if binary else (TEXT, (b"4" + payload)[:max(size, 1)])


# MARK: 1 to 5

def framing():
    for group, binary in ("1.1", False), ("1.2", True):
        for number, size in enumerate([0, 125, 126, 127, 128, 65_535, 65_536], start=1):
            one = message(binary=binary, size=size)
            is_empty = size == 0 and not binary
            plays = [empty_text([frame(TEXT)])] if is_empty else []
            yield Case(f"{group}.{number}", [*plays, echo([frame(*one)], one)], in_place=NO_TYPE if is_empty else None)
        yield Case(f"{group}.8", [echo(cut(frame(*one), 997), one)])


def pings():
    mixed = bytes([0, 255, 254, 253, 252, 251, 0, 255])
    for number, payload in enumerate([b"", b"Hello, world!", mixed, b"\xfe" * 125], start=1):
        yield Case(f"2.{number}", [echo([frame(PING, payload)], (PONG, payload))])
    yield Case("2.5", [failing([frame(PING, b"\xfe" * 126)], 1002)])
    yield Case("2.6", [echo(cut(frame(PING, b"\xfe" * 125), 1), (PONG, b"\xfe" * 125))])
    yield Case("2.7", [echo([frame(PONG)])])
    yield Case("2.8", [echo([frame(PONG, b"nobody asked")])])
    yield Case("2.9", [echo([frame(PONG, b"nobody asked"), frame(PING, b"asked")], (PONG, b"asked"))])
    many = [b"number %d" % index for index in range(10)]
    together = b"".join(frame(PING, one) for one in many)
    yield Case("2.10", [echo([together], *((PONG, one) for one in many))])
    yield Case("2.11", [echo(cut(together, 1), *((PONG, one) for one in many))])


def after_hello(name, bad, chops):
    """A message, a bad frame and a ping: the message is answered, the ping is not."""
    frames = [frame(*HELLO), bad, frame(PING)]
    if chops == "frames":
        return Case(name, [failing(frames, 1002, HELLO, pause=0.01)])
    return Case(name, [failing(cut(b"".join(frames), 1) if chops == "bytes" else [b"".join(frames)], 1002, HELLO)])


def reserved_bits():
    yield Case("3.1", [failing([frame(*HELLO, reserved=1)], 1002)])
    for reserved, chops in (2, None), (3, "frames"), (4, "bytes"):
        yield after_hello(f"3.{reserved}", frame(*HELLO, reserved=reserved), chops)
    yield Case("3.5", [failing([frame(BINARY, b"\0\xff\xfe", reserved=5)], 1002)])
    # Autobahn calls this one a ping, and sends a binary message: both are tried.
    yield Case("3.6", [failing([frame(opcode, b"Hello, world!", reserved=6)], 1002) for opcode in (PING, BINARY)])
    yield Case("3.7", [failing([frame(CLOSE, reserved=7)], 1002)])


def reserved_opcodes():
    for group, first in ("4.1", 3), ("4.2", 11):
        yield Case(f"{group}.1", [failing([frame(first)], 1002)])
        yield Case(f"{group}.2", [failing([frame(first + 1, b"a payload")], 1002)])
        yield after_hello(f"{group}.3", frame(first + 2), None)
        yield after_hello(f"{group}.4", frame(first + 3, b"a payload"), None)
        yield after_hello(f"{group}.5", frame(first + 4, b"a payload"), "bytes")


def in_chops(first_number, frames, make):
    """The same frames in one write, each in its own, and byte by byte."""
    for number, (writes, pause) in enumerate(
            [([b"".join(frames)], 0), (frames, 0.01), (cut(b"".join(frames), 1), 0)], start=first_number):
        yield Case(f"5.{number}", [make(writes, pause)])


def fragmentation():
    for number, opcode in (1, PING), (2, PONG):
        yield Case(f"5.{number}", [failing([b"".join(fragments(opcode, [b"one", b"two"]))], 1002)])
    first, second = fragments(TEXT, [b"4one", b"two"])
    whole = (TEXT, b"4onetwo")
    yield from in_chops(3, [first, second], lambda writes, pause: echo(writes, whole, pause=pause))
    yield from in_chops(6, [first, frame(PING, b"between"), second],
                        lambda writes, pause: echo(writes, (PONG, b"between"), whole, pause=pause))
    for number, final in (9, True), (12, False):
        yield from in_chops(number, [frame(CONTINUATION, b"of nothing", final), frame(*HELLO)],
                            lambda writes, pause: failing(writes, 1002, pause=pause))
    after = [first, second, frame(CONTINUATION, b"of nothing", False), frame(*HELLO)]
    yield Case("5.15", [failing([b"".join(after)], 1002, whole)])
    for number, final in (16, False), (17, True):
        lone = frame(CONTINUATION, b"of nothing", final)
        yield Case(f"5.{number}", [failing([b"".join(2 * [lone, first, second])], 1002)])
    yield Case("5.18", [failing([frame(TEXT, b"4one", False) + frame(TEXT, b"4two")], 1002)])
    yield Case("5.19", [pings_between(0)])
    yield Case("5.20", [pings_between(0.01)])


def pings_between(pause):
    """The first ping is answered while its message is not complete."""
    def play(peer):
        parts = fragments(TEXT, [b"4one", b"two", b"three", b"four", b"five"])
        ping_one, ping_two = frame(PING, b"first"), frame(PING, b"second")
        peer.send(*(parts[:2] + [ping_one] if pause else [b"".join(parts[:2]) + ping_one]), pause=pause)
        same([peer.next()], [(PONG, b"first")])
        rest = [*parts[2:4], ping_two, parts[4]]
        echo(rest if pause else [b"".join(rest)], (PONG, b"second"), (TEXT, b"4onetwothreefourfive"), pause=pause)(peer)
    return play


# MARK: 6

def scheme(number, length):
    """A number as UTF-8 once encoded up to 31 bits, in as many bytes as wanted; RFC 3629 forbids much of it."""
    if length == 1:
        return bytes([number])
    tail = [0x80 | number >> 6 * index & 0x3F for index in reversed(range(length - 1))]
    mark = 0xFF << (8 - length) & 0xFF
    return bytes([mark | number >> 6 * (length - 1), *tail])


# The largest number in each count of bytes.
LARGEST = {1: 0x7F, 2: 0x7FF, 3: 0xFFFF, 4: 0x1FFFFF, 5: 0x3FFFFFF, 6: 0x7FFFFFFF}
# With the accent of ancient Greek, three bytes long.
KOSME = "κ\u1f79σμε".encode()


def texts():
    """Groups 6.5 to 6.23, by Markus Kuhn's list for decoders. Python's decoder tells which are UTF-8."""
    def characters(*codes):
        return [scheme(code, 1 + sum(code > LARGEST[length] for length in (1, 2, 3))) for code in codes]

    words = [b"hello%sworld" % one for one in characters(0x24, 0xA2, 0x20AC, 0x24B62)]
    largest = [scheme(LARGEST[length], length) for length in range(1, 7)]
    smallest = [b"\0", *(scheme(LARGEST[length - 1] + 1, length) for length in range(2, 7))]
    cut_off = [scheme(0, length)[:-1] for length in range(2, 7)] + [one[:-1] for one in largest[1:]]
    starts = [range(0xC0, 0xE0), range(0xE0, 0xF0), range(0xF0, 0xF8), range(0xF8, 0xFC), range(0xFC, 0xFE)]
    halves = characters(0xD800, 0xDB7F, 0xDB80, 0xDBFF, 0xDC00, 0xDF80, 0xDFFF)
    return [
        [*words, KOSME],
        [KOSME[:length] for length in range(1, len(KOSME) + 1)],
        smallest[:4], smallest[4:],
        [*largest[:3], *characters(0x10FFFF)], largest[3:],
        characters(0xD7FF, 0xE000, 0xFFFD, 0x10FFFF, 0x110000),
        [b"\x80", b"\xbf", *((b"\x80\xbf" * 3)[:length] for length in range(2, 7)), bytes(range(0x80, 0xC0))],
        [b"".join(bytes([start, 0x20]) for start in some) for some in starts],
        cut_off, [b"".join(cut_off)],
        [b"\xfe", b"\xff", b"\xfe\xfe\xff\xff"],
        [scheme(0x2F, length) for length in range(2, 7)],
        [scheme(LARGEST[length - 1], length) for length in range(2, 7)],
        [scheme(0, length) for length in range(2, 7)],
        halves,
        [high + low for high in halves[:4] for low in (halves[4], halves[6])],
        characters(*(plane << 16 | low for plane in range(17) for low in (0xFFFE, 0xFFFF))),
        characters(*range(0xFFF9, 0x10000)),
    ]


def is_text(payload):
    try:
        payload.decode()
        return True
    except UnicodeDecodeError:
        return False


def utf8():
    three = fragments(TEXT, [b"", b"", b""])
    yield Case("6.1.1", [empty_text([frame(TEXT)]), echo([frame(TEXT, b"4")], (TEXT, b"4"))], in_place=NO_TYPE)
    yield Case("6.1.2", [empty_text(three), echo(fragments(TEXT, [b"", b"4", b""]), (TEXT, b"4")),
                         echo(fragments(TEXT, [b"4", b"", b""]), (TEXT, b"4"))], in_place=NO_TYPE)
    yield Case("6.1.3", [echo(fragments(TEXT, [b"", HELLO[1], b""]), HELLO)])
    front, back = "4Grüße-µ@ßöä".encode(), "üàá-각😀!!".encode()
    for number, parts in enumerate([[front + back], [front, back], cut(front + back, 1), cut(b"4" + KOSME, 1)], start=1):
        yield Case(f"6.2.{number}", [echo(fragments(TEXT, parts), (TEXT, b"".join(parts)))])
    broken = b"4" + KOSME + scheme(0xD800, 3) + b"edited"
    yield Case("6.3.1", [failing([frame(TEXT, broken)], 1007)])
    yield Case("6.3.2", [failing(fragments(TEXT, cut(broken, 1)), 1007)])
    yield from early()
    for group, sequences in enumerate(texts(), start=5):
        for number, sequence in enumerate(sequences, start=1):
            one = (TEXT, b"4" + sequence)
            play = echo([frame(*one)], one) if is_text(sequence) else failing([frame(*one)], 1007)
            yield Case(f"6.{group}.{number}", [play])


def early():
    """A text whose second part makes it invalid: the third part need not be waited for."""
    start, beyond, rest = b"4" + KOSME, scheme(0x110000, 4), b"edited"
    whole = start + beyond + rest
    # Its second byte is the one that can be no part of any character.
    by_byte = [whole[:13], whole[13:14], whole[14:]]
    for number, parts in (1, [start, beyond, rest]), (2, by_byte):
        yield Case(f"6.4.{number}", [fails_early(fragments(TEXT, parts))])
    for number, parts in (3, [start, beyond, rest]), (4, by_byte):
        data, head = frame(TEXT, whole), 6
        bounds = [head + len(parts[0]), head + len(parts[0]) + len(parts[1])]
        yield Case(f"6.4.{number}", [fails_early([data[:bounds[0]], data[bounds[0]:bounds[1]], data[bounds[1]:]])])


def fails_early(parts):
    def is_silent(peer):
        try:
            found = peer.next(SHORT)
        except TimeoutError:
            return True
        same([found], [(CLOSE, close_payload(1007))])
        same(peer.rest(), [])
        return False

    def play(peer):
        peer.send(parts[0])
        if not is_silent(peer):
            raise Broken("failed while the text was valid")
        peer.send(parts[1])
        if is_silent(peer):
            peer.send(parts[2])
            ends(peer, [], close_payload(1007))
            return "non-strict", "invalid UTF-8 is told when the message is complete"
        return None
    return play


# MARK: 7

def close_frames():
    normal, error = close_payload(1000), close_payload(1002)
    yield Case("7.1.1", [echo([frame(*HELLO)], HELLO)])
    for number, after in (2, frame(CLOSE)), (3, frame(PING)), (4, frame(*HELLO)):
        yield Case(f"7.1.{number}", [closing([farewell() + after], normal)])
    first, second = fragments(TEXT, [b"4one", b"two"])
    yield Case("7.1.5", [closing([first + farewell() + second], normal)])
    yield Case("7.1.6", [closes_behind_much])
    yield Case("7.3.1", [closing([frame(CLOSE)], b"", normal)])
    yield Case("7.3.2", [closing([frame(CLOSE, b"a")], error)])
    for number, reason in (3, b""), (4, b"Hello World!"), (5, b"*" * 123):
        yield Case(f"7.3.{number}", [closing([farewell(1000, reason)], normal, normal + reason)])
    yield Case("7.3.6", [closing([farewell(1000, b"*" * 124)], error)])
    yield Case("7.5.1", [closing([farewell(1000, KOSME + scheme(0xD800, 3) + b"edited")], close_payload(1007), error)])
    valid = [1000, 1001, 1002, 1003, 1007, 1008, 1009, 1010, 1011, 3000, 3999, 4000, 4999]
    for number, code in enumerate(valid, start=1):
        yield Case(f"7.7.{number}", [closing([farewell(code)], normal, close_payload(code))])
    for number, code in enumerate([0, 999, 1004, 1005, 1006, 1016, 1100, 2000, 2999], start=1):
        yield Case(f"7.9.{number}", [closing([farewell(code)], error)])
    for number, code in (1, 5000), (2, 65_535):
        yield Case(f"7.13.{number}", [undefined_code(code)])


def closes_behind_much(peer):
    """A large message, a small one, a Close frame and a ping at once: how much is answered is the server's choice."""
    large = message(size=256 * KIB)
    peer.send(frame(*large) + frame(*HELLO) + farewell() + frame(PING))
    try:
        ends(peer, [large, HELLO], close_payload(1000))
    except CutOff:
        return "informational", "the connection ended before all was answered"
    return "informational", "both messages came before the Close frame"


def undefined_code(code):
    def play(peer):
        peer.send(farewell(code))
        ends(peer, [], close_payload(1000), close_payload(1002), close_payload(code))
        return "informational", f"{code} is answered with {int.from_bytes(peer.received[-2:], 'big')}"
    return play


# MARK: 9 and 10

def large(name, size, make, binary, step):
    """A message in writes of `make`; one above the server's limit is refused, and one as large as may be takes its place."""
    one = message(binary=binary, size=size)
    if size <= LIMIT:
        return Case(name, [echo(make(one, step), one)])
    most = message(binary=binary, size=LIMIT)
    return Case(name, [failing(make(one, step), 1009), echo(make(most, step), most)], in_place=TOO_LARGE)


def in_fragments(one, step):
    # Many frames in one write, for the time it takes.
    return cut(b"".join(fragments(one[0], cut(one[1], step))), 1 << 16)


def in_pieces(one, step):
    return cut(frame(*one), step)


def limits():
    for group, binary in (1, False), (2, True):
        for number, size in enumerate([64 * KIB, 256 * KIB, MIB, 4 * MIB, 8 * MIB, 16 * MIB], start=1):
            yield large(f"9.{group}.{number}", size, in_pieces, binary, 1 << 30)
    for group, binary in (3, False), (4, True):
        for number in range(1, 10):
            yield large(f"9.{group}.{number}", 4 * MIB, in_fragments, binary, 64 * 4 ** (number - 1))
    for group, binary in (5, False), (6, True):
        for number in range(1, 7):
            yield large(f"9.{group}.{number}", MIB, in_pieces, binary, 64 * 2 ** (number - 1))
    for group, binary in (7, False), (8, True):
        for number, size in enumerate([0, 16, 64, 256, 1024, 4096], start=1):
            is_empty = size == 0 and not binary
            yield Case(f"9.{group}.{number}", [back_and_forth([message(binary=binary, size=size)], 1000)],
                       in_place=NO_TYPE if is_empty else None)


def back_and_forth(messages, count, step=None):
    """Messages one after the other, each when the one before it was answered."""
    def play(peer):
        for index in range(count):
            one = messages[index % len(messages)]
            peer.send(b"".join(fragments(one[0], cut(one[1], step)) if step else [frame(*one)]))
            same([peer.next()], [one])
        echo([])(peer)
    return play


def automatic_fragments():
    one = message(size=65_536)
    yield Case("10.1.1", [echo(fragments(TEXT, cut(one[1], 1300)), one)])


# MARK: 12 and 13

OFFER = "permessage-deflate; client_no_context_takeover; client_max_window_bits"
SIZES = [(16, None), (64, None), (256, None), *((KIB << shift, None) for shift in (0, 2, 3, 4, 5, 6, 7)),
         *((KIB << shift, 256) for shift in (3, 4, 5, 6, 7)), *((128 * KIB, step) for step in (1024, 4096, 32_768))]


def stretches(opcode, source, size):
    """Five stretches of the source, which begins anew at its end. Text is cut anywhere but within a character."""
    found = []
    for index in range(5):
        at = index * 7919 % len(source)
        piece = (source[at:] + source * (size // len(source) + 1))[:size]
        payload = piece.encode() if opcode == TEXT else piece
        found.append((opcode, b"4" + payload if opcode == TEXT else payload))
    return found


def compression(group, offer, opcode, source):
    for number, (size, step) in enumerate(SIZES, start=1):
        play = back_and_forth(stretches(opcode, source, size), 20, step)
        yield Case(f"{group}.{number}", [play], offer, NOT_COMPRESSED)


def sources():
    """As Autobahn has them: JSON, a picture, prose, a page, and what is compressed already. Text where it has text."""
    entries = [{"id": index, "name": f"이름 {index}", "tags": ["ä", "b"], "at": index * 1.5} for index in range(800)]
    prose = "Über den Dächern wird es hell; wer früh aufsteht, hört die Züge fahren. " * 600
    picture = bytes((row * column >> 6) & 0xFF for row in range(256) for column in range(256))
    page = "".join(f"<li class='row'><a href='/item/{index}'>항목 {index}</a></li>\n" for index in range(900))
    return [(TEXT, json.dumps(entries, ensure_ascii=False)), (BINARY, picture), (BINARY, prose.encode()), (TEXT, page),
            (BINARY, os.urandom(1 << 16))]


def payloads():
    for group, (opcode, source) in enumerate(sources(), start=1):
        yield from compression(f"12.{group}", OFFER, opcode, source)


def parameters():
    alone, nine, fifteen = "; server_no_context_takeover", "; server_max_window_bits=9", "; server_max_window_bits=15"
    offers = [OFFER, OFFER + alone, OFFER + nine, OFFER + fifteen, OFFER + alone + nine, OFFER + alone + fifteen,
              f"{OFFER}{alone}{nine}, {OFFER}{alone}, {OFFER}"]
    for group, offer in enumerate(offers, start=1):
        yield from compression(f"13.{group}", offer, *sources()[0])


# MARK: Our own

def own():
    """What RFC 6455 asks of a server and Autobahn does not try."""
    one, more = message(binary=True, size=LIMIT), message(binary=True, size=LIMIT + 1)
    yield Case("exactly the limit", [echo([frame(*one)], one), echo(fragments(BINARY, cut(one[1], LIMIT // 2)), one)])
    yield Case("a byte above the limit", [failing([frame(*more)], 1009),
                                          failing(fragments(BINARY, cut(more[1], LIMIT // 2)), 1009)])
    yield Case("a frame without a mask", [failing([b"\x82\x02hi"], 1002), failing([b"\x89\x00"], 1002)])
    yield Case("compressed although declined", [failing([frame(*HELLO, reserved=4)], 1002)], OFFER)
    yield Case("a Close frame in two fragments", [failing([frame(CLOSE, close_payload(1000), final=False)], 1002)])
    yield Case("a broken frame behind much", [unread(frame(3), close_payload(1002))])
    yield Case("a Close frame behind much", [unread(farewell(), close_payload(1000))])


def unread(last, payload):
    """Who reads nothing before its own last frame is out gets all that was sent before it, and the Close frame."""
    def play(peer):
        one = message(binary=True, size=900_000)
        peer.send(frame(*one), frame(*one), last)
        time.sleep(SHORT)
        ends(peer, [one, one], payload)
    return play


# MARK: Running

CLASSES = {
    "1": ("framing", framing), "2": ("pings and pongs", pings), "3": ("reserved bits", reserved_bits),
    "4": ("reserved opcodes", reserved_opcodes), "5": ("fragmentation", fragmentation), "6": ("UTF-8", utf8),
    "7": ("closing", close_frames), "9": ("limits", limits), "10": ("automatic fragments", automatic_fragments),
    "12": ("compression, payloads", payloads), "13": ("compression, parameters", parameters),
    "own": ("rules that Autobahn leaves out", own)}
# From good to bad.
OUTCOMES = ["passed", "non-strict", "informational", "left out", "failed"]


class Echo:
    """The server under test, on a free port. Its own pings are too far apart to come between."""

    def __init__(self, program):
        self._process = subprocess.Popen(
            [program, "--mode", "engine", "--port", "0", "--ping-interval", "3600000"], stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL, text=True)
        line = self._process.stdout.readline() if select.select([self._process.stdout], [], [], WAIT)[0] else ""
        if not line:
            self.stop()
            sys.exit(f"{program} did not start")
        self.port = int(line.rsplit(":", 1)[1])

    @property
    def is_running(self):
        return self._process.poll() is None

    def stop(self):
        self._process.terminate()
        try:
            self._process.wait(WAIT)
        except subprocess.TimeoutExpired:
            self._process.kill()
            self._process.wait()


def excerpt(data):
    return data.hex() if len(data) <= 96 else f"{data[:32].hex()}...{data[-16:].hex()} ({len(data)} bytes)"


def run_play(play, server, offer):
    """How it went, why, and what went over the wire if it did not go well."""
    peer = None
    try:
        peer = Peer(server.port, offer)
        outcome, why = play(peer) or ("passed", None)
        return {"outcome": outcome, "why": why}
    except (Broken, OSError) as error:
        why = "nothing more came in time" if isinstance(error, TimeoutError) else str(error)
        sent, received = (peer.sent, peer.received) if peer else (b"", b"")
        return {"outcome": "failed", "why": why if server.is_running else "the server has ended",
                "sent": excerpt(sent), "received": excerpt(received)}
    finally:
        if peer:
            peer.end()


def run_case(case, server, end):
    """The worst of what its plays came to. A case with another in its place counts as left out."""
    if time.monotonic() > end:
        return {"case": case.name, "outcome": "failed", "why": "no time was left"}
    worst = max((run_play(play, server, case.offer) for play in case.plays), key=lambda one: OUTCOMES.index(one["outcome"]))
    if case.in_place and worst["outcome"] == "passed":
        worst = {"outcome": "left out", "why": case.in_place}
    return {"case": case.name, **worst}


def report(name, results):
    counts = collections.Counter(result["outcome"] for result in results)
    words = ", ".join(f"{counts[kind]} {kind}" for kind in OUTCOMES if counts[kind] or kind in ("passed", "failed"))
    print(f"{name:>3} {CLASSES[name][0]}: {len(results)} cases, {words}", flush=True)
    reasons = collections.defaultdict(list)
    for result in results:
        if result["outcome"] != "passed":
            reasons[result["outcome"], result["why"]].append(result)
    for (outcome, why), some in reasons.items():
        shown = ", ".join(result["case"] for result in some[:6]) + (f" and {len(some) - 6} more" if len(some) > 6 else "")
        print(f"      {outcome}: {shown}: {why}")
        for result in some[:6] if outcome == "failed" else []:
            print(f"        {result['case']} sent {result.get('sent')}\n        came {result.get('received')}", flush=True)


def main():
    parser = argparse.ArgumentParser(description="Autobahn's cases against socketio-echo.")
    parser.add_argument("program", help="path of socketio-echo")
    parser.add_argument("--class", dest="one", choices=list(CLASSES), help="only this class")
    parser.add_argument("--json", action="store_true", help="every case with its outcome, as JSON")
    options = parser.parse_args()
    end = time.monotonic() + LONGEST
    server, results = Echo(options.program), {}
    try:
        for name in [options.one] if options.one else CLASSES:
            results[name] = [run_case(case, server, end) for case in CLASSES[name][1]()]
            if not options.json:
                report(name, results[name])
    finally:
        server.stop()
    everything = [result for some in results.values() for result in some]
    failed = sum(result["outcome"] == "failed" for result in everything)
    if options.json:
        print(json.dumps(results, ensure_ascii=False, indent=1))
    else:
        print(f"WebSocket cases: {len(everything) - failed} held, {failed} failed")
    sys.exit(1 if failed else 0)


main()
