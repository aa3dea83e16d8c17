"""Mails of madang through servers of mails of another make (aiosmtpd): STARTTLS and TLS from the beginning, AUTH PLAIN, LOGIN
and XOAUTH2, refusals for now and for good, a server that vanishes, certificates that nobody vouches for, a madang that is killed, an address that is
confirmed by its mail, and sign-ins from new places.

    Scripts/foreign-clients    # installs what this needs
    python Tests/Foreign/mail_check.py .build/debug/madang

Needs Linux and openssl; takes two minutes at most. Exits 0 when every check held.
"""

import asyncio
import base64
import email
import email.policy
import http.server
import json
import logging
import os
import pathlib
import re
import ssl
import subprocess
import sys
import tempfile
import threading
import time
import urllib.error
import urllib.parse
import urllib.request

from aiosmtpd.controller import Controller
from aiosmtpd.smtp import AuthResult

from ports import free_port

WAIT = 120
USER, PASSWORD = b"chat@example.com", "pässword".encode()


def until(condition, what):
    end = time.monotonic() + WAIT
    while not condition():
        assert time.monotonic() < end, what
        time.sleep(0.05)


def make_certificate(folder, name):
    subprocess.run(
        ["openssl", "req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1", "-nodes", "-days", "30",
         "-subj", f"/CN={name}", "-addext", "subjectAltName=IP:127.0.0.1,DNS:localhost",
         "-keyout", f"{folder}/{name}.key", "-out", f"{folder}/{name}.pem"], check=True, capture_output=True)
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.load_cert_chain(f"{folder}/{name}.pem", f"{folder}/{name}.key")
    return context


class Handler:
    """Answers the first attempts as it is told to, and takes what comes then."""

    def __init__(self, *answers):
        self.answers, self.recipients, self.taken, self.begun = list(answers), [], [], threading.Event()

    async def handle_RCPT(self, server, session, envelope, address, options):
        self.recipients.append(address)
        if address.startswith("denied") and self.recipients.count(address) == 1:
            return "554 5.7.1 Relay access denied for " + address
        if address.startswith("nobody"):
            return "550 5.1.1 there is no " + address
        envelope.rcpt_tos.append(address)
        return "250 OK"

    async def handle_DATA(self, server, session, envelope):
        self.begun.set()
        answer = self.answers.pop(0) if self.answers else "250-taken\r\n250 it was"
        if answer == "vanish":
            server.transport.abort()
            return "250 OK"
        if answer == "silence":
            await asyncio.sleep(3600)
        if answer.startswith("250"):
            self.taken.append((email.message_from_bytes(envelope.content, policy=email.policy.default), session))
        return answer


class TokenHandler(Handler):
    """Takes access tokens for passwords: the SASL mechanism that Google and Microsoft have."""

    def __init__(self, *answers):
        super().__init__(*answers)
        self.tokens, self.good = [], None

    async def auth_XOAUTH2(self, server, args):
        message = base64.b64decode(args[1], validate=True).decode()
        user, bearer = re.fullmatch("user=(.*)\x01auth=Bearer (.*)\x01\x01", message).groups()
        assert user == USER.decode(), message
        self.tokens.append(bearer)
        if bearer == self.good:
            return AuthResult(success=True)
        # It describes the error, which the client takes note of.
        assert await server.challenge_auth(b'{"status":"400"}') == b""
        return AuthResult(success=False, handled=False)


class TokenEndpoint(http.server.BaseHTTPRequestHandler):
    """Gives another access token and another refresh token each time; each refresh token is good once."""

    refresh, count = "refresh-0", 0

    def do_POST(self):
        form = urllib.parse.parse_qs(self.rfile.read(int(self.headers["Content-Length"])).decode())
        kind = type(self)
        if form["refresh_token"] == [kind.refresh] and form["client_id"] == ["the client"]:
            kind.count += 1
            kind.refresh = f"refresh-{kind.count}"
            status, answer = 200, {
                "access_token": f"access-{kind.count}", "expires_in": 3599, "refresh_token": kind.refresh, "token_type": "Bearer"}
        else:
            status, answer = 400, {"error": "invalid_grant", "error_description": "chat@example.com"}
        body = json.dumps(answer).encode()
        self.send_response(status)
        self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, *_):
        pass


