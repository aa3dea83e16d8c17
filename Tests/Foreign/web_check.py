"""The chat in the browser, by two people in a real Chromium.

    python Tests/Foreign/web_check.py .build/debug/madang [--shots DIRECTORY] [--until CHECK] [--first]
    python Tests/Foreign/web_check.py .build/release/madang --load

Runs a server in development mode, where people sign up by invitation. Needs playwright, axe-playwright-python and
python-socketio from PyPI, and a Chromium; takes less than two minutes. Exits 0 when every check held. `--load` measures
instead: a room of 100,000 chats, by the browser's own tracing.
"""

import argparse
import asyncio
import contextlib
import json
import pathlib
import queue
import re
import shutil
import subprocess
import sys
import tempfile
import time
import traceback
import urllib.request

import socketio
from axe_playwright_python.sync_playwright import Axe
from playwright.sync_api import Error, expect, sync_playwright

from attempts import ATTEMPTS, tried
from browser import PROGRAMS
from program import Program

KEY = "dev-key-2024-10"
PASSWORD = "Passw0rd!"
STAMP = f"{int(time.time() * 1000):x}"[-8:]
SCRIPT = "<img src=x onerror=alert(1)>"
PICTURE = bytes.fromhex(
    "89504e470d0a1a0a0000000d4948445200000001000000010802000000907753de0000000c49444154789c63f8cfc0000003010100c9fe92ef"
    "0000000049454e44ae426082")
DOCUMENT = b"%PDF-1.4\n1 0 obj<<>>endobj\ntrailer<<>>\n%%EOF"
# The console lines that a lost connection makes.
EXPECTED = re.compile(r"ERR_INTERNET_DISCONNECTED|ERR_EMPTY_RESPONSE|ERR_CONNECTION|ERR_NETWORK|ERR_FAILED|ERR_SOCKET|WebSocket|status of [45]\d\d")
FIRST_VIEW = 60_000
# Seconds that a busy machine may take for what a person sees at once.
PATIENCE = 60


class Person:
    """One account in one browser context."""

    def __init__(self, stage, name, nickname, **options):
        self.stage = stage
        self.email = f"{name}-{STAMP}@example.com"
        self.nickname = nickname
        self.open(**options)

    def open(self, width=1280, height=800, language="ko-KR", scheme="light", touch=False):
        self.context = self.stage.browser.new_context(
            viewport={"width": width, "height": height}, locale=language, color_scheme=scheme, has_touch=touch,
            is_mobile=touch, timezone_id="Asia/Seoul", reduced_motion="reduce")
        self.page = self.context.new_page()
        self.page.set_default_timeout(PATIENCE * 1000)
        self.page.on("dialog", lambda dialog: (self.stage.troubles.append(f"dialog: {dialog.message}"), dialog.dismiss()))
        self.page.on("pageerror", lambda error: self.stage.troubles.append(f"error: {error}"))
        self.page.on("console", lambda message: self.stage.troubles.append(f"console: {message.text}")
                     if message.type == "error" and not EXPECTED.search(message.text) else None)

    def visit(self):
        self.page.goto(self.stage.base)

    def sign_up(self):
        self.visit()
        page = self.page
        page.get_by_role("button", name=re.compile("계정 만들기|Create an account")).click()
        if self.stage.session["server"]["signup"] == "invitation":
            page.fill("input[name=invitation]", self.stage.invitation)
        page.fill("input[name=nickname]", self.nickname)
        page.fill("input[name=email]", self.email)
        page.fill("input[name=password]", "short")
        assert page.locator(".rules .good").count() == 1, "rules while typing"
        page.fill("input[name=password]", PASSWORD)
        assert page.locator(".rules .good").count() == 5, "all rules hold"
        page.click("button[type=submit]")
        page.wait_for_selector("nav.rail")

    def sign_in(self, password=PASSWORD):
        self.visit()
        self.page.fill("input[name=email]", self.email)
        self.page.fill("input[name=password]", password)
        self.page.click("button[type=submit]")

    def call(self, path):
        return self.page.evaluate("path => fetch('/web/v1' + path).then(answer => answer.json())", path)

    def enter(self, room):
        self.page.locator("a.room", has_text=room).first.click()
        self.page.wait_for_selector(f".room-pane header h1:has-text('{room}')")
        self.is_live()

    def is_live(self):
        """Waits until chats of the open room arrive. What the page says of it may be of the room before."""
        self.until(lambda: self.page.evaluate("""Promise.all([import('/chat-live.js'), import('/chat-state.js')])
            .then(([{ isLive }, { state }]) => Boolean(state.room) && isLive(state.room))"""), "the room is live")
        self.page.wait_for_selector(".live.good")

    def until(self, condition, name):
        """Waits for a condition. The policy of the page lets none run in the page by itself."""
        end = time.monotonic() + PATIENCE
        while not condition():
            assert time.monotonic() < end, name
            self.page.wait_for_timeout(50)

    def write(self, text):
        self.page.fill("#composer", text)
        self.page.press("#composer", "Enter")

    def hand_over(self, other):
        """In the dialog of a room or workspace."""
        self.page.locator("dialog[open]").get_by_role("button", name="관리자 넘기기").click()
        self.page.locator("dialog[open] .choice", has_text=other.email).click()
        with self.told("관리자예요"):
            self.page.locator("dialog[open] .actions .button.main").click()

    @contextlib.contextmanager
    def told(self, words):
        """Waits until the page says these words after the steps inside. What it said before is taken away."""
        self.page.evaluate("for (const toast of document.querySelectorAll('.toast')) toast.remove()")
        yield
        self.page.wait_for_selector(f".toast:has-text('{words}')")

    def sees(self, text, count=1):
        expect(self.page.locator(".rows:not(.waiting) .text", has_text=text)).to_have_count(count)

    def keeps(self, count):
        """Waits until the browser's storage has this many chats that wait."""
        end = time.monotonic() + PATIENCE
        while (kept := self.waiting()) != count:
            assert time.monotonic() < end, f"{kept} chats are kept instead of {count}"
            self.page.wait_for_timeout(50)

    def waiting(self):
        """The number of chats in the browser's storage."""
        return self.page.evaluate("""() => new Promise((done) => {
            const opening = indexedDB.open('madang', 1);
            opening.onerror = () => done(-1);
            opening.onsuccess = () => {
                const database = opening.result;
                const request = database.transaction('outbox').objectStore('outbox').count();
                request.onsuccess = () => done(request.result);
                database.close();
            };
        })""")

    def find(self):
        """Opens the finder by its shortcut, which is loaded after the first view."""
        end = time.monotonic() + PATIENCE
        while not self.page.locator("dialog.finder").count():
            assert time.monotonic() < end, "Ctrl+K opens the finder"
            self.page.keyboard.press("Control+k")
            self.page.wait_for_timeout(100)
        self.page.wait_for_selector("dialog.finder input:focus")

    def has(self, requests, count=1):
        """Waits until a route has put so many requests into this list."""
        self.until(lambda: len(requests) >= count, f"{count} requests")

    def texts(self):
        return self.page.locator(".rows:not(.waiting) .text").all_text_contents()

    def shot(self, name):
        if self.stage.shots:
            self.page.screenshot(path=str(self.stage.shots / f"{name}.png"))

    def axe(self, where):
        found = Axe().run(self.page).response["violations"]
        assert not found, f"{where}: " + "; ".join(f"{one['id']} {one['nodes'][0]['html'][:160]}" for one in found)


