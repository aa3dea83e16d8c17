"""The developer's console in a real Chromium: what a person at it does, by mouse and by keyboard alone.

    python Tests/Foreign/console_check.py .build/debug/madang [--axe] [--only CHECK,...]
    python Tests/Foreign/console_check.py .build/release/madang --load [--seconds 60]

Runs a server in development mode. Needs playwright from PyPI and a Chromium; `--axe`, which looks at every page in both
languages, schemes and widths, also needs axe-playwright-python. Takes less than 90 seconds without `--axe`. Exits 0 when
every check held. `--load` measures instead: 10,000 events a minute, by the browser's own tracing.
"""

import argparse
import asyncio
import contextlib
import gzip
import http.client
import json
import re
import shutil
import subprocess
import sys
import tempfile
import time
import traceback
import urllib.error
import urllib.request

from playwright.sync_api import Error, expect, sync_playwright

from browser import PROGRAMS
from program import Program

PATIENCE = 45_000
PASSWORD = "Passw0rd!"
WRONG = "Wr0ng-but-secret!"
KEY = {"SesacKey": "dev-key-2024-10"}
# Each would run, close a tag, or turn text around if it were not shown as text.
HOSTILE = [
    "<img src=x onerror=hit=1>", "<script>hit=1</script>", '"><b onmouseover=hit=1>', "\u202egnp.exe", "javascript:hit=1"]
PAGES = [
    "live", "people/mina@example.com", "sockets", "worlds", "clock", "faults", "scripts", "seeds", "review", "coverage",
    "pushes", "mails", "payments", "tokens", "phone", "contract"]
# All files of the console, compressed.
LARGEST = 150_000


class Wire:
    """Calls of a server or a world."""

    def __init__(self, url):
        self.url = url
        self.secrets = set()

    def __call__(self, method, path, body=None, headers=None):
        """The status and the answer."""
        data = body if isinstance(body, bytes | None) else json.dumps(body).encode()
        request = urllib.request.Request(self.url + path, data, headers or {}, method=method)
        if data is not None and not request.has_header("Content-type"):
            request.add_header("Content-Type", "application/json")
        try:
            with urllib.request.urlopen(request, timeout=30) as answer:
                return answer.status, read(answer)
        except urllib.error.HTTPError as error:
            return error.code, read(error)

    def many(self, count):
        """So many refused requests, over one connection."""
        connection = http.client.HTTPConnection(self.url.removeprefix("http://"))
        for _ in range(count):
            connection.request("GET", "/v1/nothing", headers=KEY)
            connection.getresponse().read()
        connection.close()

    def sign_in(self, name):
        """The headers of a person."""
        _, login = self("POST", "/v1/users/login", {"email": f"{name}@example.com", "password": PASSWORD}, KEY)
        self.secrets |= set(login["token"].values())
        return KEY | {"Authorization": login["token"]["accessToken"]}

    def workspace(self, name, headers):
        return next(one["workspace_id"] for one in self("GET", "/v1/workspaces", headers=headers)[1] if one["name"] == name)

    def room(self, workspace, name, headers):
        found = self("GET", f"/v1/workspaces/{workspace}/channels", headers=headers)[1]
        return next(one["channel_id"] for one in found if one["name"] == name)


def read(answer):
    text = answer.read().decode()
    try:
        return json.loads(text)
    except ValueError:
        return text


class Stage:
    """The console of a server, open at a world of its own."""

    def __init__(self, base, browser):
        self.base = base
        self.server = Wire(base)
        made = self.server("POST", "/_dev/worlds", {"seed": "courtyard"})[1]
        self.world, self.wire = made["id"], Wire(made["url"])
        self.name = f"in the browser {self.world}"
        self.troubles = []
        self.answers = []
        self.context = browser.new_context(locale="en-GB", viewport={"width": 1280, "height": 800}, reduced_motion="reduce")
        self.page = self.context.new_page()
        self.page.set_default_timeout(PATIENCE)
        expect.set_options(timeout=PATIENCE)
        self.watch(self.page)

    def watch(self, page):
        page.on("pageerror", lambda error: self.troubles.append(f"error: {error}"))
        page.on("dialog", lambda dialog: (self.troubles.append(f"dialog: {dialog.message}"), dialog.dismiss()))
        page.on("console", lambda message: self.troubles.append(f"console: {message.text}")
                if message.type == "error" and "Failed to load resource" not in message.text else None)
        page.on("response", lambda response: self.answers.append(response) if "/journal?" in response.url else None)

    def bodies(self):
        """The journal's answers. The browser keeps none of a page that was left."""
        bodies = []
        for answer in self.answers:
            with contextlib.suppress(Error):
                if answer.ok:
                    bodies.append(answer.text())
        return bodies

    def open(self, path, page=None):
        (page or self.page).goto(f"{self.base}/_dev/#/{self.world}/{path}")

    def narrow(self, query, count=None):
        """Writes a query; with `count` so many rows are left."""
        self.page.get_by_role("combobox", name="Filter").fill(query)
        if count is not None:
            expect(self.rows).to_have_count(count)

    @property
    def rows(self):
        return self.page.locator("console-list [role=option]:not([hidden])")

    @property
    def said(self):
        return self.page.locator(".toast").last

    def press(self, name):
        self.page.get_by_role("button", name=name, exact=True).click()


