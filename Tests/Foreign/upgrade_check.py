"""An installation that an earlier version made (former/, by former_installation.py) is brought up to date: every row and file stays, what
people were answered they are answered again byte for byte, with the tokens they had, and its backup is a way back.

    python Tests/Foreign/upgrade_check.py .build/debug/madang [--former OLD_MADANG]

--former  also takes the ways back with the earlier program itself: on the database that is up to date by then, if all that changed
          its tables is additive, and by its own backup.
Runs on SQLite, and on the PostgreSQL server of MADANG_TEST_POSTGRES if it is set. Exits 0 when every check held.
"""

import argparse
import asyncio
import contextlib
import hashlib
import json
import os
import pathlib
import random
import shutil
import sqlite3
import subprocess
import sys
import tarfile
import tempfile

from former_installation import TEN_YEARS, ask
from phone_flows import Stage, json_body
from program import KEYS, Program, database

ARCHIVES = sorted((pathlib.Path(__file__).parent / "former").glob("*.tar.xz"))
SETTINGS = {"MADANG_KEYS": KEYS, "MADANG_TOKENS_ACCESS": str(TEN_YEARS), "MADANG_TOKENS_REFRESH": str(TEN_YEARS)}
KILLS = 5
failures = []


def check(is_good, what, detail=""):
    print(f"{'ok    ' if is_good else 'FAILED'} {what}{'' if is_good else f': {detail!s:.1500}'}", flush=True)
    if not is_good:
        failures.append(what)


class Tables:
    """The rows of a database, read without madang."""

    def __init__(self, data, settings):
        self._file, self._url = data / "madang.sqlite", settings.get("MADANG_DATABASE_URL")

    def columns(self):
        """The columns of each table."""
        if self._url:
            found = self._psql(
                "SELECT table_name || ' ' || column_name FROM information_schema.columns WHERE table_schema = 'public'").split("\n")
            pairs = [line.split(" ") for line in found if line]
        else:
            pairs = self._sqlite(
                "SELECT m.name, c.name FROM sqlite_master m, pragma_table_info(m.name) c WHERE m.type = 'table' AND m.name NOT LIKE 'sqlite_%'")
        columns = {}
        for table, column in sorted(map(tuple, pairs)):
            columns.setdefault(table, []).append(column)
        return columns

    def rows(self, columns):
        """The rows of each table in these columns, in no order."""
        found = {}
        for table, names in columns.items():
            query = f"SELECT {', '.join(names)} FROM {table}"
            rows = self._psql(f"COPY ({query}) TO STDOUT").splitlines() if self._url else self._sqlite(query)
            found[table] = sorted(map(str, rows))
        return found

    def replaced(self):
        """The paths of files that are to be deleted."""
        query = "SELECT path FROM file_removals"
        return self._psql(query).splitlines() if self._url else [path for (path,) in self._sqlite(query)]

    def _psql(self, query):
        return subprocess.run(["psql", "-qAt", "-d", self._url, "-c", query], check=True, capture_output=True, text=True).stdout

    def _sqlite(self, query):
        with contextlib.closing(sqlite3.connect(self._file)) as connection:
            return connection.execute(query).fetchall()


def without_own(rows):
    """Rows without what a program notes about itself: the migrations it knows, and the database file it has open."""
    rows = {table: found for table, found in rows.items() if table != "schema_migrations"}
    return rows | {"installation": [row for row in rows["installation"] if "database_file" not in row]}


def without_replaced(rows, kept, replaced):
    """Rows and files without pictures that had been replaced: a server deletes those a day later, and the installation is older than that."""
    rows = rows | {"files": [row for row in rows["files"] if not any(path in row for path in replaced)]}
    return rows, {path: digest for path, digest in kept.items() if path.removeprefix("files/") not in replaced}


def files(data):
    """The bytes of each file and secret, as a hash."""
    return {str(one.relative_to(data)): hashlib.sha256(one.read_bytes()).hexdigest()
            for folder in ("files", "secrets") for one in (data / folder).rglob("*") if one.is_file()}


def differences(before, after):
    """Where rows of tables, or hashes of files, are not what they were."""
    return {key: (before.get(key), after.get(key)) for key in before if before[key] != after.get(key)}


class Place:
    """Where an installation is: its data directory and, on PostgreSQL, its database."""

    def __init__(self, data, settings):
        self.data, self.settings = data, settings
        self.tables = Tables(data, settings)

    def options(self):
        url = self.settings.get("MADANG_DATABASE_URL")
        return ["--data", str(self.data)] + (["--database-url", url] if url else [])

    def admin(self, program, *words):
        return subprocess.run([program, "admin", *words, *self.options()], capture_output=True, text=True)

    def serving(self, program):
        return Program.hosted(program, str(self.data), self.settings | SETTINGS)