class Phone:
    """An app of an account: its calls have a key and a token, and python-socketio holds its socket in one room."""

    def __init__(self, stage, person, place, room):
        self.base, self.token = stage.base, ""
        login = self.call("POST", "users/login", {"email": person.email, "password": PASSWORD})
        self.token = login["token"]["accessToken"]
        self.chats = f"workspaces/{place}/channels/{room}/chats"
        self.call("GET", self.chats)
        self.heard = queue.Queue()
        namespace = f"/ws-channel-{room}"
        self.socket = socketio.Client(reconnection=False)
        self.socket.on("channel", self.heard.put, namespace=namespace)
        self.socket.connect(self.base, namespaces=[namespace], wait_timeout=PATIENCE)

    def call(self, method, path, body=None, raw=False):
        headers = {"SesacKey": KEY, "Content-Type": "application/json", "Authorization": self.token}
        request = urllib.request.Request(
            f"{self.base}/v1/{path}", body and json.dumps(body).encode(), headers, method=method)
        with urllib.request.urlopen(request, timeout=PATIENCE) as answer:
            return answer.read() if raw else json.load(answer)

    def close(self):
        self.socket.disconnect()


class Stage:
    def __init__(self, options, base, admin, invitation, browser):
        self.base, self.admin = base, admin
        self.invitation = invitation
        self.browser = browser
        self.shots = pathlib.Path(options.shots) if options.shots else None
        self.troubles = []
        self.session = json.load(urllib.request.urlopen(self.base + "/web/session"))
        self.workspace = f"{SCRIPT[:20]} {STAMP}"

    def post(self, path, body=b"", method="POST"):
        return urllib.request.urlopen(urllib.request.Request(self.base + path, body, method=method)).read()

    @contextlib.contextmanager
    def lost_answers(self, times):
        """The next answers to posted chats are lost after they happened."""
        self.post("/_dev/faults", json.dumps({"match": {"path": "*/chats", "method": "POST", "times": times},
                                              "effect": {"kind": "answerLost"}}).encode())
        yield
        self.post("/_dev/faults", method="DELETE")


def signing(stage):
    """Sign-up, a wrong password, a forgotten one."""
    mina, joon = stage.mina, stage.joon
    mina.visit()
    mina.page.wait_for_selector("input[name=email]")
    mina.axe("sign-in")
    mina.page.get_by_role("button", name="비밀번호를 잊었어요").click()
    mina.axe("forgotten password")
    mina.page.fill("input[name=email]", mina.email)
    mina.page.click("button[type=submit]")
    mina.page.wait_for_selector("text=메일을 확인하세요")
    mina.sign_up()
    mina.axe("without a workspace")
    mina.shot("welcome")
    joon.sign_in("Wrong1234!")
    joon.page.wait_for_selector(".trouble:has-text('do not match')")
    joon.sign_up()


def places(stage):
    """A workspace, an invitation, a channel; hostile names are text."""
    mina, joon = stage.mina, stage.joon
    page = mina.page
    page.get_by_role("button", name="새 워크스페이스").first.click()
    page.fill("dialog[open] input[name=name]", stage.workspace)
    page.fill("dialog[open] textarea", "우리끼리 쓰는 곳")
    page.set_input_files("dialog[open] input[type=file]", {"name": "p.png", "mimeType": "image/png", "buffer": PICTURE})
    page.click("dialog[open] button[type=submit]")
    page.wait_for_selector(f".rooms .title bdi")
    assert page.inner_text(".rooms .title bdi") == stage.workspace
    page.click(".rooms .title")
    page.locator("dialog[open]").get_by_role("button", name="사람 초대하기").click()
    page.fill("dialog[open] input[name=email]", joon.email)
    with mina.told("함께해요"):
        page.click("dialog[open] button[type=submit]")
    page.get_by_role("button", name="채널 찾기 · 만들기").click()
    page.locator("dialog[open]").get_by_role("button", name="새 채널").click()
    page.fill("dialog[open] input[name=name]", f"정원 {STAMP}")
    page.fill("dialog[open] textarea", "주말에 감 따기")
    page.click("dialog[open] button[type=submit]")
    page.wait_for_selector("header h1:has-text('정원')")
    mina.shot("empty-room")
    mina.axe("an empty channel")
    # The first workspace comes without loading the page again.
    joon.page.wait_for_selector(".rooms .title bdi")
    joon.page.get_by_role("button", name="Find or create a channel").click()
    joon.page.locator("dialog[open] .choice", has_text="정원").click()
    joon.page.wait_for_selector("header h1:has-text('정원')")
    joon.page.wait_for_selector(".live.good")