def refused(stage):
    """A refused call is followed to its reason and the contract's paragraph, cured from there, and sent again."""
    page, wire = stage.page, stage.wire
    book = wire.workspace("Book club", wire.sign_in("mina"))
    answer = wire("GET", f"/v1/workspaces/{book}/channels", headers=wire.sign_in("sora"))
    assert answer == (400, {"errorCode": "E13"}), answer
    stage.open("live")
    stage.narrow("person:sora outcome:refused", 1)
    expect(stage.rows.first).to_contain_text("E13")
    # A click that comes before the frame in which the list is drawn again.
    stage.rows.first.evaluate("row => { row.closest('console-list').refresh(); row.click(); }")
    why = page.locator(".opened-row .why")
    expect(why).to_contain_text("not a member")
    expect(why).to_contain_text("Book club")
    expect(why).to_contain_text("Joon")
    contract = page.evaluate("() => fetch('contract.md').then(answer => answer.text())").replace("`", "")
    paragraph = next(line for line in contract.split("\n") if line.startswith("| E13 |"))
    for cell in paragraph.strip("| ").split(" | "):
        expect(why.locator("blockquote")).to_contain_text(cell)
    why.get_by_role("link", name="Error codes").click()
    expect(page.locator("#contract-error-codes")).to_be_focused()
    page.go_back()
    expect(stage.rows).to_have_count(1)
    if not page.locator(".opened-row").is_visible():
        stage.rows.first.click()
    stage.press("Let 소라 into Book club")
    expect(stage.said).to_contain_text("is in Book club")
    stage.press("Send again")
    expect(stage.said).to_contain_text("Sent again")
    stage.narrow("person:sora operation:channels outcome:ok", 1)
    expect(stage.rows.first).to_contain_text("200")


def fault(stage):
    """A fault is switched on from the list, its hit seen, and it is switched off."""
    page, wire = stage.page, stage.wire
    mina = wire.sign_in("mina")
    stage.open("faults")
    page.get_by_role("button", name="status").first.click()
    form = page.get_by_role("form", name="status")
    form.get_by_label("status", exact=True).fill("503")
    form.get_by_label("operation").select_option("me")
    form.get_by_role("button", name="Switch on").click()
    rule = page.get_by_role("list", name="Switched on").get_by_role("listitem")
    expect(rule).to_have_count(1)
    assert wire("GET", "/v1/users/me", headers=mina)[0] == 503
    expect(rule).to_contain_text("1 of 1")
    rule.get_by_role("link", name="Hits").click()
    expect(stage.rows.filter(has_text="fault: status 503")).to_have_count(1)
    stage.open("faults")
    rule.get_by_role("button", name="Switch off").click()
    expect(rule).to_have_count(0)
    assert wire("GET", "/v1/users/me", headers=mina)[0] == 200


def socket(stage):
    """A session is listed with its person and room, cut, and gone."""
    page, wire = stage.page, stage.wire
    mina = wire.sign_in("mina")
    weekend = wire.workspace("Weekend", mina)
    room = wire.room(weekend, "ios", mina)
    opened = wire("GET", "/socket.io/?EIO=4&transport=polling")[1]
    path = f"/socket.io/?EIO=4&transport=polling&sid={json.loads(opened[1:])['sid']}"
    assert wire("POST", path, f"40/ws-channel-{room},".encode(), mina | {"Content-Type": "text/plain"})[0] == 200
    assert wire("GET", path)[0] == 200
    stage.open("sockets")
    row = page.locator("tbody tr", has_text="polling")
    expect(row).to_have_count(1)
    row.get_by_role("button", name="Cut").click()
    expect(row).to_have_count(0)
    assert wire("GET", path)[0] == 400, "its session is over"
    stage.open("live")
    stage.narrow("kind:socket")
    expect(stage.rows.filter(has_text="closed").first).to_be_visible()


