"""A small chat client without dependencies: the client under test in the examples. Put your own in its place.

It keeps the ten rules of docs/build-a-client.md that the tests are about.
"""

import contextlib
import http.client
import json
import threading
import time
import typing
import urllib.error
import urllib.request
import uuid

MOST_FAILURES = 300
"""After so many failed connections in a row the client stops to connect again: a minute."""

LOST = (OSError, http.client.HTTPException)
"""What urllib raises when no whole answer comes."""


class Refused(Exception):
    """The server refused the call; `code` is such as `E05`."""

    def __init__(self, code):
        super().__init__(code)
        self.code = code


class Unclear(Exception):
    """No answer that can be read came. Perhaps the server did what was asked."""


class Body(typing.NamedTuple):
    type: str
    data: typing.Optional[bytes]


def form(text, files):
    """A chat with pictures, as multipart/form-data."""
    mark = uuid.uuid4().hex
    parts = [f'Content-Disposition: form-data; name="content"\r\n\r\n{text}'.encode()]
    for name, data in files:
        head = f'Content-Disposition: form-data; name="files"; filename="{name}"\r\nContent-Type: image/png\r\n\r\n'
        parts.append(head.encode() + data)
    body = b"".join(b"--%b\r\n%b\r\n" % (mark.encode(), part) for part in parts) + f"--{mark}--\r\n".encode()
    return Body(f"multipart/form-data; boundary={mark}", body)


