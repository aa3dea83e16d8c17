"""Payments, sign-ins and notices through stand-ins for PortOne, Kakao and Apple (providers_standin.py), over TLS.

    Scripts/foreign-clients    # installs what this needs
    python Tests/Foreign/providers_check.py .build/debug/madang

Needs openssl. Exits 0 when every check held.
"""

import argparse
import asyncio
import concurrent.futures
import json
import os
import subprocess
import sys
import tempfile
import time

import requests

import providers_standin as standin
from attempts import ATTEMPTS
from certificates import make_certificates
from program import Program

KEY = "dev-key-2024-10"
WAIT = 120
failures = []


def expect(what, found, wanted):
    print(f"{'ok    ' if found == wanted else 'FAILED'} {what}{'' if found == wanted else f': {found!r}, not {wanted!r}'}", flush=True)
    if found != wanted:
        failures.append(what)


class Client:
    def __init__(self, url):
        self.url = url
        self.session = requests.Session()
        self.session.trust_env = False

    def call(self, method, path, body=None, token=None, **more):
        headers = {"SesacKey": KEY} | ({"Authorization": token} if token else {}) | more.pop("headers", {})
        return self.session.request(method, f"{self.url}/{path}", headers=headers, json=body, timeout=WAIT, **more)

    def outcome(self, *arguments, **more):
        answer = self.call(*arguments, **more)
        return answer.json().get("errorCode", answer.status_code) if answer.content else answer.status_code

    def sign_in(self, provider, fields):
        answer = self.call("POST", f"v1/users/login/{provider}", fields).json()
        return answer["token"]["accessToken"] if "token" in answer else answer.get("accessToken", answer.get("errorCode"))

    def me(self, token):
        return self.outcome("GET", "v1/users/me", token=token)

    def pay(self, token, shop, imp=None):
        return self.outcome("POST", "v1/store/pay/validation", {"imp_uid": imp or f"imp_{shop}", "merchant_uid": shop}, token)


def payments(client, providers, name):
    """The token of a person who has bought one product; "ios_2" is left for more checks."""
    token = client.call("POST", "v1/users/join", {
        "email": "mina@example.com", "password": "Passw0rd!", "nickname": "Mina"}).json()["token"]["accessToken"]
    live = {"total": 100, "paid": 100, "cancelled": 0}
    providers.payments = {
        "ios_1": {}, "ios_2": {}, "ios_3": {}, "gone": {"status": "CANCELLED"}, "ready": {"status": "READY"},
        "part": {"status": "PARTIAL_CANCELLED" if name == "v2" else "PAID", "amount": live | {"cancelled": 50}},
        "dollars": {"currency": "USD"}, "odd": {"amount": live | {"total": 99}}}
    with concurrent.futures.ThreadPoolExecutor(8) as pool:
        outcomes = sorted(str(one) for one in pool.map(lambda _: Client(client.url).pay(token, "ios_1"), range(8)))
    expect(f"{name}: of eight calls at once one credits", outcomes, ["200"] + ["E81"] * 7)
    expect(f"{name}: what was not paid, was cancelled, is too little or no won buys nothing",
           [client.pay(token, shop) for shop in ("gone", "ready", "part", "dollars", "odd")], ["E82"] * 5)
    expect(f"{name}: nobody knows it", client.pay(token, "nonesuch"), "E81")
    expect(f"{name}: ids of two payments", client.pay(token, "ios_2", "imp_ios_3"), "E82")
    return token


def outages(client, providers, name, token):
    """A provider that fails: apps give up after five seconds."""
    for fault in ([503] * 3, ["cut"] * 3, [9.0] * 3):
        for _ in range(ATTEMPTS):
            providers.faults = [one if not isinstance(one, str) else (one, None, {}) for one in fault]
            begin = time.monotonic()
            outcome = client.pay(token, "ios_2")
            took = time.monotonic() - begin
            providers.faults = []
            if outcome != "E81" or took < 5:
                break
        expect(f"{name}: {fault[0]} leaves the payment unused", outcome, "E81")
        expect(f"{name}: in less than five seconds", took < 5, True)


def recovery(client, providers, name, token):
    """The provider works again."""
    if name == "v2":
        providers.faults = [(429, {"type": "TOO_MANY"}, {"Retry-After": "1"})]
        begin = time.monotonic()
        expect("v2: a second that PortOne asks for is waited for", client.pay(token, "ios_2"), 200)
        expect("v2: and no less", time.monotonic() - begin >= 1, True)
        providers.payments["test"] = {"channel": {"type": "TEST"}}
        expect("v2: a test channel costs nothing and buys nothing", client.pay(token, "test"), "E82")
    else:
        expect("v1: then it counts", client.pay(token, "ios_2"), 200)
    expect(f"{name}: the balance", client.call("GET", "v1/users/me", token=token).json()["sesacCoin"], 120)


