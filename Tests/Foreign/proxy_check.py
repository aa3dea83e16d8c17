"""Madang behind nginx, set up as proxies/nginx-single.conf and docker-compose.yml say: who hears what through the proxy and around it.

    python3 Tests/Foreign/proxy_check.py .build/debug/madang

People call from addresses of their own (127.x.y.z), nginx from that of the network's gateway in docker-compose.yml,
with 127 in front. Needs Linux, Python 3.11, nginx and openssl; takes less than a minute. Exits 0 when every check held.
"""

import argparse
import asyncio
import contextlib
import os
import pathlib
import re
import shutil
import ssl
import subprocess
import sys
import tempfile
import time

import nginx_settings
import phone
import phone_flows
from phone import Mode, Phone, Server, json_body
from phone_flows import PASSWORD, Stage, code_of, credentials
from ports import accepts, free_ports
from program import Program

ROOT = pathlib.Path(__file__).parents[2]
MODES = [Mode(transport, revision) for transport in ("polling", "upgrade", "websocket") for revision in (4, 3)]
KEY = "dev-key-2024-10"
# Failed sign-ins of one account from one address, `limits.signin.failures`.
TRIES = 10

failures = []


def check(is_good, what, detail=""):
    print(f"{'ok    ' if is_good else 'FAILED'} {what}{'' if is_good else f': {detail!s:.1500}'}", flush=True)
    if not is_good:
        failures.append(what)


def gateway_address():
    """The address that docker-compose.yml trusts, on this machine."""
    trusted = re.search(r"MADANG_TRUSTED_PROXIES: (\S+)", (ROOT / "docker-compose.yml").read_text())[1]
    return "127." + trusted.partition(".")[2]


class Nginx:
    """One nginx with a port for each of these (name, location block, port of the server behind, whether with TLS)."""

    def __init__(self, folder, mapping, gateway, sites):
        self._folder = folder
        self.ports = dict(zip((name for name, *_ in sites), free_ports(len(sites))))
        # The request's Host has to go by as it came.
        servers = "\n".join(
            f"""server {{
              listen 127.0.0.1:{self.ports[name]}{" ssl" if is_secure else ""}; server_name _; proxy_bind {gateway};
              {f"ssl_certificate {folder}/certificate; ssl_certificate_key {folder}/key;" if is_secure else ""}
              {block.replace("127.0.0.1:8080", f"127.0.0.1:{port}")}
            }}""" for name, block, port, is_secure in sites)
        kinds = "client_body", "proxy", "fastcgi", "uwsgi", "scgi"
        (folder / "nginx.conf").write_text(f"""
            {"user root;" if os.geteuid() == 0 else ""} daemon off; pid {folder}/pid; error_log {folder}/errors;
            events {{ worker_connections 4096; }}
            http {{
              access_log off; {" ".join(f"{kind}_temp_path {folder}/{kind};" for kind in kinds)}
              {mapping}
              {servers}
            }}""")
        subprocess.run(
            ["openssl", "req", "-x509", "-newkey", "rsa:2048", "-nodes", "-days", "2", "-subj", "/CN=localhost",
             "-keyout", f"{folder}/key", "-out", f"{folder}/certificate"], check=True, capture_output=True)

    async def __aenter__(self):
        self._process = await asyncio.create_subprocess_exec(
            "nginx", "-e", f"{self._folder}/errors", "-c", f"{self._folder}/nginx.conf",
            stdout=asyncio.subprocess.DEVNULL, stderr=asyncio.subprocess.DEVNULL)
        for port in self.ports.values():
            if not await accepts(port, self._process):
                sys.exit(f"nginx did not start: {(self._folder / 'errors').read_text()}")
        return self

    async def __aexit__(self, *_):
        if self._process.returncode is None:
            self._process.terminate()
        await self._process.wait()

    def url(self, name):
        return f"http://127.0.0.1:{self.ports[name]}"


class SecureServer(Server):
    def _trust(self):
        context = ssl.create_default_context()
        context.check_hostname, context.verify_mode = False, ssl.CERT_NONE
        return context


