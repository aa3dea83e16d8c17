"""Certificates that the server orders by itself, from ACME servers of others: Let's Encrypt's test server pebble, and acme2certifier. Both
challenges, a renewal while clients hold connections and make new ones, a revocation, a name that leads elsewhere, an authority that is
down and comes back, restarts.

    Scripts/foreign-clients    # installs what this needs
    python Tests/Foreign/acme_check.py .build/debug/madang

Needs Linux, openssl and Debian's pebble; takes a minute at most. Exits 0 when every check held.
"""

import datetime
import json
import os
import pathlib
import socket
import sqlite3
import ssl
import subprocess
import sys
import tempfile
import threading
import time
import urllib.request

from ports import free_port

NAME = "chat.madang.test"
WAIT = 60
here = pathlib.Path(__file__).resolve().parent
python = pathlib.Path(os.environ.get("XDG_CACHE_HOME", pathlib.Path.home() / ".cache")) / "madang-test-clients/acme/bin/python"


def until(condition, what, wait=WAIT):
    end = time.monotonic() + wait
    while not (found := condition()):
        assert time.monotonic() < end, what
        time.sleep(0.1)
    return found


def listens(port):
    try:
        socket.create_connection(("127.0.0.1", port), 1).close()
        return True
    except OSError:
        return False


class Scene:
    """A folder, ports, and a DNS server for which all names lead to this machine."""

    def __init__(self, folder, program):
        self.folder, self.program, self.processes = pathlib.Path(folder), program, []
        self.dns, self.dns_control = free_port(), free_port()
        self.http, self.tls, self.operations = free_port(), free_port(), free_port()
        self.start(
            ["pebble-challtestsrv", "-dns01", f"127.0.0.1:{self.dns}", "-management", f"127.0.0.1:{self.dns_control}",
             "-defaultIPv4", "127.0.0.1", "-defaultIPv6", "", "-http01", "", "-https01", "", "-tlsalpn01", ""], "dns")
        until(lambda: listens(self.dns_control), "the DNS server does not start")

    def lead(self, host, address):
        data = json.dumps({"host": host, "addresses": [address]}).encode()
        urllib.request.urlopen(f"http://127.0.0.1:{self.dns_control}/add-a", data, timeout=WAIT)

    def start(self, command, name, **environment):
        process = subprocess.Popen(
            command, env=os.environ | environment, stdout=open(self.folder / f"{name}.out", "a"), stderr=subprocess.STDOUT)
        self.processes.append(process)
        return process

    def end(self):
        for process in self.processes:
            process.kill()
            process.wait()


class Pebble:
    """It refuses one of twenty good nonces, as it does by default."""

    def __init__(self, scene):
        self.scene, self.port, self.control = scene, free_port(), free_port()
        folder = self.folder = scene.folder / "pebble"
        folder.mkdir(exist_ok=True)
        subprocess.run(
            ["openssl", "req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1", "-nodes", "-days", "30",
             "-subj", "/CN=localhost", "-addext", "subjectAltName=DNS:localhost,IP:127.0.0.1", "-keyout", folder / "own.key",
             "-out", folder / "own.pem"], check=True, capture_output=True)
        (folder / "settings.json").write_text(json.dumps({"pebble": {
            "listenAddress": f"127.0.0.1:{self.port}", "managementListenAddress": f"127.0.0.1:{self.control}",
            "certificate": str(folder / "own.pem"), "privateKey": str(folder / "own.key"),
            "httpPort": scene.http, "tlsPort": scene.tls, "ocspResponderURL": "", "externalAccountBindingRequired": False}}))
        self.settings = {
            "MADANG_TLS_ACME_DIRECTORY": f"https://localhost:{self.port}/dir", "MADANG_TLS_ACME_CA_FILE": str(folder / "own.pem")}
        self.start()

    def start(self):
        self.process = self.scene.start(
            ["pebble", "-config", self.folder / "settings.json", "-strict", "-dnsserver", f"127.0.0.1:{self.scene.dns}"], "pebble",
            PEBBLE_VA_NOSLEEP="1")
        until(lambda: listens(self.port) and listens(self.control), "pebble does not start")

    def stop(self):
        self.process.kill()
        self.process.wait()

    def ask(self, path):
        context = ssl.create_default_context(cafile=self.folder / "own.pem")
        return urllib.request.urlopen(f"https://localhost:{self.control}/{path}", timeout=WAIT, context=context).read().decode()

    def root(self):
        file = self.folder / "root.pem"
        file.write_text(self.ask("roots/0"))
        return file

    def orders(self):
        return (self.scene.folder / "pebble.out").read_text().count("Added order")