def worlds(stage):
    """A world is made, kept as a snapshot, restored, reset and removed."""
    page = stage.page
    stage.open("worlds")
    page.get_by_label("Name", exact=True).fill(stage.name)
    page.get_by_role("button", name="Make a world").dblclick()
    card = page.get_by_role("article", name=stage.name)
    # The page is drawn again for the new world.
    expect(card.get_by_text("shown", exact=True)).to_be_visible()
    [made] = [one for one in stage.server("GET", "/_dev/worlds")[1] if one["name"] == stage.name]
    wire = Wire(made["url"])

    def post(text):
        assert wire("POST", "/_dev/people/mina/post", {"in": "Weekend/ios", "text": text})[0] == 200

    def has(text):
        mina = wire.sign_in("mina")
        weekend = wire.workspace("Weekend", mina)
        room = wire.room(weekend, "ios", mina)
        chats = wire("GET", f"/v1/workspaces/{weekend}/channels/{room}/chats", headers=mina)[1]
        return any(one["content"] == text for one in chats)
    post("before the snapshot")
    card.get_by_role("textbox").fill("signed <b>in")
    card.get_by_role("button", name="Take a snapshot").click()
    restore = card.locator(".snapshots").get_by_role("button").first
    expect(restore).to_be_visible()
    post("after the snapshot")
    restore.click()
    expect(stage.said).to_contain_text("Restored “signed <b>in”")
    assert has("before the snapshot") and not has("after the snapshot"), "restored"
    card.get_by_role("button", name="Reset").click()
    expect(page.locator(".toast", has_text="reset").first).to_be_visible()
    assert not has("before the snapshot"), "reset"
    card.get_by_role("button", name="Remove").click()
    dialog = page.get_by_role("dialog")
    dialog.get_by_role("button", name="Remove").click()
    expect(card).to_have_count(0)
    assert all(one["id"] != made["id"] for one in stage.server("GET", "/_dev/worlds")[1])


def clock(stage):
    """The clock is stopped, moved by a day, set, and runs again."""
    page, wire = stage.page, stage.wire
    stage.open("clock")
    page.locator(".clock-face").get_by_role("button", name="Stop the clock").click()
    expect(page.locator(".clock-face")).to_contain_text("stopped")
    before = wire("GET", "/_dev/clock")[1]
    assert before["rate"] == 0
    page.get_by_role("button", name="1 day").click()
    date = page.locator(".big")
    expect(date).not_to_contain_text(before["now"][:10])
    assert wire("GET", "/_dev/clock")[1]["now"][8:10] != before["now"][8:10]
    page.get_by_label("Date").fill("2027-02-03T04:05:06")
    page.locator("form", has=page.get_by_label("Date")).get_by_role("button").click()
    expect(date).to_have_text("2027-02-03 04:05:06")
    assert wire("GET", "/_dev/clock")[1]["now"] == "2027-02-03T04:05:06.000Z"
    stage.wire("POST", "/_dev/clock", {"set": time.strftime("%Y-%m-%dT%H:%M:%S.000Z", time.gmtime())})
    page.locator(".clock-face").get_by_role("button", name="Run").click()
    expect(page.locator(".clock-face").get_by_role("button", name="Stop")).to_be_visible()
    assert wire("GET", "/_dev/clock")[1]["rate"] == 1


def person(stage):
    """A person is looked at, and acts: a chat is posted in a room."""
    page = stage.page
    stage.open("people/joon@example.com")
    page.get_by_role("link", name="#ios").click()
    field = page.get_by_label("Write as Joon")
    field.fill("from the console")
    field.press("Enter")
    expect(page.get_by_role("list", name="#ios")).to_contain_text("from the console")
    with stage.context.expect_page() as opened:
        page.get_by_role("button", name="Chat as Joon").click()
    expect(opened.value.locator("nav.rail")).to_be_visible()
    me = opened.value.evaluate("() => fetch('/web/v1/users/me').then(answer => answer.json())")
    assert me["email"] == "joon@example.com", me
    opened.value.close()


