"""The developer's console in a real Chromium: what a person at it does, by mouse and by keyboard alone.

    python3 Tests/Foreign/console_check.py http://127.0.0.1:8080 [--axe]

The address is of a server in development mode. Needs playwright (PyPI) and Debian's chromium; `--axe` also needs
axe-playwright-python. Takes less than a minute. Exits 0 when every check held.
"""

import argparse
import json
import sys
import urllib.error
import urllib.request

from playwright.sync_api import expect, sync_playwright

PATIENCE = 20_000
PASSWORD = "Passw0rd!"
KEY = "dev-key-2024-10"
# Each would run, close a tag, or turn text around if it were not shown as text.
HOSTILE = ["<img src=x onerror=window.hit=1>", "<script>window.hit=1</script>", '"><b onmouseover=window.hit=1>', "\u202egnp.exe", "javascript:window.hit=1"]
PAGES = ["live", "people", "sockets", "worlds", "clock", "faults", "scripts", "seeds", "review", "coverage", "pushes", "mails", "payments", "tokens", "phone", "contract"]


class Call:
    """REST of a world."""

    def __init__(self, url):
        self.url = url

    def __call__(self, method, path, body=None, headers=None):
        request = urllib.request.Request(self.url + path, None if body is None else json.dumps(body).encode(), headers or {}, method=method)
        if body is not None:
            request.add_header("Content-Type", "application/json")
        try:
            with urllib.request.urlopen(request, timeout=30) as answer:
                return answer.status, json.loads(answer.read() or b"null")
        except urllib.error.HTTPError as error:
            return error.code, json.loads(error.read() or b"null")

    def sign_in(self, name):
        _, login = self("POST", "/v1/users/login", {"email": f"{name}@example.com", "password": PASSWORD}, {"SesacKey": KEY})
        return {"SesacKey": KEY, "Authorization": login["token"]["accessToken"]}


class Checks:
    def __init__(self):
        self.failed = []

    def __call__(self, name, holds, more=""):
        print(("ok      " if holds else "FAILED  ") + name, more if not holds else "", flush=True)
        if not holds:
            self.failed.append(name)


def rows(page):
    return page.locator("console-list [role=option]:not([hidden])")


def refused_call(page, base, world, call, check):
    """A refused call is followed to its reason, and cured from there."""
    sora = call.sign_in("sora")
    _, mine = call("GET", "/v1/workspaces", headers=call.sign_in("mina"))
    book = next(one["workspace_id"] for one in mine if one["name"] == "Book club")
    status, answer = call("GET", f"/v1/workspaces/{book}/channels", headers=sora)
    check("the call is refused", (status, answer) == (400, {"errorCode": "E13"}), answer)
    page.goto(f"{base}/_dev/#/{world}/live")
    query = page.get_by_role("combobox", name="Filter")
    query.fill("person:sora outcome:refused")
    query.press("Enter")
    expect(rows(page)).to_have_count(1, timeout=PATIENCE)
    check("the filter leaves the refused call", "E13" in rows(page).first.inner_text())
    rows(page).first.click()
    why = page.locator(".opened-row .why")
    expect(why).to_contain_text("not a member", timeout=PATIENCE)
    text = why.inner_text()
    check("the reason names workspace and owner", "Book club" in text and "Joon" in text, text)
    link = why.get_by_role("link", name="Error codes")
    expect(link).to_be_visible(timeout=PATIENCE)
    link.click()
    expect(page.locator("#contract-error-codes")).to_be_focused(timeout=PATIENCE)
    check("the link leads to the contract's heading", True)
    page.go_back()
    expect(rows(page)).to_have_count(1, timeout=PATIENCE)
    if not page.locator(".opened-row").is_visible():
        rows(page).first.click()
    page.get_by_role("button", name="Let 소라 into Book club").click(timeout=PATIENCE)
    expect(page.locator(".toast").last).to_contain_text("is in Book club", timeout=PATIENCE)
    page.get_by_role("button", name="Send again").click()
    expect(page.locator(".toast").last).to_contain_text("Sent again", timeout=PATIENCE)
    page.get_by_role("combobox", name="Filter").fill("person:sora operation:channels outcome:ok")
    expect(rows(page)).to_have_count(1, timeout=PATIENCE)
    check("sent again after the cure, it succeeds", "200" in rows(page).first.inner_text())


