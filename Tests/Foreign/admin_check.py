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
import socket
import struct
import subprocess
import sys
import tempfile
import time
import urllib.error
import urllib.request

from playwright.sync_api import expect, sync_playwright

from browser import PROGRAMS
from program import Program

PATIENCE = 15_000
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


def set_up(page, server, check):
    """The link makes an administrator once; a wrong code does not."""
    link = server.link()
    page.goto(link)
    heading = page.locator("h1")
    expect(heading).to_have_text("The first administrator", timeout=PATIENCE)
    check("the token of the link leaves the address", "setup" not in page.url, page.url)
    page.get_by_label("Name or e-mail").fill(NAME)
    page.locator("input[name=password]").fill("persimmon")
    check("rules of a password show while typing", page.locator(".rules .good").count() == 2, page.locator(".rules").inner_text())
    page.get_by_role("button", name="Next").click()
    check("a weak password is refused in words", "rules" in page.locator(".trouble").inner_text(), page.locator(".trouble").inner_text())
    page.locator("input[name=password]").fill(PASSWORD)
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

    def credentials():
        page.get_by_label("Name or e-mail").fill(NAME)
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


def go(page, server, path):
    page.goto(f"{server.base}/admin/#/{path}")
    page.wait_for_function("""(name) => {
      const link = document.querySelector(`nav a[href="#/${name}"] span`);
      return link && document.querySelector("main h1").textContent === link.textContent;
    }""", arg=re.split(r"[/?]", path)[0], timeout=PATIENCE)


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
    go(page, server, "audit?kind=accountDeleted")
    expect(page.locator("tbody tr").first).to_contain_text(word, timeout=PATIENCE)
    check("the audit log says who deleted it", NAME in page.locator("tbody tr").first.inner_text(), page.locator("tbody tr").first.inner_text())


def hostile_texts(page, server, check):
    """Each name would run if it were not shown as text."""
    go(page, server, "accounts?find=window.hit")
    expect(page.locator("tbody")).to_contain_text("<script>", timeout=PATIENCE)
    names = page.locator("tbody").inner_text()
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
    check("a backup is made", page.get_by_role("button", name="Back up now").is_enabled())


def invitation(page, server, check):
    go(page, server, "invitations")
    page.get_by_role("button", name="Make a code").click()
    page.get_by_role("dialog").get_by_role("button", name="Make the code").click()
    expect(page.get_by_role("dialog").locator("code")).to_be_visible(timeout=PATIENCE)
    check("an invitation comes as link and QR code", page.get_by_role("dialog").get_by_role("img", name=re.compile("QR")).count() == 1)
    page.keyboard.press("Escape")


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

    reached = tab_to("nav a[href='#/accounts']")
    page.keyboard.press("Enter")
    expect(page.locator("h1")).to_have_text("Accounts", timeout=PATIENCE)
    page.wait_for_timeout(300)
    page.keyboard.press("/")
    page.keyboard.type("joon@")
    expect(page.locator("tbody tr")).to_have_count(1, timeout=PATIENCE)
    reached = reached and tab_to(".row-link")
    page.keyboard.press("Enter")
    expect(page.locator(".pane")).to_be_visible(timeout=PATIENCE)
    page.wait_for_timeout(200)
    on_heading = page.evaluate("() => document.activeElement.id") == "pane-title"
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
    check("an account is found, disabled and enabled by keyboard alone", reached and on_heading, (reached, on_heading))


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
    page.get_by_role("link", name="Settings").click()
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


def free_port():
    with socket.socket() as listener:
        listener.bind(("127.0.0.1", 0))
        return listener.getsockname()[1]


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
        accounts(page, server, check)
        exported(page, server, check)
        delete_needs_typing(page, server, check)
        hostile_texts(page, server, check)
        backup(page, server, check)
        invitation(page, server, check)
        read_only(page, server, check)
        keyboard_only(page, server, check)
        narrow(browser, page, server, check)
        if options.axe:
            axe(browser, server, context.storage_state(), check)
        ended(page, server, secret, credentials, check)
        check("no page failed, and the policy was never broken", not troubles, troubles)
        browser.close()
    print(f"{check.count - len(check.failed)} of {check.count} checks held")
    return 1 if check.failed else 0


if __name__ == "__main__":
    sys.exit(main())