def place(stage):
    """The list keeps its place while another page is open, and is drawn anew when the window changes after that."""
    page = stage.page
    made = stage.server("POST", "/_dev/worlds", {"seed": "courtyard"})[1]
    Wire(made["url"]).many(80)
    page.goto(f"{stage.base}/_dev/#/{made['id']}/live")
    timeline = page.locator("console-list")
    expect(timeline.locator("[aria-posinset='80']")).to_be_in_viewport()
    timeline.hover()
    page.mouse.wheel(0, -1200)
    expect(page.get_by_role("button", name="Following")).to_have_attribute("aria-pressed", "false")
    top = timeline.evaluate("""async it => {
        for (let before = -1; before !== it.scrollTop;) {
            before = it.scrollTop;
            await new Promise(done => setTimeout(done, 300));
        }
        return it.scrollTop;
    }""")
    assert top > 100, top
    page.get_by_role("link", name="People").click()
    expect(page.get_by_role("list", name="People")).to_be_visible()
    page.get_by_role("link", name="Live").click()
    expect(timeline).to_have_js_property("scrollTop", top)
    page.set_viewport_size({"width": 390, "height": 844})
    expect(stage.rows.first).to_have_css("height", "58px")
    boxes = "all => all.map(one => one.getBoundingClientRect()).sort((one, other) => one.top - other.top).map(it => [it.top, it.bottom])"
    settled = "it => new Promise(done => requestAnimationFrame(() => requestAnimationFrame(done)))"
    timeline.evaluate(settled)
    found = stage.rows.evaluate_all(boxes)
    page.set_viewport_size({"width": 1280, "height": 800})
    stage.server("DELETE", f"/_dev/worlds/{made['id']}")
    assert all(one[1] <= other[0] + 1 for one, other in zip(found, found[1:])), f"rows overlap: {found[:3]}"


def gone(stage):
    """A removed world and a world that never was: the page says so, offers others, and has no clock."""
    page = stage.page
    made = stage.server("POST", "/_dev/worlds", {})[1]["id"]
    page.goto(f"{stage.base}/_dev/#/{made}/live")
    expect(page.get_by_text("Nothing has happened yet")).to_be_visible()
    stage.server("DELETE", f"/_dev/worlds/{made}")
    for name in (made, "nope"):
        page.goto(f"{stage.base}/_dev/#/{name}/live")
        expect(page.get_by_role("heading", name=f"World {name} is gone")).to_be_attached()
        expect(page.get_by_role("button", name="Reset")).to_be_hidden()
        expect(page.get_by_role("button", name="+ 1 h")).to_be_hidden()
    page.get_by_role("main").get_by_role("link", name="all worlds").click()
    expect(page.locator("console-list")).to_be_visible()


def together(stage):
    """All worlds together: those made later come in, and pages that act on one world ask for it."""
    page = stage.page
    page.goto(f"{stage.base}/_dev/#/*/live")
    expect(page.locator("console-list")).to_be_visible()
    made = [stage.server("POST", "/_dev/worlds", {})[1] for _ in range(12)]
    Wire(made[-1]["url"])("GET", "/v1/nothing", headers=KEY)
    stage.narrow(f"world:{made[-1]['id']}")
    expect(stage.rows).to_have_count(1)
    expect(page.locator(".note")).to_contain_text("newest 11 of ")
    page.get_by_role("link", name="Clock").click()
    page.get_by_role("main").get_by_role("link", name=made[-1]["id"], exact=True).click()
    expect(page.locator(".clock-face")).to_be_visible()
    for one in made:
        stage.server("DELETE", f"/_dev/worlds/{one['id']}")


def older(stage):
    """What a search leaves out is said, read on demand, and opened by its number. Here after 30 entries instead of 3000."""
    page = stage.context.new_page()
    few = lambda route: route.fulfill(response=(got := route.fetch()), body=got.text().replace("PAST = 3000", "PAST = 30"))
    page.route("**/console-follow.js", few)
    made = stage.server("POST", "/_dev/worlds", {})[1]
    Wire(made["url"]).many(40)
    page.goto(f"{stage.base}/_dev/#/{made['id']}/live/3")
    expect(page.locator(".opened-row")).to_contain_text("entry 3")
    query, note = page.get_by_role("combobox", name="Filter"), page.locator(".note")
    query.fill("code:E02")
    expect(note).to_contain_text("10 older entries")
    query.fill("account:mina foo:bar")
    expect(note).to_contain_text("no field “foo”")
    page.get_by_role("button", name="Clear the filter").click()
    expect(note).not_to_contain_text("no field")
    page.get_by_role("button", name="Read the rest").click()
    query.fill("status:400 method:get path:nothing")
    expect(page.locator(".count")).to_have_text("40 rows")
    expect(note).to_be_hidden()
    page.goto(f"{stage.base}/_dev/#/{made['id']}/live/4000")
    expect(page.locator(".toast").last).to_contain_text("does not have entry 4000")
    page.close()
    stage.server("DELETE", f"/_dev/worlds/{made['id']}")


