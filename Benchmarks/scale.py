#!/usr/bin/env python3
"""What every operation costs in a large installation, against a small one.

    Benchmarks/scale.py --program PATH [--people 1000000] [--postgres URL] [--rounds 12] [--only PART]... [--json]

Makes two installations of the same shape, one of 1,000 accounts and one of so many (`--people`): for each ten accounts a
workspace, four rooms and 200 chats, with sessions, addresses, coins, audit log and files. They are filled by SQL, in
minutes. Then it runs every operation of the contract, every admin command that looks at or changes one thing, a start, an
hour's housekeeping, a check and the first seconds of a backup on both, and prints for each: the CPU time (of the server, or
of the command), the wall time, the ratio of large to small, and the longest that a steady post waited meanwhile in the large one.
With PostgreSQL the CPU time of PostgreSQL's processes counts as well.

A million accounts take some 6 GB of disk with SQLite and 12 GB with PostgreSQL. Standard library only, and the programs sqlite3 and psql;
Linux; listens on loopback only; ends by itself and removes what it made.

Exits 0 when nothing costs more than twice as much in the large installation, but for what is marked as larger by its nature, and no post
waited longer than 50 ms.
"""

import argparse
import hashlib
import http.client
import json
import os
import pathlib
import random
import re
import resource
import shutil
import signal
import statistics
import subprocess
import sys
import tempfile
import threading
import time
import urllib.parse

KEY = "dev-key-2024-10"
PASSWORD = "Passw0rd!"
SMALL = 1000
PER_WORKSPACE, ROOMS, CHATS = 10, 4, 50
PICTURE = pathlib.Path(__file__).resolve().parent.parent / "Sources/MadangCore/Resources/default.png"
LONGEST_WAIT, DEAREST = 50, 2
POST_EVERY = 0.01


def note(text):
    print(f"scale: {text}", file=sys.stderr, flush=True)


# Filling


