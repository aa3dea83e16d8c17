"""`madang setup` in a pseudo-terminal and in scripts, on a machine that is a folder: a systemctl of this check starts the real server.
The real machine is tried by Scripts/dist-check.

    python3 Tests/Foreign/setup_check.py .build/debug/madang

Standard library only. Exits 0 when all is as it should be.
"""

import contextlib
import fcntl
import json
import os
import pathlib
import pty
import select
import signal
import socket
import struct
import subprocess
import sys
import tempfile
import termios
import time
import urllib.request

from ports import free_port

PATIENCE = 60
# The number of a pseudo-terminal (Linux); Python knows no name for it.
TIOCGPTN = 0x80045430
NAME = "chat.example.com"
failures = []

SYSTEMCTL = r"""#!/bin/sh
# A systemd of one service.
for unit; do :; done  # the last argument
echo "$*" >>"$STATE/calls"
# What happens instead, in a test of faults.
[ ! -x "$STATE/at-$1" ] || exec "$STATE/at-$1" "$@"
case $1 in
  cat) echo "ExecStart=madang serve --config /etc/madang/madang.json" ;;
  show) id -un ;;
  is-enabled) test -e "$STATE/$unit" ;;
  enable) touch "$STATE/$unit" ;;
  disable) rm -f "$STATE/$unit" ;;
  is-active) kill -0 "$(cat "$STATE/pid")" 2>/dev/null ;;
  start) exec "$MADANG" admin backup "$MADANG_TEST_ROOT/var/backups/madang" ;;
  restart)
    if [ -e "$STATE/pid" ]; then
      kill "$(cat "$STATE/pid")"
      while kill -0 "$(cat "$STATE/pid")" 2>/dev/null; do sleep 0.05; done
    fi
    : >"$STATE/output"
    # A session of its own: the terminal of the check ends, the server does not.
    setsid "$MADANG" serve --config "$MADANG_TEST_ROOT/etc/madang/madang.json" >"$STATE/output" 2>"$STATE/log" </dev/null &
    echo $! >"$STATE/pid"
    until grep -q listening "$STATE/output"; do
      kill -0 $! 2>/dev/null || { rm "$STATE/pid"; exit 1; }
      sleep 0.05
    done ;;
esac
"""
KILL = 'kill -9 "$(cat "$STATE/victim")"\n'
JOURNALCTL = '#!/bin/sh\ncat "$STATE/log"\n'


def check(words, right, detail=""):
    print(("ok      " if right else "FAILED  ") + words)
    if not right:
        failures.append(words)
        print(detail)


class Machine:
    """A folder with the files of the package."""

    def __init__(self, madang, folder):
        self.root, self.port = folder, free_port()
        self.state = folder / "state"
        for path in "etc/madang", "run/systemd/system", "var/lib/madang", "bin", "state":
            (folder / path).mkdir(parents=True)
        for name, text in ("systemctl", SYSTEMCTL), ("journalctl", JOURNALCTL):
            (folder / "bin" / name).write_text(text)
            (folder / "bin" / name).chmod(0o755)
        self.settings = folder / "etc/madang/madang.json"
        data = str(folder / "var/lib/madang")
        self.settings.write_text(json.dumps({"host": "127.0.0.1", "port": self.port, "data": data}, indent=2))
        (self.state / "madang.service").touch()
        self.madang = madang
        self.environment = {
            "PATH": f"{folder}/bin:/usr/bin:/bin", "HOME": str(folder), "STATE": str(self.state), "MADANG": madang,
            "MADANG_TEST_ROOT": str(folder), "MADANG_PASSWORD_MEMORY": "8", "MADANG_PASSWORD_PASSES": "1", "TZ": "UTC"}

    def run(self, *arguments):
        """Without a terminal."""
        return subprocess.run([self.madang, *arguments], env=self.environment, capture_output=True, text=True,
                              stdin=subprocess.DEVNULL, timeout=PATIENCE)

    def killed(self, *arguments):
        """As run, for a program that systemctl kills: see KILL."""
        return subprocess.run(["sh", "-c", 'echo $$ >"$STATE/victim"; exec "$@"', "sh", self.madang, *arguments],
                              env=self.environment, capture_output=True, text=True, stdin=subprocess.DEVNULL, timeout=PATIENCE)

    @contextlib.contextmanager
    def instead_of(self, verb, script):
        """What systemctl does at this verb."""
        file = self.state / f"at-{verb}"
        file.write_text("#!/bin/sh\n" + script)
        file.chmod(0o755)
        yield
        file.unlink()

    def start(self):
        subprocess.run([self.root / "bin/systemctl", "restart", "madang.service"], env=self.environment, check=True,
                       stdin=subprocess.DEVNULL, timeout=PATIENCE)

    def typed(self, *arguments):
        return Typist([self.madang, *arguments], self.environment)

    def pid(self):
        return (self.state / "pid").read_text().strip()

    def stop(self):
        with contextlib.suppress(FileNotFoundError, ProcessLookupError):
            os.kill(int(self.pid()), signal.SIGKILL)

    def get(self, path):
        with contextlib.suppress(OSError), urllib.request.urlopen(f"http://127.0.0.1:{self.port}{path}", timeout=PATIENCE) as answer:
            return answer.status
        return None