def talking(stage):
    """Two browsers talk in Korean, with pictures and a document."""
    mina, joon = stage.mina, stage.joon
    mina.enter("정원")
    # A third one has an app.
    app = Person(stage, "app", "앱")
    app.sign_up()
    stage.invite(app)
    app.context.close()
    phone = Phone(stage, app, *mina.page.evaluate("location.hash.split('/').slice(1, 3)"))
    mina.write("감이 다 익었어요. 이번 주말에 누가 오나요?\n답을 주세요.")
    joon.sees("감이 다 익었어요")
    joon.write("와, 잘 익었네요! 제가 사다리 가져갈게요 🪜")
    mina.sees("사다리")
    mina.sees("감이 다 익었어요")
    assert mina.page.locator(".by b", has_text=SCRIPT).count() > 0, "a nickname is text"
    mina.page.set_input_files("#room input[type=file]", [
        {"name": f"감 {n}.png", "mimeType": "image/png", "buffer": PICTURE} for n in range(4)
    ] + [{"name": "<script>alert(1)<∕script>.pdf", "mimeType": "application/pdf", "buffer": DOCUMENT}])
    expect(mina.page.locator(".compose .chosen li")).to_have_count(5)
    with mina.told("5개까지"):
        mina.page.set_input_files("#room input[type=file]", {"name": "6.png", "mimeType": "image/png", "buffer": PICTURE})
    mina.write(f"{SCRIPT} <script>alert(2)</script> https://example.com/a?b=1, javascript:alert(3)")
    expect(joon.page.locator(".picture")).to_have_count(4)
    told = [phone.heard.get(timeout=PATIENCE) for _ in range(3)]
    assert [one["content"][:5] for one in told] == ["감이 다 ", "와, 잘 ", SCRIPT[:5]], told
    assert len(told[2]["files"]) == 5 and phone.call("GET", told[2]["files"][0][1:], raw=True) == PICTURE, told[2]
    phone.call("POST", phone.chats, {"content": "앱에서도 보여요"})
    for person in (mina, joon):
        person.sees("앱에서도 보여요")
    phone.close()
    document = joon.page.locator(".document")
    assert document.inner_text().startswith("PDF") and "<script>" in document.inner_text(), document.inner_text()
    assert "_" not in document.get_attribute("download"), "the document keeps its own name"
    with joon.page.expect_download() as saved:
        document.click()
    assert pathlib.Path(saved.value.path()).read_bytes() == DOCUMENT
    joon.sees(SCRIPT)
    links = joon.page.locator(".text a")
    assert links.count() == 1 and links.get_attribute("rel").startswith("noopener"), "one link"
    assert links.get_attribute("href") == "https://example.com/a?b=1"
    joon.page.locator(".picture").first.click()
    joon.page.wait_for_selector("dialog.lightbox img")
    joon.axe("a picture")
    joon.page.keyboard.press("ArrowRight")
    joon.page.wait_for_selector("dialog.lightbox >> text=2 of 4")
    joon.page.keyboard.press("Escape")
    mina.shot("talk")


def direct(stage):
    """A direct message, found by search."""
    mina, joon = stage.mina, stage.joon
    mina.find()
    mina.page.keyboard.type(joon.email)
    mina.page.wait_for_selector(f".results li:has-text('{joon.email}')")
    mina.axe("search")
    mina.page.keyboard.press("Enter")
    mina.page.wait_for_selector(".room-pane header .about:has-text('@')")
    mina.page.wait_for_selector(".live.good")
    mina.write("둘이서만 하는 이야기")
    mina.sees("둘이서만")
    joon.page.reload()
    joon.page.locator("a.room.new", has_text="민아").click()
    joon.sees("둘이서만")


def unread(stage):
    """Counts in the list, the rail and the title equal the server's, and survive a reload."""
    mina, joon = stage.mina, stage.joon
    joon.enter("일반")
    mina.enter("정원")
    for n in range(3):
        mina.write(f"안 읽은 글 {n}")
        mina.sees(f"안 읽은 글 {n}")
    pill = joon.page.locator("a.room", has_text="정원").locator(".pill")
    expect(pill).to_have_text("3")
    expect(joon.page.locator(".rail .count").first).to_have_text("3")
    expect(joon.page).to_have_title(re.compile(r"^\(3\)"))
    joon.shot("unread")
    joon.page.reload()
    expect(pill).to_have_text("3")
    account = joon.page.evaluate("fetch('/web/session').then(answer => answer.json()).then(one => one.account.user_id)")
    marks = json.loads(joon.page.evaluate(f"localStorage.getItem('madang.read.{account}')"))
    place, room = re.search(r"#/([^/]+)/([^/]+)", joon.page.locator("a.room", has_text="정원").get_attribute("href")).groups()
    after = marks["dates"].get(room, marks["since"])
    assert joon.call(f"/workspaces/{place}/channels/{room}/unreads?after={after}")["count"] == 3
    joon.enter("정원")
    joon.page.wait_for_selector(".unread")
    expect(pill).to_be_hidden()
    expect(joon.page).not_to_have_title(re.compile(r"^\("))
    joon.shot("unread-line")
    joon.page.reload()
    joon.page.wait_for_selector(".text")
    joon.page.wait_for_timeout(500)
    expect(pill).to_be_hidden()


def lost(stage):
    """A lost connection loses and repeats nothing."""
    mina, joon = stage.mina, stage.joon
    mina.enter("정원")
    joon.enter("정원")
    mina.context.set_offline(True)
    for n in range(3):
        mina.write(f"끊긴 동안 {n}")
    expect(mina.page.locator(".pending")).to_have_count(3)
    mina.page.wait_for_selector(".pending .state:has-text('연결을 기다려요')")
    mina.page.wait_for_selector(".live.warm")
    mina.shot("waiting")
    mina.axe("chats that wait")
    joon.write("그동안 준이 쓴 글")
    joon.sees("그동안 준이 쓴 글")
    mina.context.set_offline(False)
    for person in (mina, joon):
        for n in range(3):
            person.sees(f"끊긴 동안 {n}")
        person.sees("그동안 준이 쓴 글")
    expect(mina.page.locator(".pending")).to_have_count(0)
    order = [text for text in mina.texts() if text.startswith("끊긴 동안")]
    assert order == [f"끊긴 동안 {n}" for n in range(3)], order
    for times in (1, 3):
        with stage.lost_answers(times):
            mina.write(f"답이 사라진 글 {times}")
            joon.sees(f"답이 사라진 글 {times}")
            mina.sees(f"답이 사라진 글 {times}")
            mina.page.wait_for_timeout(5000)
            mina.sees(f"답이 사라진 글 {times}")
            joon.sees(f"답이 사라진 글 {times}")
    mina.sees("같은 글", 0)
    mina.write("같은 글")
    mina.write("같은 글")
    mina.sees("같은 글", 2)
    joon.sees("같은 글", 2)
    assert mina.texts()[-6:] == joon.texts()[-6:]