def fault(page, base, world, call, check):
    """A fault is switched on from the list, its hit seen, and it is switched off."""
    page.goto(f"{base}/_dev/#/{world}/faults")
    page.get_by_role("button", name="status", exact=False).first.click(timeout=PATIENCE)
    form = page.get_by_role("form", name="status")
    form.get_by_label("status", exact=True).fill("503")
    form.get_by_label("operation").select_option("me")
    form.get_by_role("button", name="Switch on").click()
    rule = page.get_by_role("list", name="Switched on").get_by_role("listitem")
    expect(rule).to_have_count(1, timeout=PATIENCE)
    status, _ = call("GET", "/v1/users/me", headers=call.sign_in("mina"))
    check("the fault applies", status == 503, status)
    expect(rule).to_contain_text("1 of 1", timeout=PATIENCE)
    check("its hit is counted", True)
    rule.get_by_role("link", name="Hits").click()
    expect(rows(page).filter(has_text="fault: status 503")).to_have_count(1, timeout=PATIENCE)
    check("its hit is in the timeline", True)
    page.goto(f"{base}/_dev/#/{world}/faults")
    rule.get_by_role("button", name="Switch off").click(timeout=PATIENCE)
    expect(rule).to_have_count(0, timeout=PATIENCE)
    status, _ = call("GET", "/v1/users/me", headers=call.sign_in("mina"))
    check("switched off, it no longer applies", status == 200, status)


def hostile(page, base, world, call, check):
    """Names, chats and file names are text everywhere."""
    mina = call.sign_in("mina")
    _, mine = call("GET", "/v1/workspaces", headers=mina)
    weekend = next(one["workspace_id"] for one in mine if one["name"] == "Weekend")
    for index, text in enumerate(HOSTILE):
        call("POST", f"/v1/workspaces/{weekend}/channels", {"name": text[:30]}, mina)
        call("POST", "/v1/users/join", {"email": f"evil{index}@example.com", "password": PASSWORD, "nickname": text[:30]}, {"SesacKey": KEY})
        call("PUT", "/v1/users/me", {"nickname": text[:30]}, mina)
        call("POST", "/_dev/people/joon/post", {"in": "Weekend/ios", "text": text})
        call("POST", "/_dev/payments", {"merchant_uid": text, "amount": 1})
        call("POST", "/_dev/scripts", {"name": text, "do": [{"as": "joon", "post": text, "in": "Weekend/ios"}]})
    call("POST", "/_dev/worlds", None)
    for name in PAGES:
        page.goto(f"{base}/_dev/#/{world}/{name}")
        page.wait_for_timeout(500)
        if name == "live":
            for index in range(min(rows(page).count(), 12)):
                rows(page).nth(index).click()
                page.wait_for_timeout(120)
        foreign = page.evaluate("() => [document.querySelectorAll('main img, main script, main iframe, [onmouseover], [onerror]').length, window.hit ?? 0]")
        check(f"{name}: nothing hostile became an element", foreign == [0, 0], foreign)
    page.goto(f"{base}/_dev/#/{world}/people")
    shown = page.get_by_role("list", name="People")
    expect(shown).to_contain_text("<img src=x", timeout=PATIENCE)
    check("a hostile nickname is shown as text", True)