def fill_sql(engine, people, hash_of_password, now):
    """The statements that make an installation with this many accounts, in one transaction."""
    workspaces, day = people // PER_WORKSPACE, 86_400_000
    if engine == "sqlite":
        def numbers(count):
            return f"(WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < {count}) SELECT i FROM n)"

        def uuid(_):
            parts = ("randomblob(4)", "randomblob(2)", "randomblob(2)", "randomblob(2)", "randomblob(6)")
            return "lower(" + " || '-' || ".join(f"hex({part})" for part in parts) + ")"

        def secret(_):
            return "lower(hex(randomblob(32)))"
    else:
        def numbers(count):
            return f"(SELECT generate_series(1, {count}) AS i)"

        def uuid(_):
            return "gen_random_uuid()::text"

        def secret(text):
            return f"encode(sha256(({text})::text::bytea), 'hex')"
    true = "1"
    picture_hash = hashlib.sha256(PICTURE.read_bytes()).hexdigest()
    size = PICTURE.stat().st_size
    first = "10 * (n.i - 1) + 2"  # Account 1 signed up; those that are made have the numbers after it.
    member = f"10 * ((r.id - 1) / {ROOMS}) + 2"
    return f"""
INSERT INTO users (id, uuid, email, email_key, password_hash, nickname, phone, coins, created_at)
  SELECT n.i + 1, {uuid('n.i')}, 'p' || n.i || '@example.org', 'p' || n.i || '@example.org', '{hash_of_password}', 'p' || n.i, '', 100,
    {now} - {300 * day} FROM {numbers(people)} n;
INSERT INTO sessions (user_id, edition, refresh_hash, refresh_expires_at, created_at, last_used_at)
  SELECT n.i + 1, '2024-10', {secret('n.i')}, {now} + {20 * day}, {now} - n.i, {now} - n.i FROM {numbers(people)} n;
INSERT INTO recent_addresses (address, user_id, seen_at)
  SELECT substr({secret("n.i || 'a'")}, 1, 32), n.i + 1, {now} - n.i % 600000 FROM {numbers(people)} n;
INSERT INTO sign_in_places (user_id, place_hash, seen_at)
  SELECT n.i + 1, {secret("n.i || 'p'")}, {now} - n.i FROM {numbers(people)} n;
INSERT INTO coin_entries (user_id, amount, reason, created_at)
  SELECT n.i + 1, 100, 'signUp', {now} - {300 * day} FROM {numbers(people)} n;
INSERT INTO audit (at, kind, actor, account_id, subject, address, edition, node, detail)
  SELECT {now} - {10 * day} + n.i, CASE WHEN n.i % 2 = 0 THEN 'signIn' ELSE 'signOut' END, 'account ' || (1 + n.i % {people}), 1 + n.i % {people},
    'p' || (n.i % {people}) || '@example.org', '192.0.2.1', '2024-10', 'main', '{{}}' FROM {numbers(2 * people)} n;
INSERT INTO workspaces (id, uuid, name, description, owner_id, created_at)
  SELECT n.i, {uuid('n.i')}, 'workspace ' || n.i, 'People who build.', {first}, {now} - {200 * day} FROM {numbers(workspaces)} n;
INSERT INTO workspace_members (workspace_id, user_id, joined_at)
  SELECT 1 + (n.i - 1) / 10, n.i + 1, {now} - {200 * day} FROM {numbers(people)} n;
INSERT INTO rooms (id, uuid, workspace_id, kind, last_seq, last_chat_at, created_at)
  SELECT n.i, {uuid('n.i')}, 1 + (n.i - 1) / {ROOMS}, CASE WHEN n.i % {ROOMS} = 0 THEN 'dm' ELSE 'channel' END, {CHATS},
    {now} - {100 * day} + {CHATS} * 1000, {now} - {200 * day} FROM {numbers(workspaces * ROOMS)} n;
INSERT INTO channels (room_id, workspace_id, name, description, owner_id, is_default)
  SELECT r.id, r.workspace_id, 'room ' || (r.id % {ROOMS}), '', {member}, CASE WHEN r.id % {ROOMS} = 1 THEN {true} ELSE 0 END
  FROM rooms r WHERE r.kind = 'channel';
INSERT INTO channel_members (room_id, user_id, joined_at)
  SELECT r.id, {member} + n.i - 1, {now} - {200 * day} FROM rooms r CROSS JOIN {numbers(10)} n WHERE r.kind = 'channel';
INSERT INTO direct_messages (room_id, workspace_id, low_user_id, high_user_id)
  SELECT r.id, r.workspace_id, {member}, {member} + 1 FROM rooms r WHERE r.kind = 'dm';
INSERT INTO chats (uuid, room_id, seq, author_id, author_ordinal, content, file_count, created_at)
  SELECT {uuid('n.i')}, r.id, n.i, CASE WHEN r.kind = 'dm' THEN {member} + n.i % 2 ELSE {member} + n.i % 10 END,
    CASE WHEN r.kind = 'dm' THEN (n.i + 1) / 2 ELSE (n.i + 9) / 10 END, 'See you at the courtyard at six.',
    CASE WHEN n.i = 1 AND r.id % 40 = 1 THEN 1 ELSE 0 END, {now} - {100 * day} + n.i * 1000
  FROM rooms r CROSS JOIN {numbers(CHATS)} n;
INSERT INTO files (path, media_type, size, sha256, room_id, uploader_id, created_at)
  SELECT 'channelChats/scale' || r.id || '.png', 'image/png', {size}, '{picture_hash}', r.id, {member}, {now} - {100 * day}
  FROM rooms r WHERE r.id % 40 = 1;
INSERT INTO chat_files (chat_id, position, file_id)
  SELECT c.id, 0, f.id FROM files f JOIN chats c ON c.room_id = f.room_id AND c.seq = 1;
"""