def read_only(stage):
    """In read-only mode the chat says so, keeps what is written, also over a reload, and sends it once when the mode ends."""
    mina, joon = stage.mina, stage.joon
    mina.enter("정원")
    joon.enter("정원")
    stage.admin("read-only", "on")
    try:
        for n in range(2):
            mina.write(f"읽기 전용 동안 {n}")
        mina.page.wait_for_selector(".compose .mode:has-text('변경을 받지 않아요')")
        expect(mina.page.locator(".pending .state", has_text="보관 중")).to_have_count(2)
        joon.write("while read-only")
        joon.page.wait_for_selector(".compose .mode:has-text('accepts no changes')")
        expect(joon.page.locator(".pending .state", has_text="Kept here")).to_have_count(1)
        mina.shot("read-only")
        mina.axe("read-only mode")
        mina.page.reload()
        mina.page.wait_for_selector(".compose .mode:has-text('변경을 받지 않아요')")
        expect(mina.page.locator(".pending .state", has_text="보관 중")).to_have_count(2)
    finally:
        stage.admin("read-only", "off")
    for person in (mina, joon):
        for text in ("읽기 전용 동안 0", "읽기 전용 동안 1", "while read-only"):
            person.sees(text)
        expect(person.page.locator(".compose .mode")).to_be_hidden()
        expect(person.page.locator(".pending")).to_have_count(0)


def invited(stage):
    """An invited address signs up without a code; after the right password a disabled account is named as such."""
    yuna = Person(stage, "yuna", "Yuna", language="en-US")
    stage.admin("invite", "create", yuna.email)
    page = yuna.page
    yuna.visit()
    page.get_by_role("button", name="Create an account").click()
    for name, value in (("nickname", "Sora"), ("email", yuna.email), ("password", PASSWORD)):
        page.fill(f"input[name={name}]", value)
    page.click("button[type=submit]")
    page.wait_for_selector("nav.rail")
    stage.admin("users", "disable", yuna.email, "--yes")
    page.wait_for_selector("input[name=email]")
    for password, words in (("Wrong-Passw0rd!", "do not match"), (PASSWORD, "has disabled this account")):
        yuna.sign_in(password)
        page.wait_for_selector(f".trouble:has-text('{words}')")
    yuna.context.close()


def lines(stage):
    """A text of several lines with a file, whose ends of lines the form changes, is found in the history: it stays one."""
    mina, joon = stage.mina, stage.joon
    with stage.lost_answers(3):
        mina.page.set_input_files("#room input[type=file]", {"name": "줄.png", "mimeType": "image/png", "buffer": PICTURE})
        mina.write("첫 줄\n둘째 줄")
        joon.sees("첫 줄")
        mina.sees("첫 줄")
        mina.page.wait_for_timeout(5000)
        for person in (mina, joon):
            person.sees("첫 줄")
    expect(mina.page.locator(".pending")).to_have_count(0)


def links(stage):
    """Reading a text takes time in proportion to its length, however hostile it is."""
    for beginning, part, end in ("https://a/", "!", "x"), ("", "https://a/", ""), ("", "https://[", ""):
        short, long = stage.mina.page.evaluate("""async (texts) => {
            const { linked } = await import('/chat-links.js');
            const time = (text) => {
                const began = performance.now();
                linked(text);
                return performance.now() - began;
            };
            return texts.map((text) => Math.min(...[1, 2, 3].map(() => time(text))));
        }""", [beginning + part * count + end for count in (2_500, 20_000)])
        # Eight times the length takes far less than 64 times as long.
        assert long < 30 * short + 300, f"{part}: {short:.0f} and {long:.0f} ms"


def reload(stage):
    """A chat that waits survives a reload and is sent once."""
    mina, joon = stage.mina, stage.joon
    mina.page.route("**/chats", lambda route: route.abort() if route.request.method == "POST" else route.continue_())
    mina.page.set_input_files("#room input[type=file]", {"name": "늦은.png", "mimeType": "image/png", "buffer": PICTURE})
    mina.write("다시 열어도 보내질 글")
    mina.page.wait_for_selector(".pending")
    mina.keeps(1)
    mina.page.reload()
    mina.page.wait_for_selector(".pending")
    mina.page.unroute("**/chats")
    for person in (mina, joon):
        person.sees("다시 열어도 보내질 글")
    expect(mina.page.locator(".pending")).to_have_count(0)
    mina.page.wait_for_timeout(2500)
    joon.sees("다시 열어도 보내질 글")


def equal(stage):
    """Of two equal chats that wait, a reload after the first was sent loses none."""
    mina, joon = stage.mina, stage.joon
    free = [0]

    def pass_some(route):
        if route.request.method != "POST":
            return route.continue_()
        free[0] -= 1
        return route.continue_() if free[0] >= 0 else route.abort()

    mina.page.route("**/chats", pass_some)
    for _ in range(2):
        mina.write("두 번 쓴 같은 글")
    expect(mina.page.locator(".pending")).to_have_count(2)
    free[0] = 1
    mina.sees("두 번 쓴 같은 글")
    expect(mina.page.locator(".pending")).to_have_count(1)
    mina.keeps(1)
    mina.page.reload()
    mina.page.wait_for_selector(".pending")
    mina.page.unroute("**/chats")
    for person in (mina, joon):
        person.sees("두 번 쓴 같은 글", 2)
    expect(mina.page.locator(".pending")).to_have_count(0)


def refused(stage):
    """A file that the server refuses: the reason, and a way on."""
    mina = stage.mina
    mina.page.set_input_files("#room input[type=file]", {"name": "a.exe", "mimeType": "application/x", "buffer": b"MZ" * 200})
    mina.write("거절될 글")
    mina.page.wait_for_selector(".pending.trouble")
    mina.shot("refused")
    mina.axe("a refused chat")
    # The second click comes to the place where "discard" is now.
    mina.page.get_by_role("button", name="다시 보내기").dblclick()
    mina.page.wait_for_selector(".pending.trouble")
    mina.page.get_by_role("button", name="고치기").click()
    assert mina.page.input_value("#composer") == "거절될 글"
    mina.page.locator(".compose .chosen .close").click()
    mina.page.press("#composer", "Enter")
    mina.sees("거절될 글")


def polling(stage):
    """Where WebSockets do not come through, chats arrive by long-polling."""
    joon = stage.joon
    other = Person(stage, "joon", SCRIPT)
    other.page.add_init_script("globalThis.WebSocket = class { constructor() { setTimeout(() => this.onclose?.()) } close() {} }")
    other.sign_in()
    other.page.wait_for_selector("a.room")
    other.enter("정원")
    joon.enter("정원")
    joon.write("긴 물음으로도 와요")
    other.sees("긴 물음으로도 와요")
    joon.write("또 와요")
    other.sees("또 와요")
    other.context.close()


