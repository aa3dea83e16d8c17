"""Makes an installation with an earlier version of madang, for upgrade_check.py: people of both editions and what they did, what every
question of theirs was answered, and a backup. Run it once for a version that people have, and keep what it writes:

    Scripts/with-postgres python Tests/Foreign/former_installation.py OLD_MADANG Tests/Foreign/former/2026-11-23.tar.xz

In the archive, for each engine: `data/` (the data directory), `database.sql` (PostgreSQL's, by pg_dump), `backup/`, `answers.json`.
"""

import asyncio
import http.server
import json
import os
import pathlib
import subprocess
import sys
import tarfile
import tempfile
import threading
import typing

from cryptography.hazmat.primitives import serialization
from cryptography.hazmat.primitives.asymmetric import rsa

import phone_flows
from phone_flows import JANUARY, JPEG, LONG_AGO, OCTOBER, PNG, Stage, file_part, json_body, multipart_body, text_part
from program import Program, database

TEN_YEARS = 315_360_000
CHATS = 250
"""In the busiest channel of each edition."""


class Provider(http.server.BaseHTTPRequestHandler):
    """PortOne v1 and Kakao, as far as they are asked here: every payment is paid, every token belongs to one account."""

    def do_POST(self):
        self.rfile.read(int(self.headers["Content-Length"]))
        self.answer({"code": 0, "response": {"access_token": "t", "now": 0, "expired_at": TEN_YEARS}})

    def do_GET(self):
        name = self.path.rsplit("/", 1)[-1]
        if self.path.startswith("/payments/"):
            self.answer({"code": 0, "response": {
                "imp_uid": name, "merchant_uid": f"of {name}", "amount": 500, "status": "paid", "currency": "KRW"}})
        elif name == "access_token_info":
            self.answer({"id": 42, "app_id": 1, "expires_in": 1000})
        else:
            self.answer({"id": 42, "kakao_account": {
                "email": "kakao@example.com", "is_email_valid": True, "is_email_verified": True,
                "profile": {"nickname": "카카오"}}})

    def answer(self, value):
        body = json.dumps(value).encode()
        self.send_response(200)
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, *_):
        pass


def provider_settings(folder):
    """Settings with which payments and Kakao go to the stand-in, and chats to be pushed wait for a Firebase that nobody reaches."""
    server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Provider)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    url = f"http://127.0.0.1:{server.server_port}"
    key = rsa.generate_private_key(65537, 2048).private_bytes(
        serialization.Encoding.PEM, serialization.PrivateFormat.PKCS8, serialization.NoEncryption()).decode()
    account = pathlib.Path(folder) / "account.json"
    account.write_text(json.dumps({
        "project_id": "p", "client_email": "c@example.com", "private_key": key, "token_uri": "http://127.0.0.1:1/token"}))
    return {
        "MADANG_PAYMENTS_PORTONE_URL": url, "MADANG_PAYMENTS_PORTONE_KEY": "k", "MADANG_PAYMENTS_PORTONE_SECRET": "s",
        "MADANG_KAKAO_URL": url, "MADANG_KAKAO_ANY_APP": "true", "MADANG_PUSH_FIREBASE_ACCOUNT": str(account),
        "MADANG_PUSH_FIREBASE_URL": "http://127.0.0.1:1"}


class Life(typing.NamedTuple):
    """What became of the people of one edition: those who go on, who is shut out, the busy room, and what is asked."""

    people: list
    left: phone_flows.Person
    room: phone_flows.Room
    paths: list


