"""Payments, tokens, mails, notifications and sockets. The ids are those of clients/behaviours.md."""

from __future__ import annotations

import json
import urllib.error
import urllib.request

import pytest

from conftest import room
from madang_testing import Client, MadangError, World


def poll(world: World, client: Client, session: str = "", body: str = "") -> str:
    """A request of Engine.IO."""
    url = f"{world.url}/socket.io/?EIO=4&transport=polling" + (f"&sid={session}" if session else "")
    headers = {"SesacKey": world.key(), "Authorization": client.access_token, "Content-Type": "text/plain"}
    with urllib.request.urlopen(urllib.request.Request(url, body.encode() or None, headers)) as answer:
        return str(answer.read().decode())


def connect(world: World, client: Client) -> str:
    """The session of a new socket of the client in Weekend/ios."""
    session = str(json.loads(poll(world, client)[1:])["sid"])
    poll(world, client, session, f"40/ws-channel-{room(client).split('/')[-1]},")
    assert poll(world, client, session).startswith("40/ws-channel-")
    return session


def test_b39_a_payment_is_accepted(world: World) -> None:
    mina = world.sign_in("mina@example.com")
    payment = world.pay(500, "ios_1")
    mina.post("store/pay/validation", {"imp_uid": payment, "merchant_uid": "ios_1"})
    assert mina.get("users/me")["sesacCoin"] == 300
    refused = world.pay(500, "ios_2", status="failed")
    with pytest.raises(MadangError):
        mina.post("store/pay/validation", {"imp_uid": refused, "merchant_uid": "ios_2"})


def test_b39_a_social_token_is_accepted(world: World) -> None:
    token = world.social_token("kakao", "42", email="new@example.com", nickname="New")
    mina = world.sign_in("mina@example.com")
    assert mina.post("users/login/kakao", {"oauthToken": token})["nickname"] == "New"
    assert world.social_token("apple", "43")


def test_b40_mails_and_notifications_are_listed(world: World) -> None:
    urllib.request.urlopen(f"{world.url}/password", b"email=mina@example.com").close()
    world.person("mina").post("Lunch?", in_="Weekend/ios")
    [push] = world.pushes(within="60s")
    assert push["deviceToken"] == "sora-phone" and world.pushes(after=push["id"]) == []
    [mail] = world.mails(to="mina@example.com", within="60s")
    assert f"{world.url}/password/" in mail["body"]
    assert world.mails(to="joon@example.com", within="10ms") == [] == world.mails(after=mail["id"])
    [entry] = world.journal.entries(kind="mail")
    assert entry.account == "mina@example.com"


def test_b41_sockets_are_listed_and_cut(world: World) -> None:
    mina, joon = world.sign_in("mina@example.com"), world.sign_in("joon@example.com")
    sessions = {connect(world, mina): mina, connect(world, mina): mina, connect(world, joon): joon}
    listed = world.sockets.list(within="60s", count=3)
    assert {socket.session for socket in listed} == set(sessions)
    assert {socket.account for socket in listed} == {"mina@example.com", "joon@example.com"}
    assert {socket.account for socket in world.sockets.list(account="joon")} == {"joon@example.com"}
    assert len(world.sockets.list(account="mina", within="10ms", count=3)) == 2
    assert listed[0].transport == "polling" and listed[0].namespaces[0].startswith("/ws-channel-")
    assert world.sockets.cut(account="mina") == 2
    [left] = world.sockets.list()
    assert left.account == "joon@example.com"
    for session, client in sessions.items():
        if client is mina:
            with pytest.raises(urllib.error.HTTPError):
                poll(world, client, session)
    assert world.sockets.cut(session=left.session) == 1 and world.sockets.list() == []
    with pytest.raises(ValueError):
        world.sockets.cut()
