"""Notifications through stand-ins for APNs and Firebase (push_standin.py), over TLS, while the server is killed in between: none is lost,
what comes again comes under the same id, and what waited for a provider comes in order.

    Scripts/foreign-clients    # installs what this needs
    python Tests/Foreign/push_check.py .build/debug/madang [--pushes 10000]

Runs on SQLite, and on the PostgreSQL server of MADANG_TEST_POSTGRES if it is set. Needs openssl. Exits 0 when every check held.
"""

import argparse
import asyncio
import collections
import contextlib
import json
import os
import pathlib
import signal
import sys
import tempfile
import time

import requests
from cryptography.hazmat.primitives import serialization
from cryptography.hazmat.primitives.asymmetric import ec, rsa

import push_standin
from program import FOR_CHECKS, database
from certificates import make_certificates

KEY = "dev-key-2024-10"
WAIT = 180
PEOPLE, ROOMS, KILLS = 10, 4, 3
CLAIM = 61
"""Seconds after which another server may tell what a dead one had begun to tell."""


def pem(key):
    return key.private_bytes(
        serialization.Encoding.PEM, serialization.PrivateFormat.PKCS8, serialization.NoEncryption()).decode()


class Server:
    """A server in development mode that can be killed and started again."""

    def __init__(self, program, data, settings):
        self.command = [program, "serve", "--dev", "--port", "0", "--data", data]
        self.environment = os.environ | FOR_CHECKS | {"MADANG_LIMITS_REQUESTS": "0"} | settings
        self.log = f"{data}.log"
        self.starts = 0
        self.is_up = asyncio.Event()

    async def start(self):
        with open(self.log, "a") as log:
            self.process = await asyncio.create_subprocess_exec(
                *self.command, env=self.environment, stdout=asyncio.subprocess.PIPE, stderr=log)
        line = await asyncio.wait_for(self.process.stdout.readline(), WAIT)
        assert line, f"the server did not start: {pathlib.Path(self.log).read_text()}"
        self.url = line.decode().split()[-1]
        # A new process has the system's time again.
        await self.advance(CLAIM * self.starts)
        self.starts += 1
        self.is_up.set()

    async def kill(self):
        self.is_up.clear()
        self.process.send_signal(signal.SIGKILL)
        await self.process.wait()

    async def call(self, method, path, body=None, token=None):
        headers = {"SesacKey": KEY} | ({"Authorization": token} if token else {})

        def ask():
            with requests.Session() as session:
                session.trust_env = False
                return session.request(method, f"{self.url}/{path}", headers=headers, json=body, timeout=WAIT)
        answer = await asyncio.to_thread(ask)
        assert answer.status_code == 200, f"{method} {path}: {answer.status_code} {answer.text}"
        return answer.json() if answer.content else None

    async def advance(self, seconds):
        await self.call("POST", "_dev/clock", {"advance": seconds})


async def until(condition, what, seconds=WAIT):
    end = time.monotonic() + seconds
    while not condition():
        assert time.monotonic() < end, what() if callable(what) else what
        await asyncio.sleep(0.02)


class Scene:
    """Somebody who posts, people with a device each, one whose device is gone, in some channels."""

    def __init__(self, server, devices, gone):
        self.server, self.devices, self.gone = server, devices, gone
        self.number = 0
        self.posted = []
        self.uncertain = set()

    async def join(self, name, device=""):
        person = await self.server.call("POST", "v1/users/join", {
            "email": f"{name}@example.com", "password": "Passw0rd!", "nickname": name, "deviceToken": device})
        return person["token"]["accessToken"]

    async def set_up(self):
        self.token = await self.join("mina")
        workspace = await self.server.call("POST", "v1/workspaces", {"name": "Push"}, self.token)
        path = f"v1/workspaces/{workspace['workspace_id']}"
        self.rooms = []
        for number in range(ROOMS):
            channel = await self.server.call("POST", f"{path}/channels", {"name": f"room{number}"}, self.token)
            self.rooms.append(f"{path}/channels/{channel['channel_id']}/chats")
        for number, device in enumerate([*self.devices, self.gone]):
            token = await self.join(f"p{number}", device)
            await self.server.call("POST", f"{path}/members", {"email": f"p{number}@example.com"}, self.token)
            for room in self.rooms:
                await self.server.call("GET", room, None, token)

    async def post(self, chats, room=None):
        """Posts so many chats that were answered, one after the other, whatever becomes of the server. To each room in turn, unless one is
        named."""
        done = 0
        while done < chats:
            await self.server.is_up.wait()
            place = self.number % ROOMS if room is None else room
            text = f"#room{place}\nmina: chat {self.number}"
            self.number += 1
            try:
                await self.server.call("POST", self.rooms[place], {"content": text.partition(": ")[2]}, self.token)
            except requests.RequestException:
                self.uncertain.add(text)
                await asyncio.sleep(0.05)
                continue
            self.posted.append(text)
            done += 1

    def missing(self, record):
        taken = {(device, text) for device, text, _ in record.taken}
        return [(device, text) for device in self.devices for text in self.posted if (device, text) not in taken]


