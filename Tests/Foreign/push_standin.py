"""Stand-ins for Apple's push service and for Firebase Cloud Messaging, over TLS, as their makers document them.

APNs: HTTP/2; the headers it asks for, its token, its refusals, GOAWAY and connections that are cut. Firebase: OAuth token, `messages:send`.
Both record what they took. Sources: the two services' documentation, named in ApplePushService.swift and FirebaseMessaging.swift.
"""

import asyncio
import json
import re
import ssl
import time
import urllib.parse
import uuid

import h2.config
import h2.connection
import h2.events
import h2.exceptions
import jwt

TEAM, KEY_ID, TOPIC = "TEAM654321", "KEY7654321", "com.example.chat"
RETRY_AFTER = 2
PROJECT, CLIENT = "example-project", "sender@example-project.iam.gserviceaccount.com"


class Record:
    """What was taken: the ids of each text, in order of arrival, by device."""

    def __init__(self):
        self.taken = []
        self.refused = []
        self.is_down = False
        self.answers = 0
        self.faults = {}
        """What to do instead of the answer of this number: `goaway`, `cut`, `silence`, or a status and a body."""

    def fault(self):
        self.answers += 1
        return self.faults.pop(self.answers, None)


class Apple(Record):
    """APNs. `gone` is a device that nobody has any more."""

    def __init__(self, public_key, gone):
        super().__init__()
        self.public_key, self.gone = public_key, gone
        self.connections = 0
        self.trials = 0

    def answer(self, headers, body):
        """Status and reason of a request."""
        path = re.fullmatch(r"/3/device/([^/]+)", headers.get(":path", ""))
        if not path:
            return 404, {"reason": "BadPath"}
        if headers.get(":method") != "POST":
            return 405, {"reason": "MethodNotAllowed"}
        scheme, _, token = headers.get("authorization", "").partition(" ")
        if scheme != "bearer":
            return 403, {"reason": "MissingProviderToken"}
        try:
            assert jwt.get_unverified_header(token).get("kid") == KEY_ID
            claims = jwt.decode(token, self.public_key, algorithms=["ES256"], issuer=TEAM, options={"require": ["iss", "iat"]})
        except (AssertionError, jwt.PyJWTError):
            return 403, {"reason": "InvalidProviderToken"}
        if time.time() - claims["iat"] > 3600:
            return 403, {"reason": "ExpiredProviderToken"}
        if headers.get("apns-topic") != TOPIC:
            return 400, {"reason": "BadTopic" if "apns-topic" in headers else "MissingTopic"}
        if headers.get("apns-push-type") != "alert":
            return 400, {"reason": "InvalidPushType"}
        if headers.get("apns-priority") != "10":
            return 400, {"reason": "BadPriority"}
        if int(headers["apns-expiration"]) < time.time() - 86_400:
            return 400, {"reason": "BadExpirationDate"}
        try:
            message = uuid.UUID(headers["apns-id"])
        except ValueError:
            return 400, {"reason": "BadMessageId"}
        if len(body) > 4096:
            return 413, {"reason": "PayloadTooLarge"}
        device = path[1]
        if not re.fullmatch(r"(?i)[0-9a-f]{64}", device) or int(device, 16) == 0:
            self.trials += 1
            return 400, {"reason": "BadDeviceToken"}
        if device == self.gone:
            return 410, {"reason": "Unregistered", "timestamp": int(time.time() * 1000)}
        self.taken.append((device, json.loads(body)["aps"]["alert"]["body"], str(message)))
        return 200, None

    async def serve(self, reader, writer):
        self.connections += 1
        connection = h2.connection.H2Connection(h2.config.H2Configuration(client_side=False, header_encoding="utf-8"))
        connection.initiate_connection()
        connection.update_settings({3: 1000})
        writer.write(connection.data_to_send())
        requests = {}
        try:
            while data := await reader.read(65_536):
                for event in connection.receive_data(data):
                    if isinstance(event, h2.events.RequestReceived):
                        requests[event.stream_id] = (dict(event.headers), bytearray())
                    elif isinstance(event, h2.events.DataReceived):
                        requests[event.stream_id][1].extend(event.data)
                        connection.acknowledge_received_data(event.flow_controlled_length, event.stream_id)
                    elif isinstance(event, h2.events.StreamReset):
                        requests.pop(event.stream_id, None)
                    elif isinstance(event, h2.events.StreamEnded):
                        headers, body = requests.pop(event.stream_id)
                        if not self._answer(connection, event.stream_id, headers, bytes(body)):
                            writer.write(connection.data_to_send())
                            return
                writer.write(connection.data_to_send())
                await writer.drain()
        except (ConnectionError, ssl.SSLError, h2.exceptions.ProtocolError, asyncio.CancelledError):
            pass
        finally:
            writer.close()

    def _answer(self, connection, stream, headers, body):
        """False if the connection is over."""
        status, answer = 503, {"reason": "ServiceUnavailable"}
        if not self.is_down:
            fault = self.fault()
            if fault == "cut":
                return False
            if fault == "silence":
                return True
            status, answer = fault if isinstance(fault, tuple) else self.answer(headers, body)
            if fault == "goaway":
                self._reply(connection, stream, headers, status, answer)
                connection.close_connection(last_stream_id=stream)
                return False
        self._reply(connection, stream, headers, status, answer)
        return True

    def _reply(self, connection, stream, headers, status, answer):
        if status != 200:
            self.refused.append((status, answer))
        fields = [(":status", str(status)), ("apns-id", headers.get("apns-id", str(uuid.uuid4())).upper())]
        connection.send_headers(stream, fields, end_stream=answer is None)
        if answer is not None:
            connection.send_data(stream, json.dumps(answer).encode(), end_stream=True)


