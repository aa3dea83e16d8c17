"""Three madang servers on one PostgreSQL, behind nginx and behind HAProxy with the files in proxies/: the flows of both
editions, python-socketio in all transports, and servers that are killed or stopped while people talk, some of them with
the client library's Room. Each server has a data directory of its own; only files/ in it is shared.

    Scripts/with-postgres python Tests/Foreign/nodes_check.py .build/debug/madang [--seconds N]

Needs Linux, Python 3.11 with python-socketio, nginx and haproxy. Exits 0 when every check held.
"""

import argparse
import asyncio
import contextlib
import inspect
import json
import os
import pathlib
import random
import re
import shutil
import signal
import subprocess
import sys
import tempfile
import time
import types

import phone
import phone_flows
from phone import Mode
from phone_check import MODES, NONE, play
from phone_flows import PASSWORD, credentials
from ports import accepts, free_ports
from program import database
from proxy_check import check, failures, staged

ROOT = pathlib.Path(__file__).parents[2]
NODES = "abc"
# The address that proxies come from, which servers trust: not the one of clients.
PROXY = "127.30.81.10"
# The chat after which devices with a Room tell what they saw.
END = "the end"
# What needs development mode, whose calls no proxy passes on.
DEVELOPMENT = re.compile(r"\b(develop|pass_time|payment|social_token|pushes|elder)\b")


class Node:
    """One server, which can be killed, stopped and started again on its port."""

    def __init__(self, program, data, place, name, port):
        self.name, self.port = name, port
        self.url = f"http://127.0.0.1:{port}"
        self._settings = place | {
            "MADANG_NODE": name, "MADANG_TRUSTED_PROXIES": PROXY,
            "MADANG_KEYS": "dev-key-2024-10=2024-10,dev-key-2024-01=2024-01",
            "MADANG_PASSWORD_MEMORY": "8", "MADANG_PASSWORD_PASSES": "1", "MADANG_LIMITS_REQUESTS": "0",
        }
        self._command = program, "serve", "--port", str(port), "--data", data
        self._log = open(f"{data}/log", "ab")

    async def start(self):
        self.process = await asyncio.create_subprocess_exec(
            *self._command, env=os.environ | self._settings, stdout=asyncio.subprocess.PIPE, stderr=self._log)
        if not await asyncio.wait_for(self.process.stdout.readline(), 60):
            sys.exit(f"server {self.name} did not start: {pathlib.Path(self._log.name).read_text()[-2000:]}")

    async def kill(self):
        self.process.kill()
        await self.process.wait()

    def signal(self, number):
        self.process.send_signal(number)

    async def stop(self):
        if self.process.returncode is None:
            self.process.terminate()
            try:
                await asyncio.wait_for(self.process.wait(), 20)
            except TimeoutError:
                await self.kill()


def at_ports(text, nodes):
    """A ready-made file with its servers at these ports instead."""
    for number, node in enumerate(nodes, start=1):
        text = text.replace(f"10.0.0.{number}:8080", f"127.0.0.1:{node.port}")
    return text


