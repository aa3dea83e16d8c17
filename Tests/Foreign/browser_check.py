"""What pages of other people get in a real Chromium: no packet of a room, by none of the ways a page has.

    python3 Tests/Foreign/browser_check.py .build/debug/madang .build/debug/socketio-echo

The same script tries the same ways in pages that may hear (Madang's own, a listed origin's, any page of a server
without such doors), so that it is known that each way can succeed. Needs Python 3.11 and a Chromium; takes less than a
minute. Exits 0 when every check held.
"""

import argparse
import asyncio
import collections
import contextlib
import datetime
import json
import os
import re
import sys
import tempfile
import time

from browser import Browser
from phone import Body, Mode, Phone, json_body
from phone_flows import OCTOBER, Stage
from program import Program

# Seconds a page tries each third of its ways. A connect that is refused is answered after 3.
# Madang's other answers have a policy by which a page of them may do nothing.
PLAIN = "/socket.io/"
TRIAL = 3.5
# The same for pages that may hear, and stop when they do.
PATIENT_TRIAL = 40
HOUR = 3600
# Leads to 127.0.0.1, in this browser.
EVIL = "evil.example"
KEY = f"dev-key-{OCTOBER}"
ADMISSION = re.compile(r'madang_socket_admissions_total\{by="(\w+)"\} (\d+)')

# Tries to hear a namespace by every way a page has; everything that the page got to see, by way. `sids` are sessions of
# somebody who has joined that namespace, and whose packets wait to be fetched.
TRY = r"""async (base, namespace, sids, trial) => {
  const seen = {};
  const see = (way, text) => { if (text) (seen[way] ??= []).push(String(text)); };
  // Who has heard an event need not try on.
  const hears = (way) => seen[way]?.some((text) => text.includes("42/"));
  let end = 0;
  const left = () => Math.max(1, end - Date.now());
  const pause = (time) => new Promise((done) => setTimeout(done, time));
  // Each with a mark of its own, or one request of a page waits for the other's answer, to store it.
  const address = (eio, sid) =>
    `${base}/socket.io/?transport=polling&EIO=${eio}&t=${Math.random()}` + (sid ? `&sid=${sid}` : "");
  const wish = (eio) => eio == 4 ? `40${namespace},` : `${namespace.length + 3}:40${namespace},`;

  const byFetch = (options) => async (method, url, body) => {
    const answer = await fetch(url, {
      method, body, credentials: "include", signal: AbortSignal.timeout(left()), ...options });
    return await answer.text();
  };
  const byXHR = (method, url, body) => new Promise((done, failed) => {
    const request = new XMLHttpRequest();
    request.open(method, url);
    request.withCredentials = true;
    request.timeout = left();
    request.onload = () => done(request.responseText);
    request.onerror = request.ontimeout = () => failed(new Error("nothing"));
    request.send(body);
  });
  async function polls(way, request, eio, sid) {
    if (!sid) {
      const open = await request("GET", address(eio));
      see(way, open);
      sid = /"sid":"([^"]+)"/.exec(open)?.[1];
      if (!sid) return;
      await request("POST", address(eio, sid), wish(eio));
    }
    while (Date.now() < end && !hears(way)) see(way, await request("GET", address(eio, sid)));
  }
  function socket(way, eio, sid) {
    return new Promise((done) => {
      const url = `${base.replace("http", "ws")}/socket.io/?transport=websocket&EIO=${eio}`;
      const socket = new WebSocket(url + (sid ? `&sid=${sid}` : ""));
      socket.onopen = () => { see(way, "open"); if (sid) socket.send("2probe"); };
      socket.onmessage = ({ data }) => {
        see(way, data);
        if (data[0] == "0") socket.send(`40${namespace},`);
        if (data == "3probe") socket.send("5");
        if (hears(way)) socket.close();
      };
      socket.onerror = socket.onclose = done;
      setTimeout(() => { socket.close(); done(); }, left());
    });
  }
  const slots = window.___eio = [];
  function script(way, url) {
    return new Promise((done) => {
      const element = document.createElement("script");
      const slot = slots.push((text) => see(way, text)) - 1;
      element.src = `${url}&j=${slot}`;
      element.onload = element.onerror = done;
      setTimeout(done, left());
      document.body.append(element);
    });
  }
  // Into a frame, of which the page reads what it may.
  function frame(way, url, fields) {
    return new Promise((done) => {
      const frame = document.createElement("iframe");
      frame.name = `frame${Math.random()}`;
      if (!fields) frame.src = url;
      document.body.append(frame);
      const read = () => { try { see(way, frame.contentDocument.body.innerText); } catch {} };
      frame.onload = () => { read(); done(); };
      setTimeout(done, left());
      if (!fields) return;
      const form = Object.assign(document.createElement("form"), { method: "POST", action: url, target: frame.name });
      if (!fields.d) form.enctype = "text/plain";
      for (const [name, value] of Object.entries(fields))
        form.append(Object.assign(document.createElement("input"), { name, value }));
      document.body.append(form);
      form.submit();
    });
  }
  async function scripts(way, sid) {
    if (!sid) {
      await script(way, address(4));
      sid = /"sid":"([^"]+)"/.exec(seen[way]?.[0])?.[1];
      if (!sid) return;
      await frame("a form's answer", `${address(4, sid)}&j=0`, { d: wish(4) });
    }
    while (Date.now() < end && !hears(way)) await Promise.all([script(way, address(4, sid)), pause(50)]);
  }
  async function all(...ways) {
    end = Date.now() + trial;
    await Promise.race([Promise.allSettled(ways.map((way) => way())), pause(trial + 500)]);
  }

  const thefts = (sids) => [
    () => polls("another's session by fetch", byFetch({}), 4, sids[0]),
    () => polls("another's session by fetch no-cors", byFetch({ mode: "no-cors" }), 4, sids[1]),
    () => scripts("another's session by script tag", sids[2]),
    () => socket("another's session by WebSocket", 4, sids[3])];

  await all(
    () => polls("fetch", byFetch({}), 4), () => polls("fetch, Engine.IO 3", byFetch({}), 3),
    () => polls("XHR", byXHR, 4),
    () => socket("WebSocket", 4), () => socket("WebSocket, Engine.IO 3", 3));
  // A browser opens six connections to a server.
  await all(
    () => polls("fetch no-cors", byFetch({ mode: "no-cors" }), 4),
    () => polls("fetch without Referer", byFetch({ referrerPolicy: "no-referrer" }), 4),
    () => scripts("script tag"));
  await all(
    () => frame("frame", address(4)), () => frame("form", address(4), { [wish(4)]: "" }),
    ...sids ? thefts(sids) : []);
  return seen;
}"""

