"""The cases of Autobahn's WebSocket test suite, played anew against `socketio-echo --mode engine`.

    swift build --product socketio-echo
    python3 Tests/Foreign/websocket_check.py .build/debug/socketio-echo [--deflate] [--class 6] [--json]

Python's standard library only: `websocket_peer.py` writes the client's side, so that every byte can be chosen. With `--deflate`
the server compresses: each case is then played twice, without an offer and with one that the server takes. The numbers
are Autobahn's (autobahntestsuite 25.10.1); docs/reference/websocket-cases.md tells what differs, as all text travels in Engine.IO
packets. Takes about half a minute, ten at most. Exits 0 when every case held.
"""

import argparse
import collections
import json
import select
import subprocess
import sys
import time

from websocket_deflate import negotiation, offers, payloads, rules
from websocket_peer import (
    BINARY, CLOSE, CONTINUATION, DECLINED, HELLO, KIB, KOSME, LIMIT, MIB, OFFER, PING, PONG, SHORT, TEXT, WAIT, Broken, Case,
    CutOff, Peer, back_and_forth, close_payload, closing, cut, echo, empty_text, ends, failing, farewell, fragments, frame,
    message, same, NO_TYPE, TOO_LARGE)

LONGEST = 3000


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


def after_hello(name, bad, chops, is_plain=False):
    """A message, a bad frame and a ping: the message is answered, the ping is not."""
    frames = [frame(*HELLO), bad, frame(PING)]
    if chops == "frames":
        return Case(name, [failing(frames, 1002, HELLO, pause=0.01)])
    play = failing(cut(b"".join(frames), 1) if chops == "bytes" else [b"".join(frames)], 1002, HELLO)
    return Case(name, [play], is_plain=is_plain)


def reserved_bits():
    yield Case("3.1", [failing([frame(*HELLO, reserved=1)], 1002)])
    for reserved, chops in (2, None), (3, "frames"), (4, "bytes"):
        # Alone, that of 4 says that a message is compressed, where that was negotiated.
        yield after_hello(f"3.{reserved}", frame(*HELLO, reserved=reserved), chops, is_plain=reserved == 4)
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


def automatic_fragments():
    one = message(size=65_536)
    yield Case("10.1.1", [echo(fragments(TEXT, cut(one[1], 1300)), one)])


# MARK: Our own

def own():
    """What RFC 6455 asks of a server and Autobahn does not try."""
    one, more = message(binary=True, size=LIMIT), message(binary=True, size=LIMIT + 1)
    yield Case("exactly the limit", [echo([frame(*one)], one), echo(fragments(BINARY, cut(one[1], LIMIT // 2)), one)])
    yield Case("a byte above the limit", [failing([frame(*more)], 1009),
                                          failing(fragments(BINARY, cut(more[1], LIMIT // 2)), 1009)])
    yield Case("a frame without a mask", [failing([b"\x82\x02hi"], 1002), failing([b"\x89\x00"], 1002)])
    yield Case("compressed although declined", [failing([frame(*HELLO, reserved=4)], 1002)], DECLINED)
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
    "12": ("compression, payloads", payloads), "13": ("compression, parameters", offers),
    "own": ("rules that Autobahn leaves out", own)}
# With compression only.
DEFLATE_CLASSES = {
    "offers": ("what is agreed on for compression", negotiation), "rules": ("compression, what Autobahn leaves out", rules)}
# From good to bad.
OUTCOMES = ["passed", "non-strict", "informational", "left out", "failed"]


class Echo:
    """The server under test, on a free port. Its own pings are too far apart to come between."""

    def __init__(self, program, deflates):
        self.deflates = deflates
        self._process = subprocess.Popen(
            [program, "--mode", "engine", "--port", "0", "--ping-interval", "3600000", "--close-timeout", "60000", *["--deflate"] * deflates],
            stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True)
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
        peer = Peer(server.port, offer, server.deflates and offer not in (None, DECLINED))
        outcome, why = play(peer) or ("passed", None)
        return {"outcome": outcome, "why": why}
    except (Broken, OSError) as error:
        why = "nothing more came in time" if isinstance(error, TimeoutError) else str(error)
        sent, received = (peer.sent, peer.received) if peer else (b"", b"")
        return {"outcome": "failed", "why": why if server.is_running else "the server has stopped",
                "sent": excerpt(sent), "received": excerpt(received)}
    finally:
        if peer:
            peer.end()


def run_case(case, server, end):
    """The worst of what its plays came to. A case with another in its place counts as left out."""
    if time.monotonic() > end:
        return {"case": case.name, "outcome": "failed", "why": "no time was left"}
    tried = [None, OFFER] if server.deflates and not case.offer and not case.is_plain else [case.offer]
    outcomes = (run_play(play, server, offer) for offer in tried for play in case.plays)
    worst = max(outcomes, key=lambda one: OUTCOMES.index(one["outcome"]))
    if case.in_place and worst["outcome"] == "passed" and not (server.deflates and case.offer):
        worst = {"outcome": "left out", "why": case.in_place}
    return {"case": case.name, **worst}


def report(name, results):
    counts = collections.Counter(result["outcome"] for result in results)
    words = ", ".join(f"{counts[kind]} {kind}" for kind in OUTCOMES if counts[kind] or kind in ("passed", "failed"))
    print(f"{name:>3} {(CLASSES | DEFLATE_CLASSES)[name][0]}: {len(results)} cases, {words}", flush=True)
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
    parser.add_argument("--class", dest="one", choices=[*CLASSES, *DEFLATE_CLASSES], help="only this class")
    parser.add_argument("--deflate", action="store_true", help="with compression")
    parser.add_argument("--json", action="store_true", help="every case with its outcome, as JSON")
    options = parser.parse_args()
    end = time.monotonic() + LONGEST
    classes = CLASSES | DEFLATE_CLASSES if options.deflate else CLASSES
    if options.one and options.one not in classes:
        parser.error(f"{options.one} needs --deflate")
    server, results = Echo(options.program, options.deflate), {}
    try:
        for name in [options.one] if options.one else classes:
            results[name] = [run_case(case, server, end) for case in classes[name][1]()]
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