def carrying(stage):
    """Files by dropping and pasting; a notification while the page is in the background."""
    mina, joon = stage.mina, stage.joon
    joon.enter("정원")
    carry = """([event, place, name]) => {
        const data = new DataTransfer();
        data.items.add(new File([Uint8Array.from(atob('iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAIAAACQd1PeAAAADElEQVR4nGP4z8AAAAMBAQDJ/pLvAAAAAElFTkSuQmCC'), one => one.charCodeAt(0))], name, {type: 'image/png'}));
        const made = event === 'paste' ? new ClipboardEvent('paste', {clipboardData: data, bubbles: true, cancelable: true})
            : new DragEvent(event, {dataTransfer: data, bubbles: true, cancelable: true});
        document.querySelector(place).dispatchEvent(made);
    }"""
    joon.page.evaluate(carry, ["dragenter", ".talk", "놓은.png"])
    joon.page.wait_for_selector(".drop-here", state="visible")
    joon.shot("drop")
    joon.page.evaluate(carry, ["drop", ".talk", "놓은.png"])
    joon.page.wait_for_selector(".drop-here", state="hidden")
    joon.page.evaluate(carry, ["paste", "#composer", "image.png"])
    expect(joon.page.locator(".compose .chosen li")).to_have_count(2)
    joon.page.press("#composer", "Enter")
    expect(mina.page.locator(".row:last-child .picture")).to_have_count(2)
    joon.page.evaluate("""() => {
        globalThis.notices = [];
        globalThis.Notification = class { static permission = 'granted'; constructor(...values) { notices.push(values); } };
        localStorage.setItem('madang.notices', 'on');
    }""")
    joon.enter("일반")
    mina.enter("정원")
    mina.write("알림으로 와요")
    mina.sees("알림으로 와요")
    expect(joon.page.locator("a.room", has_text="정원").locator(".pill")).to_have_text("1")
    notices = joon.page.evaluate("notices")
    assert len(notices) == 1 and notices[0][1]["body"] == "알림으로 와요", notices


def restart(stage):
    """The server is gone for a while: chats written meanwhile arrive once."""
    mina, joon = stage.mina, stage.joon
    mina.enter("정원")
    joon.enter("정원")
    stage.post("/_dev/restart", b'{"milliseconds": 1500}')
    mina.write("쉬는 동안 민아")
    joon.write("쉬는 동안 준")
    for person in (mina, joon):
        person.sees("쉬는 동안 민아")
        person.sees("쉬는 동안 준")
    mina.page.wait_for_timeout(2500)
    for person in (mina, joon):
        person.sees("쉬는 동안 민아")
        person.sees("쉬는 동안 준")
        person.page.wait_for_selector(".live.good")
    assert mina.texts()[-4:] == joon.texts()[-4:], (mina.texts()[-4:], joon.texts()[-4:])


def far(stage):
    """Many unread chats: a way to the first, and from there on without a gap."""
    mina, joon = stage.mina, stage.joon
    mina.enter("일반")
    room = f"{stage.workspace}/정원 {STAMP}"
    for n in range(420):
        stage.post(f"/_dev/people/{joon.email}/post", json.dumps({"in": room, "text": f"많은 글 {n}."}).encode())
    mina.enter("정원")
    mina.sees("많은 글 0.")
    mina.page.wait_for_selector(".unread")
    mina.enter("일반")
    mina.page.reload()
    mina.page.wait_for_selector(".live.good")
    mina.enter("정원")
    mina.page.locator(".jump.earlier:not([hidden])").click()
    mina.sees("많은 글 0.")
    mina.page.wait_for_selector(".unread")
    mina.shot("first-unread")
    seen = set()
    end = time.monotonic() + 2 * PATIENCE
    while time.monotonic() < end:
        seen.update(text for text in mina.texts() if text.startswith("많은 글"))
        assert mina.page.locator(".row").count() <= 200, "a bounded number of rows"
        if "많은 글 419." in seen:
            break
        mina.page.locator(".talk").evaluate("element => element.scrollBy(0, 2500)")
        mina.page.wait_for_timeout(60)
    assert len(seen) == 420, len(seen)
    mina.page.locator(".jump:not(.earlier):not([hidden])").or_(mina.page.locator("#composer")).first.click()
    end = time.monotonic() + 2 * PATIENCE
    while time.monotonic() < end:
        mina.page.locator(".talk").evaluate("element => element.scrollBy(0, -2500)")
        mina.page.wait_for_timeout(60)
        if mina.page.locator(".beginning h2").count():
            break
    assert mina.texts()[0].startswith("감이 다 익었어요"), mina.texts()[0]
    mina.page.keyboard.press("Escape")


def unreachable(stage):
    """A room that is opened without a connection says so, and is read when the connection is back."""
    joon = stage.joon
    joon.page.reload()
    joon.page.wait_for_selector(".live.good")
    room = "정원" if "일반" in joon.page.inner_text("header h1") else "일반"
    joon.context.set_offline(True)
    joon.page.locator("a.room", has_text=room).first.click()
    joon.page.wait_for_selector(".beginning .button")
    joon.shot("unreachable")
    joon.context.set_offline(False)
    joon.page.wait_for_selector(".beginning h2, .row")
    joon.page.wait_for_selector(".live.good")


@tried
def quick(stage):
    """The room stands soon after the sign-in."""
    stage.joon.enter("정원")
    stage.joon.page.reload()
    stage.joon.page.wait_for_selector(".text")
    took = stage.joon.page.evaluate("""() => performance.getEntriesByName('madang-room-shown')[0].startTime
        - performance.getEntriesByName('madang-signed-in')[0].startTime""")
    print(f"  {took:.0f} ms from the session to the room")
    assert took < 1000


def drafts(stage):
    """A draft stays with its room, over a reload too."""
    joon = stage.joon
    joon.enter("정원")
    joon.page.fill("#composer", "아직 보내지 않은 글")
    joon.enter("일반")
    assert joon.page.input_value("#composer") == ""
    joon.page.reload()
    joon.enter("정원")
    expect(joon.page.locator("#composer")).to_have_value("아직 보내지 않은 글")
    joon.page.fill("#composer", "")
    joon.page.wait_for_timeout(600)


