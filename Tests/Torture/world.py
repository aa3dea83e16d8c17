"""People, rooms and how both editions speak of them."""

import calendar
import functools
import hashlib
import random
import time
import urllib.parse

import checks
import wire
from checks import Chat

EDITIONS = ("2024-10", "2024-01")
PASSWORD = "Passw0rd!"
SEOUL = 9 * 3_600_000
WORDS = ("마당", "감이 익었어요", "🪜", "hello", "ladder", "토요일에 봐요", "\\ \"quoted\"", "e\u0301", "\u2028", "x" * 300)


def now():
    """Milliseconds since 1970; servers of this machine have the same clock."""
    return int(time.time() * 1000)


@functools.lru_cache(100_000)
def text_of(token):
    """The whole text of a chat: its token and some words that follow from it."""
    chance = random.Random(token)
    return " ".join([token, *(chance.choice(WORDS) for _ in range(chance.randint(0, 4)))])


def files_of(token, count):
    """The files of a chat, PNG by their first bytes."""
    chance = random.Random("file " + token)
    return [b"\x89PNG\r\n\x1a\n" + chance.randbytes(chance.choice([10, 1000, 5000, 70_000])) for _ in range(count)]


def file_count(token):
    """How many files a chat has: few have any."""
    return random.Random("count " + token).choices([0, 1, 2], [96, 3, 1])[0]


def sha256(data):
    return hashlib.sha256(data).hexdigest()


_days = {}


def milliseconds(date, edition):
    """A date of the wire in milliseconds since 1970 UTC."""
    if (start := _days.get(date[:10])) is None:
        start = _days[date[:10]] = calendar.timegm(time.strptime(date[:10], "%Y-%m-%d")) * 1000
    value = start + (int(date[11:13]) * 3600 + int(date[14:16]) * 60 + int(date[17:19])) * 1000 + int(date[20:23])
    return value - SEOUL if edition == "2024-01" else value


