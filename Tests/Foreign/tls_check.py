"""Foreign clients against a server that speaks TLS itself: curl, python-socketio in three transport modes, raw WebSockets; a
certificate that is replaced, plain HTTP at the wrong port, clients that vanish or do not read.

    Scripts/foreign-clients    # installs what this needs
    python Tests/Foreign/tls_check.py .build/debug/madang

Needs Linux and openssl; takes a minute at most. Exits 0 when every check held.
"""

import asyncio
import json
import os
import pathlib
import queue
import signal
import socket
import ssl
import subprocess
import sys
import tempfile
import threading
import time
import warnings

import aiohttp
import requests
import socketio
import websocket

from attempts import tried
from ports import free_port
from program import FOR_CHECKS

KEY = "dev-key-2024-10"
PUBLIC = "https://chat.example.com:8443"
WAIT = 60


def make_certificate(folder, name, key=("ec", "-pkeyopt", "ec_paramgen_curve:prime256v1")):
    subprocess.run(
        ["openssl", "req", "-x509", "-newkey", *key, "-nodes", "-days", "30",
         "-subj", f"/CN={name}", "-addext", "subjectAltName=IP:127.0.0.1,DNS:localhost",
         "-keyout", f"{folder}/{name}.key", "-out", f"{folder}/{name}.pem"], check=True, capture_output=True)


class Server:
    def __init__(self, program, data, *arguments):
        environment = os.environ | FOR_CHECKS | {
            "MADANG_KEYS": f"{KEY}=2024-10", "MADANG_LIMITS_REQUESTS": "0", "MADANG_SOCKET_ACCESS": "token",
            # No client here is closed because it was slow to answer a ping.
            "MADANG_SOCKET_PING_INTERVAL": "3600"}
        self.process = subprocess.Popen(
            [program, "serve", "--port", "0", "--data", data, *arguments], env=environment, text=True,
            stdout=subprocess.PIPE, stderr=open(f"{data}.log", "w"))
        self.log = pathlib.Path(f"{data}.log")
        line = self.process.stdout.readline()
        self.url = line.split()[-1] if line else None

    def files(self):
        return len(os.listdir(f"/proc/{self.process.pid}/fd"))


def until(condition, what, wait=WAIT):
    end = time.monotonic() + wait
    while not condition():
        assert time.monotonic() < end, what
        time.sleep(0.02)


def check_refusals(program, folder):
    """Files that cannot be used are named before anything listens."""
    for arguments, words in [
        (["--tls-cert", f"{folder}/one.pem"], "belong together"),
        (["--tls-cert", f"{folder}/one.pem", "--tls-key", f"{folder}/two.key"], "is not the key of the first certificate"),
        (["--tls-cert", f"{folder}/absent.pem", "--tls-key", f"{folder}/one.key"], "absent.pem cannot be read"),
        (["--tls-cert", f"{folder}/one.key", "--tls-key", f"{folder}/one.key"], "no certificate"),
    ]:
        answer = subprocess.run(
            [program, "serve", "--port", "0", "--data", f"{folder}/refused", *arguments], capture_output=True, text=True,
            timeout=WAIT)
        assert answer.returncode != 0 and words in answer.stderr, (arguments, answer)


def trusting(certificate):
    session = requests.Session()
    # Else a bundle that the environment names would count instead.
    session.trust_env = False
    session.verify = certificate
    return session


class SocketIOClient:
    """The asyncio client of python-socketio, called from outside its event loop.

    Its other client reads in one thread and writes in another. Over TLS both use one object of OpenSSL, which is not made for
    that: now and then such a client takes its connection for closed (python-engineio issue 461).
    """

    _loop = asyncio.new_event_loop()
    threading.Thread(target=_loop.run_forever, daemon=True).start()

    def __init__(self, url, certificate, namespace, transports, auth, keeps_connection):
        self.heard = queue.Queue()
        # Connections that were made to the server.
        self.connections = 0
        self._wait(self._connect(url, certificate, namespace, transports, auth, keeps_connection))

    async def _connect(self, url, certificate, namespace, transports, auth, keeps_connection):
        connector = aiohttp.TCPConnector(
            ssl=ssl.create_default_context(cafile=certificate), force_close=not keeps_connection)
        trace = aiohttp.TraceConfig()
        trace.on_connection_create_end.append(self._count)
        self._session = aiohttp.ClientSession(connector=connector, trace_configs=[trace])
        self._client = socketio.AsyncClient(
            reconnection=False, http_session=self._session, request_timeout=WAIT)
        self._client.on("channel", self.heard.put, namespace=namespace)
        try:
            await self._client.connect(
                url, transports=transports, namespaces=[namespace], wait_timeout=WAIT, auth=auth)
        except BaseException:
            await self._session.close()
            raise

    async def _count(self, *_):
        self.connections += 1

    async def _disconnect(self):
        try:
            await self._client.disconnect()
        finally:
            await self._session.close()

    def _wait(self, work):
        future = asyncio.run_coroutine_threadsafe(work, self._loop)
        try:
            return future.result(3 * WAIT)
        finally:
            future.cancel()

    def transport(self):
        return self._client.transport()

    def disconnect(self):
        self._wait(self._disconnect())


