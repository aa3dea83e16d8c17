"""A PostgreSQL primary and its streaming replica, both ours: restarted, failed over, built anew."""

import asyncio
import glob
import os
import pathlib
import shutil
import time

SETTINGS = {
    "listen_addresses": "'127.0.0.1'", "max_connections": "200", "fsync": "on", "synchronous_commit": "remote_apply",
    "wal_level": "replica", "hot_standby": "on", "wal_keep_size": "'1GB'", "wal_retrieve_retry_interval": "'200ms'",
    "max_wal_size": "'512MB'", "log_line_prefix": "'%m [%p] '",
}
# A bound for the server's own tools; a failover takes some seconds.
LIMIT = 120


def programs():
    """The folder of the newest PostgreSQL here, None without one."""
    folders = sorted(glob.glob("/usr/lib/postgresql/*/bin"), key=lambda folder: int(folder.split("/")[-2]))
    if folders:
        return pathlib.Path(folders[-1])
    found = shutil.which("initdb")
    return pathlib.Path(found).parent if found else None


class ToolFailed(Exception):
    pass


class Pair:
    """`primary` and `replica` are 0 and 1 or the other way round; None where there is no replica just now."""

    def __init__(self, folder, ports, log):
        self._folder = pathlib.Path(folder)
        self._programs = programs()
        self.ports = ports
        self._log = log
        self.primary = 0
        self.replica = None
        # The server refuses to run as root.
        self._as_server = ["runuser", "-u", "postgres", "--"] if os.geteuid() == 0 else []

    async def start(self):
        self._folder.mkdir(parents=True)
        if self._as_server:
            shutil.chown(self._folder, "postgres")
        await self._run("initdb", "-D", self._data(0), "-U", "madang", "-A", "trust", "-E", "UTF8", "--locale=C.UTF-8",
                        "--no-sync", "--no-instructions")
        await self._start(0)
        await self.query("CREATE DATABASE madang", database="postgres")
        await self.query("CREATE TABLE public.torture_marks (at bigint)")
        await self.build_replica()

    async def query(self, sql, database="madang", server=None, limit=30):
        """The lines of an answer, fields separated by tabs."""
        port = self.ports[self.primary if server is None else server]
        return (await self._run(
            "psql", "-X", "-h", "127.0.0.1", "-p", str(port), "-U", "madang", "-d", database, "-AtqF", "\t", "-c", sql,
            limit=limit)).splitlines()

    async def build_replica(self):
        """Copies the primary into the other place, has it stream, and waits until commits wait for it."""
        other = 1 - self.primary
        await self._run("rm", "-rf", self._data(other))
        await self._run("pg_basebackup", "-h", "127.0.0.1", "-p", str(self.ports[self.primary]), "-U", "madang", "-D",
                        self._data(other), "-R", "-X", "stream", "--checkpoint=fast", "--no-sync")
        await self._start(other)
        await self._wait_for_replica()
        self.replica = other

    async def restart_primary(self):
        """As after a crash of the server's machine, its disk left whole."""
        await self._stop(self.primary)
        await self._start(self.primary)
        await self._wait_for_replica()

    async def restart_replica(self, pause):
        await self._stop(self.replica)
        await asyncio.sleep(pause)
        await self._start(self.replica)
        await self._wait_for_replica()

    async def fail_over(self, waits, cut_off=None):
        """The primary ends, or is cut off from everybody by `cut_off` and ends afterwards; the replica takes its place.

        Without `waits` it commits alone until it has a replica again; with it, commits wait all that time.
        """
        old, new = self.primary, self.replica
        if cut_off:
            await cut_off(old)
        else:
            await self._stop(old)
        await self._run("pg_ctl", "-D", self._data(new), "promote", "-w")
        self.primary, self.replica = new, None
        if not waits:
            await self._wait_for_commits_of("''")
        if cut_off:
            await self._stop(old)
        return old

    async def stop(self):
        for server in 0, 1:
            if os.path.exists(f"{self._data(server)}/postmaster.pid"):
                try:
                    await self._stop(server)
                except ToolFailed:
                    pass

    async def _wait_for_commits_of(self, names):
        await self.query(f"ALTER SYSTEM SET synchronous_standby_names = {names}", database="postgres")
        await self.query("SELECT pg_reload_conf()", database="postgres")

    async def _wait_for_replica(self):
        await self._wait_for_commits_of("'*'")
        end = time.monotonic() + LIMIT
        while time.monotonic() < end:
            if "sync" in await self.query("SELECT sync_state FROM pg_stat_replication WHERE state = 'streaming'"):
                # A commit that waits brings all before it to the replica.
                await self.query(f"INSERT INTO public.torture_marks VALUES ({int(time.time() * 1000)})")
                return
            await asyncio.sleep(0.1)
        raise ToolFailed("the replica does not stream")

    def _data(self, server):
        return str(self._folder / str(server))

    async def _start(self, server):
        options = " ".join(f"-c {name}={value}" for name, value in SETTINGS.items())
        await self._run(
            "pg_ctl", "-D", self._data(server), "-w", "-l", f"{self._data(server)}.log", "-o",
            f"-p {self.ports[server]} -k {self._folder} {options}", "start")

    async def _stop(self, server):
        await self._run("pg_ctl", "-D", self._data(server), "-m", "immediate", "-w", "stop")

    async def _run(self, program, *arguments, limit=LIMIT):
        path = "rm" if program == "rm" else str(self._programs / program)
        with open(self._log, "ab") as log:
            process = await asyncio.create_subprocess_exec(
                *self._as_server, path, *arguments, stdin=asyncio.subprocess.DEVNULL, stdout=asyncio.subprocess.PIPE,
                stderr=log, cwd=str(self._folder))
            try:
                # What pg_ctl starts keeps the pipe of its parent: only the program itself is waited for.
                if program == "pg_ctl":
                    await asyncio.wait_for(process.wait(), limit)
                    output = b""
                else:
                    output, _ = await asyncio.wait_for(process.communicate(), limit)
            except TimeoutError as error:
                process.kill()
                raise ToolFailed(f"{program} takes more than {limit} s") from error
        if process.returncode:
            raise ToolFailed(f"{program} {' '.join(arguments)}: status {process.returncode}, see {self._log}")
        return output.decode()