def burst(stage):
    """Of a burst the first and the newest entries are listed, and a line says how many are not. Here 20 instead of 250, behind 60 instead of 2000."""
    context = stage.context.browser.new_context(locale="en-GB")
    page = context.new_page()
    few = lambda route: route.fulfill(response=(got := route.fetch()), body=got.text()
                                      .replace("PAGE = 250", "PAGE = 20").replace("BACKLOG = 2000", "BACKLOG = 60"))
    page.route("**/console-follow.js", few)
    made = stage.server("POST", "/_dev/worlds", {})[1]
    page.goto(f"{stage.base}/_dev/#/{made['id']}/live")
    Wire(made["url"]).many(1)
    expect(page.locator(".count")).to_have_text("1 row")
    first = stage.server("POST", f"/_dev/worlds/{made['id']}/journal", {})[1]["last"]
    context.set_offline(True)
    Wire(made["url"]).many(100)
    context.set_offline(False)
    expect(page.get_by_text("60 entries came too fast to be listed")).to_be_visible()
    page.get_by_role("combobox", name="Filter").fill("status:400")
    expect(page.locator(".count")).to_have_text("41 rows")
    # One that is not listed is there all the same.
    page.goto(f"{stage.base}/_dev/#/{made['id']}/live/{first + 50}")
    expect(page.locator(".opened-row")).to_contain_text(f"entry {first + 50}")
    context.close()
    stage.server("DELETE", f"/_dev/worlds/{made['id']}")


def copied(stage):
    """Copied tests have what the call needs: its seed, a fault, a moment, a room of direct messages, a token; or say that it lacks."""
    page = stage.page
    edge = stage.server("POST", "/_dev/worlds", {"seed": "edge", "number": 7})[1]
    made = stage.server("POST", "/_dev/worlds", {"seed": "courtyard"})[1]

    def test_of(world, wire, *parts):
        number = wire("GET", "/_dev/journal?kind=request&limit=20000")[1]["entries"][-1]["number"]
        page.goto(f"{stage.base}/_dev/#/{world['id']}/live/{number}")
        expect(page.locator(".opened-row .under")).to_contain_text(f"entry {number}")
        dialog = page.get_by_role("dialog")
        end = time.monotonic() + PATIENCE / 1000
        while True:
            stage.press("Make a test")
            expect(dialog).to_be_visible()
            missing = [part for part in parts if part not in dialog.text_content()]
            page.keyboard.press("Escape")
            expect(dialog).to_have_count(0)
            if not missing:
                return
            # Names of people and rooms, and faults, may come after the row.
            assert time.monotonic() < end, missing
            page.wait_for_timeout(500)
    wire = Wire(edge["url"])
    wire("GET", "/v1/workspaces", headers=wire.sign_in("mina"))
    test_of(edge, wire, 'seed="edge", number=7')
    wire = Wire(made["url"])
    mina = wire.sign_in("mina")
    weekend = wire.workspace("Weekend", mina)
    room = wire("GET", f"/v1/workspaces/{weekend}/dms", headers=mina)[1][0]["room_id"]
    page.goto(f"{stage.base}/_dev/#/{made['id']}/live")
    wire("GET", f"/v1/workspaces/{weekend}/dms/{room}/chats", headers=mina)
    expect(stage.rows.last).to_contain_text("Mina")
    test_of(made, wire, 'one["room_id"] for one in dms if one["user"]["email"] ==')
    token = wire("POST", "/_dev/social-tokens", {"provider": "kakao", "subject": "9", "email": "new@example.com"})[1]["token"]
    assert wire("POST", "/v1/users/login/kakao", {"oauthToken": token}, KEY)[0] == 200
    test_of(made, wire, "/_dev/social-tokens", '+ made + "')
    wire("POST", f"/v1/workspaces/{weekend}/channels", {"name": "new"}, mina)
    wire("GET", "/v1/users/me", headers=mina)
    test_of(made, wire, "write these calls into the test first: createChannel")
    wire("POST", "/_dev/clock", {"advance": 90_000})
    assert wire("GET", "/v1/users/me", headers=mina) == (400, {"errorCode": "E05"})
    test_of(made, wire, "/_dev/clock", "90000")
    wire("POST", "/_dev/faults", {"effect": {"kind": "answerLost"}, "match": {"operation": "signIn"}})
    with contextlib.suppress(ConnectionError):
        wire.sign_in("mina")
    test_of(made, wire, "/_dev/faults", "test_sign_in_with_fault_answer_lost", "pytest.raises(requests.RequestException)")
    for one in (edge, made):
        stage.server("DELETE", f"/_dev/worlds/{one['id']}")


