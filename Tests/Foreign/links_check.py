"""The pages of links and the mails, in a real Chromium: a forgotten password, a confirmation, an invitation.

    python Tests/Foreign/links_check.py .build/debug/madang [--shots DIRECTORY]

Runs a server in development mode and looks at each page and mail in light and dark, Korean and English, narrow and wide.
Needs playwright and axe-playwright-python from PyPI, and a Chromium; takes about a minute. Exits 0 when every check held.
"""

import argparse
import asyncio
import contextlib
import itertools
import json
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile
import time
import urllib.parse
import urllib.request

from axe_playwright_python.sync_playwright import Axe
from playwright.sync_api import expect, sync_playwright

from browser import PROGRAMS
from program import Program

SCRIPT = "<script>alert(1)</script>"
PASSWORD = "Passw0rd!"
NEW = "0ther-Pass!"
NAME = "감나무 집 <b>"
# Seconds that a busy machine may take for what a person sees at once.
PATIENCE = 60


class Stage:
    def __init__(self, options, base, data, browser):
        self.program, self.base, self.data, self.browser = options.madang, base, data, browser
        self.shots = pathlib.Path(options.shots) if options.shots else None
        self.troubles = []

    def page(self, language="ko-KR", scheme="light", width=1280, scripts=True):
        context = self.browser.new_context(
            viewport={"width": width, "height": 800}, locale=language, color_scheme=scheme, java_script_enabled=scripts)
        page = context.new_page()
        page.set_default_timeout(PATIENCE * 1000)
        page.on("dialog", lambda dialog: (self.troubles.append(f"dialog: {dialog.message}"), dialog.dismiss()))
        page.on("pageerror", lambda error: self.troubles.append(f"error: {error}"))
        page.on("console", lambda message: self.troubles.append(f"console: {message.text}")
                if message.type == "error" and "status of 4" not in message.text else None)
        return page

    def call(self, path, fields=None, language=None):
        headers = {"SesacKey": "dev-key-2024-10"} | ({"Accept-Language": language} if language else {})
        data = None if fields is None else json.dumps(fields).encode()
        if data:
            headers["Content-Type"] = "application/json"
        with urllib.request.urlopen(urllib.request.Request(self.base + path, data, headers), timeout=PATIENCE) as answer:
            return json.loads(answer.read() or "null")

    def sign_up(self, email, language=None):
        self.call("/v1/users/join", {"email": email, "password": PASSWORD, "nickname": SCRIPT}, language)

    def mail(self, email, kind, count=1):
        """The newest of the mails to an address, when there are so many, and the path of its link."""
        end = time.time() + PATIENCE
        while True:
            mails = [one for one in self.call(f"/_dev/mails?to={email}") if one["kind"] == kind]
            if len(mails) >= count:
                break
            assert time.time() < end, f"no mail of {kind} to {email}"
            time.sleep(0.05)
        link = re.search(r"^https?://[^/\s]+(/\w+/[0-9a-f]{32})$", mails[-1]["body"], re.MULTILINE)
        return mails[-1], link and link[1]

    def forgotten(self, email, count=1, language="ko"):
        data = urllib.parse.urlencode({"email": email}).encode()
        request = urllib.request.Request(self.base + "/password", data, {"Accept-Language": language})
        urllib.request.urlopen(request, timeout=PATIENCE).read()
        return self.mail(email, "passwordReset", count)

    def invitation(self):
        made = subprocess.run(
            [self.program, "admin", "invite", "create", "--code", "--uses", "9", "--data", self.data, "--json"], check=True,
            capture_output=True)
        return "/invite/" + json.loads(made.stdout)["code"]