# Asks for what is for programs of this machine only; what the page could read.
OPERATE = r"""async (base, advance) => {
  const seen = {};
  const ask = async (what, path, options) => {
    for (const mode of ["cors", "no-cors"]) try {
      const answer = await fetch(base + path, {
        mode, credentials: "include", signal: AbortSignal.timeout(60000), ...options });
      const text = await answer.text();
      if (answer.ok && text) seen[`${what}, ${mode}`] = text;
    } catch {}
  };
  await ask("/metrics", "/metrics");
  await ask("/_dev/pushes", "/_dev/pushes?after=0");
  await ask("/_dev/clock", "/_dev/clock", { method: "POST", body: JSON.stringify({ advance }) });
  return seen;
}"""

SIGN_IN = r"""async (key, email, password) => {
  const answer = await fetch("/v1/users/login", {
    method: "POST", headers: { SesacKey: key, "Content-Type": "application/json" },
    body: JSON.stringify({ email, password }) });
  return answer.status;
}"""

failures = []


def check(is_good, what, detail=""):
    print(f"{'ok    ' if is_good else 'FAILED'} {what}{'' if is_good else f': {detail!s:.1500}'}", flush=True)
    if not is_good:
        failures.append(what)


async def serve_pages():
    """Empty pages, from a port of their own. That of /null has no origin."""
    async def answer(reader, writer):
        with contextlib.suppress(OSError, asyncio.IncompleteReadError):
            request = await reader.readuntil(b"\r\n\r\n")
            is_null = b"GET /null " in request
            policy = "Content-Security-Policy: sandbox allow-scripts allow-forms\r\n" if is_null else ""
            body = "<!doctype html><title>Page</title><body>"
            writer.write((f"HTTP/1.1 200 OK\r\nContent-Type: text/html\r\n{policy}Content-Length: {len(body)}\r\n"
                          f"Connection: close\r\n\r\n{body}").encode())
            await writer.drain()
        writer.close()

    server = await asyncio.start_server(answer, "127.0.0.1", 0)
    return server, server.sockets[0].getsockname()[1]


