"""Encrypted copies of backups in a bucket, by the package's unit and the commands of docs/operate.md: made by restic each night, also after a
restic that was killed; thinned out, brought back on another machine, and restored.

    Scripts/with-s3 python3 Tests/Foreign/restic_check.py .build/debug/madang

Standard library only, and restic. Exits 0 when every check held.
"""

import asyncio
import os
import pathlib
import re
import shlex
import subprocess
import sys
import tempfile
import time

from program import Program

ROOT = pathlib.Path(__file__).parent / "../.."
PAGE, UNIT = ROOT / "docs/operate.md", ROOT / "packaging/madang-restic.service"
TEXT = "The persimmons are ripe."
madang = os.path.realpath(sys.argv[1])


def recipe():
    """What calls restic: the unit each night, a dash for what may fail; and the lines of the page."""
    section = PAGE.read_text().split("### Encrypted, off the machine\n")[1].split("\n## ")[0]
    nightly = re.findall(r"^ExecStart=(-?)/usr/bin/(restic .*)$", UNIT.read_text(), re.M)
    typed = [command for line in re.findall(r"^\(set -a; [^;]*; (.*)\)$", section, re.M) for command in line.split("; ")]
    return nightly, typed


async def main(folder):
    def run(command, **settings):
        done = subprocess.run(command, shell=isinstance(command, str), text=True, capture_output=True,
                              env=os.environ | bucket | settings, cwd=folder)
        if done.returncode != 0:
            sys.exit(f"FAILED: {command}\n{done.stdout}{done.stderr}")
        print("ok    ", command if isinstance(command, str) else " ".join(command[1:4]), flush=True)
        return done.stdout

    def person(server, *command):
        return run([madang, *command, "--server", server.url], MADANG_PROFILE=str(folder / "mina.json"))

    def enter(server, *command):
        line = [madang, *command, "--password-stdin", "--key", "dev-key-2024-10", "--server", server.url]
        run(f"{shlex.join(line)} <password", MADANG_PROFILE=str(folder / "mina.json"))

    bucket = {
        "RESTIC_REPOSITORY": f"s3:{os.environ['MADANG_TEST_S3']}/{os.environ['MADANG_TEST_S3_BUCKET']}/madang",
        "RESTIC_PASSWORD": "seven persimmons", "RESTIC_CACHE_DIR": str(folder / "cache"),
        "AWS_ACCESS_KEY_ID": os.environ["MADANG_TEST_S3_KEY"], "AWS_SECRET_ACCESS_KEY": os.environ["MADANG_TEST_S3_SECRET"], "AWS_DEFAULT_REGION": "us-east-1",
    }
    data, backups, other = folder / "data", folder / "backups", folder / "other"
    nightly, (init, snapshots, unlock, check, restore) = recipe()

    def night():
        for dash, line in nightly:
            run(line.replace("/var/backups/madang", str(backups)) + (" || true" if dash else ""))

    def killed():
        """Kills a restic that has the repository for itself, as a reboot does: its lock stays."""
        slow = subprocess.Popen(["restic", "check", "--read-data", "--limit-download", "1"], env=os.environ | bucket, cwd=folder,
                                stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        end = time.monotonic() + 60
        while not run("restic list locks --no-lock").strip():
            if time.monotonic() > end:
                slow.kill()
                sys.exit("FAILED: restic took no lock within a minute")
        slow.kill()
        slow.wait()

    picture = PAGE.parent / "pictures/phone-en.png"
    (folder / "password").write_text("Passw0rd!\n")

    run(init)
    async with Program.hosted(madang, str(data)) as server:
        enter(server, "signup", "mina@example.com", "--nickname", "Mina")
        person(server, "workspace", "create", "Courtyard")
        person(server, "channel", "create", "garden")
        person(server, "say", "#garden", TEXT, "--file", str(picture))
        for _ in range(2):
            run([madang, "admin", "backup", str(backups), "--keep", "14", "--data", str(data)])
            night()
            run(snapshots)
            killed()

    run(unlock)
    run(check + " --read-data")
    other.mkdir()
    run(restore.replace("--target /", f"--target '{other}'"))
    copied = other / backups.relative_to("/")
    same = subprocess.run(["diff", "-r", str(backups), str(copied)])
    if same.returncode != 0:
        sys.exit("FAILED: the copy differs from the backups")
    run([madang, "admin", "check", "--backup", str(copied)])
    run([madang, "admin", "restore", str(copied), "--data", str(folder / "restored")])
    run([madang, "admin", "check", "--hashes", "--data", str(folder / "restored")])
    async with Program.hosted(madang, str(folder / "restored")) as server:
        enter(server, "login", "mina@example.com")
        person(server, "workspace", "use", "Courtyard")
        if TEXT not in person(server, "history", "#garden"):
            sys.exit("FAILED: the chat is not in the restored installation")
    print("ok     the account and the chat are in the restored installation")


with tempfile.TemporaryDirectory() as name:
    asyncio.run(main(pathlib.Path(name)))