async def same_answers(server, asked):
    """What is answered otherwise than before, by the tokens people had."""
    stage = Stage(server.url, "U0")
    found = []
    for one in asked:
        person = as_before(stage, one)
        found += [path for path, answer in one["answers"].items() if await ask(person, path) != answer]
        if (await person.refresh()).status != 200:
            found.append("refresh")
    stage.close()
    return found


def as_before(stage, one):
    person = stage.phone(one["edition"])
    person.user, person.access_token, person.refresh_token = one["user"], one["access"], one["refresh"]
    return person


async def say(server, one, text):
    stage = Stage(server.url, "U0")
    await as_before(stage, one).post(one["chats"], json_body({"content": text}))
    last = (await as_before(stage, one).get(one["chats"]))[-1]["content"]
    stage.close()
    return last == text


async def killed(program, place):
    """Servers that are killed while they start."""
    for _ in range(KILLS):
        process = await asyncio.create_subprocess_exec(
            program, "serve", "--port", "0", *place.options(), env=os.environ | SETTINGS, stdout=asyncio.subprocess.DEVNULL, stderr=asyncio.subprocess.DEVNULL)
        await asyncio.sleep(random.uniform(0, 0.3))
        with contextlib.suppress(ProcessLookupError):
            process.kill()
        await process.wait()


@contextlib.contextmanager
def places(engine, folder, name):
    """An empty place on an engine."""
    with database(f"upgrade_{name}") if engine == "postgres" else contextlib.nullcontext({}) as settings:
        yield Place(folder / name, settings)


async def run(engine, former, madang, old, label):
    """Everything about one installation."""
    asked = json.loads((former / "answers.json").read_text())
    with places(engine, former, "upgraded") as place:
        shutil.copytree(former / "data", place.data)
        if engine == "postgres":
            url = place.settings["MADANG_DATABASE_URL"]
            subprocess.run(["psql", "-q", "-v", "ON_ERROR_STOP=1", "-d", url, "-f", former / "database.sql"], check=True, capture_output=True)
        columns = place.tables.columns()
        rows, kept, replaced = place.tables.rows(columns), files(place.data), place.tables.replaced()
        check(sum(map(len, rows.values())) > 1000 and len(kept) > 10, f"{label}: there is something to lose")

        await killed(madang, place)
        migrated = place.admin(madang, "migrate")
        check(migrated.returncode == 0, f"{label}: brought up to date, after {KILLS} servers that were killed at their start", migrated.stderr)
        # A server that started before it was killed may have tidied up; nothing that people have is among it.
        tidy = {"push_outbox", "recent_addresses", "file_removals", "changes"}
        expected, expected_files = without_replaced(without_own(rows), kept, replaced)
        after, after_files = without_replaced(without_own(place.tables.rows(columns)), files(place.data), replaced)
        gone = differences(expected, after)
        gone_files = differences(expected_files, after_files)
        check(not set(gone) - tidy and not gone_files, f"{label}: every row and file is what it was", gone | gone_files)

        async with place.serving(madang) as server:
            check(not (found := await same_answers(server, asked)), f"{label}: everybody is answered what they were before", found)
            check(await say(server, asked[0], "from the new version"), f"{label}: people go on")
        found = place.admin(madang, "check", "--hashes")
        check(found.returncode == 0, f"{label}: 'admin check --hashes' finds nothing", found.stdout + found.stderr)
        if old:
            async with place.serving(old) as server:
                check(await say(server, asked[0], "from the former version"), f"{label}: the former program goes on, on the new tables")
            async with place.serving(madang) as server:
                check(await say(server, asked[0], "and back"), f"{label}: and the new one again")

    for program, words in [(madang, "the new program")] + ([(old, "the former program")] if old else []):
        with places(engine, former, "restored") as place:
            restored = place.admin(program, "restore", str(former / "backup"))
            check(restored.returncode == 0, f"{label}: the backup is restored by {words}", restored.stderr)
            changed = differences(without_own(rows), place.tables.rows(columns))
            check(not changed and not differences(kept, files(place.data)), f"{label}: with every row and file", changed)
            async with place.serving(program) as server:
                check(not (found := await same_answers(server, asked)), f"{label}: and everybody is answered what they were", found)
        shutil.rmtree(place.data)


async def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("madang")
    parser.add_argument("--former", help="the program that made the installation")
    arguments = parser.parse_args()
    os.umask(0o077)
    engines = ["sqlite"] + (["postgres"] if os.environ.get("MADANG_TEST_POSTGRES") else [])
    for archive in ARCHIVES:
        with tempfile.TemporaryDirectory() as folder:
            with tarfile.open(archive) as packed:
                packed.extractall(folder, filter="data")
            for engine in engines:
                await run(engine, pathlib.Path(folder) / engine, arguments.madang, arguments.former, f"{archive.name.split('.')[0]}, {engine}")
    print(f"upgrade: {len(failures)} failed")
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(asyncio.run(main()))