@contextlib.asynccontextmanager
async def running(port, *command):
    process = await asyncio.create_subprocess_exec(*command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    try:
        if not await accepts(port, process):
            sys.exit(f"{command[0]} did not start")
        yield f"http://127.0.0.1:{port}"
    finally:
        if process.returncode is None:
            process.terminate()
        await process.wait()


def nginx(folder, nodes):
    port, = free_ports(1)
    site = at_ports((ROOT / "proxies/nginx.conf").read_text(), nodes)
    site = site.replace("listen 80;", f"listen 127.0.0.1:{port};").replace(
        "proxy_http_version", f"proxy_bind {PROXY}; proxy_http_version")
    kinds = "client_body", "proxy", "fastcgi", "uwsgi", "scgi"
    configuration = folder / "nginx.conf"
    configuration.write_text(f"""
        {"user root;" if os.geteuid() == 0 else ""} daemon off; pid {folder}/pid; error_log {folder}/errors;
        events {{ worker_connections 4096; }}
        http {{
          access_log off; {" ".join(f"{kind}_temp_path {folder}/{kind};" for kind in kinds)}
          {site}
        }}""")
    return running(port, "nginx", "-e", f"{folder}/errors", "-c", str(configuration))


def haproxy(folder, nodes):
    port, = free_ports(1)
    text = at_ports((ROOT / "proxies/haproxy.cfg").read_text(), nodes)
    text = text.replace("bind :80", f"bind 127.0.0.1:{port}").replace(
        "default-server check", f"source {PROXY}\n  default-server check").replace(
        # The server is killed or stopped here; a machine that stands still must not count as one that is down.
        "timeout check 2s", "timeout check 60s").replace("fall 2", "fall 30")
    configuration = folder / "haproxy.cfg"
    configuration.write_text(text)
    return running(port, "haproxy", "-q", "-db", "-f", str(configuration))


async def flows(url, label):
    """The flows of both editions that need no development mode, those with sockets in every mode of the phone."""
    slots = asyncio.Semaphore(4)

    async def in_turn(*arguments):
        async with slots:
            return await play(*arguments)

    def hosted(functions):
        return [one for one in functions if not DEVELOPMENT.search(inspect.getsource(one))]

    runs = [in_turn(function, url) for function in hosted(phone_flows.PLAIN)]
    runs += [in_turn(function, url, mode) for function in hosted(phone_flows.SOCKETS + phone_flows.HOSTED)
             for mode in MODES if mode.pauses == NONE]
    differences = sum(await asyncio.gather(*runs), [])
    check(runs and not differences, f"{label}: {len(runs)} flows of phones without a difference", differences)


async def python_socketio(url, label):
    """python-socketio hears what is posted at any server, by polling, WebSocket and upgrade."""
    async with staged(url) as stage:
        mina = await stage.person("Mina")
        room = await mina.channel(await mina.workspace(), "ios")
        for transports in ["polling"], ["websocket"], ["polling", "websocket"]:
            process = await asyncio.create_subprocess_exec(
                sys.executable, str(ROOT / "Tests/Foreign/nodes_listener.py"), url, room.namespace,
                json.dumps(credentials(mina)), *transports, stdout=subprocess.PIPE)
            joined = await asyncio.wait_for(process.stdout.readline(), 120)
            said = [(await mina.say(room, f"{transports} {index} 각😀"))["content"] for index in range(6)]
            heard = [json.loads(await asyncio.wait_for(process.stdout.readline(), 120) or "{}").get("content")
                     for _ in said] if joined else []
            process.kill()
            await process.wait()
            check(heard == said, f"{label}: python-socketio by {'+'.join(transports)} hears 6 of 6 in order", heard)


async def secure(url, label):
    """The socket's cookie is for TLS only if a proxy in front had TLS."""
    async with staged(url) as stage:
        mina = await stage.person("Mina")
        seen = {}
        for scheme in None, "http", "https":
            headers = credentials(mina) | ({"X-Forwarded-Proto": scheme} if scheme else {})
            answer = await mina.call("GET", "users/me", headers=headers)
            seen[scheme] = "; secure" in (answer.header("set-cookie") or "").lower()
        check(seen == {None: False, "http": False, "https": True},
              f"{label}: cookies are for TLS if a proxy in front had it, and only then", seen)


async def forwarding(proxy, folder, label):
    """Whole chains of addresses reach the servers, and the client's at their end."""
    arrived = []

    async def answer(reader, writer):
        with contextlib.suppress(OSError, asyncio.IncompleteReadError):
            head = (await reader.readuntil(b"\r\n\r\n")).decode().split("\r\n")
            if head[0].startswith("GET /chain "):
                fields = [line.partition(":") for line in head[1:]]
                arrived.append([hop.strip() for name, _, value in fields if name.lower() == "x-forwarded-for"
                                for hop in value.split(",")])
            writer.write(b"HTTP/1.1 200 OK\r\nContent-Length: 0\r\nConnection: close\r\n\r\n")
            await writer.drain()
        writer.close()

    ports = free_ports(len(NODES))
    servers = [await asyncio.start_server(answer, "127.0.0.1", port) for port in ports]
    chains = [], ["198.51.100.7"], ["198.51.100.7, 203.0.113.50"], ["198.51.100.7", "203.0.113.50, 203.0.113.51"]
    try:
        folder.mkdir()
        async with proxy(folder, [types.SimpleNamespace(port=port) for port in ports]) as url:
            for chain in chains:
                reader, writer = await asyncio.open_connection("127.0.0.1", int(url.rpartition(":")[2]))
                fields = "".join(f"X-Forwarded-For: {value}\r\n" for value in chain)
                writer.write(f"GET /chain HTTP/1.1\r\nHost: a\r\nConnection: close\r\n{fields}\r\n".encode())
                await asyncio.wait_for(reader.read(), 20)
                writer.close()
    finally:
        for server in servers:
            server.close()
    expected = [[hop for value in chain for hop in value.split(", ")] + ["127.0.0.1"] for chain in chains]
    check(arrived == expected, f"{label}: chains of X-Forwarded-For arrive whole", arrived)


class Talk:
    """People who post and listen through a proxy while servers go down; what was acknowledged, what each of them heard."""

    def __init__(self, url, label, device, folder):
        self._url, self._label = url, label
        self._device_program, self._folder = device, folder
        self.acknowledged, self.doubtful = [], set()
        self.lists = []
        self.is_quiet = self.is_over = False
        self.twice = []
        self.joins = 0

    async def run(self, stage, faults, seconds):
        mina = await stage.person("Mina")
        workspace = await mina.workspace()
        self.room = await mina.channel(workspace, "ios")
        writers = [await mina.sign_in() for _ in range(3)]
        modes = [Mode("websocket", 4), Mode("polling", 4), Mode("upgrade", 4), Mode("websocket", 3)]
        readers = [(await mina.sign_in(), mode) for mode in modes]
        devices = [await self._device(mina, workspace, number, max(3, seconds // 2)) for number in range(2)]
        listening = [asyncio.create_task(self._listen(*reader)) for reader in readers]
        writing = [asyncio.create_task(self._write(number, writer)) for number, writer in enumerate(writers)]
        await faults(seconds)
        self.is_quiet = True
        await asyncio.gather(*writing)
        for device in devices:
            await self._line(device)
        await mina.say(self.room, END)
        self.acknowledged.append(END)
        screens = [json.loads(await self._line(device)) for device in devices]
        self.is_over = True
        history = await self._history(mina)
        await asyncio.wait_for(asyncio.gather(*listening), 300)
        self._judge(history, screens)

    async def _device(self, person, workspace, number, count):
        """A phone of the client library, which sends so many chats and tells what its Room showed, in lines."""
        device = await asyncio.create_subprocess_exec(
            self._device_program, self._url, person.email, PASSWORD, f"{self._folder}/device {number}",
            workspace.removeprefix("workspaces/"), self.room.id, str(number), str(count), END,
            stdout=asyncio.subprocess.PIPE, limit=1 << 24)
        # What a Room has sent is in the channel, whatever became of the answer.
        self.acknowledged += [f"device {number}, chat {index}" for index in range(count)]
        await self._line(device)
        return device

    async def _line(self, device):
        line = await asyncio.wait_for(device.stdout.readline(), 120)
        if not line:
            raise AssertionError(f"{self._label}: a device with a Room ended with {await device.wait()}")
        return line

    async def _write(self, number, writer):
        count = 0
        while not self.is_quiet:
            count += 1
            word = f"{number}.{count}"
            try:
                await writer.say(self.room, word)
                self.acknowledged.append(word)
            except (AssertionError, OSError, TimeoutError, asyncio.IncompleteReadError, ValueError):
                self.doubtful.add(word)
            await asyncio.sleep(0.01)

    async def _history(self, reader, after=None):
        for _ in range(100):
            try:
                query = f"?cursor_date={after}" if after else ""
                return await reader.get(f"{self.room.chats}{query}")
            except (AssertionError, OSError, TimeoutError, asyncio.IncompleteReadError, ValueError):
                await asyncio.sleep(0.2)
        raise AssertionError("the history could not be read")

    async def _listen(self, reader, mode):
        """Joins, reads the history from what it knows, then hears; anew after each lost connection, as apps do."""
        known, seen = [], set()
        self.lists.append((mode, known))

        def add(chats):
            for chat in chats:
                if chat["chat_id"] not in seen:
                    seen.add(chat["chat_id"])
                    known.append(chat)

        is_complete = False
        while not is_complete:
            is_last = self.is_over
            heard = set()
            try:
                async with reader.socket(mode, self.room.namespace, headers=credentials(reader)) as engine:
                    if await engine.outcome(self.room.namespace) != "joined":
                        continue
                    self.joins += 1
                    add(await self._history(reader, known[-1]["createdAt"] if known else None))
                    is_complete = is_last
                    while not engine.errors and not is_last:
                        try:
                            event = await asyncio.wait_for(engine.event(self.room.namespace), 1)
                        except TimeoutError:
                            if self.is_over:
                                break
                            continue
                        if event[1]["chat_id"] in heard:
                            self.twice.append((mode, event[1]["content"]))
                        heard.add(event[1]["chat_id"])
                        add([event[1]])
            except (AssertionError, OSError, TimeoutError, asyncio.IncompleteReadError, phone.WebSocketRefused):
                await asyncio.sleep(0.1)

    def _judge(self, history, screens):
        label, words = self._label, [chat["content"] for chat in history]
        lost = [word for word in self.acknowledged if word not in set(words)]
        check(not lost, f"{label}: {len(self.acknowledged)} acknowledged chats are all in the history", lost)
        check(len(set(words)) == len(words), f"{label}: none is there twice")
        strange = set(words) - set(self.acknowledged) - self.doubtful
        check(not strange, f"{label}: nothing else is there, but {len(self.doubtful)} in doubt may be", strange)
        dates = [chat["createdAt"] for chat in history]
        check(dates == sorted(set(dates)), f"{label}: dates rise")
        check(not self.twice, f"{label}: no socket heard a chat twice", self.twice)
        for mode, known in self.lists:
            ids = [chat["chat_id"] for chat in known]
            check(ids == [chat["chat_id"] for chat in history],
                  f"{label}: who listened by {mode} has the server's list ({len(ids)} chats)",
                  (len(ids), len(history)))
        for ids in screens:
            check(ids == [chat["chat_id"] for chat in history],
                  f"{label}: a Room shows the server's list ({len(ids)} chats)", (len(ids), len(history)))
        check(self.joins > len(self.lists), f"{label}: sockets joined {self.joins} times")


async def go_down(nodes, seconds):
    """Kills and stops servers in turn, never all of them at a time."""
    generator, end = random.Random(1), time.monotonic() + seconds
    counts = {"killed": 0, "stopped": 0}
    while time.monotonic() < end or not counts["killed"]:
        node = generator.choice(nodes)
        await asyncio.sleep(generator.uniform(0.5, 2))
        if generator.random() < 0.6:
            await node.kill()
            counts["killed"] += 1
            await asyncio.sleep(generator.uniform(0.2, 2))
            await node.start()
        else:
            node.signal(signal.SIGSTOP)
            counts["stopped"] += 1
            await asyncio.sleep(generator.uniform(0.5, 3))
            node.signal(signal.SIGCONT)
    print(f"servers were {counts['killed']} times killed, {counts['stopped']} times stopped", flush=True)


async def main():
    parser = argparse.ArgumentParser(description="Three madang servers behind nginx and HAProxy.")
    parser.add_argument("madang", help="the madang program, for example .build/debug/madang")
    parser.add_argument("--seconds", type=int, default=30, help="how long servers go down, behind each proxy")
    options = parser.parse_args()
    if not os.access(options.madang, os.X_OK) or os.path.isdir(options.madang):
        parser.error(f"there is no program {options.madang}: build it with `swift build`")
    device = pathlib.Path(options.madang).resolve().with_name("room-device")
    if not device.exists():
        parser.error(f"there is no program {device}: build it with `swift build --product room-device`")
    os.environ["PATH"] += ":/usr/sbin"
    for program in "nginx", "haproxy":
        if not shutil.which(program):
            parser.error(f"there is no {program}: Scripts/install test installs it")
    if sys.platform != "linux":
        parser.error("only Linux has an address for each of these people")
    start = time.monotonic()
    with tempfile.TemporaryDirectory() as folder, database("nodes") as place:
        os.mkdir(f"{folder}/files")
        for name in NODES:
            os.mkdir(f"{folder}/{name}")
            os.symlink(f"{folder}/files", f"{folder}/{name}/files")
        nodes = [Node(os.path.abspath(options.madang), f"{folder}/{name}", place, name, port)
                 for name, port in zip(NODES, free_ports(len(NODES)))]
        try:
            # All at once: one makes the tables, the installation and the token key.
            await asyncio.gather(*(node.start() for node in nodes))
            for name, proxy in ("nginx", nginx), ("HAProxy", haproxy):
                here = pathlib.Path(folder) / name
                here.mkdir()
                await forwarding(proxy, here / "forwarding", name)
                async with proxy(here, nodes) as url:
                    await secure(url, name)
                    await flows(url, name)
                    await python_socketio(url, name)
                    async with staged(url) as stage:
                        talk = Talk(url, name, device, here)
                        await talk.run(stage, lambda seconds: go_down(nodes, seconds), options.seconds)
        finally:
            await asyncio.gather(*(node.stop() for node in nodes))
        if failures:
            for node in nodes:
                print(f"log of server {node.name}: {pathlib.Path(node._log.name).read_text()[-3000:]}")
    print(f"{len(failures)} checks failed, {time.monotonic() - start:.0f} s")
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(asyncio.run(main()))