def keyboard(page, base, world, call, check):
    """From the filter to the reason and back without a mouse."""
    call("GET", "/v1/nothing", headers={"SesacKey": KEY})
    page.goto(f"{base}/_dev/#/{world}/people")
    page.wait_for_timeout(500)
    page.keyboard.press("/")
    query = page.get_by_role("combobox", name="Filter")
    expect(query).to_be_focused(timeout=PATIENCE)
    check("/ leads to the filter from any page", True)
    page.keyboard.press("Control+a")
    page.keyboard.type("cod")
    page.keyboard.press("ArrowDown")
    page.keyboard.press("Enter")
    page.keyboard.type("E97")
    check("completion by keyboard", query.input_value() == "code:E97", query.input_value())
    page.keyboard.press("Enter")
    listbox = page.locator("console-list")
    expect(listbox).to_be_focused()
    expect(rows(page)).to_have_count(1, timeout=PATIENCE)
    page.keyboard.press("ArrowDown")
    page.keyboard.press("ArrowUp")
    active = listbox.get_attribute("aria-activedescendant")
    check("a row is current", bool(active) and page.locator(f"#{active}").get_attribute("aria-selected") == "true")
    page.keyboard.press("Enter")
    heading = page.locator(".opened-row h2")
    expect(heading).to_be_focused(timeout=PATIENCE)
    expect(page.locator(".opened-row .why")).to_contain_text("E97", timeout=PATIENCE)
    page.keyboard.press("Escape")
    expect(listbox).to_be_focused(timeout=PATIENCE)
    expect(page.locator(".opened-row")).to_be_hidden()
    check("Esc closes the row and returns to the list", True)
    page.keyboard.press("?")
    expect(page.get_by_role("dialog")).to_be_visible()
    page.keyboard.press("Escape")
    check("? shows the keys", True)


def accessible(context, base, world, check):
    from axe_playwright_python.sync_playwright import Axe

    axe = Axe()
    page = context.new_page()
    for width in (1280, 390):
        page.set_viewport_size({"width": width, "height": 844})
        for scheme in ("light", "dark"):
            page.emulate_media(color_scheme=scheme)
            for name in PAGES:
                page.goto(f"{base}/_dev/#/{world}/{name}")
                page.wait_for_timeout(700)
                if name == "live" and rows(page).count() and not page.locator(".opened-row").is_visible():
                    rows(page).first.click()
                    page.wait_for_timeout(500)
                found = axe.run(page).response["violations"]
                check(f"axe {width} {scheme} {name}", not found, [(one["id"], [node["html"][:150] for node in one["nodes"][:3]]) for one in found])
    page.close()


def main():
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("server")
    parser.add_argument("--axe", action="store_true")
    parser.add_argument("--only", default="")
    arguments = parser.parse_args()
    base = arguments.server.rstrip("/")
    _, made = Call(base)("POST", "/_dev/worlds", {"seed": "courtyard"})
    call, world, check = Call(made["url"]), made["id"], Checks()
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path="/usr/bin/chromium", args=["--no-sandbox"])
        context = browser.new_context(locale="en-GB", viewport={"width": 1280, "height": 800})
        page = context.new_page()
        errors = []
        page.on("pageerror", lambda error: errors.append(str(error)))
        page.on("console", lambda message: errors.append(message.text) if message.type == "error" and "Failed to load resource" not in message.text else None)
        try:
            for one in (refused_call, fault, keyboard, hostile):
                if not arguments.only or one.__name__ in arguments.only:
                    try:
                        one(page, base, world, call, check)
                    except AssertionError as error:
                        check(one.__name__, False, str(error)[:700])
                    except Exception as error:
                        check(one.__name__, False, f"{type(error).__name__} {str(error)[:700]}")
            if arguments.axe:
                accessible(context, base, world, check)
            check("no errors in the page", not errors, errors[:5])
        finally:
            browser.close()
            Call(base)("DELETE", f"/_dev/worlds/{world}")
    print(f"{len(check.failed)} failed")
    return 1 if check.failed else 0


if __name__ == "__main__":
    sys.exit(main())
