"""What a client did. The ids are those of clients/behaviours.md."""

from __future__ import annotations

import json
import threading

import pytest

from conftest import room
from madang_testing import Client, World, at_least, at_most, never, once, times


@pytest.fixture
def mina(world: World) -> Client:
    return world.sign_in("mina@example.com")


def test_b30_the_journal_selects_entries(world: World, mina: Client) -> None:
    mina.post(f"{room(mina)}/chats", {"content": "Hello"})
    mina.post(f"{room(mina)}/chats", {"content": "World"})
    posts = world.journal.entries(operation="postToChannel", account="mina", status=200)
    assert [entry.body["content"] for entry in posts] == ["Hello", "World"]
    [entry] = world.journal.entries(body={"content": "World"})
    assert (entry.number, entry.method, entry.answer["content"]) == (posts[1].number, "POST", "World")
    assert world.journal.entries(after=posts[1].number, operation="postToChannel") == []
    assert "POST /v1/workspaces/" in str(entry) and "postToChannel" in str(entry)


def test_b30_all_pages_are_read(world: World, mina: Client, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("madang_testing.journal._PAGE", 2)
    for _ in range(5):
        mina.get("users/me")
    assert [entry.number for entry in world.journal.entries(operation="me")] == [2, 3, 4, 5, 6]


def test_b31_waiting_returns_when_the_entry_comes(world: World, mina: Client) -> None:
    path = room(mina)
    later = threading.Timer(0.2, lambda: mina.post(f"{path}/chats", {"content": "late"}))
    later.start()
    [push] = world.journal.wait(kind="push", account="sora@example.com", within="60s")
    assert push.payload is not None and "late" in push.payload
    [entry] = world.journal.wait(operation="postToChannel", body={"content": "late"}, within="60s")
    assert entry.status == 200
    later.join()


def test_b31_waiting_in_vain_names_the_filter(world: World, mina: Client) -> None:
    with pytest.raises(AssertionError, match="came 0 of 2 times within 50ms: operation postToChannel, status 200"):
        world.journal.wait(operation="postToChannel", status=200, count=2, within="50ms")
    with pytest.raises(AssertionError, match='came 0 of 1 times within 0.05: body {"content": "x"}'):
        world.journal.wait(body={"content": "x"}, within=0.05)


def test_b32_last_is_the_newest_number_and_a_cleared_journal_is_empty(world: World) -> None:
    assert world.journal.last == 0
    mina = world.sign_in("mina@example.com")
    assert world.journal.last == 1
    world.journal.clear()
    assert (world.journal.entries(), world.journal.last) == ([], 1)
    mina.get("users/me")
    assert [entry.number for entry in world.journal.entries()] == [2]


def test_b33_the_archive_has_the_requests(world: World, mina: Client) -> None:
    mina.get("users/me")
    requests = [entry["request"]["url"] for entry in world.journal.har()["log"]["entries"]]
    assert requests == [f"{world.url}/v1/users/login", f"{world.url}/v1/users/me"]
    assert [json.loads(line)["operation"] for line in world.journal.lines().splitlines()] == ["signIn", "me"]


def test_b34_expectations_are_met_by_what_happened(world: World, mina: Client) -> None:
    for text in ("one", "two", "three"):
        mina.post(f"{room(mina)}/chats", {"content": text})
    world.expect([once(operation="signIn"), times(3, operation="postToChannel")])
    world.expect([at_least(2, operation="postToChannel"), at_most(1, operation="signIn")])
    world.expect([never(operation="signOut")], within="50ms")
    world.expect([once(operation="postToChannel", body={"content": "two"}, answer={"content": "two"})])


def test_b35_a_failed_expectation_is_an_assertion_with_the_servers_sentences(world: World, mina: Client) -> None:
    with pytest.raises(AssertionError) as failed:
        world.expect([once(operation="me"), once(operation="signOut")], within=0)
    assert type(failed.value) is AssertionError
    missing = [line for line in str(failed.value).split("\n") if line.startswith("missing: operation ")]
    assert len(missing) == 2


def test_b35_what_is_no_list_of_expectations_is_an_error_that_says_how_to_write_it(world: World) -> None:
    with pytest.raises(TypeError, match="takes a list: write"):
        world.expect(once(operation="me"))  # type: ignore[arg-type]
    with pytest.raises(TypeError, match="takes items such as once"):
        world.expect([{"operation": "me"}])  # type: ignore[list-item]


def test_b35_the_report_shows_the_test_and_not_the_kit(inner: pytest.Pytester) -> None:
    inner.makepyfile("""
        from madang_testing import once
        def test_it(world):
            world.expect([once(operation="me")], within=0)
    """)
    text = "\n".join(inner.runpytest_subprocess().outlines)
    assert "E       AssertionError: missing: operation me" in text or "E   AssertionError: missing: operation me" in text
    assert "expect.py" not in text and "outcome[" not in text


def test_b36_order_only_among_and_after(world: World, mina: Client) -> None:
    path = room(mina)
    mina.get("users/me")
    mina.post(f"{path}/chats", {"content": "Hi"})
    after = world.journal.last
    expected = [once(operation="postToChannel"), once(operation="me")]
    world.expect(expected)
    with pytest.raises(AssertionError):
        world.expect(expected, in_order=True, within=0)
    with pytest.raises(AssertionError):
        world.expect([once(operation="me")], only=True, within=0)
    world.expect([once(operation="postToChannel")], only=True, among={"method": "POST", "path": "*/chats"})
    with pytest.raises(AssertionError):
        world.expect([once(operation="me")], after=after, within=0)
    mina.get("users/me")
    world.expect([once(operation="me")], after=after, settling="50ms")


def test_b36_spacing_limits_the_time_between_two_matches(world: World, mina: Client) -> None:
    mina.get("users/me")
    mina.get("users/me")
    world.expect([times(2, operation="me").spaced(at_most="1m")])
    with pytest.raises(AssertionError, match="too soon"):
        world.expect([times(2, operation="me").spaced(at_least="1m")], within=0)


def test_b35_a_near_miss_says_what_differs(world: World, mina: Client) -> None:
    mina.post(f"{room(mina)}/chats", {"content": "Helo"})
    with pytest.raises(AssertionError, match="near: entry 4: content was 'Helo', expected 'Hello'"):
        world.expect([once(operation="postToChannel", body={"content": "Hello"})], within=0)


def test_b37_the_review_finds_a_habit(world: World, mina: Client) -> None:
    mina.get("users/me")
    assert world.review() == []
    for _ in range(6):
        mina.get("workspaces")
    [finding] = world.review(account="mina@example.com")
    assert finding.habit == "polling" and len(finding.entries) == 6 and "Instead: " in str(finding)
    assert world.review(after=world.journal.last) == []


def test_b37_a_failed_expect_polite_says_the_cure(world: World, mina: Client) -> None:
    world.expect_polite()
    for _ in range(6):
        mina.get("workspaces")
    with pytest.raises(AssertionError) as failed:
        world.expect_polite()
    assert str(failed.value) == str(world.review()[0])
    assert str(failed.value).startswith("polling of mina@example.com: GET /v1/workspaces 6 times")
    assert "(entries 2, 3, 4, 5, 6 and 1 more). Instead: ask when the screen opens" in str(failed.value)
    world.expect_polite(account="joon")
    world.expect_polite(after=world.journal.last)


def test_b37_the_report_of_pytest_has_the_whole_cure(inner: pytest.Pytester) -> None:
    inner.makepyfile("""
        def poll(world):
            mina = world.sign_in("mina")
            for _ in range(6):
                mina.get("workspaces")
        def test_polite(world):
            poll(world)
            world.expect_polite()
        def test_review(world):
            poll(world)
            assert world.review() == []
    """)
    text = "\n".join(inner.runpytest_subprocess().outlines)
    cure = "Instead: ask when the screen opens, when the person pulls to refresh, and after a chat or a notification; not by a timer"
    polite, review = text.split("___ test_review ___")
    assert f"{cure}\n" in polite and "world.py" not in polite
    assert f"{cure}>\n" in review


def test_b38_the_coverage_counts_operations(world: World, mina: Client) -> None:
    mina.get("users/me")
    counted = world.coverage()["counts"]["editions"]["2024-10"]["operations"]
    assert counted["me"] == 1 and counted["signIn"] == 1