def curled(stage):
    """What is copied for curl signs in, and does what the client did."""
    page, wire = stage.page, stage.wire
    stage.context.grant_permissions(["clipboard-read", "clipboard-write"])
    wire("PUT", "/v1/users/me", {"nickname": "Mina's"}, wire.sign_in("mina"))
    stage.open("live")
    stage.narrow("person:mina method:put", 1)
    stage.rows.first.click()
    stage.press("Copy as curl")
    expect(stage.said).to_have_text("Copied.")
    text = page.evaluate("() => navigator.clipboard.readText()")
    done = subprocess.run(["bash", "-c", text], capture_output=True, text=True, check=True)
    assert json.loads(done.stdout)["nickname"] == "Mina's", done
    wire("PUT", "/v1/users/me", {"nickname": "Mina"}, wire.sign_in("mina"))


def marks(stage):
    """While the clock stands the list has real time; moves, resets and faults leave marks; rows from before a reset are dim."""
    page = stage.page
    made = stage.server("POST", "/_dev/worlds", {"seed": "courtyard", "number": 1})[1]
    wire = Wire(made["url"])
    page.goto(f"{stage.base}/_dev/#/{made['id']}/live")
    mina = wire.sign_in("mina")
    expect(stage.rows.last.locator(".at")).to_contain_text(re.compile(r"^\+\d+\.\d{3}"))
    wire("POST", "/_dev/clock", {"advance": 90_000})
    expect(stage.rows.filter(has_text="forward by 25 h")).to_have_count(1)
    wire("POST", "/_dev/faults", {"effect": {"kind": "answerLost"}, "match": {"operation": "signIn", "times": 1}})
    with contextlib.suppress(ConnectionError):
        wire.sign_in("mina")
    stage.rows.filter(has_text="answerLost").filter(has_text="POST").click()
    expect(page.locator(".opened-row")).to_contain_text("As without the fault")
    page.goto(f"{stage.base}/_dev/#/{made['id']}/faults")
    expect(page.get_by_role("list", name="Switched on")).to_contain_text("used up · hit 1 of 1 match")
    page.get_by_role("link", name="Live").click()
    wire("POST", "/_dev/reset")
    wire("GET", "/v1/users/me", headers=mina)
    expect(page.locator("console-list .row.gone").first).to_be_visible()
    gone = stage.rows.filter(has_text="earlier entries are gone")
    expect(gone).to_have_count(1)
    before = stage.rows.count()
    stage.press("Clear the list")
    expect(gone).to_have_count(0)
    # The clock went back by the reset, which may be shown only now.
    assert stage.rows.count() <= 1 < before, (before, stage.rows.all_text_contents())
    stage.server("DELETE", f"/_dev/worlds/{made['id']}")


def away(stage):
    """A server that does not answer: the page says so instead of staying another, and opens when it answers again."""
    page = stage.context.new_page()
    stage.open("live", page)
    expect(page.locator("console-list")).to_be_visible()
    page.route("**/_dev/**", lambda route: route.abort())
    page.get_by_role("link", name="Seeds").click()
    expect(page.get_by_role("main")).to_contain_text("The server does not answer")
    page.unroute_all()
    expect(page.get_by_role("button", name="Make a world of it")).to_be_visible()
    page.close()


def keyboard(stage):
    """From any page to the filter, to the reason and back without a mouse."""
    page, press = stage.page, stage.page.keyboard.press
    stage.wire("GET", "/v1/nothing", headers=KEY)
    stage.open("people")
    expect(page.get_by_role("list", name="People").get_by_role("listitem").first).to_be_visible()
    press("/")
    query = page.get_by_role("combobox", name="Filter")
    expect(query).to_be_focused()
    press("Control+a")
    page.keyboard.type("cod")
    press("ArrowDown")
    press("Enter")
    page.keyboard.type("E97")
    expect(query).to_have_value("code:E97")
    press("Enter")
    timeline = page.locator("console-list")
    expect(timeline).to_be_focused()
    expect(stage.rows).to_have_count(1)
    press("ArrowDown")
    press("ArrowUp")
    expect(page.locator("console-list [aria-selected=true]")).to_have_count(1)
    current = page.locator("console-list [aria-selected=true]").get_attribute("id")
    expect(timeline).to_have_attribute("aria-activedescendant", current)
    press("Enter")
    expect(page.locator(".opened-row h2")).to_be_focused()
    expect(page.locator(".opened-row .why")).to_contain_text("E97")
    for _ in range(20):
        press("Tab")
        if page.evaluate("document.activeElement.textContent") == "Make a test":
            break
    press("Enter")
    expect(page.get_by_role("dialog")).to_contain_text("import requests")
    press("Escape")
    expect(page.get_by_role("dialog")).to_have_count(0)
    press("Escape")
    expect(timeline).to_be_focused()
    expect(page.locator(".opened-row")).to_be_hidden()
    press("?")
    expect(page.get_by_role("dialog")).to_be_visible()
    press("Escape")
    expect(page.get_by_role("dialog")).to_have_count(0)