class Installation:
    """One of the two installations, with its server."""

    def __init__(self, options, name, people, work):
        self.options, self.name, self.people = options, name, people
        self.data = work / name
        self.files_made = people // 100
        self.url = f"{options.postgres.rsplit('/', 1)[0]}/scale_{name}" if options.postgres else None
        self.server = None
        self.begun = None

    def flags(self):
        return ["--data", str(self.data)] + (["--database-url", self.url] if self.url else [])

    def make(self):
        if self.url:
            run(["psql", "-q", self.options.postgres, "-c", f"CREATE DATABASE scale_{self.name}"])
        self.start()
        self.call("POST", "/users/join", body={"email": "first@example.org", "password": PASSWORD, "nickname": "first"})
        self.stop()
        began, now = time.monotonic(), int(time.time() * 1000)
        question = "SELECT password_hash FROM users WHERE id = 1"
        if self.url:
            hashed = run(["psql", "-qtA", self.url, "-c", question]).strip()
            sql = fill_sql("postgres", self.people, hashed, now) + "".join(
                f"SELECT setval(pg_get_serial_sequence('{table}', 'id'), (SELECT MAX(id) FROM {table}));\n"
                for table in ("users", "workspaces", "rooms"))
            run(["psql", "-q", "-v", "ON_ERROR_STOP=1", self.url],
                "SET synchronous_commit = off; SET session_replication_role = replica; SET maintenance_work_mem = '512MB';" + sql)
            run(["psql", "-q", self.url, "-c", "VACUUM ANALYZE", "-c", "CHECKPOINT"])
        else:
            path = str(self.data / "madang.sqlite")
            hashed = run(["sqlite3", path, question]).strip()
            sql = fill_sql("sqlite", self.people, hashed, now)
            run(["sqlite3", "-bail", path],
                "PRAGMA journal_mode = OFF; PRAGMA synchronous = OFF; PRAGMA cache_size = -1000000; BEGIN;" + sql
                + "COMMIT; PRAGMA journal_mode = WAL;")
        folder = self.data / "files" / "channelChats"
        folder.mkdir(parents=True, exist_ok=True)
        source = None
        for index in range(self.files_made):
            path = folder / f"scale{40 * index + 1}.png"
            # The file system limits the number of links to a file.
            if index % 10_000 == 0:
                shutil.copyfile(PICTURE, path)
                path.chmod(0o600)
                source = path
            else:
                os.link(source, path)
        note(f"{self.people:,} accounts were made in {time.monotonic() - began:.0f} s")

    def environment(self):
        return os.environ | {
            "MADANG_KEYS": f"{KEY}=2024-10", "MADANG_LIMITS_REQUESTS": "0", "MADANG_LIMITS_CONNECTS": "0", "MADANG_LOG_LEVEL": "warning"}

    def start(self, *flags):
        """Returns the seconds until the server listens."""
        self.began = time.monotonic()
        errors = open(self.data.parent / f"{self.name}.err", "ab")
        self.server = subprocess.Popen(
            [self.options.program, "serve", "--port", "0", *self.flags(), *flags], stdout=subprocess.PIPE, stderr=errors, text=True,
            env=self.environment())
        for line in self.server.stdout:
            if match := re.match(r"madang listening on .*:(\d+)", line):
                self.port = int(match[1])
                # The rest of its output must not fill the pipe.
                threading.Thread(target=self.server.stdout.read, daemon=True).start()
                return time.monotonic() - self.began
        raise SystemExit(f"scale: the server did not start: {(self.data.parent / f'{self.name}.err').read_text()[-2000:]}")

    def stop(self):
        if self.server is None:
            return
        self.server.send_signal(signal.SIGTERM)
        try:
            self.server.wait(30)
        except subprocess.TimeoutExpired:
            self.server.kill()
            self.server.wait()
        self.server = None
        self.connection = None

    def connect(self):
        return http.client.HTTPConnection("127.0.0.1", self.port, timeout=120)

    connection = None

    def call(self, method, path, token=None, body=None, files=None, headers=None, expected=(200,), prefix="/v1"):
        """Makes a call and returns its decoded JSON. All calls use one connection."""
        fields = {"SesacKey": KEY} | (headers or {})
        if token:
            fields["Authorization"] = token
        data = None
        if files is not None:
            boundary = "scale-boundary"
            data = b"".join(
                f'--{boundary}\r\nContent-Disposition: form-data; name="{name}"\r\n\r\n{value}\r\n'.encode() for name, value in body.items())
            for name in files:
                data += (f'--{boundary}\r\nContent-Disposition: form-data; name="{name}"; filename="p.png"\r\n'
                         "Content-Type: image/png\r\n\r\n").encode() + PICTURE.read_bytes() + b"\r\n"
            data += f"--{boundary}--\r\n".encode()
            fields["Content-Type"] = f"multipart/form-data; boundary={boundary}"
        elif body is not None:
            data = json.dumps(body).encode()
            fields["Content-Type"] = "application/json"
        if self.connection is None:
            self.connection = self.connect()
        self.connection.request(method, prefix + path, data, fields)
        answer = self.connection.getresponse()
        text = answer.read()
        if answer.status not in expected:
            raise SystemExit(f"scale: {method} {path}: {answer.status} {text[:300]!r}")
        try:
            return json.loads(text)
        except ValueError:
            return None

    def cpu(self):
        """CPU seconds of the server, including PostgreSQL's processes if it uses PostgreSQL."""
        return cpu_of(self.server.pid) + self.database_cpu()

    def database_cpu(self):
        """CPU seconds of PostgreSQL's processes, including ended ones; zero with SQLite."""
        if not self.url:
            return 0.0
        return sum(map(cpu_of, self.postgres_processes())) + ended_children(self.options.postmaster)

    def postgres_processes(self):
        children = pathlib.Path(f"/proc/{self.options.postmaster}/task/{self.options.postmaster}/children").read_text()
        return map(int, children.split())


