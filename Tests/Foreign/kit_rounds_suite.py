"""Twenty tests of an app that kit_rounds_check.py runs in many worlds at once. All worlds have the same ids and tokens, so that a
call that reached another world would be noticed by what it says."""

import json
import os
import urllib.request

import pytest
from madang_testing import MadangError, at_least, never, once, times


@pytest.fixture(params=range(int(os.environ["MADANG_WORLDS"])))
def text(request):
    """What only this copy of a test says."""
    return f"{request.node.name}"


@pytest.fixture
def world(make_world):
    return make_world("courtyard", number=7)


@pytest.fixture
def mina(world):
    return world.sign_in("mina@example.com")


@pytest.fixture
def room(mina):
    workspace = next(one for one in mina.get("workspaces") if one["name"] == "Weekend")["workspace_id"]
    channel = next(one for one in mina.get(f"workspaces/{workspace}/channels") if one["name"] == "ios")["channel_id"]
    return f"workspaces/{workspace}/channels/{channel}"


def last(client, room):
    return client.get(f"{room}/chats")[-1]["content"]


def test_sign_in(world, mina, text):
    assert mina.get("users/me")["nickname"] == "Mina"
    assert mina.put("users/me", {"nickname": text[-30:]})["nickname"] == text[-30:]
    assert [person.nickname for person in world.people()][0] == text[-30:]


def test_post(mina, room, text):
    mina.post(f"{room}/chats", {"content": text})
    assert last(mina, room) == text


def test_person_posts(world, mina, room, text):
    world.person("joon").post(text, in_="Weekend/ios", files=1)
    assert last(mina, room) == text


def test_direct_message(world, text):
    chat = world.person("joon").write(text, to="mina")
    assert chat["content"] == text


def test_expired_token(world, mina, text):
    world.clock.advance("25h")
    with pytest.raises(MadangError, match="E05"):
        mina.get("workspaces")


def test_answer_lost(world, mina, room, text):
    world.faults.add("answerLost", operation="postToChannel", nth=1)
    with pytest.raises(ConnectionError):
        mina.post(f"{room}/chats", {"content": text})
    assert last(mina, room) == text
    assert [rule.applied for rule in world.faults.rules()] == [1]


def test_late_answer(world, mina, text):
    world.faults.add("latency", operation="me", time="20ms")
    assert mina.get("users/me")["nickname"] == "Mina"
    assert world.journal.entries(operation="me")[0].milliseconds >= 20


def test_restart(world, mina, room, text):
    mina.post(f"{room}/chats", {"content": text})
    world.restart(down_for="60s")
    with pytest.raises(OSError):
        mina.get("users/me")
    world.restart(down_for=0)
    assert last(mina, room) == text


def test_snapshot(world, mina, room, text):
    mina.post(f"{room}/chats", {"content": text})
    world.snapshot("said")
    mina.post(f"{room}/chats", {"content": "more"})
    world.restore("said")
    assert last(mina, room) == text


def test_reset(world, mina, room, text):
    before = last(mina, room)
    mina.post(f"{room}/chats", {"content": text})
    world.reset()
    assert last(world.sign_in("mina@example.com"), room) == before


def test_script(world, mina, room, text):
    world.scripts.add({"name": "answer", "when": {"chat": {"from": "mina"}}, "times": 1, "do": [{"as": "joon", "post": "{text}!"}]})
    world.scripts.start("answer")
    mina.post(f"{room}/chats", {"content": text})
    world.scripts.ran("answer", 1, within="30s")
    assert last(mina, room) == f"{text}!"


def test_push(world, text):
    world.person("mina").post(text, in_="Weekend/ios")
    [push] = world.journal.wait(kind="push", account="sora@example.com", within="30s")
    assert text in push.payload


def test_expectation(world, mina, room, text):
    mina.post(f"{room}/chats", {"content": text})
    world.expect([once(operation="signIn"), at_least(1, operation="workspaces"), once(operation="postToChannel", body={"content": text})],
                 in_order=True, within="30s")


def test_failed_expectation(world, mina, text):
    with pytest.raises(AssertionError, match="operation me"):
        world.expect([times(2, operation="me"), never(operation="signOut")], within="10ms")


def test_join_and_leave(world, text):
    joon = world.person("joon")
    joon.join("Weekend/hiking")
    joon.post(text, in_="Weekend/hiking")
    joon.leave("Weekend/hiking")
    with pytest.raises(MadangError, match="E13"):
        joon.post(text, in_="Weekend/hiking")


def test_payment(world, mina, text):
    mina.post("store/pay/validation", {"imp_uid": world.pay(500, text), "merchant_uid": text})
    assert mina.get("users/me")["sesacCoin"] == 300


def test_social_token(world, mina, text):
    token = world.social_token("kakao", text, email="new@example.com", nickname="New")
    assert mina.post("users/login/kakao", {"oauthToken": token})["nickname"] == "New"


def test_mail(world, text):
    urllib.request.urlopen(f"{world.url}/password", b"email=mina@example.com").close()
    [mail] = world.mails(to="mina@example.com", within="30s")
    assert f"{world.url}/password/" in mail["body"]


def test_socket(world, mina, room, text):
    def poll(session="", body=None):
        url = f"{world.url}/socket.io/?EIO=4&transport=polling{session}"
        headers = {"Authorization": mina.access_token, "SesacKey": world.key(), "Content-Type": "text/plain"}
        with urllib.request.urlopen(urllib.request.Request(url, body, headers), timeout=60) as answer:
            return answer.read().decode()

    session = f"&sid={json.loads(poll()[1:])['sid']}"
    poll(session, f"40/ws-channel-{room.split('/')[-1]},".encode())
    assert poll(session).startswith("40")
    world.person("joon").post(text, in_="Weekend/ios")
    assert text in poll(session)
    assert world.sockets.cut(account="mina") == 1


def test_export(world, make_world, text):
    world.person("joon").post(text, in_="Weekend/ios")
    with make_world(world.export_seed()) as other:
        other.person("joon").post("once more", in_="Weekend/ios")
        assert other.review() == []
