"""The administrator's console in a real Chromium: the first administrator, and what one does, by mouse and by keyboard alone.

    python Tests/Foreign/admin_check.py .build/debug/madang [--axe]

Runs a server in development mode with a few people. Needs playwright from PyPI and a Chromium; `--axe` also needs
axe-playwright-python, and looks for barriers on every page. Takes half a minute, with `--axe` three. Exits 0 when every check
held.
"""

import argparse
import asyncio
import base64
import contextlib
import hashlib
import hmac
import json
import os
import pathlib
import re
import shutil
import struct
import subprocess
import sys
import tempfile
import time
import urllib.error
import urllib.request

from playwright.sync_api import expect, sync_playwright

from attempts import ATTEMPTS
from browser import PROGRAMS
from ports import free_port
from program import Program

PATIENCE = 45_000
NAME, PASSWORD = "hana@example.com", "Persimmon-7"
KEY = {"SesacKey": "dev-key-2024-10"}
SCRIPT = "<script>window.hit=1</script>"
PICTURE = "<img src onerror=window.hit=1>"
PAGES = ["overview", "accounts", "accounts/1", "workspaces", "workspaces/1", "invitations", "announcements", "moderation", "health", "backups", "files", "mails", "keys", "settings", "audit", "administrators"]


class Checks:
    def __init__(self):
        self.failed, self.count = [], 0

    def __call__(self, name, holds, more=""):
        self.count += 1
        print(("ok      " if holds else "FAILED  ") + name, more if not holds else "", flush=True)
        if not holds:
            self.failed.append(name)


class Server:
    def __init__(self, program, settings, base, data):
        self.program, self.settings, self.base, self.data = program, settings, base, data
        self.used, self.ahead = set(), 0

    def link(self):
        said = subprocess.run([self.program, "admin", "web", "--data", self.data], env=os.environ | self.settings, capture_output=True, text=True, check=True).stdout
        return re.search(r"http\S+#setup=\S+", said).group()

    def api(self, path, body=None, token=None):
        headers = {**KEY, "Content-Type": "application/json", **({"Authorization": token} if token else {})}
        request = urllib.request.Request(self.base + path, None if body is None else json.dumps(body).encode(), headers)
        with urllib.request.urlopen(request, timeout=20) as answer:
            return json.loads(answer.read() or b"null")

    def people(self):
        """Three people, and two whose names would run if they were not shown as text."""
        tokens = {}
        for name, nickname in (("mina", "민아"), ("joon", "Joon"), ("theo", "Theo"), ("evil", SCRIPT), ("worse", PICTURE)):
            person = {"email": f"{name}@example.com", "password": PASSWORD, "nickname": nickname}
            made = self.api("/v1/users/join", person)
            tokens[name] = made["token"]["accessToken"]
        boundary = "Boundary-7"
        body = "".join(f'--{boundary}\r\nContent-Disposition: form-data; name="{key}"\r\n\r\n{value}\r\n' for key, value in (("name", PICTURE), ("description", "")))
        request = urllib.request.Request(self.base + "/v1/workspaces", f"{body}--{boundary}--\r\n".encode(), {**KEY, "Authorization": tokens["mina"], "Content-Type": f"multipart/form-data; boundary={boundary}"})
        with urllib.request.urlopen(request, timeout=20) as answer:
            workspace = json.loads(answer.read())["workspace_id"]
        channel = self.api(f"/v1/workspaces/{workspace}/channels", token=tokens["mina"])[0]["channel_id"]
        self.api(f"/v1/workspaces/{workspace}/channels/{channel}/chats", {"content": PICTURE}, tokens["mina"])

    def advance(self, minutes):
        request = urllib.request.Request(f"{self.base}/_dev/clock", json.dumps({"advance": minutes * 60}).encode(), {"Content-Type": "application/json"}, method="POST")
        urllib.request.urlopen(request, timeout=20).close()
        self.ahead += minutes * 60

    def join(self, *names):
        """People who wait for approval."""
        if not hasattr(self, "strict"):
            made = subprocess.run([self.program, "admin", "keys", "create", "strict", "--approval", "on", "--json", "--data", self.data], env=os.environ | self.settings, capture_output=True, text=True, check=True).stdout
            self.strict = json.loads(made)["key"]
        for name in names:
            body = json.dumps({"email": f"{name}@example.com", "password": PASSWORD, "nickname": name.title()}).encode()
            headers = {"SesacKey": self.strict, "Content-Type": "application/json"}
            while True:
                # A key is known within a second or two.
                try:
                    urllib.request.urlopen(urllib.request.Request(f"{self.base}/v1/users/join", body, headers), timeout=20).close()
                    break
                except urllib.error.HTTPError as error:
                    # A caller who waits gets no token.
                    if b"E01" not in error.read():
                        break
                    time.sleep(0.3)

    def call(self, method, path, body=None, headers=None):
        request = urllib.request.Request(f"{self.base}/admin/{path}", None if body is None else json.dumps(body).encode(), {"Content-Type": "application/json", **(headers or {})}, method=method)
        try:
            with urllib.request.urlopen(request) as answer:
                return answer.status, answer.headers, json.loads(answer.read() or b"null")
        except urllib.error.HTTPError as error:
            return error.code, error.headers, json.loads(error.read() or b"null")

    def code(self, secret):
        """A code that was not used before; it waits for one if it must."""
        while True:
            now = int((time.time() + self.ahead) / 30)
            for step in (now, now + 1):
                if (secret, step) not in self.used:
                    self.used.add((secret, step))
                    mac = hmac.new(base64.b32decode(secret), struct.pack(">Q", step), hashlib.sha1).digest()
                    at = mac[-1] & 15
                    return f"{(struct.unpack('>I', mac[at:at + 4])[0] & 0x7FFFFFFF) % 1_000_000:06d}"
            time.sleep(1)


def same_texts(server, check):
    keys = {}
    for language in ("en", "ko"):
        with urllib.request.urlopen(f"{server.base}/admin/admin.text.{language}.js") as answer:
            keys[language] = re.findall(r'^  "([^"]+)":', answer.read().decode(), re.M)
    check("both languages have the same texts", keys["en"] == keys["ko"] and len(keys["en"]) == len(set(keys["en"])) > 500, set(keys["en"]) ^ set(keys["ko"]))


def is_alone(page):
    return page.locator("#app.alone").count() == 1


