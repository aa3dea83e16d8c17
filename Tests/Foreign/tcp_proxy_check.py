"""Madang behind a proxy that passes on TCP (HAProxy, PROXY headers of version 1 and 2), and at a Unix socket behind nginx.

    python3 Tests/Foreign/tcp_proxy_check.py .build/debug/madang

Clients have loopback addresses of their own. Needs Linux, nginx, haproxy and openssl; takes a few seconds. Exits 0 when every check held.
"""

import contextlib
import http.client
import json
import os
import pathlib
import signal
import socket
import ssl
import subprocess
import sys
import tempfile
import time

from ports import free_port
from program import FOR_CHECKS, KEYS

KEY = KEYS.partition("=")[0]
CLIENT = "127.0.0.5"
WAIT = 60


def until(condition, what):
    end = time.monotonic() + WAIT
    while not condition():
        assert time.monotonic() < end, what
        time.sleep(0.05)


def reachable(port):
    with contextlib.suppress(OSError), socket.create_connection(("127.0.0.1", port), 1):
        return True
    return False


class Madang:
    def __init__(self, program, folder, **settings):
        self.program, self.log = program, pathlib.Path(folder, "log")
        self.environment = os.environ | FOR_CHECKS | {"MADANG_DATA": f"{folder}/data", "MADANG_KEYS": KEYS} | settings
        self.start()

    def start(self):
        self.process = subprocess.Popen(
            [self.program, "serve"], env=self.environment, text=True, stdout=subprocess.PIPE, stderr=self.log.open("a"))
        self.line = self.process.stdout.readline().strip()
        assert self.line, self.log.read_text()

    def refused_from(self):
        """The addresses of failed sign-ins."""
        answer = subprocess.run(
            [self.program, "admin", "audit", "--kind", "signInRefused", "--json"], env=self.environment, capture_output=True, text=True,
            check=True)
        return [json.loads(line)["address"] for line in answer.stdout.splitlines()]

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.process.terminate()
        self.process.wait()


@contextlib.contextmanager
def running(command, ports):
    process = subprocess.Popen(command, stdout=subprocess.DEVNULL)
    try:
        for port in ports:
            until(lambda: reachable(port), f"{command[0]} does not listen")
        yield
    finally:
        process.terminate()
        process.wait()


def call(port, method, path, fields=None, headers=(), tls=None):
    """Status, header fields and body of an answer to a client at an address of its own."""
    source = (CLIENT, 0)
    if tls:
        connection = http.client.HTTPSConnection("127.0.0.1", port, timeout=WAIT, source_address=source, context=tls)
    else:
        connection = http.client.HTTPConnection("127.0.0.1", port, timeout=WAIT, source_address=source)
    with contextlib.closing(connection):
        connection.request(
            method, path, json.dumps(fields) if fields else None,
            {"SesacKey": KEY, "Content-Type": "application/json", "Connection": "close"} | dict(headers))
        answer = connection.getresponse()
        return answer.status, answer.headers, answer.read()


def fail_to_sign_in(port, headers=()):
    status, _, body = call(port, "POST", "/v1/users/login", {"email": "mina@example.com", "password": "Wrong1!pass"}, headers)
    assert (status, body) == (400, b'{"errorCode":"E03"}'), (status, body)


