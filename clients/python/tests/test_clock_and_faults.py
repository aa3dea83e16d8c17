"""Time and failures. The ids are those of clients/behaviours.md."""

from __future__ import annotations

import datetime

import pytest

from conftest import room
from madang_testing import MadangError, World, durations

pytestmark = pytest.mark.madang(number=7)
START = datetime.datetime(2026, 1, 5, 9, tzinfo=datetime.timezone.utc)


def test_b13_the_clock_advances_by_text_and_by_seconds(world: World) -> None:
    world.clock.advance("25h")
    assert world.clock.now - START == datetime.timedelta(hours=25)
    world.clock.advance(1.5)
    world.clock.advance(datetime.timedelta(days=1))
    assert world.now - START == datetime.timedelta(days=1, hours=25, seconds=1.5)


def test_b14_the_clock_is_set_frozen_resumed_and_run(world: World) -> None:
    world.clock.set("2026-02-01T12:00:00Z")
    assert world.now.isoformat() == "2026-02-01T12:00:00+00:00"
    world.clock.set(START - datetime.timedelta(days=1))
    assert world.now < START and world.clock.rate == 0
    world.clock.resume()
    assert world.clock.rate == 1
    world.clock.run(at=60)
    assert world.clock.rate == 60
    world.clock.freeze()
    assert world.clock.rate == 0
    with pytest.raises(ValueError, match="time zone"):
        world.clock.set(datetime.datetime(2026, 1, 1))


def test_b15_an_access_token_expires(world: World) -> None:
    mina = world.sign_in("mina@example.com")
    assert mina.get("workspaces")
    world.clock.advance("25h")
    with pytest.raises(MadangError) as refused:
        mina.get("workspaces")
    assert (refused.value.status, refused.value.code) == (400, "E05")


def test_b16_a_fault_applies_where_it_matches(world: World) -> None:
    mina = world.sign_in("mina@example.com")
    path = room(mina)
    rule = world.faults.add("answerLost", operation="postToChannel", nth=2)
    mina.post(f"{path}/chats", {"content": "one"})
    with pytest.raises(ConnectionError):
        mina.post(f"{path}/chats", {"content": "two"})
    assert [chat["content"] for chat in mina.get(f"{path}/chats")][-2:] == ["one", "two"]
    [found] = world.faults.rules()
    assert (found.id, found.kind, found.matched, found.applied) == (rule.id, "answerLost", 2, 1)


def test_b16_fields_and_durations_arrive_at_the_server(world: World) -> None:
    world.faults.add("status", path="/v1/users/*", status=503, retry_after=7, content_type="text/plain", body="down")
    world.faults.add("latency", account="mina", time="1.5s", jitter="10ms", after=True)
    world.faults.add("close", event="channel", direction="toClient", close_code=1001, until=START)
    with pytest.raises(MadangError, match="503 down"):
        world.sign_in("mina@example.com")
    first, second, third = world.faults.rules()
    assert first.effect["retryAfter"] == 7
    assert (second.effect["milliseconds"], second.effect["jitter"], second.effect["after"]) == (1500, 10, True)
    assert (third.effect["closeCode"], third.match["until"]) == (1001, "2026-01-05T09:00:00.000Z")


def test_b17_a_removed_fault_applies_no_longer(world: World) -> None:
    mina = world.sign_in("mina@example.com")
    rule = world.faults.add("reset", operation="me")
    with pytest.raises(ConnectionError):
        mina.get("users/me")
    world.faults.remove(rule)
    assert mina.get("users/me")["nickname"] == "Mina"
    world.faults.add("drop", event="channel")
    world.faults.add("limited", operation="me")
    world.faults.remove_all()
    assert world.faults.rules() == []


def test_b18_a_restart_refuses_connections_and_keeps_the_data(world: World) -> None:
    mina = world.sign_in("mina@example.com")
    path = room(mina)
    mina.post(f"{path}/chats", {"content": "before"})
    world.restart(down_for="60s")
    with pytest.raises(OSError):
        mina.get(f"{path}/chats")
    world.restart(down_for=0)
    assert mina.get(f"{path}/chats")[-1]["content"] == "before"


@pytest.mark.parametrize("text", ["25 hours", "5", "", "1e3s", "-5s", "５s"])
def test_b45_a_wrong_duration_is_an_error_that_names_the_notations(world: World, text: str) -> None:
    with pytest.raises(ValueError, match="500ms, 5s, 10m, 25h or 30d"):
        world.clock.advance(text)


def test_b45_durations_are_exact() -> None:
    assert [durations.text(one) for one in ("500ms", "1.5s", "10m", "25h", "30d", "2w", 0.25, 3)] == [
        "500ms", "1500ms", "600000ms", "90000000ms", "2592000000ms", "1209600000ms", "250ms", "3000ms"]
    for wrong in (-1, float("nan"), float("inf"), datetime.timedelta(seconds=-1)):
        with pytest.raises(ValueError):
            durations.seconds(wrong)