class Courtyard:
    """A room of Madang with somebody in it who hears what is said there."""

    def __init__(self, server):
        self.port = int(server.url.rpartition(":")[2])
        self._stage = Stage(server.url, "U0")

    async def prepare(self):
        # At the browser's address, and alone there.
        self.mina = await self._stage.person("Mina", "127.0.0.1")
        self._room = await self.mina.channel(await self.mina.workspace(), "ios")
        self.namespace = self._room.namespace
        self.heard = 0

    async def page(self, browser, url):
        """A page in a browser that holds the person's cookie: they signed in from a page of Madang's own."""
        page = await browser.page(f"http://localhost:{self.port}{PLAIN}")
        status = await page.apply(SIGN_IN, KEY, self.mina.email, "Passw0rd!")
        cookies = await page.cookies(f"http://localhost:{self.port}/socket.io/")
        if status != 200 or not any(one["name"].startswith("madang_") for one in cookies):
            raise AssertionError(f"signing in was answered {status}, the browser's cookies are {cookies}")
        await page.open(url)
        return page

    async def sessions(self, count):
        """Sessions of the person that have joined the room and fetch nothing."""
        path = "/socket.io/?EIO=4&transport=polling"
        sids = []
        for _ in range(count):
            answer = await self.mina.call("GET", path)
            sids.append(json.loads(answer.body[1:])["sid"])
            wish = Body("text/plain;charset=UTF-8", f"40{self.namespace},".encode())
            await self.mina.call("POST", f"{path}&sid={sids[-1]}", wish)
            await self.mina.call("GET", f"{path}&sid={sids[-1]}")
        return sids

    async def admissions(self):
        page = (await self.mina.call("GET", "/metrics")).body.decode()
        return collections.Counter({by: int(count) for by, count in ADMISSION.findall(page) if by != "refused"})

    @contextlib.asynccontextmanager
    async def talk(self):
        """Chats are posted, and a client in the room hears them."""
        async with self.mina.socket(Mode("websocket"), self.namespace) as engine:
            await self._stage.joined("talk", engine, self._room)
            # Ended by word: a cancellation may get lost in what waits with a time limit.
            self._is_talking = True
            task = asyncio.create_task(self._talk(engine))
            try:
                yield
            finally:
                self._is_talking = False
                await task

    async def _talk(self, engine):
        while self._is_talking:
            await self.mina.say(self._room, f"word {self.heard}")
            await engine.event(self.namespace)
            self.heard += 1
            await asyncio.sleep(0.2)

    async def by_address(self):
        """What a phone without cookies is told at the browser's address."""
        phone = Phone(f"http://127.0.0.1:{self.port}", KEY, "127.0.0.1")
        async with phone.socket(Mode("polling"), self.namespace) as engine:
            return await engine.outcome(self.namespace)

    async def now(self):
        answer = await self.mina.call("POST", "/_dev/clock", json_body({"advance": 0}))
        return datetime.datetime.fromisoformat(answer.json["now"]).timestamp()

    def close(self):
        self._stage.close()


def hearing(seen):
    """The ways by which events came."""
    return {way for way, texts in seen.items() if any("42/" in one for one in texts)}


OWN_WAYS = {
    "fetch", "fetch, Engine.IO 3", "XHR", "WebSocket", "WebSocket, Engine.IO 3", "fetch no-cors",
    "fetch without Referer"}
THEFTS = {f"another's session {way}" for way in (
    "by fetch", "by fetch no-cors", "by WebSocket")}


async def foreign_pages(browser, server, pages_port, label):
    """Pages of other origins, and pages of this server's port by other names, while the room talks."""
    yard = Courtyard(server)
    await yard.prepare()
    own = f"http://localhost:{yard.port}"
    check(await yard.by_address() == "joined",
          f"{label}: a phone without cookies at the browser's address is let in by it")
    others = {
        "a page at another port of localhost": f"http://localhost:{pages_port}/",
        "a page of a subdomain of localhost": f"http://evil.localhost:{pages_port}/",
        "a page of another site": f"http://{EVIL}:{pages_port}/",
        "a page without an origin": f"http://localhost:{pages_port}/null",
    }
    rebound = {
        "a page whose name was made to lead here": f"http://{EVIL}:{yard.port}{PLAIN}",
        "a page of a local name that leads here": f"http://rebound.localhost:{yard.port}{PLAIN}",
    }
    pages = {name: await yard.page(browser, url) for name, url in (others | rebound).items()}
    sids = {name: await yard.sessions(4) for name in others}
    bases = {name: own for name in others} | {name: address.removesuffix(PLAIN) for name, address in rebound.items()}
    async with yard.talk():
        before = await yard.admissions()
        # The room talks while they try: a longer trial, if a busy machine let it say little.
        for trial in TRIAL, 4 * TRIAL, 16 * TRIAL:
            work = [page.apply(TRY, bases[name], yard.namespace, sids.get(name), trial * 1000)
                    for name, page in pages.items()]
            results = dict(zip(pages, await asyncio.gather(*work)))
            if yard.heard >= 3 or any(results[name] for name in others) or any(hearing(results[name]) for name in rebound):
                break
        after = await yard.admissions()
    for name in others:
        check(not results[name], f"{label}: {name} sees nothing", results[name])
    for name in rebound:
        ways = hearing(results[name])
        check(not ways, f"{label}: {name} hears nothing", ways)
    check(yard.heard >= 3 and after == before,
          f"{label}: meanwhile a client in the room heard {yard.heard} chats, and nobody else was let in",
          (yard.heard, after - before))
    for name, page in pages.items():
        before = await yard.now() if label == "development" else 0
        seen = await page.apply(OPERATE, bases[name], HOUR)
        after = await yard.now() if label == "development" else 0
        # Names below localhost are this machine's: what is there is a program of it.
        if EVIL in (others | rebound)[name] or name in others:
            check(not seen, f"{label}: {name} reads neither /metrics nor /_dev", seen)
        if label == "development" and EVIL in (others | rebound)[name]:
            check(after - before < HOUR, f"{label}: {name} does not move the clock", after - before)
    yard.close()