def check_haproxy(program, folder):
    """The address in the header counts, of each version; TLS at the proxy is known; without a header nothing is answered."""
    own, first, second, secure = (free_port() for _ in range(4))
    subprocess.run(
        ["openssl", "req", "-x509", "-newkey", "rsa:2048", "-nodes", "-days", "2", "-subj", "/CN=localhost", "-keyout", f"{folder}/key",
         "-out", f"{folder}/certificate"], check=True, capture_output=True)
    pathlib.Path(folder, "both.pem").write_text(pathlib.Path(folder, "certificate").read_text() + pathlib.Path(folder, "key").read_text())
    sites = (first, "", "send-proxy"), (second, "", "send-proxy-v2"), (secure, f"ssl crt {folder}/both.pem", "send-proxy-v2-ssl")
    pathlib.Path(folder, "haproxy.cfg").write_text("defaults\n  mode tcp\n  timeout connect 5s\n  timeout client 60s\n  timeout server 60s\n" + "".join(
        f"listen l{port}\n  bind 127.0.0.1:{port} {bind}\n  server madang 127.0.0.1:{own} {send}\n" for port, bind, send in sites))
    with Madang(
            program, folder, MADANG_PORT=str(own), MADANG_TRUSTED_PROXIES="127.0.0.1", MADANG_HTTP_PROXY_PROTOCOL="true") as madang, running(
            ["haproxy", "-q", "-db", "-f", f"{folder}/haproxy.cfg"], (first, second, secure)):
        forged = {"X-Forwarded-For": "203.0.113.9", "Forwarded": "for=203.0.113.9", "X-Forwarded-Proto": "https"}
        for port in first, second:
            fail_to_sign_in(port)
            fail_to_sign_in(port, forged)
        until(lambda: len(madang.refused_from()) == 4, "the audit log has no failed sign-ins")
        assert madang.refused_from() == 4 * [CLIENT], madang.refused_from()
        trusting = ssl.create_default_context(cafile=f"{folder}/certificate")
        trusting.check_hostname = False
        for port, tls, name in (second, None, "mina"), (secure, trusting, "joon"):
            fields = {"email": f"{name}@example.com", "password": "Passw0rd!", "nickname": name}
            status, headers, body = call(port, "POST", "/v1/users/join", fields, forged, tls)
            assert status == 200, body
            assert ("Secure" in headers["Set-Cookie"]) == bool(tls), headers["Set-Cookie"]
        key = ("Connection", "Upgrade"), ("Upgrade", "websocket"), ("Sec-WebSocket-Version", "13"), ("Sec-WebSocket-Key", "AAAAAAAAAAAAAAAAAAAAAA==")
        status, *_ = call(second, "GET", "/socket.io/?EIO=4&transport=websocket", headers=key)
        assert status == 101, status
        with socket.create_connection(("127.0.0.1", own), WAIT) as direct:
            direct.sendall(b"GET /livez HTTP/1.1\r\nHost: x\r\n\r\n")
            with contextlib.suppress(ConnectionResetError):
                assert direct.recv(100) == b""
        # Not a proxy, so without a header.
        with socket.create_connection(("127.0.0.1", own), WAIT, source_address=(CLIENT, 0)) as other:
            other.sendall(b"GET /livez HTTP/1.1\r\nHost: x\r\n\r\n")
            assert other.recv(100).startswith(b"HTTP/1.1 200")


def check_unix_socket(program, folder):
    """nginx reaches the socket and says who calls; a socket that a killed server left is replaced."""
    port, path = free_port(), f"{folder}/s"
    pathlib.Path(folder, "nginx.conf").write_text(f"""
        {"user root;" if os.geteuid() == 0 else ""} daemon off; pid {folder}/pid; error_log {folder}/errors;
        events {{ worker_connections 64; }}
        http {{
          access_log off; client_body_temp_path {folder}/b; proxy_temp_path {folder}/p; fastcgi_temp_path {folder}/f; uwsgi_temp_path {folder}/u;
          scgi_temp_path {folder}/c;
          server {{ listen 127.0.0.1:{port}; location / {{
            proxy_pass http://unix:{path}; proxy_http_version 1.1; proxy_set_header Host $http_host;
            proxy_set_header X-Forwarded-For $proxy_add_x_forwarded_for; proxy_set_header Forwarded ""; }} }}
        }}""")
    with Madang(program, folder, MADANG_HOST=f"unix:{path}") as madang, running(
            ["nginx", "-e", f"{folder}/errors", "-c", f"{folder}/nginx.conf"], (port,)):
        assert madang.line == f"madang listening on unix:{path}", madang.line
        assert os.stat(path).st_mode & 0o777 == 0o660
        fail_to_sign_in(port)
        until(lambda: madang.refused_from() == [CLIENT], f"not from the client: {madang.refused_from()}")
        madang.process.send_signal(signal.SIGKILL)
        madang.process.wait()
        assert os.path.exists(path)
        madang.start()
        fail_to_sign_in(port)
        second = subprocess.run(
            [program, "serve"], env=madang.environment | {"MADANG_DATA": f"{folder}/other"}, capture_output=True, text=True, timeout=WAIT)
        assert second.returncode != 0 and "another program answers at" in second.stderr, second
    assert not os.path.exists(path)


def main():
    checks = check_haproxy, check_unix_socket
    for check in checks:
        with tempfile.TemporaryDirectory(dir="/tmp") as folder:
            os.chmod(folder, 0o755)
            check(sys.argv[1], folder)
        print(f"ok   {check.__name__}: {check.__doc__.splitlines()[0]}")
    print(f"tcp proxies: {len(checks)} passed, 0 failed")


main()