class MailServer:
    def __init__(self, handler, **options):
        self.logins = []
        if options.pop("login", True):
            options |= {"authenticator": self.authenticate, "auth_required": True}
        # The controller tries the port that it is given, so that 0 will not do.
        self.port = free_port()
        self.controller = Controller(handler, hostname="127.0.0.1", port=self.port, ready_timeout=WAIT, **options)
        self.controller.start()

    def authenticate(self, server, session, envelope, mechanism, data):
        self.logins.append((mechanism, session.ssl is not None))
        return AuthResult(success=(data.login, data.password) == (USER, PASSWORD))

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.controller.stop(no_assert=True)


class Madang:
    def __init__(self, program, data, url, **settings):
        self.program, self.data, self.log = program, data, pathlib.Path(f"{data}.log")
        self.environment = os.environ | {
            "MADANG_KEYS": "key-of-the-check=2024-10", "MADANG_PASSWORD_MEMORY": "8", "MADANG_PASSWORD_PASSES": "1",
            "MADANG_DATA": data, "MADANG_LOOPBACK_CLIENTS": "true", "MADANG_PUBLIC_URL": "https://chat.example.com", "MADANG_MAIL_SMTP": url,
            "MADANG_MAIL_FROM": "chat@example.com", "MADANG_MAIL_NAME": "우리 Chat", "MADANG_MAIL_PAUSE": "1",
            "MADANG_MAIL_TIMEOUT": "60", "MADANG_MAIL_ANSWER": "60"} | {f"MADANG_MAIL_{name.upper()}": value for name, value in settings.items()}
        self.start()

    def start(self):
        self.process = subprocess.Popen(
            [self.program, "serve", "--port", "0"], env=self.environment, text=True, stdout=subprocess.PIPE,
            stderr=self.log.open("a"))
        line = self.process.stdout.readline()
        assert line, self.log.read_text()
        self.url = line.split()[-1]

    def kill(self):
        self.process.kill()
        self.process.wait()

    def call(self, method, path, fields=None, token=None, client=None):
        """The status and the JSON of an answer."""
        request = urllib.request.Request(self.url + path, method=method, headers={"SesacKey": "key-of-the-check"})
        if token:
            request.add_header("Authorization", token)
        if client:
            request.add_header("X-Forwarded-For", client)
        if fields is not None:
            request.data = urllib.parse.urlencode(fields).encode()
        try:
            with urllib.request.build_opener(urllib.request.ProxyHandler({})).open(request, timeout=WAIT) as answer:
                status, body = answer.status, answer.read()
        except urllib.error.HTTPError as error:
            status, body = error.code, error.read()
        return status, json.loads(body) if body.startswith(b"{") else None

    def mail(self, to):
        answer = subprocess.run(
            [self.program, "admin", "mail", to, "--json"], env=self.environment, capture_output=True, text=True, timeout=WAIT)
        assert answer.returncode == 0 and json.loads(answer.stdout) == {"to": to}, answer

    def count(self, outcome):
        with urllib.request.build_opener(urllib.request.ProxyHandler({})).open(f"{self.url}/metrics") as answer:
            page = answer.read().decode()
        return int(re.search(rf'^madang_mails_total{{outcome="{outcome}"}} (\d+)$', page, re.M)[1])

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.kill()
        log = self.log.read_text()
        assert "Fatal" not in log and PASSWORD.decode() not in log and "mina@" not in log, log


def text_of(mail, kind="plain"):
    return mail.get_body((kind,)).get_content()


def check_starttls(program, folder, context):
    """Encrypted and signed in; refused for now, then taken; refused for good."""
    handler = Handler("451 4.7.1 later")
    with MailServer(handler, tls_context=context, require_starttls=True) as server, Madang(
            program, f"{folder}/starttls", f"smtp://localhost:{server.port}", tls="required", user=USER.decode(),
            password=PASSWORD.decode(), tls_authorities=f"{folder}/one.pem") as madang:
        madang.mail("mina@example.com")
        until(lambda: madang.count("sent") == 1, "the mail is not sent")
        assert madang.count("put_off") == 1 and len(handler.taken) == 1
        assert server.logins == 2 * [("PLAIN", True)], server.logins
        mail, session = handler.taken[0]
        assert session.ssl and session.host_name == "example.com"
        assert str(mail["From"]) == "우리 Chat <chat@example.com>" and mail["To"] == "mina@example.com", mail.items()
        assert mail.get_content_type() == "multipart/alternative", mail.items()
        for kind in "plain", "html":
            assert "https://chat.example.com" in text_of(mail, kind) and "우리 Chat" in text_of(mail, kind)
        madang.mail("nobody@example.com")
        until(lambda: madang.count("refused") == 1, "the refused mail is not given up")
        assert handler.recipients.count("nobody@example.com") == 1
        # That is about this server, and may be put right.
        madang.mail("denied@example.com")
        until(lambda: madang.count("sent") == 2, "the mail is not sent that the server did not want from here")
        assert "RCPT TO was answered 554 5.7.1" in madang.log.read_text() and "denied@" not in madang.log.read_text()


