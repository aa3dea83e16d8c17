"""A real Chromium without a window, driven over a pipe by its DevTools protocol. Standard library only."""

import asyncio
import fcntl
import itertools
import json
import os
import shutil
import tempfile

PROGRAMS = "chromium-headless-shell", "chromium", "google-chrome"
ANSWER_LIMIT = 240


class Page:
    """A tab, in a profile of its own: it shares no cookie and no connection with other pages."""

    def __init__(self, browser, session):
        self._browser = browser
        self._session = session

    async def open(self, url):
        # No event tells more than the state that it leads to.
        await self.run("window.isOld = true")
        answer = await self._browser.call("Page.navigate", {"url": url}, self._session)
        if "errorText" in answer:
            raise OSError(f"{url}: {answer['errorText']}")
        async with asyncio.timeout(ANSWER_LIMIT):
            while await self.run("window.isOld ? '' : location.href + document.readyState") != f"{url}complete":
                await asyncio.sleep(0.02)

    async def run(self, script):
        """What a script of the page evaluates to, promises waited for."""
        answer = await self._browser.call("Runtime.evaluate", {
            "expression": script, "awaitPromise": True, "returnByValue": True}, self._session)
        if "exceptionDetails" in answer:
            raise RuntimeError(f"{answer['exceptionDetails']}")
        return answer["result"].get("value")

    async def apply(self, function, *arguments):
        return await self.run(f"({function})({', '.join(json.dumps(one) for one in arguments)})")

    async def cookies(self, url):
        return (await self._browser.call("Network.getCookies", {"urls": [url]}, self._session))["cookies"]


class Browser:
    """Use it with `async with`. `names` are host names that lead to 127.0.0.1; nothing else leads anywhere."""

    def __init__(self, *names):
        rules = [
            *(f"MAP {name} 127.0.0.1" for name in names), "MAP * ~NOTFOUND",
            *(f"EXCLUDE {name}" for name in ("localhost", "*.localhost", "127.0.0.1"))]
        self._arguments = [
            "--headless", "--remote-debugging-pipe", "--no-first-run", "--disable-gpu", "--disable-dev-shm-usage",
            "--disable-background-timer-throttling", "--disable-renderer-backgrounding",
            "--disable-backgrounding-occluded-windows", "--disable-background-networking",
            "--disable-component-update", "--no-proxy-server",
            # Only what the server does is to protect it.
            "--disable-features=LocalNetworkAccessChecks,BlockInsecurePrivateNetworkRequests",
            f"--host-resolver-rules={', '.join(rules)}"]
        self._numbers = itertools.count(1)
        self._answers = {}

    @staticmethod
    def program():
        """The first Chromium that is installed, None if none is."""
        return next(filter(None, map(shutil.which, PROGRAMS)), None)

    async def __aenter__(self):
        self._folder = tempfile.TemporaryDirectory(ignore_cleanup_errors=True)
        arguments = [*self._arguments, f"--user-data-dir={self._folder.name}"]
        if os.geteuid() == 0:
            arguments.append("--no-sandbox")
        (its_input, our_output), (our_input, its_output) = os.pipe(), os.pipe()
        # The browser reads from 3 and writes to 4. These ends must not be in each other's way.
        ends = [fcntl.fcntl(end, fcntl.F_DUPFD_CLOEXEC, 10) for end in (its_input, its_output)]

        def place():
            os.dup2(ends[0], 3)
            os.dup2(ends[1], 4)

        self._process = await asyncio.create_subprocess_exec(
            self.program(), *arguments, stdin=asyncio.subprocess.DEVNULL, stdout=asyncio.subprocess.DEVNULL,
            stderr=asyncio.subprocess.DEVNULL, close_fds=False, preexec_fn=place, start_new_session=True)
        for end in (its_input, its_output, *ends):
            os.close(end)
        loop = asyncio.get_running_loop()
        reader = asyncio.StreamReader(limit=1 << 24)
        self._input, _ = await loop.connect_read_pipe(
            lambda: asyncio.StreamReaderProtocol(reader), os.fdopen(our_input, "rb", 0))
        self._output, _ = await loop.connect_write_pipe(asyncio.BaseProtocol, os.fdopen(our_output, "wb", 0))
        self._reading = asyncio.create_task(self._read(reader))
        await self.call("Browser.getVersion")
        return self

    async def __aexit__(self, *_):
        try:
            await self.call("Browser.close")
            await asyncio.wait_for(self._process.wait(), 10)
        except (TimeoutError, OSError):
            self._process.kill()
            await self._process.wait()
        self._reading.cancel()
        self._input.close()
        self._output.close()
        self._folder.cleanup()

    async def call(self, method, parameters=None, session=None):
        number = next(self._numbers)
        message = {"id": number, "method": method, "params": parameters or {}}
        if session:
            message["sessionId"] = session
        self._answers[number] = asyncio.get_running_loop().create_future()
        self._output.write(json.dumps(message).encode() + b"\0")
        try:
            answer = await asyncio.wait_for(self._answers[number], ANSWER_LIMIT)
        except TimeoutError:
            raise TimeoutError(f"the browser did not answer {method}") from None
        if "error" in answer:
            raise RuntimeError(f"{method}: {answer['error']}")
        return answer["result"]

    async def page(self, url):
        context = (await self.call("Target.createBrowserContext"))["browserContextId"]
        target = (await self.call(
            "Target.createTarget", {"url": "about:blank", "browserContextId": context}))["targetId"]
        session = (await self.call("Target.attachToTarget", {"targetId": target, "flatten": True}))["sessionId"]
        page = Page(self, session)
        await page.open(url)
        return page

    async def _read(self, reader):
        try:
            while True:
                answer = json.loads((await reader.readuntil(b"\0"))[:-1])
                if waiting := self._answers.pop(answer.get("id"), None):
                    waiting.set_result(answer)
        except (asyncio.IncompleteReadError, ConnectionError):
            for waiting in self._answers.values():
                if not waiting.done():
                    waiting.set_exception(ConnectionError("the browser is gone"))