def date_of(created, edition):
    """A cursor that names a chat in the words of an edition."""
    value = created + (SEOUL if edition == "2024-01" else 0)
    return time.strftime("%Y-%m-%dT%H:%M:%S", time.gmtime(value // 1000)) + f".{value % 1000:03d}Z"


def chat_of(told, edition):
    """A chat from its JSON object. The token of one with another text than was posted ends with "?"."""
    content = told["content"]
    token = content.partition(" ")[0]
    if content != text_of(token):
        token += "?"
    room = told.get("channel_id", told.get("room_id"))
    number = told.get("chat_id", told.get("dm_id"))
    mark = checks.mark_of(f"{room} {number} {told['user']['user_id']} {told['files']}")
    return Chat(milliseconds(told["createdAt"], edition), token, mark)


class Person:
    def __init__(self, name):
        self.name = name
        self.email = f"{name.lower()}@example.com"
        # By edition.
        self.tokens = {}
        self.ids = {}

    def __repr__(self):
        return self.name


class Workspace:
    def __init__(self, name):
        self.name = name
        self.ids = {}

    def path(self, edition):
        return f"workspaces/{self.ids[edition]}"


class Room:
    """A channel, or a direct message between two `people`."""

    def __init__(self, name, workspace, people, is_direct=False):
        self.name = name
        self.workspace = workspace
        self.people = people
        self.is_direct = is_direct
        # By edition.
        self.ids = {}

    def _path(self, edition, last, name=None):
        kind = "dms" if self.is_direct else "channels"
        key = name or (self.ids[edition] if self.is_direct or edition == "2024-10" else urllib.parse.quote(self.name))
        return f"{self.workspace.path(edition)}/{kind}/{key}/{last}"

    def chats(self, edition):
        """Where to post."""
        return self._path(edition, "chats")

    def history(self, edition, person, after=None):
        name = None
        if self.is_direct and edition == "2024-01":
            name = next(other for other in self.people if other is not person).ids[edition]
        query = f"?cursor_date={date_of(after, edition)}" if after is not None else ""
        return self._path(edition, "chats", name) + query

    def chats_in(self, answer, edition):
        told = answer.json
        return [chat_of(one, edition) for one in (told["chats"] if isinstance(told, dict) else told)]

    def unreads(self, edition, after):
        return self._path(edition, f"unreads?after={date_of(after, edition)}")

    def namespace(self, edition):
        return f"/ws-{'dm' if self.is_direct else 'channel'}-{self.ids[edition]}"


class Refused(Exception):
    """Answered with an error code where none is expected."""


class Clients:
    """Calls to the nodes, over connections that are kept for each of them."""

    def __init__(self, nodes):
        self._nodes = {node.name: wire.HTTP(node.port) for node in nodes}

    def close(self):
        for one in self._nodes.values():
            one.close()

    async def call(self, node, person, edition, method, path, body=None, limit=8):
        """The answer, whatever it says but E99. `body` is JSON, or a type and bytes. Throws `wire.Unanswered`."""
        headers = {"SesacKey": wire.KEYS[edition]}
        if person and edition in person.tokens:
            headers["Authorization"] = person.tokens[edition]
        data = b""
        if body is not None:
            headers["Content-Type"], data = body if isinstance(body, tuple) else ("application/json", _json(body))
        target = path if path.startswith("/") else f"/v1/{path}"
        answer = await self._nodes[node.name].request(method, target, headers, data, limit)
        if answer.status not in (200, 400):
            raise wire.Unanswered(f"status {answer.status}")
        return answer

    async def must(self, node, person, edition, method, path, body=None, limit=30):
        """The answer of a call that must succeed. Throws `Refused`, `wire.Unanswered`."""
        answer = await self.call(node, person, edition, method, path, body, limit)
        if answer.status != 200:
            raise Refused(f"{method} {path}: {answer.body!r:.200}")
        return answer


def _json(value):
    return wire.json.dumps(value, ensure_ascii=False).encode()


async def found(clients, node, tag, person_count, channel_count):
    """The people, and the rooms they talk in; made by calls to one node while nothing goes wrong."""
    people = [Person(f"{tag}{number}") for number in range(person_count)]
    for person in people:
        await sign_up(clients, node, person)
    first, *others = people
    workspace = Workspace(f"{tag} house")
    await make_workspace(clients, node, first, workspace)
    for other in others:
        await clients.must(node, first, "2024-10", "POST", f"{workspace.path('2024-10')}/members", {"email": other.email})
    rooms = []
    for number in range(channel_count):
        rooms.append(await make_channel(clients, node, first, workspace, f"방-{number}", people))
    for one, other in zip(people[0:2], people[1:3]):
        room = Room(f"{one}+{other}", workspace, [one, other], is_direct=True)
        for edition in EDITIONS:
            if edition == "2024-10":
                body = {"opponent_id": other.ids[edition]}
                told = (await clients.must(node, one, edition, "POST", f"{workspace.path(edition)}/dms", body)).json
            else:
                path = f"{workspace.path(edition)}/dms/{other.ids[edition]}/chats"
                told = (await clients.must(node, one, edition, "GET", path)).json
            room.ids[edition] = told["room_id"]
        rooms.append(room)
    return people, workspace, rooms


async def sign_up(clients, node, person):
    body = {"email": person.email, "password": PASSWORD, "nickname": person.name}
    await clients.must(node, None, "2024-10", "POST", "users/join", body)
    await sign_in(clients, node, person)


async def sign_in(clients, node, person):
    for edition, path in ("2024-10", "/v1/users/login"), ("2024-01", "/v2/users/login"):
        body = {"email": person.email, "password": PASSWORD}
        told = (await clients.must(node, None, edition, "POST", path, body)).json
        person.ids[edition] = told["user_id"]
        person.tokens[edition] = told["token"]["accessToken"]


async def make_workspace(clients, node, owner, workspace):
    await clients.must(node, owner, "2024-10", "POST", "workspaces", {"name": workspace.name})
    await look_up(clients, node, owner, workspace)


async def look_up(clients, node, member, workspace):
    """Fills in both ids. False if the member has no workspace of that name."""
    for edition in EDITIONS:
        told = (await clients.must(node, member, edition, "GET", "workspaces")).json
        ids = [one["workspace_id"] for one in told if one["name"] == workspace.name]
        if not ids:
            return False
        workspace.ids[edition] = ids[0]
    return True


async def make_channel(clients, node, owner, workspace, name, people):
    """All of the people join it."""
    room = Room(name, workspace, people)
    await clients.must(node, owner, "2024-10", "POST", f"{workspace.path('2024-10')}/channels", {"name": name})
    for edition in EDITIONS:
        told = (await clients.must(node, owner, edition, "GET", f"{workspace.path(edition)}/channels")).json
        room.ids[edition] = next(one["channel_id"] for one in told if one["name"] == name)
    for person in people:
        await clients.must(node, person, "2024-10", "GET", room.history("2024-10", person))
    return room
