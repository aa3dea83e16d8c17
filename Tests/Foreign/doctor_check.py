"""`madang doctor` on a real server behind a real nginx: each misconfiguration is made and found, a good installation has none.

    python3 Tests/Foreign/doctor_check.py .build/debug/madang

Clients come by an address of this machine that is not loopback. Needs Linux, Python 3.11, nginx and openssl; takes less than two
minutes. Exits 0 when every check held.
"""

import argparse
import contextlib
import datetime
import json
import os
import pathlib
import re
import shutil
import socket
import sqlite3
import ssl
import subprocess
import sys
import tempfile
import threading
import time
import urllib.parse
import urllib.request

import nginx_settings
from ports import free_port

PATIENCE = 60
failures = []
tried = set()


def address():
    """An address of this machine by which others reach it. Nothing is sent."""
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as one:
        one.connect(("203.0.113.1", 9))
        return one.getsockname()[0]


def until(condition, what):
    end = time.monotonic() + PATIENCE
    while not condition():
        if time.monotonic() > end:
            sys.exit(f"{what} took too long")
        time.sleep(0.05)


def listens(host, port):
    with contextlib.suppress(OSError), socket.create_connection((host, port), timeout=1):
        return True
    return False


class House:
    """A server, its settings file, and an nginx with TLS in front of it, as proxies/nginx-single.conf has it."""

    def __init__(self, madang, folder, host):
        self.madang, self.folder, self.host = madang, folder, host
        self.data, self.file = folder / "data", folder / "madang.json"
        self.port, self.front = free_port(), free_port()
        self.url = f"https://{host}:{self.front}"
        self.mapping, location = nginx_settings.read_settings()
        self.block = location.replace("127.0.0.1:8080", f"127.0.0.1:{self.port}")
        self.good = {
            "host": "127.0.0.1", "port": self.port, "data": str(self.data), "trusted": {"proxies": "127.0.0.1"},
            "registration": "invite", "public.url": self.url, "log.level": "error",
            # As few as the open files of this machine's processes allow.
            "limits.connections": 300}
        self.make_authority()

    def openssl(self, *arguments):
        subprocess.run(["openssl", *arguments], check=True, capture_output=True, cwd=self.folder)

    def make_authority(self):
        self.openssl("req", "-x509", "-newkey", "rsa:2048", "-nodes", "-days", "90", "-subj", "/CN=House", "-keyout", "ca.key",
                     "-out", "ca.pem")

    def certificate(self, name, days=60, host=None):
        (self.folder / "names").write_text(f"subjectAltName=IP:{host or self.host}")
        self.openssl("req", "-newkey", "rsa:2048", "-nodes", "-subj", "/CN=madang", "-keyout", f"{name}.key", "-out", "request")
        self.openssl("x509", "-req", "-in", "request", "-CA", "ca.pem", "-CAkey", "ca.key", "-CAcreateserial", "-days",
                     str(days), "-extfile", "names", "-out", f"{name}.pem")

    def write(self, changes=()):
        self.file.write_text(json.dumps(self.good | dict(changes)))
        self.file.chmod(0o600)

    @contextlib.contextmanager
    def server(self, changes=(), limit=None):
        """The server with settings besides the good ones."""
        self.write(changes)
        command = [self.madang, "serve", "--config", str(self.file)]
        if limit:
            command = ["sh", "-c", f"ulimit -n {limit}; exec \"$@\"", "sh", *command]
        process = subprocess.Popen(command, stdout=subprocess.PIPE, env=self.environment(), text=True)
        try:
            if not process.stdout.readline():
                sys.exit(f"the server did not start with {changes}")
            yield
        finally:
            process.terminate()
            process.wait(PATIENCE)

    @contextlib.contextmanager
    def nginx(self, block=None, certificate="good", before="", tls=True):
        folder = self.folder
        kinds = "client_body", "proxy", "fastcgi", "uwsgi", "scgi"
        secure = f"ssl_certificate {folder}/{certificate}.pem; ssl_certificate_key {folder}/{certificate}.key;" if tls else ""
        (folder / "nginx.conf").write_text(f"""
            {"user root;" if os.geteuid() == 0 else ""} daemon off; pid {folder}/pid; error_log {folder}/errors;
            events {{ worker_connections 4096; }}
            http {{
              access_log off; {" ".join(f"{kind}_temp_path {folder}/{kind};" for kind in kinds)}
              {self.mapping}
              server {{ listen {self.host}:{self.front}{" ssl" if tls else ""}; {secure} {before} {block or self.block} }}
            }}""")
        process = subprocess.Popen(["nginx", "-e", f"{folder}/errors", "-c", f"{folder}/nginx.conf"],
                                   stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        try:
            until(lambda: process.poll() is not None or listens(self.host, self.front), "nginx")
            if process.poll() is not None:
                sys.exit(f"nginx did not start: {(folder / 'errors').read_text()}")
            yield
        finally:
            process.terminate()
            process.wait(PATIENCE)

    def environment(self, variables=()):
        return {k: v for k, v in os.environ.items() if not k.startswith("MADANG_")} | dict(variables)

    def admin(self, *arguments):
        subprocess.run([self.madang, "admin", *arguments, "--config", str(self.file)], check=True, capture_output=True,
                       env=self.environment())

    def keys(self):
        answer = subprocess.run([self.madang, "admin", "keys", "list", "--json", "--config", str(self.file)], check=True,
                                capture_output=True, text=True, env=self.environment())
        return [json.loads(line) for line in answer.stdout.splitlines()]

    def doctor(self, *arguments, variables=()):
        """What the doctor finds, once it is called with the seconds that one question may take: exit status, findings and errors."""
        def ask(limit):
            answer = subprocess.run(
                [self.madang, "doctor", *arguments, "--json", "--timeout", f"{limit}"], capture_output=True, text=True,
                timeout=600, env=self.environment(variables))
            return answer.returncode, [json.loads(line) for line in answer.stdout.splitlines()], answer.stderr
        return ask

    def inside(self, *arguments, variables=()):
        return self.doctor("--config", str(self.file), "--min-free", "0", "--inside", *arguments, variables=variables)

    def both(self, url=None, *arguments):
        return self.doctor("--config", str(self.file), "--min-free", "0", url or self.url, "--ca-file",
                           str(self.folder / "ca.pem"), *arguments)


def finds(ask, *expected):
    """Checks that the doctor finds these, as `check` or `check:severity`, and nothing else; its findings."""
    names = {one.partition(":")[0] for one in expected}
    tried.update(names)
    # A server that hangs takes all of a limit, so the first one is short. The second one is for a busy machine.
    for limit in 5, 60:
        result = status, findings, errors = ask(limit)
        told = {one["check"] for one in findings}
        severities = {one["severity"] for one in findings}
        wanted = 2 if "error" in severities else 1 if severities else 0
        cured = all(one["cure"] and one["message"] for one in findings)
        wrong = [one for one in expected if ":" in one and one.split(":")[1] not in
                 {f["severity"] for f in findings if f["check"] == one.split(":")[0]}]
        is_good = told == names and status == wanted and cured and not errors and not wrong
        if is_good:
            break
    print(f"{'ok    ' if is_good else 'FAILED'} {', '.join(expected) or 'nothing is wrong'}"
          f"{'' if is_good else f': {result!s:.1500}'}", flush=True)
    if not is_good:
        failures.append(expected)
    return findings


def settings_alone(house):
    """What settings say. The server does not run."""
    house.write()
    finds(house.inside())
    for changes, expected in [
        ({"password.memory": 8, "password.passes": 1}, "passwordHashing:warning"),
        ({"limits.signin.failures": 0}, "passwordTries:error"),
        ({"trusted": {"proxies": "0.0.0.0/0"}}, "trustedProxies:error"),
        ({"registration": "open"}, "registration:warning"),
        ({"socket.access": "open"}, "socketAccess:error"),
        ({"public.url": ""}, "publicURL:warning"),
        ({"limits.body": 1_000_000}, "uploadLimit:warning"),
        ({"operations": "0.0.0.0:9090"}, "operationsListener:warning"),
        ({"audit.refusals.kept": 0}, "auditRefusals:warning"),
        ({"payments.portone": {"key": "k", "secret": "s"}}, "testPayments:warning"),
        ({"audit.file": "/nonexistent/audit"}, "auditFile:error"),
        ({"keys": "dev-key-2024-10=2024-10"}, "developmentKeys:error"),
        ({"push.firebase.account": "/nonexistent.json"}, "pushAccount:error"),
        ({"payments.portone.v2.secret": "s", "payments.portone.key": "k"}, "settings:error"),
        ({"kakao.admin.key": "k"}, "settings:error"),
        ({"apple.notices": True}, "settings:error"),
        ({"payments.portone.v2": {"secret": "s", "url": "http://api.example.com"}}, "settings:error"),
        ({"push.apns": {"key": "k", "kid": "short", "team": "TEAM654321", "topic": "t"}}, "settings:error"),
        ({"tls.cert": "/nonexistent.pem", "tls.key": "/nonexistent.key"}, "certificate:error"),
        ({"data": "/nonexistent"}, "dataDirectory:error"),
        ({"nonesuch": 1}, "settings:error"),
        ({"port": "many"}, "settings:error"),
        ({"database.url": "postgres://127.0.0.1:1/none?connect_timeout=1"}, "database:error"),
        ({"files.home": "s3://none", "s3.endpoint": "http://127.0.0.1:1", "s3.access.key.id": "a",
          "s3.secret.access.key": "b"}, "files:error"),
    ]:
        house.write(changes)
        # As people reach it, where nobody listens: what the settings say of it counts, and that it cannot be reached.
        asked = expected.partition(":")[0] in ("registration", "socketAccess", "developmentKeys")
        finds(house.both() if asked else house.inside(), *([expected, "connection:error"] if asked else [expected]))
    house.write({"mail.smtp": "smtp://mail.invalid", "mail.from": "chat@example.com", "mail.tls": "off"})
    finds(house.inside(), "cleartext:warning")
    house.write({"public.url": "http://127.evil.example"})
    finds(house.inside(), "publicURL:warning")
    house.write({"host": "0.0.0.0", "trusted": {"proxies": ""}})
    finds(house.inside(), "plainHTTP:warning")
    house.write({"dev": True})
    finds(house.both(), "development:error", "connection:error")
    # A port of this machine where nobody listens.
    house.write({"payments.portone.v2.secret": "s", "payments.portone.v2.url": f"http://127.0.0.1:{free_port()}"})
    finds(house.both(), "providers:error", "connection:error")
    house.write({"mail.smtp": f"smtp://127.0.0.1:{free_port()}", "mail.from": "chat@example.com"})
    finds(house.both(), "mailServer:error", "connection:error")
    finds(house.inside())
    house.write()
    finds(house.inside(variables={"MADANG_PROT": "1"}), "unknownVariables:warning")


def files_alone(house):
    """Permissions, the disk, the database and its backups."""
    house.write()
    house.file.chmod(0o644)
    finds(house.inside(), "settingsPrivacy:error")
    house.write()
    secret = next((house.data / "secrets").iterdir())
    secret.chmod(0o644)
    finds(house.inside(), "dataPrivacy:error")
    secret.chmod(0o600)
    finds(house.doctor("--config", str(house.file), "--inside", "--min-free", "100"), "diskSpace", "diskInodes")
    key = house.folder / "good.key"
    key.chmod(0o644)
    house.write({"tls.cert": str(house.folder / "good.pem"), "tls.key": str(key)})
    finds(house.inside(), "certificateKey:error")
    key.chmod(0o600)
    finds(house.inside())
    house.write({"tls.cert": str(house.folder / "soon.pem"), "tls.key": str(house.folder / "soon.key")})
    finds(house.inside(), "certificate:warning")
    house.write({"database.log.limit": 1 << 20})
    log = house.data / "madang.sqlite-wal"
    with open(log, "wb") as file:
        file.truncate(5 << 20)
    finds(house.inside(), "writeAheadLog:warning")
    house.write()
    log.unlink(missing_ok=True)
    database = sqlite3.connect(house.data / "madang.sqlite")
    # Without an account there is nothing to lose.
    finds(house.inside())
    database.execute("INSERT INTO users (uuid, email, email_key, nickname, phone, coins, created_at) "
                     "VALUES ('u', 'sora@example.com', 'sora@example.com', 'Sora', '', 0, 0)")
    database.commit()
    finds(house.inside(), "backup:warning")
    house.admin("backup", str(house.folder / "backups"))
    finds(house.inside())
    database.execute("UPDATE audit SET at = at - ?", (10 * 86_400_000,))
    database.commit()
    finds(house.inside(), "backup:warning")
    finds(house.inside("--backup-days", "20"))
    house.admin("backup", str(house.folder / "backups"))
    finds(house.inside())
    own = house.folder / "console-backups"
    house.write({"web.admin.backups": str(own)})
    (house.data / "backup-directory").write_text(json.dumps({"directory": str(own), "name": "former"}))
    finds(house.inside(), "backupDirectory:error")
    own.mkdir(mode=0o700)
    finds(house.inside(), "backupDirectory:error")
    (own / ".lock").write_text("former")
    finds(house.inside())
    house.write()
    now = int(time.time() * 1000)
    for queued, finding in ((now, "mailQueue:warning"), (now - 7_200_000, "mailQueue:error")):
        database.execute("INSERT INTO mails (kind, recipient, subject, body, created_at, expires_at, attempts, next_at, error) "
                         "VALUES ('test', 'mina@example.com', 'S', 'B', ?, ?, 1, 0, 'refused')", (queued, now + 86_400_000))
        database.commit()
        finds(house.inside(), finding)
        database.execute("DELETE FROM mails")
        database.commit()
    house.admin("read-only", "on", "--reason", "a new disk")
    finds(house.inside(), "readOnlyMode:warning")
    house.admin("read-only", "off")
    key = house.data / "secrets" / "api-key-2024-10"
    former = key.read_text()
    house.admin("keys", "revoke", next(str(one["number"]) for one in house.keys() if one["label"] == key.name), "--yes")
    assert not key.exists()
    finds(house.inside())
    key.write_text(former)
    key.chmod(0o600)
    finds(house.inside(), "revokedKeys:warning")
    key.unlink()
    finds(house.inside("--deep"))
    later = int((time.time() + 86_400) * 1000)
    database.execute("INSERT INTO rooms (id, uuid, workspace_id, kind, last_chat_at, created_at) VALUES (1, 'r', 1, 'channel', ?, 0)", (later,))
    database.commit()
    finds(house.inside(), "futureChats:warning")
    database.execute("DELETE FROM rooms")
    database.commit()
    # A page of an index whose entries lead nowhere.
    page, size = database.execute("SELECT rootpage, (SELECT page_size FROM pragma_page_size) FROM sqlite_schema WHERE type = "
                                  "'index' AND tbl_name = 'audit' ORDER BY rootpage").fetchone()
    database.close()
    whole = (house.data / "madang.sqlite").read_bytes()
    with open(house.data / "madang.sqlite", "r+b") as file:
        file.seek((page - 1) * size + size // 2)
        file.write(os.urandom(size // 2))
    finds(house.inside("--deep", "--backup-days", "0"), "databaseIntegrity:error")
    (house.data / "madang.sqlite").write_bytes(whole)
    mark = house.data / "files" / "installation"
    own = mark.read_text()
    mark.write_text("of-another-house")
    finds(house.inside(), "files:error")
    mark.write_text(own)
    with house.server():
        os.rename(house.data / "madang.sqlite", house.folder / "kept.sqlite")
        shutil.copy2(house.folder / "kept.sqlite", house.data / "madang.sqlite")
        finds(house.inside(), "databaseFile:error")
        os.rename(house.folder / "kept.sqlite", house.data / "madang.sqlite")
        finds(house.inside())
    os.rename(house.data / "madang.sqlite", house.folder / "kept.sqlite")
    (house.data / "madang.sqlite").write_text("nothing of the kind" * 1000)
    finds(house.inside(), "database:error")
    for name in "", "-wal", "-shm":
        (house.data / f"madang.sqlite{name}").unlink(missing_ok=True)
    os.rename(house.folder / "kept.sqlite", house.data / "madang.sqlite")
    finds(house.inside())


def proxied(house):
    """What a proxy makes of calls, seen from outside."""
    line = lambda text: re.sub(rf".*{text}.*\n", "", house.block)
    with house.server():
        with house.nginx():
            finds(house.both())
            finds(house.doctor(house.url, "--outside", "--ca-file", str(house.folder / "ca.pem")))
            finds(house.doctor(f"http://127.0.0.1:{house.port}", "--outside"))
            house.write({"public.url": ""} | {"registration": "closed"})
            finds(house.both(f"http://127.0.0.1:{house.port}"))
            house.write()
            for arguments, words in ((), "trusted authority"), (("--ca-file", "/nonexistent.pem"), "--ca-file"):
                found = finds(house.doctor(house.url, "--outside", *arguments), "tlsTrust:error")
                if not any(words in one["message"] for one in found):
                    failures.append(words)
        for certificate, expected in ("soon", "tlsExpiry:warning"), ("other", "tlsTrust:error"):
            with house.nginx(certificate=certificate):
                finds(house.both(), expected)
        with house.nginx(before="ssl_protocols TLSv1.1 TLSv1.2; ssl_ciphers ALL:@SECLEVEL=0;"):
            finds(house.both(), "tlsVersion:warning")
        for block, *expected in [
            (line("client_max_body_size"), "uploadThroughProxy:error"),
            (line("Upgrade") , "webSocket:error"),
            (line("X-Forwarded-Proto"), "proxyScheme:warning"),
            # The public URL is an own origin, whatever the proxy calls the server.
            (line("proxy_set_header Host"), "proxyHost:error"),
            (line('Forwarded ""'), "proxyForgery:error"),
            (house.block.replace("$proxy_add_x_forwarded_for", "$http_x_forwarded_for"), "proxyForgery:error"),
            (line("X-Forwarded-"), "proxyAddress:error", "proxyForgery:error"),
            (house.block.replace("proxy_set_header Upgrade", "if ($arg_sid) { return 502; } proxy_set_header Upgrade"),
             "polling:error"),
            (re.sub(r".*(X-Forwarded-|Host).*\n", "", house.block), "proxyAddress:error", "proxyForgery:error",
             "proxyHost:error"),
            ("location / { return 200 'hello'; }", "answer:error"),
            (f"location / {{ proxy_pass http://127.0.0.1:{free_port()}; }}", "answer:error"),
        ]:
            with house.nginx(block):
                finds(house.both(), *expected)
        with house.nginx(tls=False):
            house.write({"public.url": ""} | {"registration": "closed"})
            finds(house.both(house.url.replace("https", "http")), "plainHTTP:error")
            house.write()
        finds(house.both(), "connection:error")
        with house.nginx():
            finds(house.doctor("https://name.invalid", "--outside"), "connection:error")
            for url in "ftp://name.invalid", "name.invalid", "https://n\u00e4me.invalid":
                if house.doctor(url, "--outside")(5)[0] != 64:
                    failures.append(url)
    with house.nginx():
        with house.server({"trusted": {"proxies": ""}}):
            finds(house.both(), "proxyTrust:error")
        with house.server({"metrics.public": True}):
            finds(house.both(), "metricsReachable:warning")
        with house.server({"limits.connections": 50_000}, limit=1024):
            finds(house.both(), "openFiles:warning")
        with house.server({"dev": True}):
            house.write({"dev": True})
            finds(house.both(), "development:error", "developmentReachable:error")
        with house.server():
            house.data.joinpath("files").rename(house.folder / "files")
            house.data.joinpath("files").write_text("")
            finds(house.both(), "readiness:error")
            house.data.joinpath("files").unlink()
            house.folder.joinpath("files").rename(house.data / "files")


def silent_proxy(house):
    """`proxy_pass` alone, of which the server is not told; the doctor looks from inside."""
    alone = f"location / {{ proxy_pass http://127.0.0.1:{house.port}; }}"
    unknown = {"trusted": {"proxies": ""}, "public.url": "", "registration": "open"}
    # The other edition's key has been revoked before.
    key = (house.data / "secrets" / "api-key-2024-01").read_text().strip()
    context = ssl.create_default_context(cafile=house.folder / "ca.pem")

    def call(path, body=None, token=None, url=house.url):
        request = urllib.request.Request(url + path, headers={"SesacKey": key} | ({"Authorization": token} if token else {}))
        if body:
            request.data = urllib.parse.urlencode(body).encode()
        opener = urllib.request.build_opener(
            urllib.request.ProxyHandler({}), urllib.request.HTTPSHandler(context=context))
        with opener.open(request, timeout=PATIENCE) as answer:
            return answer.read()

    with house.nginx(alone), house.server(unknown):
        for name in "mina", "joon":
            finds(house.inside())
            token = json.loads(call("/v1/users/join", {
                "email": f"{name}@example.com", "password": "Passw0rd!", "nickname": name}))["token"]["accessToken"]
            call("/v1/users/my", token=token)
        finds(house.inside(), "proxyTrust:error")
    for header in "Host $host", "X-Forwarded-For $remote_addr":
        with house.nginx(alone.replace("}", f"proxy_set_header {header}; }}")), house.server(unknown):
            finds(house.inside())
            call("/livez")
            finds(house.inside(), "proxyTrust:error")


def own_tls(house):
    """A server that speaks TLS itself."""
    own = {"host": house.host, "port": house.front, "tls.cert": str(house.folder / "good.pem"),
           "tls.key": str(house.folder / "good.key"), "trusted": {"proxies": ""}}
    with house.server(own):
        finds(house.both())
    with house.server(own | {"trusted": {"proxies": f"{house.host}/8"}}):
        finds(house.both(), "proxyAddress:error", "proxyForgery:error")


class OldDates:
    """A way to the server on which all answers are an hour old."""

    def __init__(self, port):
        self.port = port
        self.listener = socket.create_server(("127.0.0.1", 0))
        self.url = f"http://127.0.0.1:{self.listener.getsockname()[1]}"
        threading.Thread(target=self.accept, daemon=True).start()

    def accept(self):
        while True:
            client, _ = self.listener.accept()
            server = socket.create_connection(("127.0.0.1", self.port))
            for source, target, change in (client, server, lambda data: data), (server, client, self.older):
                threading.Thread(target=self.carry, args=(source, target, change), daemon=True).start()

    @staticmethod
    def carry(source, target, change):
        with contextlib.suppress(OSError):
            while data := source.recv(65_536):
                target.sendall(change(data))
            target.shutdown(socket.SHUT_WR)

    @staticmethod
    def older(data):
        old = datetime.datetime.now(datetime.UTC) - datetime.timedelta(hours=1)
        return re.sub(rb"(?i)(\r\ndate: )[^\r]*", rb"\1" + old.strftime("%a, %d %b %Y %H:%M:%S GMT").encode(), data)


def clocks(house):
    closed = {"public.url": "", "registration": "closed"}
    with house.server(closed):
        finds(house.both(OldDates(house.port).url), "clock:error")


def main():
    parser = argparse.ArgumentParser(description="`madang doctor` on misconfigurations.")
    parser.add_argument("madang", help="the madang program, for example .build/debug/madang")
    options = parser.parse_args()
    os.environ["PATH"] += ":/usr/sbin"
    for program in "nginx", "openssl":
        if not shutil.which(program):
            parser.error(f"there is no {program}: Scripts/install test installs it")
    start = time.monotonic()
    with tempfile.TemporaryDirectory() as folder:
        house = House(os.path.abspath(options.madang), pathlib.Path(folder), address())
        house.certificate("good")
        house.certificate("soon", days=5)
        house.certificate("other", host="203.0.113.1")
        with house.server():
            pass
        settings_alone(house)
        files_alone(house)
        proxied(house)
        silent_proxy(house)
        own_tls(house)
        clocks(house)
        listed = subprocess.run([house.madang, "doctor", "--list", "--json"], capture_output=True, text=True, check=True)
        names = {json.loads(one)["check"] for one in listed.stdout.splitlines()}
        # Of PostgreSQL: DoctorTests.
        left = names - tried - {"databaseDurability", "databaseConnections"}
        print(f"{'ok    ' if not left else 'FAILED'} every check is tried {left or ''}")
        if left:
            failures.append(left)
    print(f"{len(tried)} checks, {len(failures)} failures, {time.monotonic() - start:.0f} s")
    sys.exit(1 if failures else 0)


main()
