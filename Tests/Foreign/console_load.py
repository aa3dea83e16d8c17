"""The console while 10,000 events a minute arrive, measured by the browser's own tracing. `console_check.py --load` runs it.

A minute of a busy room. The figures: entries of the journal, which the timeline shows as they come; work of the page's main
thread for each frame; the memory of its process.
"""

import json
import threading
import time
import urllib.request

A_MINUTE = 10_000
MOST_MEMORY = 150
FRAME = 16
KEY = {"SesacKey": "dev-key-2024-10"}
PASSWORD = "Passw0rd!"
CATEGORIES = ["toplevel", "devtools.timeline", "disabled-by-default-devtools.timeline.frame"]


class Traffic:
    """Posts in a room, and the sockets that hear them."""

    LISTENERS = 3
    POSTERS = 4
    # Of a post at least: its request, a notification, for each listener an event; and requests of long-polling that fetch them.
    ENTRIES = 3 + LISTENERS

    def __init__(self, url):
        self.url = url
        self.over = threading.Event()
        self.sent = self.lost = 0
        login = self.call("POST", "/v1/users/login", {"email": "mina@example.com", "password": PASSWORD}, KEY)
        self.headers = KEY | {"Authorization": login["token"]["accessToken"]}
        weekend = next(one["workspace_id"] for one in self.call("GET", "/v1/workspaces") if one["name"] == "Weekend")
        channels = self.call("GET", f"/v1/workspaces/{weekend}/channels")
        room = next(one["channel_id"] for one in channels if one["name"] == "ios")
        self.path = f"/v1/workspaces/{weekend}/channels/{room}/chats"
        self.call("GET", self.path)
        self.threads = [threading.Thread(target=self.listen, args=(room,)) for _ in range(self.LISTENERS)]
        self.threads += [threading.Thread(target=self.post, args=(number,)) for number in range(self.POSTERS)]
        self.gap = 60 * self.POSTERS * self.ENTRIES / A_MINUTE
        for thread in self.threads:
            thread.start()

    def call(self, method, path, body=None, headers=None):
        data = body if isinstance(body, bytes | None) else json.dumps(body).encode()
        kind = "text/plain" if isinstance(body, bytes) else "application/json"
        headers = (headers or self.headers) | {"Content-Type": kind}
        request = urllib.request.Request(self.url + path, data, headers, method=method)
        with urllib.request.urlopen(request, timeout=60) as answer:
            text = answer.read().decode()
        return json.loads(text) if text[:1] in "[{" else text

    def listen(self, room):
        """Long-polling, as it needs no library: packets are recorded one by one whichever the transport."""
        path = "/socket.io/?EIO=4&transport=polling"
        path += "&sid=" + json.loads(self.call("GET", path)[1:])["sid"]
        self.call("POST", path, f"40/ws-channel-{room},".encode())
        while not self.over.is_set():
            if "2" in self.call("GET", path).split("\x1e"):
                self.call("POST", path, b"3")
        self.call("POST", path, b"1")

    def post(self, number):
        began, count = time.monotonic(), 0
        while not self.over.is_set():
            try:
                self.call("POST", self.path, {"content": f"A chat of ordinary length, number {number}.{count}"})
                self.sent += 1
            except OSError:
                self.lost += 1
            count += 1
            self.over.wait(max(0, began + count * self.gap - time.monotonic()))

    def close(self):
        self.over.set()
        time.sleep(0.3)
        for thread in self.threads[self.LISTENERS:]:
            thread.join()
        # What the listeners still wait for.
        self.call("POST", self.path, {"content": "the end"})
        for thread in self.threads[:self.LISTENERS]:
            thread.join(30)