class People:
    """Two people in one channel, by HTTPS."""

    def __init__(self, url, certificate):
        self.url, self.session = url, trusting(certificate)
        self.session.headers["SesacKey"] = KEY
        answer = self.session.post(
            f"{url}/v1/users/join", json={"email": "mina@example.com", "password": "Passw0rd!", "nickname": "Mina"})
        assert answer.status_code == 200, answer.text
        self.token = answer.json()["token"]["accessToken"]
        self.session.headers["Authorization"] = self.token
        picture = (b"\x89PNG\r\n\x1a\n" + b"0" * 64)
        workspace = self.session.post(
            f"{url}/v1/workspaces", data={"name": "TLS", "description": ""}, files={"image": ("a.png", picture)}).json()
        path = f"{url}/v1/workspaces/{workspace['workspace_id']}/channels"
        channel = self.session.post(path, data={"name": "ios"}).json()["channel_id"]
        self.chats = f"{path}/{channel}/chats"
        self.namespace = f"/ws-channel-{channel}"
        answer = self.session.get(self.chats)
        assert answer.status_code == 200, answer.text
        assert "; Secure" in answer.headers["Set-Cookie"], answer.headers

    def post(self, text):
        answer = self.session.post(self.chats, json={"content": text})
        assert answer.status_code == 200, answer.text
        return answer.json()

    def socketio(self, transports, keeps_connection=True):
        return SocketIOClient(
            self.url, self.session.verify, self.namespace, transports, {"SesacKey": KEY, "token": self.token},
            keeps_connection)

    def raw(self):
        one = websocket.create_connection(
            self.url.replace("https", "wss") + "/socket.io/?EIO=4&transport=websocket", timeout=WAIT,
            sslopt={"ca_certs": self.session.verify})
        assert one.recv().startswith("0{")
        one.send(f'40{self.namespace},{json.dumps({"SesacKey": KEY, "token": self.token})}')
        answer = one.recv()
        assert answer.startswith(f"40{self.namespace},"), answer
        return one


def check_transports(people):
    # The WebSocket of an upgrade comes by the connection of the polls, or by one of its own: often by another event loop than its session's.
    both = ["polling", "websocket"]
    for transports, keeps in [(["polling"], True), (["websocket"], True)] + 4 * [(both, True)] + 12 * [(both, False)]:
        client = people.socketio(transports, keeps)
        assert client.transport() == transports[-1], client.transport()
        if transports == both:
            assert client.connections == (1 if keeps else 2), client.connections
        for index in range(3):
            chat = people.post(f"{transports} {index} 각😀")
            assert client.heard.get(timeout=WAIT) == chat
        client.disconnect()
    clients = [people.socketio(both, keeps_connection=False) for _ in range(8)]
    posted = [people.post(f"all {index}") for index in range(50)]
    for client in clients:
        assert [client.heard.get(timeout=WAIT) for _ in posted] == posted
        client.disconnect()


def check_large(people):
    """Messages of a client arrive whole, however they are cut into records, and records into segments."""
    one = people.raw()
    for size in [1, 2_100, 16_383, 16_384, 70_000, 900_000]:
        one.send(f'42{people.namespace},["ignored","{"x" * size}"]')
        one.ping(f"{size}")
        assert one.recv_data(control_frame=True) == (websocket.ABNF.OPCODE_PONG, f"{size}".encode()), size
    chat = people.post("x" * 9_000)
    frame = one.recv()
    assert json.loads(frame[frame.index("["):]) == ["channel", chat]
    one.close()


class Cutting:
    """A way to the server on which each record comes in two segments."""

    def __init__(self, port):
        self.plain = socket.create_connection(("127.0.0.1", port), timeout=WAIT)
        self.plain.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        context = ssl.create_default_context()
        context.check_hostname, context.verify_mode = False, ssl.CERT_NONE
        self.incoming, self.outgoing = ssl.MemoryBIO(), ssl.MemoryBIO()
        self.secure = context.wrap_bio(self.incoming, self.outgoing, server_hostname="localhost")
        self._until_done(self.secure.do_handshake)

    def _send(self, at=0):
        data = self.outgoing.read()
        for part in (data[:at], data[at:]):
            if part:
                self.plain.sendall(part)
                time.sleep(0.05)

    def _until_done(self, step):
        while True:
            try:
                result = step()
                self._send()
                return result
            except ssl.SSLWantReadError:
                self._send()
                self.incoming.write(self.plain.recv(65_536))

    def send(self, data, at):
        self.secure.write(data)
        self._send(at)

    def receive(self):
        return self._until_done(lambda: self.secure.read(65_536))