def run(command, text=None):
    done = subprocess.run(command, input=text, text=True, capture_output=True)
    if done.returncode:
        raise SystemExit(f"scale: {command[0]}: {done.stderr[-2000:]}")
    return done.stdout


def cpu_of(pid):
    """The CPU clock of a process, in seconds; zero for a process that has ended."""
    try:
        return time.clock_gettime(~pid << 3 | 2)
    except OSError:
        return 0.0


def spent_by_children():
    """The CPU time of child processes that have ended, in seconds."""
    usage = resource.getrusage(resource.RUSAGE_CHILDREN)
    return usage.ru_utime + usage.ru_stime


def ended_children(pid):
    fields = pathlib.Path(f"/proc/{pid}/stat").read_text().rsplit(")", 1)[1].split()
    return (int(fields[13]) + int(fields[14])) / os.sysconf("SC_CLK_TCK")


class SteadyPosts(threading.Thread):
    """Posts a hundred times a second to one room, and records the time of each post."""

    def __init__(self, installation, path, token):
        super().__init__(daemon=True)
        self.installation, self.path, self.token = installation, path, token
        self.ended = threading.Event()
        self.waits = []

    def run(self):
        connection = self.installation.connect()
        fields = {"SesacKey": KEY, "Authorization": self.token, "Content-Type": "application/json"}
        due = time.monotonic()
        while not self.ended.is_set():
            due += POST_EVERY
            time.sleep(max(0, due - time.monotonic()))
            began = time.monotonic()
            # Missed posts are not caught up with: each post is measured by itself.
            due = max(due, began - POST_EVERY)
            try:
                connection.request("POST", self.path, b'{"content":"steady"}', fields)
                answer = connection.getresponse()
                answer.read()
            except OSError as error:
                return note(f"steady posts end: {error}")
            self.waits.append((began, time.monotonic() - began))
            if answer.status != 200:
                return note(f"a steady post was refused: {answer.status}")

    def longest(self, since):
        waits = [wait for began, wait in self.waits if began + wait >= since]
        return max(waits, default=0) * 1000

    def stop(self):
        self.ended.set()
        self.join(10)


# What is measured


