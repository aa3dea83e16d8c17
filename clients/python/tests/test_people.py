"""People, clients and scripts. The ids are those of clients/behaviours.md."""

from __future__ import annotations

import pytest

from conftest import room
from madang_testing import MadangError, MakeWorld, World


def test_b19_a_person_posts_and_a_client_reads(world: World) -> None:
    chat = world.person("joon").post("Lunch?", in_="Weekend/ios", files=2)
    mina = world.sign_in("mina@example.com")
    last = mina.get(f"{room(mina)}/chats")[-1]
    assert (last["chat_id"], last["content"], len(last["files"])) == (chat["chat_id"], "Lunch?", 2)


def test_b20_a_person_writes_a_direct_message(world: World) -> None:
    sent = world.person("joon").write("only for you", to="mina", in_="Weekend")
    mina = world.sign_in("mina@example.com")
    workspace = room(mina).split("/channels")[0]
    chats = mina.get(f"{workspace}/dms/{sent['room_id']}/chats")
    assert chats[-1]["content"] == "only for you"


def test_b21_a_person_joins_and_leaves_a_channel(world: World) -> None:
    joon, sora = world.person("joon"), world.sign_in("sora@example.com")
    members = f"{room(sora, 'hiking')}/members"
    joon.join("Weekend/hiking")
    assert "joon@example.com" in [one["email"] for one in sora.get(members)]
    joon.leave("Weekend/hiking")
    assert "joon@example.com" not in [one["email"] for one in sora.get(members)]


def test_b22_a_person_calls_the_api(world: World) -> None:
    joon = world.person("joon")
    assert joon.call("GET", "users/me")["nickname"] == "Joon"
    assert joon.call("PUT", "/v1/users/me", {"nickname": "Juno"})["nickname"] == "Juno"
    assert joon.call("GET", "users/my", edition="2024-01")["nickname"] == "Juno"
    with pytest.raises(MadangError) as refused:
        joon.call("GET", "workspaces/00000000-0000-0000-0000-000000000000")
    assert (refused.value.status, refused.value.code) == (400, "E13")


def test_b22_what_the_rules_forbid_is_an_error_with_its_code(world: World) -> None:
    with pytest.raises(MadangError, match="guest@example.com") as refused:
        world.person("guest").post("hi", in_="Weekend/ios")
    assert refused.value.code == "E13"
    with pytest.raises(MadangError, match="there is no person"):
        world.person("zoe").post("hi", in_="Weekend/ios")


def test_b23_a_world_lists_its_people(world: World) -> None:
    people = world.people()
    assert [person.email.split("@")[0] for person in people] == ["mina", "joon", "sora", "theo", "guest"]
    assert people[0].workspaces == ["Weekend", "Book club"] and people[2].nickname == "소라"
    sora = world.person("sora")
    assert (sora.id, sora.number) == (people[2].id, people[2].number)
    with pytest.raises(LookupError, match="zoe"):
        world.person("zoe").email


def test_b24_a_client_gets_posts_puts_and_deletes(world: World) -> None:
    mina = world.sign_in("mina@example.com")
    path = room(mina)
    workspace = path.split("/channels")[0]
    made = mina.post(f"{workspace}/channels", {"name": "plans", "description": "new"})
    channel = f"{workspace}/channels/{made['channel_id']}"
    assert mina.put(channel, {"name": "plans", "description": "newer"})["description"] == "newer"
    mina.delete(channel)
    with pytest.raises(MadangError) as refused:
        mina.get(channel)
    assert (refused.value.status, refused.value.code) == (400, "E13")
    with pytest.raises(MadangError) as refused:
        world.sign_in("mina@example.com", password="Wr0ng!!!")
    assert refused.value.code == "E03"
    assert mina.request("GET", channel).status == 400
    assert len(mina.get(f"{path}/chats", query={"cursor_date": "2030-01-01T00:00:00.000Z"})) == 0
    assert mina.get("auth/refresh", headers={"RefreshToken": mina.refresh_token})["accessToken"]


TWO_OF_A_NAME = "people: [{email: ann@example.com}, {email: ann@example.org}]"


@pytest.mark.madang(seed=TWO_OF_A_NAME)
def test_b24_the_text_before_the_at_sign_names_one_person(world: World, make_world: MakeWorld) -> None:
    courtyard = make_world()
    assert courtyard.sign_in("mina").user["email"] == "mina@example.com"
    assert courtyard.sign_in("mina", edition="2024-01").user["nickname"] == "Mina"
    assert [entry.operation for entry in courtyard.journal.entries()] == ["signIn", "signIn"]
    for name, words in (("zoe", "there is no person with the e-mail 'zoe'"), ("ann", "several people are called 'ann'")):
        with pytest.raises(MadangError, match=words) as refused:
            world.sign_in(name)
        with pytest.raises(MadangError) as other:
            world.person(name).join("Weekend/ios")
        assert str(refused.value) == str(other.value)


def test_b24_clients_of_both_editions_sign_in(world: World) -> None:
    mina = world.sign_in("mina@example.com", edition="2024-01")
    assert mina.user["nickname"] == "Mina" and mina.get("users/my")["nickname"] == "Mina"


def test_b25_a_script_runs(world: World) -> None:
    world.scripts.add("""
        scripts:
          - name: answers
            when: {chat: {from: mina, in: Weekend/ios}}
            times: 2
            do: [{as: joon, post: "{nickname}, you said: {text}"}]
    """)
    world.scripts.start("answers")
    mina = world.sign_in("mina@example.com")
    path = room(mina)
    mina.post(f"{path}/chats", {"content": "one"})
    assert world.scripts.ran("answers", 1, within="60s").runs == 1
    mina.post(f"{path}/chats", {"content": "two"})
    assert world.scripts.finished("answers", within="60s").state == "ended"
    assert "Mina, you said: two" in [chat["content"] for chat in mina.get(f"{path}/chats")]
    assert [run.name for run in world.scripts.list()] == ["answers"]
    world.scripts.remove("answers")
    assert world.scripts.list() == []


def test_b25_a_script_that_does_not_end_is_an_error(world: World) -> None:
    world.clock.freeze()
    world.scripts.add({"name": "slow", "do": [{"wait": "1h"}, {"as": "joon", "post": "late", "in": "Weekend/ios"}]})
    world.scripts.start("slow")
    with pytest.raises(MadangError, match="'slow' did not end within 100ms"):
        world.scripts.finished("slow", within="100ms")
    world.clock.advance("1h")
    world.scripts.finished("slow", within="60s")
    world.scripts.start("slow")
    world.scripts.stop("slow")
    assert world.scripts.finished("slow", within="60s").state == "stopped"


def test_b26_a_failed_run_is_an_error_that_names_the_failure(world: World) -> None:
    world.scripts.add({"name": "cannot", "do": [{"as": "guest", "post": "hi", "in": "Weekend/ios"}]})
    world.scripts.start("cannot")
    with pytest.raises(MadangError, match="1 of 1 runs of the script 'cannot' failed, the first one: .*no such room"):
        world.scripts.finished("cannot", within="60s")
    assert world.scripts.finished("cannot", within="60s", allowing_failures=True).failed == 1