# Connects under way at a time. Who is refused waits for 3 s.
slots = asyncio.Semaphore(16)


async def outcome(url, address, room, mode=Mode("polling"), headers=None):
    """What somebody without cookies is told at an address."""
    phone = Phone(url, KEY, address)
    async with slots, phone.socket(mode, room.namespace, headers=headers) as engine:
        words = await engine.outcome(room.namespace)
        return engine.errors or words


def forgeries(address):
    """Headers that claim to come from an address."""
    forwarded = {"X-Forwarded-For": address}, {"Forwarded": f"for={address}"}, {"X-Real-IP": address}
    return [
        *forwarded, forwarded[0] | forwarded[1],
        {"X-Forwarded-For": f"{address}, {address}", "X-Forwarded-Proto": "https"},
        {"Forwarded": f'for={address};proto=https, for="{address}"'},
        {"CF-Connecting-IP": address, "True-Client-IP": address}]


@contextlib.asynccontextmanager
async def staged(url):
    stage = Stage(url, "U0")
    try:
        yield stage
    finally:
        stage.close()


async def flows(url, is_trusted, label):
    """Two accounts behind one address, in every mode of the phone."""
    async def play(mode):
        async with staged(url) as stage:
            stage.mode = mode
            try:
                await phone_flows.h1_behind_one_address(stage, is_trusted)
            except Exception as error:
                stage.differences.append(f"stopped: {error!r}")
            return [f"{mode}: {one}" for one in stage.differences]

    differences = sum(await asyncio.gather(*map(play, MODES)), [])
    alone = "one alone is let in by it" if is_trusted else "nobody is let in by it"
    check(not differences, f"{label}: two behind one address hear their rooms by cookie and only those, without "
          f"cookies neither; {alone}; {len(MODES)} modes", differences)


async def strangers(url, direct, gateway, is_trusted, label):
    """People without an account, at other addresses and those of the proxy; with and without forged headers."""
    async with staged(url) as stage:
        mina = await stage.person("Mina")
        home = mina.server._address
        room = await mina.channel(await mina.workspace(), "ios")
        by_address = await outcome(url, home, room)
        check(by_address == ("joined" if is_trusted else "not allowed"),
              f"{label}: without cookies, at the address of one account, {by_address}")
        told = await asyncio.gather(*(
            outcome(url, home, room, mode, credentials(mina)) for mode in MODES))
        check(set(told) == {"joined"}, f"{label}: by key and token everybody joins in {len(MODES)} modes", told)
        ways = [(url, address, None) for address in ("127.0.77.1", "127.0.0.1", gateway)]
        ways += [(direct, address, None) for address in ("127.0.77.2", "127.0.0.1", gateway)]
        ways += [(where, "127.0.77.3", headers) for where in (url, direct) for headers in forgeries(home)]
        if not is_trusted:
            ways += [(where, gateway, headers) for where in (url, direct) for headers in forgeries(home)]
        async with mina.socket(Mode("websocket"), room.namespace, headers=credentials(mina)) as engine:
            await stage.joined("strangers", engine, room)
            told = await asyncio.gather(*(
                outcome(where, address, room, mode, headers) for where, address, headers in ways
                for mode in (MODES[0], MODES[4])))
            await stage.hears("strangers", engine, room, await mina.say(room, "still"))
        twice = [way for way in ways for _ in range(2)]
        odd = [(way, words) for way, words in zip(twice, told) if words != "not allowed"]
        check(not odd, f"{label}: strangers are refused: {len(told)} connects, through the proxy, from its addresses, "
              "around it, with and without forged headers", odd)