def set_up(page, server, check, administrator=NAME):
    """The link makes an administrator once; a wrong code does not."""
    link = server.link()
    page.goto(link)
    heading = page.locator("h1")
    expect(heading).to_have_text("The first administrator" if administrator == NAME else "A new administrator", timeout=PATIENCE)
    check("the token of the link leaves the address", "setup" not in page.url, page.url)
    page.get_by_label("Name or e-mail").fill(administrator)
    page.locator("input[name=password]").fill("persimmon")
    check("rules of a password show while typing", page.locator(".rules .good").count() == 2, page.locator(".rules").inner_text())
    page.get_by_role("button", name="Next").click()
    check("a weak password is refused in words", "rules" in page.locator(".trouble").inner_text(), page.locator(".trouble").inner_text())
    page.locator("input[name=password]").fill(PASSWORD)
    if administrator != NAME:
        page.get_by_label("Name or e-mail").fill(NAME)
        page.get_by_role("button", name="Next").click()
        expect(page.locator(".trouble")).to_contain_text("taken", timeout=PATIENCE)
        check("a taken name is refused before the authenticator has it", page.locator(".qr").count() == 0)
        page.get_by_label("Name or e-mail").fill(administrator)
    page.get_by_role("button", name="Next").click()
    expect(page.get_by_role("img", name=re.compile("QR code"))).to_be_visible(timeout=PATIENCE)
    secret = page.locator(".secret-text").inner_text().replace(" ", "")
    page.locator("input[name=code]").fill("000000")
    page.get_by_role("button", name="Confirm").click()
    expect(page.locator(".trouble")).to_contain_text("not right", timeout=PATIENCE)
    check("a wrong code makes no administrator", page.locator(".qr").count() == 1)
    page.locator("input[name=code]").fill(server.code(secret))
    page.get_by_role("button", name="Confirm").click()
    expect(heading).to_have_text("Recovery codes", timeout=PATIENCE)
    codes = page.locator(".codes li").all_inner_texts()
    go = page.get_by_role("button", name="Go on")
    check("recovery codes are shown, and going on needs a tick", len(codes) >= 8 and go.is_disabled(), codes)
    check("nothing beside the codes leaves them", page.locator(".languages").count() == 0 and page.locator("button, a").count() == 3, page.locator("button, a").count())
    page.get_by_label("I have kept").check()
    go.click()
    expect(heading).to_have_text("Overview", timeout=PATIENCE)
    check("the first administrator is in", page.locator(".stat").count() == 4)
    cookies = [one for one in page.context.cookies() if one["name"].startswith("madang_admin_")]
    check("the cookie is HttpOnly, Strict and for /admin/", len(cookies) == 1 and cookies[0]["httpOnly"] and cookies[0]["sameSite"] == "Strict" and cookies[0]["path"] == "/admin/", cookies)
    return link, secret, codes


def replayed_link(browser, link, check):
    context = browser.new_context(locale="en-GB")
    page = context.new_page()
    page.goto(link)
    expect(page.locator("h1")).to_have_text("This link no longer works", timeout=PATIENCE)
    check("a replayed link is refused, with the way on", "madang admin web" in page.locator(".card").inner_text())
    context.close()


def forged_calls(page, server, check):
    shown = next(one for one in page.context.cookies() if one["name"].startswith("madang_admin_"))
    cookie = {"Cookie": f"{shown['name']}={shown['value']}"}
    status, _, answer = server.call("POST", "api/accounts/1/disable", {}, cookie)
    check("a write without proof is refused", (status, answer["error"]) == (403, "proof"), answer)
    status, _, answer = server.call("GET", "api/accounts", None, {**cookie, "Sec-Fetch-Site": "same-site"})
    check("a call from another origin is refused", status == 403, answer)
    status, _, answer = server.call("GET", "api/accounts")
    check("nothing is read without a session", (status, answer["error"]) == (401, "signedOut"), answer)
    with urllib.request.urlopen(f"{server.base}/admin/") as answer:
        policy = answer.headers["Content-Security-Policy"]
    check("the page has a strict policy", all(part in policy for part in ("default-src 'none'", "script-src 'self'", "frame-ancestors 'none'", "require-trusted-types-for 'script'")) and "unsafe" not in policy, policy)


def sign_in(page, server, secret, check):
    """Signs out, and in again: a wrong code and a used code are refused, a recovery code works."""
    page.get_by_role("button", name="Sign out").click()
    expect(page.locator("input[name=password]")).to_be_visible(timeout=PATIENCE)

    def credentials(name=NAME):
        page.get_by_label("Name or e-mail").fill(name)
        page.locator("input[name=password]").fill(PASSWORD)
        page.get_by_role("button", name="Next").click()

    credentials()
    page.locator("input[name=code]").fill("123456")
    page.get_by_role("button", name="Sign in").click()
    expect(page.locator(".trouble")).to_contain_text("not right", timeout=PATIENCE)
    check("a wrong TOTP is refused", is_alone(page))
    code = server.code(secret)
    page.locator("input[name=code]").fill(code)
    page.get_by_role("button", name="Sign in").click()
    expect(page.locator("h1")).to_have_text("Overview", timeout=PATIENCE)
    page.get_by_role("button", name="Sign out").click()
    expect(page.locator("input[name=password]")).to_be_visible(timeout=PATIENCE)
    credentials()
    page.locator("input[name=code]").fill(code)
    page.get_by_role("button", name="Sign in").click()
    expect(page.locator(".trouble")).to_contain_text("not right", timeout=PATIENCE)
    check("a used TOTP is refused", is_alone(page))
    return credentials


def recovery(page, codes, check):
    page.locator("input[name=code]").fill(codes[0])
    page.get_by_role("button", name="Sign in").click()
    expect(page.locator("h1")).to_have_text("Overview", timeout=PATIENCE)
    page.goto(page.url.split("#")[0] + "#/administrators")
    expect(page.get_by_text(f"{len(codes) - 1} recovery codes left")).to_be_visible(timeout=PATIENCE)
    check("a recovery code signs in once", True)