async def own_pages(browser, server, page_address, label, wanted, mine):
    """A page that may hear, by its cookie."""
    yard = Courtyard(server)
    await yard.prepare()
    own = f"http://localhost:{yard.port}"
    page = await yard.page(browser, page_address or f"{own}{PLAIN}")
    sids = await yard.sessions(4)
    async with yard.talk():
        before = await yard.admissions()
        seen = await page.apply(TRY, own, yard.namespace, sids, PATIENT_TRIAL * 1000)
        after = await yard.admissions()
    ways = hearing(seen)
    check(ways == wanted, f"{label} hears the room by {', '.join(sorted(wanted))}", (sorted(ways ^ wanted), seen))
    check(set(after - before) == {"cookie"}, f"{label} was let in {(after - before)['cookie']} times, by its cookie",
          after - before)
    if mine:
        operated = await page.apply(OPERATE, own, 0)
        check("/metrics, cors" in operated, f"{label} reads /metrics", operated)
    yard.close()


async def without_doors(browser, rig, pages_port):
    """A Socket.IO server as the reference has it, which serves every page."""
    namespace = "/ws-channel-room1"
    phone = Phone(rig.url, None)
    page = await browser.page(f"http://{EVIL}:{pages_port}/")

    is_talking = True

    async def talk():
        while is_talking:
            await phone.call("POST", f"/emit?nsp={namespace}&event=news", json_body("word"))
            await asyncio.sleep(0.2)

    task = asyncio.create_task(talk())
    seen = await page.apply(TRY, rig.url, namespace, None, PATIENT_TRIAL * 1000)
    is_talking = False
    await task
    phone.close()
    wanted = {"WebSocket", "WebSocket, Engine.IO 3", "script tag"}
    ways = hearing(seen)
    check(ways >= wanted, f"without doors (socketio-echo), a page of another site hears by {', '.join(sorted(wanted))}",
          seen)


async def main():
    parser = argparse.ArgumentParser(
        description="What pages of other origins get of Madang's sockets, in a real Chromium.")
    parser.add_argument("madang", help="the madang program, for example .build/debug/madang")
    parser.add_argument("echo", help="the socketio-echo program, for example .build/debug/socketio-echo")
    options = parser.parse_args()
    for program in options.madang, options.echo:
        if not os.access(program, os.X_OK) or os.path.isdir(program):
            parser.error(f"there is no program {program}: build it with `swift build`")
    if not Browser.program():
        parser.error("there is no Chromium: Scripts/install test installs chromium-headless-shell")
    start = time.monotonic()
    pages, pages_port = await serve_pages()
    listed = f"http://localhost:{pages_port}"
    # The sessions of `sessions` answer none, and must last until a page uses them.
    rare_pings = {"MADANG_SOCKET_PING_INTERVAL": "3600"}
    with tempfile.TemporaryDirectory() as data:
        async with (
            Browser(EVIL) as browser,
            Program.hosted(options.madang, f"{data}/1") as hosted,
            Program.development(options.madang, f"{data}/2") as development,
            Program.hosted(options.madang, f"{data}/3", rare_pings | {"MADANG_SOCKET_ORIGINS": listed}) as listing,
            Program.hosted(options.madang, f"{data}/4", rare_pings | {"MADANG_SOCKET_JSONP": "true"}) as scripts,
            Program(options.echo, "--mode", "rig", "--eio3", "--port", "0") as rig,
        ):
            results = await asyncio.gather(
                foreign_pages(browser, hosted, pages_port, "hosted"),
                foreign_pages(browser, development, pages_port, "development"), return_exceptions=True)
            results += await asyncio.gather(
                own_pages(browser, scripts, None, "a page of Madang's own", OWN_WAYS | THEFTS | {
                    "script tag", "another's session by script tag"}, True),
                own_pages(browser, listing, f"{listed}/", "a page of a listed origin", OWN_WAYS - {"fetch no-cors"} | {
                    "another's session by fetch", "another's session by WebSocket"}, False),
                without_doors(browser, rig, pages_port), return_exceptions=True)
            for error in filter(None, results):
                check(False, "a check went to its end", repr(error))
    pages.close()
    print(f"{len(failures)} failed, {time.monotonic() - start:.0f} s")
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(asyncio.run(main()))