class Typist:
    """A person at a terminal."""

    def __init__(self, command, environment):
        self.seen, self.answered = "", 0
        self.process, self.terminal = pty.fork()
        if self.process == 0:
            # Scripts run this check in the background, where a shell ignores Ctrl-C.
            signal.signal(signal.SIGINT, signal.SIG_DFL)
            os.execve(command[0], command, environment)

    def _read(self, patience):
        if not select.select([self.terminal], [], [], patience)[0]:
            return False
        try:
            part = os.read(self.terminal, 4096)
        except OSError:
            return False
        self.seen += part.decode(errors="replace")
        return bool(part)

    def answer(self, question, line):
        """Waits for a question and types a line."""
        end = time.monotonic() + PATIENCE
        while question not in self.seen[self.answered:] or not self.seen.endswith((": ", "] ")):
            if time.monotonic() > end or not self._read(end - time.monotonic()):
                sys.exit(f"'{question}' was not asked:\n{self.seen}")
        self.answered = len(self.seen)
        os.write(self.terminal, line.encode())

    def status(self):
        while self._read(PATIENCE):
            pass
        return self.ended()

    def ended(self):
        """The exit code. A program that has not ended by itself is killed."""
        end = time.monotonic() + PATIENCE
        while time.monotonic() < end:
            process, status = os.waitpid(self.process, os.WNOHANG)
            if process:
                return os.waitstatus_to_exitcode(status)
            time.sleep(0.05)
        os.kill(self.process, signal.SIGKILL)
        return os.waitstatus_to_exitcode(os.waitpid(self.process, 0)[1])


def asked_nothing(machine, former):
    outcome = machine.run("setup", NAME, "--behind-proxy", "127.0.0.1")
    check("without a terminal and --yes the error names the flags",
          outcome.returncode == 64 and "--yes" in outcome.stderr and "--registration" in outcome.stderr, outcome.stderr)
    outcome = machine.run("setup", "192.0.2.1", "--yes")
    check("an address instead of a name is wrong usage", outcome.returncode == 64, outcome.stderr)
    outcome = machine.run("setup", "--undo", "--yes")
    check("there is nothing to undo", outcome.returncode == 1 and "changed nothing" in outcome.stderr, outcome.stderr)
    check("nothing was changed", machine.settings.read_text() == former and not (machine.state / "pid").exists())