def second_step(page, server, secret, check):
    """Codes of a new authenticator stay until the box is ticked. Returns the new secret."""
    go(page, server, "administrators")
    page.get_by_role("button", name="New authenticator").click()
    dialog = page.get_by_role("dialog")
    dialog.locator("input[name=password]").fill(PASSWORD)
    dialog.get_by_role("button", name="Next").click()
    fresh = dialog.locator(".secret-text").inner_text(timeout=PATIENCE).replace(" ", "")
    dialog.locator("input[name=code]").fill(server.code(fresh))
    dialog.get_by_role("button", name="Confirm").click()
    expect(dialog.locator(".codes li").first).to_be_visible(timeout=PATIENCE)
    for _ in range(3):
        page.keyboard.press("Escape")
    page.mouse.click(5, 5)
    page.wait_for_timeout(100)
    check("neither Escape nor a click beside them takes the codes away", dialog.locator(".codes li").count() >= 8 and dialog.is_visible())
    dialog.get_by_label("I have kept").check()
    dialog.get_by_role("button", name="Go on").click()
    expect(dialog).to_have_count(0)
    return fresh


def double_clicks(page, server, check):
    """The second click of a double-click never acts on another row."""
    rows = page.get_by_role("button", name=re.compile("^Approve:"))
    left = 0
    for attempt in range(ATTEMPTS):
        # The overview lists five.
        server.join(*[f"{name}{attempt}" for name in ("ann", "ben", "cleo", "dora", "emil")][left:])
        go(page, server, "overview")
        page.evaluate("() => document.dispatchEvent(new Event('visibilitychange'))")
        expect(rows).to_have_count(5, timeout=PATIENCE)
        at = rows.first.bounding_box()
        x, y = at["x"] + at["width"] / 2, at["y"] + at["height"] / 2
        clicks = []
        for _ in range(5):
            page.mouse.click(x, y)
            clicks.append(time.monotonic())
            page.wait_for_timeout(120)
        expect(rows).not_to_have_count(5, timeout=PATIENCE)
        page.wait_for_timeout(600)
        left = rows.count()
        # On a busy machine there may be so much time between two clicks that both count.
        if left == 4 or max(later - one for one, later in zip(clicks, clicks[1:])) < 0.35:
            break
    check("five clicks within a second approve one person", left == 4, left)
    # The moment in which clicks are dropped has ended by then.
    page.wait_for_timeout(1500)
    page.mouse.click(x, y)
    expect(rows).to_have_count(left - 1, timeout=PATIENCE)
    for _ in range(3):
        server.api("/v1/users/login", {"email": "joon@example.com", "password": PASSWORD})
    go(page, server, "accounts?find=joon@")
    page.locator("tbody .row-link").first.click()
    ends = page.locator(".pane").get_by_role("button", name=re.compile("^End:"))
    expect(ends).to_have_count(4, timeout=PATIENCE)
    # Until the pane stands still.
    ends.first.hover()
    at = ends.first.bounding_box()
    page.mouse.dblclick(at["x"] + 8, at["y"] + 8, delay=40)
    expect(ends).not_to_have_count(4, timeout=PATIENCE)
    page.wait_for_timeout(500)
    check("a double-click on a session ends one", ends.count() == 3, ends.count())
    go(page, server, "overview")


def small_things(page, server, check):
    """Counts, allowed numbers, texts of confirmations, and rows that open anywhere."""
    go(page, server, "accounts")
    last = page.locator("tbody tr").last
    last.locator("td.num").click()
    expect(page.locator(".pane")).to_be_visible(timeout=PATIENCE)
    page.wait_for_timeout(200)
    row = page.locator("tr:has([aria-current=true])").bounding_box()
    check("a row opens wherever it is clicked, and stays in the window", row and 0 <= row["y"] < 800, row)
    words = page.evaluate("() => import('/admin/admin-words.js').then((words) => [0, 1, 999, 1200].map(words.bytes))")
    go(page, server, "overview")
    check("units have their plural, and no proxy is claimed without one", words == ["0 bytes", "1 byte", "999 bytes", "1 kB"] and "not encrypted" in page.locator(".columns").inner_text(), words)
    go(page, server, "invitations")
    before = int(page.locator(".page-title .count").inner_text())
    page.get_by_role("button", name="Invite addresses").click()
    dialog = page.get_by_role("dialog")
    dialog.locator("[name=emails]").fill("new@example.com, mina@example.com\nnewer@example.com")
    dialog.locator("[name=days]").fill("0")
    dialog.get_by_role("button", name="Invite").click()
    said = dialog.locator(".trouble").inner_text()
    dialog.locator("[name=days]").fill("14")
    # The server of the check sends no mails.
    if dialog.locator("[name=mail]").count():
        dialog.locator("[name=mail]").select_option("")
    dialog.get_by_role("button", name="Invite").click()
    expect(dialog.locator(".trouble")).to_contain_text("mina@example.com", timeout=PATIENCE)
    count = page.locator(".page-title .count").inner_text()
    check("a refused number names the allowed ones; several addresses are invited, and a refused one is named", "from 1 to 365" in said and int(count) == before + 2, (said, before, count, dialog.inner_text()))
    page.keyboard.press("Escape")
    go(page, server, "announcements")
    page.get_by_role("button", name="New announcement").click()
    for name, value in (("content", "Soup at noon"), ("from", "mina@example.com")):
        dialog.locator(f"[name={name}]").fill(value)
    dialog.get_by_role("button", name="Post").click()
    sure = dialog.last
    expect(sure.locator("blockquote")).to_have_text("Soup at noon", timeout=PATIENCE)
    named = "mina@example.com" in sure.locator("figcaption").inner_text()
    sure.get_by_role("button", name="Post").click()
    expect(dialog).to_have_count(0, timeout=PATIENCE)
    expect(page.locator("tbody tr")).to_contain_text("posted in 1 channel", timeout=PATIENCE)
    check("the confirmation of an announcement shows its sender and text, and the count follows", named and page.locator(".page-title .count").inner_text() == "1", named)
    go(page, server, "moderation")
    page.locator("input[name=text]").fill("noon")
    page.get_by_role("button", name="Find").click()
    page.get_by_role("button", name=re.compile("^Remove:")).first.click(timeout=PATIENCE)
    shown = dialog.locator("blockquote").inner_text(timeout=PATIENCE)
    page.keyboard.press("Escape")
    page.locator("input[name=text]").fill("nothing like this")
    page.get_by_role("button", name="Find").click()
    expect(page.locator(".empty-title")).to_have_text("Nothing found", timeout=PATIENCE)
    page.locator("[name=workspace]").fill("no such place")
    page.get_by_role("button", name="Find").click()
    expect(page.locator("main .trouble")).not_to_be_empty(timeout=PATIENCE)
    check("removing a chat shows it; after a refusal nothing stands below", shown == "Soup at noon" and page.locator(".empty-title").inner_text() != "Nothing found", shown)
    go(page, server, "settings")
    row = page.locator("tbody tr").filter(has=page.get_by_text("trusted.proxies", exact=True))
    page.get_by_role("searchbox").fill("trusted.proxies")
    expect(row).to_have_count(1, timeout=PATIENCE)
    check("a setting is found also if it has its default", "default" in row.inner_text())
    page.set_viewport_size({"width": 390, "height": 844})
    source = row.locator(".under").inner_text()
    subprocess.run([server.program, "admin", "keys", "create", "old", "--data", server.data], env=os.environ | server.settings, capture_output=True, check=True)
    go(page, server, "keys")
    page.get_by_role("button", name="Revoke: old").click()
    dialog.locator("[name=word]").fill("old")
    dialog.get_by_role("button", name="Revoke").click()
    expect(page.locator("tr:has-text('old') .under")).to_contain_text("revoked", timeout=PATIENCE)
    check("a phone shows the source of a setting, and a revoked key", "default" in source, source)
    page.set_viewport_size({"width": 1280, "height": 800})


