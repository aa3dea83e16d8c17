"""Compression (RFC 7692) for `websocket_check.py`: Autobahn's chapters 12 and 13, and what they leave out."""

import json
import os
import zlib

from websocket_peer import (
    BINARY, CLOSE, COMPRESSED, CONTINUATION, HELLO, KIB, KOSME, LIMIT, MIB, OFFER, PING, PONG, TAIL, TEXT, Broken, Case, Peer,
    back_and_forth, check_answer, compressed, cut, echo, failing, fragments, frame, handshake, message, same)

NOT_COMPRESSED = "the server has no compression: it has to answer without; the messages go uncompressed"

# MARK: 12 and 13

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
        yield Case(f"{group}.{number}", [play], offer, in_place=NOT_COMPRESSED)


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


def offers():
    alone, nine, fifteen = "; server_no_context_takeover", "; server_max_window_bits=9", "; server_max_window_bits=15"
    wishes = [OFFER, OFFER + alone, OFFER + nine, OFFER + fifteen, OFFER + alone + nine, OFFER + alone + fifteen,
              f"{OFFER}{alone}{nine}, {OFFER}{alone}, {OFFER}"]
    for group, offer in enumerate(wishes, start=1):
        yield from compression(f"13.{group}", offer, *sources()[0])


# MARK: What is agreed on

NEVER = "server_no_context_takeover; client_no_context_takeover"
# Each offer and what it is answered with: the parameters besides `NEVER`, `None` if it is declined, 400 if it is refused.
NEGOTIATIONS = [
    ("permessage-deflate", ""),
    ("permessage-deflate; server_no_context_takeover; client_no_context_takeover", ""),
    ("permessage-deflate; client_max_window_bits", ""), ("permessage-deflate; client_max_window_bits=8", ""),
    ("permessage-deflate; client_max_window_bits=15", ""), ('permessage-deflate; client_max_window_bits="10"', ""),
    *((f"permessage-deflate; server_max_window_bits={bits}", f"server_max_window_bits={bits}") for bits in range(8, 16)),
    ('permessage-deflate;server_max_window_bits = "1\\2"', "server_max_window_bits=12"),
    ("permessage-deflate; server_max_window_bits", None), ("permessage-deflate; server_max_window_bits=7", None),
    ("permessage-deflate; server_max_window_bits=16", None), ("permessage-deflate; server_max_window_bits=08", None),
    ("permessage-deflate; server_max_window_bits=+9", None), ("permessage-deflate; server_max_window_bits=9x", None),
    ("permessage-deflate; client_max_window_bits=7", None), ("permessage-deflate; client_max_window_bits=010", None),
    ("permessage-deflate; server_no_context_takeover=1", None), ("permessage-deflate; client_no_context_takeover=", 400),
    ("permessage-deflate; server_no_context_takeover; server_no_context_takeover", None),
    ("permessage-deflate; server_max_window_bits=9; server_max_window_bits=9", None),
    ("permessage-deflate; window=9", None), ("permessage-inflate", None), ("x-webkit-deflate-frame", None),
    ("permessage-deflate; window=9, permessage-deflate; server_max_window_bits=9, permessage-deflate",
     "server_max_window_bits=9"),
    ("a; b=c, , permessage-deflate,", ""), ("", 400), (",", 400), ("permessage-deflate;", 400),
    ("permessage-deflate; =9", 400), ("permessage-deflate server_no_context_takeover", 400),
    ('permessage-deflate; server_max_window_bits="9', 400), ('permessage-deflate; server_max_window_bits="9 "', 400),
    ('permessage-deflate; server_max_window_bits=""', 400), ("permessage-deflate@", 400),
]


def negotiation():
    for offer, wanted in NEGOTIATIONS:
        yield Case(offer or "an empty field", [answered(offer, wanted)], is_plain=True)


def answered(offer, wanted):
    def play(peer):
        connection, head, key, _ = handshake(peer.port, offer)
        connection.close()
        if wanted == 400:
            if " 400 " not in head.split("\r\n")[0]:
                raise Broken(f"answered with {head}")
            return
        expected = None if wanted is None else "; ".join(filter(None, ["permessage-deflate", NEVER, wanted]))
        if (found := check_answer(head, key)) != expected:
            raise Broken(f"answered with {found} instead of {expected}")
    return play


# MARK: What RFC 7692 asks for beside

def packed(opcode, payload, **options):
    return frame(opcode, compressed(payload, **options), reserved=COMPRESSED)


def last_block(payload):
    """Data whose last block says that it is the last."""
    encoder = zlib.compressobj(6, zlib.DEFLATED, -15)
    return encoder.compress(payload) + encoder.flush()


def raw(data, opcode=BINARY):
    """A frame that says it is compressed."""
    return frame(opcode, data, reserved=COMPRESSED)


def case(name, *plays, offer=OFFER):
    return Case(name, list(plays), offer)