class Trace:
    """What the main thread of the page does."""

    def __init__(self, browser):
        self.session = browser.new_browser_cdp_session()
        self.events, self.ended = [], False
        self.session.on("Tracing.dataCollected", lambda part: self.events.extend(part["value"]))
        self.session.on("Tracing.tracingComplete", lambda _: setattr(self, "ended", True))
        self.session.send("Tracing.start", {
            "transferMode": "ReportEvents", "traceConfig": {"includedCategories": CATEGORIES}})

    def end(self, page):
        self.session.send("Tracing.end")
        while not self.ended:
            page.wait_for_timeout(100)
        mains = {(one["pid"], one["tid"]) for one in self.events
                 if one.get("name") == "thread_name" and one["args"]["name"] == "CrRendererMain"}
        of = {main: [one for one in self.events if (one["pid"], one["tid"]) == main] for main in mains}
        self.own = max(of.values(), key=len)

    def frames(self):
        """Milliseconds of processor time between each frame and the next, sorted."""
        starts = []
        for at in sorted(one["ts"] for one in self.own if one.get("name") == "FireAnimationFrame"):
            # A frame may have several callbacks.
            if not starts or at - starts[-1] > 4000:
                starts.append(at)
        tasks = sorted((one["ts"], one.get("tdur", 0) / 1000) for one in self.own
                       if "RunTask" in one.get("name", "") and one.get("ph") == "X")
        found, at = [], 0
        for start, end in zip(starts, starts[1:]):
            work = 0
            while at < len(tasks) and tasks[at][0] < end:
                work += tasks[at][1] if tasks[at][0] >= start else 0
                at += 1
            found.append(work)
        return sorted(found)


def largest(browser):
    """Megabytes that only the largest process of a page has."""
    processes = browser.new_browser_cdp_session().send("SystemInfo.getProcessInfo")["processInfo"]
    return max(private(one["id"]) for one in processes if one["type"] == "renderer")


def private(process):
    with open(f"/proc/{process}/smaps_rollup") as lines:
        sizes = dict(line.split()[:2] for line in lines if ":" in line.split()[0])
    return (int(sizes["Private_Dirty:"]) + int(sizes["Private_Clean:"])) / 1024


def measure(base, browser, seconds):
    """Prints the figures; 1 if one is above its limit."""
    request = urllib.request.Request(base + "/_dev/worlds", b'{"seed":"courtyard"}', method="POST")
    world = json.load(urllib.request.urlopen(request))
    traffic = Traffic(world["url"])
    try:
        page = browser.new_page(viewport={"width": 1280, "height": 800}, locale="en-GB")
        page.goto(f"{base}/_dev/#/{world['id']}/live")
        page.wait_for_selector("console-list [role=option]:not([hidden])")
        page.evaluate("() => { const step = () => requestAnimationFrame(step); step(); }")
        first, began = journal(world["url"]), time.monotonic()
        page.wait_for_timeout(seconds * 1000 * 2 / 3)
        # The trace has memory of its own in the page's process.
        memory = largest(browser)
        trace = Trace(browser)
        page.wait_for_timeout(seconds * 1000 / 3)
        came, took = journal(world["url"]) - first, time.monotonic() - began
        trace.end(page)
        heap = page.context.new_cdp_session(page).send("Runtime.getHeapUsage")["usedSize"] / 1e6
        elements = page.evaluate("() => document.querySelectorAll('*').length")
    finally:
        traffic.close()
    frames = trace.frames()

    def share(part):
        return frames[min(len(frames) - 1, int(len(frames) * part))]
    late = sum(one > FRAME for one in frames)
    print(f"{came / took * 60:.0f} entries a minute for {took:.0f} s ({traffic.sent} posts, {traffic.lost} lost)")
    print(f"{len(frames)} frames; work in each: half {share(.5):.1f} ms, 95% {share(.95):.1f} ms, 99% {share(.99):.1f} ms, "
          f"most {frames[-1]:.1f} ms; {late} above {FRAME} ms")
    print(f"memory {memory:.0f} MB (scripts {heap:.0f} MB), {elements} elements")
    return 1 if memory > MOST_MEMORY or share(.99) > FRAME else 0


def journal(url):
    """The number of the newest entry."""
    with urllib.request.urlopen(urllib.request.Request(url + "/_dev/journal", b"{}", method="POST")) as answer:
        return json.load(answer)["last"]
