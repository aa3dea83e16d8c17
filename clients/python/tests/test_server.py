"""Which server is used. The ids are those of clients/behaviours.md."""

from __future__ import annotations

import http.server
import os
import shutil
import signal
import socket
import subprocess
import sys
import threading
import time
import urllib.parse
from typing import List, Optional

import pytest

import madang_testing.server as servers
from madang_testing import MadangError, MadangServer, World, find_or_start

PROGRAM = os.environ.get("MADANG_PROGRAM") or shutil.which("madang")


@pytest.fixture
def without_server(monkeypatch: pytest.MonkeyPatch) -> None:
    """Nothing is found: not at the standard port, and not on the PATH."""
    for name in ("MADANG_DEV_URL", "MADANG_PROGRAM", "MADANG_DEV_TOKEN"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setattr(servers, "STANDARD", closed_port())
    monkeypatch.setenv("PATH", "/usr/bin:/bin")


CLOSED: List[socket.socket] = []
"""They hold their ports without listening."""


def closed_port() -> str:
    """A URL at which nothing listens, and at which no other program will."""
    closed = socket.socket()
    closed.bind(("127.0.0.1", 0))
    CLOSED.append(closed)
    return f"http://127.0.0.1:{closed.getsockname()[1]}"


def is_open(url: str) -> bool:
    parts = urllib.parse.urlsplit(url)
    try:
        socket.create_connection((parts.hostname or "", parts.port or 0), timeout=2).close()
        return True
    except OSError:
        return False


def until_closed(url: str) -> None:
    """Waits until nothing listens at a URL."""
    end = time.monotonic() + 30
    while is_open(url):
        assert time.monotonic() < end, f"the server at {url} is still there"
        time.sleep(0.05)


def test_b01_the_server_of_the_environment_is_used(madang: MadangServer, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("MADANG_DEV_URL", madang.url)
    monkeypatch.setenv("MADANG_PROGRAM", "/nonexistent")
    with find_or_start() as found:
        assert (found.url, found.was_started) == (madang.url, False)
    assert is_open(madang.url)


def test_b02_a_server_that_does_not_answer_is_an_error(monkeypatch: pytest.MonkeyPatch) -> None:
    url = closed_port()
    monkeypatch.setenv("MADANG_DEV_URL", url)
    with pytest.raises(MadangError) as refused:
        find_or_start()
    assert f"{url} (MADANG_DEV_URL)" in str(refused.value) and "madang serve --dev" in str(refused.value)


def test_b02_an_inner_run_without_a_server_fails_without_a_traceback(
    inner: pytest.Pytester, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("MADANG_DEV_URL", closed_port())
    inner.makepyfile("def test_it(world): pass")
    text = "\n".join(inner.runpytest_subprocess().outlines)
    assert "no development server at" in text and "Traceback" not in text and "find_or_start" not in text


@pytest.mark.skipif(PROGRAM is None, reason="needs MADANG_PROGRAM")
def test_b03_the_program_is_started_and_ended(without_server: None, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("MADANG_PROGRAM", PROGRAM or "")
    with find_or_start() as started:
        assert started.was_started
        with started.make_world() as world:
            assert len(world.people()) == 5
    until_closed(started.url)


@pytest.mark.skipif(PROGRAM is None, reason="needs MADANG_PROGRAM")
def test_b03_the_server_ends_with_a_killed_runner(without_server: None) -> None:
    code = f"import madang_testing, time; print(madang_testing.start({PROGRAM!r}).url, flush=True); time.sleep(600)"
    runner = subprocess.Popen([sys.executable, "-c", code], stdout=subprocess.PIPE, text=True)
    assert runner.stdout is not None
    url = runner.stdout.readline().strip()
    assert is_open(url)
    runner.send_signal(signal.SIGKILL)
    runner.wait()
    runner.stdout.close()
    until_closed(url)


def test_b03_a_program_that_does_not_start_is_an_error_with_its_words(without_server: None) -> None:
    with pytest.raises(MadangError, match="did not start"):
        servers.start("false")
    with pytest.raises(MadangError, match="there is no program /nonexistent"):
        servers.start("/nonexistent")


def test_b04_one_line_says_which_server_it_is(inner: pytest.Pytester, madang: MadangServer) -> None:
    inner.makepyfile("def test_it(world): pass")
    lines = inner.runpytest_subprocess().outlines
    assert [line for line in lines if line.startswith("madang: ")] == [
        f"madang: found at {madang.url} (MADANG_DEV_URL)"]


def test_b04_a_run_without_worlds_says_nothing(inner: pytest.Pytester) -> None:
    inner.makepyfile("def test_it(): pass")
    assert not [line for line in inner.runpytest_subprocess().outlines if line.startswith("madang: ")]


def test_b05_neither_server_nor_program_is_an_error_that_names_both(without_server: None) -> None:
    with pytest.raises(MadangError) as refused:
        find_or_start()
    for words in (servers.STANDARD, "madang serve --dev", "MADANG_DEV_URL", "MADANG_PROGRAM", "PATH"):
        assert words in str(refused.value)


def test_b06_development_calls_carry_the_token(monkeypatch: pytest.MonkeyPatch) -> None:
    seen: List[Optional[str]] = []

    class Stub(http.server.BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            seen.append(self.headers["Authorization"])
            self.send_response(200)
            self.send_header("Content-Type", "application/json")
            self.end_headers()
            self.wfile.write(b'{"keys": {}}')

        def log_message(self, *_: object) -> None:
            pass

    with http.server.HTTPServer(("127.0.0.1", 0), Stub) as stub:
        threading.Thread(target=stub.handle_request, daemon=True).start()
        monkeypatch.setenv("MADANG_DEV_URL", f"http://127.0.0.1:{stub.server_port}")
        monkeypatch.setenv("MADANG_DEV_TOKEN", "ci-token-0123456789ab")
        find_or_start()
    assert seen == ["Bearer ci-token-0123456789ab"]


def test_b12_a_refused_call_is_an_error_with_the_servers_text(world: World, madang: MadangServer) -> None:
    with pytest.raises(MadangError) as refused:
        world.faults.add("latency")
    assert refused.value.status == 400 and str(refused.value).startswith("effect.")
    with pytest.raises(MadangError, match="moon"):
        madang.make_world("moon")
    with pytest.raises(MadangError, match="there is no development call"):
        world.dev("GET", "nothing")