def secrets(stage):
    """What the journal masks never reaches the page: tokens, keys, passwords, cookies."""
    page, wire = stage.page, stage.wire
    mina = wire.sign_in("mina")
    wire("POST", "/v1/users/login", {"email": "mina@example.com", "password": WRONG}, KEY)
    wire("GET", "/v1/users/me", headers=mina | {"Cookie": "session=c00kie-secret"})
    stage.open("live")
    stage.narrow("person:mina")
    expect(stage.rows.first).to_be_visible()
    hidden = wire.secrets | {WRONG, PASSWORD, "c00kie-secret", KEY["SesacKey"]}
    stage.narrow("operation:signIn")
    stage.rows.first.click()
    expect(page.locator(".opened-row")).to_contain_text("***")
    stage.narrow("operation:me person:mina")
    stage.rows.first.click()
    expect(page.locator(".opened-row")).to_contain_text("•••")
    stored = page.evaluate("() => JSON.stringify([{...localStorage}, {...sessionStorage}, document.cookie])")
    bodies = stage.bodies()
    assert bodies, "no answer of the journal was read"
    for text in [page.locator("body").inner_text(), stored, *bodies]:
        shown = [one for one in hidden if one in text]
        assert not shown, f"{shown} in {text[:300]}"


def hostile(stage):
    """Names, chats and mails are text everywhere, and links lead to safe addresses only."""
    page, wire = stage.page, stage.wire
    mina = wire.sign_in("mina")
    weekend = wire.workspace("Weekend", mina)
    for index, text in enumerate(HOSTILE):
        wire("POST", f"/v1/workspaces/{weekend}/channels", {"name": text[:30]}, mina)
        account = {"email": f"evil{index}@example.com", "password": PASSWORD, "nickname": text[:30]}
        wire("POST", "/v1/users/join", account, KEY)
        wire("PUT", "/v1/users/me", {"nickname": text[:30]}, mina)
        wire("POST", "/_dev/people/joon/post", {"in": "Weekend/ios", "text": text})
        wire("POST", "/_dev/payments", {"merchant_uid": text, "amount": 1})
        wire("POST", "/_dev/scripts", {"name": text, "do": [{"as": "joon", "post": text, "in": "Weekend/ios"}]})
    named = stage.server("POST", "/_dev/worlds", {"seed": "empty", "name": HOSTILE[0]})[1]["id"]
    for name in PAGES:
        stage.open(name)
        expect(page.locator("main")).not_to_be_empty()
        page.wait_for_timeout(400)
        if name == "live":
            stage.narrow("")
            for index in range(min(stage.rows.count(), 10)):
                stage.rows.nth(index).click()
                page.wait_for_timeout(80)
        found = page.evaluate("""() => [
            document.querySelectorAll('main img, main script, main iframe, [onmouseover], [onerror]').length,
            window.hit ?? 0,
            [...document.querySelectorAll('a[href]')].filter(one => !/^https?:$/.test(one.protocol)).map(one => one.href),
        ]""")
        assert found == [0, 0, []], f"{name}: {found}"
    stage.open("people")
    expect(page.get_by_role("list", name="People")).to_contain_text("<img src=x")
    stage.open("worlds")
    expect(page.get_by_role("heading", name=HOSTILE[0])).to_be_visible()
    stage.server("DELETE", f"/_dev/worlds/{named}")


def policy(stage):
    """The policy of the pages allows no script but files, and no page of another site around it."""
    with urllib.request.urlopen(stage.base + "/_dev/") as answer:
        found = answer.headers["Content-Security-Policy"]
        body = answer.read().decode()
    for part in ("default-src 'none'", "script-src 'self'", "frame-ancestors 'none'", "require-trusted-types-for 'script'"):
        assert part in found, found
    assert "unsafe" not in found and "<script>" not in body and " style=" not in body, found
    refused = stage.page.evaluate("() => { try { document.body.innerHTML = '<p>'; } catch (error) { return error.name; } }")
    assert refused == "TypeError", "text is never parsed as HTML"
    stage.troubles.clear()


