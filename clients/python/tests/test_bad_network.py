"""Servers that hang, end, or lose answers. The ids are those of clients/behaviours.md."""

from __future__ import annotations

import os
import pathlib
import shutil
import signal
import socket
import subprocess
import sys
import threading
import time
from typing import Any, Iterator, List

import pytest

import madang_testing.development as development
import madang_testing.server as servers
import madang_testing.started as started
from madang_testing import Client, MadangError, MadangServer, World, find_or_start, start
from madang_testing.http import Connection
from test_server import closed_port, until_closed

PROGRAM = os.environ.get("MADANG_PROGRAM") or shutil.which("madang")
needs_program = pytest.mark.skipif(PROGRAM is None, reason="needs MADANG_PROGRAM")


@pytest.fixture
def silent_url() -> Iterator[str]:
    """Accepts connections and never answers."""
    with socket.create_server(("127.0.0.1", 0)) as silent:
        yield f"http://127.0.0.1:{silent.getsockname()[1]}"


@pytest.fixture
def stubborn(tmp_path: pathlib.Path) -> str:
    """A program that looks like a server and ignores the signal TERM. It writes its process id to `FOLDER/data`."""
    program = tmp_path / "stubborn"
    program.write_text(
        "#!/bin/sh\ntrap '' TERM\necho $$ >$6\necho at http://127.0.0.1:9\nwhile :; do sleep 0.1; done\n")
    program.chmod(0o755)
    return str(program)


def processes_of(folder: pathlib.Path) -> List[int]:
    """The servers with their data in a folder."""
    found = subprocess.run(["pgrep", "-f", f"{folder}/data"], stdout=subprocess.PIPE, text=True)
    return [int(line) for line in found.stdout.split()]