def keyboard(stage):
    """Sign in, find a room, write, read and sign out without a pointer."""
    sora = Person(stage, "sora", "소라")
    sora.sign_up()
    stage.invite(sora)
    press = sora.page.keyboard.press
    # A page without a session loads itself again.
    sora.page.goto("about:blank")
    sora.context.clear_cookies()
    sora.page.goto(stage.base)
    sora.page.wait_for_selector("input[name=email]:focus")
    sora.page.keyboard.type(sora.email)
    press("Tab")
    sora.page.keyboard.type(PASSWORD)
    press("Enter")
    sora.page.wait_for_selector("nav.rooms a.room")
    sora.page.wait_for_selector("#composer:focus")
    sora.find()
    sora.page.keyboard.type("정원")
    sora.page.wait_for_selector(".results li:has-text('정원')")
    press("Enter")
    sora.page.wait_for_selector("header h1:has-text('정원')")
    sora.page.wait_for_selector("#composer:focus")
    sora.page.keyboard.type("자판으로만 썼어요")
    press("Shift+Enter")
    sora.page.keyboard.type("두 줄로")
    press("Enter")
    sora.sees("자판으로만 썼어요\n두 줄로")
    sora.keeps(0)
    sora.is_live()
    sora.page.wait_for_selector(".talk:not([aria-busy])")
    press("ArrowUp")
    press("ArrowUp")
    assert sora.page.evaluate("document.activeElement.matches('.chat')"), "arrow keys go through the chats"
    press("Escape")
    sora.page.wait_for_selector("#composer:focus")
    press("Alt+ArrowUp")
    sora.page.wait_for_selector("header h1:has-text('일반')")
    press("Control+/")
    sora.page.wait_for_selector("dialog[open] .keys")
    sora.axe("shortcuts")
    press("Escape")
    expect(sora.page.locator("dialog")).to_have_count(0)
    press("Alt+i")
    sora.page.wait_for_selector("dialog[open] .people")
    sora.axe("a room's sheet")
    press("Escape")
    expect(sora.page.locator("dialog")).to_have_count(0)
    press("Alt+p")
    sora.page.wait_for_selector("dialog.profile")
    sora.axe("profile")
    for _ in range(30):
        press("Tab")
        if sora.page.evaluate("document.activeElement.textContent") == "로그아웃":
            break
    press("Enter")
    sora.page.wait_for_selector("input[name=email]")
    kept = sora.page.evaluate("Object.keys(localStorage)")
    assert set(kept) <= {"madang.language"}, f"nothing of the account stays in the browser: {kept}"
    assert sora.waiting() == 0, "no chat that waits stays"


def opening(stage):
    """Several presses while a part of the page loads open it once."""
    person = Person(stage, "bora", "보라")
    person.sign_up()
    stage.invite(person)
    # Nothing that the page loads now comes among the requests.
    person.page.goto("about:blank")
    loads = []
    person.page.route("**/chat-find.js", lambda route: loads.append(route))
    person.page.goto(stage.base)
    person.page.wait_for_selector("nav.rooms a.room")
    for _ in range(3):
        person.page.click(".rooms button.find")
    person.has(loads)
    loads[0].continue_()
    person.page.wait_for_selector("dialog.finder")
    expect(person.page.locator("dialog")).to_have_count(1)
    person.context.close()


def linked(stage):
    """The address of a channel that is not joined shows a card, and its button joins the channel."""
    person = Person(stage, "hani", "하니")
    person.sign_up()
    stage.invite(person)
    person.page.reload()
    person.is_live()
    person.page.evaluate("""async () => {
        const { state } = await import('/chat-state.js');
        const { channel_id } = state.place.channels.find(one => one.name.startsWith('정원'));
        location.hash = `#/${state.place.id}/${channel_id}`;
    }""")
    person.page.click(".none .does .button.main")
    person.page.wait_for_selector(".room-pane header h1:has-text('정원')")
    person.is_live()
    person.context.close()


def latest(stage):
    """A workspace that is read late does not open over the one that was chosen since."""
    person = Person(stage, "duri", "두리")
    person.sign_up()
    slow, quick = person.page.evaluate("""async () => {
        const { send } = await import('/chat-calls.js');
        const made = [];
        for (const name of ['느린 곳', '빠른 곳']) {
            const body = new FormData();
            body.append('name', name);
            body.append('description', '');
            made.push((await send('POST', '/workspaces', body)).workspace_id);
        }
        return made;
    }""")
    person.page.goto("about:blank")
    late, is_slow = [], True
    person.page.route(f"**/workspaces/{slow}", lambda route: late.append(route) if is_slow else route.continue_())
    person.page.goto(f"{stage.base}/#/{quick}")
    person.is_live()
    # Other workspaces are read for their counts, too.
    person.has(late)
    rounds = len(late)
    person.page.click(f".rail a[href='#/{slow}']")
    person.has(late, rounds + 1)
    person.page.click(f".rail a[href='#/{quick}']")
    chosen = person.page.evaluate("location.hash")
    is_slow = False
    for route in late:
        with person.page.expect_response(f"**/workspaces/{slow}"):
            route.continue_()
    person.until(lambda: person.page.evaluate(
        "id => import('/chat-state.js').then(({ state }) => state.placeOf(id).loaded)", slow), "the slow one is read")
    person.page.wait_for_timeout(100)
    assert quick in chosen and person.page.evaluate("location.hash").startswith(f"#/{quick}"), person.page.url
    person.context.close()


def phone(stage):
    """On a phone the list comes first, a room slides over it, back returns."""
    person = Person(stage, "phone", "손전화", width=390, height=844, touch=True, scheme="dark")
    person.sign_up()
    stage.invite(person)
    person.page.reload()
    person.page.wait_for_selector("a.room")
    person.shot("phone-list")
    person.axe("the list on a phone")
    assert not person.page.locator(".room-pane").is_visible(), "the list comes first"
    person.page.locator("a.room").first.tap()
    person.page.wait_for_selector("#composer")
    person.page.wait_for_selector(".live.good")
    person.page.fill("#composer", "손전화에서")
    person.page.get_by_role("button", name="보내기").tap()
    person.sees("손전화에서")
    person.shot("phone-room")
    person.axe("a room on a phone")
    wide = person.page.evaluate("document.documentElement.scrollWidth")
    assert wide <= 390, f"nothing is wider than the page: {wide}"
    person.page.go_back()
    person.page.wait_for_selector(".room-pane", state="hidden")
    person.page.set_viewport_size({"width": 360, "height": 640})
    assert person.page.evaluate("document.documentElement.scrollWidth") <= 360
    person.context.close()


def looks(stage):
    """No violation of axe in any scheme and size."""
    joon = stage.joon
    for scheme in ("light", "dark"):
        joon.page.emulate_media(color_scheme=scheme)
        for width in (1280, 390):
            joon.page.set_viewport_size({"width": width, "height": 800})
            joon.page.goto("about:blank")
            joon.page.goto(stage.base)
            joon.page.wait_for_selector("a.room")
            if width == 390:
                joon.page.locator("a.room", has_text="정원").first.click()
            joon.page.wait_for_selector(".text")
            joon.page.wait_for_timeout(300)
            joon.axe(f"{scheme} {width}")
            joon.shot(f"{scheme}-{width}")
    joon.page.emulate_media(color_scheme="light")
    joon.page.set_viewport_size({"width": 1280, "height": 800})


