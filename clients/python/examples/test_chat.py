import pytest
from chat import Refused
from madang_testing import at_least, once, times

pytestmark = pytest.mark.madang(seed="courtyard", number=7)
IOS = "Weekend/ios"


def test_signs_in(world, app):
    assert app.user["nickname"] == "Mina"
    with pytest.raises(Refused, match="E03"):
        app.sign_in("mina@example.com", "wrong")


def test_lists_the_chats_of_a_room(world, app):
    world.person("joon").post("Lunch?", in_=IOS)
    assert app.chats(IOS)[-1]["content"] == "Lunch?"


def test_posts(world, app):
    app.post(IOS, "Yes")
    world.expect([once(operation="postToChannel", body={"content": "Yes"}, account="mina")])


def test_shows_a_chat_as_it_comes(world, app):
    app.open(IOS)
    world.person("joon").post("Lunch?", in_=IOS)
    app.wait_for(IOS, "Lunch?")


def test_counts_unread_chats(world, app):
    seen = app.chats(IOS)[-1]["createdAt"]
    world.person("joon").post("Lunch?", in_=IOS)
    world.person("joon").post("Anyone?", in_=IOS)
    assert app.unread(IOS, after=seen) == 2


def test_survives_an_expired_token(world, app):
    world.clock.advance("25h")
    assert app.chats(IOS)
    world.expect([once(operation="refresh", status=200)])


def test_posts_once_when_the_answer_is_lost(world, app):
    world.faults.add("answerLost", operation="postToChannel", times=1)
    app.post(IOS, "Yes")
    world.expect([once(operation="postToChannel")])


@pytest.mark.madang(settings={"socket.ping.interval": "1s", "socket.ping.timeout": "1s"})
def test_leaves_a_silent_socket(world, app):
    world.faults.add("silence", event="channel", times=1)
    app.open(IOS)
    world.person("joon").post("Lunch?", in_=IOS)
    app.wait_for(IOS, "Lunch?")
    world.expect([at_least(2, kind="connection", event="opened")])


def test_a_phone_is_notified_of_the_chats_of_others(world, sign_in):
    mina = sign_in("mina", device_token="minas-phone")
    world.person("joon").post("Lunch?", in_=IOS)
    mina.post(IOS, "Yes")
    # Sora's phone, of the seed, is notified of both chats.
    world.expect([once(kind="push", account="mina"), times(2, kind="push", account="sora")], within="60s")


def test_starts_again(world, app):
    first = app.chats(IOS)
    app.post(IOS, "Yes")
    world.clock.advance("7d")
    world.reset()
    app.sign_in("mina@example.com", "Passw0rd!")
    assert app.chats(IOS) == first
    assert world.now.isoformat() == "2026-01-05T09:00:00+00:00"