class Firebase(Record):
    """Firebase Cloud Messaging, HTTP v1, and the server that gives out its tokens. `gone` is a device that nobody has any more."""

    def __init__(self, public_key, gone):
        super().__init__()
        self.public_key, self.gone = public_key, gone
        self.token_url = None
        self.put_off = {}
        """When which notification was refused with the word to wait."""
        self.early = []
        self.token = "t"
        self.trials = 0
        self.tokens = 0

    def answer(self, path, headers, body):
        if path == "/token":
            form = dict(urllib.parse.parse_qsl(body.decode()))
            assert form["grant_type"] == "urn:ietf:params:oauth:grant-type:jwt-bearer", form
            claims = jwt.decode(
                form["assertion"], self.public_key, algorithms=["RS256"], audience=self.token_url, issuer=CLIENT)
            assert claims["scope"] == "https://www.googleapis.com/auth/firebase.messaging", claims
            assert claims["exp"] - claims["iat"] <= 3600, claims
            self.tokens += 1
            return 200, {"access_token": self.token, "expires_in": 3599, "token_type": "Bearer"}
        if path != f"/v1/projects/{PROJECT}/messages:send":
            return 404, {}
        if headers.get("authorization") != f"Bearer {self.token}":
            return 401, self._error("UNAUTHENTICATED")
        if self.is_down:
            return 503, self._error("UNAVAILABLE")
        request = json.loads(body)
        message = request["message"]
        if request["validate_only"]:
            self.trials += 1
            return 400, self._error("INVALID_ARGUMENT")
        text = message["apns"]["payload"]["aps"]["alert"]["body"]
        fault = self.fault()
        if isinstance(fault, tuple):
            if fault[0] == 429:
                self.put_off[message["token"], text] = time.monotonic()
            return fault
        if fault in ("cut", "silence"):
            return fault, None
        if message["token"] == self.gone:
            return 404, self._error("UNREGISTERED")
        if time.monotonic() - self.put_off.get((message["token"], text), 0) < RETRY_AFTER:
            self.early.append(text)
        # Nothing here names the message: it is known by its text.
        self.taken.append((message["token"], text, text))
        return 200, {"name": f"projects/{PROJECT}/messages/{len(self.taken)}"}

    @staticmethod
    def _error(code):
        return {"error": {"details": [
            {"@type": "type.googleapis.com/google.firebase.fcm.v1.FcmError", "errorCode": code}]}}

    async def serve(self, reader, writer):
        try:
            while True:
                head = (await reader.readuntil(b"\r\n\r\n")).decode().split("\r\n")
                headers = {name.lower(): value for name, _, value in (line.partition(": ") for line in head[1:] if line)}
                body = await reader.readexactly(int(headers["content-length"]))
                status, answer = self.answer(head[0].split()[1], headers, body)
                if status == "cut":
                    return
                if status == "silence":
                    # Until the other side has had enough.
                    await reader.read()
                    return
                if status != 200:
                    self.refused.append((status, answer))
                content = json.dumps(answer).encode()
                writer.write(
                    f"HTTP/1.1 {status} Answer\r\nContent-Type: application/json\r\nContent-Length: {len(content)}\r\n"
                    f"{f'Retry-After: {RETRY_AFTER}' + chr(13) + chr(10) if status == 429 else ''}\r\n"
                    .encode() + content)
                await writer.drain()
        except (ConnectionError, ssl.SSLError, asyncio.IncompleteReadError, asyncio.CancelledError):
            pass
        finally:
            writer.close()


async def listen(service, certificate, key, protocols):
    """Serves on a free port of this machine; the URL."""
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.load_cert_chain(certificate, key)
    context.set_alpn_protocols(protocols)
    server = await asyncio.start_server(service.serve, "127.0.0.1", 0, ssl=context)
    return f"https://localhost:{server.sockets[0].getsockname()[1]}"