def profile(stage):
    """Nickname, phone and picture; a chat shows the new name."""
    mina = stage.mina
    mina.page.click(".rail .me")
    mina.page.fill("dialog[open] input[name=nickname]", "새 이름")
    mina.page.fill("dialog[open] input[name=phone]", "010-1111-2222")
    with mina.told("저장했어요"):
        mina.page.click("dialog[open] button[type=submit]")
    mina.page.set_input_files("dialog[open] input[type=file]", {"name": "나.png", "mimeType": "image/png", "buffer": PICTURE})
    expect(mina.page.locator(".rail .me img")).to_have_count(1)
    mina.page.keyboard.press("Escape")
    me = mina.call("/users/me")
    assert me["nickname"] == "새 이름" and me["phone"] == "010-1111-2222" and me["profileImage"], me


def ownership(stage):
    """Hand over, leave, delete. An answer from before, which comes late, changes nothing back."""
    mina, joon = stage.mina, stage.joon
    mina.enter("정원")
    late = []
    mina.page.route("**/my-channels", lambda route: late.append((route, route.fetch())), times=1)
    mina.page.evaluate("import('/chat-state.js').then(({ state }) => { window.read = state.readPlace(state.place); })")
    mina.has(late)
    mina.page.click(".more")
    mina.hand_over(joon)
    [(route, answer)] = late
    route.fulfill(response=answer)
    mina.page.evaluate("window.read")
    mina.page.click(".more")
    mina.page.locator("dialog[open]").get_by_role("button", name="채널 나가기").click()
    mina.page.locator("dialog[open] .actions .grave").click()
    expect(mina.page.locator("a.room", has_text="정원")).to_have_count(0)
    joon.page.goto("about:blank")
    joon.page.goto(stage.base)
    joon.enter("정원")
    joon.page.click(".more")
    joon.page.locator("dialog[open]").get_by_role("button", name="Delete").click()
    joon.page.locator("dialog[open] .actions .grave").click()
    expect(joon.page.locator("a.room", has_text="정원")).to_have_count(0)


def editing(stage):
    """A channel and a workspace are edited; names stay text."""
    mina, joon = stage.mina, stage.joon
    mina.enter("정원")
    mina.page.click(".more")
    mina.page.locator("dialog[open]").get_by_role("button", name="편집").click()
    mina.page.fill("dialog[open] input[name=name]", f"정원 <b>{STAMP}")
    mina.page.fill("dialog[open] textarea", "<i>새 설명</i>")
    mina.page.click("dialog[open] button[type=submit]")
    mina.page.wait_for_selector("header .about:has-text('<i>새 설명')")
    mina.page.click(".rooms .title")
    mina.page.locator("dialog[open]").get_by_role("button", name="편집").click()
    mina.axe("the form of a workspace")
    stage.workspace = f"<s>이름 {STAMP}"
    mina.page.fill("dialog[open] input[name=name]", stage.workspace)
    mina.page.click("dialog[open] button[type=submit]")
    expect(mina.page.locator(".rooms .title bdi")).to_have_text(stage.workspace)
    # A name that is taken is said so, and the form stays.
    mina.page.get_by_role("button", name="채널 찾기 · 만들기").click()
    mina.page.locator("dialog[open]").get_by_role("button", name="새 채널").click()
    mina.page.fill("dialog[open] input[name=name]", "일반")
    mina.page.click("dialog[open] button[type=submit]")
    mina.page.wait_for_selector("dialog[open] .trouble:has-text('같은 이름')")
    mina.page.keyboard.press("Escape")
    expect(mina.page.locator("dialog")).to_have_count(0)


def forged(stage):
    """A write without proof is refused; cookies cannot be read by scripts; the policy holds."""
    mina = stage.mina
    told = mina.page.evaluate("""() => fetch('/web/v1/users/me', {method: 'PUT', body: JSON.stringify({nickname: 'x'})})
        .then(async answer => [answer.status, await answer.text()])""")
    assert told == [400, '{"errorCode": "E02"}'] or told == [400, '{"errorCode":"E02"}'], told
    for way in ("exit", "channels/00000000-0000-4000-8000-000000000000/chats"):
        place = mina.page.evaluate("location.hash.split('/')[1]")
        told = mina.page.evaluate("path => fetch('/web/v1/' + path).then(answer => answer.text())", f"workspaces/{place}/{way}")
        assert "E02" in told, f"a read that changes something needs proof: {told}"
    assert mina.page.evaluate("document.cookie") == "", "cookies are HttpOnly"
    policy = urllib.request.urlopen(stage.base + "/").headers["Content-Security-Policy"]
    assert "default-src 'none'" in policy and "unsafe" not in policy, policy


def size(stage):
    """The first view is small."""
    person = Person(stage, "size", "크기")
    person.sign_up()
    stage.invite(person)
    for _ in range(ATTEMPTS):
        person.page.reload()
        person.page.wait_for_selector(".beginning, .text")
        person.until(lambda: person.page.evaluate("performance.getEntriesByName('madang-room-shown').length"), "the room is shown")
        # What is loaded once the room stands does not delay it.
        took, names = person.page.evaluate("""() => {
            const at = name => performance.getEntriesByName(name)[0].startTime;
            const shown = at('madang-room-shown');
            const files = performance.getEntriesByType('resource').filter(one => one.startTime < shown);
            return [shown - at('madang-signed-in'), files.map(one => one.name)];
        }""")
        # After a second without a room the page loads the rest all the same.
        if took < 1000:
            break
    files = {name for name in names if "/web/" not in name} | {stage.base + "/"}
    gzip = [urllib.request.Request(file, headers={"Accept-Encoding": "gzip"}) for file in files]
    sizes = {one.full_url.removeprefix(stage.base): len(urllib.request.urlopen(one).read()) for one in gzip}
    total = sum(sizes.values())
    person.context.close()
    assert 20_000 < total <= FIRST_VIEW, f"{total} bytes: {sizes}"
    print(f"  first view: {total} bytes compressed, {len(files)} files")