def check_smtps(program, folder, context):
    """TLS from the beginning, checked for an address; the other way to sign in."""
    handler = Handler()
    with MailServer(handler, ssl_context=context, auth_require_tls=False, auth_exclude_mechanism=["PLAIN"]) as server, Madang(
            program, f"{folder}/smtps", f"smtps://127.0.0.1:{server.port}", user=USER.decode(),
            password=PASSWORD.decode(), tls_authorities=f"{folder}/one.pem") as madang:
        madang.mail("mina@example.com")
        until(lambda: madang.count("sent") == 1, "the mail is not sent")
        assert [mechanism for mechanism, _ in server.logins] == ["LOGIN"] and len(handler.taken) == 1


def check_tokens(program, folder, context):
    """A refresh token signs in; a refused access token is replaced; a replaced refresh token outlives a restart."""
    handler = TokenHandler()
    handler.good = "access-2"
    endpoint = http.server.ThreadingHTTPServer(("127.0.0.1", 0), TokenEndpoint)
    threading.Thread(target=endpoint.serve_forever, daemon=True).start()
    pathlib.Path(f"{folder}/refresh").write_text("refresh-0\n")
    with MailServer(handler, ssl_context=context, auth_require_tls=False) as server, Madang(
            program, f"{folder}/tokens", f"smtps://127.0.0.1:{server.port}", user=USER.decode(),
            tls_authorities=f"{folder}/one.pem", oauth_url=f"http://127.0.0.1:{endpoint.server_port}/token",
            oauth_client="the client", oauth_refresh_file=f"{folder}/refresh") as madang:
        madang.mail("mina@example.com")
        until(lambda: madang.count("sent") == 1, "the mail is not sent")
        assert handler.tokens == ["access-1", "access-2"], handler.tokens
        assert "AUTH XOAUTH2 was answered 535" in madang.log.read_text() and madang.count("put_off") == 1
        madang.kill()
        handler.good = "access-3"
        madang.start()
        madang.mail("joon@example.com")
        until(lambda: madang.count("sent") == 1, "the refresh token was forgotten")
        log = madang.log.read_text()
        assert handler.tokens[-1] == "access-3" and not re.search("access-\\d|refresh-\\d", log), log
    endpoint.shutdown()


def check_distrust(program, folder, context):
    """Nothing is said to a server that offers no TLS, or that shows a certificate of nobody's."""
    handler = Handler()
    for name, options in ("plain", {}), ("stranger", {"tls_context": context}):
        with MailServer(handler, login=False, **options) as server, Madang(
                program, f"{folder}/{name}", f"smtp://localhost:{server.port}", tls="required") as madang:
            madang.mail("mina@example.com")
            until(lambda: madang.count("put_off") >= 2, f"{name}: it is not tried again")
            assert handler.recipients == [] and madang.count("sent") == 0
            log = madang.log.read_text()
            # The cause and the cure, and no place in the source of a library.
            words = "offers no STARTTLS" if name == "plain" else "its certificate is not trusted; name its authority"
            assert words in log and "checkouts" not in log, log


def check_vanishing(program, folder):
    """A server that vanishes with a mail, and one that says nothing more, get it again."""
    handler = Handler("vanish", "silence")
    with MailServer(handler, login=False) as server, Madang(
            program, f"{folder}/vanishing", f"smtp://127.0.0.1:{server.port}", answer="8") as madang:
        madang.mail("mina@example.com")
        until(lambda: madang.count("sent") == 1, "the mail is not sent")
        assert madang.count("put_off") == 2 and len(handler.taken) == 1
        # Each may have been taken: nobody gets more of them.
        handler.answers = 20 * ["vanish"]
        madang.mail("mina@example.com")
        until(lambda: madang.count("expired") == 1, "the mail is not given up")
        assert madang.count("put_off") == 4 and len(handler.answers) == 17