def several(page, server, check):
    """Forty people without forty dialogs."""
    server.join("fay", "gus", "hal")
    page.goto("about:blank")
    go(page, server, "accounts?state=pending")
    page.get_by_label("Tick all").check()
    rows = page.locator("tbody tr").count()
    page.get_by_label("Tick Gus").uncheck()
    page.get_by_role("button", name=f"Approve {rows - 1} accounts").click()
    expect(page.locator("tbody tr")).to_have_count(1, timeout=PATIENCE)
    check("all waiting accounts but one are approved at once", "Gus" in listed(page, "Accounts").inner_text())
    go(page, server, "workspaces/1")
    page.get_by_role("button", name="Add members").click()
    dialog = page.get_by_role("dialog")
    dialog.locator("[name=emails]").fill("fay@example.com\nunknown@example.com\nhal@example.com")
    dialog.get_by_role("button", name="Add members").click()
    expect(dialog.locator(".trouble")).to_contain_text("unknown@example.com", timeout=PATIENCE)
    left = dialog.locator("[name=emails]").input_value()
    page.keyboard.press("Escape")
    expect(page.locator(".pane")).to_contain_text("hal@example.com", timeout=PATIENCE)
    check("several members are added at once, and the refused address stays to be corrected", left == "unknown@example.com", left)
    go(page, server, "accounts?find=joon@")
    page.locator("tbody .row-link").first.click()
    page.locator(".pane").get_by_role("button", name="Add to a workspace").click()
    dialog.get_by_role("checkbox").first.check(timeout=PATIENCE)
    dialog.get_by_role("button", name="Add", exact=True).click()
    expect(dialog).to_have_count(0, timeout=PATIENCE)
    check("an account is added to a workspace from its pane", page.locator(".pane .plain li").count() == 1)


def refusals(browser, server, state, check):
    """What the console can cause, refused in Korean."""
    context = browser.new_context(locale="ko-KR", storage_state=state)
    page = context.new_page()
    page.goto(f"{server.base}/admin/")
    page.locator("main h1").wait_for()
    unknown, text = "unknown@example.com", {"title": "", "content": "Soup", "workspace": ""}
    search = {"text": "", "author": None, "workspace": None, "since": None, "limit": 9}
    calls = [
        *(("post", f"workspaces/1/{act}", {"email": email}) for act in ("add-member", "remove-member", "hand-over") for email in (unknown, "evil@example.com", "gus@example.com") if (act, email) != ("add-member", "evil@example.com")),
        ("post", "workspaces/1/add-member", {"email": "mina@example.com"}), ("post", "workspaces/1/remove-member", {"email": "mina@example.com"}),
        ("post", "invitations", {"email": "mina@example.com", "days": 14}), ("post", "invitations", {"email": "nonsense", "days": 14}),
        ("post", "announcements", {**text, "from": unknown}), ("post", "announcements", {**text, "from": "mina@example.com", "workspace": "no such place"}), ("post", "announcements", {**text, "from": "mina@example.com", "content": " "}),
        ("post", "chats/search", {**search, "author": unknown}), ("post", "chats/search", {**search, "workspace": "no such place"}),
        ("post", "accounts/1/approve", {}), ("get", "accounts/999", {}), ("post", "accounts/999/disable", {}), ("get", "workspaces/999", {}),
        *(("remove", f"{kind}/999", {}) for kind in ("sessions", "keys", "invitations", "announcements", "chats", "administrators/links")),
        ("remove", "accounts/1", {"email": "other"}), ("remove", "workspaces/1", {"name": "other"}), ("post", "mails/test", {"to": "mina@example.com"}),
    ]
    said = page.evaluate("""async (calls) => {
        const how = await import("/admin/admin-calls.js");
        const { explain } = await import("/admin/admin-trouble.js");
        const said = [];
        for (const [method, path, body] of calls) {
            said.push(await how[method](path, body).then(() => [path, "not refused"], (error) => [path, explain(error), error.message]));
        }
        return said;
    }""", calls)
    english = [one for one in said if not re.search("[가-힣]", one[1]) or re.search("[a-z]{3,} [a-z]{2,} [a-z]{2,}", one[1].replace(PICTURE, "").replace("no such place", ""))]
    check("each refusal that the console can cause is in Korean", not english, "\n".join(map(str, english)))
    context.close()