def check_record(scene, record):
    """Nothing but what was posted came, to those whom it was for, each time under the same id, and each room's in order. Answers how many came
    again."""
    ids, firsts = collections.defaultdict(set), collections.defaultdict(list)
    for device, text, message in record.taken:
        assert device in scene.devices and (text in scene.uncertain or text in scene.posted), (device, text)
        if (device, text) not in ids:
            firsts[device, text.partition("\n")[0]].append(int(text.rpartition(" ")[2]))
        ids[device, text].add(message)
    assert all(len(messages) == 1 for messages in ids.values()), "a notification came under another id"
    names = {message for messages in ids.values() for message in messages}
    expected = len(ids) if isinstance(record, push_standin.Apple) else len({text for _, text in ids})
    assert len(names) == expected, "two notifications had one id"
    for (device, room), numbers in firsts.items():
        assert numbers == sorted(numbers), (device, room, numbers)
    return len(record.taken) - len(ids)


async def kill_now_and_then(server, record, pushes):
    start = len(record.taken)
    for number in range(1, KILLS + 1):
        await until(lambda: len(record.taken) - start >= pushes * number / (KILLS + 1), "too few notifications came")
        await server.kill()
        await server.start()


async def run(server, record, scene, pushes):
    await server.start()
    await scene.set_up()
    begin = time.monotonic()
    # A chat in which a device is found to be gone, so that the rest is only what arrives. The second of the same room is told when the first
    # one is finished, and the device forgotten with it.
    await scene.post(2, room=0)
    await until(lambda: not scene.missing(record) and record.refused, "the first chats did not arrive")
    chats = max(pushes // PEOPLE, 8)
    # In an answer's place, far from each other: what gets no answer twice is given up.
    record.faults = {record.answers + pushes // 8: "goaway", record.answers + pushes * 5 // 8: "cut"}
    await asyncio.gather(scene.post(chats), kill_now_and_then(server, record, chats * PEOPLE))
    await until(lambda: not scene.missing(record), lambda: f"lost: {scene.missing(record)[:5]}")
    repeats = check_record(scene, record)
    seconds = time.monotonic() - begin

    # The provider is away for an hour.
    record.is_down = True
    refused = len(record.refused)
    await scene.post(3 * ROOMS)
    await until(lambda: len(record.refused) > refused, "nobody was told that the provider is down")
    await server.advance(3600)
    record.is_down = False
    await server.advance(30)
    await until(lambda: not scene.missing(record), lambda: f"lost in an hour: {scene.missing(record)[:5]}")
    # Chats of a killed server may come again among them.
    waited = set(scene.posted[-3 * ROOMS:])
    times = collections.Counter((device, text) for device, text, _ in record.taken if text in waited)
    assert all(count == 1 for count in times.values()), f"came twice after an hour: {times.most_common(3)}"
    check_record(scene, record)

    # What is put off for a device, and what gets no answer in time.
    refusals = (429, {"reason": "TooManyRequests"}), (500, {"reason": "InternalServerError"})
    record.faults = {record.answers + 3: refusals[0], record.answers + 7: refusals[1], record.answers + 30: "silence"}
    await scene.post(2 * ROOMS)
    await until(lambda: not scene.missing(record), lambda: f"lost by refusals: {scene.missing(record)[:5]}")
    check_record(scene, record)
    assert not record.faults, record.faults
    if isinstance(record, push_standin.Firebase):
        assert record.put_off and not record.early, "Retry-After was not waited for"
    gone = [answer for answer in record.refused if answer[0] in (404, 410)]
    assert len(gone) == 1, f"a device that is gone was told {len(gone)} times"
    await server.kill()
    return len(scene.devices) * len(scene.posted), repeats, seconds


async def check_stranger(program, folder):
    """A provider whose certificate nobody vouches for gets nothing: neither a notification nor the server's token."""
    record, devices, settings = await apple(folder)
    server = Server(program, f"{folder}/stranger", settings)
    try:
        await server.start()
        scene = Scene(server, devices, record.gone)
        await scene.set_up()
        await scene.post(1)
        await until(lambda: "its certificate is not trusted" in pathlib.Path(server.log).read_text(), "nobody was told of the certificate")
        await until(lambda: "does not accept notifications now" in pathlib.Path(server.log).read_text(), "the outage was not announced")
        assert not record.taken and not record.refused, "a stranger was told"
    finally:
        with contextlib.suppress(ProcessLookupError):
            server.process.kill()


async def apple(folder):
    key = ec.generate_private_key(ec.SECP256R1())
    pathlib.Path(f"{folder}/AuthKey.p8").write_text(pem(key))
    devices = [f"{number:064x}" for number in range(1, PEOPLE + 1)]
    record = push_standin.Apple(key.public_key(), gone="f" * 64)
    url = await push_standin.listen(record, f"{folder}/leaf.pem", f"{folder}/leaf.key", ["h2"])
    return record, devices, {
        "MADANG_PUSH_APNS_URL": url, "MADANG_PUSH_APNS_KEY": f"{folder}/AuthKey.p8", "MADANG_PUSH_APNS_KID": push_standin.KEY_ID,
        "MADANG_PUSH_APNS_TEAM": push_standin.TEAM, "MADANG_PUSH_APNS_TOPIC": push_standin.TOPIC, "MADANG_PUSH_APNS_TIMEOUT": "25"}


async def firebase(folder):
    key = rsa.generate_private_key(65537, 2048)
    record = push_standin.Firebase(key.public_key(), gone="gone:token")
    url = await push_standin.listen(record, f"{folder}/leaf.pem", f"{folder}/leaf.key", ["http/1.1"])
    record.token_url = f"{url}/token"
    pathlib.Path(f"{folder}/account.json").write_text(json.dumps({
        "project_id": push_standin.PROJECT, "client_email": push_standin.CLIENT, "private_key": pem(key),
        "token_uri": record.token_url}))
    return record, [f"device:{number}" for number in range(PEOPLE)], {
        "MADANG_PUSH_FIREBASE_URL": url, "MADANG_PUSH_FIREBASE_ACCOUNT": f"{folder}/account.json", "MADANG_PUSH_FIREBASE_TIMEOUT": "25"}


async def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("madang")
    parser.add_argument("--pushes", type=int, default=10_000, help="in all, beside those of outages")
    arguments = parser.parse_args()
    engines = ["SQLite"] + (["PostgreSQL"] if os.environ.get("MADANG_TEST_POSTGRES") else [])
    with tempfile.TemporaryDirectory() as folder:
        make_certificates(folder)
        await check_stranger(arguments.madang, folder)
        for service in apple, firebase:
            for engine in engines:
                record, devices, settings = await service(folder)
                settings |= {"MADANG_PROVIDERS_CA": f"{folder}/ca.pem", "MADANG_PUSH_LIFETIME": "7200"}
                name = f"push_{service.__name__}_{engine.lower()}"
                with database(name) if engine == "PostgreSQL" else contextlib.nullcontext({}) as place:
                    server = Server(arguments.madang, f"{folder}/{name}", settings | place)
                    scene = Scene(server, devices, record.gone)
                    try:
                        arrived, repeats, seconds = await run(
                            server, record, scene, arguments.pushes // (2 * len(engines)))
                    except BaseException:
                        sys.stderr.write(pathlib.Path(server.log).read_text()[-4000:])
                        raise
                    finally:
                        with contextlib.suppress(ProcessLookupError):
                            server.process.kill()
                print(f"{service.__name__} on {engine}: {arrived} notifications arrived, {repeats} of them again after "
                      f"{KILLS} kills; those took {seconds:.0f} s")


asyncio.run(main())