def check_cut(url):
    for at in 3, 10, 20:
        way = Cutting(int(url.rsplit(":", 1)[1]))
        way.send(
            b"GET /socket.io/?EIO=4&transport=websocket HTTP/1.1\r\nHost: 127.0.0.1\r\nUpgrade: websocket\r\n"
            b"Connection: Upgrade\r\nSec-WebSocket-Version: 13\r\nSec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n\r\n", at)
        answer = way.receive()
        while b'"sid"' not in answer:
            answer += way.receive()
        way.send(b"\x89\x82\0\0\0\0hi", at)
        assert way.receive() == b"\x8a\x02hi", at
        way.plain.close()


def check_places(program, folder):
    """An address has as many connections as the limit says, however its WebSockets end."""
    for attempt in range(5):
        # A place is free again once a farewell has stayed unanswered for 5 s.
        began = time.monotonic()
        places = places_taken(program, f"{folder}/few{attempt}", folder)
        if time.monotonic() - began < 5:
            break
    assert places == 4, places


def places_taken(program, data, folder):
    """How many of twelve connections are admitted where four may be."""
    os.environ["MADANG_LIMITS_CONNECTIONS_ADDRESS"] = "4"
    server = Server(
        program, data, "--tls-cert", f"{folder}/one.pem", "--tls-key", f"{folder}/one.key")
    del os.environ["MADANG_LIMITS_CONNECTIONS_ADDRESS"]
    ways = []
    try:
        for _ in range(12):
            try:
                one = websocket.create_connection(
                    server.url.replace("https", "wss") + "/socket.io/?EIO=4&transport=websocket", timeout=WAIT,
                    sslopt={"cert_reqs": ssl.CERT_NONE})
            except OSError:
                continue
            # Says farewell and stays.
            one.send_close()
            ways.append(one)
        return len(ways)
    finally:
        server.process.kill()


def check_versions(url, certificate):
    port = int(url.rsplit(":", 1)[1])
    warnings.simplefilter("ignore", DeprecationWarning)
    for version, is_served in [
        (ssl.TLSVersion.TLSv1_1, False), (ssl.TLSVersion.TLSv1_2, True), (ssl.TLSVersion.TLSv1_3, True)]:
        context = ssl.create_default_context(cafile=certificate)
        context.set_ciphers("ALL:@SECLEVEL=0")
        context.set_alpn_protocols(["h2", "http/1.1"])
        context.minimum_version = context.maximum_version = version
        try:
            with socket.create_connection(("127.0.0.1", port), timeout=WAIT) as plain:
                with context.wrap_socket(plain, server_hostname="localhost") as secure:
                    assert is_served and secure.selected_alpn_protocol() == "http/1.1", (version, secure.version())
        except (ssl.SSLError, ConnectionResetError):
            assert not is_served, version


def check_ciphers(program, folder):
    """With a key by which others would do: only ciphers whose keys nobody learns later."""
    make_certificate(folder, "rsa", ["rsa:2048"])
    server = Server(program, f"{folder}/rsa", "--tls-cert", f"{folder}/rsa.pem", "--tls-key", f"{folder}/rsa.key")
    try:
        port = int(server.url.rsplit(":", 1)[1])
        for cipher, is_served in [
            ("ECDHE-RSA-AES128-GCM-SHA256", True), ("ECDHE-RSA-CHACHA20-POLY1305", True), ("AES128-GCM-SHA256", False),
            ("AES256-SHA", False), ("ECDHE-RSA-AES128-SHA", False)]:
            context = ssl.create_default_context(cafile=f"{folder}/rsa.pem")
            context.maximum_version = ssl.TLSVersion.TLSv1_2
            context.set_ciphers(cipher)
            try:
                with socket.create_connection(("127.0.0.1", port), timeout=WAIT) as plain:
                    with context.wrap_socket(plain, server_hostname="localhost"):
                        assert is_served, cipher
            except (ssl.SSLError, ConnectionResetError):
                assert not is_served, cipher
    finally:
        server.process.kill()


def check_pages(url, certificate):
    """Browsers come back to pages by TLS only."""
    page = trusting(certificate).get(f"{url}/invite/nonesuch", timeout=WAIT)
    assert page.headers["Strict-Transport-Security"] == "max-age=31536000", page.headers
    assert "Strict-Transport-Security" not in trusting(certificate).get(f"{url}/livez", timeout=WAIT).headers