def interrupted(machine, former):
    typist = machine.typed("setup", NAME, "--behind-proxy", "127.0.0.1")
    typist.answer("Name of this installation", "Persimmon house\n")
    typist.answer("Who may make an account", "\x03")
    check("Ctrl-C ends it, and it says that nothing was changed",
          typist.status() == 130 and "nothing was changed; run the same command again" in typist.seen, typist.seen)
    check("Ctrl-C changes nothing", machine.settings.read_text() == former and sorted(
        path.name for path in machine.settings.parent.iterdir()) == ["madang.json"])
    typist = machine.typed("setup", NAME, "--behind-proxy", "127.0.0.1", "--title", "Yard", "--registration", "invite", "--email", "")
    typist.answer("Mail server", "smtp://mail.example.com:587\n")
    typist.answer("Sender's address", "chat@example.com\n")
    typist.answer("User at the mail server", "chat\n")
    # The other side of the terminal, which keeps its settings when the program ends.
    number = struct.unpack("I", fcntl.ioctl(typist.terminal, TIOCGPTN, b"\0" * 4))[0]
    other = os.open(f"/dev/pts/{number}", os.O_RDWR | os.O_NOCTTY)
    typist.answer("Password", "half a pass\x03")
    ended = typist.ended()
    check("Ctrl-C at a password ends it, and the terminal echoes again",
          ended == 130 and termios.tcgetattr(other)[3] & termios.ECHO, f"{ended} {typist.seen}")
    os.close(other)
    check("then nothing is changed, either", machine.settings.read_text() == former)
    typist = machine.typed("setup", NAME, "--behind-proxy", "127.0.0.1")
    typist.answer("Name of this installation", "\x04")
    check("so does the end of the input", typist.status() == 1 and "nothing was changed" in typist.seen, typist.seen)


def answered(machine):
    typist = machine.typed("setup", NAME, "--behind-proxy", "127.0.0.1")
    typist.answer("Name of this installation, for pages and mails [Madang]: ", "Persimmon house\n")
    typist.answer("invite, domain or open? [invite]: ", "anyone\n")
    typist.answer("invite, domain or open? [invite]: ", "\n")
    typist.answer("Your e-mail address", "me@example.com\n")
    typist.answer("Mail server", "\n")
    typist.answer("Chat in the browser", "\n")
    typist.answer("Administrator's console", "perhaps\n")
    typist.answer("Administrator's console", "y\n")
    typist.answer("Write them and start the server? [Y/n] ", "\n")
    status = typist.status()
    check("a person answers the questions, and the server runs", status == 0 and machine.get("/livez") == 200, typist.seen)
    settings = json.loads(machine.settings.read_text())
    check("the answers are in the settings", (
        settings["web.name"], settings["registration"], settings["web.chat"], settings["public.url"], settings["port"]) == (
        "Persimmon house", "invite", True, f"https://{NAME}", machine.port), settings)
    check("a wrong answer is asked again", "write invite, domain or open" in typist.seen and "write y or n" in typist.seen)
    for part in f"https://{NAME}/admin/#setup=", f"https://{NAME}/invite/", "API key 2024-10", "The doctor says:", "█":
        check(f"it prints {part}", part in typist.seen, typist.seen)
    check("there is a backup, and one every night", list((machine.root / "var/backups/madang").glob("20*")) and (
        machine.state / "madang-backup.timer").exists())
    code = typist.seen.split("/invite/", 1)[1].split()[0]
    check("the page of the invitation is there", machine.get(f"/invite/{code}") == 200, code)


def again(machine):
    former, pid = machine.settings.read_text(), machine.pid()
    outcome = machine.run("setup", NAME, "--behind-proxy", "127.0.0.1", "--yes")
    check("the second time there is nothing to change", outcome.returncode == 0 and "Nothing to change." in outcome.stderr,
          outcome.stderr)
    for command in "madang admin web", "madang admin invite --code --uses 10 --days 14":
        check(f"it names '{command}' for what it printed the first time", f"'{command}' prints" in outcome.stdout, outcome.stdout)
        made = machine.run(*command.split()[1:])
        check("which prints a link", made.returncode == 0 and f"https://{NAME}/" in made.stdout, made.stdout + made.stderr)
    check("and nothing is changed", machine.settings.read_text() == former and machine.pid() == pid)
    outcome = machine.run("setup", NAME, "--behind-proxy", "127.0.0.1", "--yes", "--json", "--registration", "open")
    report = json.loads(outcome.stdout)
    check("--json prints one object", report["changed"] == ["registration"] and report["invitation"] is None and len(
        report["keys"]) == 2 and report["certificate"]["state"] == "off", outcome.stdout + outcome.stderr)
    found = machine.run("admin", "settings", "registration", "--given", "--json")
    check("'madang admin' finds the settings", '"open"' in found.stdout, found.stdout + found.stderr)


