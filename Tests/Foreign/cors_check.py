"""Pages of other websites that call the API (CORS), in a real Chromium.

    python3 Tests/Foreign/cors_check.py .build/debug/madang

Needs Python 3.11 and Chromium; takes a few seconds. Exits 0 when every check held.
"""

import asyncio
import http.server
import sys
import tempfile
import threading

from browser import Browser
from program import KEYS, Program

KEY = KEYS.partition("=")[0]

# Status, code and explanation of a refused sign-in; or that the browser gives the page no answer.
CALL = """async (url, key, credentials, method, path) => {
  try {
    const answer = await fetch(url + path, {
      method, credentials, headers: { SesacKey: key, "Content-Type": "application/json" },
      body: method === "GET" ? undefined : JSON.stringify({ email: "mina@example.com", password: "Wrong1!pass" }) });
    return [answer.status, (await answer.json()).errorCode ?? "", answer.headers.get("X-Madang-Explanation") ? "explained" : ""];
  } catch (error) {
    return [error.name];
  }
}"""


class Site(http.server.BaseHTTPRequestHandler):
    def do_GET(self):
        self.send_response(200)
        self.send_header("Content-Type", "text/html")
        self.end_headers()
        self.wfile.write(b"<!doctype html><title>Another website</title>")

    def log_message(self, *_):
        pass


async def main(madang):
    site = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Site)
    threading.Thread(target=site.serve_forever, daemon=True).start()
    listed = f"http://app.test:{site.server_port}"
    refused, read = ["TypeError"], [400, "E03", ""]
    count = 0

    async def check(browser, server, origin, expected, credentials="omit", method="POST", path="/v1/users/login"):
        nonlocal count
        page = await browser.page(f"{origin}/")
        seen = await page.apply(CALL, server.url, KEY, credentials, method, path)
        assert seen == expected, f"{origin} {method} {path} {credentials}: {seen}, not {expected}"
        count += 1

    with tempfile.TemporaryDirectory() as folder:
        async with Browser("app.test", "other.test") as browser:
            async with Program.development(madang, f"{folder}/development") as server:
                here = f"http://localhost:{site.server_port}"
                await check(browser, server, here, [400, "E03", "explained"])
                await check(browser, server, f"http://127.0.0.1:{site.server_port}", [400, "E03", "explained"])
                await check(browser, server, listed, refused)
                await check(browser, server, here, refused, "include")
                await check(browser, server, here, refused, method="GET", path="/web/session")
            settings = {"MADANG_HTTP_ORIGINS": listed, "MADANG_WEB_CHAT": "true", "MADANG_WEB_ADMIN": "true"}
            async with Program.hosted(madang, f"{folder}/hosted", settings) as server:
                await check(browser, server, listed, read)
                await check(browser, server, listed, refused, "include")
                await check(browser, server, f"http://other.test:{site.server_port}", refused)
                await check(browser, server, f"http://localhost:{site.server_port}", refused)
                for path in "/web/session", "/admin/api/session":
                    await check(browser, server, listed, refused, method="GET", path=path)
    site.shutdown()
    print(f"pages of other websites: {count} passed, 0 failed")


asyncio.run(main(sys.argv[1]))
