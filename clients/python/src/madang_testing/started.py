"""A server that is started for the run, and ends with it."""

from __future__ import annotations

import os
import pathlib
import re
import shutil
import subprocess
import tempfile
import threading
import time
import weakref
from typing import List, Optional

from .http import MadangError
from .shown import shown

PATIENCE = 15
"""How long a server may take to end after the signal TERM, in seconds. Then it is killed."""

# A line of input ends the server, and so does the input's end: the server ends with this process, however that ends. The
# folder stays until then, with the log and, if the server ended before, its exit status. Only the server keeps stdout.
_SUPERVISE = """
exec 3<&0
"$0" serve --dev --port 0 --data "$1/data" </dev/null 2>"$1/log" 3<&- & server=$!
exec >/dev/null 2>&1
{
  read -r _ <&3
  [ -e "$1/status" ] || kill $server
  tenths=0
  until [ -e "$1/status" ] || [ $tenths -ge $(($2 * 10)) ]; do sleep 0.1; tenths=$((tenths + 1)); done
  [ -e "$1/status" ] || kill -KILL $server
} & watch=$!
exec 3<&-
wait $server; echo $? >"$1/status"
wait $watch
rm -rf "$1"
"""


class StartedServer:
    """A server of this process, with a folder for its data and log."""

    def __init__(self, process: subprocess.Popen[bytes], folder: pathlib.Path) -> None:
        self._process = process
        self._patience = PATIENCE
        self.folder = folder
        self.url = ""
        _running.add(self)

    def end(self) -> None:
        """Ends it and removes its folder. Raises `MadangError` if that takes too long. A second call does nothing."""
        _running.discard(self)
        entry, output = self._process.stdin, self._process.stdout
        if entry is None or output is None or entry.closed:
            return
        try:
            # A child of this process may have the pipe as well: then closing it is not its end.
            entry.write(b"end\n")
            entry.close()
        except OSError:
            pass
        # The script counts pauses, which are longer on a busy machine.
        limit = self._patience * 2 + 60
        try:
            self._process.wait(limit)
        except subprocess.TimeoutExpired:
            raise MadangError(
                f"the server at {self.url} did not end within {limit} s: look for processes that use {self.folder}"
            ) from None
        output.close()

    def leave(self) -> None:
        """Leaves it to the process that started it."""
        if self._process.stdin is not None:
            self._process.stdin.close()

    def first_line(self, limit: float) -> str:
        """The first line of its output; empty if it ends or says nothing within so many seconds."""
        lines: List[bytes] = []
        output = self._process.stdout
        reader = threading.Thread(target=lambda: lines.append(output.readline() if output else b""), daemon=True)
        reader.start()
        reader.join(limit)
        return lines[0].decode(errors="replace") if lines else ""


_running: weakref.WeakSet[StartedServer] = weakref.WeakSet()


def _leave_all() -> None:
    for server in list(_running):
        server.leave()
        _running.discard(server)


if hasattr(os, "register_at_fork"):
    # A child of a test may live longer than the tests.
    os.register_at_fork(after_in_child=_leave_all)


def start_program(program: str) -> StartedServer:
    """Starts `program serve --dev` on a free port, with data that is removed with it."""
    if shutil.which(program) is None:
        raise MadangError(f"there is no program {program}: set MADANG_PROGRAM to the path of 'madang'")
    folder = pathlib.Path(tempfile.mkdtemp(prefix="madang-test-"))
    process = subprocess.Popen(
        ["sh", "-c", _SUPERVISE, program, str(folder), str(PATIENCE)], stdin=subprocess.PIPE, stdout=subprocess.PIPE,
        start_new_session=True)
    started = StartedServer(process, folder)
    url = re.search(r"http://\S+", started.first_line(60))
    if url is None:
        words = " ".join(_log(folder)) or "it said nothing"
        started.end()
        raise MadangError(f"{program} serve --dev did not start: {words}")
    started.url = url[0]
    return started


def fate(folder: Optional[pathlib.Path]) -> str:
    """How the server of a folder ended, to be appended to the error of a call; empty if it still runs."""
    if folder is None:
        return ""
    # The connections of a process end before its status is known.
    end = time.monotonic() + 10
    while True:
        try:
            status = (folder / "status").read_text().strip()
        except OSError:
            status = ""
        if status or time.monotonic() > end:
            break
        time.sleep(0.02)
    if not status:
        return ""
    signal = f" (signal {int(status) - 128})" if int(status) > 128 else ""
    log = "".join(f"\n  {line}" for line in _log(folder)) or " (empty)"
    return f"\nThe server has ended with status {status}{signal}. The end of its log:{log}"


def _log(folder: pathlib.Path) -> List[str]:
    """The last lines of a server's log."""
    try:
        lines = (folder / "log").read_text(errors="replace").split("\n")
    except OSError:
        return []
    return [shown(line)[:500] for line in lines if line.strip()][-10:]
