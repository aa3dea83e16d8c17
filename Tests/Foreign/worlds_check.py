"""A client made of requests and python-socketio, both unmodified, is tested in many worlds at once: each has a clock of
its own and faults of its own, and nothing of one is seen in another.

    Scripts/foreign-clients    # installs what this needs
    python Tests/Foreign/worlds_check.py .build/debug/madang [--runs 1000] [--worlds 50]

Exits 0 when every run went as it goes alone.
"""

import argparse
import asyncio
import concurrent.futures
import queue
import sys
import tempfile
import threading
import time
import traceback

import requests
import socketio

from program import Program

KEY = "dev-key-2024-10"
PASSWORD = "Passw0rd!"
WAIT = 120
WORKERS = 5
"""Processes; a thread for each world."""


class Client:
    """A small chat client: it renews its token, and posts a chat once even if the answer is lost."""

    def __init__(self, url):
        self.url = url
        self.session = requests.Session()
        self.session.headers["SesacKey"] = KEY
        self.renewals = 0

    def sign_in(self, email):
        login = self.call("POST", "users/login", {"email": email, "password": PASSWORD})
        self.session.headers["Authorization"] = login["token"]["accessToken"]
        self.session.headers["RefreshToken"] = login["token"]["refreshToken"]

    def call(self, method, path, body=None):
        answer = self.session.request(method, f"{self.url}/v1/{path}", json=body, timeout=WAIT)
        if answer.status_code == 400 and answer.json() == {"errorCode": "E05"}:
            self.renewals += 1
            self.session.headers["Authorization"] = self.call("GET", "auth/refresh")["accessToken"]
            return self.call(method, path, body)
        assert answer.status_code == 200, f"{method} {path}: {answer.status_code} {answer.text}"
        return answer.json()

    def post(self, room, text):
        try:
            self.call("POST", f"{room}/chats", {"content": text})
        except requests.ConnectionError:
            if text not in [chat["content"] for chat in self.history(room)]:
                self.call("POST", f"{room}/chats", {"content": text})

    def history(self, room):
        return self.call("GET", f"{room}/chats")


def develop(url, method, path, body=None):
    answer = requests.request(method, f"{url}/_dev/{path}", json=body, timeout=WAIT)
    assert answer.status_code == 200, f"{method} {path}: {answer.status_code} {answer.text}"
    return answer.json()


def listen(client, namespace):
    """A socket of the client's in a room, and what it hears."""
    socket = socketio.Client(reconnection=False, http_session=client.session, request_timeout=WAIT)
    heard = queue.Queue()
    socket.on("channel", lambda chat: heard.put(chat["content"]), namespace=namespace)
    socket.connect(client.url, namespaces=[namespace], wait_timeout=WAIT)
    return socket, heard


def run(server, number):
    """One run in a world of its own. Every value is known before."""
    world = develop(server, "POST", "worlds", {"seed": "courtyard", "number": number, "name": f"run {number}"})
    url = world["url"]
    try:
        mina, joon = Client(url), Client(url)
        mina.sign_in("mina@example.com")
        joon.sign_in("joon@example.com")
        workspace = next(w for w in mina.call("GET", "workspaces") if w["name"] == "Weekend")["workspace_id"]
        channels = mina.call("GET", f"workspaces/{workspace}/channels")
        channel = next(c for c in channels if c["name"] == "quiet")["channel_id"]
        room = f"workspaces/{workspace}/channels/{channel}"
        assert joon.history(room) == [] == mina.history(room)

        lost = develop(url, "POST", "faults", {
            "match": {"operation": "postToChannel", "nth": 2}, "effect": {"kind": "answerLost"}})["id"]
        late = develop(url, "POST", "faults", {
            "match": {"event": "channel", "direction": "toClient", "nth": 2},
            "effect": {"kind": "delay", "milliseconds": 50}})["id"]
        socket, heard = listen(joon, f"/ws-channel-{channel}")
        texts = [f"run {number}, chat {index}" for index in range(3)]
        for text in texts:
            mina.post(room, text)
        # python-socketio handles each event on a thread of its own, so those that come together may change places.
        heard_texts = sorted(heard.get(timeout=WAIT) for _ in texts)
        assert heard_texts == texts and heard.empty(), heard_texts
        assert [chat["content"] for chat in mina.history(room)] == texts
        applied = {fault["id"]: fault["applied"] for fault in develop(url, "GET", "faults")["faults"]}
        assert applied == {lost: 1, late: 1}, applied

        # The clocks of the others stay where they are.
        hours = 25 + number % 24
        assert develop(url, "GET", "clock") == {"now": "2026-01-05T09:00:00.000Z", "rate": 0}
        develop(url, "POST", "clock", {"advance": hours * 3600})
        day, hour = divmod(9 + hours, 24)
        expected = f"2026-01-{5 + day:02}T{hour:02}:00:00.000Z"
        assert mina.renewals == 0
        mina.post(room, "a day later")
        assert mina.renewals == 1
        # The fault is over, the socket is still there, and the chat has the world's time.
        assert heard.get(timeout=WAIT) == "a day later"
        last = mina.history(room)[-1]
        assert (last["content"], last["createdAt"]) == ("a day later", expected), last
        socket.disconnect()

        develop(url, "POST", "reset")
        assert develop(url, "GET", "clock") == {"now": "2026-01-05T09:00:00.000Z", "rate": 0}
        again = Client(url)
        again.sign_in("mina@example.com")
        assert again.history(room) == []
    finally:
        develop(server, "DELETE", f"worlds/{world['id']}")


def work(server, numbers, threads):
    """Runs these numbers, some at a time; what failed."""
    waiting = queue.SimpleQueue()
    for number in numbers:
        waiting.put(number)
    failures = []

    def one():
        while True:
            try:
                number = waiting.get_nowait()
            except queue.Empty:
                return
            try:
                run(server, number)
            except Exception:
                failures.append(f"run {number}: {traceback.format_exc()}")

    workers = [threading.Thread(target=one) for _ in range(threads)]
    for worker in workers:
        worker.start()
    for worker in workers:
        worker.join()
    return failures


async def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("madang")
    parser.add_argument("--runs", type=int, default=1000)
    parser.add_argument("--worlds", type=int, default=50)
    options = parser.parse_args()
    begin = time.monotonic()
    with tempfile.TemporaryDirectory() as data:
        async with Program.development(options.madang, data) as server:
            loop = asyncio.get_running_loop()
            with concurrent.futures.ProcessPoolExecutor(WORKERS) as pool:
                parts = [range(part, options.runs, WORKERS) for part in range(WORKERS)]
                threads = max(1, options.worlds // WORKERS)
                failures = sum(await asyncio.gather(*[
                    loop.run_in_executor(pool, work, server.url, part, threads) for part in parts]), [])
            left = develop(server.url, "GET", "worlds")
    for failure in failures[:20]:
        print("FAILED", failure)
    if left:
        print("FAILED", len(left), "worlds are left")
    print(f"{options.runs} runs in {options.worlds} worlds at a time, {len(failures)} failed, "
          f"{time.monotonic() - begin:.0f} s")
    sys.exit(1 if failures or left else 0)


if __name__ == "__main__":
    asyncio.run(main())