class Chat:
    def __init__(self, url, key, timeout=15):
        self.url, self.key, self.timeout = url, key, timeout
        self.access = self.refresh = None
        self.user = {}
        self._paths = {}
        self.live = {}
        """The chats of each open room, by their ids."""
        self._arrived = threading.Condition()
        self._refreshing = threading.Lock()
        self._is_open = threading.Event()
        self._closed = threading.Event()
        self._threads = []
        self._sessions = set()
        self._failures = 0

    def sign_in(self, email, password, device_token=None):
        body = {"email": email, "password": password, "deviceToken": device_token}
        self.user = self._send("POST", "users/login", body)
        self.access, self.refresh = self.user["token"]["accessToken"], self.user["token"]["refreshToken"]

    def rooms(self):
        """The channels of all workspaces: paths by names such as `Weekend/ios`."""
        found = {}
        for workspace in self.call("GET", "workspaces"):
            path = f"workspaces/{workspace['workspace_id']}/channels"
            for channel in self.call("GET", path):
                found[f"{workspace['name']}/{channel['name']}"] = f"{path}/{channel['channel_id']}"
        return found

    def path(self, room):
        if room not in self._paths:
            self._paths = self.rooms()
        return self._paths[room]

    def chats(self, room, after=""):
        """The chats of a room after a date, oldest first."""
        return self.call("GET", f"{self.path(room)}/chats?cursor_date={after}")

    def unread(self, room, after):
        return self.call("GET", f"{self.path(room)}/unreads?after={after}")["count"]

    def post(self, room, text, files=()):
        """Posts once: if no answer comes, it looks in the history before it posts again. `files` are names and bytes of pictures."""
        path = self.path(room) + "/chats"
        newest = max((chat["createdAt"] for chat in self.chats(room)), default="")
        for _ in range(3):
            try:
                return self.call("POST", path, form(text, files) if files else {"content": text})
            except Unclear:
                time.sleep(0.1)
                for chat in self.chats(room, newest):
                    if chat["content"] == text and chat["user"]["user_id"] == self.user["user_id"]:
                        return chat
        raise Unclear(text)

    # Live chats

    def open(self, room):
        """Shows a room: its history, and each new chat as it comes. Returns when the history is there."""
        self.live[room] = {}
        thread = threading.Thread(target=self._listen, args=(room,), daemon=True)
        self._threads.append(thread)
        thread.start()
        assert self._is_open.wait(30), f"{room} did not open"

    def texts(self, room):
        """What the screen of an open room shows, oldest first."""
        with self._arrived:
            return [chat["content"] for chat in sorted(self.live[room].values(), key=lambda chat: chat["createdAt"])]

    def wait_for(self, room, text, seconds=30):
        """Waits until an open room shows a text."""
        with self._arrived:
            shown = self._arrived.wait_for(
                lambda: any(chat["content"] == text for chat in self.live[room].values()), seconds)
        assert shown, f"{room} did not show '{text}' within {seconds} s"

    def close(self):
        self._closed.set()
        for session in self._sessions.copy():
            self._leave(session)
        for thread in self._threads:
            thread.join()

    def _show(self, room, chats):
        with self._arrived:
            self.live[room].update((chat["chat_id"], chat) for chat in chats)
            self._arrived.notify_all()

    def _listen(self, room):
        """Connects again whenever a connection ends, and reads what it missed."""
        while not self._closed.is_set() and self._failures < MOST_FAILURES:
            try:
                self._connection(room)
            except (Refused, Unclear, *LOST):
                self._failures += 1
                self._closed.wait(0.2)

    def _connection(self, room):
        """One Socket.IO connection by long-polling, until it ends or falls silent."""
        path = "/socket.io/?EIO=4&transport=polling"
        opened = json.loads(self._http("GET", path, timeout=self.timeout)[1:])
        path += "&sid=" + opened["sid"]
        self._sessions.add(path)
        try:
            self._receive(room, path, (opened["pingInterval"] + opened["pingTimeout"]) / 1000)
        finally:
            self._sessions.discard(path)

    def _receive(self, room, path, patience):
        """Enters a room's namespace. A server that is alive sends a ping within `patience` seconds."""
        namespace = "/ws-channel-" + self.path(room).rsplit("/", 1)[1]
        credentials = json.dumps({"SesacKey": self.key, "token": self.access})
        self._http("POST", path, f"40{namespace},{credentials}".encode(), timeout=self.timeout)
        while not self._closed.is_set():
            for packet in self._http("GET", path, timeout=patience).split("\x1e"):
                if packet == "2":
                    self._http("POST", path, b"3", timeout=self.timeout)
                elif packet.startswith("40/"):
                    self._failures = 0
                    newest = max((chat["createdAt"] for chat in self.live[room].values()), default="")
                    self._show(room, self.chats(room, newest))
                    self._is_open.set()
                elif packet.startswith("42/"):
                    self._show(room, [json.loads(packet.split(",", 1)[1])[1]])
                elif packet != "6":
                    # A refused or ended connection. An expired token is renewed by the next call.
                    self.call("GET", "users/me")
                    raise Unclear(packet)

    def _leave(self, session):
        with contextlib.suppress(*LOST):
            self._http("POST", session, b"1", timeout=1)

    # Calls

    def call(self, method, path, body=None):
        """A call of the API. An access token that has expired is renewed, once for all calls."""
        used = self.access
        try:
            return self._send(method, path, body, used)
        except Refused as refused:
            if refused.code != "E05":
                raise
        with self._refreshing:
            if self.access == used:
                self.access = self._send("GET", "auth/refresh", None, used)["accessToken"]
        return self._send(method, path, body, self.access)

    def _send(self, method, path, body=None, access=None):
        if not isinstance(body, Body):
            body = Body("application/json", body and json.dumps(body).encode())
        headers = {"SesacKey": self.key, "Content-Type": body.type}
        if access:
            headers.update({"Authorization": access, "RefreshToken": self.refresh})
        try:
            # The time for a large body grows with its size.
            limit = self.timeout + len(body.data or b"") / 10_000
            text = self._http(method, f"/v1/{path}", body.data, headers, limit)
            return json.loads(text) if text else None
        except urllib.error.HTTPError as error:
            try:
                raise Refused(json.loads(error.read())["errorCode"]) from None
            except (ValueError, KeyError, *LOST):
                raise Unclear(f"{error.code}") from None
        except (ValueError, *LOST) as lost:
            raise Unclear(f"{method} {path}: {lost}") from None

    def _http(self, method, path, body=None, headers={}, timeout=None):
        request = urllib.request.Request(self.url + path, body, headers, method=method)
        with urllib.request.urlopen(request, timeout=timeout) as answer:
            return answer.read().decode()