async def live(stage, edition):
    """What people of one edition do."""
    def phone(nickname):
        return join(stage, edition, nickname)
    mina, joon, sora, left = [await phone(name) for name in ("Mina 🌿", "준", "سارة", "Left")]
    me = "users/my" if edition == JANUARY else "users/me"
    picture = multipart_body(file_part("image", PNG))
    for _ in range(2):
        await mina.put(f"{me}/image", picture)
    await mina.put(me, json_body({"phone": "01012345678"}))
    cover = multipart_body(text_part("name", stage.name("W")), text_part("description", "마당"), file_part("image", JPEG))
    made = await mina.post("workspaces", cover, "Workspace")
    w = f"workspaces/{made['workspace_id']}"
    for other in joon, sora, left:
        await mina.invite(other, w)
        await other.call("POST", "users/deviceToken", json_body({"deviceToken": f"device {other.id}"}))
    busy, gone = await mina.channel(w, "잡담 & more"), await joon.channel(w, "gone")
    for other in joon, sora, left:
        await other.get(busy.chats)
    for number in range(CHATS):
        await (mina, joon, sora, left)[number % 4].say(busy, f"{number} 각😀 {'x' * (number * 7 % 200)}")
    await mina.send(busy, multipart_body(text_part("content", ""), *[file_part("files", JPEG + bytes([n])) for n in range(5)]))
    direct = await mina.direct_messages(w, joon)
    for person in mina, joon, mina:
        await person.say(direct, "hi")
    await joon.say(gone, "soon gone")
    await joon.call("DELETE", gone.path)
    await left.get(f"{w}/{'leave' if edition == JANUARY else 'exit'}")
    other = await joon.workspace()
    await joon.invite(mina, other)
    await joon.call("DELETE", other)
    for number in range(2):
        payment = f"imp_{edition[-2:]}_{number}"
        await mina.post("store/pay/validation", json_body({"imp_uid": payment, "merchant_uid": f"of {payment}"}))
    token = json_body({"oauthToken": f"token-{edition}", "deviceToken": "kakao"})
    await stage.phone(edition).post("users/login/kakao", token)
    chats = busy.chats
    paths = [
        me, "workspaces", w, f"{w}/members", f"{w}/channels", f"{w}/channels/my" if edition == JANUARY else f"{w}/my-channels",
        busy.path, chats, f"{chats}?cursor_date={LONG_AGO}", f"{busy.path}/members", f"{busy.unreads}?after={LONG_AGO}", f"{w}/dms",
        f"{w}/search?keyword=M", "store/item/list"]
    paths += [f"{w}/dms/{joon.id}/chats"] if edition == JANUARY else [direct.chats, f"{direct.unreads}?after={LONG_AGO}"]
    files = [(await mina.get(me))["profileImage"], made.get("coverImage") or made.get("thumbnail")]
    files += (await mina.get(chats))[-1]["files"]
    return Life([mina, joon], left, busy, paths + [f"/v1{path}" for path in files])


async def join(stage, edition, nickname):
    phone = stage.phone(edition)
    email = f"{edition}.{stage.name('p').replace(' ', '')}@example.com"
    body = {"email": email, "password": phone_flows.PASSWORD, "nickname": nickname}
    phone.keep(await phone.post("users/join", json_body(body), "Login"))
    return phone


async def ask(person, path):
    """Status and body of an answer, as they are kept."""
    answer = await person.call("GET", path)
    return [answer.status, answer.body.decode("latin-1")]


async def make(madang, folder, settings):
    """Fills `folder` by the program."""
    data = folder / "data"
    environment = provider_settings(folder.parent) | settings | {
        "MADANG_TOKENS_ACCESS": str(TEN_YEARS), "MADANG_TOKENS_REFRESH": str(TEN_YEARS)}
    place = ["--data", str(data)] + (["--database-url", settings["MADANG_DATABASE_URL"]] if settings else [])

    def admin(*words, **options):
        subprocess.run([madang, "admin", *words, *place], check=True, capture_output=True, **options)
    async with Program.hosted(madang, str(data), environment) as server:
        stage = Stage(server.url, "U0")
        lives = [await live(stage, edition) for edition in (OCTOBER, JANUARY)]
        admin("users", "give-coins", lives[0].people[0].email, "7", "--note", "welcome")
        admin("users", "disable", lives[0].left.email, "--yes")
        admin("keys", "create", "an app")
        asked = [
            {"edition": person.edition, "user": person.user, "access": person.access_token, "refresh": person.refresh_token,
             "chats": one.room.chats, "answers": {path: await ask(person, path) for path in one.paths}}
            for one in lives for person in one.people]
        stage.close()
        assert not stage.differences, stage.differences
    (folder / "answers.json").write_text(json.dumps(asked, indent=1))
    admin("backup", str(folder / "backup"), "--full-speed")
    if settings:
        with open(folder / "database.sql", "wb") as dump:
            subprocess.run(["pg_dump", "--no-owner", settings["MADANG_DATABASE_URL"]], check=True, stdout=dump)


async def main():
    if len(sys.argv) != 3:
        sys.exit(__doc__)
    madang, archive = sys.argv[1:]
    os.umask(0o077)
    with tempfile.TemporaryDirectory() as temporary:
        root = pathlib.Path(temporary)
        for engine in "sqlite", "postgres":
            (root / engine).mkdir()
        await make(madang, root / "sqlite", {})
        with database("former") as settings:
            await make(madang, root / "postgres", settings)
        with tarfile.open(archive, "w:xz") as packed:
            for engine in "sqlite", "postgres":
                packed.add(root / engine, engine)


if __name__ == "__main__":
    asyncio.run(main())