def away(context, server, check):
    """While the server is away, a page that was not open before says so, and comes by itself."""
    page = context.new_page()
    page.route("**/admin-page-audit.js", lambda route: route.abort())
    go(page, server, "keys")
    page.get_by_role("link", name="Audit log").click()
    expect(page.locator(".empty")).to_contain_text("does not answer", timeout=PATIENCE)
    page.unroute("**/admin-page-audit.js")
    page.evaluate("() => document.dispatchEvent(new Event('visibilitychange'))")
    expect(page.locator("tbody tr").first).to_be_visible(timeout=PATIENCE)
    check("a page that could not be read says that the server is away, and comes by itself", True)
    go(page, server, "moderation")
    expect(page.locator("input[name=text]")).to_be_visible(timeout=PATIENCE)

    def changed(route, change):
        answer = route.fetch()
        value = answer.json()
        change(value)
        route.fulfill(response=answer, json=value)
    page.route("**/api/overview", lambda route: changed(route, lambda value: value.update(startedAt="2020-01-01T00:00:00.000Z")))
    page.route("**/api/session", lambda route: changed(route, lambda value: value["server"].update(content=False)))
    page.evaluate("() => document.dispatchEvent(new Event('visibilitychange'))")
    expect(page.locator("input[name=text]")).to_have_count(0, timeout=PATIENCE)
    check("after a restart of the server the page follows its settings", "content is off" in page.locator("main .notice").inner_text())
    page.close()
    page = context.new_page()
    page.route("**/api/setup/open", lambda route: route.fulfill(status=429, headers={"Retry-After": "33"}, json={"error": "wait", "message": "too many"}))
    page.goto(f"{server.base}/admin/#setup=abc")
    expect(page.locator("h1")).to_have_text("Not possible now", timeout=PATIENCE)
    check("a locked address is not called a server that does not answer", "33 seconds" in page.locator(".card").inner_text())
    page.close()


def typing_is_activity(browser, server, state, check):
    """Keys in a dialog keep the session, at most once a minute."""
    context = browser.new_context(viewport={"width": 1280, "height": 800}, locale="en-GB", storage_state=state)
    page = context.new_page()
    page.clock.install()
    go(page, server, "announcements")
    page.get_by_role("button", name="New announcement").click()
    asked = []
    page.on("response", lambda answer: asked.append(answer.url) if answer.url.endswith("/api/session") else None)
    text = page.get_by_role("dialog").locator("textarea")
    for _ in range(3):
        before = len(asked)
        text.press_sequentially("Soup")
        page.clock.fast_forward(61_000)
        end = time.monotonic() + PATIENCE / 1000
        while len(asked) == before and time.monotonic() < end:
            page.wait_for_timeout(50)
        # The page counts from the answer's body.
        while page.evaluate(IDLE) > 30_000 and time.monotonic() < end:
            page.wait_for_timeout(50)
        server.advance(20)
    page.clock.fast_forward(16_000)
    page.wait_for_timeout(500)
    check("typing keeps a session, with one call a minute", text.is_visible() and len(asked) == 3 and text.input_value() == "SoupSoupSoup", (len(asked), page.locator("h1").inner_text()))
    context.close()


def second_administrator(browser, server, check):
    page = browser.new_context(viewport={"width": 1280, "height": 800}, locale="en-GB").new_page()
    _, secret, _ = set_up(page, server, check, "second@example.com")
    return page, secret


def typed_returns(page, server, secret, credentials, second, secret_of_second, check):
    """A session that ended in spite of all: the dialog comes back to the same administrator, and to no other."""

    def write():
        go(page, server, "announcements")
        page.get_by_role("button", name="New announcement").click()
        for name, value in (("title", "Soup"), ("content", "Soup at noon"), ("from", "mina@example.com")):
            page.get_by_role("dialog").locator(f"[name={name}]").fill(value)
        server.advance(31)
        # A timer of the page may be first to learn it.
        page.evaluate("() => document.querySelector('dialog [type=submit]')?.click()")
        page.wait_for_function("() => document.querySelector('dialog .quoted') || !document.querySelector('dialog')", timeout=PATIENCE)
        page.evaluate("() => [...document.querySelectorAll('dialog:last-of-type .actions .grave')].at(-1)?.click()")
        expect(page.locator("h1")).to_have_text("Your session has ended", timeout=PATIENCE)

    write()
    hidden = page.get_by_role("dialog").count() == 0 and "Soup" not in page.content()
    credentials()
    page.locator("input[name=code]").fill(server.code(secret))
    page.get_by_role("button", name="Sign in").click()
    expect(page.get_by_role("dialog").first).to_be_visible(timeout=PATIENCE)
    values = [page.locator(f"dialog [name={name}]").first.input_value() for name in ("title", "content", "from")]
    check("after the sign-in of the same administrator, the dialog and what was typed are back", hidden and values == ["Soup", "Soup at noon", "mina@example.com"], (hidden, values))
    while page.get_by_role("dialog").count():
        page.keyboard.press("Escape")
        page.wait_for_timeout(50)
    write()
    credentials("second@example.com")
    page.locator("input[name=code]").fill(server.code(secret_of_second))
    page.get_by_role("button", name="Sign in").click()
    expect(page.locator("h1")).to_have_text("Overview", timeout=PATIENCE)
    check("another administrator gets nothing of it", page.locator("dialog").count() == 0 and "Soup at noon" not in page.content())
    page.get_by_role("button", name="Sign out").click()
    expect(page.locator("input[name=password]")).to_be_visible(timeout=PATIENCE)
    credentials()
    page.locator("input[name=code]").fill(server.code(secret))
    page.get_by_role("button", name="Sign in").click()
    expect(page.locator("h1")).to_have_text("Overview", timeout=PATIENCE)
    # The second one signs in too, and is removed.
    second.reload()
    second.get_by_label("Name or e-mail").fill("second@example.com")
    second.locator("input[name=password]").fill(PASSWORD)
    second.get_by_role("button", name="Next").click()
    server.advance(1)
    second.locator("input[name=code]").fill(server.code(secret_of_second))
    second.get_by_role("button", name="Sign in").click()
    expect(second.locator("h1")).to_have_text("Overview", timeout=PATIENCE)
    go(page, server, "administrators")
    page.get_by_role("button", name="Remove: second@example.com").click()
    page.get_by_role("dialog").locator("input[name=password]").fill(PASSWORD)
    page.get_by_role("dialog").get_by_role("button", name="Remove").click()
    expect(page.locator(".toast").last).to_contain_text("no longer", timeout=PATIENCE)
    # The page may know it before its link can be clicked.
    second.evaluate("() => { location.hash = '#/keys'; }")
    expect(second.locator("h1")).to_have_text("Your session has ended", timeout=PATIENCE)
    check("a removed administrator reads that, and nothing of minutes", "another administrator removed you" in second.locator(".card").inner_text(), second.locator(".card").inner_text())
    second.context.close()


