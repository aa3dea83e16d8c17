"""Foreign WebSocket clients against `socketio-echo --deflate`: websockets and aiohttp of Python, and ws of Node.

    python3 -m venv /tmp/clients && /tmp/clients/bin/pip install websockets aiohttp "python-socketio[client]"
    swift build --product socketio-echo
    /tmp/clients/bin/python Tests/Foreign/deflate_check.py .build/debug/socketio-echo

Plain and with TLS: what each offers by itself is taken, and texts and binary messages come back as they were sent. python-socketio
has no compression, and notices nothing of it. Node's ws is Debian's (`node-ws`). Exits 0 when every check held.
"""

import asyncio
import json
import os
import pathlib
import ssl
import subprocess
import sys
import tempfile

import aiohttp
import socketio
import websockets

from certificates import make_certificates

WAIT = 60
TEXTS = ["4", "4short", "4" + "Grüße, 안녕! " * 300, "4" + json.dumps([{"id": index} for index in range(4000)])]
BINARIES = [b"", b"\0", bytes(range(256)) * 200, os.urandom(5000), bytes(900_000)]
MESSAGES = [*TEXTS, *BINARIES, *TEXTS]
NODE = """
const WebSocket = require("/usr/share/nodejs/ws");
const [url, offer, ca] = process.argv.slice(1);
const texts = ["4", "4short", "4" + "Grüße, 안녕! ".repeat(300), "4" + JSON.stringify(Array(4000).fill({ id: 1 }))];
const binaries = [Buffer.alloc(0), Buffer.alloc(1), Buffer.alloc(60000, "abc"), require("crypto").randomBytes(5000)];
const messages = [...texts, ...binaries, ...texts].map(Buffer.from);
const isText = (index) => index < texts.length || index >= texts.length + binaries.length;
const client = new WebSocket(url, { perMessageDeflate: JSON.parse(offer), ca: ca && require("fs").readFileSync(ca) });
let next = -1;
client.on("message", (data, isBinary) => {
  if (next < 0 ? data[0] != 0x30 : !data.equals(messages[next]) || isBinary == isText(next)) process.exit(3);
  if (++next == messages.length) { console.log(client.extensions); return client.close(1000); }
  client.send(isText(next) ? messages[next].toString() : messages[next], { compress: next % 3 != 1 });
});
client.on("close", (code) => process.exit(code == 1000 ? 0 : 4));
client.on("error", (error) => { console.error(error); process.exit(5); });
"""


class Server:
    def __init__(self, program, mode, *options):
        self._process = subprocess.Popen(
            [program, "--mode", mode, "--port", "0", "--deflate", "--ping-interval", "3600000", *options],
            stdout=subprocess.PIPE, text=True)
        self.port = int(self._process.stdout.readline().rsplit(":", 1)[1])

    def stop(self):
        self._process.terminate()
        self._process.wait(WAIT)


async def with_websockets(url, tls):
    async with websockets.connect(url, ssl=tls, max_size=None, open_timeout=WAIT, ping_interval=None) as client:
        taken = client.response.headers["Sec-WebSocket-Extensions"]
        assert taken == "permessage-deflate; server_no_context_takeover; client_no_context_takeover", taken
        assert (await client.recv()).startswith("0{")
        for message in MESSAGES:
            await client.send(message)
            assert await client.recv() == message


async def with_aiohttp(url, tls, window):
    async with aiohttp.ClientSession() as session:
        async with session.ws_connect(url, ssl=tls, compress=window, max_msg_size=0) as client:
            assert client.compress
            assert (await client.receive_str()).startswith("0{")
            for message in MESSAGES:
                if isinstance(message, str):
                    await client.send_str(message)
                    assert await client.receive_str() == message
                else:
                    await client.send_bytes(message)
                    assert await client.receive_bytes() == message


def with_node(url, offer, ca, wanted):
    arguments = ["node", "-e", NODE, url, json.dumps(offer), *([ca] if ca else [])]
    found = subprocess.run(arguments, capture_output=True, text=True, timeout=WAIT)
    assert found.returncode == 0, f"node ended with {found.returncode}: {found.stderr}"
    assert found.stdout.strip() == wanted, found.stdout


def with_socketio(program):
    server = Server(program, "rig")
    try:
        client, answers = socketio.Client(request_timeout=WAIT), []
        client.connect(f"http://127.0.0.1:{server.port}", transports=["websocket"], wait_timeout=WAIT)
        text = "x" * 100_000
        answers.append(client.call("echo", text, timeout=WAIT))
        client.disconnect()
        assert answers == [text]
    finally:
        server.stop()


def check(program, folder, is_secure):
    options = ["--tls-cert", f"{folder}/leaf.pem", "--tls-key", f"{folder}/leaf.key"] if is_secure else []
    tls = ssl.create_default_context(cafile=f"{folder}/ca.pem") if is_secure else None
    server = Server(program, "engine", *options)
    scheme, host = ("wss", "localhost") if is_secure else ("ws", "127.0.0.1")
    url = f"{scheme}://{host}:{server.port}/engine.io/?EIO=4&transport=websocket"
    try:
        asyncio.run(with_websockets(url, tls))
        print(f"websockets {websockets.__version__} over {scheme}: held")
        for window in (15, 9):
            asyncio.run(with_aiohttp(url, tls or True, window))
            print(f"aiohttp {aiohttp.__version__} over {scheme}, window {window}: held")
        for offer, wanted in (True, "permessage-deflate"), (False, ""), ({"serverMaxWindowBits": 10}, "permessage-deflate"), \
                ({"clientMaxWindowBits": 10, "threshold": 0}, "permessage-deflate"):
            with_node(url, offer, f"{folder}/ca.pem" if is_secure else None, wanted)
        print(f"Node's ws over {scheme}: held")
    finally:
        server.stop()


def main():
    program = sys.argv[1]
    with tempfile.TemporaryDirectory() as folder:
        make_certificates(pathlib.Path(folder))
        for is_secure in (False, True):
            check(program, folder, is_secure)
    with_socketio(program)
    print("python-socketio, which has no compression: held")


main()
