"""Stand-ins for PortOne's two APIs, Kakao and Apple's keys, over TLS, as their makers document them. Each answers on a path of its own, so one
server plays all of them. Sources: the documentation named in PortOne.swift, PortOneV2.swift, KakaoTokens.swift and AppleTokens.swift."""

import http.server
import json
import ssl
import threading
import time
import urllib.parse

import jwt
from cryptography.hazmat.primitives.asymmetric import rsa

V1_KEY, V1_SECRET, V2_SECRET, STORE = "imp-key", "imp-secret", "portone-v2-secret", "store-1"
KAKAO_APP, ADMIN_KEY, AUDIENCE, KEY_ID = 7, "kakao-admin-key", "com.example.chat", "apple-key"


class Providers:
    def __init__(self, certificate, key):
        self.payments = {}
        """By the shop's id: changes of a payment that is paid in full."""
        self.people = {}
        """Kakao's, by access token."""
        self.unlinked = []
        self.faults = []
        """What to do instead of the next answers: a status, or `cut`, or seconds of silence."""
        self.calls = []
        self.token = "v1-token"
        self.signing = rsa.generate_private_key(65537, 2048)
        stand_in = self

        class Handler(http.server.BaseHTTPRequestHandler):
            protocol_version = "HTTP/1.1"

            def do_GET(self):
                body = self.rfile.read(int(self.headers.get("content-length", 0)))
                target = urllib.parse.urlsplit(self.path)
                stand_in.calls.append((self.command, self.path))
                status, answer, headers = stand_in.fault() or (*stand_in.answer(
                    self.command, target.path, dict(urllib.parse.parse_qsl(target.query)), self.headers.get("authorization", ""), body), {})
                if status == "cut":
                    self.connection.shutdown(2)
                    return
                content = json.dumps(answer).encode()
                self.send_response(status)
                for name, value in headers.items():
                    self.send_header(name, value)
                self.send_header("Content-Type", "application/json")
                self.send_header("Content-Length", str(len(content)))
                self.end_headers()
                self.wfile.write(content)

            do_POST = do_GET

            def log_message(self, *_):
                pass

        class Server(http.server.ThreadingHTTPServer):
            daemon_threads = True

            def handle_error(self, *_):
                """Who gives up has its connection reset."""

        context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
        context.load_cert_chain(certificate, key)
        server = Server(("127.0.0.1", 0), Handler)
        server.socket = context.wrap_socket(server.socket, server_side=True)
        threading.Thread(target=server.serve_forever, daemon=True).start()
        self.url = f"https://localhost:{server.server_address[1]}"

    def fault(self):
        if not self.faults:
            return None
        fault = self.faults.pop(0)
        if isinstance(fault, float):
            time.sleep(fault)
            return "cut", None, {}
        return fault if isinstance(fault, tuple) else (fault, {"type": "FAULT"}, {})

    def answer(self, method, path, query, authorization, body):
        """Status and answer of a request."""
        _, provider, *parts = path.split("/")
        match method, provider, parts:
            case "POST", "v1", ["users", "getToken"]:
                keys = json.loads(body)
                if (keys.get("imp_key"), keys.get("imp_secret")) != (V1_KEY, V1_SECRET):
                    return 401, {"code": -1, "message": "unauthorized", "response": None}
                now = int(time.time())
                return 200, {"code": 0, "message": None, "response": {"access_token": self.token, "now": now, "expired_at": now + 1800}}
            case "GET", "v1", ["payments", name]:
                if authorization != self.token:
                    return 401, {"code": -1, "message": "unauthorized", "response": None}
                shop = name.removeprefix("imp_")
                if shop not in self.payments:
                    return 404, {"code": -1, "message": "no such payment", "response": None}
                payment = self.v2(shop)
                return 200, {"code": 0, "message": None, "response": {
                    "imp_uid": name, "merchant_uid": shop, "amount": payment["amount"]["total"], "currency": payment["currency"],
                    "cancel_amount": payment["amount"]["cancelled"], "status": payment["status"].lower(), "paid_at": 1734073530}}
            case "GET", "v2", ["payments", shop]:
                if authorization != f"PortOne {V2_SECRET}":
                    return 401, {"type": "UNAUTHORIZED", "message": "unauthorized"}
                if query.get("storeId", STORE) != STORE:
                    return 403, {"type": "FORBIDDEN", "message": "forbidden"}
                shop = urllib.parse.unquote(shop)
                return (200, self.v2(shop)) if shop in self.payments else (404, {"type": "PAYMENT_NOT_FOUND", "message": "none"})
            case "GET", "kakao", ["v1", "user", "access_token_info"]:
                person = self.people.get(authorization.removeprefix("Bearer "))
                return (200, {"id": person, "expires_in": 100, "app_id": KAKAO_APP}) if person else (
                    401, {"msg": "this access token does not exist", "code": -401})
            case "GET", "kakao", ["v2", "user", "me"]:
                person = self.people.get(authorization.removeprefix("Bearer "))
                return (200, {"id": person, "kakao_account": {
                    "email": f"k{person}@example.com", "is_email_valid": True, "is_email_verified": True,
                    "profile": {"nickname": f"K{person}"}}}) if person else (401, {"msg": "no such token", "code": -401})
            case "POST", "kakao", ["v1", "user", "unlink"]:
                if authorization != f"KakaoAK {ADMIN_KEY}":
                    return 401, {"msg": "wrong appKey", "code": -401}
                form = dict(urllib.parse.parse_qsl(body.decode()))
                if form.get("target_id_type") != "user_id" or int(form.get("target_id", 0)) not in self.people.values():
                    return 400, {"msg": "NotRegisteredUserException", "code": -101}
                self.unlinked.append(int(form["target_id"]))
                self.people = {token: person for token, person in self.people.items() if person != self.unlinked[-1]}
                return 200, {"id": self.unlinked[-1]}
            case "GET", "apple", ["auth", "keys"]:
                key = json.loads(jwt.algorithms.RSAAlgorithm.to_jwk(self.signing.public_key()))
                return 200, {"keys": [{"kty": "RSA", "kid": KEY_ID, "use": "sig", "alg": "RS256", "n": key["n"], "e": key["e"]}]}
        return 404, {"message": "no such call"}

    def v2(self, shop):
        return {
            "status": "PAID", "id": shop, "transactionId": f"imp_{shop}", "merchantId": "merchant-1", "storeId": STORE, "version": "V1",
            "channel": {"type": "LIVE", "pgProvider": "KCP", "pgMerchantId": "m"}, "currency": "KRW", "orderName": "10 Coin",
            "amount": {"total": 100, "taxFree": 0, "discount": 0, "paid": 100, "cancelled": 0, "cancelledTaxFree": 0},
            "paidAt": "2024-12-13T07:05:30Z"} | self.payments[shop]

    def sign(self, **claims):
        """What Apple signs for the app."""
        now = int(time.time())
        return jwt.encode({"iss": "https://appleid.apple.com", "aud": AUDIENCE, "iat": now, "exp": now + 600} | claims, self.signing,
                          algorithm="RS256", headers={"kid": KEY_ID})