async def sign_ins(url, is_trusted, label):
    """Wrong passwords count where they come from."""
    async with staged(url) as stage:
        mina = await stage.person("Mina")

        async def sign_in(phone, password, headers=None):
            body = json_body({"email": mina.email, "password": password})
            answer = await phone.call("POST", "users/login", body, headers=headers)
            return "200" if answer.status == 200 else code_of(answer)

        thief, other = stage.phone(phone_flows.OCTOBER), stage.phone(phone_flows.OCTOBER)
        wrong = [await sign_in(thief, "Wr0ngPass!") for _ in range(TRIES)]
        after = await sign_in(thief, PASSWORD)
        elsewhere = await sign_in(other, PASSWORD)
        check(set(wrong) == {"E03"} and after != "200" and elsewhere == ("200" if is_trusted else after),
              f"{label}: after {TRIES} wrong passwords the right one is {after} there, {elsewhere} from another "
              "address", wrong)
        if not is_trusted:
            return
        forged = [await sign_in(thief, PASSWORD, headers) for n in range(3) for headers in forgeries(f"127.9.{n}.9")]
        check(set(forged) == {after}, f"{label}: forged headers bring no new tries", forged)


async def operations(hosted, development, direct, label):
    """What is for programs of this machine. Around the proxy there is something to read."""
    local = Phone(direct, KEY, "127.0.0.1")
    is_there = (await local.call("GET", "/metrics")).status == 200
    local.close()
    seen = []
    headers = [{}, {"Host": "localhost"}, {"X-Forwarded-For": "127.0.0.1"}, {"Forwarded": "for=127.0.0.1"}]
    for address in "127.0.0.1", "127.0.88.1":
        for url, method, path in (
            (hosted, "GET", "/metrics"), (development, "GET", "/metrics"), (development, "GET", "/_dev/pushes"),
            (development, "POST", "/_dev/clock"), (development, "GET", "//metrics"), (development, "GET", "/%6detrics"),
        ):
            for one in headers:
                phone = Phone(url, KEY, address)
                body = json_body({"advance": 0}) if method == "POST" else None
                answer = await phone.call(method, path, body, headers=one)
                phone.close()
                if answer.status == 200:
                    seen.append((url, path, one, answer.body[:80]))
    check(is_there and not seen, f"{label}: neither /metrics nor /_dev through the proxy, whatever headers; /metrics "
          "is there around it", seen or is_there)


async def silent(url, label):
    """A proxy that says nothing (`proxy_pass` alone): whoever calls comes from its address, which stands for nobody."""
    async with staged(url) as stage:
        mina = await stage.person("Mina")
        room = await mina.channel(await mina.workspace(), "ios")
        told = await outcome(url, "127.0.77.9", room)
        known = await outcome(url, "127.0.77.9", room, headers=credentials(mina))
        check((told, known) == ("not allowed", "joined"), f"{label}: a stranger is let in by token only", (told, known))
        seen = []
        for one in {}, {"Host": "localhost"}, {"X-Forwarded-For": "127.0.0.1"}:
            answer = await mina.call("GET", "/metrics", headers=one)
            ready = await mina.call("GET", "/readyz", headers=one)
            if answer.status == 200 or b"reason" in ready.body:
                seen.append((one, answer.status, ready.body))
        check(not seen, f"{label}: neither /metrics nor reasons of /readyz", seen)


async def secure(nginx, name, expected, label):
    """Over TLS the cookie is for TLS only, if the proxy is believed, and leads into the room in every mode."""
    async with staged(nginx.url(name)) as stage:
        mina = stage.phone(phone_flows.OCTOBER)
        server = SecureServer(nginx.url(name).replace("http:", "https:"), mina.server._address)
        mina.server = mina._rest._server = server
        answer = await mina.call("POST", "users/join", json_body(
            {"email": f"mina.{stage.tag}@example.com", "password": PASSWORD, "nickname": "Mina"}))
        mina.keep(mina.ok(answer))
        room = await mina.channel(await mina.workspace(), "ios")
        # So that the address says nothing.
        other = stage.phone(phone_flows.OCTOBER, mina.server._address)
        other.server = other._rest._server = server
        other.keep(other.ok(await other.call("POST", "users/join", json_body(
            {"email": f"joon.{stage.tag}@example.com", "password": PASSWORD, "nickname": "Joon"}))))
        told = []
        for mode in MODES:
            async with mina.socket(mode, room.namespace) as engine:
                told.append(await engine.outcome(room.namespace))
        cookie = answer.header("set-cookie") or ""
        check(("Secure" in cookie) == expected and set(told) == {"joined"},
              f"{label}: over TLS the cookie is {'Secure' if expected else 'not Secure'}, and leads into the room in "
              f"{len(MODES)} modes", (cookie, told))