def test_b02_a_server_that_is_silent_is_asked_for_a_short_time(
    silent_url: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("MADANG_DEV_URL", silent_url)
    monkeypatch.setattr(servers, "FIND", 0.3)
    with pytest.raises(MadangError, match="GET /_dev/about: no answer within 0.3 s; start 'madang serve --dev' there"):
        find_or_start()


def test_b12_later_calls_of_a_silent_server_take_a_short_time(
    silent_url: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(development, "WAIT", 0.5)
    monkeypatch.setattr(development, "ABOUT", 0.3)
    server = MadangServer(silent_url)
    with pytest.raises(MadangError, match="^GET /_dev/worlds: no answer within 0.5 s$"):
        server.dev("GET", "worlds")
    with pytest.raises(MadangError, match="^GET /_dev/about: no answer within 0.3 s$"):
        server.make_world()
    assert server.silence() == f"the server at {silent_url} does not answer: GET /_dev/about: no answer within 0.3 s"


def test_b12_a_refused_connection_is_an_error_that_names_the_call() -> None:
    with pytest.raises(MadangError, match="^POST /_dev/worlds: no answer: Connection refused$") as refused:
        MadangServer(closed_port()).make_world()
    assert refused.value.__suppress_context__ and refused.value.__cause__ is None
    with pytest.raises(ConnectionRefusedError, match="^GET /v1/users/me: no answer: Connection refused$"):
        Client(Connection(closed_port()), "2024-10").get("users/me")


def test_b12_an_answer_that_is_cut_is_an_error_that_names_the_call() -> None:
    answer = b'HTTP/1.1 200 OK\r\nContent-Type: application/json\r\n%s\r\n{"now": "2026'
    with socket.create_server(("127.0.0.1", 0)) as listener:
        server = MadangServer(f"http://127.0.0.1:{listener.getsockname()[1]}")

        def serve() -> None:
            for header in (b"", b"Content-Length: 100\r\n"):
                for _ in range(2 if header else 1):
                    connection, _ = listener.accept()
                    connection.recv(1000)
                    connection.sendall(answer % header)
                    connection.close()

        threading.Thread(target=serve, daemon=True).start()
        with pytest.raises(MadangError, match="^GET /_dev/worlds: the answer is cut or is not JSON: "):
            server.dev("GET", "worlds")
        with pytest.raises(MadangError, match="^GET /_dev/worlds: no answer: IncompleteRead"):
            server.dev("GET", "worlds")


def test_b03_a_server_that_does_not_end_is_killed(stubborn: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(started, "PATIENCE", 1)
    server = start(stubborn)
    folder = server.folder
    assert folder is not None and processes_of(folder)
    server.close()
    # A child of the program, `sleep`, may live a moment longer.
    until(lambda: not processes_of(folder))
    assert not folder.exists()


def test_b03_a_server_that_cannot_be_ended_is_an_error(stubborn: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(started, "PATIENCE", 1)
    one = started.start_program(stubborn)
    wait = one._process.wait

    def expired(limit: float) -> int:
        raise subprocess.TimeoutExpired("sh", limit)

    monkeypatch.setattr(one._process, "wait", expired)
    with pytest.raises(MadangError, match=f"the server at http://127.0.0.1:9 did not end within 62 s: .*{one.folder}"):
        MadangServer(one.url, started=one).close()
    wait(30)


@needs_program
@pytest.mark.parametrize("name", ["SIGSTOP", "SIGKILL"])
def test_b42_a_server_that_hangs_or_is_killed_costs_seconds_and_leaves_nothing(
    name: str, inner: pytest.Pytester, monkeypatch: pytest.MonkeyPatch, tmp_path: pathlib.Path
) -> None:
    monkeypatch.delenv("MADANG_DEV_URL")
    monkeypatch.setenv("MADANG_PROGRAM", PROGRAM or "")
    monkeypatch.setenv("TMPDIR", str(tmp_path))
    inner.makepyfile(f"""
        import os, signal, subprocess
        import madang_testing.development as development, madang_testing.started as started
        def test_ends(world, madang):
            if {name == "SIGSTOP"}:
                development.ABOUT, development.WAIT, started.PATIENCE = 0.5, 1, 1
            [server] = subprocess.check_output(["pgrep", "-f", f"{{madang.folder}}/data"]).split()
            os.kill(int(server), signal.{name})
            # A signal takes effect a moment after it was sent: until then, calls are answered.
            for _ in range(10_000):
                world.clock.now
        def test_next(world): pass
    """)
    outcome = inner.runpytest_subprocess()
    outcome.assert_outcomes(failed=1, errors=1)
    text = "\n".join(outcome.outlines + outcome.errlines)
    for words in ("ExceptionGroup", "TimeoutExpired", "The above exception", "During handling", "No such process"):
        assert words not in text
    assert "So its journal is not here, and it is not removed." in text
    if name == "SIGSTOP":
        assert "clock: no answer within 1 s" in text
        assert "does not answer: GET /_dev/about: no answer within 0.5 s" in text
    else:
        assert "clock: no answer: " in text
        assert text.count("The server has ended with status 137 (signal 9). The end of its log:\n") >= 3
    assert not list(tmp_path.glob("madang-test-*/log")) and not processes_of(tmp_path / "madang-test-.*")


@needs_program
def test_b44_workers_say_how_their_server_ended(
    inner: pytest.Pytester, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv("MADANG_DEV_URL")
    monkeypatch.setenv("MADANG_PROGRAM", PROGRAM or "")
    inner.makepyfile("""
        import os, signal, subprocess
        def test_ends(world, madang):
            [server] = subprocess.check_output(["pgrep", "-f", f"{madang.folder}/data"]).split()
            os.kill(int(server), signal.SIGKILL)
            for _ in range(10_000):
                world.clock.now
    """)
    text = "\n".join(inner.runpytest_subprocess("-n", "1").outlines)
    assert "The server has ended with status 137 (signal 9). The end of its log:" in text


@needs_program
def test_b03_a_child_of_the_runner_does_not_keep_the_server(tmp_path: pathlib.Path) -> None:
    note = tmp_path / "child"
    code = f"""
import madang_testing, os, time
server = madang_testing.start({PROGRAM!r})
if os.fork() == 0:
    open({str(note)!r} + ".new", "w").write(str(os.getpid()))
    os.rename({str(note)!r} + ".new", {str(note)!r})
    time.sleep(600)
print(server.url, flush=True)
time.sleep(600)
"""
    runner = subprocess.Popen([sys.executable, "-c", code], stdout=subprocess.PIPE, text=True)
    assert runner.stdout is not None
    url = runner.stdout.readline().strip()
    until(note.exists)
    runner.kill()
    runner.wait()
    runner.stdout.close()
    try:
        until_closed(url)
    finally:
        os.kill(int(note.read_text()), signal.SIGKILL)


@needs_program
def test_b03_a_process_that_has_the_pipe_does_not_keep_the_server(monkeypatch: pytest.MonkeyPatch) -> None:
    one = started.start_program(PROGRAM or "")
    assert one._process.stdin is not None
    with subprocess.Popen(["sleep", "600"], pass_fds=[one._process.stdin.fileno()]) as heir:
        one.end()
        heir.kill()
    assert not one.folder.exists()


@needs_program
def test_b03_the_end_of_a_killed_server_writes_nothing(capfd: pytest.CaptureFixture[str]) -> None:
    server = start(PROGRAM or "")
    assert server.folder is not None
    for process in processes_of(server.folder):
        os.kill(process, signal.SIGKILL)
    until((server.folder / "status").exists)
    server.close()
    assert capfd.readouterr() == ("", "") and not server.folder.exists()


def test_b11_a_lost_renewal_is_tried_again(madang: MadangServer, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(servers, "LEASE", "200ms")
    failures: List[Exception] = [
        MadangError("no answer"), ValueError("no JSON"), MadangError("overloaded", 503), MadangError("gone", 400)]
    asked: List[int] = []

    def clock(self: World, *call: Any) -> None:
        asked.append(len(failures))
        if failures:
            raise failures.pop(0)

    server = MadangServer(madang.url)
    world = server.make_world(ttl="1m")
    monkeypatch.setattr(World, "dev", clock)
    server._worlds[world.id] = world
    threading.Thread(target=server._renew, daemon=True).start()
    until(lambda: not server._worlds)
    server.close()
    monkeypatch.undo()
    world.remove()
    assert asked == [4, 3, 2, 1]


def test_b10_a_world_is_removed_again_after_a_lost_answer(
    madang: MadangServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    world = madang.make_world()
    with monkeypatch.context() as lost:
        lost.setattr(World, "dev", lambda *_: (_ for _ in ()).throw(MadangError("no answer")))
        with pytest.raises(MadangError, match="no answer"):
            world.remove()
    world.remove()
    assert world.id not in [one["id"] for one in madang.dev("GET", "worlds")]


def until(holds: Any) -> None:
    end = time.monotonic() + 30
    while not holds():
        assert time.monotonic() < end, "it took too long"
        time.sleep(0.02)
