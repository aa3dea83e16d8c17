"""Worlds and their states. The ids are those of clients/behaviours.md."""

from __future__ import annotations

import json
import pathlib
import time
import urllib.request

import pytest

import madang_testing.server as servers
from conftest import room
from madang_testing import MadangError, MadangServer, MakeWorld, World
from madang_testing.development import Development
from test_server import closed_port


def handshake(world: World) -> float:
    """The ping interval of a new socket, in milliseconds."""
    with urllib.request.urlopen(f"{world.url}/socket.io/?EIO=4&transport=polling") as answer:
        return float(json.loads(answer.read()[1:])["pingInterval"])


@pytest.mark.madang(name="seventh")
def test_b07_a_test_has_a_world(world: World, madang: MadangServer) -> None:
    assert world.id.startswith("w") and world.name == "seventh" and world.url != madang.url
    assert f"{world}/v1" == f"{world.url}/v1"
    assert world.key() == "dev-key-2024-10" and world.key("2024-01") == "dev-key-2024-01"
    assert world.sign_in("mina@example.com").user["nickname"] == "Mina"


@pytest.mark.madang(seed="edge", number=3)
class TestMarkers:
    def test_b07_the_marker_of_a_class_holds(self, world: World) -> None:
        assert (world.number, len(world.people())) == (3, 6)

    @pytest.mark.madang(seed="courtyard")
    def test_b07_a_nearer_marker_comes_first(self, world: World) -> None:
        assert (world.number, len(world.people())) == (3, 5)


def test_b08_equal_seed_and_number_make_equal_worlds(make_world: MakeWorld) -> None:
    one, two = make_world("courtyard", number=7), make_world("courtyard", number=7)
    assert one.url != two.url
    assert [person.id for person in one.people()] == [person.id for person in two.people()]
    assert one.now == two.now and one.now.isoformat() == "2026-01-05T09:00:00+00:00"
    tokens = [world.sign_in("mina@example.com").access_token for world in (one, two)]
    assert tokens[0] == tokens[1]


def test_b08_a_seed_is_a_name_a_text_a_dictionary_or_a_file(make_world: MakeWorld, tmp_path: pathlib.Path) -> None:
    text = "people: [{email: ann@example.com}]"
    (tmp_path / "seed.yaml").write_text(text)
    for seed in (text, {"people": [{"email": "ann@example.com"}]}, tmp_path / "seed.yaml"):
        assert [person.email for person in make_world(seed).people()] == ["ann@example.com"]


def test_b09_settings_change_one_world_only(make_world: MakeWorld) -> None:
    changed, other = make_world(settings={"socket.ping.interval": "1s"}), make_world()
    assert (handshake(changed), handshake(other)) == (1000, 25000)
    with pytest.raises(MadangError, match="socket.pong"):
        make_world(settings={"socket.pong": "1s"})


def test_b09_an_unknown_argument_of_the_marker_is_an_error_that_names_the_right_one(inner: pytest.Pytester) -> None:
    inner.makepyfile("""
        import pytest
        @pytest.mark.madang(sed="empty")
        def test_it(world): pass
        @pytest.mark.madang(clock="1h")
        def test_other(world): pass
    """)
    outcome = inner.runpytest_subprocess()
    outcome.assert_outcomes(errors=2)
    names = "Its arguments: seed, number, settings, name, ttl"
    outcome.stdout.fnmatch_lines([
        f"@pytest.mark.madang has no argument 'sed'. Did you mean 'seed'? {names}",
        f"@pytest.mark.madang has no argument 'clock'. {names}"])


def test_b10_a_world_ends_after_its_test(inner: pytest.Pytester, madang: MadangServer) -> None:
    inner.makepyfile("""
        import pytest
        @pytest.mark.madang(name="of a good test")
        def test_good(world): pass
        @pytest.mark.madang(name="of a failed test")
        def test_bad(world): assert False
        def test_bad_factory(make_world):
            make_world(name="of a factory")
            make_world(name="another of a factory")
            raise RuntimeError
    """)
    inner.runpytest_subprocess().assert_outcomes(passed=1, failed=2)
    assert not [world["name"] for world in madang.dev("GET", "worlds") if "of a" in world["name"]]


def test_b10_a_world_that_has_ended_may_be_removed(madang: MadangServer) -> None:
    world = madang.make_world()
    madang.dev("DELETE", f"worlds/{world.id}")
    world.remove()
    world.remove()


def test_b11_the_lease_of_a_world_is_renewed(madang: MadangServer, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(servers, "LEASE", "40s")
    # Its own object, so that its thread takes the short lease.
    with MadangServer(madang.url, madang.token) as own, own.make_world() as world:
        assert own.dev("GET", f"worlds/{world.id}")["expires"]
        forgotten = madang.make_world(ttl="1s")
        time.sleep(45)
        assert len(world.people()) == 5
        with pytest.raises(MadangError, match="was removed"):
            forgotten.people()


def test_b27_a_reset_brings_back_the_first_state(world: World) -> None:
    world.person("joon").post("soon gone", in_="Weekend/ios")
    world.reset()
    mina = world.sign_in("mina@example.com")
    assert "soon gone" not in [chat["content"] for chat in mina.get(f"{room(mina)}/chats")]


def test_b28_a_snapshot_is_restored_and_removed(world: World) -> None:
    world.person("joon").post("before", in_="Weekend/quiet")
    world.snapshot("one chat")
    world.person("joon").post("after", in_="Weekend/quiet")
    assert world.snapshots() == ["one chat"]
    world.restore("one chat", wait="1s")
    joon = world.sign_in("joon@example.com")
    assert [chat["content"] for chat in joon.get(f"{room(joon, 'quiet')}/chats")] == ["before"]
    world.remove_snapshot("one chat")
    assert world.snapshots() == []
    with pytest.raises(MadangError, match="one chat"):
        world.restore("one chat")


def test_b29_an_exported_seed_makes_the_same_chats(world: World, make_world: MakeWorld) -> None:
    world.person("joon").post("of the first world", in_="Weekend/ios")
    mina = make_world(world.export_seed()).sign_in("mina@example.com")
    assert "of the first world" in [chat["content"] for chat in mina.get(f"{room(mina)}/chats")]


def test_a_world_whose_port_is_not_published_is_reached_by_its_host_name(madang: MadangServer) -> None:
    with madang.make_world() as made:
        hidden = closed_port()
        connection = Development(madang.url)
        world = World(connection, {**madang.dev("GET", f"worlds/{made.id}"), "url": hidden}, lambda _: None)
        assert world.url == f"http://{made.id}.localhost:{madang.url.split(':')[-1]}"
        assert world.sign_in("mina@example.com").get("users/me")["nickname"] == "Mina"
        assert [entry.operation for entry in made.journal.entries()] == ["signIn", "me"]