class Acme2certifier:
    def __init__(self, scene):
        self.port, self.folder = free_port(), scene.folder / "acme2certifier"
        self.folder.mkdir()
        scene.start(
            [python, here / "acme2certifier_server.py", self.folder, str(self.port), str(scene.http), str(scene.tls), str(scene.dns)],
            "acme2certifier")
        until(lambda: listens(self.port), "acme2certifier does not start")
        # It wants a contact, and pebble does not.
        self.settings = {
            "MADANG_TLS_ACME_DIRECTORY": f"http://127.0.0.1:{self.port}/directory", "MADANG_TLS_ACME_EMAIL": "host@madang.test"}

    def root(self):
        return self.folder / "ca.pem"


class Server:
    def __init__(self, scene, data, authority, challenge, name=NAME):
        self.scene, self.data, self.name = scene, scene.folder / data, name
        self.environment = {
            "MADANG_DATA": str(self.data), "MADANG_HOST": "127.0.0.1", "MADANG_PORT": str(scene.tls), "MADANG_TLS_ACME": name,
            "MADANG_TLS_REDIRECT_PORT": str(scene.http), "MADANG_TLS_ACME_CHALLENGE": challenge,
            "MADANG_OPERATIONS": f"127.0.0.1:{scene.operations}", "MADANG_PUBLIC_URL": f"https://{name}",
            "MADANG_LIMITS_CONNECTIONS_ADDRESS": "10000", **authority.settings}
        self.start()

    def start(self):
        self.process = self.scene.start([self.scene.program, "serve"], self.data.name, **self.environment)
        until(self.lives, "the server does not start")

    def stop(self):
        self.process.terminate()
        assert self.process.wait(WAIT) == 0

    def lives(self):
        try:
            return urllib.request.urlopen(f"http://127.0.0.1:{self.scene.operations}/livez", timeout=2).status == 200
        except OSError:
            return False

    def admin(self, *arguments, status=0):
        answer = subprocess.run(
            [self.scene.program, "admin", "certificate", *arguments, "--json"], env=os.environ | self.environment,
            capture_output=True, text=True, timeout=WAIT)
        assert answer.returncode == status, (arguments, answer)
        return json.loads(answer.stdout) if status == 0 else answer.stderr

    def wait(self, state):
        return until(lambda: (one := self.admin())["state"] == state and one, f"no state {state}: {self.admin()}")

    def connect(self, root):
        """A connection of a client that trusts only this authority."""
        context = ssl.create_default_context(cafile=root)
        plain = socket.create_connection(("127.0.0.1", self.scene.tls), timeout=WAIT)
        return context.wrap_socket(plain, server_hostname=self.name)

    def serial(self):
        context = ssl.create_default_context()
        context.check_hostname, context.verify_mode = False, ssl.CERT_NONE
        with socket.create_connection(("127.0.0.1", self.scene.tls), timeout=WAIT) as plain:
            with context.wrap_socket(plain, server_hostname=self.name) as secure:
                der = secure.getpeercert(binary_form=True)
        return subprocess.run(
            ["openssl", "x509", "-inform", "der", "-noout", "-serial"], input=der, capture_output=True, check=True
        ).stdout.decode().strip().split("=")[1]


def answers(secure):
    secure.sendall(b"GET /livez HTTP/1.1\r\nHost: " + NAME.encode() + b"\r\n\r\n")
    answer = b""
    while b'{"status":"ok"}' not in answer:
        piece = secure.recv(4096)
        assert piece, "the connection was closed"
        answer += piece
    return True


def seconds(text):
    moment = datetime.datetime.fromisoformat(text.replace("Z", "+00:00"))
    return moment.timestamp() - time.time()


class Load:
    """Clients that hold connections, and others that make new ones all the time."""

    def __init__(self, server, root):
        self.failures, self.made, self.ends = [], 0, False
        self.held = [server.connect(root) for _ in range(30)]
        self.threads = [threading.Thread(target=self.run, args=(server, root)) for _ in range(4)]
        for thread in self.threads:
            thread.start()

    def run(self, server, root):
        while not self.ends:
            try:
                with server.connect(root) as one:
                    answers(one)
                self.made += 1
            except Exception as error:  # any failure is one
                self.failures.append(repr(error))

    def finish(self):
        self.ends = True
        for thread in self.threads:
            thread.join()
        assert not self.failures, self.failures[:3]
        assert self.made > 20, self.made
        assert all(answers(one) for one in self.held)