def refused(machine):
    former = machine.settings.read_text()
    own = json.loads(former) | {"public.url": "https://mine.example.com"}
    machine.settings.write_text(json.dumps(own))
    outcome = machine.run("setup", NAME, "--behind-proxy", "127.0.0.1", "--yes")
    check("a setting of the operator's is not changed without --force",
          outcome.returncode == 1 and "public.url" in outcome.stderr and "--force" in outcome.stderr, outcome.stderr)
    check("then nothing is changed", json.loads(machine.settings.read_text()) == own)
    machine.settings.write_text(former)
    with socket.socket() as one:
        one.bind(("127.0.0.1", 0))
        one.listen()
        taken = str(one.getsockname()[1])
        machine.settings.write_text(former.replace(str(machine.port), taken))
        outcome = machine.run("setup", NAME, "--behind-proxy", "127.0.0.1", "--yes", "--registration", "invite")
        check("a server that does not start: status 2, the reason, and the way back",
              outcome.returncode == 2 and "in use" in outcome.stderr and "--undo" in outcome.stderr, outcome.stderr)
    machine.settings.write_text(machine.settings.read_text().replace(taken, str(machine.port)))
    outcome = machine.run("setup", NAME, "--behind-proxy", "127.0.0.1", "--yes")
    check("when that is corrected, the server runs", outcome.returncode == 0 and machine.get("/livez") == 200, outcome.stderr)


def closed(machine):
    former = machine.settings.read_text()
    machine.settings.write_text(json.dumps(json.loads(former) | {"registration": "closed", "web.name": "Shut"}))
    outcome = machine.run("setup", NAME, "--behind-proxy", "127.0.0.1", "--yes", "--title", "Closed house")
    check("where registration is closed, there is no invitation", outcome.returncode == 0 and "invit" not in outcome.stdout,
          outcome.stdout + outcome.stderr)
    outcome = machine.run("setup", NAME, "--behind-proxy", "127.0.0.1", "--yes", "--title", "Persimmon house", "--registration", "invite")
    check("until that is changed", outcome.returncode == 0 and "invitation" in outcome.stdout, outcome.stdout + outcome.stderr)


def interrupted_work(machine, former):
    with machine.instead_of("restart", 'kill -INT "$(cat "$STATE/victim")"\nsleep 20\n'):
        outcome = machine.killed("setup", NAME, "--behind-proxy", "127.0.0.1", "--yes")
    check("Ctrl-C in the middle: it says how to go on", outcome.returncode == 130 and (
        "run the same command again, and it does what is left" in outcome.stderr), f"{outcome.returncode} {outcome.stderr}")
    machine.start()
    with machine.instead_of("disable", 'kill -INT "$(cat "$STATE/victim")"\nsleep 20\n'):
        outcome = machine.killed("setup", "--undo", "--yes")
    check("so does --undo", outcome.returncode == 130 and "run 'madang setup --undo' again" in outcome.stderr,
          f"{outcome.returncode} {outcome.stderr}")
    outcome = machine.run("setup", "--undo", "--yes")
    check("then --undo ends its work", outcome.returncode == 0 and machine.settings.read_text() == former, outcome.stderr)


def undone(machine, former):
    outcome = machine.run("setup", "--undo")
    check("--undo asks first", outcome.returncode == 64 and machine.settings.read_text() != former, outcome.stderr)
    outcome = machine.run("setup", "--undo", "--yes")
    check("--undo puts the former settings back", outcome.returncode == 0 and machine.settings.read_text() == former,
          outcome.stderr)
    check("the timer is off, the server runs, the data stay", not (machine.state / "madang-backup.timer").exists() and (
        machine.get("/livez") == 200) and (machine.root / "var/lib/madang/madang.sqlite").exists())
    check("backups stay, and no other file does", list((machine.root / "var/backups/madang").glob("20*")) and sorted(
        path.name for path in machine.settings.parent.iterdir()) == ["madang.json"])