# Milliseconds since the page's last call.
IDLE = "() => import('/admin/admin-calls.js').then((calls) => calls.idleFor())"


def go(page, server, path):
    name = re.split(r"[/?]", path)[0]
    # A page that is open keeps its old content until the new one is read.
    if f"#/{name}" in page.url:
        page.goto("about:blank")
    page.goto(f"{server.base}/admin/#/{path}")
    page.wait_for_function("""(name) => {
      const link = document.querySelector(`nav a[href="#/${name}"] span`);
      return link && document.querySelector("main h1").textContent === link.textContent;
    }""", arg=name, timeout=PATIENCE)


def listed(page, caption):
    """The page's own list: an open pane beside it can have tables, too."""
    return page.get_by_role("table", name=caption, exact=True).locator("tbody")


def accounts(page, server, check):
    go(page, server, "accounts")
    find = page.get_by_role("searchbox")
    find.fill("mina@")
    expect(page.locator("tbody tr")).to_have_count(1, timeout=PATIENCE)
    check("the search leaves one account, and stands in the address", "find=mina" in page.url, page.url)
    page.get_by_role("link", name=re.compile("mina@")).or_(page.locator("tbody .row-link")).first.click()
    pane = page.locator(".pane")
    expect(pane).to_be_visible(timeout=PATIENCE)
    before = pane.get_by_role("button", name=re.compile("^End:")).count()
    pane.get_by_role("button", name=re.compile("^End:")).first.click()
    expect(pane.get_by_role("button", name=re.compile("^End:"))).to_have_count(before - 1, timeout=PATIENCE)
    check("a session is ended", before > 0)
    page.get_by_role("link", name="Close").click()
    expect(pane).to_have_count(0)
    check("closing the pane returns the focus to its row", page.evaluate("() => document.activeElement.classList.contains('row-link')"))


def overtaken(page, server, check):
    """What was chosen last stays, also when an earlier answer comes later. What was done is not offered again."""
    held = []

    def wait():
        end = time.monotonic() + PATIENCE / 1000
        while not held and time.monotonic() < end:
            page.wait_for_timeout(50)
        assert held, "nothing was asked"
    go(page, server, "accounts?find=joon@")
    page.locator("tbody .row-link").first.click()
    dialog = page.get_by_role("dialog")

    def give():
        page.locator(".pane").get_by_role("button", name="Give coins").click()
        dialog.locator("input[name=amount]").fill("7")
        dialog.locator("input[name=note]").fill("a prize")
        dialog.get_by_role("button", name="Give", exact=True).click()
    page.route("**/admin/api/accounts/*/coins", lambda route: held.append(route), times=1)
    give()
    wait()
    page.keyboard.press("Escape")
    check("a dialog stays while its act is under way", dialog.is_visible())
    held.pop().continue_()
    expect(dialog).to_have_count(0, timeout=PATIENCE)
    page.route(re.compile(r"/admin/api/accounts/\d+$"), lambda route: route.abort())
    give()
    expect(page.locator(".toast", has_text="does not answer")).to_be_visible(timeout=PATIENCE)
    check("coins that were given are not offered again when the account cannot be read", dialog.count() == 0)
    page.unroute(re.compile(r"/admin/api/accounts/\d+$"))

    def lose(route):
        route.fetch()
        route.abort()
    page.route("**/admin/api/accounts/*/coins", lose, times=1)
    give()
    expect(dialog.get_by_role("alert")).to_contain_text("may have been given", timeout=PATIENCE)
    page.keyboard.press("Escape")
    expect(dialog).to_have_count(0)
    check("a lost answer to a gift of coins says that they may have been given", True)

    page.route("**/admin/api/audit*", lambda route: held.append(route), times=1)
    page.get_by_role("link", name="Audit log", exact=True).click()
    wait()
    page.locator("tbody .row-link").first.click()
    with page.expect_response("**/admin/api/audit*"):
        held.pop().continue_()
    page.wait_for_timeout(300)
    check("a page that loads late does not come over a row opened since", page.locator("h1").inner_text().startswith("Accounts"), page.locator("h1").inner_text())

    def pages(route):
        """The first page says that there is another one; the answer to that one is held."""
        if "find=" in route.request.url:
            return route.continue_()
        answer = route.fetch()
        if "after=" in route.request.url:
            return held.append((route, answer))
        body = answer.json()
        # The one before the last: the next page has one account.
        route.fulfill(response=answer, json=body | {"next": body["accounts"][-2]["number"]})
    page.route("**/admin/api/accounts?*", pages)
    go(page, server, "accounts")
    page.get_by_role("button", name="Show more").click()
    wait()
    page.get_by_role("searchbox").fill("joon@")
    rows = page.locator("tbody .row-link")
    expect(rows).to_have_count(1, timeout=PATIENCE)
    [(route, answer)] = held
    with page.expect_response("**/admin/api/accounts?*after=*"):
        route.fulfill(response=answer)
    page.wait_for_timeout(300)
    check("more of a former search is not added to the new one", rows.count() == 1, rows.count())
    page.unroute("**/admin/api/accounts?*")


def exported(page, server, check):
    """The archive comes to the browser, once."""
    go(page, server, "accounts/1")
    with page.expect_download(timeout=PATIENCE) as download:
        page.locator(".pane").get_by_role("button", name="Export data").click()
    status, _, _ = server.call("GET", download.value.url.split("/admin/")[1])
    check("data of an account is exported, by a link that works once", download.value.suggested_filename.endswith(".zip") and status in (401, 404), (download.value.suggested_filename, status))