def check_password(stage):
    """A forgotten password: asked for, chosen with the rules in sight, used up."""
    stage.sign_up("mina@example.com")
    page = stage.page()
    page.goto(stage.base + "/password")
    page.wait_for_selector("input:focus")
    page.keyboard.type("mina@example.com")
    page.keyboard.press("Enter")
    expect(page.get_by_role("heading", name="메일을 확인해 주세요")).to_be_visible()
    mail, path = stage.mail("mina@example.com", "passwordReset")
    assert mail["subject"] == f"{NAME}: 새 비밀번호 정하기" and '<html lang="ko">' in mail["html"], mail
    page.goto(stage.base + path)
    good = page.locator(".rules .good")
    page.fill("#password", "Garden12")
    expect(good).to_have_count(4)
    page.fill("#again", "Garden12")
    expect(good).to_have_count(5)
    expect(page.locator("[role=status]")).to_have_text("아직 필요해요: 특수 문자")
    page.get_by_role("button", name="보기").click()
    assert page.locator("input[type=password]").count() == 0, "the password is shown"
    page.fill("#again", NEW)
    page.fill("#password", "Garden12!")
    page.get_by_role("button", name="저장하기").click()
    expect(page.get_by_role("alert")).to_contain_text("두 비밀번호가 달라요")
    page.fill("#password", NEW)
    page.fill("#again", NEW)
    expect(good).to_have_count(6)
    page.keyboard.press("Enter")
    expect(page.get_by_role("heading", name="새 비밀번호를 저장했어요")).to_be_visible()
    page.get_by_role("link", name="채팅 열기").click()
    page.wait_for_selector("input[name=email]")
    stage.call("/v1/users/login", {"email": "mina@example.com", "password": NEW})
    page.goto(stage.base + path)
    expect(page.get_by_role("heading", name="쓸 수 없는 링크예요")).to_be_visible()
    page.get_by_role("link", name="메일 다시 받기").click()
    expect(page.get_by_role("heading", name="비밀번호를 잊으셨나요?")).to_be_visible()


def check_without_scripts(stage):
    """A browser without scripts chooses a password as well."""
    stage.sign_up("sora@example.com")
    _, path = stage.forgotten("sora@example.com")
    page = stage.page("en-US", scripts=False)
    page.goto(stage.base + path)
    assert page.get_by_role("button").count() == 1, "a button that does nothing is hidden"
    for again, heading in ("Other-Pass1!", "Choose a new password"), (NEW, "Your new password is saved"):
        page.fill("#password", NEW)
        page.fill("#again", again)
        page.get_by_role("button", name="Save").click()
        if again != NEW:
            expect(page.get_by_role("alert")).to_be_visible()
        expect(page.get_by_role("heading", name=heading)).to_be_visible()


def check_confirmation(stage):
    """A nickname is text; a wrong password leaves the form, the right one confirms."""
    stage.sign_up("joon@example.com", "en-GB")
    mail, path = stage.mail("joon@example.com", "addressConfirmation")
    assert mail["subject"] == f"{NAME}: Confirm your address" and SCRIPT not in mail["html"], mail
    page = stage.page("en-GB")
    page.goto(stage.base + path)
    expect(page.locator(".facts")).to_contain_text(SCRIPT)
    page.fill("#password", "Wr0ng-word!")
    page.keyboard.press("Enter")
    expect(page.get_by_role("alert")).to_have_text("This is not the password of the account.")
    page.fill("#password", PASSWORD)
    page.keyboard.press("Enter")
    expect(page.get_by_role("heading", name="Your address is confirmed")).to_be_visible()


def check_invitation(stage):
    """An invitation leads to the sign-up in the chat."""
    page = stage.page()
    page.goto(stage.base + stage.invitation())
    page.fill("[name=email]", "guest@example.com")
    page.keyboard.press("Enter")
    expect(page.get_by_role("heading", name=f"{NAME}에 오신 것을 환영해요")).to_be_visible()
    page.get_by_role("link", name="여기서 바로 가입하기").click()
    page.wait_for_selector("input[name=nickname]")


def check_foreign_forms(stage):
    """Where browsers send no Sec-Fetch-Site, a page's own form works, and a form of another site does not."""
    home = f"http://madang.test:{urllib.parse.urlsplit(stage.base).port}"
    page = stage.page("en-US")
    sent = []
    page.on("request", lambda request: sent.append(request.all_headers()) if request.method == "POST" else None)
    page.goto(home + "/password")
    page.fill("[name=email]", "mina@example.com")
    page.keyboard.press("Enter")
    expect(page.get_by_role("heading", name="Look into your mails")).to_be_visible()
    for policy in "no-referrer", "unsafe-url":
        form = f"""<meta name="referrer" content="{policy}"><form method="post" action="{home}/password">
            <input name="email" value="mina@example.com"></form><script>document.forms[0].submit()</script>"""
        page.route("http://evil.test/", lambda route: route.fulfill(body=form, content_type="text/html"))
        page.goto("http://evil.test/", wait_until="commit")
        page.wait_for_url(home + "/password")
        expect(page.get_by_role("heading")).to_have_text("Please open the page itself")
        page.unroute("http://evil.test/")
    assert [one.get("origin") for one in sent] == [home, "null", "http://evil.test"], sent
    assert not any("sec-fetch-site" in one for one in sent), sent


