"""Call sequences of typical clients, played by scripted phones (wire contract, Call sequences). A function begins with u for
edition 2024-10 and v for 2024-01, and a number that orders them."""

import asyncio
import datetime
import itertools
import re
import sys
import unicodedata
import urllib.parse

from phone import PATIENCE, Body, Phone, file_part, form_body, json_body, multipart_body, text_part

OCTOBER, JANUARY = "2024-10", "2024-01"
PASSWORD = "Passw0rd!"
LONG_AGO = "1970-01-01T00:00:00.000Z"
DEFAULT_CHANNEL = "일반"
DEFAULT_COVER = "/static/workspaceCoverImages/default.png"
DAY = 24 * 3600

# Only the beginnings of files tell the server what they are.
JPEG = b"\xff\xd8\xff\xe0" + bytes(300)
PNG = b"\x89PNG\r\n\x1a\n" + bytes(500)
WORDS = b"just some words"

# The objects of each edition: every key, and what its value is. "?" marks what may be null.
SHAPES = {
    OCTOBER: {
        "Member": "user_id:id email:text nickname:text profileImage:path?",
        "Token": "accessToken:text refreshToken:text",
        "Login": "Member phone:text provider:text? createdAt:date token:Token",
        "Me": "Member phone:text provider:text? createdAt:date sesacCoin:count",
        "Refresh": "accessToken:text",
        "Workspace": "workspace_id:id name:text description:text coverImage:path owner_id:id createdAt:date",
        "WorkspaceDetail": "Workspace channels:[Channel] workspaceMembers:[Member]",
        "Channel": "channel_id:id name:text description:text coverImage:path owner_id:id createdAt:date",
        "ChannelDetail": "Channel channelMembers:[Member]",
        "ChannelChat": "channel_id:id channelName:text chat_id:id content:text createdAt:date files:[path] user:Member",
        "DMRoom": "room_id:id createdAt:date user:Member",
        "DMChat": "dm_id:id room_id:id content:text createdAt:date files:[path] user:Member",
        "ChannelUnread": "channel_id:id name:text count:count room_id:id",
        "DMUnread": "room_id:id count:count",
        "StoreItem": "item:text amount:text",
        "Billing":
            "billing_id:id merchant_uid:text buyer_id:id productName:text price:count sesacCoin:count paidAt:date",
    },
    JANUARY: {
        "Member": "user_id:id email:text nickname:text profileImage:path?",
        "Token": "accessToken:text refreshToken:text",
        "UserDetail": "Member createdAt:date",
        "FlatLogin": "user_id:id nickname:text accessToken:text refreshToken:text",
        "Login": "Member phone:text vendor:text? createdAt:date token:Token",
        "Me": "Member phone:text vendor:text? sesacCoin:count createdAt:date",
        "Refresh": "accessToken:text",
        "Workspace": "workspace_id:id name:text description:text thumbnail:path owner_id:id createdAt:date",
        "WorkspaceDetail": "Workspace channels:[Channel] workspaceMembers:[Member]",
        "Channel": "workspace_id:id channel_id:id name:text description:text owner_id:id private:zero createdAt:date",
        "ChannelDetail": "Channel channelMembers:[Member]",
        "ChannelChat": "channel_id:id channelName:text chat_id:id content:text createdAt:date files:[path] user:Member",
        "DMRoom": "workspace_id:id room_id:id createdAt:date user:Member",
        "DMChatList": "workspace_id:id room_id:id chats:[DMChat]",
        "DMChat": "dm_id:id room_id:id content:text createdAt:date files:[path] user:Member",
        "ChannelUnread": "channel_id:id name:text count:count room_id:id",
        "DMUnread": "room_id:id count:count",
        "StoreItem": "item:text amount:text",
        "Billing": "billing_id:id merchant_uid:text amount:count sesacCoin:count success:true createdAt:date",
    },
}
UUID = re.compile(r"[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}")
DATE = re.compile(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z")
PATH = re.compile(r"/static/[A-Za-z]+/([A-Za-z0-9._-]|%[0-9A-F]{2})+\.[a-z0-9]+")
ITEMS = [
    {"item": "10 Coin", "amount": "100"}, {"item": "50 Coin", "amount": "500"}, {"item": "100 Coin", "amount": "1000"}]


def misfit(edition, shape, value):
    """What about a value does not fit a shape of the edition, None if it fits."""
    is_integer = isinstance(value, int) and not isinstance(value, bool)
    is_text = isinstance(value, str)
    if shape.endswith("?"):
        return None if value is None else misfit(edition, shape[:-1], value)
    if shape.startswith("["):
        if not isinstance(value, list):
            return f"{value!r:.80} is no list"
        return next(filter(None, (misfit(edition, shape[1:-1], item) for item in value)), None)
    simple = {
        "text": is_text,
        "count": is_integer and value >= 0,
        "zero": is_integer and value == 0,
        "true": value is True,
        "date": is_text and DATE.fullmatch(value),
        "path": is_text and PATH.fullmatch(value),
        "id": (is_text and UUID.fullmatch(value)) if edition == OCTOBER else (is_integer and value > 0),
    }
    if shape in simple:
        return None if simple[shape] else f"{value!r:.80} is no {shape}"
    fields = fields_of(edition, shape)
    if not isinstance(value, dict) or set(value) != set(fields):
        return f"{value!r:.300} has not exactly the keys of {shape}"
    return next(filter(None, (misfit(edition, kind, value[key]) for key, kind in fields.items())), None)


def fields_of(edition, shape):
    fields = {}
    for word in SHAPES[edition][shape].split():
        key, _, kind = word.partition(":")
        fields |= {key: kind} if kind else fields_of(edition, word)
    return fields


def quoted(name):
    return urllib.parse.quote(name, safe="")


class Room:
    """A channel or a DM room as its people address it."""

    def __init__(self, kind, path, id):
        self.path = path
        self.id = id
        self.chats = f"{path}/chats"
        self.unreads = f"{path}/unreads"
        self.event = kind
        self.namespace = f"/ws-{kind}-{id}"


class Person(Phone):
    """Somebody with a phone, and what the contract promises about every answer they get."""

    def __init__(self, stage, edition, address=None):
        super().__init__(stage.url, stage.keys[edition], address or stage.new_address())
        self.stage = stage
        self.edition = edition
        self.user = None

    @property
    def id(self):
        return self.user["user_id"]

    @property
    def email(self):
        return self.user["email"]

    def keep(self, login):
        """Keeps what a sign-up or a nested sign-in answered, as the app does."""
        self.user = {key: login[key] for key in ("user_id", "email", "nickname", "profileImage")}
        self.access_token = login["token"]["accessToken"]
        self.refresh_token = login["token"]["refreshToken"]

    async def get(self, path, shape=None):
        return self.ok(await self.call("GET", path), shape)

    async def post(self, path, body, shape=None):
        return self.ok(await self.call("POST", path, body), shape)

    async def put(self, path, body, shape=None):
        return self.ok(await self.call("PUT", path, body), shape)

    def ok(self, answer, shape=None):
        """The JSON of a good answer. What is wrong with its form is a difference, what is no answer ends the flow."""
        stage = self.stage
        if answer.status != 200:
            raise AssertionError(f"expected 200, got {answer.status} {answer.body!r:.200}")
        stage.same("Content-Type", answer.header("content-type"), "application/json; charset=utf-8")
        stage.same("Cache-Control", answer.header("cache-control"), "no-store")
        if shape:
            stage.same(shape, misfit(self.edition, shape, answer.json), None)
        return answer.json

    async def code(self, method, path, body=None, **options):
        """The error code a call is refused with, or what it was answered instead."""
        return code_of(await self.call(method, path, body, **options))

    async def refresh(self, token=None, refresh_token=None, query=""):
        headers = {"RefreshToken": self.refresh_token if refresh_token is None else refresh_token}
        return await self.call("GET", f"auth/refresh{query}", token=token, headers=headers)

    async def sign_in(self):
        """The same person on another phone, with a session of its own."""
        other = self.stage.phone(self.edition)
        path = "/v2/users/login" if self.edition == JANUARY else "users/login"
        other.keep(await other.post(path, json_body({"email": self.email, "password": PASSWORD}), "Login"))
        return other

    async def workspace(self, name=None):
        """Makes a workspace; its path."""
        body = multipart_body(text_part("name", name or self.stage.name("W")))
        return f"workspaces/{(await self.post('workspaces', body, 'Workspace'))['workspace_id']}"

    async def invite(self, other, workspace):
        await self.post(f"{workspace}/members", json_body({"email": other.email}), "Member")

    async def channel(self, workspace, name):
        made = await self.post(f"{workspace}/channels", json_body({"name": name}), "Channel")
        address = quoted(name) if self.edition == JANUARY else made["channel_id"]
        return Room("channel", f"{workspace}/channels/{address}", made["channel_id"])

    async def direct_messages(self, workspace, other):
        if self.edition == JANUARY:
            id = (await self.get(f"{workspace}/dms/{other.id}/chats", "DMChatList"))["room_id"]
        else:
            id = (await self.post(f"{workspace}/dms", json_body({"opponent_id": other.id}), "DMRoom"))["room_id"]
        return Room("dm", f"{workspace}/dms/{id}", id)

    async def say(self, room, content):
        return await self.send(room, multipart_body(text_part("content", content)))

    async def send(self, room, body):
        return await self.post(room.chats, body, "ChannelChat" if room.event == "channel" else "DMChat")


def code_of(answer):
    """The code of a refusal of the contract's form, else the whole answer."""
    try:
        (key, code), = answer.json.items()
    except (ValueError, AttributeError):
        key = code = None
    is_refusal = answer.status == (500 if code == "E99" else 400) and key == "errorCode"
    return code if is_refusal else f"{answer.status} {answer.body.decode(errors='replace'):.200}"


class Stage:
    """One playing of one flow: its people, its names, and the differences it found."""

    numbers = itertools.count(1)
    """What makes names and addresses of mails unlike all others."""
    _addresses = itertools.count(1)
    network = "127.1"
    """The first two numbers of the phones' addresses."""

    keys = {edition: f"dev-key-{edition}" for edition in (OCTOBER, JANUARY)}
    """The API key of each edition: those of development mode, for a server that has others a check says them."""

    def __init__(self, url, flow, mode=None, elder=None):
        self.url = url
        self.flow = flow
        self.mode = mode
        self.elder = elder
        """Somebody whose access token expired before the first flow began, with a channel of their own."""
        self.differences = []
        self.tag = f"{flow}-{next(self.numbers)}"
        self._phones = []

    def name(self, word):
        """A name nobody else in the server has, with at most 30 characters."""
        return f"{word} {self.tag}.{next(self.numbers)}"

    def new_address(self):
        """Each phone calls from an address of its own, so that `recent` has to tell people apart. Systems other than
        Linux have only one loopback address; there, phones share it."""
        number = next(self._addresses)
        return f"{self.network}.{number // 250}.{number % 250 + 1}" if sys.platform == "linux" else None

    def phone(self, edition, address=None):
        phone = Person(self, edition, address)
        self._phones.append(phone)
        return phone

    @property
    def edition(self):
        return JANUARY if self.flow.startswith("V") else OCTOBER

    async def person(self, nickname, address=None):
        """Somebody who has just signed up, at an address of their own if none is given."""
        phone = self.phone(self.edition, address)
        email = f"{nickname}.{self.tag}.{next(self.numbers)}@example.com"
        body = json_body({"email": email, "password": PASSWORD, "nickname": nickname})
        phone.keep(await phone.post("users/join", body, "Login"))
        return phone

    async def courtyard(self):
        """The contract's fixtures: A with workspace W, B invited, C in no workspace."""
        a, b, c = [await self.person(nickname) for nickname in ("Mina", "Joon", "Sora")]
        w = await a.workspace()
        await a.invite(b, w)
        return a, b, c, w

    async def develop(self, path, body):
        """A development call, which no phone makes."""
        return (await self.phone(self.edition).call("POST", f"/_dev/{path}", json_body(body))).json

    async def pass_time(self, seconds):
        """Moves the server's clock; the server's time afterwards."""
        return (await self.develop("clock", {"advance": seconds}))["now"]

    async def payment(self, merchant, amount, status="paid"):
        body = {"merchant_uid": merchant, "amount": amount, "status": status}
        return (await self.develop("payments", body))["imp_uid"]

    async def social_token(self, provider, email, nickname=None):
        body = {"provider": provider, "subject": email, "email": email, "nickname": nickname}
        return (await self.develop("social-tokens", body))["token"]

    async def pushes(self, devices, count):
        """The notifications to any of these devices, once there are so many, as (device, payload)."""
        phone = self.phone(self.edition)
        async with asyncio.timeout(PATIENCE):
            while True:
                sent = (await phone.call("GET", "/_dev/pushes")).json
                ours = [(one["deviceToken"], one["payload"]) for one in sent if one["deviceToken"] in devices.values()]
                if len(ours) >= count:
                    return ours
                await asyncio.sleep(0.02)

    def same(self, step, seen, expected):
        """Notes a difference between what a step did and what the contract says it does."""
        if seen == expected:
            return
        frame = sys._getframe(1)
        while not FLOW.fullmatch(frame.f_code.co_name) and frame.f_back:
            frame = frame.f_back
        self.differences.append(f"step {step}, line {frame.f_lineno}: expected {expected!r:.300}, seen {seen!r:.600}")

    async def joined(self, step, engine, *rooms):
        """The engine has joined these rooms; without them a flow cannot go on."""
        for room in rooms:
            outcome = await engine.outcome(room.namespace)
            if outcome != "joined":
                raise AssertionError(f"step {step}: joining {room.namespace} brought {outcome!r}")

    async def hears(self, step, engine, room, chat):
        """The next a socket hears in a room is this chat, as the only argument."""
        try:
            self.same(step, await engine.event(room.namespace), [room.event, chat])
        except TimeoutError:
            raise AssertionError(f"step {step}: the chat was not heard in {room.namespace}") from None

    def done(self, step, answer):
        """An answer with nothing in it."""
        self.same(step, (answer.status, answer.body), (200, b"{}" if self.edition == OCTOBER else b""))

    def quiet(self, step, *engines):
        """The engines saw no error, and no POST was refused behind the app's back."""
        for engine in engines:
            self.same(step, (engine.errors, engine.refused_posts), ([], 0))

    def close(self):
        for phone in self._phones:
            phone.close()


FLOW = re.compile(r"[uvh]\d+\w*")
PLAIN, SOCKETS, CLOCK, HOSTED = [], [], [], []


def flow(function):
    """A flow without sockets."""
    PLAIN.append(function)
    return function


def socket_flow(function):
    """A flow to be played in every mode of the socket client."""
    SOCKETS.append(function)
    return function


def clock_flow(function):
    """A flow that makes tokens expire, for a server of its own."""
    CLOCK.append(function)
    return function


def hosted_flow(function):
    """A flow with sockets whose name is not of the contract, for a server that is not in development mode."""
    HOSTED.append(function)
    return function


async def expiring(stage):
    """What `v12_background_and_foreground` needs: a person with a channel, whose access token has expired while their session lives."""
    elder = await stage.person("Elder")
    channel = await elder.channel(await elder.workspace(), "잡담")
    await stage.pass_time(DAY + 1)
    return elder, channel


# Edition 2024-10.


@flow
async def u1_launch(s):
    a = await s.person("Mina")
    s.same("1", await a.code("GET", "users/me", token=""), "E02")
    # The app that keeps a Korean word where no token is stored.
    s.same("1", await a.code("GET", "users/me", token="토큰없음"), "E02")
    for step, query in ("2", ""), ("4", f"?RefreshToken={a.refresh_token}"):
        a.ok(await a.refresh(a.access_token, query=query), "Refresh")
    s.same("3", code_of(await a.refresh("", "")), "E02")


@flow
async def u2_sign_up(s):
    phone = s.phone(OCTOBER)

    async def check(email):
        return await phone.call("POST", "users/validation/email", json_body({"email": email}))

    variants = [
        ({"phone": "010-1234-5678", "deviceToken": ""}, None), ({"phone": ""}, ""), ({"device_token": "fcm"}, None),
        ({"phone": None, "deviceToken": None}, "stale")]
    for number, (extra, token) in enumerate(variants):
        email = f"{s.tag}.{number}@example.com"
        s.done("1", await check(email))
        fields = {"email": email, "password": PASSWORD, "nickname": "Mina", **extra}
        login = phone.ok(await phone.call("POST", "users/join", json_body(fields), token=token), "Login")
        s.same("2", login["phone"], extra.get("phone") or "")
        s.same("3", await phone.code("POST", "users/join", json_body(fields)), "E12")
        s.same("1 taken", code_of(await check(email)), "E12")
        token = login["token"]["accessToken"]
        s.same("4", (await phone.call("GET", "workspaces", token=token)).json, [])
        me = phone.ok(await phone.call("GET", "users/me", token=token), "Me")
        s.same("5", me["sesacCoin"], 100)
    s.same("1 malformed", code_of(await check("a@")), "E11")
    weak = {"email": f"{s.tag}.weak@example.com", "password": "password", "nickname": "Mina"}
    s.same("3 weak", await phone.code("POST", "users/join", json_body(weak)), "E11")


@flow
async def u3_sign_in(s):
    a = await s.person("Mina")
    phone = s.phone(OCTOBER)

    async def sign_in(token=None, headers=None, **fields):
        body = json_body({"email": a.email, "password": PASSWORD, **fields})
        return await phone.call("POST", "users/login", body, headers, token=token)

    phone.ok(await sign_in(), "Login")
    phone.ok(await sign_in(deviceToken=""), "Login")
    phone.keep(phone.ok(await sign_in("stale", {"RefreshToken": "stale"}, deviceToken="fcm"), "Login"))
    s.same("2", code_of(await sign_in(password="wrong")), "E03")
    s.same("2", code_of(await sign_in(email=f"nobody.{a.email}")), "E03")
    me, workspaces = await asyncio.gather(phone.get("users/me", "Me"), phone.get("workspaces"))
    s.same("5", (me["user_id"], workspaces), (a.id, []))

    apple = await s.social_token("apple", f"apple.{a.email}")
    path = "users/login/apple"
    first = await phone.post(path, json_body({"idToken": apple, "nickname": "Mina"}), "Login")
    again = await phone.post(path, json_body({"idToken": apple}), "Login")
    s.same("3", (again["user_id"], again["provider"]), (first["user_id"], "apple"))
    kakao = await s.social_token("kakao", f"kakao.{a.email}", "Joon")
    login = await phone.post("users/login/kakao", json_body({"oauthToken": kakao, "deviceToken": "fcm"}), "Login")
    s.same("4", (login["nickname"], login["provider"]), ("Joon", "kakao"))
    # One app keeps the refresh token of its Kakao sign-in where the access token belongs.
    me = await phone.call("GET", "users/me", token=login["token"]["refreshToken"])
    s.same("5 refresh token as access token", me.status, 200)


@flow
async def u4_create_workspace(s):
    a = await s.person("Mina")
    picture = file_part("image", JPEG)
    names = [s.name("W") for _ in range(5)]
    bodies = [
        multipart_body(text_part("name", names[0]), text_part("description", "we build"), picture),
        multipart_body(text_part("name", names[1]), picture),
        multipart_body(text_part("name", names[2]), text_part("description", "")),
        multipart_body(text_part("name", names[3], type="image/jpeg"), picture,
                       text_part("description", "x", type="image/jpeg")),
        multipart_body(picture, text_part("name", names[4], ""), text_part("description", "y", "")),
    ]
    made = [await a.post("workspaces", body, "Workspace") for body in bodies]
    s.same("1 2", [one["name"] for one in made], names)
    s.same("1 2", [one["description"] for one in made], ["we build", "", "", "x", "y"])
    s.same("2", [one["coverImage"] == DEFAULT_COVER for one in made], [False, False, True, False, False])
    s.same("3", await a.code("POST", "workspaces", bodies[0]), "E12")
    s.same("3", await a.code("POST", "workspaces", multipart_body(picture)), "E11")
    for coins in range(50, 0, -10):
        s.same("6", (await a.get("users/me", "Me"))["sesacCoin"], coins)
        w = await a.workspace()
    s.same("4", await a.code("POST", "workspaces", multipart_body(text_part("name", s.name("W")))), "E21")
    s.same("5", [one["name"] for one in await a.get(f"{w}/my-channels", "[Channel]")], [DEFAULT_CHANNEL])


@flow
async def u5_home(s):
    a, b, c, w = await s.courtyard()
    channel = await a.channel(w, "ios")
    room = await a.direct_messages(w, b)
    ts = (await a.say(room, "hi"))["createdAt"]
    await b.say(room, "hi")
    # a
    await a.get("users/me", "Me")
    detail = await a.get(w, "WorkspaceDetail")
    s.same("1", [one["name"] for one in detail["channels"]], ["ios", DEFAULT_CHANNEL])
    s.same("1", detail["workspaceMembers"], [a.user, b.user])
    s.same("1", [one["user"] for one in await a.get(f"{w}/dms", "[DMRoom]")], [b.user])
    s.same("1", (await a.get(f"{room.unreads}?after={ts}", "DMUnread"))["count"], 1)
    mine = await a.get(f"{w}/my-channels", "[Channel]")
    # b and c
    paths = [f"{w}/channels/{one['channel_id']}/unreads?after=" for one in mine]
    for after in ts, LONG_AGO, "2024-01-01T00%3A00%3A00.000Z":
        unreads = await asyncio.gather(*(a.get(path + after, "ChannelUnread") for path in paths))
        s.same("1 2 3", [one["room_id"] for one in unreads], [one["channel_id"] for one in mine])
    workspaces, _ = await asyncio.gather(a.get("workspaces", "[Workspace]"), a.get("users/me", "Me"))
    # d
    channels, mine_again = await asyncio.gather(a.get(f"{w}/channels"), a.get(f"{w}/my-channels"))
    s.same("4", channels, mine_again)
    s.same("4", await a.get(f"{w}/dms"), await a.get(f"{w}/dms"))
    pictures = await asyncio.gather(*(a.call("GET", f"/v1{one['coverImage']}") for one in channels))
    s.same("4", [one.status for one in pictures], [200, 200])
    await a.get(room.chats, "[DMChat]")
    # e
    for path in "channels", "my-channels", "dms", "members":
        s.same("5", await c.code("GET", f"/v1/workspaces//{path}"), "E13")
    for path in "/v1", "/v1/users/", "/v1/v1/users/me":
        s.same("5", await c.code("GET", path), "E97")
    for query in "/", "?", f"?workspaceID={w.split('/')[1]}":
        s.same("6", await a.get(f"workspaces{query}"), workspaces)
    s.same("6", await a.get("/" + "/v1/workspaces"), workspaces)


@flow
async def u6_channel(s):
    a, b, c, w = await s.courtyard()
    path = f"{w}/channels"
    picture, nothing = file_part("image", PNG, "c.png", "image/png"), file_part("image", b"")
    bodies = [
        json_body({"name": "C1", "description": "x"}), multipart_body(text_part("name", "C2")),
        multipart_body(text_part("name", "C3"), text_part("description", "y"), nothing),
        multipart_body(text_part("name", "C4"), text_part("description", "y"), picture)]
    made = [await a.post(path, body, "Channel") for body in bodies]
    s.same("1", [one["description"] for one in made], ["x", "", "y", "y"])
    s.same("2", await a.code("POST", path, bodies[0]), "E12")
    await b.channel(w, "C5")
    last = f"{path}/{made[3]['channel_id']}"
    same = multipart_body(text_part("name", "C4"), text_part("description", "new"), nothing)
    edited = await a.put(last, same, "Channel")
    s.same("3", edited, made[3] | {"description": "new"})
    s.same("3", await a.code("PUT", last, multipart_body(text_part("name", "C1"))), "E12")
    s.same("4", await b.code("PUT", last, same), "E14")
    s.same("4", await c.code("PUT", last, same), "E13")
    default = (await a.get(path, "[Channel]"))[-1]["channel_id"]
    s.same("4", await a.code("PUT", f"{path}/{default}", json_body({"name": "general"})), "E11")


@flow
async def u7_explore_and_join(s):
    a, b, _, w = await s.courtyard()
    for number, query in enumerate(["?cursor_date=", "?cursor_date", "", "?cursor_date=2999-01-01T00:00:00.000Z"]):
        channel = await a.channel(w, f"C{number}")
        chat = await a.say(channel, "hello")
        both = await asyncio.gather(*(b.get(f"{w}/{list}", "[Channel]") for list in ("channels", "my-channels")))
        s.same("1", [channel.id in [one["channel_id"] for one in list] for list in both], [True, False])
        detail, owner = await asyncio.gather(
            b.get(channel.path, "ChannelDetail"), b.get(f"users/{a.id}?userID={a.id}", "Member"))
        s.same("2", (detail["channelMembers"], owner), ([a.user], a.user))
        s.same("3", (await b.get(f"{channel.unreads}?after={LONG_AGO}", "ChannelUnread"))["count"], 1)
        s.same("3", await b.get(f"{channel.path}/members", "[Member]"), [a.user])
        s.same("4", await b.code("POST", channel.chats, json_body({"content": "x"})), "E13")
        s.same("5 6", await b.get(channel.chats + query, "[ChannelChat]"), [] if "2999" in query else [chat])
        s.same("5 6", (await b.get(f"{w}/my-channels"))[0]["channel_id"], channel.id)
        await b.say(channel, "x")


@socket_flow
async def u8_enter_channel(s):
    a, b, _, w = await s.courtyard()
    channel = await a.channel(w, "ios")
    first = await a.say(channel, "one")
    s.same("3", (await b.get(f"{w}/channels", "[Channel]"))[0]["channel_id"], channel.id)
    # c: the socket before any call about this channel, which is not even joined.
    async with b.socket(s.mode, channel.namespace) as engine:
        await s.joined("3", engine, channel)
        s.same("3", (await b.get(channel.path, "ChannelDetail"))["channelMembers"], [a.user])
        users = await asyncio.gather(*(b.get(f"users/{one.id}?userID={one.id}", "Member") for one in (a, b)))
        s.same("3", users, [a.user, b.user])
        s.same("3", await b.get(f"{channel.chats}?cursor_date=", "[ChannelChat]"), [first])
        await s.hears("3", engine, channel, await b.say(channel, "two"))
        s.quiet("3", engine)
    # a and b: the history first.
    for step, has_detail in ("1", False), ("2", True):
        newer = await b.get(f"{channel.chats}?cursor_date={first['createdAt']}", "[ChannelChat]")
        s.same(step, [one["content"] for one in newer][:1], ["two"])
        if has_detail:
            await b.get(channel.path, "ChannelDetail")
        async with b.socket(s.mode, channel.namespace) as engine:
            await s.joined(step, engine, channel)
            await s.hears(step, engine, channel, await a.say(channel, "again"))
            s.quiet(step, engine)
    ts = (await a.say(channel, "newest"))["createdAt"]
    forms = [
        ts, ts.replace(":", "%3A"), ts.replace("Z", "%2B00:00"), ts.replace("Z", "+00:00"), ts.replace("Z", "%2B0000"),
        ts.replace("Z", "%2B00"), ts[:-1], ts[:-1].replace("T", "%20"), ts.replace("T", "+"), ts.lower(),
        "2999-01-01T00:00:00Z"]
    for form in forms:
        s.same(f"4 {form}", await b.get(f"{channel.chats}?cursor_date={form}"), [])
    for form in "nil", "2024-12-13", "1734073530":
        s.same(f"4 {form}", await b.code("GET", f"{channel.chats}?cursor_date={form}"), "E11")


@socket_flow
async def u9_send(s):
    a, b, c, w = await s.courtyard()
    channel = await a.channel(w, "ios")
    await b.get(channel.chats)
    pictures = [file_part(f"file{number}", JPEG) for number in range(6)]
    same_name = file_part("files", JPEG)
    bodies = [
        json_body({"content": "hello"}), json_body({"content": "hello", "files": []}),
        multipart_body(text_part("content", "각😀")),
        multipart_body(text_part("content", ""), *[same_name] * 5),
        multipart_body(*pictures[:2], text_part("content", "x", filename="")), multipart_body(same_name)]
    async with a.socket(s.mode, channel.namespace) as mine, b.socket(s.mode, channel.namespace) as theirs:
        for engine in mine, theirs:
            await s.joined("1", engine, channel)
        previous = LONG_AGO
        chats = []
        for body in bodies:
            chats.append(chat := await a.send(channel, body))
            for engine in mine, theirs:
                await s.hears("2", engine, channel, chat)
            s.same("2", await b.get(f"{channel.chats}?cursor_date={previous}", "[ChannelChat]"), [chat])
            previous = chat["createdAt"]
        s.same("1", [len(chat["files"]) for chat in chats], [0, 0, 0, 5, 2, 1])
        refused = [
            json_body({"content": ""}), multipart_body(*pictures),
            multipart_body(text_part("content", "x"), file_part("files", WORDS, "a.png", "text/plain"))]
        for body in refused:
            s.same("3", await a.code("POST", channel.chats, body), "E11")
        s.same("3", await b.get(channel.chats, "[ChannelChat]"), chats)

        for path in sum((chat["files"] for chat in chats), []):
            s.same("4", (await b.call("GET", f"/v1{path}")).body, JPEG)
            s.same("4", await b.code("GET", f"/v1{path}", token=None), "E02")
            s.same("4", await c.code("GET", f"/v1{path}"), "E13")
            s.same("4", (await b.call("GET", f"/v1{path}", token=b.refresh_token)).body, JPEG)

        many = await asyncio.gather(*(a.say(channel, f"{number}") for number in range(50)))
        many.sort(key=lambda chat: chat["createdAt"])
        s.same("5", len({chat["createdAt"] for chat in many}), 50)
        s.same("5", await b.get(f"{channel.chats}?cursor_date={previous}"), many)
        for engine in mine, theirs:
            s.same("5", [await engine.event(channel.namespace) for _ in many], [["channel", chat] for chat in many])
        for number in range(0, 50, 7):
            later = await b.get(f"{channel.chats}?cursor_date={many[number]['createdAt']}")
            s.same("5", later, many[number + 1:])
        # A socket that heard anything twice would hear it before this one.
        last = await b.say(channel, "last")
        for engine in mine, theirs:
            await s.hears("2", engine, channel, last)
            s.same("2", engine.has_events(channel.namespace), False)
        s.quiet("2", mine, theirs)


@socket_flow
async def u10_direct_messages(s):
    a, b, c, w = await s.courtyard()
    members, rooms = await asyncio.gather(a.get(f"{w}/members", "[Member]"), a.get(f"{w}/dms"))
    s.same("1", (members, rooms), ([a.user, b.user], []))

    def opponent(person):
        return json_body({"opponent_id": person.id})

    opened = await a.post(f"{w}/dms", opponent(b), "DMRoom")
    s.same("2", (opened["user"], await a.post(f"{w}/dms", opponent(b))), (b.user, opened))
    s.same("2", [one["user"] for one in await b.get(f"{w}/dms", "[DMRoom]")], [a.user])
    s.same("3", await a.code("POST", f"{w}/dms", opponent(a)), "E11")
    s.same("3", await a.code("POST", f"{w}/dms", opponent(c)), "E13")
    room = await a.direct_messages(w, b)
    s.same("4", await a.get(f"{room.chats}?cursor_date"), [])
    s.same("4", await a.get(f"users/{b.id}", "Member"), b.user)
    async with a.socket(s.mode, room.namespace) as mine, b.socket(s.mode, room.namespace) as theirs:
        for engine in mine, theirs:
            await s.joined("4", engine, room)
        chat = await a.say(room, "hi")
        for engine in mine, theirs:
            await s.hears("5", engine, room, chat)
        since = f"?after={LONG_AGO}"
        counts = [(await one.get(room.unreads + query, "DMUnread"))["count"]
                  for one, query in ((b, since), (a, since), (b, ""), (b, "?after="))]
        s.same("6", counts, [1, 0, 0, 0])
        s.same("7", await b.get(f"{room.chats}?cursor_date=2024-01-01T00%3A00%3A00.000Z", "[DMChat]"), [chat])
        for body in (
            json_body({"content": "x", "files": []}), multipart_body(*[file_part("files", JPEG)] * 5),
            multipart_body(file_part("file0", JPEG), text_part("content", "x", ""))):
            chat = await a.send(room, body)
            for engine in mine, theirs:
                await s.hears("5", engine, room, chat)
        s.quiet("5", mine, theirs)
    # Somebody from outside, then another member.
    for _ in range(2):
        for path in room.chats, room.unreads:
            s.same("8", await c.code("GET", path), "E13")
        s.same("8", await c.code("POST", room.chats, json_body({"content": "x"})), "E13")
        await a.call("POST", f"{w}/members", json_body({"email": c.email}))
    await refused(s, "8", c, room, "not allowed")


async def refused(s, step, person, room, words):
    """A socket of somebody who may not hear a room is refused: by its address where phones have their own, and in
    any case by the credentials that one app puts into its handshake."""
    own_address = [{}] if sys.platform == "linux" else []
    unknown = Room("dm", "", "00000000-0000-4000-8000-000000000000" if s.edition == OCTOBER else 999_999)
    for headers in *own_address, credentials(person):
        async with person.socket(s.mode, room.namespace, unknown.namespace, headers=headers) as engine:
            # Nobody learns which rooms there are.
            for each in room, unknown:
                s.same(step, await engine.outcome(each.namespace), words)
            # The engine stays.
            engine.join("/")
            s.same(step, await main_outcome(engine), "joined")
            s.quiet(step, engine)


@socket_flow
async def u11_channel_settings(s):
    a, b, c, w = await s.courtyard()
    channel = await a.channel(w, "ios")
    transfer = f"{channel.path}/transfer/ownership"
    file = (await a.send(channel, multipart_body(file_part("files", PNG, "a.png", "image/png"))))["files"][0]
    await b.get(channel.chats)
    s.same("1", (await a.get(channel.path, "ChannelDetail"))["channelMembers"], [a.user, b.user])
    s.same("1", await a.get(f"{channel.path}/members", "[Member]"), [a.user, b.user])
    for step_code, person, body in (
        ("E14", b, {"owner_id": b.id}), ("E13", a, {"owner_id": c.id}), ("E11", a, {})):
        s.same("2", await person.code("PUT", transfer, json_body(body)), step_code)
    s.same("2", (await a.put(transfer, json_body({"owner_id": b.id}), "Channel"))["owner_id"], b.id)
    left = await a.get(f"{channel.path}/exit", "[Channel]")
    s.same("3", [one["name"] for one in left], [DEFAULT_CHANNEL])
    s.same("3", len(await a.get(channel.chats, "[ChannelChat]")), 1)
    s.same("4", await b.code("GET", f"{channel.path}/exit"), "E15")
    default = f"{w}/channels/{left[0]['channel_id']}"
    for person in a, b:
        s.same("4", await person.code("GET", f"{default}/exit"), "E11")
    s.same("4", await a.code("DELETE", default), "E11")
    s.same("5", await a.code("DELETE", channel.path), "E14")
    async with a.socket(s.mode, channel.namespace) as mine, b.socket(s.mode, channel.namespace) as theirs:
        for engine in mine, theirs:
            await s.joined("5", engine, channel)
        s.done("5", await b.call("DELETE", channel.path, headers={"Content-Type": "multipart/form-data"}))
        for engine in mine, theirs:
            s.same("5", await engine.outcome(channel.namespace), "left")
            # Sent out of the room, not off the line.
            engine.join("/")
            s.same("5", await main_outcome(engine), "joined")
        s.quiet("5", mine, theirs)
    s.same("5", await b.code("GET", f"/v1{file}"), "E13")
    s.same("5", await b.code("GET", channel.path), "E13")


async def main_outcome(engine):
    """What became of `/`, which revision 3 joins before anybody asks."""
    return "joined" if engine.mode.revision == 3 else await engine.outcome("/")


@flow
async def u12_workspace_settings(s):
    a, b = [await s.person(name) for name in ("Mina", "Joon")]
    w = await a.workspace()

    async def invite(person, email):
        return await person.call("POST", f"{w}/members", json_body({"email": email}))

    s.same("1", a.ok(await invite(a, b.email), "Member"), b.user)
    for person, email, code in (
        (a, b.email, "E12"), (a, f"nobody.{b.email}", "E13"), (a, "nonsense", "E11"), (b, a.email, "E14")):
        s.same("1", code_of(await invite(person, email)), code)
    name = s.name("R")
    await a.put(w, json_body({"name": name, "description": "x"}), "Workspace")
    picture = file_part("image", PNG, "a.png", "image/png")
    whole = await a.put(
        w, multipart_body(text_part("name", name), text_part("description", "y"), picture), "Workspace")
    part = await a.put(w, multipart_body(text_part("description", "z")), "Workspace")
    s.same("2", part, whole | {"description": "z"})
    await a.channel(w, "Missions")
    found = await b.get(f"{w}/search?keyword=mi", "WorkspaceDetail")
    s.same("3", [one["name"] for one in found["channels"]], ["Missions"])
    s.same("3", found["workspaceMembers"], [a.user])
    s.same("3", await b.code("GET", f"{w}/search?keyword="), "E11")
    nothing = await b.get(f"{w}/search?keyword=zz", "WorkspaceDetail")
    s.same("3", (nothing["channels"], nothing["workspaceMembers"]), ([], []))
    s.same("4", await a.code("GET", f"{w}/exit"), "E15")
    s.same("4", await a.get(f"{w}/members", "[Member]"), [a.user, b.user])
    handed = await a.put(f"{w}/transfer/ownership", json_body({"owner_id": b.id}), "Workspace")
    channels = await a.get(f"{w}/channels", "[Channel]")
    s.same("4", (handed["owner_id"], channels[-1]["owner_id"]), (b.id, b.id))
    s.same("4", await a.code("GET", f"{w}/exit"), "E15")
    own = f"{w}/channels/{channels[0]['channel_id']}"
    await b.get(f"{own}/chats")
    await a.put(f"{own}/transfer/ownership", json_body({"owner_id": b.id}), "Channel")
    s.same("4", await a.get(f"{w}/exit", "[Workspace]"), [])
    s.done("5", await b.call("DELETE", w))
    s.same("5", await a.code("GET", w), "E13")
    s.same("5", await b.get("workspaces"), [])


@flow
async def u13_profile(s):
    a = await s.person("Mina")
    before = await a.get("users/me", "Me")
    picture = multipart_body(file_part("image", JPEG))
    paths = [before["profileImage"]]
    for _ in range(2):
        paths.append((await a.put("users/me/image", picture, "Me"))["profileImage"])
        s.same("1", (await a.call("GET", f"/v1{paths[-1]}")).body, JPEG)
    s.same("1", len(set(paths)), 3)
    for fields in {"nickname": "June"}, {"phone": "01012345678"}, {"nickname": "Mina", "phone": ""}:
        me = await a.put("users/me", json_body(fields), "Me")
        s.same("2", {key: me[key] for key in fields}, fields)
    s.same("2", await a.code("PUT", "users/me", json_body({"nickname": ""})), "E11")
    s.done("4", await a.call("POST", "users/deviceToken", json_body({"deviceToken": "fcm"})))
    s.done("3", await a.call("GET", "users/logout"))
    s.same("3", await a.code("GET", "users/me"), "E02")
    s.same("3", code_of(await a.refresh()), "E02")


@flow
async def u14_payment(s):
    a = await s.person("Mina")
    s.same("1", await a.get("store/item/list", "[StoreItem]"), ITEMS)
    merchants = (s.name("ios_dev") for _ in itertools.count())

    def validation(payment, merchant):
        return "POST", "store/pay/validation", json_body({"imp_uid": payment, "merchant_uid": merchant})

    merchant = next(merchants)
    # The payment itself, which the app makes in the provider's SDK.
    paid = await s.payment(merchant, 500)
    billing = a.ok(await a.call(*validation(paid, merchant)), "Billing")
    s.same("2", [billing[key] for key in ("merchant_uid", "buyer_id", "productName", "price", "sesacCoin")],
           [merchant, a.id, "50 Coin", 500, 50])
    s.same("2", (await a.get("users/me", "Me"))["sesacCoin"], 150)
    s.same("3", await a.code(*validation(paid, merchant)), "E81")
    s.same("3", await a.code(*validation("imp_unknown", next(merchants))), "E81")
    for status, amount in ("cancelled", 100), ("ready", 100), ("failed", 100), ("paid", 101):
        merchant = next(merchants)
        s.same(f"3 {status}", await a.code(*validation(await s.payment(merchant, amount, status), merchant)), "E82")
    s.same("3", await a.code(*validation(await s.payment(next(merchants), 100), next(merchants))), "E82")
    s.same("3", await a.code(*validation("", "")), "E11")
    merchant = next(merchants)
    paid = await s.payment(merchant, 1000)
    answers = await asyncio.gather(*(a.call(*validation(paid, merchant)) for _ in range(20)))
    s.same("3", sorted("200" if one.status == 200 else code_of(one) for one in answers), ["200"] + ["E81"] * 19)
    s.same("3", (await a.get("users/me"))["sesacCoin"], 250)


@clock_flow
async def u15_expiry_and_loops(s):
    a = await s.person("Mina")
    # 5: a call that fails for good, with a refresh after each failure.
    w = await a.workspace()
    name = (await a.get(w))["name"]
    for _ in range(4):
        s.same("5", await a.code("POST", "workspaces", multipart_body(text_part("name", name))), "E12")
        s.same("5", (await a.refresh(a.access_token)).status, 200)
    await s.pass_time(11)
    # 3
    answers = [await a.refresh(a.access_token) for _ in range(11)]
    s.same("3", [one.status for one in answers], [200] * 10 + [400])
    s.same("3", code_of(answers[10]), "E98")
    s.same("3 Retry-After", int(answers[10].header("retry-after") or 0) >= 1, True)
    # 1
    await s.pass_time(DAY)
    s.same("1", await a.code("GET", "users/me"), "E05")
    fresh = a.ok(await a.refresh(a.access_token), "Refresh")["accessToken"]
    s.same("1", (await a.call("GET", "users/me", token=fresh)).status, 200)
    # 2
    refusals = await asyncio.gather(*(a.code("GET", "users/me") for _ in range(30)))
    s.same("2", set(refusals), {"E05"})
    answers = await asyncio.gather(*(a.refresh(a.access_token) for _ in range(30)))
    s.same("2", {one.status for one in answers}, {200})
    # 4: the old token for ever, whatever refreshing brings.
    await s.pass_time(11)
    refusals = []
    while len(refusals) < 10 and "E98" not in refusals:
        refusals.append(await a.code("GET", "users/me"))
        fresh = a.ok(await a.refresh(fresh), "Refresh")["accessToken"]
    s.same("4", (refusals[-1], set(refusals[:-1])), ("E98", {"E05"}))
    # 6
    await s.pass_time(30 * DAY)
    s.same("6", code_of(await a.refresh()), "E06")


@socket_flow
async def u16_background_and_foreground(s):
    a, b, _, w = await s.courtyard()
    channel, other = [await a.channel(w, name) for name in ("ios", "web")]
    await b.get(channel.chats)
    ts = (await a.say(channel, "one"))["createdAt"]
    async with a.socket(s.mode, channel.namespace) as engine, b.socket(s.mode, "/") as alone:
        await s.joined("1", engine, channel)
        # A round trip, so that the room is left before the chat is sent.
        engine.leave(channel.namespace)
        engine.join(other.namespace)
        await s.joined("1", engine, other)
        missed = await b.say(channel, "missed")
        engine.join(channel.namespace)
        await s.joined("1", engine, channel)
        s.same("1", await a.get(f"{channel.chats}?cursor_date={ts}", "[ChannelChat]"), [missed])
        # 3: two rooms at once, and what a client sends reaches nobody, its sender included.
        s.same("3", await main_outcome(alone), "joined")
        for event in "channel", "ping", "dm":
            engine.emit(channel.namespace, event, {"content": "forged"})
        engine.emit(channel.namespace, "channel", {"content": "forged"}, attachment=b"\x00\xff")
        for room in channel, other:
            await s.hears("3", engine, room, await a.say(room, "now"))
        if s.mode.transport == "upgrade":
            await asyncio.wait_for(asyncio.gather(engine.upgraded.wait(), alone.upgraded.wait()), PATIENCE)
            for room in channel, other:
                await s.hears("3 after the upgrade", engine, room, await a.say(room, "later"))
        s.same("3", engine.is_polling, s.mode.transport == "polling")
        s.quiet("1 3", engine, alone)
    # 2: the address is still fresh. Only the server's clock passes the 30 s; the connection itself is new at once.
    await s.pass_time(30)
    async with a.socket(s.mode, channel.namespace) as engine:
        await s.joined("2", engine, channel)
        s.quiet("2", engine)


# Edition 2024-01.


@flow
async def v1_launch(s):
    a = await s.person("Mina")
    for path in "workspaces/-1/channels/my", "workspaces/0":
        s.same("3", await a.code("GET", path), "E13")
    fresh = a.ok(await a.refresh(), "Refresh")["accessToken"]
    s.same("1", code_of(await a.refresh(a.access_token)), "E04")
    s.same("1 refresh token as access token", (await a.refresh(a.refresh_token)).status, 200)
    a.access_token = fresh
    s.same("1", (await a.get("users/my", "Me"))["user_id"], a.id)
    s.same("1", await a.get("workspaces"), [])
    for _ in range(2):
        w = await a.workspace()
    s.same("2", f"workspaces/{(await a.get('workspaces', '[Workspace]'))[0]['workspace_id']}", w)


@flow
async def v2_sign_up(s):
    phone = s.phone(JANUARY)
    people = [{"email": f"{s.tag}.{number}@example.com", "password": PASSWORD, "nickname": "Mina"}
              for number in range(4)]
    for encode in json_body, form_body:
        s.done("1", await phone.call("POST", "users/validation/email", encode({"email": people[0]["email"]})))
    bodies = [
        json_body(people[0] | {"phone": "010-1234-5678", "deviceToken": "fcm"}), json_body(people[1]),
        form_body(people[2] | {"phone": "", "deviceToken": ""}),
        json_body(people[3] | {"phone": None, "deviceToken": None})]
    logins = [await phone.post("users/join", body, "Login") for body in bodies]
    s.same("2", [login["phone"] for login in logins], ["010-1234-5678", "", "", ""])


@flow
async def v3_sign_in(s):
    a = await s.person("Mina")
    phone = s.phone(JANUARY)
    fields = {"email": a.email, "password": PASSWORD}
    form = form_body(fields | {"deviceToken": "x"})
    for body, token in (json_body(fields), None), (form, "stale"):
        login = phone.ok(await phone.call("POST", "users/login", body, token=token), "FlatLogin")
        s.same("1", login["user_id"], a.id)
    login = await phone.post("/v2/users/login", json_body(fields, "application/json; charset=UTF-8"), "Login")
    for path in "users/login", "/v2/users/login":
        s.same("3", await phone.code("POST", path, json_body(fields | {"password": "wrong"})), "E03")
    kakao = {"oauthToken": await s.social_token("kakao", f"kakao.{a.email}", "Joon"), "deviceToken": "x"}
    for encode in json_body, form_body:
        s.same("4", (await phone.post("users/login/kakao", encode(kakao), "Login"))["vendor"], "kakao")
    phone.keep(login)
    s.same("5", (await phone.get("users/my", "Me"))["sesacCoin"], 100)
    s.same("5", await phone.get("workspaces"), [])


@flow
async def v4_create_workspace(s):
    a = await s.person("Mina")
    name = s.name("W")
    picture = file_part("image", JPEG, "2024-01-15 12:00:00 +0000.jpg", "image/jpg")
    parts = picture, text_part("name", name), text_part("description", 'Optional("x")')
    made = await a.post("workspaces", multipart_body(*parts), "Workspace")
    s.same("1", (made["description"], made["owner_id"]), ('Optional("x")', a.id))
    s.same("1", (await a.call("GET", f"/v1{made['thumbnail']}")).body, JPEG)
    s.same("2", await a.code("POST", "workspaces", multipart_body(*parts)), "E12")
    for _ in range(9):
        w = await a.workspace()
    s.same("2", await a.code("POST", "workspaces", multipart_body(text_part("name", s.name("W")))), "E21")
    s.same("3", [one["name"] for one in await a.get(f"{w}/channels/my", "[Channel]")], [DEFAULT_CHANNEL])


@flow
async def v5_home(s):
    a, b, _, w = await s.courtyard()
    channel = await a.channel(w, "잡담")
    _, workspaces, detail = await asyncio.gather(
        a.get("users/my", "Me"), a.get("workspaces", "[Workspace]"), a.get(w, "WorkspaceDetail"))
    s.same("1", (len(workspaces), detail["workspaceMembers"]), (1, [a.user, b.user]))
    s.same("2", [one["name"] for one in await a.get(f"{w}/channels/my", "[Channel]")], ["잡담", DEFAULT_CHANNEL])
    await b.get(channel.chats)
    ts = (await b.say(channel, "one"))["createdAt"]
    await b.say(channel, "two")
    for query, count in ("", 0), ("?after=", 0), (f"?after={ts}", 1), (f"?cursor_date={ts}", 1):
        unread = await a.get(channel.unreads + query, "ChannelUnread")
        s.same(f"2 {query}", unread, {"channel_id": channel.id, "name": "잡담", "count": count, "room_id": channel.id})
    room = await a.direct_messages(w, b)
    await b.say(room, "hi")
    s.same("3", [one["user"] for one in await a.get(f"{w}/dms", "[DMRoom]")], [b.user])
    s.same("3", (await a.get(f"{room.unreads}?after={LONG_AGO}", "DMUnread"))["count"], 1)
    for query in "/", "?=":
        s.same("4", len(await a.get(f"{w}/channels{query}", "[Channel]")), 2)


@flow
async def v6_channels(s):
    a, b, _, w = await s.courtyard()
    path = f"{w}/channels"
    bodies = {
        "각자": json_body({"name": "각자", "description": "d"}), "form": form_body({"name": "form"}),
        "raw": Body(None, b'{"name":"raw"}')}
    for name, body in bodies.items():
        s.same("1", await a.code("GET", f"{path}/{quoted(name)}"), "E13")
        s.same("1", (await a.post(path, body, "Channel"))["name"], name)
        s.same("1", await a.code("POST", path, body), "E12")
    once = quoted("각자")
    detail = await b.get(f"{path}/{once}", "ChannelDetail")
    for segment in quoted(once), quoted(unicodedata.normalize("NFD", "각자")):
        s.same("2", await b.get(f"{path}/{segment}"), detail)
    channel = f"{path}/{once}"
    s.same("3", [one["name"] for one in await b.get(f"{path}/my", "[Channel]")], [DEFAULT_CHANNEL])
    s.same("3", len(await b.get(path, "[Channel]")), 4)
    s.same("3", await b.get(f"{channel}/members", "[Member]"), [a.user])
    s.same("3", await b.get(f"{channel}/chats"), [])
    s.same("3", [one["name"] for one in await b.get(f"{path}/my")], ["각자", DEFAULT_CHANNEL])
    chat = await b.post(f"{channel}/chats", multipart_body(text_part("content", "hello")), "ChannelChat")
    await a.put(channel, json_body({"name": "각자", "description": "d"}), "Channel")
    await a.put(channel, json_body({"name": "수다", "description": "d"}), "Channel")
    s.same("4", await b.code("GET", channel), "E13")
    s.same("4", await b.get(f"{path}/{quoted('수다')}/chats", "[ChannelChat]"), [chat | {"channelName": "수다"}])


@socket_flow
async def v7_chat(s):
    a, b, _, w = await s.courtyard()
    channel = await a.channel(w, "잡담")
    await asyncio.gather(a.get(channel.chats), b.get(f"{w}/channels/my"))
    async with a.socket(s.mode, channel.namespace) as mine, b.socket(s.mode, channel.namespace) as theirs:
        # The history twice, in parallel with the socket.
        histories = await asyncio.gather(b.get(channel.chats), b.get(f"{channel.chats}?cursor_date="))
        s.same("1", histories, [[], []])
        for engine in mine, theirs:
            await s.joined("1", engine, channel)
        # 5, sent first: whoever heard it would not hear the chats next.
        for event in "channel", "ping":
            mine.emit(channel.namespace, event, {"content": "forged"})
        file = file_part("files", JPEG, "image", "image/jpg")
        bodies = [
            multipart_body(text_part("content", "안녕")), multipart_body(text_part("content", ""), *[file] * 5),
            multipart_body(text_part("content", "x"), text_part("files", "nil"))]
        chats = [await a.send(channel, body) for body in bodies]
        for engine in mine, theirs:
            for chat in chats:
                await s.hears("2 5", engine, channel, chat)
            s.same("2 5", engine.has_events(channel.namespace), False)
        s.same("2", [(chat["content"], len(chat["files"])) for chat in chats], [("안녕", 0), ("", 5), ("x", 0)])
        s.quiet("2", mine, theirs)
    # The server's clock runs ahead of ours, so "now" is its own, in Seoul.
    now = shifted(await s.pass_time(0), hours=9)
    s.same("1", await b.get(f"{channel.chats}?cursor_date={now}"), [])
    ts = chats[-1]["createdAt"]
    later = shifted(ts, hours=9)[:-1]
    for cursor in ts, f"{later}%2B09:00", f"{later}+09:00", later, later.replace("T", "%20"):
        s.same(f"3 {cursor}", await b.get(f"{channel.chats}?cursor_date={cursor}"), [])
    again = await b.get(f"{channel.chats}?cursor_date={ts[:19]}Z", "[ChannelChat]")
    s.same("4", again, [chat for chat in chats if chat["createdAt"] > f"{ts[:19]}.000Z"])


def shifted(date, hours):
    """A date of the wire some hours later, in the same form."""
    moment = datetime.datetime.strptime(date, "%Y-%m-%dT%H:%M:%S.%fZ") + datetime.timedelta(hours=hours)
    return moment.isoformat(timespec="milliseconds") + "Z"


@socket_flow
async def v8_direct_messages(s):
    a, b, c, w = await s.courtyard()
    opened = await a.get(f"{w}/dms/{b.id}/chats", "DMChatList")
    s.same("1", (opened["chats"], await a.get(f"{w}/dms/{b.id}/chats")), ([], opened))
    s.same("1", await a.code("GET", f"{w}/dms/{a.id}/chats"), "E11")
    s.same("1", await a.code("GET", f"{w}/dms/{c.id}/chats"), "E13")
    room = await b.direct_messages(w, a)
    s.same("1", room.id, opened["room_id"])
    async with a.socket(s.mode, room.namespace) as mine, b.socket(s.mode, room.namespace) as theirs:
        for engine in mine, theirs:
            await s.joined("2", engine, room)
        chats = []
        for content in "hi", "안녕":
            chats.append(chat := await a.say(room, content))
            for engine in mine, theirs:
                await s.hears("2", engine, room, chat)
        s.quiet("2", mine, theirs)
    path = f"{w}/dms/{a.id}/chats"
    s.same("3", (await b.get(path, "DMChatList"))["chats"], chats)
    s.same("3", (await b.get(f"{path}?cursor_date={chats[-1]['createdAt']}", "DMChatList"))["chats"], [])
    detail = await b.get(f"users/{a.id}", "UserDetail")
    s.same("3", {key: detail[key] for key in a.user}, a.user)
    await refused(s, "2", c, room, "not allowed")


@socket_flow
async def v9_settings(s):
    a, b, c = [await s.person(nickname) for nickname in ("Mina", "Joon", "Sora")]
    name = s.name("W")
    w = await a.workspace(name)

    async def invite(person, email):
        return await person.call("POST", f"{w}/members", json_body({"email": email}))

    s.same("1", a.ok(await invite(a, b.email), "Member"), b.user)
    for person, email, code in (a, f"nobody.{b.email}", "E03"), (a, b.email, "E12"), (b, c.email, "E14"):
        s.same("1", code_of(await invite(person, email)), code)
    nothing = Body(None, b"{}")
    channel = await a.channel(w, "잡담")
    await b.get(channel.chats)
    handed = await a.put(f"{channel.path}/change/admin/{b.id}", nothing, "Channel")
    s.same("2", handed["owner_id"], b.id)
    left = await a.get(f"{channel.path}/leave", "[Channel]")
    s.same("2", [one["name"] for one in left], [DEFAULT_CHANNEL])
    default = f"{w}/channels/{quoted(DEFAULT_CHANNEL)}"
    s.same("2", await a.code("GET", f"{default}/leave"), "E11")
    s.same("2", await b.code("GET", f"{channel.path}/leave"), "E15")
    s.same("3", await a.code("DELETE", default), "E11")
    # The leaver may read every channel of the workspace, so both sockets are let in, and disconnected with the room.
    async with a.socket(s.mode, channel.namespace) as mine, b.socket(s.mode, channel.namespace) as theirs:
        for engine in mine, theirs:
            await s.joined("3", engine, channel)
        s.done("3", await b.call("DELETE", channel.path, nothing))
        for engine in mine, theirs:
            s.same("3", await engine.outcome(channel.namespace), "left")
        s.quiet("3", mine, theirs)
    picture = file_part("image", PNG, "a.png", "image/jpg")
    edited = await a.put(
        w, multipart_body(text_part("description", "y"), picture, text_part("name", name)), "Workspace")
    s.same("4", (edited["name"], edited["description"]), (name, "y"))
    s.same("4", await a.code("GET", f"{w}/leave"), "E15")
    s.same("4", (await a.put(f"{w}/change/admin/{b.id}", nothing, "Workspace"))["owner_id"], b.id)
    s.same("4", await a.get(f"{w}/leave", "[Workspace]"), [])
    s.done("4", await b.call("DELETE", w))


@flow
async def v10_profile_and_payment(s):
    a = await s.person("Mina")
    edited = await a.put("users/my", json_body({"nickname": "미나", "phone": ""}), "Me")
    s.same("1", (edited["nickname"], edited["phone"]), ("미나", ""))
    picture = multipart_body(file_part("image", JPEG, "a b.jpg", "image/jpg"))
    path = (await a.put("users/my/image", picture, "Me"))["profileImage"]
    s.same("1", (await a.call("GET", f"/v1{path}")).body, JPEG)
    balance = edited["sesacCoin"]
    for encode, amount, coins in (json_body, 100, 10), (form_body, 1000, 100):
        merchant = s.name("ios_dev")
        body = encode({"imp_uid": await s.payment(merchant, amount), "merchant_uid": merchant})
        billing = await a.post("store/pay/validation", body, "Billing")
        s.same("2", (billing["amount"], billing["sesacCoin"]), (amount, coins))
        s.same("2", await a.code("POST", "store/pay/validation", body), "E81")
        balance += coins
        items, me = await asyncio.gather(a.get("store/item/list", "[StoreItem]"), a.get("users/my", "Me"))
        s.same("2", (items, me["sesacCoin"]), (ITEMS, balance))
    s.same("2", await a.code("POST", "store/pay/validation", json_body({"imp_uid": "", "merchant_uid": ""})), "E11")
    s.done("3", await a.call("GET", "users/logout"))
    s.same("3", await a.code("GET", "users/my"), "E02")
    s.same("3", code_of(await a.refresh()), "E02")


@clock_flow
async def v10_sign_out_late(s):
    a = await s.person("Mina")
    await s.pass_time(DAY + 1)
    s.done("3", await a.call("GET", "users/logout"))


@clock_flow
async def v11_expiry_and_loops(s):
    a = await s.person("Mina")
    refusals = [code_of(await a.refresh(a.access_token)) for _ in range(11)]
    s.same("2", refusals, ["E04"] * 10 + ["E98"])
    await s.pass_time(DAY + 1)
    for token in None, a.access_token:
        s.same("1", await a.code("GET", "users/my"), "E05")
        fresh = a.ok(await a.refresh(token), "Refresh")["accessToken"]
        s.same("1", (await a.call("GET", "users/my", token=fresh)).status, 200)
    # A request was answered E05 just now, so a refresh that already carries the new token is one of several at the
    # same expiry; some seconds later it is a loop.
    s.same("2 at once", (await a.refresh(fresh)).status, 200)
    await s.pass_time(6)
    s.same("2 later", code_of(await a.refresh(fresh)), "E04")
    await s.pass_time(30 * DAY)
    s.same("3", code_of(await a.refresh()), "E06")
    s.same("3", code_of(await a.refresh(refresh_token="unknown")), "E02")


@socket_flow
async def v12_background_and_foreground(s):
    a, b, _, w = await s.courtyard()
    devices = {person: f"device {s.name(person.user['nickname'])}" for person in (a, b)}
    for person, device in devices.items():
        s.done("3", await person.call("POST", "users/deviceToken", json_body({"deviceToken": device})))
    channel = await a.channel(w, "잡담")
    await b.get(channel.chats)
    room = await a.direct_messages(w, b)
    # 1: one room after the other on one engine, then the first again.
    async with a.socket(s.mode, channel.namespace) as engine:
        for number, each in enumerate((channel, room, channel)):
            if number:
                engine.join(each.namespace)
            await s.joined("1", engine, each)
            await s.hears("1", engine, each, await a.say(each, "hello"))
            engine.leave(each.namespace)
        s.quiet("1", engine)
    # 2: the app that puts its credentials into the handshake.
    async with a.socket(s.mode, channel.namespace, headers=credentials(a)) as engine:
        await s.joined("2", engine, channel)
        s.quiet("2", engine)
    # One app sends its refresh token as access token.
    mixed_up = credentials(a) | {"Authorization": a.refresh_token}
    async with a.socket(s.mode, channel.namespace, headers=mixed_up) as engine:
        s.same("2 refresh token as access token", await engine.outcome(channel.namespace), "joined")
    elder, old_channel = s.elder
    async with elder.socket(s.mode, old_channel.namespace, headers=credentials(elder)) as engine:
        s.same("2", await engine.outcome(old_channel.namespace), "E05")
        s.quiet("2", engine)
    # 3: notifications leave after the answer, so they are waited for.
    chats = await s.pushes(devices, 3)
    workspace = w.split("/")[1]
    name = (await a.get(w))["name"]
    in_channel = {
        "aps": {"alert": {"title": name, "body": "#잡담\nMina: hello"}, "sound": "default"}, "type": "channel",
        "workspace_id": workspace, "channel_id": str(channel.id)}
    in_room = {
        "aps": {"alert": {"title": "Mina", "body": "hello"}, "sound": "default"}, "type": "dm",
        "workspace_id": workspace, "room_id": str(room.id), "opponent_id": str(a.id)}
    # In order within a room, not between rooms.
    s.same("3", sorted(chats, key=lambda one: one[1]["type"]),
           [(devices[b], payload) for payload in (in_channel, in_channel, in_room)])


def credentials(person):
    return {"SesacKey": person.key, "Authorization": person.access_token}


# Both editions alike: what a server asks of sockets that is not in development mode (wire contract, Socket access).


@hosted_flow
async def h1_behind_one_address(s, is_known_by_address=True):
    address = s.new_address()
    a = await s.person("Mina", address)
    hers = await a.channel(await a.workspace(), "hers")
    # 1: alone at the address, an app without cookies is let in by it, unless a proxy hides whose it is.
    a.cookies.is_on = False
    async with a.socket(s.mode, hers.namespace) as engine:
        if is_known_by_address:
            await s.joined("1", engine, hers)
            await s.hears("1", engine, hers, await a.say(hers, "alone"))
            s.quiet("1", engine)
        else:
            s.same("1", await engine.outcome(hers.namespace), "not allowed")
    b = await s.person("Joon", address)
    his = await b.channel(await b.workspace(), "his")
    a.cookies.is_on = True
    # The next answer brings the cookie.
    await a.get(hers.path)
    # 2: two with cookies, each in their own room and not in the other's.
    async with (
        a.socket(s.mode, hers.namespace, his.namespace) as her_engine,
        b.socket(s.mode, his.namespace, hers.namespace) as his_engine,
    ):
        sides = (a, hers, her_engine, his), (b, his, his_engine, hers)
        for _, own, engine, _ in sides:
            await s.joined("2", engine, own)
        for _, _, engine, other in sides:
            s.same("2", await engine.outcome(other.namespace), "not allowed")
        for person, own, engine, _ in sides:
            await s.hears("2", engine, own, await person.say(own, "each"))
        s.same("2", [engine.has_events(other.namespace) for _, _, engine, other in sides], [False, False])
        s.quiet("2", her_engine, his_engine)
    # 3: without cookies nobody can tell the two apart.
    a.cookies.is_on = b.cookies.is_on = False
    async with a.socket(s.mode, hers.namespace) as her_engine, b.socket(s.mode, his.namespace) as his_engine:
        for engine, own in (her_engine, hers), (his_engine, his):
            s.same("3", await engine.outcome(own.namespace), "not allowed")


ALL = PLAIN + SOCKETS + CLOCK + HOSTED