def accounts(stage):
    """A page of one account does nothing as another account that signs in beside it."""
    mina, joon = stage.mina, stage.joon
    page = Person(stage, "mina", "Mina")
    page.sign_in()
    page.page.wait_for_selector(".live.good")
    page.page.wait_for_selector(".more:has-text('멤버')")
    page.page.wait_for_selector(".talk:not([aria-busy])")
    before = joon.call("/users/me")["nickname"]
    page.page.click(".rail .me")
    # The dialog opens once the profile was read.
    page.page.wait_for_selector("dialog[open] input[name=nickname]")
    page.page.wait_for_selector("dialog[open] .prices li")
    # As another tab does it.
    status = page.page.evaluate(
        """async ([email, password]) => {
            const { proof } = await (await fetch("/web/session")).json();
            const headers = { "X-Madang-Proof": proof, "Content-Type": "application/json" };
            return (await fetch("/web/session", { method: "POST", headers, body: JSON.stringify({ email, password }) })).status;
        }""", [joon.email, PASSWORD])
    assert status == 200, status
    page.page.fill("dialog[open] input[name=nickname]", "Stolen")
    with page.page.expect_navigation():
        page.page.locator("dialog[open] button[type=submit]").click()
    page.page.wait_for_selector("nav.rail")
    assert page.call("/users/me")["email"] == joon.email
    assert joon.call("/users/me")["nickname"] == before, "the other account was changed"
    page.context.close()


def places_end(stage):
    """A workspace is handed over, left and deleted; coins are spent and shown."""
    mina, joon = stage.mina, stage.joon
    mina.page.click(".rail > .add")
    mina.page.wait_for_selector("dialog:has-text('지금 90개')")
    mina.page.keyboard.press("Escape")
    mina.page.click(".rooms .title")
    mina.hand_over(joon)
    mina.page.click(".rooms .title")
    mina.page.locator("dialog[open]").get_by_role("button", name="워크스페이스 나가기").click()
    mina.page.locator("dialog[open] .actions .grave").click()
    expect(mina.page.locator(".rail li")).to_have_count(0)
    mina.page.wait_for_selector(".room-pane .none h1")
    joon.page.goto("about:blank")
    joon.page.goto(stage.base)
    joon.page.click(".rooms .title")
    joon.page.locator("dialog[open]").get_by_role("button", name="Delete").click()
    joon.page.locator("dialog[open] .actions .grave").click()
    expect(joon.page.locator(".rail li")).to_have_count(0)


def everywhere(stage):
    """Signed out everywhere: another browser of the account returns to the sign-in."""
    mina = stage.mina
    other = Person(stage, "mina", "Mina")
    other.sign_in()
    other.page.wait_for_selector("nav.rail")
    mina.page.click(".rail .me")
    mina.page.locator("dialog[open]").get_by_role("button", name="모든 기기에서 로그아웃").click()
    mina.page.locator("dialog[open] .actions .grave").click()
    mina.page.wait_for_selector("input[name=email]")
    # The page may load itself again meanwhile.
    with contextlib.suppress(Error):
        other.page.evaluate("document.dispatchEvent(new Event('visibilitychange'))")
    other.page.wait_for_selector("h1:has-text('세션이 끝났어요')")
    other.page.wait_for_selector("input[name=email]")
    other.context.close()


CHECKS = [signing, places, talking, links, direct, unread, lost, read_only, invited, lines, reload, equal, refused,
          polling, carrying, restart, far, unreachable, quick, drafts, keyboard, opening, linked, latest, phone, looks, profile,
          editing, forged, size, ownership, accounts, places_end, everywhere]


@contextlib.contextmanager
def server(madang):
    """The URL of a server, what runs `madang admin` on it, and the code of an invitation to it."""
    with tempfile.TemporaryDirectory() as data, asyncio.Runner() as runner:
        program = Program.development(madang, data, {"MADANG_WEB_SIGNUP": "invitation", "MADANG_WEB_NAME": "마당"})
        runner.run(program.__aenter__())
        try:
            def admin(*words):
                return subprocess.run(
                    [madang, "admin", *words, "--data", data, "--json"], check=True, capture_output=True).stdout

            yield program.url, admin, json.loads(admin("invite", "create", "--code", "--uses", "20"))["code"]
        finally:
            runner.run(program.__aexit__())


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("madang")
    parser.add_argument("--shots", help="a directory for pictures")
    parser.add_argument("--first", action="store_true", help="stop at the first failure")
    parser.add_argument("--until", help="stop after this check")
    parser.add_argument("--load", action="store_true", help="measure a room of 100,000 chats instead")
    options = parser.parse_args()
    failed = passed = 0
    chromium = next(filter(None, map(shutil.which, PROGRAMS)), None) or sys.exit("needs a Chromium")
    with server(options.madang) as (base, admin, invitation), sync_playwright() as playwright:
        expect.set_options(timeout=PATIENCE * 1000)
        browser = playwright.chromium.launch(executable_path=chromium, args=["--no-sandbox"])
        if options.load:
            from web_load import measure
            sys.exit(measure(base, browser))
        try:
            stage = Stage(options, base, admin, invitation, browser)
            stage.mina = Person(stage, "mina", f"민아 {SCRIPT[:20]}")
            stage.joon = Person(stage, "joon", SCRIPT, language="en-US")

            def invite(person):
                place = stage.mina.page.evaluate("location.hash.split('/')[1]")
                stage.mina.page.evaluate("""async ([place, email]) => {
                    const calls = await import('/chat-calls.js');
                    await calls.send('POST', `/workspaces/${place}/members`, {email});
                }""", [place, person.email])
            stage.invite = invite
            for check in CHECKS:
                began = time.time()
                try:
                    check(stage)
                    if stage.troubles:
                        raise AssertionError("; ".join(stage.troubles))
                    passed += 1
                    print(f"ok   {check.__name__}: {check.__doc__} ({time.time() - began:.1f} s)", flush=True)
                except Exception as error:
                    failed += 1
                    where = traceback.extract_tb(error.__traceback__)[-1 if isinstance(error, AssertionError) else 1]
                    print(f"FAIL {check.__name__}: {where.line}: {str(error)[:600]}", flush=True)
                    for name in ("mina", "joon"):
                        with contextlib.suppress(Exception):
                            getattr(stage, name).shot(f"fail-{check.__name__}-{name}")
                            getattr(stage, name).page.keyboard.press("Escape")
                    stage.troubles.clear()
                if options.until == check.__name__ or (failed and options.first):
                    break
        finally:
            browser.close()
    print(f"{passed} passed, {failed} failed")
    sys.exit(1 if failed else 0)


if __name__ == "__main__":
    main()