def languages(stage):
    """Both languages have the same texts with the same gaps."""
    found = stage.page.evaluate("""async () => {
        const words = async (name) => (await import(new URL(name, location.href))).default;
        const gaps = (one) => [...new Set(JSON.stringify(one).match(/\\{\\w+\\}/g) ?? [])].sort().join();
        const [english, korean] = [await words('console.text.en.js'), await words('console.text.ko.js')];
        const keys = new Set([...Object.keys(english), ...Object.keys(korean)]);
        const differs = (key) => !(key in english && key in korean) || gaps(english[key]) !== gaps(korean[key]);
        return [keys.size, [...keys].filter(differs)];
    }""")
    assert found[0] > 300 and not found[1], found


def size(stage):
    """All files that the console loads are small."""
    page = stage.context.new_page()
    for name in PAGES:
        stage.open(name, page)
        page.wait_for_timeout(150)
    names = page.evaluate("() => performance.getEntriesByType('resource').map(one => one.name)")
    files = {name for name in names if name.endswith((".js", ".css", ".svg"))} | {stage.base + "/_dev/"}
    page.close()
    total = sum(len(gzip.compress(urllib.request.urlopen(name).read())) for name in files)
    print(f"  {total} bytes compressed, {len(files)} files")
    assert len(files) > 30 and total <= LARGEST, total


CHECKS = [refused, fault, socket, worlds, clock, person, place, gone, together, older, burst, copied, curled, marks, away, keyboard, secrets, hostile, policy, languages, size]


def accessible(stage, browser):
    """No violation of axe on any page, in both languages, schemes and widths."""
    from axe_playwright_python.sync_playwright import Axe

    axe, found = Axe(), []
    for locale in ("en-GB", "ko-KR"):
        context = browser.new_context(locale=locale, reduced_motion="reduce")
        page = context.new_page()
        for width in (1280, 390):
            page.set_viewport_size({"width": width, "height": 844})
            for scheme in ("light", "dark"):
                page.emulate_media(color_scheme=scheme)
                for name in PAGES:
                    stage.open(name, page)
                    page.wait_for_timeout(500)
                    if name == "live":
                        page.locator("console-list [role=option]:not([hidden])").first.click()
                        page.wait_for_timeout(300)
                    for one in axe.run(page).response["violations"]:
                        found.append(f"{locale} {width} {scheme} {name}: {one['id']} {one['nodes'][0]['html'][:160]}")
        context.close()
    assert not found, "\n".join(found)


@contextlib.contextmanager
def server(madang):
    """The URL of a server in development mode, which ends with the block."""
    with tempfile.TemporaryDirectory() as data, asyncio.Runner() as runner:
        program = Program.development(madang, data)
        runner.run(program.__aenter__())
        try:
            yield program.url
        finally:
            runner.run(program.__aexit__())


def run(stage, browser, options):
    """How many checks failed."""
    failed = 0
    checks = [one for one in CHECKS if not options.only or one.__name__ in options.only.split(",")]
    if options.axe:
        checks.append(accessible)
    for check in checks:
        began = time.time()
        try:
            check(*(stage, browser)[:check.__code__.co_argcount])
            assert not stage.troubles, "; ".join(stage.troubles[:5])
            print(f"ok   {check.__name__}: {check.__doc__} ({time.time() - began:.1f} s)", flush=True)
        except Exception as error:
            failed += 1
            frame = next(one for one in reversed(traceback.extract_tb(error.__traceback__)) if one.filename == __file__)
            print(f"FAIL {check.__name__}: line {frame.lineno}, {frame.line}: {str(error)[:1500]}", flush=True)
        stage.troubles.clear()
    print(f"{len(checks) - failed} passed, {failed} failed")
    return failed


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("madang", help="the program, or the address of a server in development mode that runs already")
    parser.add_argument("--axe", action="store_true")
    parser.add_argument("--only", default="", help="these checks")
    parser.add_argument("--load", action="store_true", help="measure under load instead")
    parser.add_argument("--seconds", type=int, default=60, help="how long to measure")
    options = parser.parse_args()
    chromium = next(filter(None, map(shutil.which, PROGRAMS)), None) or sys.exit("needs a Chromium")
    running = contextlib.nullcontext(options.madang) if "://" in options.madang else server(options.madang)
    with running as base, sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=chromium, args=["--no-sandbox"])
        try:
            if options.load:
                from console_load import measure
                sys.exit(measure(base, browser, options.seconds))
            sys.exit(1 if run(Stage(base, browser), browser, options) else 0)
        finally:
            browser.close()


if __name__ == "__main__":
    main()