class Cast:
    """Some workspaces spread over an installation, with signed-in owners and members."""

    def __init__(self, installation, count):
        self.installation = installation
        random.seed(38)
        workspaces = random.sample(range(2, installation.people // PER_WORKSPACE), count)
        self.parties = []
        for number in workspaces:
            first = PER_WORKSPACE * (number - 1) + 1
            self.parties.append({"number": number, "owner": f"p{first}@example.org", "member": f"p{first + 1}@example.org",
                                 "other": f"p{first + 2}@example.org", "leaver": f"p{first + 9}@example.org"})


def operations():
    """The operations of the contract: name, and a function that calls it for a party and stores there what later ones need."""
    def sign_in(here, party, who):
        answer = here.call("POST", "/users/login", body={"email": party[who], "password": PASSWORD})
        party[f"{who}_token"], party[f"{who}_id"] = answer["token"]["accessToken"], answer["user_id"]
        party[f"{who}_refresh"] = answer["token"]["refreshToken"]

    def sign_up(here, party):
        party["fresh"] = f"fresh{random.randrange(1 << 60)}@example.org"
        answer = here.call("POST", "/users/join", body={"email": party["fresh"], "password": PASSWORD, "nickname": "fresh"})
        party["fresh_token"], party["fresh_id"] = answer["token"]["accessToken"], answer["user_id"]

    def workspaces(here, party):
        party["w"] = here.call("GET", "/workspaces", party["owner_token"])[-1]["workspace_id"]
        party["at"] = f"/workspaces/{party['w']}"

    def channels(here, party):
        found = here.call("GET", party["at"] + "/channels", party["owner_token"])
        party["c"] = party["at"] + "/channels/" + next(c["channel_id"] for c in found if c["name"] == "room 2")
        party["d"] = party["at"] + "/channels/" + next(c["channel_id"] for c in found if c["name"] == "room 3")

    def create_workspace(here, party):
        name = f"made {random.randrange(1 << 60)}"
        party["made"] = here.call(
            "POST", "/workspaces", party["fresh_token"], {"name": name, "description": "x"}, ["image"])["workspace_id"]

    def create_channel(here, party):
        party["made_channel"] = here.call(
            "POST", party["at"] + "/channels", party["owner_token"], {"name": f"made {random.randrange(1 << 30)}"}, [])["channel_id"]

    def direct_messages(here, party):
        rooms = here.call("GET", party["at"] + "/dms", party["owner_token"])
        party["r"] = party["at"] + "/dms/" + next(room["room_id"] for room in rooms if room["user"]["user_id"] == party["member_id"])

    def history(here, party):
        chats = here.call("GET", party["c"] + "/chats", party["owner_token"])
        party["date"] = urllib.parse.quote(chats[len(chats) // 2]["createdAt"])

    def say(here, party):
        party["chat"] = here.call("POST", party["c"] + "/chats", party["owner_token"], {"content": "See you at six."})["chat_id"]

    def files(here, party):
        path = f"/static/channelChats/scale{40 * (party['number'] // 10) + 1}.png"
        # A room of another workspace: looked up and refused.
        here.call("GET", path, party["owner_token"], expected=(200, 400))

    def get(suffix, place="at", who="owner"):
        return lambda here, party: here.call("GET", party[place] + suffix.format(**party), party[f"{who}_token"])

    def put(suffix, body, place="at", who="owner"):
        return lambda here, party: here.call(
            "PUT", party[place] + suffix, party[f"{who}_token"], {name: value.format(**party) for name, value in body.items()})

    def post(suffix, body, place="at", who="owner"):
        return lambda here, party: here.call(
            "POST", party[place] + suffix, party[f"{who}_token"], {name: value.format(**party) for name, value in body.items()})

    def delete(path):
        return lambda here, party: here.call("DELETE", path.format(**party), party["fresh_token" if "made}" in path else "owner_token"])

    def plain(method, path, body=None, who="owner", **more):
        return lambda here, party: here.call(method, path.format(**party), party[f"{who}_token"], body, **more)

    return [
        ("sign in", lambda here, party: sign_in(here, party, "owner")),
        ("sign in, a member", lambda here, party: sign_in(here, party, "member")),
        ("is an e-mail free", plain("POST", "/users/validation/email", {"email": "nobody@example.org"})),
        ("sign up", sign_up),
        ("refresh", lambda here, party: here.call(
            "GET", "/auth/refresh", party["owner_token"], headers={"RefreshToken": party["owner_refresh"]}, expected=(200, 400))),
        ("my account", plain("GET", "/users/me")),
        ("change my account", plain("PUT", "/users/me", {"phone": "010-1234-5678"})),
        ("change my picture", plain("PUT", "/users/me/image", {}, files=["image"])),
        ("device token", plain("POST", "/users/deviceToken", {"deviceToken": ""})),
        ("somebody's profile", plain("GET", "/users/{member_id}")),
        ("my workspaces", workspaces),
        ("make a workspace", create_workspace),
        ("a workspace", get("")),
        ("change a workspace", put("", {"description": "People who build things."})),
        ("invite", post("/members", {"email": "{fresh}"})),
        ("members", get("/members")),
        ("a member", get("/members/{member_id}")),
        ("search", get("/search?keyword=p1")),
        ("hand a workspace over", put("/transfer/ownership", {"owner_id": "{member_id}"})),
        ("hand it back", put("/transfer/ownership", {"owner_id": "{owner_id}"}, who="member")),
        ("leave a workspace", get("/exit", who="fresh")),
        ("channels", channels),
        ("my channels", get("/my-channels")),
        ("make a channel", create_channel),
        ("a channel", get("", "c")),
        ("change a channel", put("", {"description": "All that grows."}, "c")),
        ("history", history),
        ("history after a date", get("/chats?cursor_date={date}", "c")),
        ("post to a channel", say),
        ("post a picture", plain("POST", "{c}/chats", {"content": "Look."}, files=["files"])),
        ("unread of a channel", get("/unreads?after={date}", "c", "member")),
        ("members of a channel", get("/members", "c")),
        ("join a channel", get("/chats", "d", "member")),
        ("hand a channel over", put("/transfer/ownership", {"owner_id": "{member_id}"}, "d")),
        ("hand it back, a channel", put("/transfer/ownership", {"owner_id": "{owner_id}"}, "d", "member")),
        ("leave a channel", get("/exit", "d", "member")),
        ("delete a channel", delete("{at}/channels/{made_channel}")),
        ("direct messages", direct_messages),
        ("open a direct message", post("/dms", {"opponent_id": "{member_id}"})),
        ("history of a direct message", get("/chats", "r")),
        ("post to a direct message", post("/chats", {"content": "Bring your own cup."}, "r")),
        ("unread of a direct message", get("/unreads?after={date}", "r", "member")),
        ("items of the store", plain("GET", "/store/item/list")),
        ("a payment that is none", plain(
            "POST", "/store/pay/validation", {"imp_uid": "imp_0", "merchant_uid": "none"}, expected=(200, 400, 500))),
        ("a file", files),
        ("delete a workspace", delete("/workspaces/{made}")),
        ("sign out", plain("GET", "/users/logout", who="fresh")),
    ]


def commands(party, people, directory):
    """Admin commands: name, arguments, and the reason why the cost may grow."""
    middle = str(people // 2)
    archive = str(directory / f"export{random.randrange(1 << 60)}.zip")
    return [
        ("settings", ["admin", "settings"], ""),
        ("read-only status", ["admin", "read-only", "status"], ""),
        ("users list", ["admin", "users", "list"], ""),
        ("users list, from the middle", ["admin", "users", "list", "--after", middle], ""),
        ("users pending", ["admin", "users", "pending"], ""),
        ("users disable", ["admin", "users", "disable", party["other"], "--yes"], ""),
        ("users enable", ["admin", "users", "enable", party["other"]], ""),
        ("users give-coins", ["admin", "users", "give-coins", party["other"], "5", "--note", "scale"], ""),
        ("users export", ["admin", "users", "export", party["other"], archive], ""),
        ("users delete", ["admin", "users", "delete", party["leaver"], "--yes"], ""),
        ("sessions list", ["admin", "sessions", "list"], ""),
        ("sessions list of one", ["admin", "sessions", "list", "--user", party["member"]], ""),
        ("sessions end of one", ["admin", "sessions", "end", "--user", party["other"], "--yes"], ""),
        ("workspaces list", ["admin", "workspaces", "list"], ""),
        ("workspaces quota", ["admin", "workspaces", "quota", str(party["number"])], ""),
        ("workspaces hold", ["admin", "workspaces", "hold", str(party["number"])], ""),
        ("workspaces release", ["admin", "workspaces", "release", str(party["number"]), "--yes"], ""),
        ("workspaces retention", ["admin", "workspaces", "retention", str(party["number"]), "--chat-days", "3000", "--yes"], ""),
        ("workspaces remove-member", ["admin", "workspaces", "remove-member", str(party["number"]), party["other"], "--yes"], ""),
        ("workspaces hand-over", ["admin", "workspaces", "hand-over", str(party["number"]), party["member"], "--yes"], ""),
        ("audit", ["admin", "audit"], ""),
        ("audit of one", ["admin", "audit", "--account", party["member"]], ""),
        ("audit of a kind", ["admin", "audit", "--kind", "backupMade"], ""),
        ("chats find in a workspace", ["admin", "chats", "find", "nothing like it", "--workspace", str(party["number"])], ""),
        ("chats find of an author", ["admin", "chats", "find", "nothing like it", "--author", party["member"]], ""),
        ("invite create", ["admin", "invite", "create", f"i{random.randrange(1 << 60)}@example.org"], ""),
        ("invite list", ["admin", "invite", "list"], ""),
        ("keys list", ["admin", "keys", "list"], ""),
        ("announce create in a workspace",
         ["admin", "announce", "create", "Hello.", "--from", party["member"], "--workspace", str(party["number"]), "--yes"], ""),
        ("announce list", ["admin", "announce", "list"], ""),
        ("announce create everywhere", ["admin", "announce", "create", "Hello, all.", "--from", party["member"], "--yes"],
         "one for each workspace"),
        ("chats remove by id", ["admin", "chats", "remove", party["chat"], "--yes"], "reads all chats"),
        ("migrate", ["admin", "migrate"], ""),
        ("doctor", ["doctor", "--inside"], ""),
        ("chats find everywhere", ["admin", "chats", "find", "nothing like it"], "reads all chats"),
        ("stats", ["admin", "stats"], "counts everything"),
        ("check", ["admin", "check"], "reads everything"),
    ]


class Measured:
    def __init__(self, name, reason=""):
        self.name, self.reason = name, reason
        self.cpu, self.wall, self.wait = {}, {}, 0.0


def measure_operations(installations, casts, rounds, table):
    """Runs every operation for each party: first for all parties of one installation, then for those of the other."""
    for name, operation in operations():
        figures = Measured(name)
        for key, here in installations.items():
            cpu, wall = [], []
            for party in casts[key].parties[:rounds]:
                before, began = here.cpu(), time.monotonic()
                operation(here, party)
                wall.append(time.monotonic() - began)
                cpu.append(here.cpu() - before)
            figures.cpu[key], figures.wall[key] = statistics.median(cpu), statistics.median(wall)
        table.append(figures)


def measure_waits_of_operations(here, cast, posts, table):
    """Runs every operation in the large installation beside a steady stream of posts."""
    for figures, (_, operation) in zip(table, operations()):
        for party in cast.parties:
            began = time.monotonic()
            operation(here, party)
            figures.wait = max(figures.wait, posts.longest(began))


def measure_commands(installations, casts, posts, rounds, table, limit):
    for index in range(len(commands(casts["small"].parties[0], SMALL, pathlib.Path()))):
        figures = None
        for key, here in installations.items():
            cpu, wall = [], []
            for round, party in enumerate(casts[key].parties[:rounds]):
                name, arguments, reason = commands(party, here.people, here.data.parent)[index]
                figures = figures or Measured("admin " + name, reason)
                if reason and round > 0:
                    break
                began = time.monotonic()
                spent = command_cpu([here.options.program, *arguments, *here.flags()], here, limit)
                wall.append(time.monotonic() - began)
                cpu.append(spent)
                if key == "large":
                    figures.wait = max(figures.wait, posts.longest(began))
            figures.cpu[key], figures.wall[key] = statistics.median(cpu), statistics.median(wall)
        table.append(figures)


def command_cpu(command, here, limit):
    """The CPU seconds of a command, which must end in time."""
    before = spent_by_children()
    database = here.database_cpu()
    process = subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, stdin=subprocess.DEVNULL, text=True,
                               env=here.environment())
    try:
        _, errors = process.communicate(timeout=limit)
    except subprocess.TimeoutExpired:
        process.kill()
        process.communicate()
        note(f"{' '.join(command[1:4])} took longer than {limit} s")
        errors = ""
    # The doctor reports findings, and so may a check.
    if process.returncode not in (0, 1, 2, -9) or (process.returncode == 1 and command[1:3] not in (["admin", "check"], ["doctor", "--inside"])):
        note(f"{' '.join(command[1:])}: {process.returncode}: {errors.strip()[-300:]}")
    taken = spent_by_children() - before
    return taken + here.database_cpu() - database


def measure_start(installations, rounds, table):
    start, settled = Measured("start"), Measured("the first 8 s of a server, with housekeeping")
    for key, here in installations.items():
        starts, wall = [], []
        for _ in range(rounds):
            here.stop()
            before = here.database_cpu()
            wall.append(here.start())
            starts.append(here.cpu() - before)
        time.sleep(8)
        start.cpu[key], start.wall[key] = statistics.median(starts), statistics.median(wall)
        settled.cpu[key], settled.wall[key] = here.cpu() - before, 8
    table += [start, settled]


def measure_housekeeping(installations, tokens_of, table):
    """Advances the development clock by an hour, which starts all hourly tasks."""
    figures = Measured("an hour's housekeeping")
    for key, here in installations.items():
        here.stop()
        here.start("--dev")
        time.sleep(8)
        path, token = tokens_of(key)
        posts = SteadyPosts(here, path, token)
        posts.start()
        time.sleep(1)
        quiet = here.cpu()
        time.sleep(10)
        quiet = here.cpu() - quiet
        began, before = time.monotonic(), here.cpu()
        here.call("POST", "/clock", body={"advance": 3700}, prefix="/_dev", expected=(200, 204, 400, 404))
        time.sleep(10)
        # The cost of posts varies this much from one ten seconds to the next.
        figures.cpu[key] = max(here.cpu() - before - quiet, 0.05)
        figures.wall[key] = time.monotonic() - began
        posts.stop()
        if key == "large":
            figures.wait = posts.longest(began)
    table.append(figures)


def measure_backup(installations, posts, seconds, table):
    """Measures the start of a backup, which is stopped after some seconds."""
    figures = Measured(f"the first {seconds} s of a backup", "copies everything")
    for key, here in installations.items():
        target, began = here.data.parent / f"backup-{key}", time.monotonic()
        before = spent_by_children()
        process = subprocess.Popen([here.options.program, "admin", "backup", str(target), *here.flags()], stdout=subprocess.DEVNULL,
                                   stderr=subprocess.DEVNULL, env=here.environment())
        try:
            process.wait(seconds)
        except subprocess.TimeoutExpired:
            process.terminate()
            process.wait()
        figures.cpu[key] = spent_by_children() - before
        figures.wall[key] = time.monotonic() - began
        if key == "large":
            figures.wait = posts.longest(began)
        shutil.rmtree(target, ignore_errors=True)
    table.append(figures)


def show(table, as_json):
    """Prints the table and returns whether all results are as wanted."""
    good = True
    if not as_json:
        print("operation\tCPU ms, small\tCPU ms, large\tratio\twall ms, small\twall ms, large\tratio\tlongest wait of a post, ms\t")
    for row in table:
        # Below half a millisecond, clock resolution and caches dominate.
        ratios = [large[1] / max(large[0], 0.0005) for large in ((row.cpu["small"], row.cpu["large"]), (row.wall["small"], row.wall["large"]))]
        dear = ratios[0] > DEAREST and not row.reason
        late = row.wait > LONGEST_WAIT
        good = good and not dear and not late
        remark = ";".join(filter(None, ["DEAR" if dear else "", "LATE" if late else "", row.reason]))
        if as_json:
            print(json.dumps({"operation": row.name, "cpu_ms": [row.cpu["small"] * 1000, row.cpu["large"] * 1000],
                              "wall_ms": [row.wall["small"] * 1000, row.wall["large"] * 1000], "ratio": ratios[0], "wait_ms": row.wait,
                              "remark": remark}))
        else:
            figures = [row.cpu["small"] * 1000, row.cpu["large"] * 1000, ratios[0], row.wall["small"] * 1000, row.wall["large"] * 1000,
                       ratios[1], row.wait]
            print("\t".join([row.name] + [f"{figure:.2f}" for figure in figures] + [remark]))
    return good


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--program", required=True)
    parser.add_argument("--people", type=int, default=1_000_000, help="accounts of the large installation, a multiple of 1,000")
    parser.add_argument("--postgres", help="postgres://… of a server of ours; SQLite without it")
    parser.add_argument("--rounds", type=int, default=10, help="how often each operation is measured")
    parser.add_argument("--only", action="append", choices=["operations", "commands", "start", "housekeeping", "backup"])
    parser.add_argument("--limit", type=int, default=300, help="how many seconds a command may take")
    parser.add_argument("--json", action="store_true")
    options = parser.parse_args()
    if options.people < SMALL or options.people % 1000:
        parser.error("--people must be a multiple of 1,000")
    options.postmaster = None
    if options.postgres:
        options.postmaster = int(run(["psql", "-qtA", options.postgres, "-c",
                                      "SELECT split_part(pg_read_file('postmaster.pid'), E'\\n', 1)"]).strip())
    parts = options.only or ["start", "operations", "commands", "backup", "housekeeping"]
    work = pathlib.Path(tempfile.mkdtemp(prefix="madang-scale."))
    free = shutil.disk_usage(work).free
    if free < options.people * 20_000:
        raise SystemExit(f"scale: {work} has {free >> 30} GiB free, and {options.people * 20_000 >> 30} are needed")
    installations = {"small": Installation(options, "small", SMALL, work), "large": Installation(options, "large", options.people, work)}
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(143))
    sys.setswitchinterval(0.0005)
    table, posts = [], None
    try:
        for here in installations.values():
            here.make()
        if "start" in parts:
            measure_start(installations, 3, table)
        for here in installations.values():
            if here.server is None:
                here.start()
        casts = {key: Cast(here, options.rounds + 1) for key, here in installations.items()}
        operated = []
        measure_operations(installations, casts, options.rounds, operated)
        # The last party does not interfere with another.
        steady = {}
        for key, here in installations.items():
            party = {"owner": f"p{here.people}@example.org"}
            answer = here.call("POST", "/users/login", body={"email": party["owner"], "password": PASSWORD})
            token = answer["token"]["accessToken"]
            place = f"/workspaces/{here.call('GET', '/workspaces', token)[-1]['workspace_id']}/channels"
            steady[key] = (f"/v1{place}/{here.call('GET', place, token)[-1]['channel_id']}/chats", token)
        posts = SteadyPosts(installations["large"], *steady["large"])
        posts.start()
        began = time.monotonic()
        time.sleep(10)
        note(f"the longest wait of a post in 10 quiet seconds: {posts.longest(began):.1f} ms")
        if "operations" in parts:
            measure_waits_of_operations(installations["large"], casts["large"], posts, operated)
            table += operated
        if "commands" in parts:
            measure_commands(installations, casts, posts, min(options.rounds, 3), table, options.limit)
        if "backup" in parts:
            measure_backup(installations, posts, 20, table)
        posts.stop()
        if "housekeeping" in parts:
            measure_housekeeping(installations, lambda key: steady[key], table)
    finally:
        if posts is not None:
            posts.stop()
        for here in installations.values():
            here.stop()
            if here.url and here.data.exists():
                subprocess.run(["psql", "-q", options.postgres, "-c", f"DROP DATABASE IF EXISTS scale_{here.name} WITH (FORCE)"])
        shutil.rmtree(work, ignore_errors=True)
    sys.exit(0 if show(table, options.json) else 1)


if __name__ == "__main__":
    main()
