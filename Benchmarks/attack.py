#!/usr/bin/env python3
"""What a stranger at one address takes from a person at another: latency and memory, quiet and under attack.

    Benchmarks/attack.py [--seconds 60] [--program PATH] [--only NAME]... [--json]

Starts a server of its own with default limits, SQLite and keys as a private instance has them. A person at 127.0.0.2 posts and
signs in, half of the quiet time alone, then while a stranger at 127.0.0.66 sends every attack of this file at once, with the
lowest priority, as often as the server answers, then alone again: other guests of the machine's host slow both. Standard
library only; Linux; listens on loopback only; ends by itself.

Exits 0 when, against the quiet server, the 99th percentile of posts and sign-ins stays within twice, memory within 64 MiB, every
chat was heard once, in order, and the server still runs.
"""

import argparse
import asyncio
import base64
import collections
import itertools
import json
import multiprocessing
import os
import pathlib
import random
import subprocess
import sys
import tempfile
import time

KEY = "attack-key"
PERSON, STRANGER = "127.0.0.2", "127.0.0.66"
PASSWORD = "Passw0rd!"
ACCOUNTS, POSTERS = 60, 5
POST_EVERY, SIGN_IN_EVERY = 0.05, 0.3
MEBIBYTE = 1 << 20


class Wire:
    """A connection from one of this machine's addresses."""

    def __init__(self, reader, writer, host):
        self.reader, self.writer, self.host = reader, writer, host

    @classmethod
    async def open(cls, port, address):
        reader, writer = await asyncio.open_connection("127.0.0.1", port, local_addr=(address, 0))
        return cls(reader, writer, f"127.0.0.1:{port}")

    def head(self, method, path, headers=(), length=None):
        lines = [f"{method} {path} HTTP/1.1", f"Host: {self.host}", *(f"{name}: {value}" for name, value in headers)]
        if length is not None:
            lines.append(f"Content-Length: {length}")
        return ("\r\n".join(lines) + "\r\n\r\n").encode()

    async def answer(self):
        head = await self.reader.readuntil(b"\r\n\r\n")
        lines = head.decode("latin-1").split("\r\n")
        fields = {name.lower(): value.strip() for name, _, value in (line.partition(":") for line in lines[1:])}
        if "content-length" in fields:
            body = await self.reader.readexactly(int(fields["content-length"]))
        elif fields.get("transfer-encoding") == "chunked":
            body = b""
            while size := int((await self.reader.readline()).split(b";")[0], 16):
                body += await self.reader.readexactly(size)
                await self.reader.readexactly(2)
            await self.reader.readexactly(2)
        else:
            body = b""
        return int(lines[0].split()[1]), body

    async def ask(self, method, path, headers=(), body=b""):
        self.writer.write(self.head(method, path, headers, len(body) if body or method != "GET" else None) + body)
        await self.writer.drain()
        return await self.answer()

    async def call(self, method, path, token=None, value=None):
        headers = [("SesacKey", KEY)]
        if token:
            headers.append(("Authorization", token))
        body = b""
        if value is not None:
            headers.append(("Content-Type", "application/json"))
            body = json.dumps(value).encode()
        status, body = await self.ask(method, "/v1" + path, headers, body)
        return status, json.loads(body) if body else None

    async def upgrade(self, revision=4):
        """A WebSocket of its own, without polling before."""
        key = base64.b64encode(os.urandom(16)).decode()
        self.writer.write(self.head("GET", f"/socket.io/?EIO={revision}&transport=websocket", [
            ("Upgrade", "websocket"), ("Connection", "Upgrade"), ("Sec-WebSocket-Version", "13"),
            ("Sec-WebSocket-Key", key)]))
        head = await self.reader.readuntil(b"\r\n\r\n")
        if b" 101 " not in head.split(b"\r\n")[0]:
            raise ConnectionError(head)

    def frame(self, data, opcode=1):
        mask = os.urandom(4)
        if len(data) < 126:
            length = bytes([0x80 | len(data)])
        elif len(data) < 1 << 16:
            length = bytes([0xFE]) + len(data).to_bytes(2, "big")
        else:
            length = bytes([0xFF]) + len(data).to_bytes(8, "big")
        repeated = (mask * (len(data) // 4 + 1))[:len(data)]
        masked = (int.from_bytes(data, "big") ^ int.from_bytes(repeated, "big")).to_bytes(len(data), "big")
        return bytes([0x80 | opcode]) + length + mask + masked

    async def packet(self):
        """The next text frame of the server."""
        while True:
            first, second = await self.reader.readexactly(2)
            size = second & 0x7F
            if size >= 126:
                size = int.from_bytes(await self.reader.readexactly(2 if size == 126 else 8), "big")
            data = await self.reader.readexactly(size)
            if first & 0x0F == 1:
                return data.decode()
            if first & 0x0F == 8:
                raise ConnectionError("closed")

    def close(self):
        self.writer.transport.abort()


# --- The person ------------------------------------------------------------------------------------------------------


class Person:
    """Posts, signs in and listens to the room like a person; records how long each took."""

    def __init__(self, port):
        self.port = port
        self.posts, self.sign_ins, self.refused = [], [], []
        self.sent, self.heard = [], []

    async def settle(self):
        wire = await Wire.open(self.port, PERSON)
        self.tokens = []
        for number in range(ACCOUNTS):
            status, answer = await wire.call("POST", "/users/join", value={
                "email": f"p{number}@example.org", "password": PASSWORD, "nickname": f"p{number}"})
            assert status == 200, answer
            self.tokens.append(answer["token"]["accessToken"])
        boundary = b"--b\r\nContent-Disposition: form-data; name=\"name\"\r\n\r\nHome\r\n--b--\r\n"
        form = [("SesacKey", KEY), ("Authorization", self.tokens[0]),
                ("Content-Type", "multipart/form-data; boundary=b")]
        status, body = await wire.ask("POST", "/v1/workspaces", form, boundary)
        assert status == 200, body
        self.workspace = json.loads(body)["workspace_id"]
        for number in range(1, POSTERS):
            await wire.call("POST", f"/workspaces/{self.workspace}/members", self.tokens[0],
                            {"email": f"p{number}@example.org"})
        status, body = await wire.ask("POST", f"/v1/workspaces/{self.workspace}/channels", form,
                                      boundary.replace(b"Home", b"talk"))
        assert status == 200, body
        self.channel = json.loads(body)["channel_id"]
        for token in self.tokens[:POSTERS]:
            await wire.call("GET", f"/workspaces/{self.workspace}/channels/{self.channel}/chats", token)
        wire.close()

    async def listen(self):
        wire = await Wire.open(self.port, PERSON)
        await wire.upgrade()
        await wire.packet()
        auth = json.dumps({"SesacKey": KEY, "Authorization": self.tokens[0]})
        wire.writer.write(wire.frame(f"40/ws-channel-{self.channel},{auth}".encode()))
        while not (packet := await wire.packet()).startswith(f"40/ws-channel-{self.channel},"):
            assert packet == "2", packet
        return wire

    async def hear(self, wire):
        while True:
            packet = await wire.packet()
            if packet == "2":
                wire.writer.write(wire.frame(b"3"))
            elif packet.startswith("42"):
                self.heard.append(json.loads(packet[packet.index(",") + 1:])[1]["content"])

    async def post(self, end):
        wires = [await Wire.open(self.port, PERSON) for _ in range(POSTERS)]
        for number in itertools.count():
            if time.monotonic() > end:
                break
            began = time.monotonic()
            text = f"{len(self.sent)}"
            status, answer = await wires[number % POSTERS].call(
                "POST", f"/workspaces/{self.workspace}/channels/{self.channel}/chats", self.tokens[number % POSTERS],
                {"content": text})
            self.posts.append(time.monotonic() - began)
            if status == 200:
                self.sent.append(text)
            else:
                self.refused.append(answer)
            await asyncio.sleep(max(0, POST_EVERY - (time.monotonic() - began)))

    async def sign_in(self, end):
        for number in itertools.count(POSTERS):
            if time.monotonic() > end:
                break
            began = time.monotonic()
            # Like phones, which use a separate connection for rare calls.
            wire = await Wire.open(self.port, PERSON)
            status, answer = await wire.call("POST", "/users/login", value={
                "email": f"p{POSTERS + number % (ACCOUNTS - POSTERS)}@example.org", "password": PASSWORD})
            self.sign_ins.append(time.monotonic() - began)
            if status != 200:
                self.refused.append(answer)
            wire.close()
            await asyncio.sleep(max(0, SIGN_IN_EVERY - (time.monotonic() - began)))

    async def live(self, seconds):
        self.posts, self.sign_ins = [], []
        end = time.monotonic() + seconds
        await asyncio.gather(self.post(end), self.sign_in(end))


# --- The attacker ----------------------------------------------------------------------------------------------------


async def polling(wire, revision=4):
    _, body = await wire.ask("GET", f"/socket.io/?EIO={revision}&transport=polling")
    text = body.decode()
    return json.loads(text[text.index("{"):text.rindex("}") + 1])["sid"]


def decoder(packet, revision=4):
    """An attack that POSTs one packet on a session of its own."""
    async def attack(port, count):
        wire = await Wire.open(port, STRANGER)
        path = f"/socket.io/?EIO={revision}&transport=polling&sid={await polling(wire, revision)}"
        data = packet if revision == 4 else str(len(packet)).encode() + b":" + packet
        await wire.ask("POST", path, [("Content-Type", "text/plain;charset=UTF-8")], data)
        count()
        wire.close()
    return attack


def flood(method, path, headers=(), body=b"", vary=False):
    """An attack that asks one thing again and again on a connection."""
    async def attack(port, count):
        wire = await Wire.open(port, STRANGER)
        for _ in range(200):
            name = f"{random.getrandbits(64):x}"
            await wire.ask(method, path.replace("NAME", name), [(k, v.replace("NAME", name)) for k, v in headers],
                           body.replace(b"NAME", name.encode()) if vary else body)
            count()
        wire.close()
    return attack


JSON_BODY = [("SesacKey", KEY), ("Content-Type", "application/json")]


def sign_in_as(email, password="Wrong1!pass"):
    return flood("POST", "/v1/users/login", JSON_BODY,
                 json.dumps({"email": email, "password": password}).encode(), vary=True)


async def half_frames(port, count):
    """Always leaves half a frame."""
    wire = await Wire.open(port, STRANGER)
    await wire.upgrade()
    frame = wire.frame(b"6" + b"x" * 60_000)
    wire.writer.write(frame[:30_000])
    for _ in range(50):
        wire.writer.write(frame[30_000:] + frame[:30_000])
        await wire.writer.drain()
        count()
    wire.close()


async def invented_rooms(port, count):
    wire = await Wire.open(port, STRANGER)
    await wire.upgrade()
    for number in range(1000):
        wire.writer.write(wire.frame(f"40/ws-channel-{random.getrandbits(64):016x}{number:016x},".encode()))
        count()
    await wire.writer.drain()
    try:
        async with asyncio.timeout(5):
            while True:
                await wire.packet()
    except TimeoutError:
        wire.close()


async def multipart_text(port, count):
    """50 MiB of text on a route without a token."""
    wire = await Wire.open(port, STRANGER)
    wire.writer.write(wire.head("POST", "/v1/users/join", [
        ("SesacKey", KEY), ("Content-Type", "multipart/form-data; boundary=b")], 50 * MEBIBYTE))
    wire.writer.write(b'--b\r\nContent-Disposition: form-data; name="nickname"\r\n\r\n')
    for _ in range(50):
        wire.writer.write(b"x" * MEBIBYTE)
        await wire.writer.drain()
        count()
    wire.close()


async def multipart_file(port, count):
    """A file on a route without a token."""
    wire = await Wire.open(port, STRANGER)
    wire.writer.write(wire.head("POST", "/v1/users/join", [
        ("SesacKey", KEY), ("Content-Type", "multipart/form-data; boundary=b")], 50 * MEBIBYTE))
    wire.writer.write(b'--b\r\nContent-Disposition: form-data; name="image"; filename="a.png"\r\n\r\n')
    for _ in range(50):
        wire.writer.write(b"\x89PNG" * (MEBIBYTE // 4))
        await wire.writer.drain()
        count()
    wire.close()


async def drip(port, count):
    wire = await Wire.open(port, STRANGER)
    wire.writer.write(wire.head("POST", "/v1/users/login", JSON_BODY, 100_000))
    while not wire.reader.at_eof():
        wire.writer.write(b"x")
        await wire.writer.drain()
        count()
        await asyncio.sleep(1)
    wire.close()


async def deaf(port, count):
    """Asks for the API's description and never reads it."""
    wire = await Wire.open(port, STRANGER)
    wire.writer.transport.pause_reading()
    for _ in range(200):
        wire.writer.write(wire.head("GET", "/openapi/2024-10.json"))
        await wire.writer.drain()
        count()
    await asyncio.sleep(10)
    wire.close()


LONG_LIST = {}


async def make_long_list(port):
    """A workspace of the attacker whose list of channels has 10 MB, as large as default quotas allow."""
    wire = await Wire.open(port, STRANGER)
    status, answer = await wire.call("POST", "/users/join", value={
        "email": "s@example.org", "password": PASSWORD, "nickname": "s"})
    assert status == 200, answer
    token = answer["token"]["accessToken"]
    boundary = "--b\r\nContent-Disposition: form-data; name=\"name\"\r\n\r\nNAME\r\n"
    long = "--b\r\nContent-Disposition: form-data; name=\"description\"\r\n\r\n" + "\U0001F469\u200D\U0001F680" * 1000
    form = [("SesacKey", KEY), ("Authorization", token), ("Content-Type", "multipart/form-data; boundary=b")]

    async def make(path, name):
        while True:
            body = (boundary.replace("NAME", name) + long + "\r\n--b--\r\n").encode()
            status, answer = await wire.ask("POST", path, form, body)
            answer = json.loads(answer)
            if status == 200:
                return answer
            assert answer["errorCode"] == "E98", answer
            await asyncio.sleep(1)

    workspace = (await make("/v1/workspaces", "Long"))["workspace_id"]
    path = f"/v1/workspaces/{workspace}/channels"
    for number in range(950):
        await make(path, f"room{number}")
    LONG_LIST["head"] = wire.head("GET", path, form[:2])
    wire.close()


async def unread_lists(port, count):
    """Asks for a list of 10 MB and does not read it."""
    wire = await Wire.open(port, STRANGER)
    wire.writer.transport.pause_reading()
    wire.writer.write(LONG_LIST["head"])
    await wire.writer.drain()
    count()
    await asyncio.sleep(10)
    wire.close()


async def idle(port, count):
    wire = await Wire.open(port, STRANGER)
    count()
    await wire.reader.read()
    wire.close()


async def sessions(port, count):
    """Opens sessions of sockets with all the header fields that fit, and leaves them."""
    wire = await Wire.open(port, STRANGER)
    for _ in range(20):
        await wire.ask("GET", "/socket.io/?EIO=4&transport=polling", [(f"X-{n}", "x" * 7000) for n in range(2)])
        count()
    wire.close()


ATTACKS = {
    # Name of an attack: the number of parallel connections, and what each does.
    "placeholder in a placeholder": (2, decoder(
        b'451-["e",{"a":{"_placeholder":true,"num":0},"_placeholder":true,"num":0}]\x1ebAAAA')),
    "repeated placeholders": (2, decoder(b'451-["x",{' + b",".join([b'"_placeholder":0'] * 10_000) + b"}]\x1ebAAAA")),
    "nested arrays": (2, decoder(b"42" + b"[" * 400_000)),
    "query of a namespace": (2, decoder(b"40/x?" + b"a&" * 200_000, revision=3)),
    "form of a JSONP client": (2, flood(
        "POST", "/socket.io/?EIO=4&transport=polling&j=0", [("Content-Type", "application/x-www-form-urlencoded")],
        b"d=" + b"%41&" * 100_000)),
    "half a frame, always": (4, half_frames),
    "invented rooms": (20, invented_rooms),
    "lines for the log": (2, flood("GET", "/socket.io/?EIO=9%0Aforged&transport=NAME")),
    "a long name for the log": (2, decoder(b"40/" + b"\n" * 500_000 + b",")),
    "header fields": (2, sessions),
    "unknown tokens": (4, flood("GET", "/v1/users/me", [("SesacKey", KEY), ("Authorization", "NAME" * 1000)])),
    "long e-mails": (2, flood(
        "POST", "/v1/users/login", JSON_BODY, b'{"email":"NAME' + b"x" * 900_000 + b'@e.org","password":"x"}')),
    "long nicknames": (2, flood(
        "POST", "/v1/users/join", JSON_BODY, json.dumps({
            "email": "NAME@e.org", "password": PASSWORD, "nickname": "e" + "\u0301" * 100_000}).encode(), vary=True)),
    "text of many megabytes": (3, multipart_text),
    "files without a token": (3, multipart_file),
    "bodies that drip": (100, drip),
    "answers nobody reads": (50, deaf),
    "lists nobody reads": (150, unread_lists),
    "idle connections": (1000, idle),
    "readiness": (4, flood("GET", "/readyz")),
    "metrics": (2, flood("GET", "/metrics", [("X-Forwarded-For", "127.0.0.1")])),
    "rubbish sign-ins": (60, sign_in_as("NAME@example.com")),
    "passwords of one account": (10, sign_in_as("p7@example.org")),
    "passwords of one account, with blanks": (4, flood(
        "POST", "/v1/users/login", JSON_BODY,
        json.dumps({"email": "p8@example.org" + " " * 1000, "password": "Wrong1!pass"}).encode())),
    "refreshes": (4, flood("GET", "/v1/auth/refresh", [
        ("SesacKey", KEY), ("Authorization", "NAME"), ("RefreshToken", "NAME")])),
}


async def torment(port, names, seconds, counts):
    end = time.monotonic() + seconds

    async def again(name, attack):
        def count():
            counts[name] += 1
        while time.monotonic() < end:
            try:
                async with asyncio.timeout(max(0.1, end - time.monotonic())):
                    await attack(port, count)
            except (OSError, EOFError, ValueError, TimeoutError, asyncio.LimitOverrunError):
                # Attackers must expect to be refused or cut off. They try again, but not in a tight loop.
                counts[name + ", cut off"] += 1
                await asyncio.sleep(0.05)

    await asyncio.gather(*(again(name, ATTACKS[name][1]) for name in names for _ in range(ATTACKS[name][0])))


def stranger(port, names, seconds, results):
    os.nice(19)
    counts = collections.Counter()
    asyncio.run(torment(port, names, seconds, counts))
    results.put(dict(counts))


# --- The measurement -------------------------------------------------------------------------------------------------


def percentile(values, part):
    return sorted(values)[min(len(values) - 1, int(len(values) * part))] * 1000


def memory(pid, field="VmRSS"):
    status = pathlib.Path(f"/proc/{pid}/status").read_text()
    return next(int(line.split()[1]) for line in status.splitlines() if line.startswith(field + ":")) / 1024


def processor_time(pid):
    fields = pathlib.Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


def stolen_time():
    """What other guests of the same host took from this machine's cores."""
    return int(pathlib.Path("/proc/stat").read_text().split()[8]) / os.sysconf("SC_CLK_TCK")


async def watch(pid, peak):
    while True:
        peak[0] = max(peak[0], memory(pid))
        await asyncio.sleep(0.2)


async def stretch(person, pid, seconds):
    """The person's life for a while, and what the server took of the machine."""
    peak = [memory(pid)]
    watching = asyncio.create_task(watch(pid, peak))
    used, stolen = processor_time(pid), stolen_time()
    await person.live(seconds)
    watching.cancel()
    return {
        "posts": person.posts, "sign-ins": person.sign_ins, "memory MiB": peak[0],
        "processor s": processor_time(pid) - used, "stolen s": stolen_time() - stolen}


def described(lived):
    figures = {}
    for name in ("posts", "sign-ins"):
        figures |= {name: len(lived[name])} | {
            f"{name} p{part} ms": percentile(lived[name], part / 100) for part in (50, 99)}
    return figures | {name: lived[name] for name in ("memory MiB", "processor s", "stolen s")}


async def measure(port, pid, names, seconds):
    person = Person(port)
    await person.settle()
    if "lists nobody reads" in names:
        await make_long_list(port)
    listener = await person.listen()
    hearing = asyncio.create_task(person.hear(listener))
    await person.live(3)
    figures = {}
    quiet = await stretch(person, pid, seconds / 2)
    results = multiprocessing.Queue()
    process = multiprocessing.Process(target=stranger, args=(port, names, seconds, results))
    process.start()
    figures["attacked"] = described(await stretch(person, pid, seconds))
    figures["attacks"] = await asyncio.to_thread(results.get, True, 30)
    process.join()
    again = await stretch(person, pid, seconds / 2)
    figures["quiet"] = described({
        name: quiet[name] if name == "memory MiB" else quiet[name] + again[name] for name in quiet})
    async with asyncio.timeout(10):
        while len(person.heard) < len(person.sent):
            await asyncio.sleep(0.05)
    figures["heard"] = person.heard == person.sent
    figures["refused"] = person.refused
    hearing.cancel()
    return figures


def verdict(figures):
    quiet, attacked = figures["quiet"], figures["attacked"]
    faults = [
        f"{name}: {attacked[name]:.1f}, over twice {quiet[name]:.1f}"
        for name in ("posts p99 ms", "sign-ins p99 ms") if attacked[name] > 2 * quiet[name]]
    grown = attacked["memory MiB"] - quiet["memory MiB"]
    if grown > 64:
        faults.append(f"memory grew by {grown:.0f} MiB")
    if not figures["heard"]:
        faults.append("the room did not hear every chat once and in order")
    if figures["refused"]:
        faults.append(f"the person was refused {len(figures['refused'])} times: {figures['refused'][0]}")
    return faults


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--seconds", type=int, default=60)
    parser.add_argument("--program")
    parser.add_argument("--only", action="append", choices=ATTACKS, metavar="NAME", default=[])
    parser.add_argument("--json", action="store_true")
    options = parser.parse_args()
    here = pathlib.Path(__file__).resolve().parent
    program = options.program or subprocess.run(
        [here.parent / "Scripts/release", "madang"], check=True, capture_output=True, text=True).stdout.strip()
    names = options.only or list(ATTACKS)
    with tempfile.TemporaryDirectory() as folder:
        log = open(f"{folder}/log", "w+")
        server = subprocess.Popen(
            [program, "serve", "--port", "0", "--data", f"{folder}/data"], text=True, stdout=subprocess.PIPE,
            stderr=log, env=os.environ | {"MADANG_KEYS": f"{KEY}=2024-10"})
        try:
            port = int(server.stdout.readline().rpartition(":")[2])
            figures = asyncio.run(measure(port, server.pid, names, options.seconds))
            figures["log bytes"] = os.fstat(log.fileno()).st_size
        finally:
            server.terminate()
            status = server.wait(30)
    faults = verdict(figures) + ([f"the server ended with {status}"] if status else [])
    if options.json:
        print(json.dumps(figures | {"faults": faults}, indent=1))
    else:
        for name in figures["quiet"]:
            print(f"{name:18}" + "".join(f"{figures[phase][name]:10.1f}" for phase in ("quiet", "attacked")))
        for name, count in sorted(figures["attacks"].items()):
            print(f"{count:8} {name}")
        print(f"log: {figures['log bytes']} bytes")
        print("\n".join(faults) or "Within limits.")
    sys.exit(bool(faults))


if __name__ == "__main__":
    main()
