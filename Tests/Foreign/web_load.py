"""The chat in a room of 100,000 chats, measured by the browser's own tracing. `web_check.py --load` runs it.

The figures: work of the page's main thread for each frame, while the reader scrolls up through the history and while chats
arrive; the memory of its scripts.
"""

import json
import threading
import time
import urllib.error
import urllib.request

from console_load import Trace, largest

CHATS = 100_000
MOST_HEAP = 150
FRAME = 16
SECONDS = 20
# Chats that arrive each second.
RATE = 20
SEED = f"""
people:
- {{email: "p1@example.com", nickname: Mina, joined: -30d}}
- {{email: "p2@example.com", nickname: Joon, joined: -30d}}
workspaces:
- name: Load
  owner: p1
  created: -20d
  members: [p2]
  channels:
  - name: busy
    members: [p2]
    chats: [{{count: {CHATS}, every: 1s, until: -1m, text: "Chat {{n}} of ordinary length, as people write them."}}]
"""


def ask(url, body=None, method="POST"):
    request = urllib.request.Request(url, body and json.dumps(body).encode(), method=method)
    try:
        with urllib.request.urlopen(request, timeout=600) as answer:
            return json.load(answer), answer.headers
    except urllib.error.HTTPError as error:
        raise SystemExit(f"{method} {url}: {error.read().decode()}") from None


class Posts:
    """Another person writes, until it ends."""

    def __init__(self, url):
        self.over, self.count = threading.Event(), 0
        self.thread = threading.Thread(target=self.run, args=(url,))
        self.thread.start()

    def run(self, url):
        began = time.monotonic()
        while not self.over.wait(max(0, began + self.count / RATE - time.monotonic())):
            self.count += 1
            ask(url + "/_dev/people/p2/post", {"in": "Load/busy", "text": f"Live chat {self.count} of ordinary length."})

    def end(self):
        self.over.set()
        self.thread.join()


def frames_of(browser, page, act):
    """Milliseconds of work of each frame meanwhile."""
    trace = Trace(browser)
    act()
    trace.end(page)
    return trace.frames()


def scrolled(page):
    """The reader turns the wheel upwards."""
    page.mouse.move(700, 400)
    end = time.monotonic() + SECONDS
    while time.monotonic() < end:
        page.mouse.wheel(0, -600)
        page.wait_for_timeout(30)


def measure(base, browser):
    """Prints the figures; 1 if one is above its limit."""
    world = ask(base + "/_dev/worlds", {"seed": SEED})[0]
    context = browser.new_context(viewport={"width": 1280, "height": 800}, locale="en-GB")
    _, headers = ask(world["url"] + "/_dev/people/p1/browser")
    name, value = headers["Set-Cookie"].split(";")[0].split("=", 1)
    context.add_cookies([{"name": name, "value": value, "url": world["url"]}])
    page = context.new_page()
    page.goto(world["url"])
    page.locator("a.room", has_text="busy").first.click()
    page.wait_for_selector(".rows .text")
    page.wait_for_selector(".live.good")
    page.evaluate("() => { const step = () => requestAnimationFrame(step); step(); }")

    def heap():
        session = page.context.new_cdp_session(page)
        return session.send("Runtime.getHeapUsage")["usedSize"] / 1e6
    heaps = {"opened": heap()}
    failed = False

    def tell(what, frames):
        nonlocal failed
        share = {part: frames[min(len(frames) - 1, int(len(frames) * part))] for part in (.5, .95, .99)}
        heaps[what] = heap()
        print(f"{what}: {len(frames)} frames; work in each: half {share[.5]:.1f} ms, 95% {share[.95]:.1f} ms, "
              f"99% {share[.99]:.1f} ms, most {frames[-1]:.1f} ms; {sum(one > FRAME for one in frames)} above {FRAME} ms")
        failed = failed or share[.99] > FRAME
    tell("scrolling", frames_of(browser, page, lambda: scrolled(page)))
    print(f"  the oldest row: {page.locator('.rows .text').first.inner_text()}")
    page.locator(".jump:not(.earlier)").click()
    page.wait_for_timeout(1000)
    posts = Posts(world["url"])
    try:
        tell(f"{RATE} chats a second", frames_of(browser, page, lambda: page.wait_for_timeout(SECONDS * 1000)))
        tell("both", frames_of(browser, page, lambda: scrolled(page)))
    finally:
        posts.end()
    memory = largest(browser)
    elements = page.locator("*").count()
    print(f"scripts: {', '.join(f'{what} {size:.0f} MB' for what, size in heaps.items())}; the page's process {memory:.0f} MB, "
          f"with what was traced; {elements} elements; {posts.count} chats came")
    return 1 if failed or max(heaps.values()) > MOST_HEAP else 0