def check_kill(program, folder):
    """A mail that was on its way when madang was killed is sent by the next one."""
    handler = Handler("silence")
    with MailServer(handler, login=False) as server, Madang(
            program, f"{folder}/kill", f"smtp://127.0.0.1:{server.port}", timeout="8", answer="8") as madang:
        madang.mail("mina@example.com")
        assert handler.begun.wait(WAIT), "the mail was not begun"
        madang.kill()
        madang.start()
        until(lambda: madang.count("sent") == 1, "the mail is not sent")
        assert len(handler.taken) == 1


def check_confirmation(program, folder):
    """Who signs up makes a workspace when the link of the mail was used with the password, not when it was looked at."""
    handler = Handler()
    os.environ["MADANG_REGISTRATION_CONFIRM"] = "limited"
    try:
        with MailServer(handler, login=False) as server, Madang(
                program, f"{folder}/confirmation", f"smtp://127.0.0.1:{server.port}") as madang:
            status, made = madang.call("POST", "/v1/users/join", {
                "email": "mina@example.com", "password": "Passw0rd!", "nickname": "Mina"})
            assert status == 200, made
            until(lambda: len(handler.taken) == 1, "no mail asks for the confirmation")
            mail, _ = handler.taken[0]
            assert mail["To"] == "mina@example.com"
            page = re.search(r"https://chat\.example\.com(/confirm/[0-9a-f]{32})\s", text_of(mail))[1]
            token = made["token"]["accessToken"]
            assert madang.call("GET", page)[0] == 200
            assert madang.call("POST", "/v1/workspaces", {"name": "Builders"}, token) == (400, {"errorCode": "E11"})
            assert madang.call("POST", page, {"password": "Wr0ng-word!"})[0] == 403
            assert madang.call("POST", page, {"password": "Passw0rd!"})[0] == 200
            assert madang.call("POST", page, {"password": "Passw0rd!"})[0] == 404
            status, place = madang.call("POST", "/v1/workspaces", {"name": "Builders"}, token)
            assert status == 200, place
    finally:
        del os.environ["MADANG_REGISTRATION_CONFIRM"]


def check_sign_in(program, folder):
    """Who signs in from where they signed up is told nothing; from another network, once; it is by a proxy that the network is known."""
    handler = Handler()
    os.environ["MADANG_TRUSTED_PROXIES"] = "127.0.0.0/8"
    try:
        with MailServer(handler, login=False) as server, Madang(
                program, f"{folder}/sign-in", f"smtp://127.0.0.1:{server.port}", parallel="1") as madang:
            def enter(path, client, **fields):
                status, made = madang.call("POST", f"/v1/users/{path}", fields | {
                    "email": "mina@example.com", "password": "Passw0rd!"}, client=client)
                assert status == 200, made

            enter("join", "203.0.113.5", nickname="Mina")
            enter("login", "203.0.113.99")
            for _ in range(2):
                enter("login", "2001:db8:7:8::9")
            # What comes behind them: mails are sent in their order, one at a time here.
            madang.mail("admin@example.com")
            until(lambda: madang.count("sent") == 2, "two mails are not sent")
            about = [mail for mail, _ in handler.taken if mail["To"] == "mina@example.com"]
            assert len(about) == 1 and about[0]["Subject"] == "우리 Chat: A sign-in from a new place", handler.taken
            text = text_of(about[0])
            assert "Network: 2001:db8:7::/48" in text and "https://chat.example.com/password" in text, text
            assert "Passw0rd" not in text and "2001:db8:7:8" not in text
    finally:
        del os.environ["MADANG_TRUSTED_PROXIES"]


def main():
    program = sys.argv[1]
    # Sessions that fail are what is checked.
    logging.getLogger("mail.log").setLevel(logging.CRITICAL)
    with tempfile.TemporaryDirectory() as folder:
        context = make_certificate(folder, "one")
        check_starttls(program, folder, context)
        check_smtps(program, folder, context)
        check_tokens(program, folder, context)
        check_distrust(program, folder, context)
        check_vanishing(program, folder)
        check_kill(program, folder)
        check_confirmation(program, folder)
        check_sign_in(program, folder)
    print("mail: 8 passed, 0 failed")


main()