def check_looks(stage):
    """No page and no mail violates a rule of axe or is wider than its window."""
    stage.sign_up("looks@example.com")
    mails = {"reset": stage.forgotten("looks@example.com", 1, "ko")[0], "reset-en": stage.forgotten("looks@example.com", 2, "en")[0]}
    _, choose = stage.mail("looks@example.com", "passwordReset", 2)
    mails["confirm"], confirm = stage.mail("looks@example.com", "addressConfirmation")
    paths = {
        "password": "/password", "choose": choose, "gone": "/password/x", "confirm-mail": "/confirm", "confirm": confirm,
        "confirm-gone": "/confirm/x", "invite": stage.invitation(), "invite-gone": "/invite/x"}
    for language, scheme, width in itertools.product(("ko-KR", "en-US"), ("light", "dark"), (1280, 390, 360)):
        page = stage.page(language, scheme, width)
        views = [(name, lambda path=path: page.goto(stage.base + path)) for name, path in paths.items()]
        if language == "ko-KR":
            views += [(f"mail-{name}", lambda mail=mail: (page.goto("about:blank"), page.set_content(mail["html"]))) for name, mail in mails.items()]
        views += [("wrong", lambda: (page.goto(stage.base + choose), page.fill("#password", "Garden12"), page.fill(
            "#again", "Garden123"), page.get_by_role("button").last.click(), page.wait_for_selector("[role=alert]")))]
        for name, show in views:
            show()
            where = f"{name}-{language[:2]}-{scheme}-{width}"
            wide = page.evaluate("""() => [...document.querySelectorAll("*")].filter((one) =>
                one.getBoundingClientRect().right > document.documentElement.clientWidth).map((one) => one.outerHTML.slice(0, 160))""")
            assert not wide, f"{where} is too wide: {wide}"
            if width == 360:
                continue
            found = Axe().run(page).response["violations"]
            assert not found, f"{where}: " + "; ".join(f"{one['id']} {one['nodes'][0]['html'][:160]}" for one in found)
            if stage.shots:
                page.screenshot(path=str(stage.shots / f"{where}.png"), full_page=True)
        page.context.close()


CHECKS = check_password, check_without_scripts, check_confirmation, check_invitation, check_foreign_forms, check_looks


@contextlib.contextmanager
def server(madang):
    """The URL of a server, and its data."""
    settings = {"MADANG_WEB_NAME": NAME, "MADANG_REGISTRATION_CONFIRM": "limited", "MADANG_PASSWORD_RESETS": "9",
                "MADANG_PUBLIC_URL": "https://chat.example.com"}
    with tempfile.TemporaryDirectory() as data, asyncio.Runner() as runner:
        program = Program.development(madang, data, settings)
        runner.run(program.__aenter__())
        try:
            yield program.url, data
        finally:
            runner.run(program.__aexit__())


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("madang")
    parser.add_argument("--shots", help="a directory for pictures")
    options = parser.parse_args()
    chromium = next(filter(None, map(shutil.which, PROGRAMS)), None) or sys.exit("needs a Chromium")
    failed = 0
    with server(options.madang) as (base, data), sync_playwright() as playwright:
        expect.set_options(timeout=PATIENCE * 1000)
        browser = playwright.chromium.launch(executable_path=chromium, args=[
            "--no-sandbox", "--host-resolver-rules=MAP *.test 127.0.0.1",
            "--disable-features=LocalNetworkAccessChecks,BlockInsecurePrivateNetworkRequests,HttpsUpgrades"])
        stage = Stage(options, base, data, browser)
        for check in CHECKS:
            try:
                check(stage)
                assert not stage.troubles, "; ".join(stage.troubles)
                print(f"ok   {check.__name__}: {check.__doc__}", flush=True)
            except Exception as error:
                failed += 1
                print(f"FAIL {check.__name__}: {str(error)[:800]}", flush=True)
                stage.troubles.clear()
        browser.close()
    print(f"links: {len(CHECKS) - failed} passed, {failed} failed")
    sys.exit(1 if failed else 0)


if __name__ == "__main__":
    main()
