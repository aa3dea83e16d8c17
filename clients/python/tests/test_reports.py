"""What a failed test leaves, and runs with many workers. The ids are those of clients/behaviours.md."""

from __future__ import annotations

import json
import os
import pathlib
import shutil

import pytest

from madang_testing import MadangServer
from madang_testing.results import file_name
from test_server import until_closed

PROGRAM = os.environ.get("MADANG_PROGRAM") or shutil.which("madang")

FAILING = """
    def test_it(world):
        print(f"at {world.url} ")
        world.sign_in("mina@example.com").get("users/me")
        assert False
"""


def test_b42_a_failed_test_brings_journal_archive_and_link(
    inner: pytest.Pytester, results: pathlib.Path, madang: MadangServer
) -> None:
    inner.makepyfile(test_one=FAILING)
    text = "\n".join(inner.runpytest_subprocess("--junitxml=report.xml").outlines)
    url = text.split("\nat http://")[1].split()[0]
    for words in ("Madang world w", "POST /v1/users/login (signIn): 200", "GET /v1/users/me (me): 200",
                  f"console: http://{url}/_dev/", "MADANG_TEST_KEEP=1"):
        assert words in text
    journal = (results / "test_one.py_test_it.journal.ndjson").read_text().splitlines()
    assert [json.loads(line)["operation"] for line in journal] == ["signIn", "me"]
    archive = json.loads((results / "test_one.py_test_it.har").read_text())
    assert len(archive["log"]["entries"]) == 2
    assert f'value="http://{url}/_dev/"' in (inner.path / "report.xml").read_text()


def test_b42_the_report_counts_faults_and_names_the_devices_of_notifications(inner: pytest.Pytester) -> None:
    inner.makepyfile("""
        def test_it(world):
            world.faults.add("silence", event="channel")
            world.faults.add("latency", operation="signIn", time="1ms")
            world.sign_in("mina@example.com")
            world.person("mina").post("Lunch?", in_="Weekend/ios")
            world.journal.wait(kind="push", within="60s")
            assert False
    """)
    text = "\n".join(inner.runpytest_subprocess().outlines)
    assert "\nfault 1 silence: matched 0, applied 0\nfault 2 latency: matched 1, applied 1\n" in text
    assert "  sora@example.com  push to sora-phone {" in text


def test_b42_every_world_of_a_failed_test_is_reported(inner: pytest.Pytester, results: pathlib.Path) -> None:
    inner.makepyfile(test_one="""
        def test_it(make_world):
            make_world(); make_world("edge")
            assert False
    """)
    inner.runpytest_subprocess().assert_outcomes(failed=1)
    assert sorted(file.name for file in results.iterdir()) == [
        "test_one.py_test_it.2.har", "test_one.py_test_it.2.journal.ndjson",
        "test_one.py_test_it.har", "test_one.py_test_it.journal.ndjson"]