def apple(client, providers):
    def identity(**more):
        return providers.sign(**{"sub": "001.mina", "email": "apple@example.com", "email_verified": "true"} | more)

    def notice(kind, **claims):
        event = {"type": kind, "sub": "001.mina", "event_time": int(time.time() * 1000)}
        return client.outcome("POST", "_hooks/apple", {"payload": providers.sign(**{"events": json.dumps(event), "jti": "1"} | claims)})

    fields = {"idToken": identity(iat=int(time.time()) - 60), "nickname": "Mina"}
    token = client.sign_in("apple", fields)
    expect("Apple: a notice for another app", notice("consent-revoked", aud="com.example.evil"), 401)
    expect("Apple: nobody's notice", client.outcome("POST", "_hooks/apple", {"payload": "a.b.c"}), 401)
    expect("Apple: signed in all the same", client.me(token), 200)
    expect("Apple: access is taken back", notice("consent-revoked"), 200)
    expect("Apple: signed out", client.me(token), "E02")
    expect("Apple: the older token signs in no more", client.sign_in("apple", fields), "E03")
    again = client.sign_in("apple", {"idToken": identity(iat=int(time.time()) + 1)})
    expect("Apple: a newer one does", client.me(again), 200)


def kakao(client, providers, madang, data, settings):
    providers.people = {"a": 41, "b": 42, "c": 43}
    tokens = {name: client.sign_in("kakao", {"oauthToken": name}) for name in providers.people}
    form = {"app_id": str(standin.KAKAO_APP), "user_id": "41", "referrer_type": "UNLINK_FROM_APPS"}
    for headers, wanted in ({"Authorization": "KakaoAK wrong"}, 401), ({"Authorization": f"KakaoAK {standin.ADMIN_KEY}"}, 200):
        for _ in range(ATTEMPTS):
            begin = time.monotonic()
            answer = client.session.post(f"{client.url}/_hooks/kakao", data=form, headers=headers, timeout=WAIT)
            took = time.monotonic() - begin
            if answer.status_code != wanted or took < 3:
                break
        expect(f"Kakao: a notice is answered {wanted}", answer.status_code, wanted)
        expect("Kakao: within three seconds", took < 3, True)
    expect("Kakao: signed out, and nobody else", [client.me(tokens[name]) for name in "abc"], ["E02", 200, 200])

    def delete(number):
        return subprocess.run([madang, "admin", "users", "delete", f"k{number}@example.com", "--yes", "--data", data],
                              capture_output=True, text=True, env=os.environ | settings, timeout=WAIT)
    expect("Kakao: an account is deleted", delete(42).returncode, 0)
    expect("Kakao: and unlinked", providers.unlinked, [42])
    providers.faults = [500, 500]
    answer = delete(43)
    expect("Kakao: an administrator hears what is left to do", (answer.returncode != 0, "target_id=43" in answer.stderr,
           standin.ADMIN_KEY in answer.stderr), (True, True, False))
    expect("Kakao: the account is deleted all the same", client.me(tokens["c"]), "E02")


async def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("madang")
    madang = parser.parse_args().madang
    with tempfile.TemporaryDirectory() as folder:
        make_certificates(folder)
        for name in "v1", "v2":
            providers = standin.Providers(f"{folder}/leaf.pem", f"{folder}/leaf.key")
            settings = {
                "MADANG_PROVIDERS_CA": f"{folder}/ca.pem", "MADANG_APPLE_KEYS_URL": f"{providers.url}/apple/auth/keys",
                "MADANG_APPLE_AUDIENCE": standin.AUDIENCE, "MADANG_APPLE_NOTICES": "true", "MADANG_KAKAO_URL": f"{providers.url}/kakao",
                "MADANG_KAKAO_APP": str(standin.KAKAO_APP), "MADANG_KAKAO_ADMIN_KEY": standin.ADMIN_KEY}
            settings |= {
                "MADANG_PAYMENTS_PORTONE_V2_URL": f"{providers.url}/v2", "MADANG_PAYMENTS_PORTONE_V2_SECRET": standin.V2_SECRET,
                "MADANG_PAYMENTS_PORTONE_V2_STORE": standin.STORE} if name == "v2" else {
                "MADANG_PAYMENTS_PORTONE_URL": f"{providers.url}/v1", "MADANG_PAYMENTS_PORTONE_KEY": standin.V1_KEY,
                "MADANG_PAYMENTS_PORTONE_SECRET": standin.V1_SECRET}
            data = f"{folder}/{name}"
            patient = settings | {"MADANG_PROVIDERS_TIMEOUT": "60s"}

            async def served(settings, check, *arguments):
                async with Program.hosted(madang, data, settings) as server:
                    return await asyncio.to_thread(check, Client(server.url), providers, *arguments)
            token = await served(patient, payments, name)
            await served(settings, outages, name, token)
            await served(patient, recovery, name, token)
            if name == "v2":
                await served(patient, apple)
                await served(patient, kakao, madang, data, patient)
    print(f"{len(failures)} failures")
    sys.exit(1 if failures else 0)


asyncio.run(main())