def check_plain(url, redirect):
    port = int(url.rsplit(":", 1)[1])
    answer = requests.get(f"http://127.0.0.1:{port}/livez", timeout=WAIT)
    assert answer.status_code == 400 and "https://" in answer.text, answer.text
    answer = requests.get(f"http://127.0.0.1:{redirect}/invite/x?a=b", allow_redirects=False, timeout=WAIT)
    assert answer.status_code == 308 and answer.headers["Location"] == f"{PUBLIC}/invite/x?a=b", answer.headers
    answer = requests.get(f"http://127.0.0.1:{redirect}/livez", allow_redirects=False, timeout=WAIT)
    assert answer.status_code == 403, answer.status_code
    answer = requests.post(f"http://127.0.0.1:{redirect}/v1/users/login", json={}, allow_redirects=False, timeout=WAIT)
    assert answer.status_code == 403, answer.status_code


def serial(url):
    port = int(url.rsplit(":", 1)[1])
    return ssl.get_server_certificate(("127.0.0.1", port))


def check_reload(server, people, folder):
    """A certificate is replaced; sockets that are there go on, and a broken one changes nothing."""
    client = people.socketio(["polling", "websocket"])
    before = serial(server.url)
    for kind in "key", "pem":
        os.replace(f"{folder}/two.{kind}", f"{folder}/used.{kind}")
    server.process.send_signal(signal.SIGHUP)
    until(lambda: serial(server.url) != before, "the new certificate is not used")
    after = serial(server.url)
    pathlib.Path(f"{folder}/used.key").write_text("nothing")
    server.process.send_signal(signal.SIGHUP)
    until(lambda: "the new certificate cannot be used" in server.log.read_text(), "a broken key is not told")
    assert serial(server.url) == after
    people.session.verify = f"{folder}/used.pem"
    chat = people.post("after the reload")
    assert client.heard.get(timeout=WAIT) == chat
    client.disconnect()


@tried
def check_farewells(server, people, before):
    """A connection whose client says no farewell by TLS is closed before the 5 s that the server waits for one."""
    for _ in range(20):
        one = people.raw()
        one.send("1")
        # The server's close frame, then its farewell by TLS.
        one.recv()
        while one.sock.recv(4096):
            pass
        one.sock.close()
    until(lambda: server.files() <= before + 2, f"files stay open: {server.files()} instead of {before}", 3)


def check_leaks(server, people):
    """What clients leave behind is closed: whether they say so, vanish, or do not read."""
    people.post("warm")
    before = server.files()
    check_farewells(server, people, before)
    for _ in range(20):
        one = people.raw()
        one.close()
    vanished = [people.raw() for _ in range(20)]
    for one in vanished:
        one.sock.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, b"\1\0\0\0\0\0\0\0")
        os.close(one.sock.detach())
    deaf = people.raw()
    deaf.sock.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 4096)
    text = "x" * 9_000
    for _ in range(2000):
        people.post(text)
        if "it reads too slowly" in server.log.read_text():
            break
    else:
        raise AssertionError("a client that does not read is not closed")
    until(lambda: server.files() <= before + 2, f"files stay open: {server.files()} instead of {before}")
    deaf.sock.close()


def check_stop(server, people):
    one = people.raw()
    server.process.terminate()
    # The client never closes its connection.
    assert server.process.wait(60) == 0
    try:
        while one.recv():
            pass
    except (websocket.WebSocketConnectionClosedException, ConnectionError, ssl.SSLError):
        pass


def main():
    program = sys.argv[1]
    with tempfile.TemporaryDirectory() as folder:
        for name in "one", "two":
            make_certificate(folder, name)
        check_refusals(program, folder)
        check_places(program, folder)
        for kind in "key", "pem":
            pathlib.Path(f"{folder}/used.{kind}").write_bytes(pathlib.Path(f"{folder}/one.{kind}").read_bytes())
        redirect = free_port()
        check_ciphers(program, folder)
        os.environ["MADANG_TLS_REDIRECT_PORT"], os.environ["MADANG_PUBLIC_URL"] = str(redirect), PUBLIC
        server = Server(
            program, f"{folder}/data", "--tls-cert", f"{folder}/used.pem", "--tls-key", f"{folder}/used.key")
        assert server.url and server.url.startswith("https://"), server.log.read_text()
        try:
            people = People(server.url, f"{folder}/one.pem")
            check_transports(people)
            check_large(people)
            check_cut(server.url)
            check_versions(server.url, f"{folder}/one.pem")
            check_plain(server.url, redirect)
            check_pages(server.url, f"{folder}/one.pem")
            check_leaks(server, people)
            check_reload(server, people, folder)
            check_stop(server, people)
        finally:
            if server.process.poll() is None:
                server.process.kill()
        log = server.log.read_text()
        assert "Fatal" not in log, log
    print("TLS: 12 passed, 0 failed")


main()