def test_b42_a_kept_world_can_be_looked_at(
    inner: pytest.Pytester, madang: MadangServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("MADANG_TEST_KEEP", "1")
    inner.makepyfile("""
        import pytest
        @pytest.mark.madang(name="kept")
        def test_it(world): assert False
        @pytest.mark.madang(name="not kept")
        def test_other(world): pass
    """)
    text = "\n".join(inner.runpytest_subprocess().outlines)
    [kept] = [world for world in madang.dev("GET", "worlds") if "kept" in world["name"]]
    assert kept["name"] == "kept" and f"console: {kept['url']}/_dev/\n" in text + "\n"
    madang.dev("DELETE", f"worlds/{kept['id']}")


def test_b43_a_passed_test_writes_no_files(inner: pytest.Pytester, results: pathlib.Path) -> None:
    inner.makepyfile("def test_it(world): world.sign_in('mina@example.com')")
    inner.runpytest_subprocess().assert_outcomes(passed=1)
    assert not results.exists()


@pytest.mark.skipif(PROGRAM is None, reason="needs MADANG_PROGRAM")
def test_b44_workers_share_one_server(
    inner: pytest.Pytester, monkeypatch: pytest.MonkeyPatch, tmp_path: pathlib.Path
) -> None:
    monkeypatch.delenv("MADANG_DEV_URL")
    monkeypatch.setenv("MADANG_PROGRAM", PROGRAM or "")
    monkeypatch.setenv("SEEN", str(tmp_path))
    inner.makepyfile("""
        import os, pathlib, pytest
        @pytest.mark.parametrize("index", range(12))
        def test_it(world, madang, index, worker_id):
            text = f"Test {index}"
            world.person("joon").post(text, in_="Weekend/quiet")
            joon = world.sign_in("joon@example.com")
            workspace = next(one for one in joon.get("workspaces") if one["name"] == "Weekend")["workspace_id"]
            quiet = next(one for one in joon.get(f"workspaces/{workspace}/channels") if one["name"] == "quiet")
            chats = joon.get(f"workspaces/{workspace}/channels/{quiet['channel_id']}/chats")
            assert [chat["content"] for chat in chats] == [text]
            (pathlib.Path(os.environ["SEEN"]) / str(index)).write_text(f"{madang.url} {world.id} {worker_id}")
    """)
    outcome = inner.runpytest_subprocess("-n", "3")
    outcome.assert_outcomes(passed=12)
    seen = [file.read_text().split() for file in tmp_path.iterdir()]
    assert len({world for _, world, _ in seen}) == 12 and len({worker for _, _, worker in seen}) > 1
    [url] = {url for url, _, _ in seen}
    assert [line for line in outcome.outlines if line.startswith("madang: ")] == [f"madang: started {PROGRAM} at {url}"]
    until_closed(url)


def test_b44_workers_without_a_server_fail_with_its_words(
    inner: pytest.Pytester, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("MADANG_DEV_URL", "http://127.0.0.1:1")
    inner.makepyfile("def test_it(world): pass\ndef test_other(world): pass")
    outcome = inner.runpytest_subprocess("-n", "2")
    outcome.assert_outcomes(errors=2)
    assert "no development server at http://127.0.0.1:1" in "\n".join(outcome.outlines)


def test_b42_a_client_cannot_forge_a_report(inner: pytest.Pytester) -> None:
    inner.makepyfile(r"""
        import urllib.request
        from madang_testing import once
        def test_it(world):
            sockets = f"{world.url}/socket.io/?EIO=4&transport=polling"
            session = urllib.request.urlopen(sockets).read().decode().split('"sid":"')[1].split('"')[0]
            sent = '42["a\x1b[31m","\x9b1m\u202e\nok 1 - fake\n"]'.encode()
            urllib.request.urlopen(f"{sockets}&sid={session}", sent).read()
            world.journal.wait(kind="packet", packet="message", within="60s")
            assert False
        def test_other(world):
            world.person("mina").post("hi", in_="Weekend/\x1b[31m\nok 2 - fake")
    """)
    text = "\n".join(inner.runpytest_subprocess("--tb=line").outlines)
    assert r'2["a\u001b[31m","\u009b1m\u202e\u000aok 1 - fake\u000a"]' in text
    assert r"\u001b[31m\u000aok 2 - fake" in text
    assert not [one for one in text if one in "\x1b\x9b\u202e"] and "\nok " not in text


def test_b42_different_tests_have_different_files(inner: pytest.Pytester, results: pathlib.Path) -> None:
    inner.makepyfile(test_one="""
        import pytest
        @pytest.mark.parametrize("text", ["a/b", "a_b", "..", "x" * 200, "x" * 201, "\\uac00" * 100])
        def test_it(world, text):
            assert False
    """)
    inner.runpytest_subprocess().assert_outcomes(failed=6)
    names = sorted(file.name for file in results.glob("*.har"))
    assert len(names) == 6 and all(name.startswith("test_one.py_test_it_") for name in names)


def test_a_name_that_loses_characters_has_a_hash() -> None:
    assert file_name("test_one.py::test_it") == "test_one.py_test_it"
    assert file_name("test_one.py::test_it[a/b]") == "test_one.py_test_it_a_b_-fcc07f0d"
    long = file_name("test_one.py::test_" + "\uac00" * 100)
    assert long.startswith("test_one.py_test_\uac00") and len(f"{long}.journal.ndjson".encode()) < 255