def check_first(scene, authority, challenge, data):
    server = Server(scene, data, authority, challenge)
    summary = server.wait("valid")
    assert summary["names"] == [NAME] and summary["tries"] == 0 and summary["error"] is None, summary
    root = authority.root()
    until(lambda: trusted(server, root), "the certificate is not served")
    metrics = urllib.request.urlopen(f"http://127.0.0.1:{scene.operations}/metrics", timeout=WAIT).read().decode()
    assert "madang_certificate_end_timestamp_seconds 1" in metrics
    return server, root


def trusted(server, root):
    try:
        with server.connect(root) as one:
            return answers(one)
    except ssl.SSLError:
        return False


def check_renewal(server, root):
    before, load = server.serial(), Load(server, root)
    try:
        server.admin("renew")
        until(lambda: server.serial() != before, "no new certificate")
        made = load.made
        until(lambda: load.made > made + 20 or load.failures, "few connections with the new certificate")
    finally:
        load.finish()
    return load.made


def check_revocation(server, pebble):
    before = server.serial()
    assert "Valid" in pebble.ask(f"cert-status-by-serial/{before}")
    server.admin("renew", "--revoke")
    until(lambda: server.serial() != before, "no new certificate after the revocation")
    assert "Revoked" in pebble.ask(f"cert-status-by-serial/{before}")


def check_elsewhere(scene, pebble):
    """The name leads to an address where nothing listens: the order becomes invalid, and restarts make no further one."""
    scene.lead("elsewhere.madang.test", "127.0.0.9")
    server = Server(scene, "elsewhere", pebble, "http-01", "elsewhere.madang.test")
    summary = server.wait("failing")
    assert "could not verify elsewhere.madang.test by http-01" in summary["error"] and "port 80" in summary["cure"], summary
    assert summary["tries"] == 1 and 200 < seconds(summary["nextTry"]) <= 300, summary
    orders = pebble.orders()
    for _ in range(3):
        server.stop()
        server.start()
    time.sleep(3)
    assert server.admin()["tries"] == 1 and pebble.orders() == orders, (orders, pebble.orders())
    assert not trusted(server, pebble.root())
    doctor = subprocess.run(
        [scene.program, "doctor", "--inside", "--json"], env=os.environ | server.environment, capture_output=True, text=True, timeout=WAIT)
    assert "elsewhere.madang.test" in doctor.stdout and '"certificate"' in doctor.stdout, doctor
    server.stop()


def check_down(scene, pebble):
    """An authority that is down, and comes back."""
    pebble.stop()
    server = Server(scene, "down", pebble, "tls-alpn-01")
    summary = server.wait("failing")
    assert "cannot be reached" in summary["error"] and summary["tries"] == 1, summary
    assert 200 < seconds(summary["nextTry"]) <= 300, summary
    pebble.start()
    server.admin("renew")
    time.sleep(3)
    # Not within a minute of the failure.
    assert server.admin()["tries"] == 1
    server.stop()
    # As if the pause had passed.
    with sqlite3.connect(server.data / "madang.sqlite") as database:
        database.execute("UPDATE certificates SET next_at = 0, tried_at = 0")
    database.close()
    server.start()
    server.wait("valid")
    until(lambda: trusted(server, pebble.root()), "the certificate is not served")
    server.stop()


def main(program):
    made = 0
    with tempfile.TemporaryDirectory() as folder:
        scene = Scene(folder, str(pathlib.Path(program).resolve()))
        try:
            for authority in (Pebble(scene), Acme2certifier(scene)):
                for challenge in ("http-01", "tls-alpn-01"):
                    began = time.monotonic()
                    server, root = check_first(scene, authority, challenge, f"{type(authority).__name__.lower()}-{challenge}")
                    made += check_renewal(server, root)
                    if isinstance(authority, Pebble) and challenge == "http-01":
                        check_revocation(server, authority)
                    server.stop()
                    print(f"{type(authority).__name__} {challenge}: {time.monotonic() - began:.1f} s", flush=True)
                if isinstance(authority, Pebble):
                    pebble = authority
            for check in (check_elsewhere, check_down):
                check(scene, pebble)
                print(f"{check.__name__}: held", flush=True)
        except BaseException:
            for log in sorted(scene.folder.glob("*.out")):
                print(f"--- {log.name}", log.read_text()[-3000:], sep="\n")
            raise
        finally:
            scene.end()
    print(f"all held; {made} connections were made during renewals")


if __name__ == "__main__":
    main(sys.argv[1])