def delete_needs_typing(page, server, check):
    go(page, server, "accounts?find=theo")
    page.locator("tbody .row-link").first.click()
    page.locator(".pane").get_by_role("button", name="Delete account").click()
    dialog = page.get_by_role("dialog")
    expect(dialog).to_be_visible(timeout=PATIENCE)
    button = dialog.get_by_role("button", name="Delete account")
    word = re.search(r"type (\S+)", dialog.inner_text()).group(1)
    dialog.locator("input[name=word]").fill("yes")
    disabled = button.is_disabled()
    dialog.locator("input[name=word]").fill(word)
    check("deleting an account needs its e-mail typed, and says what happens", disabled and button.is_enabled() and dialog.locator("li").count() >= 4)
    button.click()
    expect(page.locator(".toast").last).to_contain_text("deleted", timeout=PATIENCE)
    expect(listed(page, "Accounts")).to_contain_text("Deleted", timeout=PATIENCE)
    check("the list shows nothing of a deleted person", word not in listed(page, "Accounts").inner_text(), listed(page, "Accounts").inner_text())
    go(page, server, "audit?kind=accountDeleted")
    expect(page.locator("tbody tr").first).to_contain_text(word, timeout=PATIENCE)
    check("the audit log says who deleted it", NAME in page.locator("tbody tr").first.inner_text(), page.locator("tbody tr").first.inner_text())
    go(page, server, "accounts?state=deleted")
    page.locator("tbody .row-link").first.click()
    page.locator(".pane").get_by_role("link", name="Show in audit log").click()
    expect(listed(page, "Audit log")).to_contain_text("Account deleted", timeout=PATIENCE)
    check("the page of a deleted account leads to its entries", NAME in listed(page, "Audit log").inner_text())


def hostile_texts(page, server, check):
    """Each name would run if it were not shown as text."""
    go(page, server, "accounts?find=window.hit")
    expect(listed(page, "Accounts")).to_contain_text("<script>", timeout=PATIENCE)
    names = listed(page, "Accounts").inner_text()
    for path in ("workspaces/1", "audit", "accounts/4", "accounts/5", "files"):
        go(page, server, path)
        page.wait_for_timeout(300)
    go(page, server, "moderation")
    page.locator("input[name=text]").fill("onerror")
    page.get_by_role("button", name="Find").click()
    expect(page.locator(".content").first).to_contain_text("<img", timeout=PATIENCE)
    found = page.evaluate("() => [window.hit, document.querySelectorAll('main img, main script').length]")
    check("script in names, workspaces and chats is shown as text", "<script>" in names and found == [None, 0], found)


def backup(page, server, check):
    go(page, server, "backups")
    expect(page.locator("h1")).to_have_text("Backups", timeout=PATIENCE)
    before = page.locator("tbody tr").count()
    page.get_by_role("button", name="Back up now").click()
    expect(page.locator("tbody tr")).to_have_count(before + 1, timeout=60_000)
    expect(page.get_by_role("button", name="Back up now")).to_be_enabled(timeout=PATIENCE)
    check("a backup is made", True)


def invitation(page, server, check):
    go(page, server, "invitations")
    page.get_by_role("button", name="Make a code").click()
    dialog = page.get_by_role("dialog")
    workspace = dialog.get_by_label("Workspace")
    name = workspace.locator("option").nth(1).text_content()
    workspace.select_option(label=name)
    dialog.get_by_label("Who invites").fill("Hana")
    dialog.get_by_role("button", name="Make the code").click()
    expect(dialog.locator("code")).to_be_visible(timeout=PATIENCE)
    check("an invitation comes as link and QR code", dialog.get_by_role("img", name=re.compile("QR")).count() == 1)
    page.keyboard.press("Escape")
    check("the list of invitations names the workspace", name in page.locator("tbody tr").first.inner_text())


def read_only(page, server, check):
    go(page, server, "settings")
    page.get_by_role("button", name="Begin read-only mode").click()
    page.get_by_role("dialog").get_by_label("Reason").fill("moving <b>")
    page.get_by_role("dialog").get_by_role("button", name="Begin read-only mode").click()
    expect(page.locator(".strip")).to_contain_text("moving <b>", timeout=PATIENCE)
    go(page, server, "keys")
    page.get_by_role("button", name="New key").click()
    page.get_by_role("dialog").get_by_label("Label").fill("test")
    page.get_by_role("dialog").get_by_role("button", name="Make the key").click()
    expect(page.get_by_role("dialog").locator(".trouble")).to_contain_text("read-only mode", timeout=PATIENCE)
    page.keyboard.press("Escape")
    page.locator(".strip").get_by_role("button", name="End read-only mode").click()
    page.get_by_role("dialog").get_by_role("button", name="End read-only mode").click()
    expect(page.locator(".strip")).to_be_hidden(timeout=PATIENCE)
    check("read-only mode is seen on each page, its refusal says cause and cure, and it ends", True)


def keyboard_only(page, server, check):
    """From the top of the page to a disabled and enabled account, without a pointer."""
    page.goto("about:blank")
    go(page, server, "overview")
    expect(page.locator(".stat").first).to_be_visible(timeout=PATIENCE)

    def tab_to(selector, most=60):
        for _ in range(most):
            page.keyboard.press("Tab")
            if page.evaluate("(selector) => document.activeElement.matches(selector)", selector):
                return True
        return False

    skipped = tab_to("a.skip", 3) and tab_to("a.skip", 1)
    page.keyboard.press("Enter")
    check("the second key reaches the skip link to the first row", skipped and page.evaluate("() => document.activeElement.closest('tbody') !== null"))
    page.goto("about:blank")
    go(page, server, "overview")
    reached = tab_to("nav a[href='#/accounts']")
    page.keyboard.press("Enter")
    expect(page.locator("h1")).to_have_text("Accounts", timeout=PATIENCE)
    page.wait_for_timeout(300)
    page.keyboard.press("/")
    expect(page.get_by_role("searchbox")).to_be_focused(timeout=PATIENCE)
    page.keyboard.type("joon@")
    expect(page.locator("tbody tr")).to_have_count(1, timeout=PATIENCE)
    reached = reached and tab_to(".row-link")
    page.keyboard.press("Enter")
    expect(page.locator(".pane")).to_be_visible(timeout=PATIENCE)
    expect(page.locator("#pane-title")).to_be_focused(timeout=PATIENCE)
    reached = reached and tab_to(".pane .row-acts .button")
    page.keyboard.press("Enter")
    expect(page.get_by_role("dialog")).to_be_visible(timeout=PATIENCE)
    page.keyboard.press("Tab")
    page.keyboard.press("Enter")
    expect(page.locator(".pane .pill.bad")).to_have_text("Disabled", timeout=PATIENCE)
    reached = reached and tab_to(".pane .row-acts .button")
    page.keyboard.press("Enter")
    expect(page.locator(".pane .pill.good").first).to_have_text("Active", timeout=PATIENCE)
    page.keyboard.press("Escape")
    expect(page.locator(".pane")).to_have_count(0, timeout=PATIENCE)
    check("an account is found, disabled and enabled by keyboard alone", reached, reached)