async def without_host(nginx):
    """docs/host.md says what happens without this line: so it is known that the others are needed."""
    async with staged(nginx.url("no host")) as stage:
        mina = await stage.person("Mina")
        room = await mina.channel(await mina.workspace(), "ios")
        async with mina.socket(Mode("websocket"), room.namespace) as engine:
            with contextlib.suppress(TimeoutError):
                async with asyncio.timeout(phone.PATIENCE):
                    while not engine.errors:
                        await asyncio.sleep(0.05)
            check(any("refused" in one for one in engine.errors),
                  "without the Host line the WebSockets of phones are refused", engine.errors)


async def main():
    parser = argparse.ArgumentParser(description="Madang behind nginx with proxies/nginx-single.conf.")
    parser.add_argument("madang", help="the madang program, for example .build/debug/madang")
    options = parser.parse_args()
    if not os.access(options.madang, os.X_OK) or os.path.isdir(options.madang):
        parser.error(f"there is no program {options.madang}: build it with `swift build`")
    os.environ["PATH"] += ":/usr/sbin"
    for program in "nginx", "openssl":
        if not shutil.which(program):
            parser.error(f"there is no {program}: Scripts/install test installs it")
    if sys.platform != "linux":
        parser.error("only Linux has an address for each of these people")
    start = time.monotonic()
    (mapping, block), gateway = nginx_settings.read_settings(), gateway_address()
    no_host = re.sub(r".*proxy_set_header Host .*\n", "", block)
    with tempfile.TemporaryDirectory() as data:
        folder = pathlib.Path(data) / "nginx"
        folder.mkdir()
        trust = {"MADANG_TRUSTED_PROXIES": gateway}
        async with (
            Program.hosted(options.madang, f"{data}/1", trust) as trusted,
            Program.hosted(options.madang, f"{data}/2") as untrusted,
            Program.development(options.madang, f"{data}/3", trust) as development,
            Program.development(options.madang, f"{data}/4") as development_untrusted,
            Program.hosted(options.madang, f"{data}/5", {"MADANG_LOOPBACK_CLIENTS": ""}) as plain,
            Program.hosted(options.madang, f"{data}/6", trust | {"MADANG_LOOPBACK_CLIENTS": ""}) as plain_trusted,
        ):
            ports = [int(one.url.rpartition(":")[2])
                     for one in (trusted, untrusted, development, development_untrusted, plain, plain_trusted)]
            alone = "location / { proxy_pass http://127.0.0.1:8080; }"
            sites = [
                ("trusted", block, ports[0], False), ("untrusted", block, ports[1], False),
                ("development", block, ports[2], False), ("development untrusted", block, ports[3], False),
                ("secure", block, ports[0], True), ("secure untrusted", block, ports[1], True),
                ("no host", no_host, ports[0], False), ("silent", alone, ports[4], False),
                ("silent trusted", alone, ports[5], False)]
            async with Nginx(folder, mapping, gateway, sites) as nginx:
                results = [await without_host(nginx)]
                results += await asyncio.gather(
                    silent(nginx.url("silent"), "silent proxy"), silent(nginx.url("silent trusted"), "silent proxy, trusted"),
                    return_exceptions=True)
                for label, server, is_trusted in ("trusted", trusted, True), ("untrusted", untrusted, False):
                    url, words = nginx.url(label), f"proxy {'' if is_trusted else 'not '}trusted"
                    suffix = "" if is_trusted else " untrusted"
                    results += await asyncio.gather(
                        flows(url, is_trusted, words), strangers(url, server.url, gateway, is_trusted, words),
                        sign_ins(url, is_trusted, words),
                        operations(url, nginx.url(f"development{suffix}"), server.url, words),
                        secure(nginx, f"secure{suffix}", is_trusted, words), return_exceptions=True)
                for error in filter(None, results):
                    check(False, "a check went to its end", repr(error))
    print(f"{len(failures)} failed, {time.monotonic() - start:.0f} s")
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(asyncio.run(main()))