def rules():
    text, large = (TEXT, b"4" + "Grüße, 안녕 ".encode() * 200), (BINARY, bytes(range(256)) * 900)
    noise, zeros = (BINARY, os.urandom(LIMIT)), (BINARY, bytes(LIMIT))
    yield case("a compressed text, a plain one, a compressed binary message",
               echo([packed(*text), frame(*HELLO), packed(*large)], text, HELLO, large))
    data = compressed(text[1])
    for name, parts in ("in two", [data[:9], data[9:]]), ("byte by byte", cut(data, 1)), \
            ("with empty ones between", [b"", data[:5], b"", data[5:], b""]):
        yield case(f"fragments {name}", echo(fragments(TEXT, parts, COMPRESSED), text))
    pieces = fragments(TEXT, [data[:9], data[9:]], COMPRESSED)
    yield case("a ping between fragments", echo([pieces[0], frame(PING, b"x"), pieces[1]], (PONG, b"x"), text))
    yield case("two clients with fragments by turns", by_turns(text, large))
    yield case("the bit on a control frame", *(failing([frame(opcode, b"", reserved=COMPRESSED)], 1002)
                                               for opcode in (PING, PONG, CLOSE)))
    yield case("the bit on a continuation", failing(
        [frame(TEXT, data[:9], False, COMPRESSED), frame(CONTINUATION, data[9:], reserved=COMPRESSED)], 1002))
    yield case("other reserved bits beside it", *(failing([frame(TEXT, data, reserved=reserved)], 1002) for reserved in (5, 6, 7)))
    yield case("an empty message", echo([raw(b"\0"), raw(b"\2\0")], (BINARY, b""), (BINARY, b"")))
    yield case("every level and strategy", echo(
        [packed(*large, level=level, strategy=strategy) for level in range(10) for strategy in range(5)], *[large] * 50))
    yield case("every window", echo([packed(*large, window=window) for window in range(9, 16)], *[large] * 7))
    yield case("a last block, and an empty one behind", echo([raw(last_block(large[1]) + b"\0")], large))
    yield case("last blocks and others by turns", echo(
        [raw(last_block(large[1]) + last_block(b"") + last_block(large[1]) + compressed(large[1]))],
        (BINARY, large[1] * 3)))
    yield case("an empty last block in the place of the one left out", echo([raw(b"\1")], (BINARY, b"")))
    for name, bad in [
        ("nothing at all", b""), ("no DEFLATE data", b"\xff\xff\xff"), ("a block of type 3", b"\6\0"),
        ("a stored block with a wrong length", b"\0\1\0\0\0a"), ("data that is cut off", data[:-9]),
        ("data with the end that is to be left out", data + TAIL), ("a last block and nothing behind", last_block(b"abc")),
        ("rubbish behind a last block", last_block(b"abc") + b"rubbish"),
        ("a distance beyond the message's beginning", continued(text[1])),
        ("a distance beyond a last block", last_block(text[1]) + continued(text[1]))]:
        yield case(name, failing([frame(*HELLO), raw(bad)], 1007, HELLO))
    yield case("what another message has left", failing([packed(*text), raw(continued(text[1]), TEXT)], 1007, text))
    yield case("no UTF-8 within", failing([raw(compressed(b"4" + KOSME + b"\xed\xa0\x80"), TEXT)], 1007))
    yield case("UTF-8 within that is cut off", failing([raw(compressed(b"4" + KOSME[:-1]), TEXT)], 1007))
    yield case("exactly the limit", echo([packed(*zeros), packed(*noise), packed(*noise, level=0)], zeros, noise, noise))
    yield case("a byte above the limit", *(failing([packed(BINARY, one[1] + b"\0", level=level)], 1009)
                                           for one in (zeros, noise) for level in (0, 6)))
    yield case("a bomb", *(failing([raw(one)], 1009) for one in bombs()))
    yield case("the limit, and empty blocks behind it", echo([raw(last_block(zeros[1]) + last_block(b"") * 1000 + b"\0")], zeros))
    yield case("more than the limit without getting smaller", failing([raw(bytes(LIMIT + LIMIT // 16))], 1009))
    for bits, fits, beyond in (8, None, 1024), (11, 2000, 2100), (12, 4000, 4200):
        yield case(f"a window of {bits} bits for the server",
                   back_and_forth([message(binary=binary, size=size) for size in (fits, beyond) if size
                                   for binary in (False, True)], 8),
                   offer=f"permessage-deflate; server_max_window_bits={bits}")


def continued(payload):
    """The second message of a compressor that takes over context: it refers to the first."""
    encoder = zlib.compressobj(6, zlib.DEFLATED, -15)
    encoder.compress(payload)
    encoder.flush(zlib.Z_SYNC_FLUSH)
    return (encoder.compress(payload) + encoder.flush(zlib.Z_SYNC_FLUSH))[:-len(TAIL)]


def bombs():
    """Small data that becomes 200 MB: in one piece, and as a bomb behind a bomb."""
    encoder = zlib.compressobj(9, zlib.DEFLATED, -15)
    whole = b"".join(encoder.compress(bytes(MIB)) for _ in range(200)) + encoder.flush(zlib.Z_SYNC_FLUSH)
    return [whole[:-len(TAIL)], last_block(bytes(MIB // 2)) * 400 + b"\0"]


def by_turns(one, other):
    """Neither client gets, or is held to, anything of the other's messages."""
    def play(peer):
        second = Peer(peer.port, OFFER, is_taken=True)
        try:
            mine, theirs = (cut(compressed(payload), 7) for _, payload in (one, other))
            mine, theirs = fragments(one[0], mine, COMPRESSED), fragments(other[0], theirs, COMPRESSED)
            for index in range(max(len(mine), len(theirs))):
                peer.send(*mine[index:index + 1])
                second.send(*theirs[index:index + 1])
            same([peer.next(), second.next()], [one, other])
        finally:
            second.end()
    return play