def narrow(browser, page, server, check):
    sizes = []
    for width, height in ((360, 740), (820, 1000), (3840, 2160)):
        page.set_viewport_size({"width": width, "height": height})
        for path in PAGES:
            go(page, server, path)
            page.wait_for_timeout(150)
            wide = page.evaluate("() => { const main = document.querySelector('.shell > main'); return Math.max(main.scrollWidth - main.clientWidth, document.documentElement.scrollWidth - innerWidth); }")
            if wide > 0:
                sizes.append((width, path, wide))
    page.set_viewport_size({"width": 1280, "height": 800})
    check("no page is wider than a window of 360, 820 and 3840 px", not sizes, sizes)


def ended(page, server, secret, credentials, check):
    go(page, server, "keys")
    expect(page.locator("h1")).to_have_text("API keys", timeout=PATIENCE)
    server.advance(31)
    page.evaluate("() => { location.hash = '#/settings'; }")
    expect(page.locator("h1")).to_have_text("Your session has ended", timeout=PATIENCE)
    credentials()
    page.locator("input[name=code]").fill(server.code(secret))
    page.get_by_role("button", name="Sign in").click()
    expect(page.locator("h1")).to_have_text("Settings", timeout=PATIENCE)
    check("an ended session is said calmly, and the page goes on where it was", True)


def axe(browser, server, state, check):
    from axe_playwright_python.sync_playwright import Axe

    found = []
    for scheme in ("light", "dark"):
        for language in ("en-GB", "ko-KR"):
            context = browser.new_context(viewport={"width": 1280, "height": 900}, color_scheme=scheme, locale=language, storage_state=state, reduced_motion="reduce")
            page = context.new_page()

            def look(name):
                page.wait_for_timeout(200)
                for one in Axe().run(page).response["violations"]:
                    found.append((name, scheme, language, one["id"], one["nodes"][0]["html"][:160]))

            for path in PAGES:
                go(page, server, path)
                page.wait_for_timeout(350)
                look(path)
            go(page, server, "accounts/2")
            page.locator(".pane .grave").last.click()
            look("delete")
            page.keyboard.press("Escape")
            page.locator(".pane .row-acts .button").filter(has_text=re.compile("Add to a workspace|워크스페이스에 추가")).click()
            page.locator("dialog .picks label").first.wait_for()
            look("add to workspaces")
            page.keyboard.press("Escape")
            go(page, server, "accounts?state=pending")
            page.locator("tbody .pick input").first.wait_for()
            look("accounts that wait")
            page.set_viewport_size({"width": 390, "height": 844})
            for path in PAGES if language == "en-GB" else []:
                go(page, server, path)
                page.wait_for_timeout(350)
                look(f"{path} at 390 px")
            go(page, server, "overview")
            page.locator(".menu").click()
            look("menu")
            context.close()
            context = browser.new_context(color_scheme=scheme, locale=language, reduced_motion="reduce")
            page = context.new_page()
            page.goto(f"{server.base}/admin/")
            page.locator("input").first.wait_for()
            look("sign-in")
            page.goto("about:blank")
            page.goto(server.link())
            page.locator("input[name=name]").fill("another@example.com")
            look("setup 1")
            page.locator("input[name=password]").fill(PASSWORD)
            page.locator("[type=submit]").click()
            page.locator(".qr").wait_for()
            look("setup 2")
            context.close()
    check("axe finds nothing on any page, light and dark, English and Korean", not found, "\n".join(map(str, found)))


@contextlib.contextmanager
def server_of(program):
    """A server in development mode with the console."""
    program, port = str(pathlib.Path(program).resolve()), free_port()
    base = f"http://127.0.0.1:{port}"
    with tempfile.TemporaryDirectory() as folder:
        data = f"{folder}/data"
        settings = {"MADANG_PORT": str(port), "MADANG_PUBLIC_URL": base, "MADANG_WEB_ADMIN": "true", "MADANG_WEB_ADMIN_CONTENT": "true", "MADANG_WEB_ADMIN_BACKUPS": f"{folder}/backups"}
        loop = asyncio.new_event_loop()
        running = Program(program, "serve", "--dev", "--data", data, settings=settings)
        loop.run_until_complete(running.__aenter__())
        try:
            yield Server(program, settings, base, data)
        finally:
            loop.run_until_complete(running.__aexit__())
            loop.close()


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("madang")
    parser.add_argument("--axe", action="store_true")
    options = parser.parse_args()
    chromium = next(filter(None, map(shutil.which, PROGRAMS)), None) or sys.exit("needs a Chromium")
    check = Checks()
    with server_of(options.madang) as server, sync_playwright() as playwright:
        server.people()
        browser = playwright.chromium.launch(executable_path=chromium, args=["--no-sandbox"])
        context = browser.new_context(viewport={"width": 1280, "height": 800}, locale="en-GB")
        page = context.new_page()
        troubles = []
        page.on("pageerror", lambda error: troubles.append(str(error)))
        page.on("console", lambda message: troubles.append(message.text) if "Content Security" in message.text or "TrustedHTML" in message.text else None)
        same_texts(server, check)
        link, secret, codes = set_up(page, server, check)
        replayed_link(browser, link, check)
        forged_calls(page, server, check)
        credentials = sign_in(page, server, secret, check)
        recovery(page, codes, check)
        secret = second_step(page, server, secret, check)
        double_clicks(page, server, check)
        away(context, server, check)
        accounts(page, server, check)
        overtaken(page, server, check)
        exported(page, server, check)
        delete_needs_typing(page, server, check)
        hostile_texts(page, server, check)
        backup(page, server, check)
        invitation(page, server, check)
        read_only(page, server, check)
        keyboard_only(page, server, check)
        small_things(page, server, check)
        several(page, server, check)
        refusals(browser, server, context.storage_state(), check)
        narrow(browser, page, server, check)
        if options.axe:
            axe(browser, server, context.storage_state(), check)
        second = second_administrator(browser, server, check)
        typing_is_activity(browser, server, context.storage_state(), check)
        ended(page, server, secret, credentials, check)
        typed_returns(page, server, secret, credentials, *second, check)
        check("no page failed, and the policy was never broken", not troubles, troubles)
        browser.close()
    print(f"{check.count - len(check.failed)} of {check.count} checks held")
    return 1 if check.failed else 0


if __name__ == "__main__":
    sys.exit(main())