def resumed(machine, _former, verb):
    machine.start()
    pid = machine.pid()
    setup = "setup", NAME, "--behind-proxy", "127.0.0.1", "--yes"
    with machine.instead_of(verb, KILL):
        outcome = machine.killed(*setup)
    check(f"setup was killed at 'systemctl {verb}'", outcome.returncode == -signal.SIGKILL, outcome.stderr)
    outcome = machine.run(*setup)
    check("the next one finishes it: it starts the server, makes the first backup, and prints the code",
          outcome.returncode == 0 and "did not end" in outcome.stderr and machine.pid() != pid and "/invite/" in outcome.stdout and (
              list((machine.root / "var/backups/madang").glob("20*"))), outcome.stdout + outcome.stderr)
    outcome = machine.run(*setup)
    check("the one after it has nothing to change", outcome.returncode == 0 and "Nothing to change." in outcome.stderr, outcome.stderr)


def undone_after_kill(machine, former):
    machine.start()
    with machine.instead_of("enable", 'for unit; do :; done\ntouch "$STATE/$unit"\n' + KILL):
        machine.killed("setup", NAME, "--behind-proxy", "127.0.0.1", "--yes")
    check("setup was killed when the timer was on", (machine.state / "madang-backup.timer").exists())
    outcome = machine.run("setup", "--undo", "--yes")
    check("--undo takes back the timer and the directory, too", outcome.returncode == 0 and machine.settings.read_text() == former and (
        not (machine.state / "madang-backup.timer").exists() and not (machine.root / "var/backups/madang").exists()), outcome.stderr)


def without_report(machine, _former):
    setup = "setup", NAME, "--behind-proxy", "127.0.0.1", "--yes"
    with machine.instead_of("start", 'cd "$MADANG_TEST_ROOT/etc/madang" && mv madang.json written && echo "{" >madang.json\n'):
        outcome = machine.run(*setup)
    check("a report that fails: status 2, the reason, and what to do", outcome.returncode == 2 and (
        "not everything is done" in outcome.stderr and "run this again" in outcome.stderr), outcome.stderr)
    (machine.settings.parent / "written").rename(machine.settings)
    outcome = machine.run(*setup)
    check("then the next one prints it", outcome.returncode == 0 and "/invite/" in outcome.stdout, outcome.stdout + outcome.stderr)


def without_backup(machine, _former):
    setup = "setup", NAME, "--behind-proxy", "127.0.0.1", "--yes"
    backups = machine.root / "var/backups/madang"
    backups.mkdir(parents=True)
    (backups / "notes.txt").touch()
    outcome = machine.run(*setup)
    check("a first backup that fails: status 2, and what to do", outcome.returncode == 2 and (
        "first backup failed" in outcome.stderr and str(backups) in outcome.stderr and "run this again" in outcome.stderr), outcome.stderr)
    outcome = machine.run(*setup)
    check("it fails again while the reason is there", outcome.returncode == 2, outcome.stderr)
    (backups / "notes.txt").unlink()
    outcome = machine.run(*setup)
    check("then the next setup makes it", outcome.returncode == 0 and list(backups.glob("20*")), outcome.stdout + outcome.stderr)


def main():
    if len(sys.argv) != 2:
        sys.exit(__doc__)
    madang = str(pathlib.Path(sys.argv[1]).resolve())
    with tempfile.TemporaryDirectory(prefix="madang-setup-") as folder:
        machine = Machine(madang, pathlib.Path(folder))
        former = machine.settings.read_text()
        try:
            asked_nothing(machine, former)
            interrupted(machine, former)
            answered(machine)
            again(machine)
            refused(machine)
            closed(machine)
            undone(machine, former)
        finally:
            machine.stop()
    for step in (lambda *of: resumed(*of, "restart"), lambda *of: resumed(*of, "start"), undone_after_kill, interrupted_work, without_report, without_backup):
        with tempfile.TemporaryDirectory(prefix="madang-setup-") as folder:
            machine = Machine(madang, pathlib.Path(folder))
            try:
                step(machine, machine.settings.read_text())
            finally:
                machine.stop()
    print(f"{len(failures)} failures")
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main())
